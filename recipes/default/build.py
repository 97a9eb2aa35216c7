"""Make the default model from the corpora.

    python recipes/default/build.py [measured] [shipped] [--data DIR] [--work DIR] [--out DIR] [--threads N]

The measured build never sees FLORES or UDHR: what is said of the default model on them is measured on it. The shipped
build adds FLORES `dev` and, for labels that have nothing else, UDHR; it is the one in the package, with its compact
form and its card. Each stage is kept in the work folder, so that a run goes on where it stopped; where the corpora or
the recipe changed, stages are made anew (and old ones are left there). The same corpora give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import card
import corpora
import corrections
import lexicons
import prior
import weighing
from corpora import Held, Log, Parts

from unilid.corpus.counts import Words
from unilid.corpus.reading import fingerprint
from unilid.corpus.sampling import LabelledTexts
from unilid.decisions.decide import Decisions
from unilid.decisions.fitting import fit_confidence
from unilid.decisions.prior import log_prior
from unilid.evaluation.metrics import Report, Tally
from unilid.model import Model
from unilid.models import context
from unilid.models.context import ContextTable
from unilid.models.parameters import Parameters
from unilid.models.scripts import grouped
from unilid.models.settings import Settings
from unilid.models.unigram import Expected
from unilid.models.vocabulary import Vocabulary
from unilid.progress import Advance
from unilid.scoring.scorers import Scorers
from unilid.training.plan import SPELLINGS
from unilid.training.stages import Stages

T = TypeVar("T")
ROOT = Path(__file__).parents[2]

SETTINGS = Settings(
    order=4, prune=0.009, unigram_weight=0.0, bound=10.0, spellings=SPELLINGS, signs=False, scripts=True
)
"""Without the unigram model: beside a context model and a lexicon, held-out lines hardly ask for it, and it takes a
quarter of the time."""
FEW_WORDS = 5000
FEW, TEXT, LISTS = "few", "text", "lists"
"""Kinds of languages: with few words, with running text, from lists alone."""
DEFAULT = 4, {FEW: 0.0, TEXT: 0.009, LISTS: 0.3}
COMPACT = 3, {FEW: 0.05, TEXT: 0.16, LISTS: 0.8}
"""Order of the context model and how much it is pruned, by kind. Chosen on held-out lines: room is best spent on
languages that people write."""
CONFIDENCE_LINES = 30_000
"""Held-out lines that probabilities are fitted on."""
MET_POWER = 1.5
"""Their proportions are this power of the prior: it is tempered, for the sake of rare languages, and what people meet
is not."""
ELSEWHERE = {"messages": 1.9, "bible": 1.35, "one": 1.2, "several": 1.0}
"""How much more a letter costs in other text than in held-out lines of the sources that a label is known from: messages
of user interfaces alone, the Bible, another source, or several. Chosen on labels with several sources, learned from one
of them and measured on another."""


class Pickled(Generic[T]):
    """Results of stages are stored as pickles: nobody else reads them."""

    def dump(self, result: T) -> bytes:
        """Return the content of a result."""
        return pickle.dumps(result, protocol=5)

    def load(self, content: bytes) -> T:
        """Return the result of a content."""
        result: T = pickle.loads(content)
        return result


class Clock:
    """Says on standard error how long each stage took."""

    @contextmanager
    def stage(self, name: str, total: int | None) -> Iterator[Advance]:  # noqa: ARG002  # nobody knows it
        """Time a stage."""
        start = time.perf_counter()
        yield lambda _: None
        self.say(f"{name}: {time.perf_counter() - start:.0f} s")

    def say(self, message: str) -> None:
        """Show a message."""
        print(message, file=sys.stderr, flush=True)


class Run:
    """The stages of one build: each is timed, and kept for as long as all that it depends on is the same."""

    def __init__(self, folder: Path, key: str) -> None:
        self.stages = Stages(folder, Clock())
        self.key = key

    def __call__(self, stage: str, make: Callable[[], T]) -> T:
        """Return what a stage made, now or in an earlier run."""

        def timed() -> T:
            with self.stages.progress.stage(stage, None):
                return make()

        return self.stages.run(stage, self.key, timed, Pickled[T]())


def key_of(files: Sequence[Path]) -> str:
    """Return what a build depends on, in short: the corpora and the recipe."""
    names = (
        "build.py",
        "corpora.py",
        "weighing.py",
        "lexicons.py",
        "corrections.py",
        "prior.py",
        "labels.tsv",
        "roofs.tsv",
    )  # the rest: the card
    recipe = [(Path(__file__).parent / name).read_bytes() for name in names]
    digest = hashlib.sha256(b"".join(recipe) + version("unilid").encode())
    digest.update((fingerprint(files) or "").encode())
    return digest.hexdigest()


def contexts(
    labels: Sequence[str], words: Sequence[Words], running: set[str], size: tuple[int, dict[str, float]], threads: int
) -> ContextTable:
    """Estimate the context model, each language pruned as its kind is."""
    order, prune = size
    spelled = SETTINGS.spelled(words)
    groups: dict[str, list[int]] = {kind: [] for kind in prune}
    for row, (label, own) in enumerate(zip(labels, words, strict=True)):
        groups[FEW if own.counts.sum() < FEW_WORDS else TEXT if label in running else LISTS].append(row)
    tables = [
        context.estimate(
            [spelled[row] for row in members], order=order, prune=prune[kind], prune_from=2, threads=threads
        )
        for kind, members in groups.items()
        if members
    ]
    rows = [row for members in groups.values() for row in members]
    return context.merge(tables).select(np.argsort(rows).tolist())


def of_contexts(
    data: Path, parts: Parts, labels: tuple[str, ...], words: Sequence[Words], table: ContextTable
) -> Model:
    """Return a model of contexts and scripts; its vocabulary is the bytes."""
    lines = np.array([running_text(parts).get(label, 0) for label in labels], np.int64)
    nothing = Expected(np.zeros(0, np.uint32), np.zeros(0), 0.0, 0)
    settings = replace(SETTINGS, order=table.order)
    return Model(
        Parameters.of(labels, Vocabulary.of([]), [nothing] * len(labels), table, settings, lines, words),
        Decisions(prior=prior.prior_of(labels, lines, prior.read_speakers(data / prior.FILE))),
        {"unilid": version("unilid"), "recipe": "default", "merged": corpora.merged_labels()},
    )


def cleaned(data: Path, sources: Sequence[corpora.Source], threads: int) -> tuple[Parts, Log]:
    """Read and clean the corpora."""
    log = Log()
    parts = corpora.clean(corpora.read(data, sources, log), log)
    labels, words = weighing.count(parts)
    table = contexts(labels, words, set(running_text(parts)), DEFAULT, threads)  # estimated in seconds, and good enough
    model = of_contexts(data, parts, labels, words, table)
    parts = corpora.without_foreign(parts, model, log, threads)
    for (source, _), part in sorted(parts.items()):
        log.used[source] = log.used.get(source, 0) + len(part.lines)
    return parts, log


def running_text(parts: Parts) -> dict[str, int]:
    """Return the lines of running text of the labels that have some."""
    return corpora.lines_of({key: part for key, part in parts.items() if corpora.KINDS[key[0]] == "text"})


def measured(model: Model, held: dict[str, list[bytes]], threads: int) -> Report:
    """Measure a model on held-out lines."""
    texts = [(label, line) for label, lines in sorted(held.items()) for line in lines]
    answers = model.identify([line for _, line in texts], abstain=False, threads=threads)
    tally = Tally()
    for (label, line), answer in zip(texts, answers, strict=True):
        tally.add(label, answer.label, line, answer.probability)
    return tally.report(dict(zip(model.languages, model.lines.tolist(), strict=True)))


def kind_of_text(label: str, parts: Parts) -> str:
    """Return of what kind the running text of a label is, in the words of ELSEWHERE."""
    sources = {
        source
        for (source, own), part in parts.items()
        if own == label
        and source not in corpora.INTERFACES
        and corpora.KINDS[source] == "text"
        and len(part.lines) > 50
    }
    if len(sources) > 1:
        return "several"
    return "messages" if not sources else "bible" if sources == {"ebible"} else "one"


def decisions(model: Model, held: Held, parts: Parts, threads: int) -> Decisions:
    """Fit probabilities on held-out lines in the proportions that people meet, and rejection on running text.

    What is made of listed words looks more usual than text does: measured on it, text would be rejected. So it would be
    by held-out lines that are much like those learned from.
    """
    scorer = Scorers(model.parameters).scorer
    shares = model.decisions.prior
    assert shares is not None

    def fitted(lines: Sequence[tuple[int, bytes]]) -> Decisions:
        labelled = LabelledTexts(np.array([row for row, _ in lines]), [line for _, line in lines])
        return fit_confidence(
            model.decisions, scorer, len(model.languages), labelled, log_prior=log_prior(shares), threads=threads
        )

    proportions = shares**MET_POWER / (shares**MET_POWER).sum()
    met, running = [], []
    for label in sorted(held.even):
        row = model.row_of(label)
        own = [(row, line) for line in dict.fromkeys(held.natural.get(label, []) + held.even[label])]
        count = max(round(CONFIDENCE_LINES * float(proportions[row])), 1)
        met += own[:: max(len(own) // count, 1)][:count]
        if model.lines[row] >= corpora.ENOUGH:
            running += [(row, line) for line in held.running[label]]
    running = running[:: max(len(running) // CONFIDENCE_LINES, 1)]
    rejection = fitted(running).rejection
    assert rejection is not None
    elsewhere = np.array([ELSEWHERE[kind_of_text(label, parts)] for label in model.languages])
    return replace(fitted(met), rejection=replace(rejection, usual=rejection.usual * elsewhere))


@dataclass
class Built:
    """A build, and what was measured while it was made."""

    model: Model
    compact: Model
    even: Report
    natural: Report
    compact_even: Report
    log: Log


class Material:
    """What a build is made of: its lines, those that are held out, and models that are estimated from others."""

    sizes = lexicons.DEFAULT, lexicons.COMPACT

    def __init__(self, name: str, data: Path, work: Path, threads: int) -> None:
        sources = corpora.SOURCES + (corpora.SHIPPED if name == "shipped" else ())
        self.data, self.threads = data, threads
        self.folder = work / name
        self.run = Run(self.folder, key_of([*(data / source.file for source in sources), data / prior.FILE]))
        self.parts, self.log = self.run("cleaned", lambda: cleaned(data, sources, threads))
        self.log.write(self.folder / "log.tsv")
        self.kept, self.held = corpora.hold_out(self.parts)
        self._running = set(running_text(self.parts))

    def counted(self, which: str, parts: Parts) -> tuple[tuple[str, ...], list[Words]]:
        """Count the words of each label."""
        return self.run(f"words-{which}", lambda: weighing.count(parts))

    def estimated(self, which: str, parts: Parts) -> list[Model]:
        """Estimate both forms of the model, the default one and the compact one."""
        labels, words = self.counted(which, parts)
        tables = self.run(f"contexts-{which}", lambda: self._tables(labels, words))
        bare = [of_contexts(self.data, parts, labels, words, table) for table in tables]
        made = self.run(
            f"lexicons-{which}",
            lambda: [
                lexicons.estimate(*each, self.threads) for each in zip(bare, [words] * 2, self.sizes, strict=True)
            ],
        )
        return [lexicons.added(*each) for each in zip(bare, made, self.sizes, strict=True)]

    def folds(self) -> Iterator[Model]:
        """Estimate the default form without each of the folds that corrections are learned from."""
        for fold in range(corrections.FOLDS):
            yield self.run(f"fold-{fold}", partial(self._without, fold))

    def _without(self, fold: int) -> Model:
        parts = corrections.without_fold(self.kept, fold)
        labels, words = weighing.count(parts)
        table = contexts(labels, words, self._running, DEFAULT, self.threads)
        bare = of_contexts(self.data, parts, labels, words, table)
        made = lexicons.frequent(bare, words, lexicons.DEFAULT, self.threads)
        return lexicons.added(bare, made, lexicons.DEFAULT)

    def _tables(self, labels: tuple[str, ...], words: Sequence[Words]) -> list[ContextTable]:
        return [contexts(labels, words, self._running, size, self.threads) for size in (DEFAULT, COMPACT)]


def build(name: str, data: Path, work: Path, threads: int) -> Built:
    """Make one build: measured on held-out lines first, then from all lines."""
    material = Material(name, data, work, threads)
    parts, held = material.parts, material.held
    plain, compact = material.estimated("kept", material.kept)
    learned = material.run(
        "corrections",
        lambda: corrections.learned(
            plain, corrections.lessons(material.kept, plain, material.folds(), threads=threads)
        ),
    )
    _, words = material.counted("kept", material.kept)
    model = corrections.corrected(plain, plain, learned, words, threads=threads)
    even, natural = measured(model, held.even, threads), measured(model, held.natural, threads)
    fitted = [decisions(each, held, parts, threads) for each in (model, compact)]
    compact_even = measured(compact, held.even, threads)
    bare, compact = material.estimated("all", parts)
    _, words = material.counted("all", parts)
    model = corrections.corrected(bare, plain, learned, words, threads=threads)
    about = card.facts(model.languages, parts, even), card.facts(model.languages, parts, compact_even)
    model, compact = (
        replace(each, decisions=own, info={**each.info, "build": name, "labels": said})
        for each, own, said in zip((model, compact), fitted, about, strict=True)
    )
    model, compact = (
        each.subset(each.languages[row] for row in grouped(each.parameters.scripts)) for each in (model, compact)
    )
    for form, each, report in (("default", model, even), ("compact", compact, compact_even)):
        size = len(each.save(material.folder / f"{form}.unilid").to_bytes())
        print(f"{name}, {form}: {len(each.languages):,} labels, {size / 1e6:.1f} MB; held-out lines: accuracy "
              f"{report.accuracy:.4f}, macro F1 {report.macro.f1:.4f}", flush=True)  # fmt: skip
    print(f"{name}, natural proportions: accuracy {natural.accuracy:.4f}, macro F1 {natural.macro.f1:.4f}", flush=True)
    return Built(model, compact, even, natural, compact_even, material.log)


def options(description: str | None, *, builds: bool = False) -> argparse.Namespace:
    """Parse where the corpora and the stages are, and which builds to make, where they can be chosen."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    if builds:
        parser.add_argument("builds", nargs="*", choices=("measured", "shipped", []), default=[], help="default: both")
        parser.add_argument("--out", type=Path, help="a folder for models and card; default: where they belong")
    default = Path(os.environ.get("UNILID_DATA", ROOT.parent / "shared/data"))
    parser.add_argument("--data", type=Path, default=default, help="folder of the corpora")
    parser.add_argument("--work", type=Path, default=ROOT / "build/default", help="folder of the stages")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def main() -> None:
    """Make the builds that are asked for; both: put the models where they belong, and write the card."""
    asked = options(__doc__, builds=True)
    names = asked.builds or ["measured", "shipped"]
    built = {name: build(name, asked.data, asked.work, asked.threads) for name in names}
    if len(built) < 2:
        return
    shipped = built["shipped"]
    models = asked.out or ROOT / "src/unilid"
    models.mkdir(parents=True, exist_ok=True)
    model, compact = shipped.model.save(models / "default.unilid"), shipped.compact.save(models / "compact.unilid")
    known = card.figures(built)
    figures = card.write_figures(asked.out or card.HERE, known)
    print(model.path, compact.path, figures, *card.write(asked.out or ROOT, model, compact, known), sep="\n")
    hard = card.unexplained(model)
    if hard:
        print(f"F1 below {card.LOW} and not explained: {', '.join(hard)}")


if __name__ == "__main__":
    main()
