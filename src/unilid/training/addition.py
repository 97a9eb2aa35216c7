"""Languages for a model that exists: added or learned anew, and measured on lines that were held out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from unilid.corpus.counts import counted_lines
from unilid.corpus.formats import lines_of_labels
from unilid.decisions.held_out import without_last
from unilid.errors import UnilidError, UnknownLanguageError
from unilid.languages.labels import meaning, parse, split
from unilid.model import Model
from unilid.models.scripts import of_words
from unilid.threads import Threads

HELD_OUT = 5
"""Of so many distinct lines, one is held out."""

_WRITTEN_IN = {
    "Hans": {"Hani"},
    "Hant": {"Hani"},
    "Jpan": {"Hani", "Hira", "Kana"},
    "Kore": {"Hang", "Hani"},
}
"""Codes of ISO 15924 for several scripts, or for a form of one."""


@dataclass(frozen=True, slots=True)
class Addition:
    """What is known of a language that was added; figures are of held-out lines."""

    label: str
    lines: int
    held_out: int
    """Its last distinct lines, a fifth, of which no copy was learned for this. There are none of fewer than five."""
    right: int
    """How many of them are answered with the label."""
    taken_for: Mapping[str, int] = field(default_factory=dict)
    """What the others are taken for, most frequent first."""
    before: Mapping[str, int] = field(default_factory=dict)
    """What the right ones were taken for by the model as it was: what the language takes from its neighbours."""
    scripts: tuple[str, ...] = ()
    """The scripts of its words, most frequent first."""
    known_as: tuple[str, ...] = ()
    """The other labels under which the model as it was knows the language; texts may now get either."""

    @property
    def in_another_script(self) -> bool:
        """Whether the label names a script that the text is not mainly written in."""
        script = split(self.label)[1]
        return bool(script and self.scripts) and self.scripts[0] not in _WRITTEN_IN.get(str(script), {script})


def add(
    model: Model,
    corpus: Mapping[str, Iterable[str | bytes]],
    *,
    anew: bool = False,
    about: Mapping[str, str] | None = None,
    threads: Threads = "auto",
) -> tuple[Model, list[Addition]]:
    """Return a model that also knows some languages, and how well it does. No row of another language changes.

    Parameters
    ----------
    model
        Any model.
    corpus
        The lines of each label.
    anew
        Whether labels that the model knows are learned anew, from these lines alone: a model keeps no counts, so what
        it learned before is not part of it. They keep their rows, their prior and their handicaps.
    about
        What is kept of them in the model's `info`: name, autonym, source, licence.
    threads
        How many threads work; ``"auto"``: as many as this process has cores.

    Examples
    --------
    >>> import unilid
    >>> lines = ["Kalimera, ti kaneis simera?", "Pou einai o stathmos?", "Tha ithela enan kafe kai ligo nero."]
    >>> lines += ["Den katalavaino ti les.", "Simera den ekserei kaneis pou einai o pappous kai ti kanei."]
    >>> model, [greek] = add(unilid.load(), {"ell_Latn": lines})
    >>> greek.lines, greek.held_out, greek.right
    (5, 1, 1)
    """
    texts = lines_of_labels(corpus)
    known = [label for label in texts if label in model.languages]
    if known and not anew:
        raise UnilidError(
            f"the model knows {known[0]} already; --anew learns it from these lines alone, so give the old ones too"
        )
    parts = {label: without_last(lines, len(set(lines)) // HELD_OUT) for label, lines in texts.items()}
    added = _with(model, texts, known, threads)
    some = {label: kept for label, (kept, held) in parts.items() if held}
    measured = _with(model, some, [label for label in known if label in some], threads) if some else added
    results = [_measured(model, measured, label, texts[label], held, threads) for label, (_, held) in parts.items()]
    if about:
        noted = dict(model.info.get("added") or {})
        noted |= {label: {**about, "lines": len(lines)} for label, lines in texts.items()}
        added = replace(added, info={**model.info, "added": noted})
    return added, results


def _with(model: Model, texts: Mapping[str, list[bytes]], known: Sequence[str], threads: Threads) -> Model:
    """Add languages; those that are known take their old places."""
    if not known:
        return model.add_languages(texts, threads=threads)
    if len(known) == len(model.languages):
        raise UnilidError("every language of the model would be learned anew; `unilid train` does that")
    added = model.remove_languages(known).add_languages(texts, threads=threads)
    new = [label for label in added.languages if label not in model.languages]
    added = added.subset([*model.languages, *new])
    before, decisions = model.decisions, added.decisions
    if before.prior is not None and not new:
        decisions = replace(decisions, prior=before.prior)
    if before.handicaps is not None:
        handicaps = np.concatenate([before.handicaps, np.full(len(new), before.handicaps.mean())])
        decisions = replace(decisions, handicaps=handicaps)
    return replace(added, decisions=decisions)


def _measured(
    before: Model, after: Model, label: str, lines: list[bytes], held: list[bytes], threads: Threads
) -> Addition:
    answers: list[Any] = after.identify(held, threads=threads)
    earlier: list[Any] = before.identify(held, threads=threads)
    right = [answer.label == label for answer in answers]
    wrong = Counter(answer.label for answer, is_right in zip(answers, right, strict=True) if not is_right)
    neighbours = Counter(answer.label for answer, is_right in zip(earlier, right, strict=True) if is_right)
    del neighbours[label]  # of one that is learned anew
    return Addition(
        label,
        len(lines),
        len(held),
        sum(right),
        dict(wrong.most_common()),
        dict(neighbours.most_common()),
        of_words(counted_lines({label: lines}).words[0]),
        _known_as(before, label),
    )


def _known_as(model: Model, label: str) -> tuple[str, ...]:
    """Return the other labels under which a model knows the language of a label that is new to it."""
    tag = parse(label)
    if label in model.languages or tag.region or tag.variants:  # a variety may have a label of its own
        return ()
    try:
        known = [model.languages[row] for row in model.rows_matching(label)]
    except UnknownLanguageError:
        return ()
    # The label of a macrolanguage may stand for a member that has none, and the member is what is new.
    return tuple(other for other in known if meaning(other).code != meaning(label).macrolanguage)
