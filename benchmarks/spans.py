"""Mixed text: how often spans name the languages and find where they change, what a change should cost, how fast it is.

    python benchmarks/spans.py [--measured default.unilid]

Lines of FLORES-200 `dev` are joined. The cost of a change is chosen on mixtures of lines 401 to 500, with a model of
lines 1 to 400 and, if it is given, the measured build of the recipe, which never saw FLORES; how many words a short
text has, on Tatoeba's short training lines too. What is reported comes from mixtures of lines 501 to 997, with a
model of lines 1 to 500 and the measured build, and with the default model on other text. Only lines that are identified
right when they stand alone are mixed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from unittest import mock

from common import Report, arguments, first, flores, labelled, timed, validation

import unilid
from unilid.model import Model
from unilid.spans.spans import SHORT, SWITCH, Span

MIXTURES = 1_000
TRIES = 50  # to draw one
SWITCHES = (6.0, 8.0, 10.0, 11.0, 12.0, 13.0, 14.0, 16.0, 20.0)
ANY = 1 << 30
SHORTS = (1, 5, 7, 10, 14, 20, ANY)
QUOTED = (3, 5, 8)
FOUND = 0.6
"""Of three words quoted. Among the costs of a change with which each model finds them, the highest is the surest."""
LOST = 0.005
"""Of two short lines joined, because a change costs more in a longer text."""


@dataclass(frozen=True)
class Mixture:
    """A text of several parts."""

    text: str
    labels: tuple[str, ...]
    starts: tuple[int, ...]

    @staticmethod
    def of(parts: Sequence[tuple[str, str]]) -> Mixture:
        text, starts = "", []
        for _, part in parts:
            starts.append(len(text))
            text += part + " "
        return Mixture(text[:-1], tuple(label for label, _ in parts), tuple(starts))


Lines = list[tuple[str, str]]


def right_alone(model: Model, corpus: Mapping[str, Sequence[bytes]]) -> Lines:
    """Return the lines that the model names right, in random order."""
    lines = [(label, text.decode()) for label, texts in corpus.items() for text in texts]
    found = model.identify([text for _, text in lines], abstain=False)
    right = [line for line, answer in zip(lines, found, strict=True) if line[0] == answer.label]
    random.Random(0).shuffle(right)
    return right


def joined(lines: Lines, parts: int, count: int) -> list[Mixture]:
    """Join lines of different languages."""
    drawn = random.Random(parts)
    choices = (drawn.sample(lines, parts) for _ in range(TRIES * count))
    different = (chosen for chosen in choices if len({label for label, _ in chosen}) == parts)
    return [Mixture.of(chosen) for chosen in islice(different, count)]


def quoting(lines: Lines, words: int, count: int) -> list[Mixture]:
    """Put so many words of a line into the middle of a line of another language, without any marks."""
    drawn = random.Random(words)
    found: list[Mixture] = []
    for _ in range(TRIES * count):
        (label, host), (other, guest) = drawn.sample(lines, 2)
        around, inside = host.split(), guest.split()
        if label == other or len(inside) < words + 1 or len(around) < 8 or len(found) == count:
            continue
        at, begin = drawn.randrange(4, len(around) - 3), drawn.randrange(len(inside) - words)
        quoted = " ".join(inside[begin : begin + words])
        found.append(Mixture.of([(label, " ".join(around[:at])), (other, quoted), (label, " ".join(around[at:]))]))
    return found


Find = Callable[[str], Sequence[Span]]


def stretches(found: Sequence[Span]) -> list[tuple[str, int, int]]:
    """Return spans of languages alone; what is no language belongs to the one before it."""
    merged: list[tuple[str, int, int]] = []
    for span in found:
        if merged and (span.label == merged[-1][0] or not span.letters):
            merged[-1] = (*merged[-1][:2], span.end)
        elif span.letters:
            merged.append((span.label, merged[-1][2] if merged else 0, span.end))
    return merged


def is_right(mixture: Mixture, found: Sequence[Span]) -> bool:
    """Whether these languages were named in this order, each boundary at most two words from where it is."""
    named = stretches(found)
    if tuple(label for label, _, _ in named) != mixture.labels:
        return False
    for truth, (_, start, _) in zip(mixture.starts[1:], named[1:], strict=True):
        between = mixture.text[min(truth, start) : max(truth, start)]
        if len(between.split()) > 2:
            return False
    return True


def is_found(mixture: Mixture, found: Sequence[Span], *, named: bool = True) -> bool:
    """Whether a span of the quoted language and the quotation share more than half of what they cover together."""
    begin, end = mixture.starts[1:]
    for label, start, stop in stretches(found):
        shared = min(end, stop) - max(begin, start)
        together = max(end, stop) - min(begin, start)
        if 2 * shared > together and (label == mixture.labels[1] or not named):
            return True
    return False


@dataclass(frozen=True)
class Shares:
    """Shares of mixtures that came out right, and of unmixed lines that came out whole."""

    two: float
    three: float
    whole: float
    quoted: tuple[float, ...]
    marked: tuple[float, ...]
    """Quotations that were found, be it under another name."""


class Mixtures:
    """All that is measured, drawn once."""

    def __init__(self, lines: Lines, count: int) -> None:
        self.two, self.three = joined(lines, 2, count), joined(lines, 3, count)
        self.one = [Mixture.of([line]) for line in lines[: 2 * count]]
        self.quoting = [quoting(lines, words, count) for words in QUOTED]

    def measure(self, find: Find) -> Shares:
        quotations = [[(mixture, find(mixture.text)) for mixture in mixtures] for mixtures in self.quoting]
        return Shares(
            _share(is_right(mixture, find(mixture.text)) for mixture in self.two),
            _share(is_right(mixture, find(mixture.text)) for mixture in self.three),
            _share(len(stretches(find(mixture.text))) == 1 for mixture in self.one),
            tuple(_share(is_found(*pair) for pair in pairs) for pairs in quotations),
            tuple(_share(is_found(*pair, named=False) for pair in pairs) for pairs in quotations),
        )


def _share(right: Iterator[bool]) -> float:
    answers = list(right)
    return sum(answers) / max(len(answers), 1)


HEADER = ("two", "three", "unmixed whole", *(f"{words} words quoted" for words in QUOTED))


def cells(shares: Shares) -> list[str]:
    quoted = [f"{found:.1%} ({marked:.1%})" for found, marked in zip(shares.quoted, shares.marked, strict=True)]
    return [f"{shares.two:.1%}", f"{shares.three:.1%}", f"{shares.whole:.1%}", *quoted]


@dataclass(frozen=True)
class Subject:
    """A model, and text that it is measured on."""

    name: str
    source: str
    model: Model
    labels: int
    mixtures: Mixtures

    @staticmethod
    def of(
        name: str, model: Model, source: str, corpus: Mapping[str, Sequence[bytes]], count: int
    ) -> Iterator[Subject]:
        lines = right_alone(model, corpus)
        if len(lines) >= 3:  # not so where the text is made up
            yield Subject(name, source, model, len({label for label, _ in lines}), Mixtures(lines, count))

    def measure(self, switch: float = SWITCH, short: int = SHORT) -> Shares:
        with mock.patch("unilid.spans.spans.SHORT", short):
            return self.mixtures.measure(lambda text: self.model.spans(text, switch=switch))


def choose_switch(report: Report, subjects: Sequence[Subject]) -> float:
    """Return the highest cost of a change with which each model finds enough quotations; the lowest where none does."""
    report.header("model", "mixtures of", "switch (nats)", *HEADER)
    enough = set(SWITCHES)
    for subject in subjects:
        for switch in SWITCHES:
            shares = subject.measure(switch=switch)
            report.row(subject.name, subject.source, f"{switch:g}", *cells(shares))
            if shares.quoted[0] < FOUND:
                enough.discard(switch)
    return max(enough, default=SWITCHES[0])


def choose_short(report: Report, subjects: Sequence[Subject]) -> int:
    """Return the fewest words with which the last of the subjects loses next to nothing."""
    report.header("model", "mixtures of", "words", *HEADER)
    two: dict[int, float] = {}
    for subject in subjects:
        for short in SHORTS:
            shares = subject.measure(short=short)
            report.row(subject.name, subject.source, "any" if short == ANY else short, *cells(shares))
            two[short] = shares.two
    return min(short for short in SHORTS if two[short] >= two[ANY] - LOST)


def read(path: Path, labels: Iterable[str], lines: int) -> dict[str, list[bytes]]:
    """Return lines of some languages, as many of each."""
    corpus = labelled(path)
    return first({label: corpus[label] for label in labels if label in corpus}, lines)


def speed(report: Report, model: Model, lines: Sequence[bytes], megabytes: Sequence[int]) -> None:
    """Say how long long texts take."""
    text = b" ".join(lines)
    report.header("megabytes", "words", "seconds", "MB a second", "spans")
    for size in megabytes:
        long = (text * (1 + (size << 20) // len(text)))[: size << 20]
        found, seconds = timed(lambda long=long: model.spans(long))  # type: ignore[misc]
        report.row(size, len(long.split()), f"{seconds:.2f}", f"{size / seconds:.2f}", len(found))


def main() -> None:
    options = arguments(__doc__, measured="")
    command = "spans.py --measured default.unilid" if options.measured else ""
    report = Report("spans", "Mixed text", options.quick, command)
    count = 40 if options.quick else MIXTURES
    report.say(
        f"{count:,} mixtures of each kind, of lines that are identified right when alone, and {2 * count:,} unmixed "
        "lines. *Two* and *three* lines of different languages, joined by a space: these languages in this order, and "
        "every boundary at most two words from where it is. *Quoted*: so many words of another language in the middle "
        "of a line, without marks: a span of that language and the quotation have more than half in common (in "
        "brackets: a span of any language).\n"
    )
    train, test = flores(options.data, options.quick)
    held = {label: lines[50 if options.quick else 400 :] for label, lines in train.items()}
    udhr, tatoeba, short_lines = (
        read(options.data / f"{name}.tsv.xz", test, 60) for name in ("udhr/test", "tatoeba/test", "tatoeba/train")
    )
    default = unilid.load()
    build = ("default, measured build", unilid.load(options.measured)) if options.measured else ("default", default)
    choosing = unilid.train(validation(options.data, options.quick)[0], threads=1)

    report.say("## Choosing the cost of a change\n")
    subjects = [*Subject.of("FLORES, lines 1 to 400", choosing, "FLORES, lines 401 to 500", held, count)]
    if options.measured:
        subjects += Subject.of(*build, "FLORES, lines 401 to 500", held, count)
    switch = choose_switch(report, subjects)
    report.say(
        f"\nThe highest cost with which {FOUND:.0%} of three words quoted are found: {switch:g} nats. The default: "
        f"{SWITCH:g}.\n\n## Choosing what is short\n\nIn the midst of a text, a stretch of another language is two "
        "changes. At its ends, and where its languages change, it is one: this costs more in a longer text, with the "
        "root of the words, up to twice as much in a text of four times as many words as a short one has. How many are "
        "these? Tatoeba `train` has short lines; the default model learned from them, so only the differences count.\n"
    )
    short = choose_short(report, [*subjects, *Subject.of(*build, "Tatoeba `train`", short_lines, count)])
    report.say(
        f"\nThe fewest words with which two short lines are right as often as with any, but for {LOST:.1%}: "
        f"{'any' if short == ANY else short}. The default: {SHORT}.\n\n## With the default\n"
    )

    report.header("model", "mixtures of", "labels", *HEADER)
    own = unilid.train(train, threads=1)
    subjects = [*Subject.of("FLORES, lines 1 to 500", own, "FLORES, lines 501 to 997", test, count)]
    if options.measured:
        subjects += Subject.of(*build, "FLORES, lines 501 to 997", test, count)
    subjects += Subject.of("default", default, "UDHR", udhr, count)
    subjects += Subject.of("default", default, "Tatoeba `test`", tatoeba, count)
    for subject in subjects:
        report.row(subject.name, subject.source, subject.labels, *cells(subject.measure()))
    report.say(
        "\nThe default model has seen nothing of these lines: of UDHR and Tatoeba `test`, only the labels of FLORES "
        "count, none of which it learned from UDHR.\n\n## Time\n\nThe default model, one thread; the UDHR lines one "
        "after the other, again and again.\n"
    )
    speed(
        report,
        default,
        [text for texts in zip(*udhr.values(), strict=False) for text in texts],
        (1, 2) if options.quick else (1, 10, 100),
    )
    report.write()


if __name__ == "__main__":
    main()
