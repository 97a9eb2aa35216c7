"""Would context between tokens earn its place beside context between characters? On FLORES.

    python benchmarks/context_tokens.py

Each language has an interpolated Kneser-Ney bigram model over START, the tokens of a word, END. The tokens are those of
the segmentation that is best under the language's unigram model, in training and in scoring. Lines 1 to 400 of each
label train, lines 401 to 500 measure: validation lines, so this table is no claim about accuracy.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from common import Report, arguments, predict, timed, validation

import unilid
from unilid import _kernel
from unilid._kernel import WEIGHT_STEPS
from unilid.model import Model
from unilid.models.costs import STEP

DISCOUNT = 0.8
CONSTANT = 1e-5
BOUND = 8
Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]
SHARES = (0, 5, 8, 13, WEIGHT_STEPS)  # of the context model, in sixteenths


def split(text: bytes) -> list[bytes]:
    return [word.bytes for word in _kernel.split_words(text)]


class Language:
    """One row of the unigram model: how it cuts words, and what the tokens cost."""

    def __init__(self, model: Model, row: int) -> None:
        self.size = len(model.vocabulary) + 2
        self.start, self.end = self.size - 2, self.size - 1
        table = model.parameters.unigram
        self.kernel, self.row = model._answerer.scorers.unigram, row
        costs = np.full(self.size, table.unseen[row], np.int64)
        own = table.languages == row
        costs[table.tokens[own]] = table.costs[own]
        self.log_p: Floats = -STEP * costs

    def pairs(self, words: Sequence[bytes]) -> tuple[Ints, Ints, Ints]:
        """Return for each pair of neighbours the word's number, the left token and the right one."""
        cut = (self.kernel.segment(word, self.row) for word in words)
        flat = (token for pieces in cut for token in (self.start, *[piece.token for piece in pieces], self.end))
        sequence = np.fromiter(flat, np.int64)
        inside = sequence[:-1] != self.end
        number = np.cumsum(sequence == self.start)[:-1] - 1
        return number[inside], sequence[:-1][inside], sequence[1:][inside]


class Bigrams:
    """Kneser-Ney of order 2, as `unilid.plain.kneser_ney` has it, over numbers below `size`."""

    def __init__(self, left: Ints, right: Ints, counts: Floats, size: int) -> None:
        self.size = size
        self.keys, inverse = np.unique(left * size + right, return_inverse=True)
        n = np.bincount(inverse, counts)
        before, after = np.divmod(self.keys, size)
        sums = np.bincount(before, n, size)
        self.own = np.maximum(n - DISCOUNT, 0) / sums[before]
        self.backoff = np.ones(size)
        seen = sums > 0
        self.backoff[seen] = np.minimum(1, DISCOUNT * np.bincount(before, minlength=size)[seen] / sums[seen])
        neighbours = np.bincount(after, minlength=size)  # distinct ones, to the left
        self.lower = np.maximum(neighbours - DISCOUNT, 0) / len(self.keys)
        self.root_backoff = DISCOUNT * np.count_nonzero(neighbours) / len(self.keys)

    def log_p(self, left: Ints, right: Ints, base: Floats | float) -> Floats:
        """Return log p(right | left); `base` is the probability of each number below order 1."""
        key = left * self.size + right
        at = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        own = np.where(self.keys[at] == key, self.own[at], 0)
        return np.asarray(np.log(own + self.backoff[left] * (self.lower + self.root_backoff * base)[right]))


def score_words(
    model: Model, train: dict[str, list[bytes]], words: list[bytes]
) -> tuple[npt.NDArray[np.float32], dict[str, npt.NDArray[np.float32]], int]:
    """Return [words, languages] of the unigram model and of the bigram models by base, and the number of bigrams."""
    shape = (len(words), len(model.languages))
    unigram = np.empty(shape, np.float32)
    bigram = {name: np.empty(shape, np.float32) for name in ("constant", "unigram")}
    entries = 0
    for row, label in enumerate(model.languages):
        language = Language(model, row)
        counts = Counter(word for text in train[label] for word in split(text))
        number, left, right = language.pairs(list(counts))
        bigrams = Bigrams(left, right, np.array(list(counts.values()), float)[number], language.size)
        entries += len(bigrams.keys)
        number, left, right = language.pairs(words)
        token = right != language.end
        unigram[:, row] = np.bincount(number[token], language.log_p[right[token]])
        for name, base in (("constant", CONSTANT), ("unigram", np.exp(language.log_p))):
            bigram[name][:, row] = np.bincount(number, bigrams.log_p(left, right, base))
    return unigram, bigram, entries


def main() -> None:
    options = arguments(__doc__)
    train, test = validation(options.data, options.quick)
    report = Report("context_tokens", "Context between tokens against context between characters", options.quick)

    base = unilid.train(train, context=None)
    words = list({word: None for text in test.texts for word in split(text)})
    index = {word: number for number, word in enumerate(words)}
    texts = [[index[word] for word in split(text)] for text in test.texts]
    (unigram, bigram, entries), seconds = timed(lambda: score_words(base, train, words))
    with_context = unilid.train(train, vocabulary=base.vocabulary, context="characters", order=4, tune=False)
    context = with_context.parameters.context
    assert context is not None

    def tokens(name: str, share: int, bound: int | None) -> list[str]:
        scores = unigram + np.float32(share / WEIGHT_STEPS) * (bigram[name] - unigram)
        if bound is not None:
            np.maximum(scores, scores.max(axis=1, keepdims=True) - np.float32(bound), out=scores)
        return [base.languages[scores[numbers].sum(axis=0).argmax()] for numbers in texts]

    def characters(share: int, bound: int | None) -> list[str]:
        # The unigram table of `base`; a share of 0 is `context=None`, a bound apart.
        settings = replace(base.settings, order=4, unigram_weight=1 - share / WEIGHT_STEPS, bound=bound)
        parameters = replace(base.parameters, context=context, settings=settings)
        return predict(replace(base, parameters=parameters), test.texts)

    lines = len(next(iter(train.values())))
    report.say(
        f"FLORES, {len(train)} labels: lines 1 to {lines} train, {len(test.texts):,} validation lines behind them "
        f"measure. Accuracy by the share of the context model, the rest being the unigram model's; {len(words):,} "
        f"distinct words, one vocabulary of {len(base.vocabulary):,} tokens. Bound: nats by which a word may speak "
        "against a language.\n"
    )
    report.header("context", "below order 1", "bound", *(f"{share / WEIGHT_STEPS:.2f}" for share in SHARES))
    systems: dict[tuple[str, str], Callable[[int, int | None], list[str]]] = {
        ("tokens, order 2", f"{CONSTANT:.0e}"): partial(tokens, "constant"),
        ("tokens, order 2", "unigram model"): partial(tokens, "unigram"),
        ("characters, order 4", f"{math.exp(base.settings.base):.0e}"): characters,
    }
    best: dict[str, npt.NDArray[np.bool_]] = {}  # which lines are right, where most are
    for bound in (None, BOUND):
        for name, identify in systems.items():
            found = [np.array(identify(share, bound)) == np.array(test.gold) for share in SHARES]
            report.row(*name, bound or "none", *(float(right.mean()) for right in found))
            best[name[0]] = max([*found, best.get(name[0], found[0])], key=np.sum)
    ours, theirs = best.values()
    report.say(
        f"\nBest cell against best cell: {(ours & ~theirs).sum()} lines are right with tokens only, "
        f"{(theirs & ~ours).sum()} with characters only.\n\n"
        f"Entries: {entries:,} token bigrams (unpruned), {sum(len(level.costs) for level in context.levels):,} "
        "character n-grams (pruned as by default). Cutting a word into tokens and scoring them, here in Python, took "
        f"{seconds / len(words) / len(train) * 1e6:.1f} µs a word and language."
    )
    report.write()


if __name__ == "__main__":
    main()
