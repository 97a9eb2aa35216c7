"""Which labels of a model a code stands for: ISO 639 of any part, BCP 47 tags, macrolanguages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from unilid.errors import UnilidError, UnknownLanguageError
from unilid.languages.iso639 import iso_language
from unilid.languages.labels import Tag, folded, meaning, parse

_WIDER = {"Aran": "Arab", "Hang": "Kore", "Hans": "Hani", "Hant": "Hani"}
"""Scripts that are part of another one of ISO 15924."""
_NEAR = 3
"""Labels that are offered where a code is unknown, at most."""
_SIMILAR = 0.75
"""How alike two names are, from 0 to 1 (difflib), where one may have been meant by the other."""


class Index:
    """The labels of a model by what they mean.

    >>> labels = ("arb_Arab", "arz_Arab", "est_Latn", "srp_Cyrl", "srp_Latn")
    >>> index = Index(labels)
    >>> [[labels[row] for row in index.rows_matching(code)] for code in ("ar", "ekk", "sr-Cyrl", "et-EE")]
    [['arb_Arab', 'arz_Arab'], ['est_Latn'], ['srp_Cyrl'], ['est_Latn']]
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

    def rows_matching(self, code: str) -> list[int]:
        """Return the rows that a code stands for, in their order; at least one.

        A label of the model stands for itself. A macrolanguage stands for its members too; a member that has no label
        of its own, for the label of its macrolanguage. Without a script, all scripts are meant; a label that names none
        is taken for any. A region counts where labels name it.
        """
        rows: list[int] = []
        if isinstance(code, str):
            tag = parse(code)
            exact = self._row_of.get(code)
            rows = self._narrowed(self._spoken(tag.code), tag) if exact is None else [exact]
        if not rows:
            raise self._unknown(code)
        return rows

    def rows_of_all(self, codes: Iterable[str]) -> list[int]:
        """Return the distinct rows that some codes stand for, in the order of the codes."""
        if isinstance(codes, str | bytes) or not isinstance(codes, Iterable):
            raise UnilidError(f"languages must be a list of labels or codes, not {codes!r}")
        return list(dict.fromkeys(row for code in codes for row in self.rows_matching(code)))

    def _unknown(self, code: object) -> UnknownLanguageError:
        """Return the error for a code that stands for nothing, with what may have been meant."""
        language = iso_language(parse(code).code) if isinstance(code, str) else None
        near = [meaning(self.labels[row]) for row in self._near(str(code))]
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
        """Return the rows of a language, in any script."""
        return self._families.get(code) or self._own.get(_macrolanguage(code) or "", [])

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

        named = parse(code).code
        if iso_language(named) or named in self._own:
            return self._spoken(named)[:_NEAR]
        rows: dict[str, list[int]] = {}
        for row, label in enumerate(self.labels):
            for name in meaning(label).names():
                rows.setdefault(name, []).append(row)
        query = folded(code)
        near = [query] if query in rows else difflib.get_close_matches(query, rows, _NEAR, _SIMILAR)
        return list(dict.fromkeys(row for name in near for row in rows[name]))[:_NEAR]


def _related(script: str | None, other: str) -> bool:
    return script is None or _WIDER.get(script) == other or _WIDER.get(other) == script


def _macrolanguage(code: str) -> str | None:
    language = iso_language(code)
    return language.macrolanguage if language else None
