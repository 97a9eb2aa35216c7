"""Accuracy on FLORES by training lines a label: the paper's base, the shared constant, with context, and fastText.

    python benchmarks/sample_efficiency.py

Lines 1 to n of each of 204 labels train, lines 501 to 997 measure. Vocabulary, distributions and constants come from
the training lines alone.
"""

from common import Report, Test, arguments, best_fasttext, first, flores, measure

import unilid


def main() -> None:
    options = arguments(__doc__)
    train, held = flores(options.data, options.quick)
    test = Test.of(held)
    report = Report("sample_efficiency", "Sample efficiency on FLORES", options.quick)
    report.header(
        "lines a label", "tokens", "UniLID, additive", "UniLID, shared constant", "with context", "fastText", "epochs"
    )
    for lines in (5, 25, 100, 500):
        corpus = first(train, lines)
        additive = unilid.train(corpus, context=None, unseen="additive")
        shared = unilid.train(corpus, context=None)
        context = unilid.train(corpus)
        fasttext, epochs = best_fasttext(corpus, test, (25,) if lines == 500 or options.quick else (25, 100))
        report.row(
            lines,
            len(shared.vocabulary),
            *(measure(model, test).accuracy for model in (additive, shared, context)),
            fasttext.accuracy,
            epochs,
        )
    report.write()


if __name__ == "__main__":
    main()
