"""Write cpp/words/unicode_tables.h and src/unilid/plain/unicode.py: classes of code points, small letters, marks.

    pip install fonttools unicodedata2
    python tools/make_unicode_tables.py

A class is what the word splitter needs to know and no more: whitespace, a digit, a sign, a mark that joins whatever
stands before it, a mark that may become one letter with it, a letter common to all scripts, or a letter (or mark) of
one script.
"""

from __future__ import annotations

from pathlib import Path

import unicodedata2
from fontTools import unicodedata as scripts

ROOT = Path(__file__).parent.parent
SIGN, SPACE, DIGIT, MARK, COMPOSING, LETTER, FIRST_SCRIPT = range(7)
NAMES = ["SIGN", "SPACE", "DIGIT", "MARK", "COMPOSING", "LETTER"]
# Japanese writes one word in three scripts.
ONE_SCRIPT = {"Hira": "Hani", "Kana": "Hani"}
MARKS = [*range(0x300, 0x370), *range(0x653, 0x656), 0x3099, 0x309A]
"""Marks of Latin, Greek, Cyrillic, Arabic and Japanese letters, which stand by themselves in text in NFD alone."""
INFORMATION = 0x2139
"""A sign, by now, although Unicode has it as a letter in a style."""
MOST_APART = 100
"""Code points between two letters in a style, in one range of them."""
JAMO = [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]
"""Vowels and final consonants of Korean syllables, whose composition is arithmetic."""


def compositions() -> list[tuple[int, int, int]]:
    """Return (letter, mark, letter with the mark), in order; the letter may have marks already, in any order.

    A letter may also be a vowel sign of India, and its mark the other half of it.
    """
    decompositions = {
        code_point: own.split()
        for code_point in range(0x110000)
        if (own := unicodedata2.decomposition(chr(code_point))) and own[0] != "<"
    }
    letters = {*decompositions, *(int(part, 16) for parts in decompositions.values() for part in parts)}
    found = []
    halves = {int(parts[1], 16) for parts in decompositions.values() if len(parts) == 2}
    for letter in sorted(letters.difference(MARKS)):
        for mark in sorted(halves.union(MARKS)):
            one = unicodedata2.normalize("NFC", chr(letter) + chr(mark))
            if len(one) == 1:
                found.append((letter, mark, ord(one)))
    return found


def styled() -> dict[int, str]:
    """Return the Latin letters in bold, italic and other styles, with the letters that they are."""
    found = {}
    for code_point in range(0x110000):
        kind, *parts = unicodedata2.decomposition(chr(code_point)).split() or [""]
        letters = "".join(chr(int(part, 16)) for part in parts)
        is_letter = unicodedata2.category(chr(code_point))[0] == "L" and code_point != INFORMATION
        if is_letter and kind == "<font>" and letters.isascii() and letters.isalpha():
            found[code_point] = letters
    return found


def in_ranges(letters: dict[int, str]) -> list[tuple[int, str]]:
    """Return letters in ranges of code points: the first one, and the letters, with a space where there is none."""
    ranges: list[tuple[int, str]] = []
    for code_point, letter in sorted(letters.items()):
        end = ranges[-1][0] + len(ranges[-1][1]) if ranges else -MOST_APART
        if code_point - end >= MOST_APART:
            ranges.append((code_point, letter))
        else:
            first, before = ranges[-1]
            ranges[-1] = first, before + " " * (code_point - end) + letter
    return ranges


def classify(code_point: int, script_ids: dict[str, int], composing: set[int], latin: set[int]) -> int:
    """Return the class of a code point, giving a new id to a script that is met for the first time."""
    if code_point in composing:
        return COMPOSING
    character = chr(code_point)
    category = unicodedata2.category(character)
    # Z*: separators; the controls are those that Unicode gives the property White_Space.
    if category[0] == "Z" or code_point in (0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x85):
        return SPACE
    if category[0] == "N":
        return DIGIT
    script = scripts.script(character)
    if script == "Zinh":  # inherited: combining accents, variation selectors, (non-)joiners
        return MARK
    if category[0] not in "LM":
        return SIGN
    if code_point in latin:
        script = "Latn"
    if script in ("Zyyy", "Zzzz"):
        return LETTER
    return script_ids.setdefault(ONE_SCRIPT.get(script, script), FIRST_SCRIPT + len(script_ids))


def fold_ranges() -> list[tuple[int, int, int, int]]:
    """Return (first, last, step, distance) for capitals whose small letter takes as many bytes."""
    ranges: list[tuple[int, int, int, int]] = []
    for code_point in range(0x110000):
        character = chr(code_point)
        small = character.lower()
        if unicodedata2.category(character) != "Lu" or len(small) != 1 or small == character:
            continue
        if len(small.encode()) != len(character.encode()):
            continue
        distance = ord(small) - code_point
        if ranges and ranges[-1][3] == distance:
            first, last, step, _ = ranges[-1]
            gap = code_point - last
            if gap <= 2 and step in (0, gap):
                ranges[-1] = (first, code_point, gap, distance)
                continue
        ranges.append((code_point, code_point, 0, distance))
    return [(first, last, step or 1, distance) for first, last, step, distance in ranges]


def main() -> None:
    """Write both tables."""
    folds, composed = fold_ranges(), compositions()
    composing = {*JAMO, *(mark for _, mark, _ in composed if mark in MARKS)}
    combining: list[tuple[int, int]] = []
    for code_point in range(0x110000):
        value = unicodedata2.combining(chr(code_point))
        if not combining or combining[-1][1] != value:
            combining.append((code_point, value))
    in_style = in_ranges(styled())
    first, letters = in_style[-1]
    latin = set(range(first, first + len(letters)))  # the others are signs of mathematics, too
    script_ids: dict[str, int] = {}
    runs: list[tuple[int, int]] = []
    for code_point in range(0x110000):
        value = classify(code_point, script_ids, composing, latin)
        if not runs or runs[-1][1] != value:
            runs.append((code_point, value))
    assert FIRST_SCRIPT + len(script_ids) <= 256
    note = f"Made by tools/make_unicode_tables.py from Unicode {unicodedata2.unidata_version}; do not edit."
    cells = [f"{{{start:#x}, {value}}}," for start, value in runs]
    names = "\n".join(f"constexpr uint8_t {name} = {value};" for value, name in enumerate(NAMES))
    (ROOT / "cpp/words/unicode_tables.h").write_text(
        f"// {note}\n#pragma once\n#include <cstdint>\n#include <string_view>\n\n"
        f"namespace unilid::unicode {{\n\n{names}\n"
        f"constexpr uint8_t FIRST_SCRIPT = {FIRST_SCRIPT};\n\n"
        "// The scripts in ISO 15924, from FIRST_SCRIPT on.\n// clang-format off\nconstexpr const char* SCRIPTS[] = {\n"
        + wrap([f'"{script}",' for script in script_ids])
        + "\n};\n// clang-format on\n\n"
        "// The class of every code point from `start` up to the next run's start.\n"
        "struct Run {\n  uint32_t start;\n  uint8_t value;\n};\n\n"
        f"// clang-format off\nconstexpr Run RUNS[] = {{\n{wrap(cells)}\n}};\n// clang-format on\n\n"
        "// Capitals first, first + step, ... last and the distance to their small letters.\n"
        "struct Fold {\n  uint32_t first, last, step;\n  int32_t distance;\n};\n\n"
        "// clang-format off\nconstexpr Fold FOLDS[] = {\n"
        + wrap([f"{{{first:#x}, {last:#x}, {step}, {distance}}}," for first, last, step, distance in folds])
        + "\n};\n// clang-format on\n\n"
        "// A letter, a mark, and the letter with the mark; sorted.\n"
        "struct Composition {\n  uint32_t letter, mark, composed;\n};\n\n"
        "// clang-format off\nconstexpr Composition COMPOSITIONS[] = {\n"
        + wrap([f"{{{letter:#x}, {mark:#x}, {one:#x}}}," for letter, mark, one in composed])
        + "\n};\n// clang-format on\n\n"
        "// The combining class of every code point from `start` up to the next run's start; 0 if it is no mark.\n"
        "// clang-format off\nconstexpr Run COMBINING[] = {\n"
        + wrap([f"{{{start:#x}, {value}}}," for start, value in combining])
        + "\n};\n// clang-format on\n\n"
        "// Latin letters in bold, italic and other styles: a range of code points, and the letters that they are,\n"
        "// with a space where there is none.\n"
        "struct Styled {\n  uint32_t first;\n  std::string_view letters;\n};\n\n"
        "// clang-format off\nconstexpr Styled STYLED[] = {\n"
        + "\n".join(f"    {{{first:#x},\n{quoted(letters)}}}," for first, letters in in_style)
        + "\n};\n// clang-format on\n\n"
        "}  // namespace unilid::unicode\n"
    )
    pairs = [f"({start}, {value})," for start, value in runs]
    codes = [f'{value}: "{script}",' for script, value in script_ids.items()]
    (ROOT / "src/unilid/plain/unicode.py").write_text(
        f'"""The class of every code point. {note}"""\n\n# fmt: off\n'
        + "\n".join(f"{name} = {value}" for value, name in enumerate(NAMES))
        + f"\n\n# The ISO 15924 code of each class that is a script.\nSCRIPTS = {{\n{wrap(codes)}\n}}\n"
        + f"\n# (first code point, class), in order.\nRUNS = [\n{wrap(pairs)}\n]\n"
        + "\n# Capitals (first, last, step) and the distance to their small letters, where these take as many bytes.\n"
        + f"FOLDS = [\n{wrap([f'{fold},' for fold in folds])}\n]\n"
        + "\n# A letter, a mark, and the letter with the mark.\n"
        + f"COMPOSITIONS = [\n{wrap([f'{one},' for one in composed])}\n]\n"
        + "\n# (first code point, combining class), in order; a class of 0 is that of characters that are no marks.\n"
        + f"COMBINING = [\n{wrap([f'({start}, {value}),' for start, value in combining])}\n]\n"
        + "\n# Latin letters in bold, italic and other styles: (first code point, the letters that they are), with a\n"
        + "# space where there is none.\nSTYLED = [\n"
        + "\n".join(f"    ({first},\n{quoted(letters)})," for first, letters in in_style)
        + "\n]\n"
    )


def quoted(letters: str, size: int = 104) -> str:
    """Return letters in parts that fit into a line, which both languages put together."""
    return wrap([f'"{letters[start : start + size]}"' for start in range(0, len(letters), size)])


def wrap(cells: list[str], width: int = 112) -> str:
    """Lay cells out in lines of at most `width` characters."""
    lines, line = [], ""
    for cell in cells:
        if len(line) + len(cell) + 1 > width:
            lines.append(line)
            line = ""
        line = f"{line} {cell}" if line else cell
    return "\n".join("    " + text for text in [*lines, line])


if __name__ == "__main__":
    main()
