"""The kernel once more, in plain Python: slow, short, and the oracle of the tests.

Read this to learn how unilid works. Words, lattices, EM, Viterbi, the forward algorithm and Kneser-Ney, in the order in
which text flows through them.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from unilid._unicode import FOLDS, LETTER, MARK, RUNS, SIGN, SPACE

MAX_WORD_BYTES = 120
_STARTS = [start for start, _ in RUNS]
_SMALL = {
    chr(capital): chr(capital + distance)
    for first, last, step, distance in FOLDS
    for capital in range(first, last + 1, step)
}

# ---- words


def class_of(character: int | str) -> int:
    """Return what the splitter needs to know of a character; a byte that is not UTF-8 counts as a sign."""
    return SIGN if isinstance(character, int) else RUNS[bisect_right(_STARTS, ord(character)) - 1][1]


def characters(text: bytes) -> Iterator[tuple[int | str, bytes]]:
    """Yield each character with its bytes; a byte that is not part of one stands for itself."""
    at = 0
    while at < len(text):
        for size in (1, 2, 3, 4):
            try:
                yield text[at : at + size].decode(), text[at : at + size]
            except UnicodeDecodeError:
                continue
            at += size
            break
        else:
            yield text[at], text[at : at + 1]
            at += 1


_SMALL_LETTERS = set(_SMALL.values())


def folded(word: bytes) -> bytes:
    """Write a word that begins with a capital, has two of them and no small letter, in small letters.

    >>> folded(b" NATO"), folded(b" Nato"), folded(b" I")
    (b' nato', b' Nato', b' I')
    """
    found = [character for character, _ in characters(word.removeprefix(b" "))]
    capitals = [character for character in found if character in _SMALL]
    if found[0] not in _SMALL or len(capitals) < 2 or _SMALL_LETTERS.intersection(found):
        return word
    return b"".join(
        _SMALL[character].encode() if character in _SMALL else encoded for character, encoded in characters(word)
    )


def words(text: bytes) -> list[bytes]:
    r"""Split a text: letters of one script with their marks, digits, or other signs, each with the space before it.

    >>> words("Hello, мир!".encode())
    [b' Hello', b',', b' \xd0\xbc\xd0\xb8\xd1\x80', b'!']
    """
    found: list[bytes] = []
    run: int | None = None  # the class of the word that is growing
    size = 0
    space = True
    for character, encoded in characters(text):
        kind = class_of(character)
        if kind == SPACE:
            run, space = None, True
            continue
        joins = run is not None and (
            kind in (MARK, run)
            or (kind == LETTER and run > LETTER)  # a letter common to all scripts
            or (run == LETTER and kind > LETTER)  # the first letter that has a script
        )
        if joins and size + len(encoded) <= MAX_WORD_BYTES:
            found[-1] += encoded
            size += len(encoded)
            run = kind if run == LETTER and kind > LETTER else run
        else:
            found.append((b" " if space else b"") + encoded)
            size = len(encoded)
            run = LETTER if kind == MARK else kind
        space = False
    return [folded(word) for word in found]


# ---- lattice


def edges(word: bytes, vocabulary: Mapping[bytes, int]) -> list[tuple[int, int, int]]:
    """Return (start, end, token) for every token that stands somewhere in a word."""
    return [
        (start, end, vocabulary[word[start:end]])
        for start in range(len(word))
        for end in range(start + 1, len(word) + 1)
        if word[start:end] in vocabulary
    ]


def log_add(a: float, b: float) -> float:
    """Return log(exp(a) + exp(b))."""
    if -math.inf in (a, b):
        return max(a, b)
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


# ---- estimation


def expectation(
    word_counts: Mapping[bytes, float],
    vocabulary: Mapping[bytes, int],
    *,
    rounds: int = 20,
    tolerance: float = 1e-6,
) -> tuple[dict[int, float], int]:
    """Run EM from the uniform distribution; return the expected counts of the last round and the rounds taken."""
    log_p = dict.fromkeys(range(len(vocabulary)), -math.log(len(vocabulary)))
    counts: dict[int, float] = {}
    done = 0
    while done < rounds:
        counts = defaultdict(float)
        for word, count in word_counts.items():  # E-step: forward-backward
            lattice = edges(word, vocabulary)
            forward = [0.0] + [-math.inf] * len(word)
            for start, end, token in lattice:
                forward[end] = log_add(forward[end], forward[start] + log_p[token])
            backward = [-math.inf] * len(word) + [0.0]
            for start, end, token in reversed(lattice):
                backward[start] = log_add(backward[start], log_p[token] + backward[end])
            for start, end, token in lattice:
                posterior = forward[start] + log_p[token] + backward[end] - forward[-1]
                counts[token] += count * math.exp(posterior)
        total = sum(counts.values())
        updated = {token: counts.get(token, 0.0) / total for token in log_p}  # M-step
        moved = sum(abs(updated[token] - math.exp(log_p[token])) for token in log_p) / 2
        log_p = {token: math.log(p) if p > 0 else -math.inf for token, p in updated.items()}
        done += 1
        if moved < tolerance:
            break
    return dict(counts), done


# ---- scoring, with costs in whole steps


def viterbi(word: bytes, vocabulary: Mapping[bytes, int], cost: Mapping[int, int], unseen: int) -> int:
    """Return the cost of the most probable segmentation."""
    best = [0] + [10**9] * len(word)
    for start, end, token in edges(word, vocabulary):
        best[end] = min(best[end], best[start] + cost.get(token, unseen))
    return best[-1]


def marginal(word: bytes, vocabulary: Mapping[bytes, int], cost: Mapping[int, int], unseen: int, step: float) -> float:
    """Return the cost of all segmentations together."""
    forward = [0.0] + [-math.inf] * len(word)
    for start, end, token in edges(word, vocabulary):
        forward[end] = log_add(forward[end], forward[start] - step * cost.get(token, unseen))
    return -forward[-1] / step


def bounded(vector: Sequence[int], bound: int) -> list[int]:
    """Let a word speak against a language in full up to `bound` beyond the best one, then a quarter; 0: no bound."""
    limit = min(vector) + bound
    return [limit + (cost - limit) // 4 if bound and cost > limit else cost for cost in vector]


def weighted(vectors: Sequence[tuple[Sequence[int], int]]) -> list[int]:
    """Add the vectors of word models, weighted in sixteenths and rounded."""
    if len(vectors) == 1:
        return list(vectors[0][0])
    return [
        (sum(cost * weight for cost, (_, weight) in zip(costs, vectors, strict=True)) + 8) // 16
        for costs in zip(*(vector for vector, _ in vectors), strict=True)
    ]


# ---- context

START, END = 0x110100, 0x110101
Gram = tuple[int, ...]


def sequence(word: bytes) -> list[int]:
    """Return START, the characters of a word, END."""
    inside = [0x110000 + c if isinstance(c, int) else ord(c) for c, _ in characters(word)]
    return [START, *inside, END]


def kneser_ney(
    word_counts: Mapping[bytes, float], *, order: int, discount: float, base: float, prune: float = 0.0
) -> tuple[dict[Gram, float], dict[Gram, float]]:
    """Return p(last | first ...) of every n-gram seen, up to `order`, and the back-off weight of every context."""
    occurrences: dict[Gram, float] = defaultdict(float)
    for word, count in word_counts.items():
        u = sequence(word)
        for end in range(1, len(u) + 1):
            for size in range(1, min(order, end) + 1):
                occurrences[tuple(u[end - size : end])] += count
    left: dict[Gram, set[int]] = defaultdict(set)
    for gram in occurrences:
        left[gram[1:]].add(gram[0])

    def n(gram: Gram) -> float:
        raw = len(gram) == order or gram[0] == START
        return occurrences[gram] if raw else float(len(left[gram]))

    sums: dict[Gram, float] = defaultdict(float)
    types: dict[Gram, int] = defaultdict(int)
    for gram in occurrences:
        if gram != (START,):  # never predicted
            sums[gram[:-1]] += n(gram)
            types[gram[:-1]] += 1
    backoff = {context: min(1.0, discount * types[context] / sums[context]) for context in sums if sums[context] > 0}
    p: dict[Gram, float] = {}
    for gram in sorted(occurrences, key=len):
        context = gram[:-1]
        lower = base if len(gram) == 1 else p[gram[1:]]
        own = max(n(gram) - discount, 0.0) / sums[context] if sums[context] > 0 else 0.0
        p[gram] = own + backoff.get(context, 1.0) * lower

    total = sum(count for gram, count in occurrences.items() if len(gram) == 1)
    for size in range(order, 2, -1) if prune > 0 else ():  # forget what makes little difference, longest first
        needed = {gram[:-1] for gram in p if len(gram) == size + 1}
        forgotten = defaultdict(set)
        for gram in [gram for gram in p if len(gram) == size and gram not in needed]:
            loss = occurrences[gram] * math.log(p[gram] / (backoff[gram[:-1]] * p[gram[1:]]))
            if loss < prune * math.sqrt(total):
                forgotten[gram[:-1]].add(gram)
        for context, grams in forgotten.items():
            kept = [gram for gram in p if len(gram) == size and gram[:-1] == context and gram not in grams]
            rest = 1 - sum(p[gram] for gram in kept)
            below = 1 - sum(p[gram[1:]] for gram in kept)
            backoff[context] = min(max(rest / max(below, 1e-9), backoff[context]), 1.0) if kept else 1.0
            for gram in grams:
                del p[gram]
    return p, backoff


def context_cost(word: bytes, cost: Mapping[Gram, int], backoff: Mapping[Gram, int], *, order: int, base: int) -> int:
    """Return the cost of a word's characters: the longest n-gram seen, or backing off to shorter ones."""
    u = sequence(word)
    total = 0
    for at in range(1, len(u)):
        best = base + backoff[()]
        for size in range(1, min(order, at + 1) + 1):
            gram = tuple(u[at + 1 - size : at + 1])
            if size > 1:
                best += backoff.get(gram[:-1], 0)
            best = min(best, cost.get(gram, best))
        total += min(best, 255)
    return total
