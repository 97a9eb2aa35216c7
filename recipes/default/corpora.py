"""The corpora of the default model: read, cleaned, and split into training and held-out lines."""

from __future__ import annotations

import csv
import re
from collections import Counter as Multiset
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from unilid import plain
from unilid.corpus import reading as corpora
from unilid.decisions.decide import best
from unilid.decisions.prior import log_prior
from unilid.languages.labels import split, with_macrolanguage
from unilid.model import Model
from unilid.plain.unicode import SCRIPTS
from unilid.scoring.scorers import Scorers

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Source:
    """A corpus: running text, phrases, or words with their frequencies."""

    name: str
    file: str
    kind: str
    licence: str
    attribution: str
    most: int | None = None
    most_under_a_roof: int | None = None
    """Lines of a label that are taken, the first ones."""
    alone: bool = False
    """Whether it is taken only for labels that have nothing else, or nothing but a few messages."""
    lowercase: bool = False
    """Whether capitals were lost; they are restored as far as other sources of the label know the word."""


SOURCES = (
    Source("tatoeba", "tatoeba/train.tsv.xz", "text", "CC BY 2.0 FR", "Tatoeba contributors, tatoeba.org"),
    Source("common_voice", "common_voice/train.tsv.xz", "text", "CC0 1.0", "Mozilla Common Voice contributors"),
    Source("oldi_seed", "oldi_seed/train.tsv.xz", "text", "CC BY-SA 4.0", "Open Language Data Initiative, OLDI Seed",
           most=2500, most_under_a_roof=1000),
    Source("ebible", "ebible_open/train.tsv.xz", "text", "public domain, CC BY or CC BY-SA",
           "the translators of the open Bibles at eBible.org"),
    Source("wili", "wili10/train.tsv.xz", "text", "ODbL 1.0", "WiLI-2018, Thoma 2018, from Wikipedia"),
    Source("nusax", "nusax/train.tsv.xz", "text", "CC BY-SA 4.0", "NusaX, Winata et al. 2023"),
    Source("gatitos", "gatitos/words.tsv.xz", "phrases", "CC BY 4.0", "GATITOS, Jones et al. 2023, Google Research"),
    Source("wikimedia_ui", "wikimedia_ui/train.tsv.xz", "text", "Apache-2.0, MIT",
           "translators of Wikipedia's apps and editor at translatewiki.net", most=1000, most_under_a_roof=200),
    Source("firefox_ui", "firefox_ui/train.tsv.xz", "text", "MPL-2.0", "translators of Firefox, Mozilla",
           most=1000, most_under_a_roof=200),
    Source("unilex", "unilex/words.tsv.xz", "words", "Unicode License V3", "Unicode UNILEX"),
    Source("frequency_words", "frequency_words/words.tsv.xz", "words", "CC BY-SA 4.0",
           "FrequencyWords, Hermit Dave, from OpenSubtitles 2018", lowercase=True),
    Source("wordfreq", "wordfreq/words.tsv.xz", "words", "CC BY-SA 4.0", "wordfreq, Robyn Speer 2022", lowercase=True),
)  # fmt: skip
"""Of OLDI Seed a part is taken: it has text about the world, most of it in languages whose roof, the standard language
above them, is known here from everyday sentences. With all of it, whatever is about the world is Moroccan Arabic rather
than Arabic, or Magahi rather than Hindi. The paragraphs of Wikipedia in WiLI are a counterweight for a few (its other
half showed what it takes). Of the messages of Wikipedia's and Firefox's user interfaces a part is taken, too: they are
much alike in all languages, and a label that has nothing else would take every short technical line."""
SHIPPED = (
    Source("flores", "flores200/dev.tsv.xz", "text", "CC BY-SA 4.0", "FLORES+, Open Language Data Initiative"),
    Source("udhr", "udhr/test.tsv.xz", "text", "free", "UDHR in Unicode", alone=True),
)
"""Only in the shipped build; UDHR only for labels that have nothing else."""

KINDS = {source.name: source.kind for source in SOURCES + SHIPPED}
LOWERCASE = {source.name for source in SOURCES + SHIPPED if source.lowercase}
INTERFACES = {"wikimedia_ui", "firefox_ui"}
"""Messages of user interfaces."""

MIN_LINES = 20
"""Lines, phrases or words of a label in all; with fewer there is nothing to learn."""
MIN_MESSAGES = 200
"""Messages of user interfaces that a label needs if it has nothing else."""
COPY_LETTERS = 20
COPY_RATIO = 20
"""A line of so many letters is a copy if it also stands under a label with so many times the lines."""
FOREIGN_NATS = 10.0
FOREIGN_RATIO = 5
FOREIGN_LINES = 5000
"""A line is foreign if a model that has learned from it still prefers a language with so many times the lines by so
many nats. Corpora with more lines are not looked at: they drown what is foreign in them."""
LIST_WORDS = 50_000
"""What a word list weighs at least: as many words of running text."""
HOLD_EVERY = 20
HOLD_FEW = 5
HOLD_PHRASES = 10
HOLD_MOST = 50
ENOUGH = 200
"""Every so many-th line is held out (of corpora with fewer than 100 lines, and of phrases, more), at most so many of a
source; of Tatoeba all of them, a sample of what people write. A label with ENOUGH lines of running text is measured on
that alone."""
LIST_LINE = 10
"""Words or phrases in a line made from held-out ones of a list."""


@dataclass
class Part:
    """What one source has of one label."""

    lines: list[bytes] = field(default_factory=list)
    counts: list[float] | None = None  # of words


Parts = dict[tuple[str, str], Part]  # by source and label


@dataclass
class Log:
    """What was done to the corpora, in numbers."""

    rows: list[tuple[str, str, str, int]] = field(default_factory=list)
    used: dict[str, int] = field(default_factory=dict)
    """What is left of each source."""

    def add(self, step: str, source: str, what: str, count: int) -> None:
        """Note what a step did to lines of a source."""
        if count:
            self.rows.append((step, source, what, count))

    def write(self, path: Path) -> None:
        """Write what was noted."""
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter="\t", lineterminator="\n")
            writer.writerow(("step", "source", "what", "lines"))
            writer.writerows(self.rows)


def decided_labels() -> dict[str, tuple[str, str]]:
    """Return what becomes of labels that the text cannot tell apart, or that are mistaken, and why."""
    with (HERE / "labels.tsv").open(encoding="utf-8", newline="") as file:
        return {row["label"]: (row["instead"], row["reason"]) for row in csv.DictReader(file, delimiter="\t")}


def merged_labels() -> dict[str, str]:
    """Return the labels that became another."""
    return {label: instead for label, (instead, _) in decided_labels().items() if instead and ":" not in label}


def roofs() -> list[tuple[str, str]]:
    """Return labels with the standard language above them, which their text borrows from and most such text is of."""
    with (HERE / "roofs.tsv").open(encoding="utf-8", newline="") as file:
        return [(row["label"], row["roof"]) for row in csv.DictReader(file, delimiter="\t")]


def read(data: Path, sources: Iterable[Source], log: Log) -> Parts:
    """Read the sources; labels are merged and dropped as `labels.tsv` says."""
    decided = decided_labels()
    under_a_roof = {label for label, _ in roofs()}
    parts: Parts = {}
    for source in sources:
        moved: Multiset[str] = Multiset()
        for batch in corpora.read(data / source.file, format="words" if source.kind == "words" else "tsv"):
            for i, written in enumerate(batch.labels):
                label, key = written, f"{source.name}:{written}"
                if key in decided or written in decided:
                    label = decided[key if key in decided else written][0]
                    moved[f"{written} > {label or 'dropped'}"] += 1
                if not label:
                    continue
                part = parts.setdefault((source.name, label), Part())
                most = source.most_under_a_roof if label in under_a_roof else source.most
                if most is not None and len(part.lines) == most:
                    continue
                part.lines.append(batch.texts[i])
                if batch.counts is not None:
                    if part.counts is None:
                        part.counts = []
                    part.counts.append(batch.counts[i])
        for what, count in sorted(moved.items()):
            log.add("label decided", source.name, what, count)
        if source.alone:
            known = {
                label
                for (other, label), part in parts.items()
                if other != source.name and (other not in INTERFACES or len(part.lines) >= MIN_MESSAGES)
            }
            parts = {key: part for key, part in parts.items() if key[0] != source.name or key[1] not in known}
    return parts


# ---- cleaning


def clean(parts: Parts, log: Log) -> Parts:
    """Drop what is in the wrong script, repeated, copied from a larger language, or too little."""
    parts = {key: _clean_part(key, part, log) for key, part in parts.items()}
    parts = _without_copies(parts, log)
    total = lines_of(parts)
    other = lines_of({key: part for key, part in parts.items() if key[0] not in INTERFACES})
    kept = {}
    for (source, label), part in parts.items():
        if total[label] < (MIN_LINES if other.get(label) else MIN_MESSAGES):
            log.add("too few lines", source, label, len(part.lines))
        elif part.lines:
            kept[source, label] = part
    return kept


def lines_of(parts: Parts) -> dict[str, int]:
    """Return the lines, phrases or words of each label."""
    total: dict[str, int] = defaultdict(int)
    for (_, label), part in parts.items():
        total[label] += len(part.lines)
    return dict(total)


_BROKEN = re.compile(rb"\b0[0-9a-f]{3}")
"""What is left of an escaped character."""
_WRITTEN = {"Hans": {"Hani"}, "Hant": {"Hani"}, "Jpan": {"Hani", "Hira", "Kana"}, "Kore": {"Hang", "Hani"}}


def _clean_part(key: tuple[str, str], part: Part, log: Log) -> Part:
    source, label = key
    script = split(label)[1] or ""
    wanted = _WRITTEN.get(script, {script})
    known = bool(wanted & set(SCRIPTS.values()))
    seen: set[bytes] = set()
    kept, wrong, repeated = [], 0, 0
    for i, line in enumerate(part.lines):
        if (known and not _written_in(line, wanted)) or (source in INTERFACES and _BROKEN.search(line)):
            wrong += 1
        elif line in seen and part.counts is None:
            repeated += 1
        else:
            seen.add(line)
            kept.append(i)
    log.add("wrong script", source, label, wrong)
    log.add("repeated", source, label, repeated)
    return take(part, kept)


def _written_in(line: bytes, wanted: set[str]) -> bool:
    """Return whether at least half of the letters are of the scripts wanted."""
    scripts = [script for c in line.decode("utf-8", "replace") if (script := _script(c))]
    return 2 * sum(script in wanted for script in scripts) >= len(scripts)


@cache
def _script(character: str) -> str | None:
    return SCRIPTS.get(plain.class_of(character))


def take(part: Part, kept: Iterable[int]) -> Part:
    """Return some lines of a part."""
    kept = list(kept)
    counts = None if part.counts is None else [part.counts[i] for i in kept]
    return Part([part.lines[i] for i in kept], counts)


def _without_copies(parts: Parts, log: Log) -> Parts:
    total = lines_of(parts)
    owner: dict[bytes, str] = {}
    for (_, label), part in sorted(parts.items()):
        if part.counts is None:
            for line in part.lines:
                if len(line) >= COPY_LETTERS and total[label] > total.get(owner.get(line, ""), 0):
                    owner[line] = label
    cleaned = {}
    for (source, label), part in parts.items():
        copied: Multiset[str] = Multiset()
        kept = []
        for i, line in enumerate(part.lines):
            other = owner.get(line, label) if part.counts is None else label
            if total[other] >= COPY_RATIO * total[label]:
                copied[f"{label} = {other}"] += 1
            else:
                kept.append(i)
        for what, count in sorted(copied.items()):
            log.add("copies", source, what, count)
        cleaned[source, label] = take(part, kept)
    return cleaned


def without_foreign(parts: Parts, model: Model, log: Log, threads: int) -> Parts:
    """Drop lines of small corpora that the model takes for another, larger language, though it learned from them."""
    total = lines_of(parts)
    cleaned = dict(parts)
    scorer, uniform = Scorers(model.parameters).scorer, log_prior(np.ones(len(model.languages)))
    for (source, label), part in sorted(parts.items()):
        if part.counts is not None or len(part.lines) > FOREIGN_LINES:
            continue
        own = model.row_of(label)
        rows = best(scorer, part.lines, uniform, threads=threads)[0][:, 0].tolist()
        suspects = [
            i
            for i, row in enumerate(rows)
            if row not in (own, -1)
            and total[model.languages[row]] >= FOREIGN_RATIO * total[label]
            and with_macrolanguage(model.languages[row]) != with_macrolanguage(label)
        ]
        scores = model.scores([part.lines[i] for i in suspects], threads=threads)
        foreign: Multiset[str] = Multiset()
        dropped = set()
        for i, score in zip(suspects, scores, strict=True):
            if score[rows[i]] - score[own] >= FOREIGN_NATS:
                foreign[f"{label} is {model.languages[rows[i]]}"] += 1
                dropped.add(i)
        for what, count in sorted(foreign.items()):
            log.add("foreign", source, what, count)
        if dropped:
            cleaned[source, label] = take(part, (i for i in range(len(part.lines)) if i not in dropped))
    return cleaned


def is_told(key: tuple[str, str]) -> bool:
    """Whether a part is running text that is no message of a user interface."""
    return KINDS[key[0]] == "text" and key[0] not in INTERFACES


# ---- held out


@dataclass
class Held:
    """Lines that were held out of the training."""

    even: dict[str, list[bytes]]
    """By label, about as many of each."""
    natural: dict[str, list[bytes]]
    """By label, as many as there are: a sample of Tatoeba."""
    running: dict[str, list[bytes]]
    """By label, of running text; messages of user interfaces only where there is little else."""


def hold_out(parts: Parts) -> tuple[Parts, Held]:
    """Return what is left to train on, and held-out lines by label.

    A label that is known from phrases or words alone, or nearly, is measured on lines made of them too; where there is
    running text enough, only that is held out.
    """
    kept = dict(parts)
    held: dict[str, list[bytes]] = defaultdict(list)
    natural: dict[str, list[bytes]] = {}
    running: dict[str, list[bytes]] = defaultdict(list)
    total = lines_of(parts)
    text = lines_of({key: part for key, part in parts.items() if KINDS[key[0]] == "text"})
    told = lines_of({key: part for key, part in parts.items() if is_told(key)})
    for (source, label), part in sorted(parts.items()):
        kind = KINDS[source]
        if kind != "text" and text.get(label, 0) >= ENOUGH:
            continue
        if kind == "words":
            kept[source, label], lines = _hold_out_words(label, part)
            held[label] += lines
            continue
        every = HOLD_PHRASES if kind == "phrases" else HOLD_FEW if total[label] < 100 else HOLD_EVERY
        chosen = [i for i in range(len(part.lines)) if i % every == every // 2]
        if kind == "phrases":
            phrases = [part.lines[i] for i in chosen]
            held[label] += [b" ".join(phrases[i : i + LIST_LINE]) for i in range(0, len(phrases), LIST_LINE)]
        else:
            if source == "tatoeba":
                natural[label] = [part.lines[i] for i in chosen]
            else:
                chosen = chosen[:HOLD_MOST]
            lines = [part.lines[i] for i in chosen[:HOLD_MOST]]
            held[label] += lines
            if source not in INTERFACES or told.get(label, 0) < ENOUGH:
                running[label] += lines
        kept[source, label] = take(part, sorted(set(range(len(part.lines))) - set(chosen)))
    return kept, Held(dict(held), natural, dict(running))


def _hold_out_words(label: str, part: Part) -> tuple[Part, list[bytes]]:
    """Hold out words of a list as they would fall into lines of text."""
    random = np.random.default_rng([0, *label.encode()])
    assert part.counts is not None
    counts = np.array(part.counts)
    true = np.minimum(1.0 / counts.min(), LIST_WORDS / counts.sum())  # the rarest occurred once, or there are enough
    drawn = random.binomial(np.rint(np.maximum(counts * true, 1)).astype(np.int64), 1 / HOLD_EVERY)
    words = random.permutation(np.repeat(np.arange(len(drawn)), drawn))[: HOLD_MOST * LIST_LINE]
    lines = [
        b" ".join(part.lines[i] for i in words[start : start + LIST_LINE]) for start in range(0, len(words), LIST_LINE)
    ]
    left = counts * true - np.bincount(words, minlength=len(counts))
    keep = np.flatnonzero(left > 0.5)
    return Part([part.lines[i] for i in keep], left[keep].tolist()), lines
