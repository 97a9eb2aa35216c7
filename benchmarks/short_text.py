"""Short texts beside other identifiers: everyday texts in sixty languages; one, two and four words of Tatoeba lines.

    python benchmarks/short_text.py [--choosing] [--peers NAME,NAME,...] [--model FILE] [--compact FILE]

`benchmarks/everyday.tsv` has greetings, thanks, questions, titles, queries, tags and chat, which were written for this
program: none is taken from a corpus. The texts fall into two halves by a hash: the figures are of the `reporting` half,
whose texts nobody reads and no choice is made by; with `--choosing` they are of the other half. A page is written of
the reporting half beside all peers alone.

Words, pairs and fours are cut from lines of Tatoeba `test` in the same languages, at most 200 of each label. Where no
spaces are written, two characters of Chinese or Japanese count as a word, and five of Thai, Lao, Khmer or Burmese.

unilid is asked as users ask it, `model.identify(texts)`: `und` and `zxx` are wrong. The peers are lid.176, CLD3,
lingua, heliport and py3langid, installed and asked as `benchmarks/peer_systems.py` says; `--peers none` does without,
and so does `--quick` unless they are named. Scripts are ignored in comparisons, Serbo-Croatian counts as one language,
and so does Norwegian.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import random
import re
import sys
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from common import Report, arguments, labelled
from peer_systems import PEERS, RESTRICTED, Peer, language_of
from peers import evenly, installed
from probability import ece

import unilid
from unilid.decisions.answers import Prediction
from unilid.languages.labels import NO_LANGUAGE, RESERVED, UNDETERMINED
from unilid.model import Model

EVERYDAY = Path(__file__).parent / "everyday.tsv"
BESIDE = ("lid.176", "CLD3", "lingua", "heliport", "py3langid")
KINDS = ("greeting", "thanks", "question", "title", "query", "tag", "chat")
LENGTHS = {"one word": (1, 1), "two or three": (2, 3), "four or more": (4, 99)}
CUTS = {"one word": 1, "two words": 2, "four words": 4}
MAJOR = {
    "English": "eng",
    "German": "deu",
    "French": "fra",
    "Spanish": "spa",
    "Hindi": "hin",
    "Arabic": "arb",
    "Chinese": "cmn",
}
CHARACTERS = {"Hans": 2, "Hant": 2, "Jpan": 2, "Thai": 5, "Laoo": 5, "Khmr": 5, "Mymr": 5}
"""How many characters count as a word, by script, where no spaces are written."""
JOINERS = "\u200c\u200d"
"""Characters without a shape of their own that may end a word in scripts of India."""
EXAMPLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Hello", ("eng",)),
    ("Hi there", ("eng",)),
    ("Bonjour", ("fra",)),
    ("hola", ("spa",)),
    ("नमस्ते", ("hin",)),
    ("Danke", ("deu",)),
    ("Hallo", ("deu", "nld", "afr")),
    ("你好", ("cmn",)),
    ("齉", (UNDETERMINED, "cmn")),
    ("WhatsApp", (UNDETERMINED, NO_LANGUAGE)),
    ("Samsung Galaxy S24 Ultra", (UNDETERMINED,)),
    ("LOL 😂😂", (UNDETERMINED, "eng")),
    ("<p>Hello world</p>", ("eng",)),
    ("<p>Wo ist der Bahnhof?</p>", ("deu",)),
    ('{"name": "John", "age": 30}', (NO_LANGUAGE, "eng")),
    ("ꠍꠤꠟꠐꠤ ꠝꠣꠔ", (UNDETERMINED,)),  # Syloti Nagri, a script that no label has
)
"""Texts that new users try, and the answers that are right."""
Hits = npt.NDArray[np.bool_]


# ---- the texts


class Text(NamedTuple):
    """A row of the everyday set."""

    label: str
    kind: str
    text: str

    @property
    def reporting(self) -> bool:
        """Whether it belongs to the half that no choice is made by."""
        return hashlib.sha256(self.text.encode()).digest()[0] % 2 == 0

    @property
    def length(self) -> int:
        """How many words it has, or what counts as a word where no spaces are written."""
        width = CHARACTERS.get(script_of(self.label))
        if width is None:
            return sum(any(map(str.isalpha, word)) for word in self.text.split())
        return max(1, round(sum(map(is_letter, self.text)) / width))


@dataclass(frozen=True)
class Texts:
    """Texts with their labels."""

    name: str
    texts: list[str]
    gold: list[str]

    @property
    def languages(self) -> list[str]:
        return [language_of(label) for label in self.gold]


def everyday(path: Path = EVERYDAY) -> list[Text]:
    """Return the everyday set."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return [Text(*row) for row in rows]


def script_of(label: str) -> str:
    return label.rpartition("_")[2]


def is_letter(character: str) -> bool:
    """Whether a character is a letter or a mark upon one."""
    return unicodedata.category(character)[0] in "LM"


def is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def cut(text: str, words: int, script: str) -> str | None:
    """Return so many words from somewhere inside a line, the same ones each time; None where it has too few.

    >>> cut("Good morning!", 2, "Latn"), cut("Good morning!", 3, "Latn"), cut("日本", 1, "Jpan")
    ('Good morning', None, '日本')
    """
    chance = random.Random(f"{words} {text}")
    width = CHARACTERS.get(script)
    if width is None:
        tokens = text.split()
        written = [any(map(str.isalpha, token)) for token in tokens]
        starts = [i for i in range(len(tokens) - words + 1) if all(written[i : i + words])]
        if not starts:
            return None
        start = chance.choice(starts)
        return stripped(" ".join(tokens[start : start + words]))
    runs = re.findall(r"\S+", "".join(c if is_letter(c) else " " for c in text))
    found = [(run, i) for run in runs for i in range(len(run) - words * width + 1) if not is_mark(run[i])]
    if not found:
        return None
    run, start = chance.choice(found)
    end = start + words * width
    while end < len(run) and is_mark(run[end]):
        end += 1
    return str(run[start:end])


def stripped(text: str) -> str:
    """Return a text without the punctuation and other signs at its ends."""
    kept = [i for i, c in enumerate(text) if unicodedata.category(c)[0] in "LMN" or c in JOINERS]
    return text[kept[0] : kept[-1] + 1]


def cuts(name: str, words: int | None, corpus: Mapping[str, Iterable[str]], limit: int | None) -> Texts:
    """Return at most so many texts of each label: lines cut to so many words; None: whole lines."""
    texts: list[str] = []
    gold: list[str] = []
    for label, lines in corpus.items():
        script = script_of(label)
        own = [text for line in lines if (text := line if words is None else cut(line, words, script))]
        chosen = [own[i] for i in evenly(len(own), limit)]
        texts += chosen
        gold += [label] * len(chosen)
    return Texts(name, texts, gold)


# ---- the figures


def macro(hits: Hits, gold: Sequence[str]) -> float | str:
    """Return the accuracy, all labels being equally frequent."""
    labels = np.array(gold)
    return float(np.mean([hits[labels == label].mean() for label in set(gold)])) if gold else "–"


def share(hits: Hits) -> float | str:
    return float(hits.mean()) if hits.size else "–"


def correct(said: Sequence[str], texts: Texts) -> Hits:
    """Return which languages are right."""
    return np.array([answer == truth for answer, truth in zip(said, texts.languages, strict=True)], bool)


def ask(model: Model, texts: Texts, common: Collection[str] | None = None) -> list[str]:
    """Return the languages that a model names, asked as users ask it; with `common`, no others are possible."""
    allowed = None if common is None else [label for label in model.languages if language_of(label) in common]
    return [language_of(answer.label) for answer in model.identify(texts.texts, languages=allowed)]


# ---- the program


def main() -> None:
    options = arguments(
        __doc__,
        model="",
        compact="",
        environments=str(Path.home() / ".cache/unilid-peers"),
        peers="",
        choosing=False,
    )
    models = {
        "unilid": unilid.load(options.model or None),
        "unilid, compact": unilid.load(options.compact or "compact"),
    }
    rows = [row for row in everyday() if row.reporting is not options.choosing]
    half = "choosing" if options.choosing else "reporting"
    test = {
        label: [line.decode("utf-8", "replace") for line in lines]
        for label, lines in labelled(options.data / "tatoeba/test.tsv.xz").items()
    }
    sixty = sorted({row.label for row in everyday()})
    ordinary = {label: test[label] for label in sixty if label in test}
    limit = 10 if options.quick else 200
    sets = [Texts("everyday", [row.text for row in rows], [row.label for row in rows])]
    sets += [cuts(name, words, ordinary, limit) for name, words in CUTS.items()]

    files = [
        f" --{name} {Path(file).name}" for name in ("peers", "model", "compact") if (file := getattr(options, name))
    ]
    called = f"short_text.py{' --choosing' if options.choosing else ''}{''.join(files)}"
    report = Report("short_text", "Short texts", options.quick, called, packages=("unilid", "numpy"))
    amounts = ", ".join(f"{len(own.texts):,} of {own.name}" for own in sets[1:])
    report.say(
        f"The {half} half of `benchmarks/everyday.tsv`: {len(rows)} texts of {len({row.label for row in rows})} "
        f"labels, written for this program. Tatoeba `test`: at most {limit} texts a label, {amounts}, of the "
        f"{len(ordinary)} of these labels that it has. unilid has {len(models['unilid'].languages):,} labels and is "
        "asked as users ask it: `und` and `zxx` are wrong. In the tables beside peers scripts are ignored, "
        "Serbo-Croatian and Norwegian are one language each, and a language that a system does not know is wrong."
    )
    names = chosen_peers(options)
    peers = installed(report, names, Path(options.environments)) if names else []
    said = {name: [ask(model, own) for own in sets] for name, model in models.items()}
    for one in peers:
        print(f"{one.name} ...", file=sys.stderr, flush=True)
        said[one.name], _ = one.predict(*(own.texts for own in sets))
    of_everyday(report, rows, sets[0], {name: answers[0] for name, answers in said.items()}, half)
    of_words(report, sets[1:], {name: answers[1:] for name, answers in said.items()}, peers)
    exact(report, models, sets)
    restricted(report, models, sets, peers, said)
    probabilities(report, models, ordinary, test, limit)
    examples(report, models)
    if not options.choosing and not options.peers:
        report.write()


def chosen_peers(options: argparse.Namespace) -> list[str]:
    """Return the names of the peers that were asked for."""
    if not options.peers:
        return [] if options.quick else list(BESIDE)
    names = [] if options.peers == "none" else options.peers.split(",")
    if unknown := [name for name in names if name not in PEERS]:
        raise SystemExit(f"unknown peers: {', '.join(unknown)}; there are {', '.join(PEERS)}")
    return names


def of_everyday(report: Report, rows: list[Text], texts: Texts, said: Mapping[str, list[str]], half: str) -> None:
    """Measure on the everyday set."""
    hits = {name: correct(answers, texts) for name, answers in said.items()}

    def table(title: str, parts: Mapping[str, Hits], *, labels: bool = False) -> None:
        report.say(f"\n### {title}\n")
        counted = [f"{name} ({part.sum()})" for name, part in parts.items()]
        report.header("system", *counted, *["all, macro over labels"] * labels)
        for name, own in hits.items():
            report.row(name, *(share(own[part]) for part in parts.values()), *[macro(own, texts.gold)] * labels)

    report.say(f"\n## Everyday texts, {half} half\n\nAccuracy, all labels competing; in brackets, how many texts.")
    words = np.array([row.length for row in rows])
    kinds = np.array([row.kind for row in rows])
    languages = np.array(texts.languages)
    lengths = {name: (low <= words) & (words <= high) for name, (low, high) in LENGTHS.items()}
    table("By length", {"all": words > 0, **lengths}, labels=True)
    table("By kind", {kind: kinds == kind for kind in KINDS})
    table("Large languages", {name: languages == code for name, code in MAJOR.items()})


def of_words(report: Report, sets: list[Texts], said: Mapping[str, list[list[str]]], peers: list[Peer]) -> None:
    """Measure on what was cut from lines."""
    have = {language for own in sets for language in own.languages}
    known = {one.name: len(have & one.languages) for one in peers}
    report.say("\n## One, two and four words of Tatoeba\n\nAccuracy, macro over labels, all labels competing.\n")
    report.header("system", f"knows of {len(have)} languages", *(own.name for own in sets))
    for name, answers in said.items():
        figures = [macro(correct(own, texts), texts.gold) for own, texts in zip(answers, sets, strict=True)]
        report.row(name, known.get(name, len(have)), *figures)


def exact(report: Report, models: Mapping[str, Model], sets: list[Texts]) -> None:
    """Measure unilid alone: on labels as they are, and where it must name a language."""
    report.say(
        "\n## unilid alone\n\nAccuracy, macro over labels, all labels competing. Exact: the label, script included. "
        "Always: with `abstain=False`, so that a language is always named, and as above otherwise.\n"
    )
    report.header("system", *(texts.name for texts in sets))
    for name, model in models.items():
        labels = [[answer.label for answer in model.identify(texts.texts)] for texts in sets]
        report.row(
            f"{name}, exact", *(macro(np.equal(own, t.gold), t.gold) for own, t in zip(labels, sets, strict=True))
        )
        named = [[language_of(a.label) for a in model.identify(texts.texts, abstain=False)] for texts in sets]
        report.row(f"{name}, always", *(macro(correct(own, t), t.gold) for own, t in zip(named, sets, strict=True)))


def restricted(
    report: Report,
    models: Mapping[str, Model],
    sets: list[Texts],
    peers: list[Peer],
    said: Mapping[str, list[list[str]]],
) -> None:
    """Compare with each peer on the languages that both know, and with no others possible."""
    if not peers:
        return
    report.say(
        "\n## On the languages that a peer knows\n\n"
        "Accuracy, macro over labels, on the texts in languages that the peer and unilid know; `languages=` is set to "
        f"all languages that both know. {' and '.join(RESTRICTED)} are restricted to the same; others cannot be.\n"
    )
    report.header("peer", "texts", "labels", "how many", "peer", *models, "unilid less peer")
    have = {language_of(label) for model in models.values() for label in model.languages}
    differences: dict[str, list[float]] = {}
    for one in peers:
        common = one.languages & have
        parts = [part(texts, common) for texts in sets]
        if one.name in RESTRICTED:
            theirs, _ = one.predict(*(own.texts for own in parts), languages=common)
        else:
            theirs = [
                [answer for answer, language in zip(answers, texts.languages, strict=True) if language in common]
                for answers, texts in zip(said[one.name], sets, strict=True)
            ]
        for own, answers in zip(parts, theirs, strict=True):
            peer, *ours = [
                float(macro(correct(said_so, own), own.gold))
                for said_so in (answers, *(ask(model, own, common) for model in models.values()))
            ]
            differences.setdefault(own.name, []).append(ours[0] - peer)
            cells = [one.name, own.name, len(set(own.gold)), f"{len(own.texts):,}", peer, *ours]
            report.row(*cells, f"{ours[0] - peer:+.4f}")
    report.say("\nunilid less peer, mean and least over the peers:\n")
    report.header("texts", "mean", "least")
    for name, found in differences.items():
        report.row(name, f"{np.mean(found):+.4f}", f"{min(found):+.4f}")


def part(texts: Texts, languages: Collection[str]) -> Texts:
    """Return the texts in some languages."""
    chosen = [i for i, language in enumerate(texts.languages) if language in languages]
    return Texts(texts.name, [texts.texts[i] for i in chosen], [texts.gold[i] for i in chosen])


def probabilities(
    report: Report,
    models: Mapping[str, Model],
    ordinary: Mapping[str, list[str]],
    test: Mapping[str, list[str]],
    limit: int,
) -> None:
    """Measure whether probabilities mean what they say, and how often no language is named."""
    step = 3 if limit < 100 else 10
    report.say(
        "\n## Probabilities\n\nExact labels; one that the recipe merged into another counts as the other. Balanced: "
        f"the labels of the everyday set, at most {limit} lines each. As it is: one line in {step} of Tatoeba `test`, "
        "labels as frequent as they are there; one that the model does not have is wrong. ECE: the expected "
        "calibration error over 15 bins, of the answers that are a language.\n"
    )
    report.header("lines", "cut to", "system", "texts", "ECE", "`und`", "`zxx`")
    natural = {label: lines[::step] for label, lines in test.items()}
    views: tuple[tuple[str, Mapping[str, list[str]], int | None], ...] = (
        ("balanced", ordinary, limit),
        ("as it is", natural, None),
    )
    lengths: dict[str, int | None] = {**CUTS, "whole lines": None}
    for view, corpus, most in views:
        for length, words in lengths.items():
            texts = cuts(length, words, corpus, most)
            for name, model in models.items():
                report.row(view, length, name, f"{len(texts.texts):,}", *calibration(model, texts))


def calibration(model: Model, texts: Texts) -> Iterator[object]:
    """Yield the calibration error, and the shares of texts that are `und` and `zxx`."""
    merged: Mapping[str, str] = model.info.get("merged", {})
    answers = model.identify(texts.texts)
    pairs: list[tuple[str, Prediction]] = [
        (merged.get(label, label), answer) for label, answer in zip(texts.gold, answers, strict=True)
    ]
    yield ece([pair for pair in pairs if pair[1].label not in RESERVED])
    for reserved in (UNDETERMINED, NO_LANGUAGE):
        yield f"{np.mean([answer.label == reserved for answer in answers]):.2%}" if answers else "–"


def examples(report: Report, models: Mapping[str, Model]) -> None:
    """Show the answers to what new users try."""
    report.say("\n## What new users try\n\n`zxx` is no language, `und` unknown; in brackets, the guess of an `und`.\n")
    report.header("text", "expected", *(cell for name in models for cell in (name, "right")))
    right = dict.fromkeys(models, 0)
    for text, expected in EXAMPLES:
        cells: list[str] = []
        for name, model in models.items():
            answer = model.identify(text)
            hit = language_of(answer.label) in expected
            right[name] += hit
            shown = f"{answer.label} ({answer.guess})" if answer.guess else answer.label
            cells += [f"{shown} {answer.probability:.2f}", "yes" if hit else "no"]
        report.row(f"`{text}`", " or ".join(expected), *cells)
    report.row("right", "", *(cell for name in models for cell in ("", f"{right[name]} of {len(EXAMPLES)}")))


if __name__ == "__main__":
    main()
