"""Corpora of every format that is read, changed in their lines, in their bytes, in what they are compressed to."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import json
import lzma
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

import pyarrow
from changes import STRINGS, Mutation, any_value, change_bytes, change_tree, changing, mutate
from pyarrow import parquet
from small_models import LINES

from unilid.files import ZSTANDARD

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda content: gzip.compress(content, 1, mtime=0),
    ".xz": lambda content: lzma.compress(content, preset=0),
    ".bz2": lambda content: bz2.compress(content, 1),
    ".zst": lambda content: importlib.import_module(ZSTANDARD).compress(content, 1),
}
PAIRS = [(label, line) for label, lines in LINES.items() for line in lines]


@dataclass
class Corpus:
    """The files of a corpus; what is changed of them is their lines, or their bytes."""

    form: str
    files: dict[str, Any]
    """By their names in a folder: lines, or bytes."""
    path: str
    """What is read: one of the names, or the folder."""
    suffix: str = ""
    """Of a compression, for all of them."""
    encoding: str = "utf-8"
    line_end: bytes = b"\n"
    byte_changes: list[Callable[[bytes], bytes]] = field(default_factory=list)
    """Before they are compressed."""
    stored_changes: list[Callable[[bytes], bytes]] = field(default_factory=list)
    """Afterwards; of one file, where there are several."""

    def encode(self) -> dict[str, bytes]:
        """Return the bytes of the files by their names."""
        encoded = {}
        for place, (name, content) in enumerate(self.files.items()):
            raw = content if isinstance(content, bytes) else self.line_end.join(map(_bytes, content)) + self.line_end
            if self.encoding != "utf-8":
                raw = raw.decode("utf-8", "replace").encode(self.encoding)
            for change in self.byte_changes if place == 0 else ():
                raw = change(raw)
            if self.suffix:
                raw = COMPRESS[self.suffix](raw)
            for change in self.stored_changes if place == 0 else ():
                raw = change(raw)
            encoded[name + self.suffix] = raw
        return encoded

    @property
    def read_path(self) -> str:
        """What is read, in the folder of the corpus."""
        return self.path + self.suffix if self.path else ""


def _bytes(line: Any) -> bytes:
    return line if isinstance(line, bytes) else json.dumps(line).encode("utf-8", "surrogatepass")


@cache
def _parquet() -> list[bytes]:
    labels, texts = [label for label, _ in PAIRS], [line for _, line in PAIRS]
    of_few, large = pyarrow.array(labels).dictionary_encode(), pyarrow.array(texts).cast("large_string")
    tables = [
        pyarrow.table({"label": labels, "text": texts, "number": range(len(texts))}),
        pyarrow.table({"label": of_few, "text": large}),
    ]
    made = []
    for table in tables:
        for compression in ("none", "snappy", "zstd"):
            file = io.BytesIO()
            parquet.write_table(table, file, compression=compression, row_group_size=5)
            made.append(file.getvalue())
    return made


def some_corpus(chance: Random) -> Corpus:
    """Return a corpus that is in order."""
    form = chance.choice(
        ["tsv", "tsv", "jsonl", "jsonl", "words", "words", "fasttext", "folder", "folder", "wili", "parquet"]
    )
    lines: list[Any]
    if form == "parquet":
        return Corpus(form, {"a.parquet": chance.choice(_parquet())}, "a.parquet")
    if form == "folder":
        files = {f"{label}.txt": [line.encode() for line in own] for label, own in LINES.items()}
        corpus = Corpus(form, files, "")
    elif form == "wili":
        files = {"x_a.txt": [line.encode() for _, line in PAIRS], "y_a.txt": [label.encode() for label, _ in PAIRS]}
        corpus = Corpus(form, files, "x_a.txt")
    else:
        name = "a.jsonl" if form == "jsonl" else "a.tsv"
        if form == "jsonl":
            lines = [{"label": label, "text": line, "id": number} for number, (label, line) in enumerate(PAIRS)]
        elif form == "words":
            counted = enumerate((label, word) for label, line in PAIRS for word in line.split())
            lines = [f"{label}\t{word}\t{number}".encode() for number, (label, word) in counted]
        elif form == "fasttext":
            lines = [f"__label__{label} {line}".encode() for label, line in PAIRS]
        else:
            lines = [f"{label}\t{line}".encode() for label, line in PAIRS]
        corpus = Corpus(form, {name: lines}, name)
    if chance.random() < 0.5:
        corpus.suffix = chance.choice(list(COMPRESS))
    return corpus


BAD_LINES: list[Any] = [
    b"", b"\t", b"deu", b"deu\t", b"\ttext", b"deu\ttext\tmore", b"deu\tund\t1e400", b"deu\tund\tnan",
    b"deu\tund\t-1", b"deu\tund\t1e99", b"deu\tund\t0", b"deu\t\t5", b"deu\t \t5", b"deu\tund\t" + b"9" * 5000,
    b"d\0u\ttext", b"\xff\xfe\ttext", b"deu\t\xff\xfe\0", b"__label__", b"__label__ text", b"__label__deu",
    b"__label__deu __label__eng text", b"__label__" * 500, b"{", b"{}", b"[]", b"[" * 3000, b'{"label": "deu"}',
    b'{"text": "a"}', b'{"label": 1, "text": "a"}', b'{"label": "deu", "text": null}', b"null",
    b'{"label": "", "text": ""}', b'{"label": "\\ud800", "text": "a"}',
    b'{"label": "deu", "text": "\\ud800\\udc00 \\udcff"}', b'{"label": "deu", "text": "a", "id": 1e999}',
    b'{"label": "deu", "text": "a", "id": ' + b"[" * 960 + b"]" * 960 + b"}",
    b'{"label": "deu", "text": "a", "id": ' + b"9" * 5000 + b"}",
    b'{"label": "deu", "text": "a", "id": ' + b'{"a":' * 985 + b"1" + b"}" * 986, b"high german\ttext", b"zxx\ttext",
    b"und\ttext", b"mul\ttext", b"deu\t" + b"a" * 100_000, b"deu\t" + b"a b " * 30_000, "İ\ttext".encode(),
    "\u202edeu\ttext".encode(), b"\x1b[31m\ttext", b"deu\t\x1b[31m", b"deu\r\ttext\r", b"deu_Latn\ttext",
    b"x" * 300 + b"\ttext", b"../../a\ttext", b"deu\thttps://example.org", b"deu\t12 34", b"\xef\xbb\xbf",
]  # fmt: skip


def mutate_lines(corpus: Corpus, chance: Random) -> str:
    """Change lines: bad ones, other ones, more, none."""
    name = chance.choice(sorted(corpus.files))
    lines = corpus.files[name]
    if isinstance(lines, bytes):
        return mutate_bytes(corpus, chance)
    lines = [*lines]
    how = chance.randrange(7)
    if how < 3:
        for _ in range(chance.choice([1, 1, 2, 5])):
            lines.insert(chance.randint(0, len(lines)), chance.choice(BAD_LINES))
    elif how == 3:
        chance.shuffle(lines)
        lines = lines[: chance.randrange(len(lines) + 1)]
    elif how == 4:
        lines *= chance.choice([2, 30])
    elif lines:
        place = chance.randrange(len(lines))
        if isinstance(lines[place], dict):
            lines[place] = dict(lines[place])
            if how == 5:
                change_tree(lines[place], chance)
            else:
                lines[place][chance.choice(["label", "text", "id"])] = any_value(chance)
        elif how == 5:
            lines[place], _ = change_bytes(lines[place], chance)
        else:
            cells = lines[place].split(b"\t")
            cells[chance.randrange(len(cells))] = chance.choice(STRINGS).encode("utf-8", "surrogatepass")
            lines[place] = b"\t".join(cells)
    corpus.files[name] = lines
    return f"lines of {name}"


def mutate_bytes(corpus: Corpus, chance: Random) -> str:
    """Change the bytes of a file before it is compressed."""
    corpus.byte_changes += [changing(chance) for _ in range(chance.choice([1, 1, 3]))]
    return "bytes"


def mutate_stored(corpus: Corpus, chance: Random) -> str:
    """Change the bytes of a file as it is stored, or put another behind it."""
    how = chance.randrange(6)
    if how < 3:
        corpus.stored_changes.append(changing(chance))
    elif how == 3:
        size = chance.choice([1, 8, 100])
        corpus.stored_changes.append(lambda content: content[:-size])
    elif how == 4:
        more = chance.choice(
            [b"\0", b"\0" * 9000, b"garbage", COMPRESS[".gz"](b"deu\ta\n"), COMPRESS[".zst"](b"deu\ta\n")]
        )
        corpus.stored_changes.append(lambda content: content + more)
    else:
        corpus.stored_changes.append(lambda content: content + content)
    return "stored"


def mutate_encoding(corpus: Corpus, chance: Random) -> str:
    """Write in another encoding, or end lines otherwise."""
    if corpus.form != "parquet":
        corpus.encoding = chance.choice(["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-7", "utf-32"])
    corpus.line_end = chance.choice([b"\r\n", b"\r", b"\n\n", b"\0", b"\n\r", b""])
    return "encoding"


def mutate_names(corpus: Corpus, chance: Random) -> str:
    """Give files names that are not for them, or for none."""
    names = [
        "a.txt", "a", "deu", "deu.txt", "a.jsonl", "a.tsv", "a.ndjson", "a.parquet", "a.txt.txt", "x_a.txt",
        "y_a.txt", "high german.txt", ".hidden.txt", "ä.txt", "a\n.txt", "\x1b[31m.txt", "zxx.txt", "-", "-a.txt",
        "a.gz", "x" * 240, "\udcff.txt",
    ]  # fmt: skip
    old = chance.choice(sorted(corpus.files))
    new = chance.choice(names)
    corpus.files[new] = corpus.files.pop(old)
    if corpus.path == old:
        corpus.path = new
    if chance.random() < 0.3:
        corpus.suffix = chance.choice(["", *COMPRESS])
    return f"{old} is {new!r}"


def mutate_size(corpus: Corpus, chance: Random) -> str:
    """Make a small file of very much: one line, empty lines, or what a frame of Zstandard can say in four bytes."""
    if corpus.form == "parquet" or chance.random() < 0.9:  # it takes long
        return mutate_lines(corpus, chance)
    # To compress 16 MB by bzip2, or to answer a million empty lines, takes five seconds where others work, too.
    kind, size = chance.choice(["line", "lines", "label"]), chance.choice([1 << 20, 1 << 22])
    corpus.suffix = chance.choice([".gz", ".zst"])
    if chance.random() < 0.2:
        corpus.suffix = ".zst"
        blocks = chance.choice([100, 2000, 20_000])
        corpus.stored_changes.append(lambda content: content + repeated(b"a", blocks))
        return f"a line of {blocks} blocks"
    lines = size >> 4  # each of them is answered
    line = {"line": b"deu\t" + b"a" * size, "lines": b"\n" * lines, "label": b"a" * size + b"\tb"}[kind]
    name = sorted(corpus.files)[0]
    corpus.files[name] = line
    return f"a {kind} of {size} bytes"


def repeated(byte: bytes, blocks: int) -> bytes:
    """Return a frame of Zstandard of so many times 128 kB of a byte."""
    full = 128 << 10
    header = b"\x28\xb5\x2f\xfd\x00\x58"  # a window of 2 MB
    headers = [((full << 3) | (1 << 1) | last).to_bytes(3, "little") for last in (0, 1)]
    return header + (headers[0] + byte) * (blocks - 1) + headers[1] + byte


MUTATIONS: list[tuple[Mutation[Corpus], int]] = [
    (mutate_lines, 6),
    (mutate_bytes, 4),
    (mutate_stored, 4),
    (mutate_encoding, 1),
    (mutate_names, 2),
    (mutate_size, 1),
]


def mutant(seed: int, number: int) -> tuple[Corpus, str]:
    """Return a corpus, and what was changed."""
    chance = Random(f"{seed} {number}")
    corpus = some_corpus(chance)
    changes = mutate(corpus, MUTATIONS, chance, most=3)
    return corpus, f"{corpus.form} {corpus.read_path!r}: {changes}"
