"""The words of each label of the default model: counted in every source, and the sources weighed against each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import corpora
import numpy as np
from corpora import Part, Parts

from unilid import plain
from unilid.corpus.counts import Counter, Words
from unilid.corpus.formats import Batch
from unilid.languages.labels import split
from unilid.models.vocabulary import offsets_of

Counts = dict[bytes, float]

LIST_SHARE = 0.5
"""A list of film subtitles or of the web weighs half as much as running text, if that is more than LIST_WORDS: it knows
the words of everyday life, which the sentences of translators lack."""
AS_WRITTEN = 0.3
"""This share of a word in a list without capitals has none, whatever is known of the word."""
MESSAGES_SHARE = 0.1
MESSAGES_SCALE = 0.2, 2.0
"""Where a label has more of other text, messages of user interfaces are made to weigh this share of it, within limits.
As they are, they make up a third of the text of one language and a hundredth of that of another, and each word of an
interface would be a word of the first."""
OTHER_CASE = 0.1
"""This share of a word's occurrences is read in small letters, and as many with a capital: people who chat write the
one, titles the other, and sentences, of which the corpora are made, know little of either."""
LEAST = 1.0
SIGN_SHARE = 0.12
SIGNS = 40
"""Languages known from lists alone get the signs and digits of running text in their script: this share of their words,
the commonest ones."""


def count(parts: Parts) -> tuple[tuple[str, ...], list[Words]]:
    """Return the labels and the words of each, all sources together."""
    sources: dict[str, dict[str, Part]] = defaultdict(dict)
    for (source, label), part in sorted(parts.items()):
        sources[label][source] = part
    labels = tuple(sorted(sources))
    words = [words_of(_in_other_cases(_weighed(label, sources[label]))) for label in labels]
    return labels, _with_signs(labels, _under_roofs(labels, words, parts))


def words_of(counts: Mapping[bytes, float]) -> Words:
    """Return words with counts in the order that estimation wants."""
    ordered = sorted(counts)
    return Words(b"".join(ordered), offsets_of(ordered), np.array([counts[word] for word in ordered], np.float64))


def _weighed(label: str, parts: Mapping[str, Part]) -> Counts:
    """Return the words of a label: running text as it is, lists and messages as much as they should weigh."""
    counts: Counts = defaultdict(float)
    messages: Counts = defaultdict(float)
    lists = {source: _counted(label, part) for source, part in parts.items() if part.counts is not None}
    for source, part in parts.items():
        if part.counts is None:
            _add(messages if source in corpora.INTERFACES else counts, _counted(label, part))
    text = sum(counts.values())
    for source, words in lists.items():
        if source not in corpora.LOWERCASE:
            _add(counts, _as_text_of(corpora.LIST_WORDS, words, LEAST))
    _add(counts, messages, _scale_of_messages(sum(messages.values()), text + corpora.LIST_WORDS * len(lists)))
    size = max(corpora.LIST_WORDS, LIST_SHARE * text)
    return _with_lowercase(
        counts, [_as_text_of(size, words, 0.0) for source, words in lists.items() if source in corpora.LOWERCASE]
    )


def _counted(label: str, part: Part) -> Counts:
    counter = Counter()
    counter.add(Batch([label] * len(part.lines), part.lines, part.counts))
    return dict(counter.take(0).pairs())


def _add(counts: Counts, more: Mapping[bytes, float], scale: float = 1.0) -> None:
    for word, count_ in more.items():
        counts[word] += scale * count_


def _scale_of_messages(messages: float, rest: float) -> float:
    if not 0 < messages < rest:
        return 1.0
    return float(np.clip(MESSAGES_SHARE * rest / messages, *MESSAGES_SCALE))


def _as_text_of(size: float, words: Counts, least: float) -> Counts:
    """Return the words of a list as if it were a text of a size at most, in which each occurs at least so often.

    A list whose rarest word would occur more than once in it was made from a smaller text, and is taken as that.
    """
    total = sum(words.values())
    if total <= size:
        return words
    scale = min(size / total, 1 / min(words.values()))
    return {word: max(count_ * scale, least) for word, count_ in words.items()}


def _with_lowercase(counts: Counts, lists: Sequence[Mapping[bytes, float]]) -> Counts:
    """Add lists without capitals: the count of a word is shared out among the forms that are known of it."""
    if not lists:
        return counts
    forms: dict[bytes, list[tuple[bytes, float]]] = defaultdict(list)
    for word, count_ in counts.items():
        forms[word.decode("utf-8", "replace").lower().encode()].append((word, count_))
    for words in lists:
        for word, count_ in words.items():
            known = forms.get(word) or [(word, 1.0)]
            total = sum(share for _, share in known)
            for form, share in known:
                counts[form] += (1 - AS_WRITTEN) * count_ * share / total
            counts[word] += AS_WRITTEN * count_
    return counts


def _in_other_cases(counts: Counts) -> Counts:
    """Let a share of each word be in small letters, and as much begin with a capital."""
    dotless = any("ı".encode() in word for word in counts)  # then i and I are not the same letter
    mixed: Counts = defaultdict(float)
    for word, count_ in counts.items():
        small = word.decode("utf-8", "replace").lower()
        large = small[:1] + small[1:2].upper() + small[2:]
        if len(small) < 3 or small[0] != " " or small == large or (dotless and small[1] in "iı"):
            mixed[word] += count_
            continue
        mixed[word] += (1 - 2 * OTHER_CASE) * count_
        for form in (small, large):
            mixed[form.encode()] += OTHER_CASE * count_
    return mixed


def _under_roofs(labels: Sequence[str], languages: list[Words], parts: Parts) -> list[Words]:
    """Let a roof know the words that OLDI Seed has under it: what the text is about then speaks for neither."""
    languages = list(languages)
    under: dict[str, list[bytes]] = defaultdict(list)
    for label, roof in corpora.roofs():
        if ("oldi_seed", label) in parts and roof in labels:
            under[roof] += parts["oldi_seed", label].lines
    for roof, lines in under.items():
        row = labels.index(roof)
        counts = dict(languages[row].pairs())
        for word in _counted(roof, Part(lines)):
            counts[word] = max(counts.get(word, 0.0), LEAST)
        languages[row] = words_of(counts)
    return languages


def _is_sign(word: bytes) -> bool:
    return plain.class_of(word.strip().decode("utf-8", "replace")[0]) in (plain.SIGN, plain.SPACE, plain.DIGIT)


def _with_signs(labels: Iterable[str], languages: list[Words]) -> list[Words]:
    """Give the signs and digits of running text to languages that are known from lists."""
    pools: dict[str, Counts] = defaultdict(lambda: defaultdict(float))
    bare = []
    for row, (label, words) in enumerate(zip(labels, languages, strict=True)):
        signs = [(word, count_) for word, count_ in words.pairs() if _is_sign(word)]
        share = sum(count_ for _, count_ in signs)
        if share < 0.05 * words.counts.sum():
            bare.append((row, label))
            continue
        for pool in (pools[split(label)[1] or ""], pools[""]):
            for word, count_ in signs:
                pool[word] += count_ / share
    commonest = {
        script: sorted(pool.items(), key=lambda pair: (-pair[1], pair[0]))[:SIGNS] for script, pool in pools.items()
    }
    languages = list(languages)
    for row, label in bare:
        signs = commonest.get(split(label)[1] or "", commonest.get("", []))
        weight = SIGN_SHARE * languages[row].counts.sum() / max(sum(share for _, share in signs), 1e-9)
        counts = defaultdict(float, languages[row].pairs())
        for word, share in signs:
            counts[word] += weight * share
        languages[row] = words_of(counts)
    return languages
