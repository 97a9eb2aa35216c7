"""Write what the JavaScript package knows of languages: the tables of `unilid.languages`, and what is mixed up.

    python tools/make_web_languages.py [--data FOLDER]      # writes web/languages.json

Which languages are mixed up is counted on corpora, from which the model was made, too: so it says with what a language
is mixed up, and not how often that happens in other text. Without the corpora, what the file has of it is kept.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import unilid
from unilid.corpus.reading import read
from unilid.languages.iso639 import read_table

TARGET = Path(__file__).parents[1] / "web/languages.json"
CORPORA = ("flores200/dev.tsv.xz", "tatoeba/test.tsv.xz", "udhr/test.tsv.xz")
MOST = 3
"""Languages that another is mixed up with, at most."""
LEAST_LINES, LEAST_SHARE = 20, 0.01
"""Lines of a language that say anything, and the share of them that is worth saying."""

Confused = dict[str, list[tuple[str, float]]]


def tables() -> dict[str, str]:
    """Return the tables as JavaScript reads them: TSV, and of what is usual without the reasons."""
    usual = ["\t".join(line.split("\t")[:3]) for line in read_table("usual.tsv")[1:]]
    return {
        "languages": "\n".join(read_table("languages.tsv")),
        "scripts": "\n".join(read_table("scripts.tsv")),
        "usual": "\n".join(usual),
    }


def confused(data: Path) -> Confused:
    """Return what lines of each label are taken for by the compact model, and their shares, largest first."""
    model = unilid.load("compact")
    taken: dict[str, Counter[str]] = {}
    for corpus in CORPORA:
        for batch in read(data / corpus, format="tsv"):
            answers = model.identify(batch.texts, abstain=False)
            for label, answer in zip(batch.labels, answers, strict=True):
                taken.setdefault(label, Counter())[answer.label] += 1
    result: Confused = {}
    for label in sorted(set(taken).intersection(model.languages)):
        lines = taken[label].total()
        others = [(other, round(n / lines, 3)) for other, n in taken[label].most_common() if other != label]
        worth = [(other, share) for other, share in others if share >= LEAST_SHARE and other in model.languages][:MOST]
        if lines >= LEAST_LINES and worth:
            result[label] = worth
    return result


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the corpora")
    data = parser.parse_args().data
    kept = json.loads(TARGET.read_text(encoding="utf-8")).get("confused", {}) if TARGET.exists() else {}
    content = {**tables(), "confused": confused(data) if data else kept}
    TARGET.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
