"""Columns of the Arrow C data interface that lie: of offsets, sizes, nulls, dictionaries, formats and children.

What the interface does not tell, how long buffers are, is true: they are as long as a reader may believe, and no byte
longer. So offsets beyond the bytes stand only where the next one is smaller, and another format is one of the same
layout, or none of texts.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from random import Random
from typing import Any

TEXT = "der alte Mann und the old man, рыбак в гавани, 漁師は港で".encode() + b"\xff\xfe \xc3\x28 12:30\0\x1b[31m end"

NUMBERS = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q"}
"""The formats of the rows of a dictionary, and how they are packed."""
SAME_LAYOUT = {"u": "z", "z": "u", "U": "Z", "Z": "U", "vu": "vz", "vz": "vu", "n": "n"}
OTHER_FORMATS = [
    b"", b"b", b"g", b"e", b"+l", b"+L", b"+w:3", b"+s", b"+m", b"+r", b"+us:0,1", b"w:16", b"d:19,10", b"tsu:UTC",
    b"uu", b"vv", b"v", b"N", b"\xff", b"\xc3\x28", b"u ", b"\x1b[31m", "ü".encode(), b"x" * 3000, None,
]  # fmt: skip
LARGE = [2**31 - 1, 2**31, 2**32, 2**57 + 1, 2**62, 2**63 - 1, -1, -2, -(2**31), -(2**63)]
BEYOND = [2**57 + 1, 2**60, 2**62, 2**63 - 1, -1, -2, -(2**63)]
"""Lengths and offsets that no array can have; smaller ones, a reader must believe."""
MESSAGES = [None, b"", b"the disk is gone", b"\xff\xfe", "Gerät nicht da".encode("latin-1"), b"x" * 5000, b"\x1b[31m"]


@dataclass
class Shape:
    """What all pieces of a column have in common."""

    values: str
    """The format of the texts."""
    rows: str | None
    """The format of the rows of a dictionary, if it is one."""
    is_table: bool


@dataclass
class Arrays:
    """The pieces of a column: the arguments of `Handmade` for each; and, of a stream, how it ends."""

    pieces: list[dict[str, Any]]
    is_stream: bool = False
    ending: dict[str, Any] = field(default_factory=dict)
    question: int = 0


def some_bits(chance: Random, rows: int) -> bytes | None:
    """Return the validity of so many rows."""
    return None if chance.random() < 0.4 else chance.randbytes((rows + 7) // 8)


def some_length(chance: Random) -> tuple[int, int]:
    """Return a length and an offset."""
    return chance.choice([0, 1, 1, 2, 3, 5, 8, 9, 17, 70]), chance.choice([0, 0, 0, 0, 1, 2, 7, 8, 9])


def by_offsets(chance: Random, large: bool, length: int, offset: int, lies: bool) -> list[bytes | None]:
    """Return offsets and bytes."""
    size = chance.choice([0, 1, 5, len(TEXT)])
    places = sorted(chance.randint(0, size) for _ in range(length + offset + 1))
    if lies and length > 0:
        at = offset + chance.randrange(length)  # the next one is smaller
        wrong = [-1, -5, size + 1, 2**31 - 1, -(2**31), *((2**31, 2**62, 2**63 - 1, -(2**63)) if large else ())]
        places[at] = chance.choice(wrong)
        if places[at] >= 0:
            places[at + 1] = chance.randint(-1, size)
    content: bytes | None = TEXT[:size]
    if size == 0 and chance.random() < 0.5:
        content = None
    return [struct.pack(f"<{len(places)}{'q' if large else 'i'}", *places), content]


def by_views(chance: Random, length: int, offset: int, lies: bool) -> list[bytes | None]:
    """Return views, the buffers that they are of, and the sizes of these."""
    buffers = [TEXT[: chance.choice([0, 13, 20, len(TEXT)])] for _ in range(chance.choice([0, 1, 1, 2, 3]))]
    views = b""
    for _ in range(length + offset):
        long = [number for number, content in enumerate(buffers) if len(content) > 12]
        if not long or chance.random() < 0.4:
            size = chance.randint(0, 12)
            views += struct.pack("<i12s", size, TEXT[:size])
            continue
        number = chance.choice(long)
        size = chance.randint(13, len(buffers[number]))
        views += struct.pack("<i4sii", size, TEXT[:4], number, chance.randint(0, len(buffers[number]) - size))
    sizes = [len(content) for content in buffers]
    found: list[bytes | None] = [views, *buffers, struct.pack(f"<{len(sizes)}q", *sizes)]
    if not lies:
        return found
    how = chance.randrange(5)
    if how < 2 and views:
        at = 16 * chance.randrange(length + offset)
        wrong = struct.pack("<i4sii", *(chance.choice([13, -1, 2**31 - 1, 0, 20]), TEXT[:4]), *(
            chance.choice([-1, 0, 1, 3, 2**31 - 1, -(2**31)]) for _ in range(2)
        ))  # fmt: skip
        found[0] = views[:at] + wrong + views[at + 16 :]
    elif how == 2 and sizes:  # smaller than it is, or none
        sizes[chance.randrange(len(sizes))] = chance.choice([-1, 0, 1, -(2**63)])
        found[-1] = struct.pack(f"<{len(sizes)}q", *sizes)
    elif how == 3 and buffers:
        found[chance.randint(1, len(buffers))] = None
    elif how == 4:
        found[-1] = None
    return found


def texts(chance: Random, values: str, lies: bool) -> dict[str, Any]:
    """Return an array of texts."""
    length, offset = some_length(chance)
    made: dict[str, Any] = {"format": values.encode(), "length": length, "offset": offset, "buffers": []}
    if values != "n":
        inside = lies and chance.random() < 0.6
        parts = by_views(chance, length, offset, inside) if values.startswith("v") else by_offsets(
            chance, values in "UZ", length, offset, inside
        )  # fmt: skip
        made["buffers"] = [some_bits(chance, length + offset), *parts]
        made["null_count"] = 0 if made["buffers"][0] is None else chance.choice([-1, 0, 1, length])
        lies = lies and not inside
    return lying(chance, made) if lies else made


def rows_of(chance: Random, values: str, rows: str, lies: bool) -> dict[str, Any]:
    """Return the rows of a dictionary, and the dictionary."""
    length, offset = some_length(chance)
    inside = lies and chance.random() < 0.3
    dictionary = texts(chance, values, inside)
    entries = dictionary["length"]
    if entries <= 0 and not lies:
        length = 0
    code = NUMBERS[rows]
    least, most = (-(2 ** (8 * struct.calcsize(code) - 1)), 0) if code.islower() else (0, 0)
    most = 2 ** (8 * struct.calcsize(code)) - 1 + least
    numbers = [chance.randint(0, max(0, min(entries - 1, most))) for _ in range(length + offset)]
    if lies and not inside and numbers and chance.random() < 0.5:
        wrong = [value for value in (entries, entries + 7, -1, least, most, *LARGE) if least <= value <= most]
        numbers[chance.randrange(len(numbers))] = chance.choice(wrong)
        inside = True
    bits = some_bits(chance, length + offset)
    made: dict[str, Any] = {
        "format": rows.encode(),
        "length": length,
        "offset": offset,
        "null_count": 0 if bits is None else chance.choice([-1, 0, 1, length]),
        "buffers": [bits, struct.pack(f"<{len(numbers)}{code}", *numbers)],
        "dictionary": dictionary,
    }
    if not lies or inside:
        return made
    how = chance.randrange(4)
    if how == 0:
        made["dictionary_array"] = False
    elif how == 1:
        made["dictionary"] = dict(made)
    elif how == 2:
        made["format"] = chance.choice([*(other.encode() for other in "cCuUn"), *OTHER_FORMATS])
    else:
        return lying(chance, made)
    return made


def lying(chance: Random, made: dict[str, Any]) -> dict[str, Any]:
    """Return an array with one lie about itself."""
    how = chance.randrange(8)
    if how == 0:
        made["length"] = chance.choice(BEYOND)
    elif how == 1:
        made["offset"] = chance.choice(BEYOND)
    elif how == 2:
        made["null_count"] = chance.choice([-2, 1, 2, 99, *LARGE])
    elif how == 3:
        made["buffers"] = None if chance.random() < 0.3 else made["buffers"][: chance.randrange(4)]
    elif how == 4:
        made["buffers"] = [*made["buffers"], None] if made["format"] != b"n" else [None] * chance.randrange(5)
    elif how == 5 and made["buffers"]:
        made["buffers"][chance.randrange(len(made["buffers"]))] = None
    elif how == 6:
        same = SAME_LAYOUT.get(made["format"].decode(), "n").encode()
        made["format"] = chance.choice([same, b"n", *OTHER_FORMATS])
    else:
        made["schema_children"] = chance.choice([-1, 0, 1, 2, 2**62])
        made["array_children"] = chance.choice([-1, 0, 1, 2, 2**62])
    return made


def table_of(chance: Random, child: dict[str, Any], lies: bool) -> dict[str, Any]:
    """Return a table of one column."""
    within = max(0, child["length"]) if child["length"] <= 2**57 else 0
    offset = chance.randint(0, min(within, 9))
    length = chance.randint(0, within - offset)
    bits = some_bits(chance, length + offset)
    made: dict[str, Any] = {
        "format": b"+s",
        "length": length,
        "offset": offset,
        "null_count": 0 if bits is None else chance.choice([-1, 0, 1, length]),
        "buffers": [bits],
        "children": [child],
    }
    if not lies:
        return made
    how = chance.randrange(6)
    if how == 0:  # bits are read of rows that the column has
        made["length"], made["buffers"], made["null_count"] = within + chance.choice([1, 2, 2**40]), [None], 0
    elif how == 1:
        made["children"] = chance.choice([[], [None], [child, child], [dict(made)]])
    elif how == 2:
        made["schema_children"] = chance.choice([-1, 0, 2, 2**62])
    elif how == 3:
        made["array_children"] = chance.choice([-1, 0, 2, 2**62])
    elif how == 4:
        made["format"] = chance.choice(OTHER_FORMATS)
    else:
        made["length" if chance.random() < 0.5 else "offset"] = chance.choice(BEYOND)
    return made


def piece(chance: Random, shape: Shape, lies: bool) -> dict[str, Any]:
    """Return an array of a shape; somewhere in it is a lie, or none."""
    in_table = lies and shape.is_table and chance.random() < 0.4
    inside = lies and not in_table
    made = (
        texts(chance, shape.values, inside) if shape.rows is None else rows_of(chance, shape.values, shape.rows, inside)
    )
    return table_of(chance, made, in_table) if shape.is_table else made


def mutant(seed: int, number: int) -> Arrays:
    """Return a column."""
    chance = Random(f"{seed} {number}")
    shape = Shape(
        chance.choice(["u", "u", "U", "vu", "vu", "z", "Z", "vz", "n"]),
        chance.choice(list(NUMBERS)) if chance.random() < 0.35 else None,
        chance.random() < 0.3,
    )
    arrays = Arrays([piece(chance, shape, chance.random() < 0.75)], chance.random() < 0.3)
    arrays.question = chance.randrange(100)
    if not arrays.is_stream:
        return arrays
    # The first one has the schema of all: one that lies about it is the only one.
    if chance.random() < 0.7:
        first = piece(chance, shape, lies=False)
        arrays.pieces = [first, *(_of_the_same(chance, shape) for _ in range(chance.choice([0, 1, 3])))]
    if chance.random() < 0.4:
        arrays.ending = {"code": chance.choice([0, 5, 22, -1, 2**31 - 1]), "message": chance.choice(MESSAGES)}
    if chance.random() < 0.1:
        arrays.ending["schema_code"] = chance.choice([5, 22, -1])
    if chance.random() < 0.1:
        arrays.ending["lacking"] = chance.choice(["get_schema", "get_next", "get_last_error"])
    return arrays


def _of_the_same(chance: Random, shape: Shape) -> dict[str, Any]:
    """Return another piece, whose lies are not those of a schema."""
    while True:
        made = piece(chance, shape, chance.random() < 0.5)
        if _schema(made) == _schema(piece(Random(0), shape, lies=False)):
            return made


def _schema(made: dict[str, Any] | None) -> Any:
    if made is None:
        return None
    children = [_schema(child) for child in made.get("children", [])]
    return made["format"], made.get("schema_children"), children, _schema(made.get("dictionary"))
