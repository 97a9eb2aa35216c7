"""The model card: what went in, what comes out, and for what it is not."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora import SHIPPED, SOURCES, Parts, decided_labels

from unilid.evaluation import Report
from unilid.labels import meaning

if TYPE_CHECKING:
    from build import Built

HERE = Path(__file__).parent
LOW = 0.3
"""F1 on its own held-out lines below which a label must be explained (`explained.tsv`)."""


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


def explained() -> dict[str, str]:
    """Return why labels that are hard to find are kept."""
    with (HERE / "explained.tsv").open(encoding="utf-8", newline="") as file:
        return {row["label"]: row["why"] for row in csv.DictReader(file, delimiter="\t")}


def unexplained(about: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the labels that are hard to find, and nobody says why they are kept."""
    known = explained()
    return [label for label, said in about.items() if (said["f1"] or 0.0) < LOW and label not in known]


def write(path: Path, built: Mapping[str, Built]) -> None:
    """Write the card of the shipped build."""
    model, compact, log = built["shipped"].model, built["shipped"].compact, built["shipped"].log
    shipped, natural, small = built["shipped"].even, built["shipped"].natural, built["shipped"].compact_even
    only_measured = set(built["measured"].model.languages)
    about = model.info["labels"]
    languages = {meaning(label).language for label in model.languages}
    scripts = {meaning(label).script for label in model.languages}
    alone = [label for label in model.languages if about[label]["sources"] == ["udhr"]]
    lists = [label for label in model.languages if not set(about[label]["sources"]) - {"unilex", "gatitos"}]
    sizes = [f"{len(each.to_bytes()) / 1e6:.1f} MB" for each in (model, compact)]
    page = f"""# Model card

The model in the package, `unilid.load()`, and its compact form, `unilid.load("compact")`. Written by
`recipes/default/build.py`, which makes both from the corpora below; every figure on this page is of that run.

- **What it does**: names the language and script of a text, among {len(model.languages):,} labels (ISO 639-3 and ISO
  15924) of {len(languages):,} languages in {len(scripts)} scripts; `zxx` where a text is no language, `und` where it
  cannot tell.
- **Size**: {sizes[0]}, compact {sizes[1]}.
- **On its own held-out lines**, about as many of each label ({shipped.lines:,} lines): accuracy {shipped.accuracy:.4f},
  macro F1 {shipped.macro.f1:.4f}; compact {small.accuracy:.4f} and {small.macro.f1:.4f}. In natural proportions,
  Tatoeba ({natural.lines:,} lines): {natural.accuracy:.4f} and {natural.macro.f1:.4f}.
- **On text of other kinds** (FLORES, UDHR, Tatoeba's test lines), beside other identifiers:
  [docs/results/peers.md](docs/results/peers.md), with the measured build.

## Two builds

The *measured* build has {len(only_measured):,} labels and never saw FLORES or UDHR. The *shipped* build, the one in the
package, has {len(model.languages):,}: FLORES `dev` is added and, for {len(alone)} labels that have nothing else, UDHR.
Those that the measured build does not have are marked + in the list.

## What it is not for

- **Telling close relatives apart in a short text**: Serbo-Croatian standards, Danish and Norwegian, Malay and
  Indonesian, spoken Arabics, Quechuas, Hindi's neighbours; see the confusions.
- **Trust in languages known from word lists**: {len(lists):,} labels were learned from word frequencies or phrases
  alone. Their F1 was measured on lines made of held-out words of the same list, which is easier than text.
- **Deciding about people.** A language is not a nationality, and a rare label on a short text is often wrong.
- **Mixed text**: `identify` gives it the label of the larger part; `spans` takes it apart.

## Sources

The model contains statistics of these texts (costs of tokens and of character n-grams), none of the texts.
"""
    number = Counter(source for said in about.values() for source in said["sources"])
    page += _table(
        ("source", "labels", "lines, phrases or words", "licence", "by"),
        [(x.name, f"{number[x.name]:,}", f"{log.used.get(x.name, 0):,}", x.licence, x.attribution)
         for x in SOURCES + SHIPPED],
    )  # fmt: skip
    steps: dict[str, Counter[str]] = {}
    for step, source, what, count in log.rows:
        if step != "label decided":
            steps.setdefault(step, Counter())[f"{source} {what}"] += count
    page += "\n## What was changed\n" + _table(
        ("step", "lines", "most of it"),
        [(step, f"{sum(found.values()):,}", ", ".join(f"{what} ({count:,})" for what, count in found.most_common(6)))
         for step, found in steps.items()],
    )  # fmt: skip
    page += _table(
        ("label", "became", "why"),
        [(label, instead or "dropped", reason) for label, (instead, reason) in decided_labels().items()],
    )
    own = {result.label: result.lines for result in shipped.labels}
    page += "\n## Known confusions\n\nHeld-out lines of a label that were taken for another, the most frequent.\n"
    page += _table(
        ("truth", "answer", "lines", "of the truth's"),
        [(_named(one.label), _named(one.answer), one.lines, f"{one.lines / own[one.label]:.0%}")
         for one in shipped.confused[:40]],
    )  # fmt: skip
    why = explained()
    page += f"\nLabels with F1 below {LOW}, and why they are kept:\n" + _table(
        ("label", "F1", "why"),
        [(_named(label), f"{said['f1'] or 0:.2f}", why.get(label, "")) for label, said in about.items()
         if (said["f1"] or 0) < LOW],
    )  # fmt: skip
    page += "\n## Labels\n\nLines are those of running text; F1 and FPR are on held-out lines.\n" + _table(
        ("label", "name", "macrolanguage", "lines", "sources", "F1", "FPR"),
        [_row(label, lines, about[label], label in only_measured)
         for label, lines in zip(model.languages, model.lines.tolist(), strict=True)],
    )  # fmt: skip
    path.write_text(page, encoding="utf-8")


def _row(label: str, lines: int, said: Mapping[str, Any], measured: bool) -> tuple[str, ...]:
    meant = meaning(label)
    figures = ["", ""] if said["f1"] is None else [f"{said['f1']:.3f}", f"{said['fpr']:.0e}"]
    mark = label if measured else f"{label} +"
    return (mark, meant.name, meant.macrolanguage_name or "", f"{lines:,}", ", ".join(said["sources"]), *figures)


def _table(names: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = ["", "| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _named(label: str) -> str:
    return f"{label} ({meaning(label).name})"
