"""The vocabulary of an existing tokenizer, as byte strings.

Every family writes its tokens down in its own way: byte-level BPE spells bytes with printable characters, SentencePiece
writes the space as a low line, WordPiece marks what continues a word. Here all of them become the bytes of the text
that the token stands for, which is what the lattice of a word is made of.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from unilid.errors import VocabularyError

__all__ = ["BYTE_CHARACTERS", "read_tokens"]

T = TypeVar("T")


def _byte_characters() -> Iterator[str]:
    # GPT-2's table: a byte that prints in Latin-1 is its own character, the others follow in order from U+0100, so that
    # no token contains a space or a control character.
    spare = 0x100
    for byte in range(256):
        if 0x21 <= byte <= 0x7E or 0xA1 <= byte <= 0xAC or 0xAE <= byte <= 0xFF:
            yield chr(byte)
        else:
            yield chr(spare)
            spare += 1


BYTE_CHARACTERS = tuple(_byte_characters())
"""The printable character that byte-level tokenizers write for each byte."""

_CHARACTER_BYTES = {character: byte for byte, character in enumerate(BYTE_CHARACTERS)}
_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
# The names that specials have by convention, the bar of <|...|> also in its full width. Few files flag all of them:
# BERT's [unusedN] and the chat marks of many models pass for ordinary pieces. A tokenizer that learned <s> from the web
# loses it too, so that its vocabulary is the same in every format. WordPiece names come with a space, see below.
_SPECIAL = re.compile(
    rb"</?s>|<(?:unk|pad|mask|bos|eos)>|<(?:\||\xef\xbd\x9c).+(?:\||\xef\xbd\x9c)>"
    rb"| ?\[(?:UNK|PAD|CLS|SEP|MASK|unused\d+)\]"
)
_MARKER = re.compile(r"<.+>|\[.+\]")
_TIKTOKEN = re.compile(rb"\s*[A-Za-z0-9+/]+={0,2}[ \t]+\d+[ \t]*(?:[\r\n]|\Z)")
MAX_BYTES = 1 << 28
"""Bytes of a tokenizer file: several times as many as the largest that is known, so that an endless one ends."""
_KINDS = "a tokenizer.json (BPE, Unigram or WordPiece), a tekken.json, a tiktoken file or a SentencePiece model"


def read_tokens(path: str | Path) -> list[bytes]:
    """Return the tokens of a tokenizer file as bytes: sorted, unique, all 256 single bytes and no specials.

    The content decides what the file is: a Hugging Face ``tokenizer.json`` (BPE, Unigram or WordPiece), Mistral's
    ``tekken.json``, a tiktoken file or a SentencePiece model.

    Raises:
        VocabularyError: the file cannot be read, is of another kind, or holds no token.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "tiny.tiktoken")
    >>> _ = file.write_text("IHRoZQ== 0")
    >>> tokens = read_tokens(file)
    >>> len(tokens), b" the" in tokens
    (257, True)
    """
    try:
        tokens = _tokens_of(Path(path))
    except (OSError, ValueError, RecursionError) as error:  # the last: JSON of a thousand brackets
        reason = getattr(error, "strerror", None) or error
        raise VocabularyError(f"{path} is not a tokenizer that can be read: {reason}; expected {_KINDS}") from error
    return sorted(tokens.union(bytes([byte]) for byte in range(256)))


def _tokens_of(path: Path) -> set[bytes]:
    if path.is_dir():
        raise ValueError("it is a directory")
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES >> 20} MB")
    tokens = {token for token in _parse(content) if token and not _SPECIAL.fullmatch(token)}
    if not tokens:
        raise ValueError("it holds no token")
    return tokens


def _parse(data: bytes) -> Iterable[bytes]:
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        document = _expect(json.loads(data), dict, "the document")
        if "model" in document:
            return _hugging_face(document)
        if "config" in document and "vocab" in document:
            return _tekken(document)
        raise ValueError('its JSON has neither "model" nor "config" and "vocab"')
    if _TIKTOKEN.match(data):
        return _tiktoken(data)
    return _sentencepiece(data) if data else ()


def _hugging_face(document: dict[str, Any]) -> Iterator[bytes]:
    model = _expect(document["model"], dict, '"model"')
    # Files of before 2021 do not name their type, but each type has a field of its own.
    telltale = {"merges": "BPE", "unk_id": "Unigram", "max_input_chars_per_word": "WordPiece"}
    kind = model.get("type", next((kind for field, kind in telltale.items() if field in model), None))
    if kind == "Unigram":
        entries = _expect(model.get("vocab"), list, '"vocab"')
        pieces = [_expect(entry[0] if isinstance(entry, list) and entry else None, str, "a piece") for entry in entries]
        unknown = model.get("unk_id")
        specials = {pieces[unknown]} if isinstance(unknown, int) and 0 <= unknown < len(pieces) else set()
    elif kind in ("BPE", "WordPiece"):
        pieces = list(_expect(model.get("vocab"), dict, '"vocab"'))
        specials = {_expect(model.get("unk_token") or "", str, '"unk_token"')}
    else:
        raise ValueError(f"a model of type {kind!r} has no fixed vocabulary of subwords")

    for added in _expect(document.get("added_tokens") or [], list, '"added_tokens"'):
        entry = _expect(added, dict, "an added token")
        content = _expect(entry.get("content"), str, "the content of an added token")
        if entry.get("special"):
            specials.add(content)
        else:
            yield content.encode()  # matched in the text itself, so never spelled as pieces are

    decode = _piece_decoder(document, model, kind)
    yield from (decode(piece) for piece in pieces if piece not in specials)


def _piece_decoder(document: dict[str, Any], model: dict[str, Any], kind: str) -> Callable[[str], bytes]:
    suffix = _expect(model.get("end_of_word_suffix") or "", str, '"end_of_word_suffix"')
    prefix = model.get("continuing_subword_prefix", "##" if kind == "WordPiece" else "")
    prefix = _expect(prefix or "", str, '"continuing_subword_prefix"')

    def from_word_piece(piece: str) -> bytes:
        # WordPiece cuts at spaces and drops them. A piece without the prefix can only begin a word, and a word here
        # carries the space before it, so that space belongs to the piece.
        return (piece[len(prefix) :] if piece.startswith(prefix) else " " + piece).encode()

    if any(_is_byte_level(document.get(step)) for step in ("normalizer", "pre_tokenizer", "decoder")):
        decode = _from_byte_level
    else:
        decode = from_word_piece if prefix else _from_metaspace
    return lambda piece: decode(piece.removesuffix(suffix))


def _is_byte_level(step: object) -> bool:
    steps = [step]
    while steps:
        step = steps.pop()
        if isinstance(step, list):
            steps += step
        elif isinstance(step, dict):
            if step.get("type") == "ByteLevel":
                return True
            steps += (step.get(name) for name in ("normalizers", "pretokenizers", "decoders"))
    return False


def _from_byte_level(piece: str) -> bytes:
    # Like the decoder of Hugging Face: a token with a character outside the table was never spelled with it.
    try:
        return bytes(map(_CHARACTER_BYTES.__getitem__, piece))
    except KeyError:
        return piece.encode()


def _from_metaspace(piece: str) -> bytes:
    byte = _BYTE_PIECE.fullmatch(piece)
    return bytes.fromhex(byte[1]) if byte else piece.replace("▁", " ").encode()


def _tekken(document: dict[str, Any]) -> Iterator[bytes]:
    config = _expect(document["config"], dict, '"config"')
    size, specials = (
        _expect(config.get(name), int, f'"{name}"') for name in ("default_vocab_size", "default_num_special_tokens")
    )
    entries = _expect(document["vocab"], list, '"vocab"')
    # The file lists more tokens than the model uses, those in use first. The specials are not in the list, but they
    # count towards the size.
    if not 0 <= size - specials <= len(entries):
        raise ValueError(f"{size} tokens of which {specials} are special do not fit a list of {len(entries)}")
    for listed in entries[: size - specials]:
        token = _expect(listed, dict, "a token").get("token_bytes")
        yield b64decode(_expect(token, str, '"token_bytes"'), validate=True)


def _tiktoken(data: bytes) -> Iterator[bytes]:
    for number, line in enumerate(data.splitlines(), 1):
        fields = line.split()
        if fields and not (len(fields) == 2 and fields[1].isdigit()):
            raise ValueError(f"line {number} is not a token in base64 and its rank")
        if fields:
            yield b64decode(fields[0], validate=True)


def _sentencepiece(data: bytes) -> Iterator[bytes]:
    try:
        import sentencepiece
    except ImportError as error:
        raise VocabularyError("SentencePiece models need sentencepiece: pip install sentencepiece") from error
    try:
        model = sentencepiece.SentencePieceProcessor(model_proto=data)
    except RuntimeError as error:
        raise ValueError("its content is of no known kind, or damaged") from error
    for token in range(model.get_piece_size()):
        if model.is_control(token) or model.is_unknown(token) or model.is_unused(token):
            continue
        piece = model.id_to_piece(token)
        # A user-defined symbol has the score 0. It may be ordinary text, but <start_of_turn> and [REF] are not.
        if model.get_score(token) == 0 and _MARKER.fullmatch(piece) and not model.is_byte(token):
            continue
        yield _from_metaspace(piece)


def _expect(value: object, kind: type[T], what: str) -> T:
    if not isinstance(value, kind):
        raise ValueError(f"{what} is not of type {kind.__name__}")  # noqa: TRY004  # what is wrong is the file
    return value
