"""What a label means: language, script, names, macrolanguage. From ISO 639-3, in a table inside the package."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Language:
    """A language of ISO 639-3."""

    code: str
    name: str
    """In English."""
    autonym: str | None
    """In the language itself, where known."""
    two_letters: str | None
    """ISO 639-1."""
    bibliographic: str | None
    """ISO 639-2/B."""
    macrolanguage: str | None
    """The code of the macrolanguage that it is part of."""


@cache
def _table() -> tuple[dict[str, Language], dict[str, str]]:
    """Return the languages by their code, and other codes with what they mean."""
    languages: dict[str, Language] = {}
    others: dict[str, str] = {}
    text = (resources.files("unilid") / "languages.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        code, name, autonym, two, bibliographic, macro, instead = line.split("\t")
        if instead:
            others[code] = instead
            continue
        languages[code] = Language(code, name, autonym or None, two or None, bibliographic or None, macro or None)
        for other in (two, bibliographic):
            if other:
                others.setdefault(other, code)
    return languages, others


def language(code: str) -> Language | None:
    """Return the language of an ISO 639 code of any part, old ones included; None if there is none.

    >>> language("de").name, language("ger").code, language("iw").code, language("arb").macrolanguage
    ('German', 'deu', 'heb', 'ara')
    """
    languages, others = _table()
    return languages.get(code) or languages.get(others.get(code, ""))


def split(label: str) -> tuple[str, str | None]:
    """Return the language and the script of a label.

    >>> split("srp_Cyrl"), split("deu"), split("zh-Hant"), split("PT-BR")
    (('srp', 'Cyrl'), ('deu', None), ('zh', 'Hant'), ('PT-BR', None))
    """
    base, _, script = label.replace("-", "_").rpartition("_")
    if base and len(script) == 4 and script.isalpha() and script.istitle():
        return label[: len(base)], script
    return label, None


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
