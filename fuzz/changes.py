"""Changes that make something else of a value, of a tree of JSON or of bytes: what all mutants have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

T = TypeVar("T")
Mutation = Callable[[T, Random], str]
"""Changes something, and says what."""

NUMBERS: list[Any] = [
    0, 1, -1, 2, 15, 16, 17, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64, -(2**63),
    10**30, 10**400, -(10**400), 0.0, -0.0, 0.5, 1.5, 1e-320, 1e-300, 1e300, -1e300, math.nan, math.inf, -math.inf,
]  # fmt: skip
STRINGS = [
    "", "a", "zxx", "und", "mul", "deu_Latn", "eng_Latn", "deu", "a\0b", "a\tb", "a\nb", "\x1b[31m", "\u202e", "\ud800",
    "x" * 5000, "ä" * 100, "shared", "additive", "__metadata__", "1e999", "\u2028", " ", "de", "en-US", "İ",
    "\U0010ffff",
]  # fmt: skip


def nested(depth: int) -> Any:
    """Return a list in a list in a list."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def any_value(chance: Random) -> Any:
    """Return a value of JSON that is not what was expected."""
    kind = chance.randrange(8)
    if kind < 4:
        return chance.choice(NUMBERS)
    if kind < 6:
        return chance.choice(STRINGS)
    others: list[Any] = [None, True, False, [], {}, [0], [1, 2, 3], {"a": 1}, [[]], [None] * 3, ["a"] * 70]
    return chance.choice([*others, nested(chance.choice([5, 90, 400]))])


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values of a JSON tree."""
    found = [path] if path else []
    if isinstance(tree, dict):
        for key, value in tree.items():
            found += places(value, (*path, key))
    elif isinstance(tree, list | tuple):
        for index, value in enumerate(tree):
            found += places(value, (*path, index))
    return found


def change_tree(tree: Any, chance: Random) -> str:
    """Change one value of a JSON tree, and say which."""
    found = places(tree)
    if not found:
        return "nothing"
    path = chance.choice(found)
    parent = tree
    for key in path[:-1]:
        parent = parent[key]
    key = path[-1]
    if isinstance(parent, tuple):
        return "nothing"
    old = parent[key]
    how = chance.randrange(7)
    if how == 0:
        del parent[key]
    elif how == 1 and isinstance(old, int | float) and not isinstance(old, bool):
        real = float(old) if isinstance(old, float) or abs(old) < 10**300 else 1e300
        parent[key] = chance.choice([-old, old + 1, old - 1, old * 2, real, real * 1e10, str(old), real / 3, [old]])
    elif how == 2 and isinstance(parent, list):
        parent.insert(key, old)
    elif how == 3 and isinstance(old, list) and old:
        parent[key] = chance.choice([old[:-1], [*old, *old], old[::-1], chance.sample(old, len(old)), [old], old[:1]])
    elif how == 4 and isinstance(parent, dict):
        parent[chance.choice(STRINGS)] = parent.pop(key)
    else:
        parent[key] = any_value(chance)
    return "/".join(map(str, path))[:60]


def change_bytes(content: bytes, chance: Random) -> tuple[bytes, str]:
    """Change a few bytes, and say how."""
    if not content:
        return chance.choice([b"\0", b"\xff\xfe", b"a"]), "bytes from nothing"
    how = chance.choice(["flip", "flip", "flip", "set", "cut", "cut out", "insert", "double", "swap"])
    begin = chance.randrange(len(content))
    end = min(len(content), begin + chance.choice([1, 1, 2, 4, 16, 200]))
    if how == "flip":
        changed = bytearray(content)
        for _ in range(chance.choice([1, 1, 1, 2, 8])):
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        content = bytes(changed)
    elif how == "set":
        content = content[:begin] + bytes([chance.choice([0, 9, 10, 13, 32, 34, 127, 128, 255])]) + content[begin + 1 :]
    elif how == "cut":
        content = content[:begin]
    elif how == "cut out":
        content = content[:begin] + content[end:]
    elif how == "insert":
        known = [b"\0", b"\n", b"\r", b"\t", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"{", b'"', b"%00", b"\xed\xa0\x80"]
        more = chance.choice([*known, chance.randbytes(chance.choice([1, 4, 30])), b"A" * 3000])
        content = content[:begin] + more + content[begin:]
    elif how == "double":
        content = content[:end] + content[begin:]
    else:
        other = chance.randrange(len(content))
        changed = bytearray(content)
        changed[begin], changed[other] = changed[other], changed[begin]
        content = bytes(changed)
    return content, f"{how} at {begin}"


def changing(chance: Random) -> Callable[[bytes], bytes]:
    """Return a change of a few bytes for content that is not there yet."""
    seed = chance.random()
    return lambda content: change_bytes(content, Random(seed))[0]


def mutate(thing: T, mutations: Sequence[tuple[Mutation[T], int]], chance: Random, most: int = 4) -> str:
    """Change something once or a few times, by mutations that have weights, and say what was done."""
    functions, weights = zip(*mutations, strict=True)
    chosen = chance.choices(functions, weights, k=chance.choice([1, 1, 1, 2, most]))
    return ", ".join([change(thing, chance) for change in chosen])
