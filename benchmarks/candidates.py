"""The second stage: the unigram model names candidates, the context model decides among them. Loss and speed.

    python benchmarks/candidates.py

204 labels of FLORES, 100 lines each, and the same with four copies of each whose letters are exchanged (1,020 labels).
"""

import statistics

from common import Report, Test, arguments, exchange, first, flores, timed

import unilid
from unilid.model import Model


def main() -> None:
    options = arguments(__doc__, runs=3)
    train, held = flores(options.data, options.quick)
    corpus = first(train, 100)
    test = Test.of({label: lines[:100] for label, lines in held.items()})
    copies = {f"{label}_{copy}": exchange(lines, copy) for copy in range(4) for label, lines in corpus.items()}
    report = Report("candidates", "Candidates of the unigram model, scored with context", options.quick)
    report.header("labels", "candidates", "accuracy", "µs a line, one core", "same answer as the full vector")
    for labels in (corpus, {**corpus, **copies}):
        model = unilid.train(labels, context="characters", tune=False)
        content = model.to_bytes()
        full = None
        for count in (None, 5, 10, 20, 50):
            seconds = []
            for _ in range(options.runs):
                fresh = Model.from_bytes(content)
                fresh.identify("warm", candidates=count)
                rows, time = timed(lambda m=fresh, c=count: m.best_rows(test.texts, candidates=c))
                seconds.append(time)
            full = rows if full is None else full
            accuracy = sum(model.languages[row] == label for row, label in zip(rows.tolist(), test.gold, strict=True))
            report.row(
                len(labels),
                count or "all",
                accuracy / len(test.gold),
                f"{1e6 * statistics.median(seconds) / len(test.texts):.1f}",
                float((rows == full).mean()),
            )
    report.write()


if __name__ == "__main__":
    main()
