"""Make the default model from the corpora.

    python recipes/default/build.py [measured] [shipped] [--data DIR] [--work DIR] [--out DIR] [--threads N]

The measured build never sees FLORES or UDHR: what is said of the default model on them is measured on it. The shipped
build adds FLORES `dev` and, for labels that have nothing else, UDHR; it is the one in the package, with its compact
form and its card. Each stage is kept in the work folder, so that a run goes on where it stopped; the same corpora give
the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pickle
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import card
import corpora
from corpora import Held, Log, Parts

from unilid import context, evaluation, unigram
from unilid.context import ContextTable
from unilid.corpus import fingerprint
from unilid.counts import Words
from unilid.decisions import Decisions
from unilid.evaluation import Report
from unilid.fitting import fit_confidence
from unilid.model import Model
from unilid.settings import Settings
from unilid.unigram import Expected, UnigramTable
from unilid.vocabulary import Vocabulary

T = TypeVar("T")
ROOT = Path(__file__).parents[2]

VOCABULARY = 20_000
SETTINGS = Settings(unseen_log_p=-12.0, order=4, prune=0.007, unigram_weight=1, bound=10.0, fragments=0.3)
FEW_WORDS = 5000
FEW, TEXT, LISTS = "few", "text", "lists"
"""Kinds of languages: with few words, with running text, from lists alone."""
DEFAULT = 4, {FEW: 0.0, TEXT: 0.007, LISTS: 0.3}
COMPACT = 3, {FEW: 0.05, TEXT: 0.07, LISTS: 0.6}
"""Order of the context model and how much it is pruned, by kind. Chosen on held-out lines: room is best spent on
languages that people write."""
PRIOR_POWER = 0.5
PRIOR_LEAST = 300
"""The prior of a language grows with its lines of running text, by this power, from so many lines on: enough to keep
rare labels from taking common text, too little to hide them."""
CONFIDENCE_LINES = 30_000
UNDER_A_ROOF = 0.02
"""At most so much of the prior of the standard language above it."""


class Stages:
    """Runs stages, says how long they take, and keeps what they return for as long as `key` is the same."""

    def __init__(self, folder: Path, key: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        kept = folder / "key"
        if not kept.exists() or kept.read_text() != key:
            for path in folder.glob("*.pkl"):
                path.unlink()
            kept.write_text(key)

    def run(self, name: str, make: Callable[[], T]) -> T:
        """Return what a stage made, now or in an earlier run."""
        path = self.folder / f"{name}.pkl"
        start = time.perf_counter()
        if path.exists():
            with path.open("rb") as file:
                result: T = pickle.load(file)
            how = "kept from before"
        else:
            result = make()
            with path.with_suffix(".tmp").open("wb") as file:
                pickle.dump(result, file, protocol=5)
            path.with_suffix(".tmp").rename(path)
            how = "made"
        print(f"{name}: {how}, {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
        return result


def key_of(files: Sequence[Path]) -> str:
    """Return what a build depends on, in short: the corpora and the recipe."""
    names = ("build.py", "corpora.py", "labels.tsv", "roofs.tsv")  # the rest concerns the card
    recipe = [(Path(__file__).parent / name).read_bytes() for name in names]
    digest = hashlib.sha256(b"".join(recipe) + version("unilid").encode())
    digest.update((fingerprint(files) or "").encode())
    return digest.hexdigest()


def contexts(
    labels: Sequence[str], words: Sequence[Words], running: set[str], size: tuple[int, dict[str, float]], threads: int
) -> ContextTable:
    """Estimate the context model, each language pruned as its kind is."""
    order, prune = size
    groups: dict[str, list[int]] = {kind: [] for kind in prune}
    for row, (label, own) in enumerate(zip(labels, words, strict=True)):
        groups[FEW if own.counts.sum() < FEW_WORDS else TEXT if label in running else LISTS].append(row)
    tables = [
        context.estimate([words[row] for row in members], order=order, prune=prune[kind], prune_from=2, threads=threads)
        for kind, members in groups.items()
        if members
    ]
    rows = [row for members in groups.values() for row in members]
    return context.merge(tables).select(np.argsort(rows).tolist())


def cleaned(data: Path, sources: Sequence[corpora.Source], threads: int) -> tuple[Parts, Log]:
    """Read and clean the corpora."""
    log = Log()
    parts = corpora.clean(corpora.read(data, sources, log), log)
    labels, words = corpora.count(parts)
    table = contexts(labels, words, set(running_text(parts)), DEFAULT, threads)  # estimated in seconds, and good enough
    model = of_contexts(parts, labels, table)
    parts = corpora.without_foreign(parts, model, log, threads)
    for (source, _), part in sorted(parts.items()):
        log.used[source] = log.used.get(source, 0) + len(part.lines)
    return parts, log


def running_text(parts: Parts) -> dict[str, int]:
    """Return the lines of running text of the labels that have some."""
    return corpora.lines_of({key: part for key, part in parts.items() if corpora.KINDS[key[0]] == "text"})


def of_contexts(parts: Parts, labels: tuple[str, ...], table: ContextTable) -> Model:
    """Return a model with the context model alone; its vocabulary is the bytes, its prior that of its lines."""
    lines = np.array([running_text(parts).get(label, 0) for label in labels], np.int64)
    prior = np.maximum(lines, PRIOR_LEAST) ** PRIOR_POWER
    place = {label: row for row, label in enumerate(labels)}
    for label, roof in corpora.roofs():
        if label in place and roof in place:
            prior[place[label]] = min(prior[place[label]], prior[place[roof]] * UNDER_A_ROOF)
    nothing = Expected(np.zeros(0, np.uint32), np.zeros(0), 0.0, 0)
    vocabulary = Vocabulary.of([])
    return Model(
        labels,
        vocabulary,
        UnigramTable.of([nothing] * len(labels), len(vocabulary), SETTINGS.shared_unseen),
        table,
        replace(SETTINGS, order=table.order, unigram_weight=0),
        lines,
        np.zeros(len(labels)),
        {"unilid": version("unilid"), "recipe": "default", "merged": corpora.merged_labels()},
        Decisions(prior=prior / prior.sum()),
    )


def with_unigrams(model: Model, vocabulary: Vocabulary, expected: Sequence[Expected]) -> Model:
    """Return a model with the unigram model added."""
    return replace(
        model,
        vocabulary=vocabulary,
        unigram=UnigramTable.of(expected, len(vocabulary), SETTINGS.shared_unseen),
        settings=replace(model.settings, unigram_weight=SETTINGS.unigram_weight),
        tokens=np.array([language.total for language in expected]),
    )


def measured(model: Model, held: dict[str, list[bytes]], threads: int) -> Report:
    """Measure a model on held-out lines."""
    texts = [(label, line) for label, lines in sorted(held.items()) for line in lines]
    answers = model.identify([line for _, line in texts], abstain=False, threads=threads)
    tally = evaluation.Tally()
    for (label, line), answer in zip(texts, answers, strict=True):
        tally.add(label, answer.label, evaluation.characters(line), answer.probability)
    return tally.report(dict(zip(model.languages, model.lines.tolist(), strict=True)))


def decisions(model: Model, held: Held, threads: int) -> Decisions:
    """Fit probabilities on held-out lines, and rejection on those of running text.

    What is made of listed words looks more usual than text does: measured on it, text would be rejected.
    """

    def fitted(labels: Sequence[str]) -> Decisions:
        lines = [(model.row(label), line) for label in labels for line in held.even[label]]
        lines = lines[:: max(len(lines) // CONFIDENCE_LINES, 1)]
        rows, texts = np.array([row for row, _ in lines]), [line for _, line in lines]
        return fit_confidence(model, rows, texts, threads=threads)

    labels = sorted(held.even)
    spoken = [label for label in labels if model.lines[model.row(label)] >= corpora.ENOUGH]
    return replace(fitted(labels), rejection=fitted(spoken).rejection)


@dataclass
class Built:
    """A build, and what was measured while it was made."""

    model: Model
    compact: Model
    even: Report
    natural: Report
    compact_even: Report
    log: Log


def build(name: str, data: Path, work: Path, threads: int) -> Built:
    """Make one build: measured on held-out lines first, then from all lines."""
    sources = corpora.SOURCES + (corpora.SHIPPED if name == "shipped" else ())
    stages = Stages(work / name, key_of([data / source.file for source in sources]))
    parts, log = stages.run("cleaned", lambda: cleaned(data, sources, threads))
    log.write(stages.folder / "log.tsv")
    kept, held = corpora.hold_out(parts)
    running = set(running_text(parts))

    def estimated(which: str, these: Parts) -> tuple[Model, Model]:
        labels, words = stages.run(f"words-{which}", lambda: corpora.count(these))
        tokens = stages.run("vocabulary", lambda: Vocabulary.learn(words, VOCABULARY, threads=threads).tokens)
        vocabulary = Vocabulary(tokens)
        expected = stages.run(
            f"expected-{which}",
            lambda: unigram.expect(vocabulary, words, fragments=SETTINGS.fragments, threads=threads),
        )
        tables = stages.run(
            f"contexts-{which}",
            lambda: [contexts(labels, words, running, size, threads) for size in (DEFAULT, COMPACT)],
        )
        model, compact = (of_contexts(these, labels, table) for table in tables)
        return with_unigrams(model, vocabulary, expected), compact

    model, compact = estimated("kept", kept)
    even, natural = measured(model, held.even, threads), measured(model, held.natural, threads)
    fitted = [decisions(each, held, threads) for each in (model, compact)]
    compact_even = measured(compact, held.even, threads)
    model, compact = estimated("all", parts)
    about = card.facts(model.languages, parts, even), card.facts(model.languages, parts, compact_even)
    model, compact = (
        replace(each, decisions=own, info={**each.info, "build": name, "labels": said})
        for each, own, said in zip((model, compact), fitted, about, strict=True)
    )
    for form, each, report in (("default", model, even), ("compact", compact, compact_even)):
        size = len(each.save(stages.folder / f"{form}.unilid").to_bytes())
        print(f"{name}, {form}: {len(each.languages):,} labels, {size / 1e6:.1f} MB; held-out lines: accuracy "
              f"{report.accuracy:.4f}, macro F1 {report.macro.f1:.4f}", flush=True)  # fmt: skip
    print(f"{name}, natural proportions: accuracy {natural.accuracy:.4f}, macro F1 {natural.macro.f1:.4f}", flush=True)
    return Built(model, compact, even, natural, compact_even, log)


def main() -> None:
    """Make the builds that are asked for; both: put the models where they belong, and write the card."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs="*", choices=("measured", "shipped", []), default=[], help="default: both")
    parser.add_argument("--data", type=Path, default=os.environ.get("UNILID_DATA", ROOT.parent / "shared/data"))
    parser.add_argument("--work", type=Path, default=ROOT / "build/default")
    parser.add_argument("--out", type=Path, help="a folder for models and card; default: where they belong")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    names = options.builds or ["measured", "shipped"]
    built = {name: build(name, Path(options.data), options.work, options.threads) for name in names}
    if len(built) < 2:
        return
    shipped = built["shipped"]
    models, page = options.out or ROOT / "src/unilid", (options.out or ROOT) / "MODEL_CARD.md"
    models.mkdir(parents=True, exist_ok=True)
    shipped.model.save(models / "default.unilid")
    shipped.compact.save(models / "compact.unilid")
    card.write(page, built)
    hard = card.unexplained(shipped.model.info["labels"])
    print(f"{page} and two models in {models}")
    if hard:
        print(f"F1 below {card.LOW} and not explained: {', '.join(hard)}")


if __name__ == "__main__":
    main()
