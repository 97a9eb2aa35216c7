"""The kernel once more, in plain Python: slow, short, and the oracle of the tests.

Read this to learn how unilid works. Words, lattices, EM, Viterbi, the forward algorithm, Kneser-Ney and the decision,
in the order in which text flows through them.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from unilid._unicode import DIGIT, FOLDS, LETTER, MARK, RUNS, SIGN, SPACE

MAX_WORD_BYTES = 120
_STARTS = [start for start, _ in RUNS]
_SMALL = {
    chr(capital): chr(capital + distance)
    for first, last, step, distance in FOLDS
    for capital in range(first, last + 1, step)
}

_VISIBLE = re.compile(rb"[!-~]*")

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


@dataclass
class Word:
    """A word, with the space before it if there is one."""

    text: bytes
    kind: int  # LETTER, DIGIT or SIGN
    cut_left: bool = False  # letters touch it there: it may be part of a word
    cut_right: bool = False
    noise: str | None = None  # what it is a part of, if that is no language
    begin: int = 0  # where it stands in the text, without its space

    @property
    def end(self) -> int:
        """Where it ends; a small letter has as many bytes as its capital."""
        return self.begin + len(self.text.removeprefix(b" "))

    @property
    def letters(self) -> int:
        """Characters without the space."""
        return sum(1 for _ in characters(self.text.removeprefix(b" ")))

    @property
    def lone(self) -> bool:
        """Whether it is a single letter that no space precedes."""
        return self.kind == LETTER and not self.text.startswith(b" ") and self.letters == 1


def words(text: bytes) -> list[Word]:
    r"""Split a text: letters of one script with their marks, digits, or other signs, each with the space before it.

    >>> [word.text for word in words("Hello, мир!".encode())]
    [b' Hello', b',', b' \xd0\xbc\xd0\xb8\xd1\x80', b'!']
    """
    found: list[Word] = []
    run: int | None = None  # the class of the word that is growing
    size = 0
    space = True
    at = run_end = 0
    run_noise: str | None = None  # of the run of visible ASCII characters that ends at run_end
    for character, encoded in characters(text):
        kind = class_of(character)
        at += len(encoded)
        if kind == SPACE:
            run, space = None, True
            continue
        joins = run is not None and (
            kind in (MARK, run)
            or (kind == LETTER and run > LETTER)  # a letter common to all scripts
            or (run == LETTER and kind > LETTER)  # the first letter that has a script
        )
        if joins and size + len(encoded) <= MAX_WORD_BYTES:
            found[-1].text += encoded
            if kind >= LETTER:
                found[-1].kind = LETTER
            size += len(encoded)
            run = kind if run == LETTER and kind > LETTER else run
        else:
            letters = kind >= MARK
            touches = run is not None and run >= LETTER and letters
            if touches:
                found[-1].cut_right = True
            own = LETTER if kind >= LETTER else SIGN if kind == MARK else kind
            start = at - len(encoded)
            if start >= run_end and text[start] < 0x80:
                run_end = start + len(_VISIBLE.match(text, start)[0])  # type: ignore[index]  # matches the empty run
                run_noise = noise_of(text[start:run_end].decode())
            noise = run_noise if start < run_end else None
            found.append(Word((b" " if space else b"") + encoded, own, touches, False, noise, start))
            size = len(encoded)
            run = LETTER if kind == MARK else kind
        space = False
    for word in found:
        word.text = folded(word.text)
    return found


# ---- what is no language

REASONS = ["", "empty", "digits", "signs", "emoji", "address", "e-mail", "identifier", "garbled"]
_DOMAINS = [
    "com",
    "org",
    "net",
    "edu",
    "gov",
    "info",
    "io",
    "eu",
    "uk",
    "ru",
    "cn",
    "jp",
    "kr",
    "app",
    "dev",
    "xyz",
    "pdf",
    "html",
    "htm",
    "php",
]
_DOMAIN = re.compile(rf"[A-Za-z0-9-][A-Za-z0-9.-]*\.({'|'.join(_DOMAINS)})(?=[/:?#]|$)")


def noise_of(run: str) -> str | None:
    """Say what a run of visible ASCII characters is, if its letters are no words.

    >>> noise_of("https://example.org/a"), noise_of("(me@example.org)"), noise_of("d41d8cd98f00"), noise_of("COVID-19")
    ('address', 'e-mail', 'identifier', None)
    """
    run = run.strip("()[]{}<>\"'`,;!?.:*|")
    letters = [c for c in run if c.isalpha()]
    digits = [c for c in run if c.isdigit()]
    host = re.split("[/:?#]", run, maxsplit=1)[0]
    address = "://" in run or run.lower().startswith("www.") or (".." not in host and _DOMAIN.match(run))
    if address or re.match(r"/[A-Za-z0-9]", run) or re.match(r"[A-Za-z]:\\", run):
        return "address"
    if run.startswith("@"):
        return "identifier" if re.match("@[A-Za-z0-9]", run) else None
    if re.fullmatch(r"[^@]*[A-Za-z0-9]@[^@]*\.[^@]*", run):
        return "e-mail"
    if not letters:
        return None
    kinds = [c.isdigit() for c in run if c.isalnum()]
    changes = sum(a != b for a, b in pairwise(kinds))
    hexadecimal = re.fullmatch("[0-9A-Fa-f-]+", run) and digits and len(letters) + len(digits) >= 8
    capitals = len(re.findall("(?<=[a-z])[A-Z]", run)) >= 3 and len(letters) + len(digits) >= 12
    underscore = re.search("[A-Za-z0-9]_.", run)
    if changes >= 3 or len(digits) >= len(letters) or hexadecimal or capitals or underscore:
        return "identifier"
    return None


_SPECIALS = {ord(c) for c in bytes(range(0x80, 0xA0)).decode("cp1252", "ignore")}


def garbled(text: bytes) -> bool:
    """Say whether most of a text is what remains of one that was read in the wrong encoding.

    >>> garbled("Привет, мир".encode().decode("latin-1").encode()), garbled("Привет, мир".encode())
    (True, False)
    """
    # Bytes that begin a Latin-1 or a replacement character, or none at all; that follow as many as announce them.
    odd = any(0xC0 <= b <= 0xC3 or b == 0xEF or b >= 0xF5 for b in text)
    missing = sum((b >= 0xC0) + (b >= 0xE0) + (b >= 0xF0) - (0x80 <= b < 0xC0) for b in text)
    if not odd and not missing and text.count("Р".encode()) + text.count("С".encode()) < 3:
        return False
    every = [c for c, _ in characters(text)]
    visible = sum(isinstance(c, int) or c > " " for c in every)
    high, signs, after_high = 0, 0, False
    for c in every:
        code = 0xFF if isinstance(c, int) else ord(c)
        control = isinstance(c, int) or 0x80 <= code < 0xA0 or code == 0xFFFD
        sign = after_high and (0xA0 <= code < 0xC0 or code in _SPECIALS)
        signs += control or sign
        after_high = control or sign or 0xC0 <= code <= 0xFF
        high += after_high
    pairs = sum(
        a in ("Р", "С") and b not in ("Р", "С") and (isinstance(b, int) or b > "\x7f") for a, b in pairwise(every)
    )
    latin = high >= 4 and 10 * high >= 6 * visible and (4 * signs >= high or high >= 10)
    invalid = sum(isinstance(c, int) for c in every)
    binary = invalid >= 4 and 10 * invalid >= 4 * visible
    return latin or binary or (pairs >= 3 and 10 * pairs >= 4 * visible)


def reason_of(text: bytes) -> str | None:
    """Say why a text is no language."""
    found = words(text)
    if any(word.kind == LETTER and word.noise is None for word in found):
        return "garbled" if garbled(text[:512]) else None
    reasons = ["empty"]
    for word in found:
        emoji = any(
            isinstance(c, str) and (ord(c) >= 0x1F000 or 0x2600 <= ord(c) < 0x27C0) for c, _ in characters(word.text)
        )
        broken = any(isinstance(c, int) or c == "\ufffd" for c, _ in characters(word.text))
        own = "digits" if word.kind == DIGIT else "garbled" if broken else "emoji" if emoji else "signs"
        reasons.append(word.noise or own)
    order = ["empty", "signs", *REASONS]
    return max(reasons, key=order.index)


# ---- lattice


def edges(word: bytes, vocabulary: Mapping[bytes, int]) -> list[tuple[int, int, int]]:
    """Return (start, end, token) for every edge of a word's lattice: a character that is a token is never spelt."""
    found = []
    reached = {0}
    for start in range(len(word)):
        if start not in reached:
            continue
        _, character = next(characters(word[start:]))
        for end in range(start + 1, len(word) + 1):
            spelt = end == start + 1 < start + len(character) and character in vocabulary
            if word[start:end] in vocabulary and not spelt:
                found.append((start, end, vocabulary[word[start:end]]))
                reached.add(end)
    return found


def log_add(a: float, b: float) -> float:
    """Return log(exp(a) + exp(b))."""
    if -math.inf in (a, b):
        return max(a, b)
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))


# ---- estimation


def with_fragments(word_counts: Mapping[bytes, float], share: float) -> dict[bytes, float]:
    """Add what is left of words of letters where one character is lost.

    >>> with_fragments({b" abc": 3.0}, 0.5)
    {b' abc': 3.0, b'bc': 0.5, b' a': 0.5, b'c': 0.5, b' ab': 0.5}
    """
    counts: dict[bytes, float] = defaultdict(float)
    for word, count in word_counts.items():
        counts[word] += count
        space = b" " if word.startswith(b" ") else b""
        inside = list(characters(word.removeprefix(b" ")))
        if len(inside) < 2 or class_of(inside[0][0]) < MARK:
            continue
        for lost in range(len(inside)):
            for fragment in (inside[:lost], inside[lost + 1 :]):
                if fragment:
                    start = space if fragment[0] is inside[0] and lost else b""
                    counts[start + b"".join(encoded for _, encoded in fragment)] += count * share / len(inside)
    return dict(counts)


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


def learn(weights: Mapping[bytes, float], size: int, seeds: int, *, shrink: float = 0.6) -> list[bytes]:
    """Learn a vocabulary from words of up to 24 bytes: EM and pruning from many substrings down to `size` tokens.

    Every sum is taken in the kernel's order, so that the tokens are the same where two lose the same.
    """
    substrings: dict[bytes, float] = defaultdict(float)
    for word in sorted(weights):
        inside = [encoded for _, encoded in characters(word)]
        for start in range(len(inside)):
            for end in range(start + 1, min(start + 8, len(inside)) + 1):
                substrings[b"".join(inside[start:end])] += weights[word]
    longer = {token: weight for token, weight in substrings.items() if len(token) > 1}
    whole = {token for token in longer if len(next(characters(token))[1]) == len(token)}
    kept = {bytes([byte]) for byte in range(256)}
    kept.update(sorted(whole, key=lambda token: (-longer[token], token))[: (size - 256) // 2])
    others = sorted(longer.keys() - whole, key=lambda token: (-longer[token] * len(token), token))[:seeds]
    p = dict.fromkeys(sorted(kept.union(others)), 1 / len(kept.union(others)))
    while len(p) > size:
        for _ in range(2):
            expected = _shared_expectation(sorted(weights.items()), p)
            total = _sum(expected.values())
            p = {token: max(expected[token] / total, 1e-9) for token in p}
        log_p = {token: math.log((expected[token] + 1e-9) / total) for token in p}
        loss = {}
        for token in p.keys() - kept:
            best = [0.0] + [-math.inf] * len(token)
            for start, end, part in _named_edges(token, p):
                if part != token:
                    best[end] = max(best[end], best[start] + log_p[part])
            loss[token] = expected[token] * (log_p[token] - best[-1])
        stay = max(size, int(shrink * len(p)))
        order = sorted(p, key=lambda token: (-loss.get(token, math.inf), token))[:stay]
        p = {token: p[token] for token in sorted(order)}
    return list(p)


def _shared_expectation(words: Sequence[tuple[bytes, float]], p: Mapping[bytes, float]) -> dict[bytes, float]:
    """Return the expected counts of tokens; an eighth of the words is added up at a time."""
    shares = []
    for shard in range(8):
        share = dict.fromkeys(p, 0.0)
        for word, weight in words[len(words) * shard // 8 : len(words) * (shard + 1) // 8]:
            lattice = _named_edges(word, p)
            forward = [1.0] + [0.0] * len(word)
            for start, end, token in lattice:
                forward[end] += forward[start] * p[token]
            scale = weight / forward[-1]
            backward = [0.0] * len(word) + [1.0]
            for start, end, token in reversed(lattice):
                through = p[token] * backward[end]
                backward[start] += through
                share[token] += forward[start] * scale * through
        shares.append(share)
    return {token: _sum(share[token] for share in shares) for token in p}


def _named_edges(word: bytes, tokens: Mapping[bytes, float]) -> list[tuple[int, int, bytes]]:
    """Return (start, end, token) of every edge, a byte that spells a character behind the longer tokens."""
    found = edges(word, dict.fromkeys(tokens, 0))
    spelt = [end == start + 1 < start + len(next(characters(word[start:]))[1]) for start, end, _ in found]
    order = sorted(range(len(found)), key=lambda e: (found[e][0], spelt[e], found[e][1]))
    return [(start, end, word[start:end]) for start, end, _ in (found[e] for e in order)]


def _sum(numbers: Iterable[float]) -> float:
    """Add from left to right; `sum` is more exact than the kernel."""
    total = 0.0
    for number in numbers:
        total += number
    return total


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
    """Let a word speak against a language in full up to `bound` beyond the best one, then a quarter, at most 255.

    No bound is 0.
    """
    if not bound:
        return list(vector)
    least = min(vector)
    return [least + min(255, min(cost - least, bound) + max(cost - least - bound, 0) // 4) for cost in vector]


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
    word_counts: Mapping[bytes, float],
    *,
    order: int,
    discount: float,
    base: float,
    prune: float = 0.0,
    prune_from: int = 3,
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
    # Forget what makes little difference, longest first.
    for size in range(order, prune_from - 1, -1) if prune > 0 else ():
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


MAX_CHARACTER_COST = 96


def character_costs(
    word: bytes,
    cost: Mapping[Gram, int],
    backoff: Mapping[Gram, int],
    *,
    order: int,
    base: int,
    cut_left: bool = False,
    cut_right: bool = False,
) -> list[int]:
    """Return the cost of each of a word's characters, and of its end: the longest n-gram seen, or shorter ones.

    Where the word is cut, nobody knows whether it starts or ends there.
    """
    u = sequence(word)
    u = u[: len(u) - cut_right]
    costs = []
    for at in range(1, len(u)):
        best = base + backoff[()]
        for size in range(1, min(order, at + 1 - cut_left) + 1):
            gram = tuple(u[at + 1 - size : at + 1])
            if size > 1:
                best += backoff.get(gram[:-1], 0)
            best = min(best, cost.get(gram, best))
        costs.append(min(best, MAX_CHARACTER_COST))
    return costs


def context_cost(
    word: bytes,
    cost: Mapping[Gram, int],
    backoff: Mapping[Gram, int],
    *,
    order: int,
    base: int,
    cut_left: bool = False,
    cut_right: bool = False,
) -> int:
    """Return the cost of a word under the context model."""
    return sum(character_costs(word, cost, backoff, order=order, base=base, cut_left=cut_left, cut_right=cut_right))


# ---- explanation


@dataclass
class Explained:
    """What a word costs every language, on its way into the cost of a text."""

    word: Word
    counts: bool  # addresses and identifiers do not, unless there is nothing else
    models: list[list[int]]  # for each word model
    weighted: list[int]
    bounded: list[int]  # what is added, if it counts


def explained(text: bytes, models: Sequence[tuple[Callable[[Word], list[int]], int]], bound: int) -> list[Explained]:
    """Return the words of a text with their costs; `models` are functions of a word, with their weights."""
    found = words(text)
    spoken = any(word.kind == LETTER and word.noise is None for word in found)
    result = []
    for word in found:
        vectors = [(model(word), weight) for model, weight in models]
        sums = weighted(vectors)
        quartered = [cost // 4 for cost in sums] if bound and word.lone else sums
        counts = word.noise is None or not spoken
        result.append(Explained(word, counts, [vector for vector, _ in vectors], sums, bounded(quartered, bound)))
    return result


# ---- decision


def temperature(letters: int, scale: float, length: float, decay: float) -> float:
    """Return the exponent of the posterior for a text of so many letters."""
    return float(scale * (1 + letters / length) ** -decay)


def ranked(keys: Sequence[float]) -> list[int]:
    """Return the languages that compete, best first; ties go to the lower row."""
    return sorted((row for row, key in enumerate(keys) if key > -math.inf), key=lambda row: (-keys[row], row))


def posterior(keys: Sequence[float], exponent: float) -> list[float]:
    """Return the probabilities of languages."""
    top = max(keys)
    weights = [math.exp(exponent * (key - top)) for key in keys]
    return [weight / sum(weights) for weight in weights]


def reexamined(
    keys: Sequence[float], thresholds: Sequence[float], replaces: Sequence[bool], *, distance: float, ranks: int
) -> int:
    """Return the answer of calibrated UniLID."""
    best, *others = ranked(keys)
    if others and keys[best] - keys[others[0]] < thresholds[best]:
        for other in others[: ranks - 1]:
            if replaces[other] and keys[best] - keys[other] <= distance:
                return other
    return best


def unlike(
    cost: float, letters: int, usual: float, spread: float, shared: float, sampling: float, limit: float
) -> bool:
    """Say whether a text costs so much more than a language's own text does that it is not of that language."""
    if usual == 0 or letters == 0:
        return False
    expected = letters * usual
    return cost / expected - 1 > limit * math.sqrt(spread * (shared + sampling / expected))


# ---- spans


def votes(word: Word) -> bool:
    """Say whether a word has a say in what language stands where it is."""
    return word.kind == LETTER and word.noise is None


def best_path(vectors: Sequence[Sequence[int]], entry: Sequence[int], change: int) -> list[int]:
    """Return the language of each word: Viterbi with a cost for each change, and for entering each language.

    >>> best_path([[0, 5], [9, 0], [0, 5]], [0, 0], 3), best_path([[0, 5], [9, 0], [0, 5]], [0, 0], 5)
    ([0, 1, 0], [0, 0, 0])
    """
    costs, came_from = list(entry), []
    for number, vector in enumerate(vectors):
        best = min(range(len(costs)), key=lambda row: (costs[row], row))
        enter = [costs[best] + change + own for own in entry]
        stays = [number == 0 or costs[row] <= enter[row] for row in range(len(costs))]
        came_from.append([row if stays[row] else best for row in range(len(costs))])
        costs = [(costs[row] if stays[row] else enter[row]) + vector[row] for row in range(len(costs))]
    path = [min(range(len(costs)), key=lambda row: (costs[row], row))]
    for origins in reversed(came_from[1:]):
        path.append(origins[path[-1]])
    return path[::-1][: len(vectors)]


def quotations(vectors: Sequence[Sequence[int]], entry: Sequence[int], cost: int, base: Sequence[int]) -> list[int]:
    """Return the language of each word, given the base: what is quoted is entered at a cost, and left for nothing.

    >>> quotations([[0, 5], [9, 0], [0, 5]], [0, 0], 8, [0, 0, 0]), quotations([[9, 0], [0, 5]], [0, 0], 8, [0, 0])
    ([0, 1, 0], [1, 0])
    """
    in_base, costs, entered = 0.0, [math.inf] * len(entry), [0] * len(entry)
    steps = []  # of each word: the language it was left in, and the word where that began
    for number, (vector, own) in enumerate(zip(vectors, base, strict=True)):
        for row, cost_of_word in enumerate(vector):
            if in_base + cost + entry[row] < costs[row]:
                costs[row], entered[row] = in_base + cost + entry[row], number
            costs[row] += cost_of_word
        best = min(range(len(costs)), key=lambda row: (costs[row], row))
        in_base += vector[own]
        steps.append((own, number) if in_base <= costs[best] else (best, entered[best]))
        in_base = min(in_base, costs[best])
    path: list[int] = []
    while len(path) < len(steps):
        end = len(steps) - len(path)
        row, start = steps[end - 1]
        path += [row] * (end - start)
    return path[::-1]


def span_path(vectors: Sequence[Sequence[int]], entry: Sequence[int], change: int, short_text: int) -> list[int]:
    """Return the language of each word: the languages that a text is written in, and what is quoted among them.

    A change costs more in a longer text, up to as much as a quotation.

    >>> words = [[0, 4]] * 5 + [[20, 0]] + [[0, 4]] * 5 + [[12, 0]]
    >>> span_path(words, [0, 0], 8, 12), span_path(words, [0, 0], 8, 3)
    ([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    """
    growth = min(max(math.sqrt(len(vectors) / short_text), 1), 2)
    base = best_path(vectors, entry, round(change * growth))
    return quotations(vectors, entry, 2 * change, base)


def most_spoken(path: Sequence[int], letters: Sequence[int], most: int) -> set[int]:
    """Return the languages with the most letters; ties go to the lower row."""
    totals: dict[int, int] = defaultdict(int)
    for row, size in zip(path, letters, strict=True):
        totals[row] += size
    return set(sorted(totals, key=lambda row: (-totals[row], row))[:most])


def without_short(path: Sequence[int], letters: Sequence[int], least: int) -> list[int]:
    """Give stretches of fewer letters to the one before, the first ones to the first that is long enough.

    >>> without_short([0, 1, 0], [9, 2, 9], 3), without_short([0, 1], [1, 2], 3)
    ([0, 0, 0], [1, 1])
    """
    stretches: list[tuple[int, int, int]] = []  # language, words, letters
    for row, group in groupby(zip(path, letters, strict=True), key=lambda pair: pair[0]):
        sizes = [size for _, size in group]
        stretches.append((row, len(sizes), sum(sizes)))
    long = [row for row, _, size in stretches if size >= least]
    current = long[0] if long else max(stretches, key=lambda stretch: stretch[2])[0] if stretches else 0
    result = []
    for row, count, size in stretches:
        current = row if size >= least else current
        result += [current] * count
    return result


def span_starts(text: bytes, path: Sequence[int], apart: int) -> list[tuple[int, int | None]]:
    """Return where spans begin and their languages, given that of each word that votes; None: no language.

    What stands between two words that vote comes in runs without a space. A run that touches a word belongs to it,
    other runs to the word before, unless there is so much that it is kept apart.
    """
    spans: list[tuple[int, int | None]] = []

    def open_span(start: int, row: int | None) -> None:
        spans.append((start if spans else 0, row))

    languages = iter(path)
    runs: list[tuple[int, int]] = []  # begin, visible characters of the runs since the last word that votes
    touching = False  # whether the first of these touches that word
    end_before = 0
    for word in [*words(text), None]:
        begin, end = (len(text), len(text)) if word is None else (word.begin, word.end)
        spaced = word is None or word.text.startswith(b" ")
        if word is not None and not votes(word):
            if spaced or not runs:
                touching = touching if runs else not spaced
                runs.append((begin, 0))
            runs[-1] = (runs[-1][0], runs[-1][1] + word.letters)
            continue
        tail = runs[0][1] if runs and touching else 0
        one = bool(runs) and touching and len(runs) == 1 and not spaced  # touches both words
        head = runs[-1][1] if runs and not spaced and not one else 0
        inner = sum(visible for _, visible in runs) - tail - head
        first = runs[1][0] if touching and len(runs) > 1 else runs[0][0] if runs and not touching else begin
        last = begin if spaced or one or not runs else runs[-1][0]
        visible = sum(part for part in (tail, head) if part >= apart) + inner
        row = None if word is None else next(languages)
        if visible >= apart or (word is None and not spans and text):
            open_span(end_before if tail >= apart else first, None)
            if row is not None:
                open_span(begin if head >= apart else last, row)
        elif row is not None and (not spans or spans[-1][1] != row):
            open_span(last, row)
        runs, touching, end_before = [], False, end
    return spans
