"""Corpora of made-up languages, in the layout that the benchmarks expect: to see that the programs run.

    python benchmarks/generated.py FOLDER && python benchmarks/noise.py --quick --data FOLDER

A language is a few hundred words of its own syllables, in one of several scripts; neighbours share half of them.
"""

import lzma
import random
import sys
from collections.abc import Iterable
from pathlib import Path

SCRIPTS = {
    "Latn": "aeioubdfgklmnprstvz",
    "Cyrl": "аеиоубдвгклмнпрстз",
    "Grek": "αεηιουβγδκλμνπρστχ",
    "Geor": "აეიოუბგდვზთკლმნპრ",
}
LABELS = [f"{code}_{script}" for script in SCRIPTS for code in ("dan", "deu", "eng", "fra", "ita", "nob", "pol", "spa")]


class Language:
    """Makes sentences."""

    def __init__(self, label: str) -> None:
        script = label.rpartition("_")[2]
        letters = SCRIPTS.get(script, SCRIPTS["Latn"])
        shared = random.Random(script)
        self.random = random.Random(label)
        self.words = [self._word(shared, letters) for _ in range(150)] + [
            self._word(self.random, letters) for _ in range(300)
        ]

    @staticmethod
    def _word(generator: random.Random, letters: str) -> str:
        vowels, consonants = letters[:5], letters[5:]
        syllables = generator.choices([1, 2, 3], [3, 5, 2])[0]
        return "".join(generator.choice(consonants) + generator.choice(vowels) for _ in range(syllables))

    def sentences(self, count: int, words: tuple[int, int] = (5, 20)) -> list[str]:
        found = []
        for _ in range(count):
            chosen = self.random.choices(self.words, k=self.random.randint(*words))
            found.append(" ".join(chosen).capitalize() + self.random.choice(".?!"))
        return found


def write(path: Path, lines: Iterable[tuple[str, ...]]) -> None:
    """Write lines of cells."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(path, "wt", encoding="utf-8", preset=0) as file:
        file.writelines("\t".join(cells) + "\n" for cells in lines)


def main(folder: Path) -> None:
    """Write all corpora."""
    languages = {label: Language(label) for label in LABELS}

    def lines(count: int, words: tuple[int, int] = (5, 20)) -> list[tuple[str, str]]:
        return [(label, text) for label, own in languages.items() for text in own.sentences(count, words)]

    write(folder / "flores200/dev.tsv.xz", lines(560))
    write(folder / "udhr/test.tsv.xz", lines(25, (8, 30)))
    japanese = Language("jpn_Jpan")
    for part, count in (("train", 150), ("test", 30)):
        more = [("jpn_Jpan", text) for text in japanese.sentences(count, (3, 8))]
        write(folder / f"tatoeba/{part}.tsv.xz", lines(count, (3, 8)) + more)
    for name in ("common_voice", "ebible_open", "firefox_ui", "wikimedia_ui"):
        kind = {label: Language(f"{name} {label}") for label in ("deu_Latn", "eng_Latn", "jpn_Jpan")}
        write(folder / f"{name}/train.tsv.xz", [(k, text) for k, one in kind.items() for text in one.sentences(60)])
    ten = {label: Language(label) for label in ("eng", *(f"w{n}" for n in range(1, 10)))}  # what they say later is new
    for part, count in (("train", 60), ("test", 30)):
        write(folder / f"wili10/{part}.tsv.xz", [(k, text) for k, one in ten.items() for text in one.sentences(count)])
    dialects = {"dsl_ml_2024": ["EN-GB", "EN-US", "ES-AR", "ES-ES", "PT-BR", "PT-PT"], "gdi_2019": ["BE", "ZH"],
                "adi_mgb3": ["EGY", "GLF"]}  # fmt: skip
    for name, labels in dialects.items():
        for part, count in (("train", 40), ("dev", 20)):
            own = [(label, text) for label in labels for text in Language(label).sentences(count)]
            own += [(",".join(labels[:2]), text) for text in Language(labels[0]).sentences(3)]
            write(folder / f"dialects/{name}.{part}.tsv.xz", own)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
