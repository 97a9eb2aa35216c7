"""What a label means: language, script, names, macrolanguage. From ISO 639-3 and CLDR, in tables inside the package."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

# RFC 5646: language, extended language, script, region, variants, extensions.
_BCP47 = (
    r"([a-z]{2,3})(?:-([a-z]{3}))?(?:-([a-z]{4}))?(?:-([a-z]{2}|[0-9]{3}))?"
    r"((?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)(?:-[a-z0-9](?:-[a-z0-9]{2,8})+)*"
)


class Language(NamedTuple):
    """A language of ISO 639-3."""

    code: str
    name: str
    """In English."""
    autonym: str | None
    """In the language itself, where known."""
    two_letters: str | None
    """ISO 639-1."""
    bibliographic: str | None
    """ISO 639-2/B; 639-2/T is the code itself where there is one."""
    macrolanguage: str | None
    """The code of the macrolanguage that it is part of."""
    script: str | None
    """The one that goes without saying, where CLDR knows."""


class Tag(NamedTuple):
    """The parts of a label or of a BCP 47 tag."""

    language: str
    """In ISO 639-3 if known, else the label's own part."""
    script: str | None = None
    region: str | None = None
    variants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is known of a label."""

    label: str
    language: str
    """In ISO 639-3 if known, else the label's own part."""
    name: str
    """In English; the label itself where unknown."""
    autonym: str | None = None
    iso639_1: str | None = None
    iso639_2: str | None = None
    """The bibliographic code and the other, where there are two: ``ger/deu``."""
    iso639_3: str | None = None
    bcp47: str | None = None
    """The shortest tag: without the script that goes without saying."""
    script: str | None = None
    """ISO 15924."""
    script_name: str | None = None
    macrolanguage: str | None = None
    """The code of the macrolanguage that the language is part of."""
    macrolanguage_name: str | None = None

    def names(self) -> list[str]:
        """Return what the label may be searched by, `folded`."""
        return [folded(name) for name in (self.label, self.name, self.autonym) if name]


@cache
def _table() -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return the rows of the languages by their code, and other codes with what they mean."""
    rows: dict[str, list[str]] = {}
    others: dict[str, str] = {}
    for line in _read("languages.tsv"):
        code, *cells, instead = line.split("\t")
        if instead:
            others[code] = instead
            continue
        rows[code] = cells
        for other in cells[2:4]:
            if other:
                others.setdefault(other, code)
    return rows, others


@cache
def scripts() -> dict[str, str]:
    """Return the scripts of ISO 15924: their codes and English names."""
    return dict(line.split("\t") for line in _read("scripts.tsv"))


def _read(name: str) -> list[str]:
    return Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()


def language(code: str) -> Language | None:
    """Return the language of an ISO 639 code of any part, old ones included; None if there is none.

    >>> language("de").name, language("ger").code, language("iw").code, language("arb").macrolanguage
    ('German', 'deu', 'heb', 'ara')
    """
    rows, others = _table()
    code = code if code in rows else others.get(code, "")
    if code not in rows:
        return None
    name, *cells = rows[code]
    return Language(code, name, *(cell or None for cell in cells))


def split(label: str) -> tuple[str, str | None]:
    """Return the language and the script of a label.

    >>> split("srp_Cyrl"), split("deu"), split("zh-Hant"), split("PT-BR")
    (('srp', 'Cyrl'), ('deu', None), ('zh', 'Hant'), ('PT-BR', None))
    """
    base, _, script = label.replace("-", "_").rpartition("_")
    if base and len(script) == 4 and script.isalpha() and script.istitle():
        return label[: len(base)], script
    return label, None


def parse(label: str) -> Tag:
    """Return the parts of a label or of a BCP 47 tag; of what is neither, what `split` makes of it.

    >>> parse("zh-hant-TW"), parse("PT-BR").language, parse("zh-yue").language
    (Tag(language='zho', script='Hant', region='TW', variants=()), 'por', 'yue')
    >>> parse("Berndeutsch_Latn")
    Tag(language='Berndeutsch', script='Latn', region=None, variants=())
    """
    match = re.fullmatch(_BCP47, label.replace("_", "-").lower())
    if match:
        base, extended, script, region, variants = match.groups()
        found = language(base)
        if extended:  # written behind the macrolanguage that it is part of
            member = language(extended)
            found = member if found and member and member.macrolanguage == found.code else None
        script = script and script.title()
        if (found or not extended) and (script is None or script in scripts()):
            region = region and region.upper()
            return Tag(found.code if found else base, script, region, tuple(variants.split("-")[1:]))
    return Tag(*split(label))


@cache
def meaning(label: str) -> Meaning:
    """Return what is known of a label.

    >>> found = meaning("arz_Arab")
    >>> found.name, found.language, found.script_name, found.macrolanguage_name
    ('Egyptian Arabic', 'arz', 'Arabic', 'Arabic')
    >>> [meaning(label).bcp47 for label in ("deu_Latn", "srp_Cyrl", "srp_Latn", "ace_Arab")]
    ['de', 'sr', 'sr-Latn', 'ace-Arab']
    """
    tag = parse(label)
    script_name = None if tag.script is None else scripts().get(tag.script)
    found = language(tag.language)
    if found is None:
        return Meaning(label, tag.language, label, script=tag.script, script_name=script_name)
    macro = language(found.macrolanguage) if found.macrolanguage else None
    written = None if tag.script == found.script else tag.script
    subtags = [found.two_letters or found.code, written, tag.region, *tag.variants]
    return Meaning(
        label,
        found.code,
        found.name,
        found.autonym,
        found.two_letters,
        found.bibliographic and "/".join(dict.fromkeys([found.bibliographic, found.code])),
        found.code,
        "-".join(filter(None, subtags)),
        tag.script,
        script_name,
        found.macrolanguage,
        macro.name if macro else None,
    )


def folded(text: str) -> str:
    """Return a text without case and accents.

    >>> folded("Kölsch"), folded("Tiếng Việt")
    ('kolsch', 'tieng viet')
    """
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in parts if not unicodedata.combining(character)).strip()


def with_macrolanguage(label: str) -> str:
    """Return the label with its language replaced by the macrolanguage that it belongs to, in ISO 639-3.

    >>> with_macrolanguage("arz_Arab"), with_macrolanguage("deu_Latn"), with_macrolanguage("zxx")
    ('ara_Arab', 'deu_Latn', 'zxx')
    >>> with_macrolanguage("nb"), with_macrolanguage("no")
    ('nor', 'nor')
    """
    base, script = split(label)
    found = language(base)
    if found is None:
        return label
    code = found.macrolanguage or found.code
    return code if script is None else f"{code}_{script}"


def without_script(label: str) -> str:
    """Return the label without its script.

    >>> without_script("srp_Cyrl"), without_script("deu")
    ('srp', 'deu')
    """
    return split(label)[0]
