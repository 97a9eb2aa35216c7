"""What a label costs: time a line, memory and loading at 204, 510, 1,020 and 2,040 labels.

    python benchmarks/scale.py

The labels are those of FLORES, 100 lines each, and as many times as it takes with their letters exchanged.
"""

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from common import CONTEXTS, Report, Test, arguments, exchange, first, flores, timed

import unilid
from unilid.model import Model

TIMES = (1, 2.5, 5, 10)
LINES = 5_000

RUN = """
import sys, time
from pathlib import Path
import unilid.model

texts = Path(sys.argv[2]).read_bytes().split(b"\\n")
start = time.perf_counter()
model = unilid.load(sys.argv[1])
loaded = time.perf_counter() - start
model.identify("warm", threads=1)
ready = time.perf_counter() - start
passes = []
for _ in range(2):
    start = time.perf_counter()
    model.identify(texts, threads=1)
    passes.append(1e6 * (time.perf_counter() - start) / len(texts))
fresh = unilid.load(sys.argv[1])
fresh.identify("warm", threads=1)
start = time.perf_counter()
fresh.identify(texts, threads=2)
passes.append(1e6 * (time.perf_counter() - start) / len(texts))
print(1000 * loaded, 1000 * ready, *passes)
"""

MEMORY = """
import re, sys
from pathlib import Path
import unilid
model = unilid.load(sys.argv[1])
model.identify(Path(sys.argv[2]).read_bytes().split(b"\\n"), threads=1)
[peak] = re.findall(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(int(peak) / 1024)
"""


def main() -> None:
    options = arguments(__doc__)
    train, held = flores(options.data, options.quick)
    corpus = first(train, 100)
    report = Report("scale", "What a label costs", options.quick)
    new = train[next(iter(corpus))]
    with tempfile.TemporaryDirectory() as folder:
        sample = Path(folder) / "sample.txt"
        sample.write_bytes(b"\n".join(text.replace(b"\n", b" ") for text in Test.of(held).texts[:LINES]))
        for context in CONTEXTS.values():
            report.say(f"\n## {'With' if context else 'Without'} context\n")
            report.header(
                *("labels", "file, MB", "loaded in, ms", "first answer after, ms", "resident at most, MB"),
                *(
                    "first pass, µs a line",
                    "second pass",
                    "first pass, two threads",
                    "to the first row",
                ),
                *("labels to the first row", "a language added and saved, s"),
            )
            base: tuple[int, float] | None = None
            for times in TIMES[:2] if options.quick else TIMES:
                everything = larger(corpus, round(times * len(corpus)))
                path = Path(folder) / "model.unilid"
                model = unilid.train(everything, context=context, tune=False).save(path)
                loaded, ready, one, again, two = map(float, run(RUN, path, sample))
                [resident] = map(float, run(MEMORY, path, sample))
                _, adding = timed(partial(add_and_save, model, new, Path(folder) / "new.unilid"))
                base = base or (len(everything), one)
                report.row(
                    *(f"{len(everything):,}", f"{path.stat().st_size / 1e6:.1f}", f"{loaded:.0f}", f"{ready:.0f}"),
                    *(f"{resident:.0f}", f"{one:.1f}", f"{again:.1f}", f"{two:.1f}", f"{one / base[1]:.2f}"),
                    *(f"{len(everything) / base[0]:.1f}", f"{adding:.2f}"),
                )
    report.write()


def larger(corpus: dict[str, list[bytes]], labels: int) -> dict[str, list[bytes]]:
    """Return so many labels: the corpus, and copies of it with the letters exchanged."""
    everything = dict(corpus)
    copy = 0
    while len(everything) < labels:
        for label, lines in list(corpus.items())[: labels - len(everything)]:
            everything[f"{label}_{copy}"] = exchange(lines, copy)
        copy += 1
    return everything


def add_and_save(model: Model, lines: list[bytes], path: Path) -> None:
    model.add_language("new_Latn", lines, threads=1).save(path)


def run(program: str, *words: object) -> list[str]:
    command = [sys.executable, "-c", program, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


if __name__ == "__main__":
    main()
