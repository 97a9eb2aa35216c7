"""Long documents: the answer by excerpts beside that of the whole text, and what it gains.

    python benchmarks/documents.py [MODEL]

FLORES lines of one label, joined to documents of 500 bytes, 5 kB and 50 kB; and documents of 5 kB of two labels: one
after the other in halves, at 70 and 90 %, and line by line. The label pairs are drawn at random. `identify` with the
default budget beside `identify` with `budget=None`, which reads everything; one thread. The constants of
`cpp/decisions/documents.h` were chosen on documents that were joined in the same way from Common Voice.
"""

import random
import statistics
from collections.abc import Iterator, Sequence

from common import Report, arguments, flores, timed

import unilid
from unilid import Prediction
from unilid.decisions.options import BUDGET

SIZES = {"500 bytes": 500, "5 kB": 5_000, "50 kB": 50_000}
PAIRS = 300
"""Documents of two labels, of each kind."""


def joined(lines: Sequence[bytes], size: int) -> Iterator[bytes]:
    """Yield documents of at least so many bytes, made of lines one after the other; what is left over is left out."""
    document: list[bytes] = []
    length = 0
    for line in lines:
        document.append(line)
        length += len(line) + 1
        if length > size:
            yield b"\n".join(document)
            document, length = [], 0


def of_two(corpus: dict[str, list[bytes]], share: float, *, line_by_line: bool, size: int = 5_000) -> list[bytes]:
    """Return documents of two labels; `share`: of the first one."""
    draw = random.Random(f"{share} {line_by_line}")
    labels = [label for label, lines in corpus.items() if sum(map(len, lines)) > 2 * size]
    documents = []
    for _ in range(PAIRS):
        first, second = (draw.sample(corpus[label], len(corpus[label])) for label in draw.sample(labels, 2))
        if line_by_line:
            lines = [(first if draw.random() < share else second)[i] for i in range(len(min(first, second, key=len)))]
            documents.append(next(joined(lines, size)))
        else:
            parts = [next(joined(first, int(share * size))), next(joined(second, int((1 - share) * size)))]
            draw.shuffle(parts)
            documents.append(b"\n".join(parts))
    return documents


def main() -> None:
    options = arguments(__doc__, ("model", "default"), runs=3)
    report = Report("documents", "Long documents", options.quick)
    first, rest = flores(options.data, options.quick)
    corpus = {label: first[label] + rest[label] for label in first}
    sets = {
        f"one label, {name}": [d for lines in corpus.values() for d in joined(lines, size)]
        for name, size in SIZES.items()
    }
    sets = {name: random.Random(0).sample(documents, min(len(documents), 3_000)) for name, documents in sets.items()}
    if not options.quick:
        sets |= {
            "two labels, halves": of_two(corpus, 0.5, line_by_line=False),
            "two labels, 70 %": of_two(corpus, 0.7, line_by_line=False),
            "two labels, 90 %": of_two(corpus, 0.9, line_by_line=False),
            "two labels, line by line": of_two(corpus, 0.5, line_by_line=True),
            "two labels, line by line, 70 %": of_two(corpus, 0.7, line_by_line=True),
        }
    path = None if options.model == "default" else options.model
    report.header(
        *("documents", "number", "MB/s, whole", "MB/s", "gain", "same label", "same language", "read as a whole")
    )
    for name, documents in sets.items():
        if documents:  # a small corpus has no long ones
            row(report, name, documents, path, 1 if options.quick else options.runs)
    report.say(
        "\nSame label, same language: as the whole text has; `und` is another label than that of its guess, and the "
        "same language. MB/s: the first pass of a model that has seen nothing else, the median of the runs. Read as a "
        "whole: the score is that of the whole text."
    )
    report.write()


def row(report: Report, name: str, documents: list[bytes], path: str | None, runs: int) -> None:
    slow, fast = [], []
    for _ in range(runs):
        whole, seconds = asked(path, documents, None)
        slow.append(seconds)
        excerpts, seconds = asked(path, documents, BUDGET)
        fast.append(seconds)
    size = sum(map(len, documents)) / 1e6
    slowly, quickly = size / statistics.median(slow), size / statistics.median(fast)
    pairs = list(zip(excerpts, whole, strict=True))
    alike = statistics.mean(one.label == other.label for one, other in pairs)
    named = statistics.mean((one.guess or one.label) == (other.guess or other.label) for one, other in pairs)
    everything = statistics.mean(one.score == other.score for one, other in pairs)
    report.row(
        *(name, len(documents), f"{slowly:.1f}", f"{quickly:.1f}", f"{quickly / slowly:.1f}"),
        *(f"{alike:.4f}", f"{named:.4f}", f"{everything:.3f}"),
    )


def asked(path: str | None, documents: list[bytes], budget: int | None) -> tuple[list[Prediction], float]:
    """Return the answers of a model that has seen nothing else, and the seconds that they took."""
    model = unilid.load(path)
    model.identify("warm", threads=1)
    return timed(lambda: model.identify(documents, threads=1, budget=budget))


if __name__ == "__main__":
    main()
