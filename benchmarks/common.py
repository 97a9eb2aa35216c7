"""What the benchmarks share: the corpora, fastText beside us, the metrics, and the report."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import random
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, Literal, TypeVar

from unilid.corpus.counts import Counter, Words
from unilid.corpus.reading import read
from unilid.decisions.prior import Prior
from unilid.evaluation import metrics
from unilid.model import Model
from unilid.training.plan import Context

ROOT = Path(__file__).parent.parent
T = TypeVar("T")
Figures = metrics.Report
"""The figures of an evaluation; `Report` is the page that they stand on."""

PAPER: dict[str, Any] = {"context": None, "bound": None, "fragments": None, "spellings": None, "unseen": "additive"}
"""Options of `unilid.train` for the paper's base system."""
SYSTEMS: dict[str, dict[str, Any]] = {"the paper's": PAPER, "unigram": {"context": None}, "with context": {}}
"""Options of `unilid.train` for the systems that stand side by side; the last is the default."""
CONTEXTS: dict[str, Context] = {"unigram": None, "with context": "characters"}
"""Our two forms of a model, where nothing is left to held-out lines."""


def arguments(description: str | None, *positional: tuple[str, str], **extra: Any) -> argparse.Namespace:
    """Parse --data and --quick, and whatever else a program takes: positional arguments and options, with defaults."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("UNILID_DATA", str(ROOT.parent / "shared/data"))
    parser.add_argument("--data", type=Path, default=Path(default), help="folder of the corpora")
    parser.add_argument("--quick", action="store_true", help="a small part, to see that the program works")
    for name, value in positional:
        parser.add_argument(name, nargs="?", default=value, help=f"default: {value}")
    for name, value in extra.items():
        if isinstance(value, bool):
            parser.add_argument(f"--{name}", action="store_true")
        else:
            parser.add_argument(f"--{name}", type=type(value), default=value)
    return parser.parse_args()


def labelled(path: Path) -> dict[str, list[bytes]]:
    """Read label/text lines."""
    corpus: dict[str, list[bytes]] = {}
    for batch in read(path, format="tsv"):
        for label, text in zip(batch.labels, batch.texts, strict=True):
            corpus.setdefault(label, []).append(text)
    return dict(sorted(corpus.items()))


def flores(data: Path, quick: bool = False) -> tuple[dict[str, list[bytes]], dict[str, list[bytes]]]:
    """Return lines 1 to 500 and 501 to 997 of every label."""
    corpus = labelled(data / "flores200/dev.tsv.xz")
    if quick:
        corpus = {label: lines[:60] + lines[500:520] for label, lines in list(corpus.items())[::10]}
        return {k: v[:60] for k, v in corpus.items()}, {k: v[60:] for k, v in corpus.items()}
    return {k: v[:500] for k, v in corpus.items()}, {k: v[500:] for k, v in corpus.items()}


def validation(data: Path, quick: bool = False) -> tuple[dict[str, list[bytes]], Test]:
    """Return lines 1 to 400 of every label, and the test set of lines 401 to 500: for choosing, not for claims."""
    corpus, _ = flores(data, quick)
    cut = 50 if quick else 400
    train = {label: lines[:cut] for label, lines in corpus.items()}
    return train, Test.of({label: lines[cut:500] for label, lines in corpus.items()})


def count_words(corpus: Mapping[str, Sequence[bytes]]) -> tuple[Words, ...]:
    """Return the words of every label."""
    counter = Counter()
    for batch in read(corpus):
        counter.add(batch)
    return counter.corpus().words


def first(corpus: Mapping[str, Sequence[bytes]], lines: int) -> dict[str, list[bytes]]:
    """Return the first lines of every label."""
    return {label: list(texts[:lines]) for label, texts in corpus.items()}


def exchange(lines: list[bytes], seed: int) -> list[bytes]:
    """Exchange the letters of a text among each other: another language of the same script."""
    text = b"\n".join(lines).decode()
    letters = sorted({c for c in text if c.isalpha()})
    shuffled = letters[:]
    random.Random(seed).shuffle(shuffled)
    return text.translate(dict(zip(map(ord, letters), shuffled, strict=True))).encode().split(b"\n")


@dataclass(frozen=True)
class Test:
    """Texts in random order with their labels."""

    texts: list[bytes]
    gold: list[str]

    @staticmethod
    def of(corpus: Mapping[str, Iterable[bytes]], seed: int = 0) -> Test:
        pairs = [(text, label) for label, texts in corpus.items() for text in texts]
        random.Random(seed).shuffle(pairs)
        return Test([text for text, _ in pairs], [label for _, label in pairs])

    def changed(self, change: Callable[[bytes], bytes]) -> Test:
        return Test([change(text) for text in self.texts], self.gold)


def evaluated(gold: Sequence[str], predicted: Sequence[str], probabilities: Sequence[float] | None = None) -> Figures:
    """Return the figures of answers, as `unilid.evaluation.metrics` defines them.

    Accuracy, F1 and the false-positive rate are the paper's: macro averages over the labels of the test set, and every
    other answer, `und` and `zxx` included, is wrong. The calibration error is over 15 bins of probability of the same
    width. Lengths are not told apart.
    """
    known: Sequence[float | None] = [None] * len(gold) if probabilities is None else probabilities
    tally = metrics.Tally()
    for truth, answer, probability in zip(gold, predicted, known, strict=True):
        tally.add(truth, answer, 0, probability)
    return tally.report()


def predict(
    model: Model, texts: Sequence[bytes], *, prior: Prior = "model", calibrated: bool | Literal["auto"] = "auto"
) -> list[str]:
    """Return the labels of texts; always a language."""
    return [answer.label for answer in model.identify(texts, prior=prior, calibrated=calibrated, abstain=False)]


def measure(model: Model, test: Test, *, prior: Prior = "model") -> Figures:
    """Return the figures of a model on a test set."""
    return evaluated(test.gold, predict(model, test.texts, prior=prior))


def without_handicaps(model: Model) -> Model:
    """Return the model as it would be if none had been fitted."""
    return replace(model, decisions=replace(model.decisions, handicaps=None))


def accuracy(model: Model, test: Test) -> float:
    """Return the share of the texts that a model names right."""
    return measure(model, test).accuracy


class FastText:
    """fastText trained on the same lines: character n-grams on."""

    def __init__(
        self, corpus: Mapping[str, Sequence[bytes]], *, epoch: int = 25, dim: int = 16, lr: float = 0.5
    ) -> None:
        import fasttext

        lines = [b"__label__" + k.encode() + b" " + text for k, texts in corpus.items() for text in texts]
        random.Random(0).shuffle(lines)
        with tempfile.NamedTemporaryFile(suffix=".txt") as file:
            file.write(b"\n".join(lines) + b"\n")
            file.flush()
            start = time.perf_counter()
            self.model = fasttext.train_supervised(
                file.name, dim=dim, minn=2, maxn=5, epoch=epoch, lr=lr, thread=2, verbose=0
            )
            self.seconds = time.perf_counter() - start

    def predict(self, texts: Sequence[bytes]) -> list[str]:
        labels, _ = self.model.predict([text.decode("utf-8", "replace").replace("\n", " ") for text in texts])
        return [label[0].removeprefix("__label__") for label in labels]

    def measure(self, test: Test) -> Figures:
        return evaluated(test.gold, self.predict(test.texts))

    def accuracy(self, test: Test) -> float:
        return self.measure(test).accuracy


SVM_FEATURES = {"characters": ("char_wb", (1, 5)), "words": ("word", (1, 2))}
"""Of linear SVMs: what tf-idf counts."""
SVM_COSTS = (0.1, 1.0, 10.0)


def linear_svms(
    corpus: Mapping[str, Sequence[bytes]], texts: Sequence[bytes], weights: Sequence[str | None] = (None,)
) -> Iterator[tuple[str, list[str]]]:
    """Yield the settings of linear SVMs on tf-idf, and their answers; `weights` of classes: all alike, or balanced."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    gold = [label for label, lines in corpus.items() for _ in lines]
    for name, (analyzer, ngrams) in SVM_FEATURES.items():
        lowercase = name == "words"
        vectorizer = TfidfVectorizer(analyzer=analyzer, ngram_range=ngrams, sublinear_tf=True, lowercase=lowercase)
        known = vectorizer.fit_transform(text.decode("utf-8", "replace") for lines in corpus.values() for text in lines)
        asked = vectorizer.transform(text.decode("utf-8", "replace") for text in texts)
        for cost, weight in product(SVM_COSTS, weights):
            svm = LinearSVC(C=cost, class_weight=weight, random_state=0).fit(known, gold)
            yield f"{name}, C {cost:g}{f', {weight}' if weight else ''}", svm.predict(asked).tolist()


def best_fasttext(
    corpus: Mapping[str, Sequence[bytes]], test: Test, epochs: Sequence[int], *, lr: float = 1.0
) -> tuple[Figures, int]:
    """Return fastText at its best of a few numbers of epochs, chosen on the test lines: its favour, not ours."""
    found = [(FastText(corpus, epoch=n, lr=lr).measure(test), n) for n in epochs]
    return max(found, key=lambda pair: pair[0].accuracy)


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return the result of a piece of work and the seconds it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


@dataclass
class Report:
    """A table that is printed and, unless quick, written to docs/results."""

    name: str
    title: str
    quick: bool
    command: str = ""
    packages: Sequence[str] = ("unilid", "fasttext-numpy2", "numpy")
    """Whose versions the page names."""
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        versions = [f"{package} {importlib.metadata.version(package)}" for package in self.packages]
        self.say(f"# {self.title}\n")
        self.say(
            f"Printed by `python benchmarks/{self.command or self.name + '.py'}`. {', '.join(versions)}, "
            f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}.\n"
        )

    def say(self, text: str) -> None:
        print(text, flush=True)
        self.lines.append(text)

    def header(self, *cells: str) -> None:
        self.row(*cells)
        self.row(*["---"] * len(cells))

    def row(self, *cells: object) -> None:
        self.say("| " + " | ".join(f"{c:.4f}" if isinstance(c, float) else str(c) for c in cells) + " |")

    def write(self) -> None:
        if not self.quick:
            (ROOT / "docs/results").mkdir(parents=True, exist_ok=True)
            (ROOT / f"docs/results/{self.name}.md").write_text("\n".join(self.lines) + "\n")


def every(test: Test, step: int) -> Test:
    """Return every so many-th text of a test set; they are in random order."""
    return Test(test.texts[::step], test.gold[::step])


def draw(report: Report, svg: str) -> None:
    """Show a plot in the page and, unless quick, write it beside it."""
    report.say(f"\n![{report.title}]({report.name}.svg)")
    if not report.quick:
        (ROOT / "docs/results").mkdir(parents=True, exist_ok=True)
        (ROOT / f"docs/results/{report.name}.svg").write_text(svg + "\n")
