"""Segmentation-length bias on misclassified lines, and length normalisation: FLORES, the paper's base system.

    python benchmarks/length_bias.py

Lines 1 to 500 of each label train, every fifth of lines 501 to 997 measures: whole, and its first 25 and 60 characters,
for FLORES has few short lines. Normalised: log-likelihood divided by the number of tokens, of the most probable
segmentation under each language; of several as probable, the shortest.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from common import PAPER, SYSTEMS, Report, Test, accuracy, arguments, best_fasttext, every, flores, predict

import unilid
from unilid import _kernel
from unilid.model import Model

CUTS = (25, 60, 10**9)
BUCKETS = {"below 30": (0, 30), "30 to 74": (30, 75), "75 to 149": (75, 150), "150 to 299": (150, 300),
           "300 or more": (300, 10**9), "all": (0, 10**9)}  # fmt: skip
ONE = 1 << 16  # a cost's step, above which tokens are counted
CHUNK = 1000
Ints = npt.NDArray[np.int64]


def main() -> None:
    options = arguments(__doc__)
    report = Report("length_bias", "Segmentation length: bias, and normalisation", options.quick)
    train, held = flores(options.data, options.quick)
    test = every(Test.of(held), 1 if options.quick else 5)
    texts = [text.decode()[:cut].encode() for cut in CUTS for text in test.texts]
    test = Test(texts, test.gold * len(CUTS))
    length = np.array([len(text.decode()) for text in texts])
    model = unilid.train(train, **PAPER)
    said = predict(model, texts)
    others = {name: unilid.train(train, **settings) for name, settings in SYSTEMS.items() if name != "the paper's"}
    fasttext, epochs = best_fasttext(train, test, (25, 50))
    report.say(
        f"{len(train)} labels, {len(model.vocabulary)} tokens, {len(texts)} test texts. On the same texts: "
        + ", ".join(f"{name} {accuracy(other, test):.4f}" for name, other in others.items())
        + f", fastText {fasttext.accuracy:.4f} (minn 2, maxn 5, dim 16, lr 1, {epochs} epochs, best of 25 and 50).\n"
    )

    report.say("\n## Tokens under the predicted language minus tokens under the true one, misclassified texts\n")
    report.header("characters", "texts", "mean", "median", "% fewer", "% same", "% more")
    wrong = [i for i, (a, b) in enumerate(zip(test.gold, said, strict=True)) if a != b]
    more = np.array([tokens(model, texts[i], said[i]) - tokens(model, texts[i], test.gold[i]) for i in wrong])
    for name, (low, high) in BUCKETS.items():
        own = more[(length[wrong] >= low) & (length[wrong] < high)]
        if len(own):
            shares = [100 * float(part.mean()) for part in (own < 0, own == 0, own > 0)]
            report.row(
                name, len(own), f"{own.mean():+.2f}", f"{np.median(own):+.1f}", *(f"{share:.1f}" for share in shares)
            )

    report.say("\n## Accuracy\n")
    report.header("characters", "texts", "original", "raw rescore", "normalised")
    gold = np.array([model.row_of(label) for label in test.gold])
    raw, normalised = map(np.concatenate, zip(*rescored(model, texts), strict=True))
    rows = {"original": np.array([model.row_of(label) for label in said]), "raw": raw, "normalised": normalised}
    for name, (low, high) in BUCKETS.items():
        own = (length >= low) & (length < high)
        if own.any():
            report.row(name, int(own.sum()), *(float((found == gold)[own].mean()) for found in rows.values()))
    agree = float((rows["original"] == raw).mean())
    report.say(f"\nThe raw rescore names the original language of {agree:.2%} of the texts.")
    report.write()


def tokens(model: Model, text: bytes, language: str) -> int:
    return len(model.segment(text, language))


def rescored(model: Model, texts: Sequence[bytes]) -> Iterator[tuple[Ints, Ints]]:
    """Yield the best rows of texts by cost and by cost a token, from a Viterbi in numpy that counts tokens as well."""
    unigram = model.parameters.unigram
    table = np.tile(unigram.unseen.astype(np.int64), (len(model.vocabulary), 1))
    table[unigram.tokens, unigram.languages] = unigram.costs
    table = table * ONE + 1
    known: dict[bytes, Ints] = {}
    for start in range(0, len(texts), CHUNK):
        sums = np.zeros((min(CHUNK, len(texts) - start), len(model.languages)), np.int64)
        for number, text in enumerate(texts[start : start + CHUNK]):
            words = Counter(word.bytes for word in _kernel.split_words(text) if not word.noise)
            for word, count in words.items():
                if word not in known:
                    known[word] = viterbi(model, table, word)
                sums[number] += count * known[word]
        cost, counted = sums // ONE, sums % ONE
        yield cost.argmin(axis=1), (cost / np.maximum(counted, 1)).argmin(axis=1)


def viterbi(model: Model, table: Ints, word: bytes) -> Ints:
    """Return cost and tokens of the best segmentation of a word under every language: cost times ONE plus tokens."""
    best = {0: np.zeros(table.shape[1], np.int64)}  # by end; every byte is a token, so each place is reached
    for at in range(len(word)):
        for prefix in model.vocabulary.kernel.prefixes(word[at:]):
            path, end = best[at] + table[prefix.token], at + prefix.length
            best[end] = np.minimum(path, best[end]) if end in best else path
    return best[len(word)]


if __name__ == "__main__":
    main()
