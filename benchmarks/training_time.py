"""Time to train on FLORES, 500 lines a label, on two cores, as ratios within one run.

python benchmarks/training_time.py
"""

from common import FastText, Report, arguments, count_words, flores, timed

import unilid
from unilid import unigram
from unilid.settings import Settings
from unilid.vocabulary import Vocabulary


def main() -> None:
    options = arguments(__doc__)
    train, _ = flores(options.data, options.quick)
    report = Report("training_time", "Training time on FLORES, 204 labels of 500 lines", options.quick)
    fasttext = FastText(train).seconds
    words, counting = timed(lambda: count_words(train))
    vocabulary, learning = timed(lambda: Vocabulary.learn(words, threads=2))
    _, estimating = timed(lambda: unigram.expect(vocabulary, words, threads=2))
    _, contexts = timed(lambda: Settings(order=4, unigram_weight=3).estimate_context(words, 2))
    _, paper = timed(lambda: unilid.train(train, context=None))
    _, whole = timed(lambda: unilid.train(train))
    report.header("what", "seconds", "fastText's time / this")
    for name, seconds in (
        ("fastText, 25 epochs, dim 16, minn 2, maxn 5, 2 threads", fasttext),
        ("count words", counting),
        ("learn the vocabulary", learning),
        ("estimate by EM", estimating),
        ("estimate contexts, order 4", contexts),
        ("train without context, constants chosen on held-out lines", paper),
        ("train with context, constants chosen on held-out lines", whole),
    ):
        report.row(name, f"{seconds:.2f}", f"{fasttext / seconds:.1f}")
    report.write()


if __name__ == "__main__":
    main()
