"""Noise: replaced characters, capitals, missing spaces, very short text; beside fastText.

    python benchmarks/noise.py

FLORES, lines 1 to 500 of every label train, 501 to 997 measure; accuracy, mean of three seeds where chance is in it.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

from common import CONTEXTS, PAPER, FastText, Report, Test, accuracy, arguments, flores

import unilid
from unilid.plain import class_of

ANY = [(0x21, 0x7F), (0xC0, 0x250), (0x370, 0x400), (0x400, 0x500), (0x5D0, 0x5EB), (0x620, 0x64B), (0x904, 0x93A),
       (0xE01, 0xE2F), (0x10D0, 0x10F0), (0x3041, 0x3097), (0x4E00, 0x9FA0), (0xAC00, 0xD7A4)]  # fmt: skip
SEEDS = (1, 2, 3)


class Change(Protocol):
    """Replaces a share of the characters of a text."""

    def __call__(self, text: bytes, generator: random.Random, rate: float) -> bytes: ...


def any_script(text: bytes, generator: random.Random, rate: float) -> bytes:
    """Replace a share of the characters that are not spaces by random ones of any script."""
    written = [
        chr(generator.randrange(*generator.choice(ANY))) if not c.isspace() and generator.random() < rate else c
        for c in text.decode()
    ]
    return "".join(written).encode()


class SameScript:
    """Replaces a share of the letters by random ones of the same script, out of those that the test lines use."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        letters: dict[int, set[str]] = defaultdict(set)
        for character in {c for text in texts for c in text.decode() if c.isalpha()}:
            letters[class_of(character)].add(character)
        self.letters = {script: sorted(known) for script, known in letters.items()}

    def __call__(self, text: bytes, generator: random.Random, rate: float) -> bytes:
        written = [
            generator.choice(self.letters[class_of(c)]) if c.isalpha() and generator.random() < rate else c
            for c in text.decode()
        ]
        return "".join(written).encode()


def first_words(text: bytes, count: int) -> bytes:
    return b" ".join(text.split()[:count])


def main() -> None:
    options = arguments(__doc__)
    report = Report("noise", "Noise: FLORES-500, accuracy", options.quick)
    train, held = flores(options.data, options.quick)
    test = Test.of(held)
    test = Test(test.texts[::5], test.gold[::5])
    systems: dict[str, Callable[[Test], float]] = {}
    ours: dict[str, dict[str, Any]] = {name: {"context": context} for name, context in CONTEXTS.items()}
    for name, settings in {"the paper's": PAPER, **ours}.items():
        systems[name] = partial(accuracy, unilid.train(train, **settings))
    systems["fastText"] = FastText(train).accuracy
    report.say(f"{len(test.texts)} test lines; constants were chosen on lines 401 to 500 of the training half.\n")
    report.header("change", *systems)

    def row(name: str, *changed: Test) -> None:
        report.row(name, *(sum(map(system, changed)) / len(changed) for system in systems.values()))

    def by_chance(change: Change, rate: float) -> list[Test]:
        return [test.changed(partial(change, generator=random.Random(seed), rate=rate)) for seed in SEEDS]

    row("none", test)
    for rate in (0.05, 0.1, 0.25, 0.5):
        row(f"{rate:.0%} replaced, any script", *by_chance(any_script, rate))
    same = SameScript(test.texts)
    for rate in (0.1, 0.25):
        row(f"{rate:.0%} replaced, same script", *by_chance(same, rate))
    row("all capitals", test.changed(lambda text: text.decode().upper().encode()))
    row("no spaces", test.changed(lambda text: b"".join(text.split())))
    for count in (1, 2, 4, 8):
        row(f"first {count} words", test.changed(partial(first_words, count=count)))
    report.write()


if __name__ == "__main__":
    main()
