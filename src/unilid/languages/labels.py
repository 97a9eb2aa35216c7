"""Labels: how they are written, which ones are reserved, and what is known of the language that one names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from unilid._kernel import MAX_LANGUAGES
from unilid.errors import CorpusError, UnilidError
from unilid.languages.iso639 import iso_language, scripts
from unilid.languages.usual import WIDER, Codes, two_letters, usual_scripts

NO_LANGUAGE = "zxx"
"""The answer for a text with nothing linguistic in it (ISO 639)."""
UNDETERMINED = "und"
"""The answer where the model cannot tell, or knows nothing like the text (ISO 639)."""
RESERVED = (NO_LANGUAGE, UNDETERMINED)
"""Answers that are not languages, and therefore cannot be labels of a model."""

# RFC 5646: language, extended language, script, region, variants, extensions.
_BCP47 = (
    r"([a-z]{2,3})(?:-([a-z]{3}))?(?:-([a-z]{4}))?(?:-([a-z]{2}|[0-9]{3}))?"
    r"((?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)(?:-[a-z0-9](?:-[a-z0-9]{2,8})+)*"
)


def syntax_problem(label: str) -> str | None:
    """Say what is wrong with how a label is written: one must survive a line of TSV.

    >>> syntax_problem("deu_Latn"), syntax_problem("deu Latn")
    (None, 'has whitespace or control characters')
    """
    if not label:
        return "is empty"
    return "has whitespace or control characters" if " " in label or not label.isprintable() else None


def check_label(label: object) -> None:
    """Refuse what cannot be a label of a model."""
    if not isinstance(label, str):
        raise CorpusError(f"{label!r} cannot be a label: expected a string")
    problem = "is the answer for a text that is no language" if label in RESERVED else syntax_problem(label)
    if problem:
        raise CorpusError(f"{label!r} cannot be a label: it {problem}")


def check_number_of_labels(labels: Collection[str]) -> None:
    """Refuse more labels than a model has room for."""
    if len(labels) > MAX_LANGUAGES:
        raise CorpusError(f"{len(labels)} labels; a model has room for {MAX_LANGUAGES}")


class Tag(NamedTuple):
    """The parts of a label or of a BCP 47 tag."""

    code: str
    """In ISO 639-3 if known, else the label's own part."""
    script: str | None = None
    region: str | None = None
    variants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is known of a label."""

    label: str
    code: str
    """In ISO 639-3 if known, else the label's own part."""
    name: str
    """In English; the label itself where unknown."""
    autonym: str | None = None
    iso639_1: str | None = None
    """The code of two letters that the language goes by: its own, or that of its macrolanguage, if used for it.

    So Mandarin is ``zh``, Standard Arabic ``ar`` and Iranian Persian ``fa``; Cantonese, Egyptian Arabic and Dari have
    none. ``usual.tsv`` says which languages a macrolanguage's code is used for.
    """
    iso639_2: str | None = None
    """The bibliographic code and the other, where there are two: ``ger/deu``."""
    iso639_3: str | None = None
    bcp47: str | None = None
    """The shortest tag: ``iso639_1`` where there is one, without the script that goes without saying.

    ``de``, ``zh`` and ``zh-Hant``, ``sr`` and ``sr-Latn``, ``hi-Latn``, ``yue``. Languages that share a code of two
    letters, as Northern and Southern Pashto do, share the tag.
    """
    script: str | None = None
    """ISO 15924."""
    script_name: str | None = None
    macrolanguage: str | None = None
    """The code of the macrolanguage that the language is part of."""
    macrolanguage_name: str | None = None

    def names(self) -> list[str]:
        """Return what the label may be searched by, `folded`."""
        return [folded(name) for name in (self.label, self.name, self.autonym) if name]


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

    >>> parse("zh-hant-TW"), parse("PT-BR").code, parse("zh-yue").code
    (Tag(code='zho', script='Hant', region='TW', variants=()), 'por', 'yue')
    >>> parse("Berndeutsch_Latn")
    Tag(code='Berndeutsch', script='Latn', region=None, variants=())
    """
    match = re.fullmatch(_BCP47, label.replace("_", "-").lower())
    if match:
        base, extended, script, region, variants = match.groups()
        language = iso_language(base)
        if extended:  # written behind the macrolanguage that it is part of
            member = iso_language(extended)
            language = member if language and member and member.macrolanguage == language.code else None
        script = script and script.title()
        if (language or not extended) and (script is None or script in scripts()):
            region = region and region.upper()
            return Tag(language.code if language else base, script, region, tuple(variants.split("-")[1:]))
    return Tag(*split(label))


def meaning(label: str) -> Meaning:
    """Return what is known of a label.

    >>> arabic = meaning("arz_Arab")
    >>> arabic.name, arabic.code, arabic.script_name, arabic.macrolanguage_name
    ('Egyptian Arabic', 'arz', 'Arabic', 'Arabic')
    >>> [meaning(label).bcp47 for label in ("deu_Latn", "srp_Latn", "cmn_Hans", "cmn_Hant", "arz_Arab", "ace_Arab")]
    ['de', 'sr-Latn', 'zh', 'zh-Hant', 'arz', 'ace-Arab']
    >>> [meaning(label).iso639_1 for label in ("deu_Latn", "cmn_Hant", "arb_Arab", "arz_Arab")]
    ['de', 'zh', 'ar', None]
    """
    if not isinstance(label, str):
        raise UnilidError(f"a label is a str, not {type(label).__name__}")
    return _meaning(label)


@cache
def _meaning(label: str) -> Meaning:
    tag = parse(label)
    script_name = None if tag.script is None else scripts().get(tag.script)
    language = iso_language(tag.code)
    if language is None:
        return Meaning(label, tag.code, label, script=tag.script, script_name=script_name)
    macro = iso_language(language.macrolanguage) if language.macrolanguage else None
    iso639_1 = two_letters(language.code)
    goes_without_saying = usual_scripts(language.code)[:1]
    usual = tag.script in goes_without_saying or WIDER.get(tag.script or "") in goes_without_saying
    subtags = [iso639_1 or language.code, None if usual else tag.script, tag.region, *tag.variants]
    return Meaning(
        label,
        language.code,
        language.name,
        language.autonym,
        iso639_1,
        language.bibliographic and "/".join(dict.fromkeys([language.bibliographic, language.code])),
        language.code,
        "-".join(filter(None, subtags)),
        tag.script,
        script_name,
        language.macrolanguage,
        macro.name if macro else None,
    )


def written_as(label: str, codes: Codes) -> str:
    """Return what a label is written as: itself or a code; ``zxx`` and ``und`` stay what they are.

    ``"bcp47"`` is the tag. ``"iso639_1"`` is the code of two letters, and of a language that has none its code of ISO
    639-3. ``"macro"`` is the macrolanguage in ISO 639-3, or else the language. A label that nobody knows stays.

    >>> [written_as("cmn_Hant", codes) for codes in ("label", "bcp47", "iso639_1", "macro")]
    ['cmn_Hant', 'zh-Hant', 'zh', 'zho']
    >>> [written_as(label, "iso639_1") for label in ("yue_Hant", "spam", "zxx")]
    ['yue', 'spam', 'zxx']
    """
    if codes == "label":
        return label
    meant = meaning(label)
    if codes == "bcp47":
        return meant.bcp47 or label
    first = meant.iso639_1 if codes == "iso639_1" else meant.macrolanguage
    return first or meant.iso639_3 or label


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
    language = iso_language(base)
    if language is None:
        return label
    code = language.macrolanguage or language.code
    return code if script is None else f"{code}_{script}"


def without_script(label: str) -> str:
    """Return the label without its script.

    >>> without_script("srp_Cyrl"), without_script("deu")
    ('srp', 'deu')
    """
    return split(label)[0]
