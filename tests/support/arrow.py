"""Arrays of the Arrow C data interface made by hand, which may be broken in any way, and which count their releases."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", RELEASE),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", RELEASE),
    ("private_data", ctypes.c_void_p),
]
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Array))
GET_LAST_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
Stream._fields_ = [
    ("get_schema", GET_SCHEMA),
    ("get_next", GET_NEXT),
    ("get_last_error", GET_LAST_ERROR),
    ("release", RELEASE),
    ("private_data", ctypes.c_void_p),
]

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def packed(code: type[Any], *numbers: int) -> bytes:
    """Return numbers of a type of ctypes as bytes."""
    return bytes((code * len(numbers))(*numbers))


class Handmade:
    """A column as its fields say. The structs of children and dictionaries are its own, as the interface has it."""

    def __init__(
        self,
        format: bytes | None,  # noqa: A002
        buffers: Sequence[bytes | None] | None,
        length: int,
        *,
        offset: int = 0,
        null_count: int = 0,
        children: Sequence[Handmade | None] = (),
        schema_children: int | None = None,
        array_children: int | None = None,
        dictionary: Handmade | None = None,
        dictionary_array: bool = True,
    ) -> None:
        self.given = 0  # times that it was a piece of a stream
        self.released = {"schema": 0, "array": 0, "stream": 0}
        self.kept: list[Any] = [children, dictionary, buffers]
        self.array, self.schema = Array(), Schema()
        self.schema.format = format
        self.array.length, self.array.offset, self.array.null_count = length, offset, null_count
        if buffers is not None:
            memory = (ctypes.c_void_p * max(len(buffers), 1))()
            for place, content in enumerate(buffers):
                if content is not None:
                    block = ctypes.create_string_buffer(content, max(len(content), 1))  # no byte more: sanitizers look
                    self.kept.append(block)
                    memory[place] = ctypes.addressof(block)
            self.kept.append(memory)
            self.array.n_buffers = len(buffers)
            self.array.buffers = ctypes.cast(memory, ctypes.POINTER(ctypes.c_void_p))
        self.schema.n_children = len(children) if schema_children is None else schema_children
        self.array.n_children = len(children) if array_children is None else array_children
        if children:
            schemas = (ctypes.POINTER(Schema) * len(children))()
            arrays = (ctypes.POINTER(Array) * len(children))()
            for place, child in enumerate(children):
                if child is not None:
                    schemas[place], arrays[place] = ctypes.pointer(child.schema), ctypes.pointer(child.array)
            self.kept += [schemas, arrays]
            self.schema.children = ctypes.cast(schemas, ctypes.POINTER(ctypes.POINTER(Schema)))
            self.array.children = ctypes.cast(arrays, ctypes.POINTER(ctypes.POINTER(Array)))
        if dictionary is not None:
            self.schema.dictionary = ctypes.pointer(dictionary.schema)
            if dictionary_array:
                self.array.dictionary = ctypes.pointer(dictionary.array)
        self.schema.release = self._releasing("schema", Schema)
        self.array.release = self._releasing("array", Array)

    def _releasing(self, which: str, struct: type[Any]) -> Any:
        def release(address: int) -> None:
            self.released[which] += 1
            struct.from_address(address).release = RELEASE()

        callback = RELEASE(release)
        self.kept.append(callback)
        return callback

    def _capsule(self, struct: Any, name: bytes) -> Any:
        kept_name = ctypes.create_string_buffer(name)
        self.kept.append(kept_name)
        return _new_capsule(ctypes.addressof(struct), kept_name, None)


class HandmadeArray(Handmade):
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        return self._capsule(self.schema, b"arrow_schema"), self._capsule(self.array, b"arrow_array")


class HandmadeStream(Handmade):
    """The column so many times, or other pieces, and then the end or an error; behind it, a message or none."""

    times = 1
    pieces: Sequence[Handmade] | None = None
    code = 0
    message: bytes | None = None
    schema_code = 0
    before_each: Callable[[], None] | None = None
    lacking: str | None = None
    """A function that the stream does not have."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        pieces = iter([self] * self.times if self.pieces is None else self.pieces)

        def get_schema(_: int, out: Any) -> int:
            if not self.schema_code:
                ctypes.memmove(out, ctypes.addressof(self.schema), ctypes.sizeof(Schema))
            return self.schema_code

        def get_next(_: int, out: Any) -> int:
            if self.before_each is not None:
                self.before_each()
            for piece in pieces:
                piece.given += 1
                ctypes.memmove(out, ctypes.addressof(piece.array), ctypes.sizeof(Array))
                return 0
            out[0].release = RELEASE()
            return self.code

        message = None if self.message is None else ctypes.create_string_buffer(self.message)
        stream = Stream()
        stream.get_schema, stream.get_next = GET_SCHEMA(get_schema), GET_NEXT(get_next)
        stream.get_last_error = GET_LAST_ERROR(lambda _: None if message is None else ctypes.addressof(message))
        if self.lacking is not None:
            setattr(stream, self.lacking, type(getattr(stream, self.lacking))())
        stream.release = self._releasing("stream", Stream)
        self.kept += [stream, message]
        return self._capsule(stream, b"arrow_array_stream")
