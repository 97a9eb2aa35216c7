"""Dialects: DSL-ML 2024 (English, Spanish, Portuguese), Swiss German, Arabic; beside fastText and a linear SVM.

    pip install scikit-learn
    python benchmarks/dialects.py

A line with two labels trains both, and counts as whichever of them was predicted, else as the first. Our settings are
chosen by cross-validation on the training lines; fastText and the SVM have the best of a few on the development lines.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

from common import SYSTEMS, FastText, Report, arguments, evaluated, predict

import unilid
from unilid.corpus.reading import read
from unilid.decisions.prior import Prior
from unilid.model import Model

Lines = list[tuple[str, bytes]]
"""Labels, one or two with a comma between them, and the text."""

TASKS = [("DSL-ML English", "dsl_ml_2024", "EN"), ("DSL-ML Spanish", "dsl_ml_2024", "ES"),
         ("DSL-ML Portuguese", "dsl_ml_2024", "PT"), ("GDI Swiss German", "gdi_2019", ""),
         ("ADI Arabic", "adi_mgb3", "")]  # fmt: skip
FOLDS = 5
SIZES = (2_500, 5_000, 10_000, 25_000)
ORDERS = (4, 6)
WEIGHTS = (8 / 16, 12 / 16)
PRIORS: dict[str, Prior] = {"uniform": None, "training": "training"}
EPOCHS = (10, 25, 50)
RATES = (0.5, 1.0)
COSTS = (0.1, 1.0)


class Choice(NamedTuple):
    """What cross-validation chooses."""

    tokens: int
    order: int | None = None
    weight: float = 1.0
    """The share of the unigram model."""

    def __str__(self) -> str:
        """Say it."""
        context = "no context" if self.order is None else f"order {self.order}, unigram {16 * self.weight:g}/16"
        return f"{self.tokens:,} tokens, {context}"


Asked = tuple[Choice, str]
"""A choice and the name of a prior."""
MIXTURES: list[tuple[int | None, float]] = [(None, 1.0), *((order, weight) for order in ORDERS for weight in WEIGHTS)]


def main() -> None:
    options = arguments(__doc__)
    report = Report("dialects", "Dialects: macro F1 on the development lines", options.quick)
    report.say(
        f"Chosen: by macro F1 over {FOLDS} folds of the training lines, consecutive lines of each label, copies of a "
        "held-out line removed from the rest. fastText: minn 2, maxn 5, dim 16, the best of "
        f"{EPOCHS} epochs and learning rates {RATES}. SVM: LinearSVC, tf-idf of character n-grams (char_wb 1 to 5, "
        f"case kept), the best of C {COSTS} and of classes as they are or balanced. Uniform priors.\n"
    )
    report.header("task", *SYSTEMS, "chosen on training lines", "fastText", "linear SVM", "what was chosen")
    validated: dict[str, dict[Asked, float]] = {}
    for name, file, prefix in TASKS:
        train, dev = (lines(options.data / f"dialects/{file}.{part}.tsv.xz", prefix) for part in ("train", "dev"))
        if options.quick:
            train, dev = train[::20], dev[::10]
        gold, texts = [labels for labels, _ in dev], [text for _, text in dev]
        known = trained(train)
        ours = [dialect_f1(gold, predict(unilid.train(pairs(train), **s), texts)) for s in SYSTEMS.values()]
        validated[name] = cross_validated(train, 2 if options.quick else FOLDS)
        uniform = {choice: f1 for (choice, prior), f1 in validated[name].items() if prior == "uniform"}
        best = max(uniform, key=uniform.__getitem__)
        chosen = dialect_f1(gold, predict(dict(models(train, best))[best], texts))
        fasttexts = (FastText(known, epoch=n, lr=rate) for n, rate in product(EPOCHS, RATES))
        fasttext = max(dialect_f1(gold, system.predict(texts)) for system in fasttexts)
        svm = max(dialect_f1(gold, predicted) for predicted in svms(train, texts))
        report.row(name, *ours, chosen, fasttext, svm, best)
    report.say("\n## Cross-validation: macro F1 over the folds, uniform prior (prior of the training lines)\n")
    report.header("task", "tokens", *(str(Choice(0, *mixture)).split(", ", 1)[1] for mixture in MIXTURES))
    for name, scores in validated.items():
        for size in SIZES:
            cells = [
                [scores[Choice(size, *mixture), prior] for prior in ("uniform", "training")] for mixture in MIXTURES
            ]
            report.row(name, f"{size:,}", *(f"{uniform:.4f} ({own:.4f})" for uniform, own in cells))
    report.write()


def lines(path: Path, prefix: str) -> Lines:
    """Read the lines of a task, in the order of the file."""
    found: Lines = []
    for batch in read(path, format="tsv"):
        found += [pair for pair in zip(batch.labels, batch.texts, strict=True) if pair[0].startswith(prefix)]
    return found


def pairs(train: Lines) -> Lines:
    """Return a line for each of its labels: where both hold, both learn."""
    return [(label, text) for labels, text in train for label in labels.split(",")]


def trained(train: Lines) -> dict[str, list[bytes]]:
    corpus: dict[str, list[bytes]] = {}
    for label, text in pairs(train):
        corpus.setdefault(label, []).append(text)
    return corpus


def models(train: Lines, only: Choice | None = None) -> Iterator[tuple[Choice, Model]]:
    """Yield the model of every choice. Word models do not know of each other: each is learned once and combined."""
    orders = [order for order in ORDERS if only is None or order == only.order]
    contexts = {order: unilid.train(pairs(train), vocabulary=256, order=order, context="characters", tune=False)
                for order in orders}  # fmt: skip
    for size in SIZES if only is None else (only.tokens,):
        unigram = unilid.train(pairs(train), vocabulary=size, context=None, tune=False)
        yield Choice(size), unigram
        for order, other in contexts.items():
            for weight in WEIGHTS:
                settings = replace(unigram.settings, order=order, prune=other.settings.prune, unigram_weight=weight)
                parameters = replace(unigram.parameters, context=other.parameters.context, settings=settings)
                yield Choice(size, order, weight), replace(unigram, parameters=parameters)


def cross_validated(train: Lines, number: int) -> dict[Asked, float]:
    """Return macro F1 over the folds for every choice and prior."""
    totals = Counter(labels for labels, _ in train)
    seen: Counter[str] = Counter()
    folds: list[Lines] = [[] for _ in range(number)]
    for labels, text in train:
        folds[seen[labels] * number // totals[labels]].append((labels, text))
        seen[labels] += 1
    gold: list[str] = []
    predicted: dict[Asked, list[str]] = {}
    for held in folds:
        gold += [labels for labels, _ in held]
        texts = [text for _, text in held]
        copies = set(texts)
        rest = [(labels, text) for fold in folds if fold is not held for labels, text in fold if text not in copies]
        for choice, model in models(rest):
            for name, prior in PRIORS.items():
                predicted.setdefault((choice, name), []).extend(predict(model, texts, prior=prior))
    return {key: dialect_f1(gold, answers) for key, answers in predicted.items()}


def svms(train: Lines, texts: Sequence[bytes]) -> Iterator[list[str]]:
    """Yield the answers of linear SVMs on character n-grams."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 5), sublinear_tf=True, lowercase=False)
    known = vectorizer.fit_transform(text.decode("utf-8", "replace") for _, text in pairs(train))
    asked = vectorizer.transform(text.decode("utf-8", "replace") for text in texts)
    for cost, weight in product(COSTS, (None, "balanced")):
        svm = LinearSVC(C=cost, class_weight=weight, random_state=0)
        yield svm.fit(known, [label for label, _ in pairs(train)]).predict(asked).tolist()


def dialect_f1(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Return macro F1; a line with two labels counts as whichever of them was predicted, else as the first."""
    truth = [said if said in labels.split(",") else labels.split(",")[0]
             for labels, said in zip(gold, predicted, strict=True)]  # fmt: skip
    return evaluated(truth, predicted).macro.f1


if __name__ == "__main__":
    main()
