"""Texts on which an implementation may differ from another: many scripts, noise, lengths, and what is no Unicode."""

from __future__ import annotations

from random import Random

from support.corpora import CORPUS
from support.sentences import SENTENCES
from support.strategies import ALPHABET, WORDS

LINES = [line for text in SENTENCES.values() for line in text.splitlines()]

ODD = [
    "",
    " ",
    "12:30",
    "!!! ???",
    "😀😀 👩‍👩‍👧",
    "https://example.org/a?b=c",
    "someone@example.org",
    "def f(x): return x + 1",
    "<p class='a'>Der Zug</p>",
    "Ã¤hnlich schÃ¶n fÃ¼r GrÃ¼ÃŸe",
    "caf\udce9 au lait",  # a byte that was not UTF-8
    "\udcc3\udca9t\udcc3\udca9",  # bytes that are UTF-8 after all
    "\ud800 lone \udfff surrogates \udce9",
    "\ud83d",
    "ϩⲉⲛ ⲣⲱⲙⲉ",
    "𐌰𐍄𐍄𐌰 𐌿𐌽𐍃𐌰𐍂",
    "ma",
    "qwrtpsdfg zxcvbnm hjkl",
    "\ufeffWo ist der Bahnhof?",
    "word" * 100,
    "字" * 500,
]


def texts(count: int, seed: int) -> list[str]:
    """Odd ones, sentences, their parts and mixtures, random characters, and documents that are read in excerpts."""
    chance = Random(seed)
    sentences = [*LINES, *(line for lines in CORPUS.values() for line in lines)]

    def one() -> str:
        kind = chance.randrange(6)
        if kind == 0:
            return chance.choice(sentences)
        if kind == 1:
            return " ".join(chance.sample(chance.choice(sentences).split(), 1))
        if kind == 2:
            return " ".join(chance.choice(sentences) for _ in range(chance.randint(2, 5)))
        if kind == 3:
            return "".join(chance.choice(ALPHABET) for _ in range(chance.randint(1, 60)))
        if kind == 4:
            return " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, 12)))
        own = chance.choice(list(SENTENCES.values())).splitlines()
        other = chance.choice(list(SENTENCES.values())).splitlines()
        lines = [chance.choice(own if chance.random() < 0.9 else other) for _ in range(chance.randint(20, 60))]
        return "\n".join(lines)  # of more than a thousand bytes

    return [*ODD, *(one() for _ in range(count - len(ODD)))]
