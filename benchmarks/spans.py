"""Mixed text: how often spans name the languages and find where they change, what a change should cost, how fast it is.

    python benchmarks/spans.py [--measured default.unilid]

Lines of FLORES-200 `dev` are joined. The cost of a change is chosen with a model of lines 1 to 400 on mixtures of lines
401 to 500; what is reported comes from mixtures of lines 501 to 997, with a model of lines 1 to 500, and with the
default model on other text; the measured build of the recipe, which never saw FLORES, may be given too. Only lines that
are identified right when they stand alone are mixed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from common import Report, arguments, first, flores, labelled, timed, validation

import unilid
from unilid.model import Model
from unilid.spans import SWITCH, Span

MIXTURES = 1_000
TRIES = 50  # to draw one
SWITCHES = (6.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 16.0, 20.0, 30.0)
QUOTED = (3, 5, 8)
TWO, THREE, WHOLE = 0.95, 0.9, 0.97
"""What must come out right. Among the costs that reach it, the lowest finds the most quotations."""


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

    @property
    def is_enough(self) -> bool:
        return self.two >= TWO and self.three >= THREE and self.whole >= WHOLE


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


def choose(report: Report, train: Mapping[str, list[bytes]], held: Mapping[str, list[bytes]], count: int) -> float:
    """Return the lowest cost of a change that is enough; the highest where none is."""
    model = unilid.train(train, threads=1)
    mixtures = Mixtures(right_alone(model, held), count)
    report.header("switch (nats)", *HEADER)
    enough = []
    for switch in SWITCHES:
        shares = mixtures.measure(lambda text, switch=switch: model.spans(text, switch=switch))  # type: ignore[misc]
        report.row(f"{switch:g}", *cells(shares))
        if shares.is_enough:
            enough.append(switch)
    return min(enough, default=SWITCHES[-1])


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
    report.say("## Choosing the cost of a change\n\nModel of lines 1 to 400, mixtures of lines 401 to 500.\n")
    chosen = choose(report, validation(options.data, options.quick)[0], held, count)
    report.say(
        f"\nThe lowest cost with {TWO:.0%} of two, {THREE:.0%} of three and {WHOLE:.0%} of unmixed lines right: "
        f"{chosen:g} nats. The default: {SWITCH:g}.\n\n## With the default\n"
    )

    report.header("model", "mixtures of", "labels", *HEADER)
    own = unilid.train(train, threads=1)
    default = unilid.load()
    udhr, tatoeba = (read(options.data / f"{name}/test.tsv.xz", test, 60) for name in ("udhr", "tatoeba"))
    rows = [
        (own, "FLORES, lines 1 to 500", "FLORES, lines 501 to 997", right_alone(own, test)),
        (default, "default", "UDHR", right_alone(default, udhr)),
        (default, "default", "Tatoeba `test`", right_alone(default, tatoeba)),
    ]
    if options.measured:
        measured = unilid.load(options.measured)
        rows.insert(1, (measured, "default, measured build", "FLORES, lines 501 to 997", right_alone(measured, test)))
    for model, name, source, lines in rows:
        if len(lines) < 3:  # made-up text
            continue
        shares = Mixtures(lines, count).measure(model.spans)
        report.row(name, source, len({label for label, _ in lines}), *cells(shares))
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
