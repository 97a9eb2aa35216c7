"""Which labels of a model a code stands for: ISO 639 of any part, BCP 47 tags, macrolanguages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from unilid.errors import UnilidError, UnknownLanguageError
from unilid.languages.iso639 import iso_language
from unilid.languages.labels import Tag, folded, meaning, parse
from unilid.languages.usual import WIDER, usual_languages, usual_scripts

_NEAR = 3
"""Labels that are offered where a code is unknown, at most."""
_SIMILAR = 0.75
"""How alike two names are, from 0 to 1 (difflib), where one may have been meant by the other."""


class Index:
    """The labels of a model by what they mean.

    >>> labels = ("arb_Arab", "arz_Arab", "est_Latn", "hin_Deva", "hin_Latn", "srp_Cyrl", "srp_Latn")
    >>> index = Index(labels)
    >>> [[labels[row] for row in index.rows_matching(code)] for code in ("ar", "ar-*", "ekk", "et-EE")]
    [['arb_Arab'], ['arb_Arab', 'arz_Arab'], ['est_Latn'], ['est_Latn']]
    >>> [[labels[row] for row in index.rows_matching(code)] for code in ("hi", "hi-Latn", "sr", "sr-Cyrl")]
    [['hin_Deva'], ['hin_Latn'], ['srp_Cyrl', 'srp_Latn'], ['srp_Cyrl']]
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = tuple(labels)
        self._row_of = {label: row for row, label in enumerate(labels)}

    def __contains__(self, label: object) -> bool:
        """Say whether a model has exactly this label."""
        return label in self._row_of

    def row_of(self, label: str) -> int:
        """Return the row of exactly this label."""
        try:
            return self._row_of[label]
        except (KeyError, TypeError):
            raise self._unknown(label) from None

    def rows_matching(self, code: str, *, everything: bool = False) -> list[int]:
        """Return the rows that a code stands for, in their order; at least one.

        A label of the model stands for itself. Any other code means what it means in practice: of a macrolanguage, the
        language that it is used for, in the scripts that are usual (`usual.tsv`; else the script that CLDR says). A tag
        with a script means that script of the same language; ``*`` behind the language means all that it can stand
        for: every member of a macrolanguage, in every script or in the one that is named (``zh-*``, ``zh-*-Latn``).
        `everything` means it, too.

        What the model lacks is not missed: a macrolanguage whose usual member has no label, or not in that script,
        stands for the others, a language that is not there in a usual script for those that are, a member without a
        label for the label of its macrolanguage. A label that names no script is taken for any. A region counts where
        labels name it, and where the table does.
        """
        rows = self.rows_found(code, everything=everything)
        if not rows:
            raise self._unknown(code)
        return rows

    def rows_found(self, code: object, *, everything: bool = False) -> list[int]:
        """Return what `rows_matching` does, or nothing: it does not search for what may have been meant."""
        if not isinstance(code, str):
            return []
        exact = self._row_of.get(code)
        return self._meant(code, everything=everything) if exact is None else [exact]

    def rows_of_all(self, codes: Iterable[str]) -> list[int]:
        """Return the distinct rows that some codes stand for, in the order of the codes."""
        if isinstance(codes, str | bytes) or not isinstance(codes, Iterable):
            raise UnilidError(f"languages must be a list of labels or codes, not {codes!r}")
        return list(dict.fromkeys(row for code in codes for row in self.rows_matching(code)))

    def _unknown(self, code: object) -> UnknownLanguageError:
        """Return the error for a code that stands for nothing, with what may have been meant."""
        if not isinstance(code, str):
            return UnknownLanguageError(f"a language is named by a str, such as 'deu_Latn' or 'de', not by {code!r}")
        language = iso_language(parse(_without_stars(code)).code)
        near = [meaning(self.labels[row]) for row in self._near(code)]
        names = [m.label if m.name == m.label else f"{m.label} ({m.name})" for m in near]
        hint = f"did you mean {' or '.join(names)}?" if names else "`unilid languages` lists what it knows"
        named = f" ({language.name})" if language else ""
        return UnknownLanguageError(f"the model does not know the language {code!r}{named}; {hint}")

    @cached_property
    def _tags(self) -> list[Tag]:
        return [parse(label) for label in self.labels]

    @cached_property
    def _own(self) -> dict[str, list[int]]:
        """The rows by their language."""
        rows: dict[str, list[int]] = {}
        for row, tag in enumerate(self._tags):
            rows.setdefault(tag.code, []).append(row)
        return rows

    @cached_property
    def _families(self) -> dict[str, list[int]]:
        """The rows by their language and by the macrolanguage that it is part of."""
        families = {code: list(rows) for code, rows in self._own.items()}
        for code, rows in self._own.items():
            macro = _macrolanguage(code)
            if macro:
                families[macro] = sorted(families.get(macro, []) + rows)
        return families

    def _spoken(self, code: str) -> list[int]:
        """Return the rows of all that a language can stand for, in any script."""
        others = (_macrolanguage(code) or "", *usual_languages(code))
        return self._families.get(code) or [row for other in others for row in self._own.get(other, [])]

    def _meant(self, code: str, *, everything: bool = False) -> list[int]:
        """Return the rows that a code stands for, which is no label of the model."""
        plain = _without_stars(code)
        tag = parse(plain)
        all_rows = self._spoken(tag.code)
        if everything or plain != code:
            return self._narrowed(all_rows, tag)
        regional = usual_languages(tag.code, tag.region) if tag.region else ()
        for languages in (regional, (tag.code,), usual_languages(tag.code)):
            rows = self._narrowed([row for row in all_rows if self._tags[row].code in languages], tag)
            if rows:
                break
        else:
            rows = self._narrowed(all_rows, tag)
        return rows if tag.script else self._usually_written(rows, tag.region)

    def _usually_written(self, rows: list[int], region: str | None) -> list[int]:
        """Return the rows in the usual scripts of their languages; of a language that has none of these, all."""

        def usual(row: int) -> bool:
            tag = self._tags[row]
            return any(
                tag.script == script or _related(tag.script, script) for script in usual_scripts(tag.code, region)
            )

        kept = set(filter(usual, rows))
        found = {self._tags[row].code for row in kept}
        return [row for row in rows if row in kept or self._tags[row].code not in found]

    def _narrowed(self, rows: list[int], tag: Tag) -> list[int]:
        """Return the rows that have the script, the region and the variants of a tag."""
        if tag.script:
            scripts = {row: self._tags[row].script for row in rows}
            same = [row for row in rows if scripts[row] == tag.script]
            rows = same or [row for row in rows if _related(scripts[row], tag.script)]
        if tag.region:
            regions = {row: self._tags[row].region for row in rows}
            same = [row for row in rows if regions[row] == tag.region]
            rows = same or [row for row in rows if regions[row] is None] or rows
        return [row for row in rows if set(tag.variants) <= set(self._tags[row].variants)]

    def _near(self, code: str) -> list[int]:
        """Return the rows of the language that was named, else of labels and names that are written nearly so."""
        import difflib  # here, because it is needed only where a code is unknown

        named = parse(_without_stars(code)).code
        if iso_language(named) or named in self._own:
            return list(dict.fromkeys([*self._meant(named), *self._spoken(named)]))[:_NEAR]
        rows: dict[str, list[int]] = {}
        for row, label in enumerate(self.labels):
            for name in meaning(label).names():
                rows.setdefault(name, []).append(row)
        query = folded(code)
        near = [query] if query in rows else difflib.get_close_matches(query, rows, _NEAR, _SIMILAR)
        return list(dict.fromkeys(row for name in near for row in rows[name]))[:_NEAR]


def _without_stars(code: str) -> str:
    """Return a code without what asks for everything."""
    return re.sub(r"[-_]\*(?=[-_]|$)", "", code)


def _related(script: str | None, other: str) -> bool:
    return script is None or WIDER.get(script) == other or WIDER.get(other) == script


def _macrolanguage(code: str) -> str | None:
    language = iso_language(code)
    return language.macrolanguage if language else None
