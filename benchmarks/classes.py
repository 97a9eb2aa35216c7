"""Any classes: dialects, kinds of text, kinds of sentences, programming languages; beside a linear SVM and fastText.

    pip install scikit-learn
    python benchmarks/classes.py

Classes need not be languages. As many lines of each class are drawn at random to train, others measure. unilid is
`unilid.train(corpus)` with its defaults, and `identify` must name one of the classes (`abstain=False`); beside it, the
same model without the handicaps that training fitted. The SVM and fastText have the best of a few settings on the lines
that measure: their favour. It is chosen for a task and a number of lines, over all draws.

- Dialects: DSL-ML 2024, GDI, ADI; their training lines and their development lines. Lines of two varieties are left
  out.
- Kinds of text: which corpus a line of German, English or Japanese is from.
- Kinds of sentences: question, statement or exclamation, of Tatoeba, without the mark at the end. In small letters.
- Word order: a sentence of Tatoeba, or its words in random order; in small letters, without signs. For whoever looks at
  words alone, the two are the same.
- Programming languages: a line of this repository. Other files measure.
"""

import random
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

from common import (
    ROOT,
    SVM_COSTS,
    FastText,
    Report,
    Test,
    arguments,
    evaluated,
    labelled,
    linear_svms,
    predict,
    without_handicaps,
)
from dialects import TASKS as DIALECTS

import unilid
from unilid.corpus.reading import read

Classes = dict[str, list[bytes]]

DRAWS = {5: 5, 25: 3, 100: 2, 500: 1}
"""How often training lines are drawn, by lines a class."""
EPOCHS = {5: (100, 400), 25: (50, 200), 100: (25, 100), 500: (10, 50)}
"""Of fastText, by lines a class."""
RATE = 1.0
MEASURED = 300
"""Lines of a class that measure, at most."""

GERMAN = {"verses": "ebible_open/train", "Firefox": "firefox_ui/train", "Wikipedia's_apps": "wikimedia_ui/train",
          "for_learners": "tatoeba/train", "read_aloud": "common_voice/train"}  # fmt: skip
ENGLISH = {"verses": "ebible_open/train", "encyclopaedia": "wili10/*", "news_and_travel": "flores200/dev",
           "for_learners": "tatoeba/train", "read_aloud": "common_voice/train"}  # fmt: skip
PROGRAMS = {"Python": ("src", ("*.py",)), "C++": ("cpp", ("*.cpp", "*.h")), "JavaScript": ("web", ("*.js",))}
"""The folder of a language and its files."""
TABLES = 120
"""Lines that are longer are data, not programs."""


class Task(NamedTuple):
    """What is asked."""

    kind: str
    name: str
    train: Classes
    """Lines to draw from."""
    test: Classes


class Row(NamedTuple):
    """Macro F1 of the systems on a task."""

    task: Task
    lines: int
    """Training lines a class."""
    scores: dict[str, float]
    settings: dict[str, str]
    """What was the best of a peer."""


SYSTEMS = ("unilid", "linear SVM", "fastText")
WITHOUT = "no handicaps"


def main() -> None:
    options = arguments(__doc__)
    packages = ("unilid", "scikit-learn", "fasttext-numpy2", "numpy")
    report = Report("classes", "Any classes: macro F1", options.quick, packages=packages)
    sizes = (5, 25) if options.quick else tuple(DRAWS)
    draws = ", ".join(f"{count} at {lines}" for lines, count in DRAWS.items())
    epochs = ", ".join(f"{low} and {high} epochs at {lines}" for lines, (low, high) in EPOCHS.items())
    report.say(
        f"Means over so many draws of training lines: {draws} lines a class. Measured on other lines, at most "
        f"{MEASURED} a class. unilid: the defaults; {WITHOUT}: the same models without the handicaps that training "
        "fitted. Linear SVM: LinearSVC on tf-idf, the best of character n-grams (1 "
        f"to 5, within words, case kept) and words (1 to 2), C {', '.join(f'{cost:g}' for cost in SVM_COSTS)}. "
        f"fastText: minn 2, maxn 5, dim 16, learning rate {RATE:g}, the best of {epochs} lines. The best of each row "
        "is bold.\n"
    )
    report.header("task", "classes", "lines a class", *SYSTEMS, WITHOUT, "the SVM's best", "epochs")
    rows = []
    refused = {}
    for task in tasks(options.data):
        for size in sizes:
            row, model = compare(task, size, quick=options.quick)
            rows.append(row)
            cells = bold_best([row.scores[system] for system in SYSTEMS])
            settings = [row.settings[system] for system in SYSTEMS[1:]]
            report.row(task.name, len(task.test), size, *cells, row.scores[WITHOUT], *settings)
        refused[task.name] = Counter(answer.label for answer in model.identify(Test.of(task.test).texts))
    summarise(report, rows, sizes)
    report.say(
        f"\n## Lines that are refused by default, at {sizes[-1]} lines a class\n\n"
        "`identify` without `abstain=False` answers `und` where the model knows nothing like the text, and `zxx` where "
        "it sees no language.\n"
    )
    report.header("task", "`und`", "`zxx`")
    for name, answers in refused.items():
        report.row(name, *(f"{answers[label] / answers.total():.4f}" for label in ("und", "zxx")))
    report.write()


def compare(task: Task, size: int, *, quick: bool) -> tuple[Row, unilid.Model]:
    """Return the figures of all systems, and the model of the last draw."""
    test = Test.of(task.test)
    ours: list[float] = []
    without: list[float] = []
    peers: dict[str, dict[str, list[float]]] = {"linear SVM": {}, "fastText": {}}
    for seed in range(1 if quick else DRAWS[size]):
        drawn = random.Random(seed)
        corpus = {label: drawn.sample(lines, min(size, len(lines))) for label, lines in task.train.items()}
        model = unilid.train(corpus)
        ours.append(macro_f1(test, predict(model, test.texts)))
        without.append(macro_f1(test, predict(without_handicaps(model), test.texts)))
        for name, answers in linear_svms(corpus, test.texts):
            peers["linear SVM"].setdefault(name, []).append(macro_f1(test, answers))
        for epochs in EPOCHS[size][: 1 if quick else None]:
            answers = FastText(corpus, epoch=epochs, lr=RATE).predict(test.texts)
            peers["fastText"].setdefault(str(epochs), []).append(macro_f1(test, answers))
    scores, settings = {"unilid": statistics.mean(ours), WITHOUT: statistics.mean(without)}, {}
    for system, found in peers.items():
        means = {name: statistics.mean(f1) for name, f1 in found.items()}
        settings[system] = max(means, key=means.__getitem__)
        scores[system] = means[settings[system]]
    return Row(task, size, scores, settings), model


def macro_f1(test: Test, answers: Sequence[str]) -> float:
    return evaluated(test.gold, answers).macro.f1


def bold_best(scores: Sequence[float]) -> list[str]:
    """Write figures; the best one is bold, and so is who is as good as printed."""
    cells = [f"{score:.4f}" for score in scores]
    return [f"**{cell}**" if cell == max(cells) else cell for cell in cells]


def summarise(report: Report, rows: Sequence[Row], sizes: Sequence[int]) -> None:
    report.say("\n## By kind of task and number of lines: mean macro F1, and how many tasks unilid is the best on\n")
    report.header("kind", "lines a class", *SYSTEMS, "unilid is the best on", WITHOUT)
    for kind, size in product(dict.fromkeys(row.task.kind for row in rows), sizes):
        own = [row for row in rows if row.task.kind == kind and row.lines == size]
        means = [statistics.mean(row.scores[system] for row in own) for system in SYSTEMS]
        won = sum(row.scores["unilid"] == max(row.scores[system] for system in SYSTEMS) for row in own)
        without = statistics.mean(row.scores[WITHOUT] for row in own)
        report.row(kind, size, *bold_best(means), f"{won} of {len(own)}", without)


def tasks(data: Path) -> Iterator[Task]:
    """Yield what is asked."""
    for name, file, prefix in DIALECTS:
        train, test = (
            {
                label: texts
                for label, texts in labelled(data / f"dialects/{file}.{part}.tsv.xz").items()
                if label.startswith(prefix) and "," not in label
            }
            for part in ("train", "dev")
        )
        yield apart("dialects", name, train, test)
    for name, label, files in (
        ("corpora of German", "deu_Latn", GERMAN), ("corpora of English", "eng_Latn", ENGLISH),
        ("corpora of Japanese", "jpn_Jpan", GERMAN),
    ):  # fmt: skip
        corpus = {kind: of_label(data, file, label) for kind, file in files.items()}
        yield divided("kinds of text", name, corpus)
    for name, label in (("sentences of English", "eng_Latn"), ("sentences of German", "deu_Latn")):
        sentences = [of_label(data, f"tatoeba/{part}", label) for part in ("train", "test")]
        yield apart("kinds of sentences", name, *map(by_mark, sentences))
    english = (of_label(data, f"tatoeba/{part}", "eng_Latn") for part in ("train", "test"))
    yield apart("word order", "word order of English", *map(by_order, english))
    yield programs()


@cache
def of_label(data: Path, files: str, label: str) -> list[bytes]:
    """Return the lines of a language; WiLI's labels are without a script."""
    wanted = (label, label.partition("_")[0])
    return [
        text for path in sorted(data.glob(f"{files}.tsv.xz")) for batch in read(path, format="tsv")
        for own, text in zip(batch.labels, batch.texts, strict=True) if own in wanted
    ]  # fmt: skip


def apart(kind: str, name: str, train: Classes, test: Classes) -> Task:
    """Return a task without copies: no line is there twice, and none that measures was learned from."""
    measuring = {label: shuffled(dict.fromkeys(lines))[:MEASURED] for label, lines in test.items()}
    taken = {line for lines in measuring.values() for line in lines}
    rest = {label: [line for line in dict.fromkeys(lines) if line not in taken] for label, lines in train.items()}
    return Task(kind, name, rest, measuring)


def divided(kind: str, name: str, corpus: Classes) -> Task:
    """Return a task whose lines are divided at random."""
    lines = {label: shuffled(dict.fromkeys(texts)) for label, texts in corpus.items()}
    test = {label: texts[: min(MEASURED, len(texts) // 3)] for label, texts in lines.items()}
    return apart(kind, name, lines, test)


def shuffled(lines: Iterable[bytes]) -> list[bytes]:
    ordered = list(lines)
    return random.Random(0).sample(ordered, len(ordered))


def by_mark(lines: Iterable[bytes]) -> Classes:
    """Return sentences by the mark at their end, without it."""
    found: Classes = {"statement": [], "question": [], "exclamation": []}
    kinds = dict(zip(".?!", found, strict=True))
    for line in lines:
        sentence = line.decode().lower()
        if sentence[-1] in kinds and not re.search("[.?!]", sentence[:-1]):
            found[kinds[sentence[-1]]].append(sentence[:-1].encode())
    return found


def by_order(lines: Iterable[bytes]) -> Classes:
    """Return the words of every other sentence as they are, those of the rest in random order."""
    sentences = [words for line in lines if len(words := re.findall(r"[\w'’]+", line.decode().lower())) >= 6]
    drawn = random.Random(0)
    return {
        "ordered": [" ".join(words).encode() for words in sentences[::2]],
        "shuffled": [" ".join(drawn.sample(words, len(words))).encode() for words in sentences[1::2]],
    }


def programs() -> Task:
    """Return the lines of this repository's programs; every third file measures.

    No line teaches in which unilid sees no language: a class of such lines alone cannot be learned.
    """
    train: Classes = {language: [] for language in PROGRAMS}
    test: Classes = {language: [] for language in PROGRAMS}
    for language, (folder, patterns) in PROGRAMS.items():
        files = sorted(file for pattern in patterns for file in (ROOT / folder).rglob(pattern))
        for number, file in enumerate(files):
            lines = [line.strip() for line in file.read_bytes().splitlines() if len(line) <= TABLES]
            (train if number % 3 else test)[language] += [line for line in lines if len(line) >= 20]
        answers = unilid.load("compact").identify(train[language])
        train[language] = [line for line, said in zip(train[language], answers, strict=True) if said.label != "zxx"]
    return apart("programming languages", "lines of programs", train, test)


if __name__ == "__main__":
    main()
