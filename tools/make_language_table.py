"""Write src/unilid/languages.tsv: every ISO 639-3 code with its names, other codes and macrolanguage.

    pip install iso639-lang langcodes language_data
    python tools/make_language_table.py

Columns: code, name in English, name in the language itself, ISO 639-1, ISO 639-2/B, macrolanguage, and, for a code that
is no longer used, the one to use instead. Codes come from the ISO 639-3 tables of iso639-lang, names of the language in
itself from CLDR through language_data.
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import langcodes
from iso639 import iter_langs

TARGET = Path(__file__).parent.parent / "src/unilid/languages.tsv"
ALIASES = {"iw": "heb", "in": "ind", "ji": "yid", "jw": "jav", "mo": "ron", "sh": "hbs", "tl": "tgl"}
"""Codes of two letters that are no longer used, or mean something else to others."""


def autonym(code: str, name: str) -> str:
    """Return the name of a language in itself, if somebody knows it."""
    own = langcodes.Language.get(code).autonym()
    return "" if own in (name, langcodes.Language.get(code).display_name()) else own


def main() -> None:
    """Write the table."""
    rows = []
    for language in iter_langs():
        if not language.pt3:
            continue
        macro = language.macro()
        own = autonym(language.pt3, language.name)
        rows.append([language.pt3, language.name, own, language.pt1, language.pt2b, macro.pt3 if macro else "", ""])
    known = {row[0] for row in rows}
    tables = resources.files("iso639") / "data"
    deprecated = json.loads((tables / "iso-639_deprecated.json").read_text())["id"]
    for code, entry in deprecated.items():
        target = entry.get("change_to", "")
        target = next((row[0] for row in rows if target and target in (row[0], row[3])), "")
        if len(code) == 3 and code not in known and target:
            rows.append([code, entry["name"], "", "", "", "", target])
    rows += [[code, "", "", "", "", "", target] for code, target in ALIASES.items()]
    lines = ["\t".join(row) for row in sorted(rows)]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{TARGET}: {len(lines)} rows, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
