"""How tables lie in a file: narrow types, sizes instead of offsets; and the checks that make them safe to use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.errors import ModelFileError
from unilid.store.modelfile import Arrays


def narrow(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return unsigned values in the narrowest of 8, 16 and 32 bits.

    >>> narrow(np.array([1, 300])).dtype
    dtype('uint16')
    """
    largest = int(values.max()) if len(values) else 0
    kind = np.uint8 if largest < 1 << 8 else np.uint16 if largest < 1 << 16 else np.uint32
    return values.astype(kind)


def pack_sizes(key: str, sizes: npt.NDArray[Any]) -> Arrays:
    """Return the sizes of groups as uint8 with an escape: sizes of 255 and more go to ``key.large``, in their order.

    >>> {key: array.tolist() for key, array in pack_sizes("sizes", np.array([1, 300, 2])).items()}
    {'sizes': [1, 255, 2], 'sizes.large': [300]}
    """
    large = sizes[sizes >= _kernel.LARGE].astype(np.uint32)
    return {key: np.minimum(sizes, _kernel.LARGE).astype(np.uint8), f"{key}.large": large}


class Grouped(NamedTuple):
    """Members of groups; the key of one is a language or a character, and the first two bytes of it."""

    key: str
    members: npt.NDArray[Any]
    firsts: npt.NDArray[np.uint32]
    below: int


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The arrays of a file; whatever is taken from it keeps what it promises, or an error names it."""

    arrays: Arrays
    name: str

    def fail(self, problem: str) -> ModelFileError:
        """Return the error for a problem."""
        return ModelFileError(f"{self.name}: damaged: {problem}")

    @contextmanager
    def understanding(self, what: str) -> Iterator[None]:
        """Turn what goes wrong with metadata of any shape into an error that names the file."""
        try:
            yield
        except ModelFileError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:  # UnilidError among them
            raise self.fail(f"{what} cannot be understood ({error})") from error

    def take(
        self,
        key: str,
        kind: type[np.integer[Any]] | type[np.floating[Any]],
        *,
        length: int | None = None,
        below: int | None = None,
    ) -> npt.NDArray[Any]:
        """Return an array as `kind`, with `length` values, none of them negative, all smaller than `below`."""
        if key not in self.arrays:
            raise self.fail(f"the array {key!r} is missing")
        array = self.arrays[key]
        if not np.can_cast(array.dtype, kind):
            raise self.fail(f"the array {key!r} has type {array.dtype}")
        if length is not None and len(array) != length:
            raise self.fail(f"the array {key!r} has {len(array)} values instead of {length}")
        if array.dtype.kind in "if" and len(array) and not array.min() >= 0:
            raise self.fail(f"the array {key!r} has the value {array.min()}")
        if below is not None and len(array) and not int(array.max()) < below:
            raise self.fail(f"the array {key!r} has the value {array.max()}, beyond {below - 1}")
        return array.astype(kind, copy=False)

    def take_firsts(self, key: str, kind: type[np.integer[Any]], *, groups: int, members: int) -> npt.NDArray[Any]:
        """Return where each group begins, and the end, from what `pack_sizes` made of the groups' sizes."""
        large = self.take(f"{key}.large", np.uint32)
        offsets = _kernel.sum_up_sizes(self.take(key, np.uint8, length=groups), large)
        if offsets.large != len(large):
            raise self.fail(f"the array '{key}.large' has {len(large)} values instead of {offsets.large}")
        if offsets.end != members:
            raise self.fail(f"the sizes in {key!r} add up to {offsets.end}, and there are {members}")
        if offsets.end >= 1 << 32:
            raise self.fail(f"the sizes in {key!r} add up to {offsets.end}, more than a model may have")
        return offsets.firsts.astype(kind, copy=False)

    def check_keys(self, tables: Sequence[Grouped]) -> None:
        """Refuse tables whose keys do not ascend within a group, or are too large."""
        all_keys = _kernel.check_keys(
            [(table.members.view(np.uint8), table.members.dtype.itemsize, table.firsts) for table in tables]
        )
        for table, keys in zip(tables, all_keys, strict=True):
            if len(table.members) and not keys.largest < table.below:
                raise self.fail(f"the array {table.key!r} names {keys.largest}, beyond {table.below - 1}")
            if not keys.ascend:
                raise self.fail(f"the array {table.key!r} is not sorted")
