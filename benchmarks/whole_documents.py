"""Whole documents: what is gained when the lines of a document decide together, or are read a second time.

    python benchmarks/whole_documents.py

Lines of FLORES and paragraphs of UDHR stand in the order of the texts that they were taken from: so many of them, one
after the other, are a document. The model is trained on FLORES lines 1 to 500, with the defaults of `unilid.train`, and
never saw what is measured: FLORES lines 501 to 997, the first three words of each of them, as in a chat, and UDHR.

A document answers as a whole by the votes of its lines, by the sum of their scores, by the sum of their
log-probabilities, or joined to one text.

The second reading identifies each line again, with a prior from the first: `identify(line, prior=...)`, where a label's
prior is its mean probability over the lines of the document, weighed by a strength, and the rest is the same for all
labels. Mixed documents show what that costs: the last quarter of their lines is in another language of the same script.
The strength is chosen on FLORES lines 341 to 500 by a model that is trained on lines 1 to 340.
"""

import random
import statistics
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from common import Report, arguments, first, flores, labelled

import unilid

SIZES = (2, 4, 8, 16)
"""Lines of a document."""
STRENGTHS = (0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.999999)
"""Shares of the prior that come from the document."""
CHOSEN_ON = slice(340, 500)
"""Lines of FLORES; the ones before train."""
WORDS = 3
"""Of a line that is cut."""
CHECKED = 20
"""Documents of each row whose second reading `identify` is asked for, too."""

Floats = npt.NDArray[np.float64]
Corpus = dict[str, list[bytes]]


class Document(NamedTuple):
    """Consecutive lines, and the labels that they have."""

    lines: list[bytes]
    labels: list[str]


class Reading(NamedTuple):
    """The lines of documents as a model reads them by themselves."""

    model: unilid.Model
    documents: list[Document]
    scores: list[Floats]
    """Of a document: [lines, languages], in nats."""
    probabilities: list[Floats]

    def second(self, strength: float) -> list[list[str]]:
        """Return the labels of the lines of each document, read with a prior from the first reading."""
        return [
            self.named(np.log(document_prior(probabilities, strength)) + scores)
            for scores, probabilities in zip(self.scores, self.probabilities, strict=True)
        ]

    def named(self, values: Floats) -> list[str]:
        return [self.model.languages[row] for row in values.argmax(axis=1)]

    def right_lines(self, answers: Sequence[Sequence[str]], *, foreign: bool = False) -> float:
        """Return the share of lines that are named right; `foreign`: of those in another language than the first."""
        return statistics.mean(
            said == label
            for document, answer in zip(self.documents, answers, strict=True)
            for said, label in zip(answer, document.labels, strict=True)
            if not foreign or label != document.labels[0]
        )

    def right_documents(self, answers: Sequence[str]) -> float:
        """Return the share of documents whose answer is the label of their first line."""
        return statistics.mean(
            said == document.labels[0] for document, said in zip(self.documents, answers, strict=True)
        )


def main() -> None:
    options = arguments(__doc__)
    report = Report("whole_documents", "Whole documents", options.quick, packages=("unilid", "numpy"))
    train, held = flores(options.data, options.quick)
    sizes = SIZES[:3] if options.quick else SIZES
    model = unilid.train(train, tune=True)
    udhr = {
        label: lines
        for label, lines in labelled(options.data / "udhr/test.tsv.xz").items()
        if label in train and len(lines) >= max(sizes)
    }
    sets = {"FLORES": held, f"FLORES, {WORDS} words a line": cut(held), "UDHR": udhr}
    report.say(f"FLORES has {len(held)} labels, UDHR has {len(udhr)} of them.\n")
    decide_together(report, model, sets, sizes)
    strength = choose_strength(report, train, sizes, quick=options.quick)
    read_again(report, model, sets, sizes, strength)
    report.write()


def decide_together(report: Report, model: unilid.Model, sets: dict[str, Corpus], sizes: Sequence[int]) -> None:
    report.say("## Deciding together: the share of lines, and of documents of one language, that are named right\n")
    report.header(
        *("text", "lines a document", "documents", "line by line", "votes", "sum of scores"),
        *("sum of log-probabilities", "one text"),
    )
    for name, corpus in sets.items():
        for size in sizes:
            reading = read(model, list(documents(corpus, size)))
            alone = [reading.named(scores) for scores in reading.scores]
            votes = [max(answers, key=answers.count) for answers in alone]
            sums = reading.named(np.array([scores.sum(axis=0) for scores in reading.scores]))
            logs = reading.named(np.array([np.log(shares).sum(axis=0) for shares in reading.probabilities]))
            joined = model.identify([b"\n".join(document.lines) for document in reading.documents], abstain=False)
            whole = [votes, sums, logs, [answer.label for answer in joined]]
            figures = [f"{reading.right_documents(answers):.4f}" for answers in whole]
            best = [f"**{figure}**" if figure == max(figures) else figure for figure in figures]
            report.row(name, size, f"{len(votes):,}", reading.right_lines(alone), *best)


def choose_strength(report: Report, train: Corpus, sizes: Sequence[int], *, quick: bool) -> float:
    """Return the strength that names most lines right, documents of one language and mixed ones being as frequent."""
    chosen_on = slice(40, 60) if quick else CHOSEN_ON
    model = unilid.train(first(train, chosen_on.start), tune=True)
    held = {label: lines[chosen_on] for label, lines in train.items()}
    readings = {
        kind: [read(model, list(documents(corpus, size, mixed=kind == "mixed"))) for corpus in (held, cut(held))
               for size in sizes if kind != "mixed" or size >= 4]
        for kind in ("of one language", "mixed")
    }  # fmt: skip
    report.say(
        "\n## The strength of the second reading: the share of lines that are named right\n\n"
        "FLORES lines 341 to 500, whole and cut, in documents of all sizes.\n"
    )
    report.header("strength", *(f"documents {kind}" for kind in readings), "mean")
    means = {}
    for strength in STRENGTHS:
        shares = [
            statistics.mean(reading.right_lines(reading.second(strength)) for reading in group)
            for group in readings.values()
        ]
        means[strength] = statistics.mean(shares)
        report.row(f"{strength:g}", *shares, means[strength])
    best = max(means, key=means.__getitem__)
    report.say(f"\nChosen: {best:g}.")
    return best


def read_again(
    report: Report, model: unilid.Model, sets: dict[str, Corpus], sizes: Sequence[int], strength: float
) -> None:
    report.say("\n## The second reading: the share of lines that are named right\n")
    report.header(
        *("text", "documents", "lines a document", "first reading", "second reading", "the whole document's answer"),
        *("foreign lines, first", "foreign lines, second"),
    )
    same = asked = 0
    gains: dict[bool, list[float]] = {False: [], True: []}
    for name, corpus in sets.items():
        for mixed in (False, True):
            for size in sizes:
                if mixed and size < 4:
                    continue
                reading = read(model, list(documents(corpus, size, mixed=mixed)))
                answers = [reading.second(0.0), reading.second(strength)]
                sums = reading.named(np.array([scores.sum(axis=0) for scores in reading.scores]))
                answers.append([[said] * size for said in sums])
                shares = [reading.right_lines(one) for one in answers]
                gains[mixed].append(shares[1] - shares[0])
                figures = [f"{share:.4f}" for share in shares]
                best = [f"**{figure}**" if figure == max(figures) else figure for figure in figures]
                foreign = [f"{reading.right_lines(one, foreign=True):.4f}" if mixed else "" for one in answers[:2]]
                report.row(name, "mixed" if mixed else "of one language", size, *best, *foreign)
                agreeing, total = ask_again(reading, strength, answers[1])
                same, asked = same + agreeing, asked + total
    report.say(
        f"\nOver all rows, the second reading names {statistics.mean(gains[False]):+.4f} of the lines right in "
        f"documents of one language, {statistics.mean(gains[True]):+.4f} in mixed ones."
    )
    report.say(
        f"\nThe second reading is computed from the scores. Asked with `prior=`, `identify` gave the same label "
        f"for {same:,} of {asked:,} lines."
    )


def ask_again(reading: Reading, strength: float, answers: Sequence[Sequence[str]]) -> tuple[int, int]:
    """Ask `identify` for the second reading of some documents; return how many lines it answers alike, of how many."""
    same = asked = 0
    for number in random.Random(0).sample(range(len(reading.documents)), min(len(reading.documents), CHECKED)):
        shares = document_prior(reading.probabilities[number], strength)
        prior = dict(zip(reading.model.languages, shares.tolist(), strict=True))
        said = reading.model.identify(reading.documents[number].lines, prior=prior, abstain=False)
        same += sum(one.label == other for one, other in zip(said, answers[number], strict=True))
        asked += len(said)
    return same, asked


def document_prior(probabilities: Floats, strength: float) -> Floats:
    """Return a prior from the probabilities of a document's lines."""
    mean = probabilities.mean(axis=0)
    shares = strength * mean / mean.sum() + (1 - strength) / len(mean)
    return np.asarray(shares / shares.sum())


def read(model: unilid.Model, texts: list[Document]) -> Reading:
    """Read every line by itself."""
    lines = [line for document in texts for line in document.lines]
    ends = np.cumsum([len(document.lines) for document in texts])[:-1]
    scores = model.scores(lines)
    probabilities = np.zeros_like(scores)
    start = 0
    for chunk, _ in model.answer_arrays(lines, k=len(model.languages), threads="auto", abstain=False):
        rows, ranks = np.nonzero(chunk.rows >= 0)
        probabilities[start + rows, chunk.rows[rows, ranks]] = chunk.probabilities[rows, ranks]
        start += len(chunk.rows)
    probabilities = np.maximum(probabilities, 1e-12)  # where nothing is left to go by, all are the same
    return Reading(model, texts, np.split(scores, ends), np.split(probabilities, ends))


def documents(corpus: Corpus, size: int, *, mixed: bool = False) -> Iterator[Document]:
    """Yield documents of so many lines; `mixed`: the last quarter is in another language of the same script."""
    drawn = random.Random(0)
    by_script: dict[str, list[str]] = {}
    for label in corpus:
        by_script.setdefault(label.rpartition("_")[2], []).append(label)
    for label, lines in corpus.items():
        others = [other for other in by_script[label.rpartition("_")[2]] if other != label]
        for start in range(0, len(lines) - size + 1, size):
            own, foreign = lines[start : start + size], size // 4 if mixed else 0
            labels = [label] * size
            if foreign:
                if not others:
                    break
                labels[-foreign:] = [drawn.choice(others)] * foreign
                own = own[:-foreign] + drawn.sample(corpus[labels[-1]], foreign)
            yield Document(own, labels)


def cut(corpus: Corpus) -> Corpus:
    """Return the first words of every line."""
    return {label: [b" ".join(line.split()[:WORDS]) for line in lines] for label, lines in corpus.items()}


if __name__ == "__main__":
    main()
