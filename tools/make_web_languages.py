"""Write what the JavaScript package knows of languages: the tables of `unilid.languages`, in one JSON file.

    python tools/make_web_languages.py      # writes web/languages.json
"""

from __future__ import annotations

import json
from pathlib import Path

from unilid.languages.iso639 import read_table

TARGET = Path(__file__).parents[1] / "web/languages.json"


def tables() -> dict[str, str]:
    """Return the tables as JavaScript reads them: TSV, and of what is usual without the reasons."""
    usual = ["\t".join(line.split("\t")[:3]) for line in read_table("usual.tsv")[1:]]
    return {
        "languages": "\n".join(read_table("languages.tsv")),
        "scripts": "\n".join(read_table("scripts.tsv")),
        "usual": "\n".join(usual),
    }


if __name__ == "__main__":
    TARGET.write_text(json.dumps(tables(), ensure_ascii=False) + "\n", encoding="utf-8")
