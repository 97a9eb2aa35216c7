"""Mutants: a model file is taken apart, changed, and put together again with the checksum of what it is now."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
from changes import STRINGS, Mutation, change_tree, mutate
from small_models import models

from unilid.store import modelfile


@dataclass
class Content:
    """A file, taken apart."""

    arrays: dict[str, npt.NDArray[Any]]
    metadata: dict[str, Any]
    header_changes: list[Callable[[dict[str, Any]], object]] = field(default_factory=list)
    body_changes: list[Callable[[bytes], bytes]] = field(default_factory=list)

    @staticmethod
    def of(encoded: bytes) -> Content:
        """Take a file apart; what is changed of it changes no other."""
        with modelfile.decoding(encoded, "the model") as (arrays, metadata):
            return Content({key: array.copy() for key, array in arrays.items()}, copy.deepcopy(metadata))

    def encode(self) -> bytes:
        """Put it together again, with the checksum of what it is now."""
        names = sorted(self.arrays, key=lambda name: (-self.arrays[name].dtype.itemsize, name))
        header: dict[str, Any] = {}
        body = b""
        for name in names:
            raw = np.ascontiguousarray(self.arrays[name]).tobytes()
            kind = modelfile._NAMES.get(self.arrays[name].dtype, "F64")
            header[name] = {
                "dtype": kind,
                "shape": [len(self.arrays[name])],
                "data_offsets": [len(body), len(body) + len(raw)],
            }
            body += raw
        for change in self.header_changes:
            change(header)
        for cut in self.body_changes:
            body = cut(body)
        metadata = dict(self.metadata)
        metadata.setdefault("format", modelfile.FORMAT)
        metadata.pop("crc32", None)
        metadata["crc32"] = modelfile._checksum(metadata, header, body)
        text = json.dumps({"__metadata__": {"unilid": json.dumps(metadata)}, **header}).encode()
        text += b" " * (-(8 + len(text)) % 64)
        return len(text).to_bytes(8, "little") + text + body


def mutate_metadata(content: Content, chance: Random) -> str:
    """Change settings, decisions, info or the list of labels."""
    return "metadata " + change_tree(content.metadata, chance)


def mutate_labels(content: Content, chance: Random) -> str:
    """Change labels."""
    labels = content.metadata.get("languages")
    if not isinstance(labels, list) or not labels:
        return "labels: none"
    row = chance.randrange(len(labels))
    how = chance.randrange(5)
    if how == 0:
        labels[row] = chance.choice(STRINGS)
    elif how == 1:
        labels[row] = labels[chance.randrange(len(labels))]
    elif how == 2:
        labels.pop(row)
    elif how == 3:
        labels += [f"more{n}" for n in range(chance.choice([1, 2, 300, 70_000]))]
    else:
        chance.shuffle(labels)
    return "labels"


def mutate_header(content: Content, chance: Random) -> str:
    """Change what the header says of arrays."""
    seed = chance.random()

    def change(header: dict[str, Any]) -> None:
        own = Random(seed)
        names = [key for key, entry in header.items() if isinstance(entry, dict)]
        if not names:
            return
        name = own.choice(names)
        entry, how = header[name], own.randrange(7)
        if how == 0:
            entry["dtype"] = own.choice(["U8", "U16", "U32", "I64", "F64", "F32", "BOOL", "", None, 5])
        elif how == 1:
            entry["shape"] = own.choice([[], [0], [-1], [1, 1], [2**63], None, "5", [1.5], [entry.get("shape")]])
        elif how == 2:
            entry["data_offsets"] = own.choice([[0, 0], [-8, 0], [0], [5, 3], [0, 2**64], None, ["0", "8"], [0.0, 8.0]])
        elif how == 3:
            other = own.choice(names)
            header[name], header[other] = header[other], header[name]
        elif how == 4:
            header[own.choice([*names, "later", "", "a\0b"])] = header.pop(name)
        elif how == 5:
            other_entry = header[own.choice(names)]
            key = own.choice(["dtype", "shape", "data_offsets"])
            if key in entry and key in other_entry:
                entry[key], other_entry[key] = other_entry[key], entry[key]
        else:
            change_tree(header, own)

    content.header_changes.append(change)
    return "header"


def mutate_body(content: Content, chance: Random) -> str:
    """Cut the end off, or put something behind it."""
    size = chance.choice([1, 2, 3, 8, 64, 1000])
    content.body_changes.append(chance.choice([lambda body: body[:-size], lambda body: body + b"\0" * size]))
    return f"body {size}"


def mutate_bits(content: Content, chance: Random) -> str:
    """Flip bits of an array."""
    name, array = some_array(content, chance)
    raw = np.ascontiguousarray(array).view(np.uint8)
    for _ in range(chance.choice([1, 1, 1, 2, 8, 64])):
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    return f"bits {name}"


def mutate_values(content: Content, chance: Random) -> str:
    """Set values of an array to extremes."""
    name, array = some_array(content, chance)
    begin = chance.randrange(len(array))
    end = begin + chance.choice([1, 1, 1, 2, 10, len(array)])
    if array.dtype.kind == "f":
        array[begin:end] = chance.choice([0, -0.0, -1, 1, 1e-320, 1e-300, 1e300, math.nan, math.inf, -math.inf, 1e18])
    else:
        limit = np.iinfo(array.dtype)
        own = int(array[chance.randrange(len(array))])
        known = [0, 1, 2, 96, 254, 255, 256, limit.max, limit.max - 1, limit.min, own]
        array[begin:end] = chance.choice([value for value in known if limit.min <= value <= limit.max])
    return f"values {name}[{begin}:{end}]"


def mutate_order(content: Content, chance: Random) -> str:
    """Swap values of an array, or move what one has to another: their sum stays."""
    name, array = some_array(content, chance)
    a, b = chance.randrange(len(array)), chance.randrange(len(array))
    how = chance.randrange(5)
    if how == 0:
        array[a], array[b] = array[b], array[a]
    elif how == 1:
        array[:] = array[::-1].copy()
    elif how == 2:
        array[:] = np.roll(array, chance.choice([1, -1, 3, 4]))
    elif how == 3 and array.dtype.kind != "f" and array[a] > 0 and array[b] < np.iinfo(array.dtype).max:
        array[a] -= 1
        array[b] += 1
    else:
        begin, end = min(a, b), max(a, b) + 1
        array[begin:end] = array[begin:end][::-1].copy()
    return f"order {name}"


def mutate_length(content: Content, chance: Random) -> str:
    """Make an array longer or shorter, give it another type, drop it, or take that of another model."""
    name, array = some_array(content, chance)
    how = chance.randrange(8)
    if how == 0:
        content.arrays[name] = array[: chance.randrange(len(array))]
    elif how == 1:
        content.arrays[name] = np.concatenate([array, array[: chance.randrange(1, len(array) + 1)]])
    elif how == 2:
        kind = chance.choice([np.uint8, np.uint16, np.uint32, np.int64, np.float64])
        with np.errstate(all="ignore"):
            content.arrays[name] = array.astype(kind)
    elif how == 3:
        del content.arrays[name]
    elif how == 4:
        other = Content.of(models()[chance.choice(list(models()))])
        content.arrays[name] = other.arrays.get(name, array)
    elif how == 5:
        content.arrays[f"{name}.large"] = np.array([chance.choice([0, 255, 300, 2**32 - 1])], np.uint32)
    elif how == 6:
        content.arrays[name] = np.delete(array, chance.randrange(len(array)))
    else:
        place = chance.randrange(len(array))
        content.arrays[name] = np.insert(array, place, array[place])
    return f"length {name}"


def mutate_context_entries(content: Content, chance: Random) -> str:
    """Give an n-gram to another language: everything has the right size, and a language lacks what it should have."""
    names = [name for name in content.arrays if name.startswith("context.") and name.endswith(".entries")]
    languages = content.metadata.get("languages")
    if not names or not isinstance(languages, list) or not languages:
        return mutate_bits(content, chance)
    name = chance.choice(sorted(names))
    array = content.arrays[name]
    size = 3 if name == max(names) else 4
    if len(array) < size:
        return f"entries {name}: none"
    for _ in range(chance.choice([1, 1, 3, 50])):
        array[chance.randrange(len(array) // size) * size] = chance.randrange(min(len(languages), 256))
    return f"entries {name}"


def some_array(content: Content, chance: Random) -> tuple[str, npt.NDArray[Any]]:
    """Return an array that is not empty."""
    name = chance.choice(sorted(name for name, array in content.arrays.items() if len(array)))
    content.arrays[name] = np.ascontiguousarray(content.arrays[name]).copy()
    return name, content.arrays[name]


MUTATIONS: list[tuple[Mutation[Content], int]] = [
    (mutate_metadata, 5),
    (mutate_labels, 1),
    (mutate_header, 1),
    (mutate_body, 1),
    (mutate_bits, 4),
    (mutate_values, 4),
    (mutate_order, 4),
    (mutate_length, 2),
    (mutate_context_entries, 3),
]


def mutant(seed: int, number: int) -> tuple[bytes, str]:
    """Return the bytes of a mutant, and what was changed."""
    chance = Random(f"{seed} {number}")
    name = chance.choice(list(models()))
    content = Content.of(models()[name])
    changes = mutate(content, MUTATIONS, chance)
    return content.encode(), f"{name}: {changes}"
