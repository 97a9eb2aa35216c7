"""Write languages.tsv, every ISO 639-3 code with what belongs to it, and scripts.tsv, those of ISO 15924.

    pip install iso639-lang langcodes language_data
    python tools/make_language_table.py           src/unilid/languages/languages.tsv and scripts.tsv

Columns of languages: code, name in English, name in the language itself, ISO 639-1, ISO 639-2/B, macrolanguage, the
script that goes without saying, and, for a code that is no longer used, the one to use instead. Columns of scripts:
code, name in English.

Codes come from the ISO 639-3 tables of iso639-lang; names of languages in themselves, names of scripts and usual
scripts from CLDR and the IANA registry, through langcodes and language_data.
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from iso639 import iter_langs  # type: ignore[import-not-found,unused-ignore]
from langcodes.data_dicts import (  # type: ignore[import-not-found,unused-ignore]
    DEFAULT_SCRIPTS,
    LIKELY_SUBTAGS,
    NORMALIZED_MACROLANGUAGES,
)
from langcodes.registry_parser import parse_registry  # type: ignore[import-not-found,unused-ignore]
from language_data.names import code_to_names  # type: ignore[import-not-found,unused-ignore]

FOLDER = Path(__file__).parent.parent / "src/unilid/languages"
ALIASES = {"iw": "heb", "in": "ind", "ji": "yid", "jw": "jav", "mo": "ron", "sh": "hbs", "tl": "tgl"}
"""Codes of two letters that are no longer used, or mean something else to others."""
NAMES = {"und": "undetermined", "zxx": "no linguistic content"}
"""Answers and not names: without a capital."""
COLLECTIONS = ("nah", "son")
"""Codes of ISO 639-2 for groups of languages that corpora use as if for one."""
SCRIPTS = {"Hans": "Simplified Han", "Hant": "Traditional Han"}
"""Where CLDR's names cannot stand alone."""


def readings(tag: str) -> list[str]:
    """Return the tags under which CLDR may know a language: its own, and the one that its standard form has there."""
    return [tag, *([NORMALIZED_MACROLANGUAGES[tag]] if tag in NORMALIZED_MACROLANGUAGES else [])]


def autonym(tag: str) -> str:
    """Return the name of a language in itself, if CLDR has it."""
    return str(next((own for reading in readings(tag) if (own := code_to_names(reading).get(reading))), ""))


def usual_script(tag: str) -> str:
    """Return the script that a BCP 47 tag need not name, if the IANA registry or CLDR says so."""
    for reading in readings(tag):
        if reading in DEFAULT_SCRIPTS:
            return str(DEFAULT_SCRIPTS[reading])
        if reading in LIKELY_SUBTAGS and reading not in NAMES:
            return str(LIKELY_SUBTAGS[reading]).split("-")[1]
    return ""


def languages() -> list[list[str]]:
    """Return the rows of the table of languages."""
    rows = []
    for language in iter_langs():
        if not language.pt3:
            continue
        tag = language.pt1 or language.pt3
        macro = language.macro()
        name = NAMES.get(language.pt3, language.name)
        codes = [language.pt1, language.pt2b, macro.pt3 if macro else ""]
        rows.append([language.pt3, name, autonym(tag), *codes, usual_script(tag), ""])
    rows += [[code, code_to_names(code)["en"], "", "", code, "", usual_script(code), ""] for code in COLLECTIONS]
    known = {row[0] for row in rows}
    tables = resources.files("iso639") / "data"
    deprecated = json.loads((tables / "iso-639_deprecated.json").read_text())["id"]
    for code, entry in deprecated.items():
        target = entry.get("change_to", "")
        target = next((row[0] for row in rows if target and target in (row[0], row[3])), "")
        if len(code) == 3 and code not in known and target:
            rows.append([code, entry["name"], "", "", "", "", "", target])
    return rows + [[code, "", "", "", "", "", "", target] for code, target in ALIASES.items()]


def scripts() -> list[list[str]]:
    """Return the rows of the table of scripts, without the codes for private use."""
    codes = [entry["Subtag"] for entry in parse_registry() if entry.get("Type") == "script"]
    return [[code, SCRIPTS.get(code) or code_to_names(code)["en"]] for code in codes if len(code) == 4]


def main() -> None:
    """Write the tables."""
    for name, rows in (("languages.tsv", languages()), ("scripts.tsv", scripts())):
        target = FOLDER / name
        target.write_text("".join("\t".join(row) + "\n" for row in sorted(rows)), encoding="utf-8")
        print(f"{target}: {len(rows)} rows, {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
