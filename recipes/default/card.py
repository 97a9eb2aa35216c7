"""The pages about the default model: the card of a page or two, and the long list of its labels.

    python recipes/default/card.py        MODEL_CARD.md, docs/labels.md and licenses/CORPORA.md, from the models in the
                                          package

A build writes what it measured and counted to `figures.json`, as far as the models do not say it themselves. So the
pages can be written again, in other words, without a build.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

sys.path.insert(0, str(Path(__file__).parent))

import prior
from corpora import KINDS, SHIPPED, SOURCES, Parts, decided_labels

from unilid.evaluation.metrics import Report
from unilid.languages.labels import meaning
from unilid.model import Model, load

if TYPE_CHECKING:
    from build import Built

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FIGURES = "figures.json"
LOW = 0.3
"""F1 on its own held-out lines below which a label must be explained (`explained.tsv`)."""
WIDTH = 120
CONFUSED = 40
"""The most frequent confusions that are named."""

Figures: TypeAlias = dict[str, Any]


# ---- what is known of a build


def facts(labels: Sequence[str], parts: Parts, report: Report) -> dict[str, dict[str, Any]]:
    """Return what the model says of its labels."""
    results = {result.label: result for result in report.labels}
    return {
        label: {
            "f1": round(results[label].f1, 4) if label in results else None,
            "fpr": float(f"{results[label].fpr:.1e}") if label in results else None,
            "sources": sorted(source for source, own in parts if own == label),
        }
        for label in labels
    }


def figures(built: Mapping[str, Built]) -> Figures:
    """Return what the builds measured and counted, and their models do not say."""
    shipped, measured = built["shipped"], built["measured"]
    lines = {result.label: result.lines for result in shipped.even.labels}
    cleaning: dict[str, Counter[str]] = {}
    for step, source, what, count in shipped.log.rows:
        if step != "label decided":
            cleaning.setdefault(step, Counter())[f"{source} {what}"] += count
    return {
        "even": _quality(shipped.even),
        "compact": _quality(shipped.compact_even),
        "natural": _quality(shipped.natural),
        "measured_labels": len(measured.model.languages),
        "only_shipped": sorted(set(shipped.model.languages) - set(measured.model.languages)),
        "used": shipped.log.used,
        "cleaning": [
            {"step": step, "lines": sum(found.values()), "most": [list(item) for item in found.most_common(6)]}
            for step, found in cleaning.items()
        ],
        "confused": [
            {
                "label": one.label,
                "answer": one.answer,
                "lines": one.lines,
                "share": round(one.lines / lines[one.label], 2),
            }
            for one in shipped.even.confused[:CONFUSED]
        ],
    }


def write_figures(folder: Path, known: Figures) -> Path:
    """Write them."""
    path = folder / FIGURES
    path.write_text(json.dumps(known, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path


def _quality(report: Report) -> dict[str, float]:
    return {"lines": report.lines, "accuracy": round(report.accuracy, 4), "macro_f1": round(report.macro.f1, 4)}


def explained() -> dict[str, str]:
    """Return why labels that are hard to find are kept."""
    with (HERE / "explained.tsv").open(encoding="utf-8", newline="") as file:
        return {row["label"]: row["why"] for row in csv.DictReader(file, delimiter="\t")}


def hard(model: Model) -> dict[str, float]:
    """Return the labels that are hard to find, with their F1."""
    return {label: said["f1"] or 0.0 for label, said in model.info["labels"].items() if (said["f1"] or 0.0) < LOW}


def unexplained(model: Model) -> list[str]:
    """Return the labels that are hard to find, and nobody says why they are kept."""
    return [label for label in hard(model) if label not in explained()]


# ---- the pages


def card(model: Model, compact: Model, figures: Figures) -> str:
    """Return the card."""
    about = model.info["labels"]
    languages = len({meaning(label).code for label in model.languages})
    scripts = len({meaning(label).script for label in model.languages})
    alone = [label for label in sorted(model.languages) if about[label]["sources"] == ["udhr"]]
    lists = [label for label in sorted(model.languages) if all(KINDS[one] != "text" for one in about[label]["sources"])]
    number = Counter(source for said in about.values() for source in said["sources"])
    sources = _table(
        ("source", "labels", "lines, phrases or words", "licence", "by"),
        [
            (one.name, f"{number[one.name]:,}", f"{figures['used'].get(one.name, 0):,}", one.licence, one.attribution)
            for one in SOURCES + SHIPPED
            if one.name in figures["used"]  # a model may be older than its recipe
        ],
    )
    quality = _table(
        ("held-out lines", "model", "lines", "accuracy", "macro F1"),
        [
            (which, form, f"{figures[name]['lines']:,}", *(f"{figures[name][x]:.4f}" for x in ("accuracy", "macro_f1")))
            for name, which, form in (
                ("even", "about as many of each label", "default"),
                ("compact", "about as many of each label", "compact"),
                ("natural", "in natural proportions (Tatoeba)", "default"),
            )
        ],
    )
    low = _listed([f"`{label}`" for label in hard(model)])
    dropped = sum(step["lines"] for step in figures["cleaning"])
    steps = _listed([f"{step['step']} ({step['lines']:,})" for step in figures["cleaning"]])
    confused = _listed([f"{_name(one['label'])} for {_name(one['answer'])}" for one in figures["confused"][:6]])
    return _filled(f"""# Model card

This page is about the model in the package, `unilid.load()`, and about its compact form, `unilid.load("compact")`.
[docs/labels.md](docs/labels.md) lists every label, with its sources and its F1.

## What it is

The model names the language and the script of a text. It knows {len(model.languages):,} labels, such as `deu_Latn` (a
code of ISO 639-3 and one of ISO 15924), of {languages:,} languages in {scripts} scripts. Where a text is no language,
the answer is `zxx`; where the model cannot tell, it is `und`. Every answer comes with a probability, which was fitted
on held-out lines.

The model file has {_size(model)}. The compact form has {_size(compact)} and the same labels; it knows fewer
words, and characters in shorter contexts.

## What it is for, and what not

It is for sorting text by language: to filter a corpus, to choose the tool or the reader for a message, to find the
languages of a collection. It works best with a sentence or more.

- It is not for telling close relatives apart in a short text. Serbo-Croatian standards, Danish and Norwegian,
  spoken Arabics, Quechuas and the neighbours of Hindi are often taken for each other. Of some pairs most text is given
  to the larger language, even whole paragraphs: Malay to Indonesian, Rundi to Rwanda, Dari to Persian, Cantonese (in
  the written standard of Hong Kong) to Mandarin, Western Punjabi to Saraiki and Urdu.
- It is not to be trusted blindly with languages that it knows from word lists. {len(lists):,} labels were learned from
  word frequencies or phrases alone. Their F1 was measured on lines made of held-out words of the same lists, which is
  easier than text.
- It is not for deciding about people. A language is not a nationality, and a rare label on a short text is often wrong.
- `identify` gives a mixed text the label of its larger part. `Model.spans` takes it apart.

## From which text

The model contains statistics of the texts below (costs of character n-grams and of words), and none of the texts.
{sources}
Its prior grows with the number of people who speak a language ({prior.ATTRIBUTION}, {prior.LICENCE}) and with the
lines of running text above.

Before training, {dropped:,} lines were dropped for these reasons: {steps}. Some labels became another, and some were
dropped, because their text was mistaken or cannot be told apart;
[docs/labels.md](docs/labels.md#labels-that-became-another) has each with its reason.

There are two builds. The *measured* build has {figures["measured_labels"]:,} labels and never saw FLORES or UDHR, so
that it can be measured on them. The *shipped* build, the one in the package, has {len(model.languages):,} labels:
FLORES `dev` is added and, for {len(alone)} labels that have nothing else, UDHR.

## How well it works

These lines are of the same sources as the training text, and were held out of it.
{quality}
On text of other kinds (FLORES, UDHR, Tatoeba's test lines), [docs/results/peers.md](docs/results/peers.md) compares the
measured build with other identifiers.

## Limits

- The most frequent confusions are of {confused}. More of them are in
  [docs/labels.md](docs/labels.md#the-most-confused).
- {len(hard(model))} labels have an F1 below {LOW} on their own held-out lines: {low}.
  [docs/labels.md](docs/labels.md#hard-to-find) says why each is kept.
- The table above is of lines that resemble the training text, and says little of other text.
- Text in a language that the model does not know is mostly answered `und` if no relative is known, and mostly with the
  name of a relative if there is one: [docs/results/unknown.md](docs/results/unknown.md) measures it on a smaller model.

## How to reproduce it

`python recipes/default/build.py` makes both builds and both forms from the corpora, which it looks for in the folder
that `UNILID_DATA` names; the same corpora give the same bytes. It also writes `recipes/default/figures.json`, from
which `python recipes/default/card.py` writes this page and the list of labels.
""")


def labels_page(model: Model, figures: Figures) -> str:
    """Return the list of labels, and what is to be said of some of them."""
    about, why, only_shipped = model.info["labels"], explained(), set(figures["only_shipped"])
    confused = _table(
        ("truth", "answer", "lines", "of the truth's"),
        [
            (_named(one["label"]), _named(one["answer"]), one["lines"], f"{one['share']:.0%}")
            for one in figures["confused"]
        ],
    )
    low = _table(
        ("label", "F1", "why it is kept"),
        [(_named(label), f"{f1:.2f}", why.get(label, "")) for label, f1 in hard(model).items()],
    )
    decided = _table(
        ("label", "became", "why"),
        [(label, instead or "dropped", reason) for label, (instead, reason) in decided_labels().items()],
    )
    cleaning = _table(
        ("step", "lines", "most of it"),
        [
            (step["step"], f"{step['lines']:,}", ", ".join(f"{what} ({count:,})" for what, count in step["most"]))
            for step in figures["cleaning"]
        ],
    )
    every = _table(
        ("label", "name", "macrolanguage", "lines", "sources", "F1", "FPR"),
        [
            _row(label, lines, about[label], shipped=label in only_shipped)
            for label, lines in sorted(zip(model.languages, model.lines.tolist(), strict=True))
        ],
    )
    return _filled(f"""# Labels

The default model knows {len(model.languages):,} labels. `unilid languages` prints them, too, and finds one by any of
its names or codes.

## Hard to find

These labels have an F1 below {LOW} on their own held-out lines.
{low}
## The most confused

These are held-out lines of a label that were taken for another, the most frequent first.
{confused}
## Labels that became another

A label before which a source stands is one of that source alone.
{decided}
## What was dropped from the text

A line is a copy if it also stands under a much larger language, and foreign if a model that has learned from it still
prefers a much larger language.
{cleaning}
## All labels

Lines are those of running text; a label with none was learned from lists of words or phrases. F1 and the false-positive
rate (FPR) are those on held-out lines. Labels with a + are only in the shipped build: without FLORES and UDHR there is
too little text of them.
{every}""")


LICENCES = {
    "CC BY 2.0 FR": "https://creativecommons.org/licenses/by/2.0/fr/",
    "CC BY 4.0": "https://creativecommons.org/licenses/by/4.0/",
    "CC BY-SA 4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "CC0 1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "ODbL 1.0": "https://opendatacommons.org/licenses/odbl/1-0/",
    "Apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
    "MIT": "https://opensource.org/license/mit",
    "MPL-2.0": "https://www.mozilla.org/MPL/2.0/",
    "Unicode License V3": "https://www.unicode.org/license.txt",
    "CC BY": "https://creativecommons.org/licenses/",  # of several versions
    "CC BY-SA": "https://creativecommons.org/licenses/",
    "public domain": None,
    "free": None,
}
"""Where to read them; those of `Source.licence`, in which a comma or an "or" stands between two."""


def licences_of(licence: str) -> list[str]:
    """Return the licences that are named together."""
    return re.split(r", | or ", licence)


def corpora_page(figures: Figures) -> str:
    """Return the attribution and the licences of the texts behind the models, which the package carries."""
    used = [one for one in SOURCES + SHIPPED if one.name in figures["used"]]
    rows = [
        (one.name, one.attribution, one.licence, f"{figures['used'][one.name]:,} {UNITS[one.kind]}") for one in used
    ]
    rows.append((Path(prior.FILE).stem, prior.ATTRIBUTION, prior.LICENCE, "speakers of each language, for the prior"))
    named = dict.fromkeys(licence for _, _, licences, _ in rows for licence in licences_of(licences))
    addresses = "\n".join(f"- {licence}: {LICENCES[licence]}" for licence in named if LICENCES[licence])
    return _filled(f"""# The texts behind the models

The models of this package, `default.unilid` and `compact.unilid`, contain statistics of the texts below: costs of
character n-grams and of words, and numbers of lines. None of the texts is in the package. Thanks are due to all who
wrote, translated, read and collected them, under these licences:
{_table(("source", "by", "licence", "taken"), rows)}
All of them were changed before use: lines were dropped, labels merged and words counted, as MODEL_CARD.md and
docs/labels.md in the source of the package say, and `recipes/default` does. UDHR is the Universal Declaration of Human
Rights, whose translations are free to use. Of eBible, only translations were taken that are in the public domain or
under one of the two licences named.

The licences are to be read here:

{addresses}
""")


UNITS = {"text": "lines", "phrases": "phrases", "words": "words with their counts"}


def write(folder: Path, model: Model, compact: Model, known: Figures) -> list[Path]:
    """Write the pages, and return where they are."""
    pages = {
        "MODEL_CARD.md": card(model, compact, known),
        "docs/labels.md": labels_page(model, known),
        "licenses/CORPORA.md": corpora_page(known),
    }
    for name, page in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(page, encoding="utf-8")
    return [folder / name for name in pages]


def _row(label: str, lines: int, said: Mapping[str, Any], *, shipped: bool) -> tuple[str, ...]:
    meant = meaning(label)
    measured = ["", ""] if said["f1"] is None else [f"{said['f1']:.3f}", f"{said['fpr']:.0e}"]
    mark = f"{label} +" if shipped else label
    return (mark, meant.name, meant.macrolanguage_name or "", f"{lines:,}", ", ".join(said["sources"]), *measured)


def _table(names: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = ["", "| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _filled(page: str) -> str:
    """Fill the lines of paragraphs and lists, whatever stands in them now."""
    fill = partial(textwrap.fill, width=WIDTH, break_long_words=False, break_on_hyphens=False)
    blocks = []
    for block in page.strip().split("\n\n"):
        if block.startswith("- "):
            items = re.split(r"\n(?=- )", block.replace("\n  ", " "))
            blocks.append("\n".join(fill(item, subsequent_indent="  ") for item in items))
        else:
            blocks.append(block if block[0] in "#|" else fill(block))
    return "\n\n".join(blocks) + "\n"


def _size(model: Model) -> str:
    assert model.path is not None
    return f"{model.path.stat().st_size / 1e6:.1f} MB"


def _listed(items: Sequence[str]) -> str:
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items) or "none"


def _name(label: str) -> str:
    meant = meaning(label)
    return f"{meant.name} (`{label}`)"


def _named(label: str) -> str:
    return f"{label} ({meaning(label).name})"


def main() -> None:
    """Write the pages of the models in the package."""
    known: Figures = json.loads((HERE / FIGURES).read_text(encoding="utf-8"))
    print(*write(ROOT, load(), load("compact"), known))


if __name__ == "__main__":
    main()
