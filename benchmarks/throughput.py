"""How much text the models in the package get through, and what 10 TB would take.

    python benchmarks/throughput.py

FLORES lines by language, as a crawl sorted by site has them, and in random order, which a cache likes least; Tatoeba
test, in the order of the file. `identify` with one thread and with two; medians of the runs.
"""

import statistics
from functools import partial

from common import Report, Test, arguments, flores, labelled, timed

import unilid

TERABYTES, CORES = 10, 100


def main() -> None:
    options = arguments(__doc__, runs=3)
    report = Report("throughput", "Throughput", options.quick)
    _, held = flores(options.data, options.quick)
    tatoeba = labelled(options.data / "tatoeba/test.tsv.xz")
    sets = {
        "FLORES, by language": [text for lines in held.values() for text in lines[:100]],
        "FLORES, random order": Test.of({label: lines[:100] for label, lines in held.items()}).texts,
        "Tatoeba, by language": [text for lines in tatoeba.values() for text in lines][::8],
    }
    report.header(
        *("model", "text", "bytes a line", "MB/s, one thread", "MB/s, two threads"),
        f"{TERABYTES} TB on {CORES} cores, hours",
    )
    for name, file in (("default", None), ("compact", "compact")):
        for kind, texts in sets.items():
            size = sum(map(len, texts))
            rates = []
            for threads in (1, 2):
                model = unilid.load(file)
                model.identify("warm", threads=1)
                passes = [
                    timed(partial(model.identify, texts, threads=threads))[1]
                    for _ in range(1 if options.quick else options.runs)
                ]
                rates.append(size / 1e6 / statistics.median(passes))
            hours = TERABYTES * 1e6 / (rates[0] * CORES) / 3600
            report.row(name, kind, f"{size / len(texts):.0f}", f"{rates[0]:.1f}", f"{rates[1]:.1f}", f"{hours:.1f}")
    report.say("\nThe last column takes 100 times one thread: lines are independent, and processes share one file.")
    report.write()


if __name__ == "__main__":
    main()
