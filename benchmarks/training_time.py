"""Time to train, on two cores, as ratios within one run.

    python benchmarks/training_time.py

FLORES, 500 lines a label, beside fastText; then 1,020 languages of 1,000 lines each: FLORES, the same with its letters
exchanged, each with two of these for text.
"""

from common import FastText, Report, arguments, exchange, flores, timed

import unilid
from unilid.corpus.counts import Counter, Words
from unilid.corpus.reading import read
from unilid.models import unigram
from unilid.models.settings import Settings
from unilid.models.vocabulary import Vocabulary
from unilid.training.plan import UNIGRAM_WEIGHT


def main() -> None:
    options = arguments(__doc__)
    train, _ = flores(options.data, options.quick)
    report = Report("training_time", "Training time", options.quick)
    fasttext = FastText(train).seconds
    report.say(f"\n## {len(train)} labels of 500 lines, {megabytes(train):.1f} MB\n")
    stages = estimate(train, vocabulary=None)
    _, paper = timed(lambda: unilid.train(train, context=None, threads=2))
    _, whole = timed(lambda: unilid.train(train, threads=2))
    report.header("what", "seconds", "fastText's time / this")
    for name, seconds in (
        ("fastText, 25 epochs, dim 16, minn 2, maxn 5, 2 threads", fasttext),
        *stages.items(),
        ("train without context, constants chosen on held-out lines", paper),
        ("train with context, constants chosen on held-out lines", whole),
    ):
        report.row(name, f"{seconds:.2f}", f"{fasttext / seconds:.1f}")
    rates = [f"{megabytes(train) / stages[name]:.0f} MB/s" for name in ("count words, one core", "count words")]
    report.say(f"\nCounting words: {rates[0]} on one core, {rates[1]} on two, the reading of the lines included.")

    many: dict[str, list[bytes]] = {}
    for copy in range(5):
        many |= {
            f"{label}_{copy}": exchange(lines, 2 * copy) + exchange(lines, 2 * copy + 1)
            for label, lines in train.items()
        }
    report.say(f"\n## {len(many):,} labels of {len(next(iter(many.values()))):,} lines, {megabytes(many):.0f} MB\n")
    stages = estimate(many, vocabulary=20_000)
    report.header("what", "seconds")
    for name, seconds in stages.items():
        report.row(name, f"{seconds:.1f}")
    both = stages["estimate by EM"] + stages["estimate contexts, order 4"]
    report.say(f"\nEstimation, context included: {both:.1f} s.")
    report.write()


def estimate(corpus: dict[str, list[bytes]], vocabulary: int | None) -> dict[str, float]:
    """Return the seconds of each stage."""
    _, alone = timed(lambda: count(corpus, 1))
    words, counting = timed(lambda: count(corpus, 2))
    tokens, learning = timed(lambda: Vocabulary.learn(words, *([vocabulary] if vocabulary else []), threads=2))
    _, estimating = timed(lambda: unigram.expect(tokens, words, threads=2))
    _, contexts = timed(lambda: Settings(order=4, unigram_weight=UNIGRAM_WEIGHT).estimate_context(words, threads=2))
    return {
        "count words, one core": alone,
        "count words": counting,
        f"learn the vocabulary, {len(tokens):,} tokens": learning,
        "estimate by EM": estimating,
        "estimate contexts, order 4": contexts,
    }


def count(corpus: dict[str, list[bytes]], threads: int) -> tuple[Words, ...]:
    counter = Counter(threads=threads)
    for batch in read(corpus):
        counter.add(batch)
    return counter.corpus().words


def megabytes(corpus: dict[str, list[bytes]]) -> float:
    return sum(len(line) for lines in corpus.values() for line in lines) / 1e6


if __name__ == "__main__":
    main()
