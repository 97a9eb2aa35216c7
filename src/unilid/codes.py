"""Which labels of a model a code stands for: ISO 639 of any part, BCP 47 tags, macrolanguages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from unilid.errors import UnknownLanguageError
from unilid.labels import Tag, folded, language, meaning, parse

_WIDER = {"Aran": "Arab", "Hang": "Kore", "Hans": "Hani", "Hant": "Hani"}
"""Scripts that are part of another one of ISO 15924."""
_NEAR = 3
_SIMILAR = 0.75


class Index:
    """The labels of a model by what they mean.

    >>> labels = ("arb_Arab", "arz_Arab", "est_Latn", "srp_Cyrl", "srp_Latn")
    >>> index = Index(labels)
    >>> [[labels[row] for row in index.rows(code)] for code in ("ar", "ekk", "sr-Cyrl", "et-EE")]
    [['arb_Arab', 'arz_Arab'], ['est_Latn'], ['srp_Cyrl'], ['est_Latn']]
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self._labels = tuple(labels)
        self.exact = {label: row for row, label in enumerate(labels)}
        """The rows by their labels."""

    def rows(self, code: str) -> list[int]:
        """Return the rows that a code stands for, in their order; none if the model does not know it.

        A label of the model stands for itself. A macrolanguage stands for its members too; a member that has no label
        of its own, for the label of its macrolanguage. Without a script, all scripts are meant; a label that names none
        is taken for any. A region counts where labels name it.
        """
        if not isinstance(code, str):
            return []
        if code in self.exact:
            return [self.exact[code]]
        tag = parse(code)
        return self._narrowed(self._spoken(tag.language), tag)

    def unknown(self, code: object) -> UnknownLanguageError:
        """Return the error for a code that stands for nothing, with what may have been meant."""
        found = language(parse(code).language) if isinstance(code, str) else None
        near = [meaning(self._labels[row]) for row in self._near(str(code))]
        names = [m.label if m.name == m.label else f"{m.label} ({m.name})" for m in near]
        hint = f"did you mean {' or '.join(names)}?" if names else "`unilid languages` lists what it knows"
        named = f" ({found.name})" if found else ""
        return UnknownLanguageError(f"the model does not know the language {code!r}{named}; {hint}")

    @cached_property
    def _tags(self) -> list[Tag]:
        return [parse(label) for label in self._labels]

    @cached_property
    def _own(self) -> dict[str, list[int]]:
        """The rows by their language."""
        found: dict[str, list[int]] = {}
        for row, tag in enumerate(self._tags):
            found.setdefault(tag.language, []).append(row)
        return found

    @cached_property
    def _families(self) -> dict[str, list[int]]:
        """The rows by their language and by the macrolanguage that it is part of."""
        found = {code: list(rows) for code, rows in self._own.items()}
        for code, rows in self._own.items():
            macro = _macrolanguage(code)
            if macro:
                found[macro] = sorted(found.get(macro, []) + rows)
        return found

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
        import difflib

        named = parse(code).language
        if language(named) or named in self._own:
            return self._spoken(named)[:_NEAR]
        rows: dict[str, list[int]] = {}
        for row, label in enumerate(self._labels):
            for name in meaning(label).names():
                rows.setdefault(name, []).append(row)
        written = folded(code)
        near = [written] if written in rows else difflib.get_close_matches(written, rows, _NEAR, _SIMILAR)
        found = [row for name in near for row in rows[name]]
        return list(dict.fromkeys(found))[:_NEAR]


def _related(script: str | None, other: str) -> bool:
    return script is None or _WIDER.get(script) == other or _WIDER.get(other) == script


def _macrolanguage(code: str) -> str | None:
    found = language(code)
    return found.macrolanguage if found else None
