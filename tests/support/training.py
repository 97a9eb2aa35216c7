"""A small corpus in every format, and progress objects that remember or interrupt."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
from pyarrow import parquet

from support.corpus_files import COMPRESS
from support.sentences import SENTENCES as ALL_SENTENCES
from unilid import Model, Vocabulary
from unilid.progress import Advance

ALL = {label: text.splitlines() for label, text in ALL_SENTENCES.items()}

SENTENCES = {label: ALL[label] for label in ("eng_Latn", "deu_Latn", "fra_Latn")}

VOCABULARY = Vocabulary.of([b" the", b" der", b" die", b"en", b"er", b" de", b"ch", b"ou"])

# The labels take turns, as they may in a file.
ROWS = [
    (label, text)
    for texts in zip(*SENTENCES.values(), strict=True)
    for label, text in zip(SENTENCES, texts, strict=True)
]

TSV = "".join(f"{label}\t{text}\n" for label, text in ROWS).encode()


def numbered_lines(label: str, count: int) -> list[str]:
    """Lines that are all different, so that it shows which of them were taken."""
    return [f"{label} says {number} and {number * number}" for number in range(count)]


def write_rows(path: Path, rows: list[tuple[str, str]]) -> Path:
    path.write_text("".join(f"{label}\t{text}\n" for label, text in rows), encoding="utf-8")
    return path


def write_parquet(path: Path, **columns: list[Any]) -> Path:
    parquet.write_table(pyarrow.table(columns), path)
    return path


class Recorder:
    """A progress object that remembers what it was told."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.totals: list[int | None] = []
        self.amounts: list[int] = []
        self.said: list[str] = []

    @contextmanager
    def stage(self, name: str, total: int | None) -> Iterator[Advance]:
        self.stages.append(name)
        self.totals.append(total)
        self.amounts.append(0)
        at = len(self.amounts) - 1

        def advance(amount: int) -> None:
            self.amounts[at] += amount

        yield advance

    def say(self, message: str) -> None:
        self.said.append(message)


class Interrupting(Recorder):
    """Ctrl-C when a stage begins for the nth time."""

    def __init__(self, name: str, times: int) -> None:
        super().__init__()
        self.name = name
        self.times = times

    @contextmanager
    def stage(self, name: str, total: int | None) -> Iterator[Advance]:
        with super().stage(name, total) as advance:
            if self.stages.count(self.name) == self.times:
                raise KeyboardInterrupt
            yield advance


def bare(model: Model) -> bytes:
    """The model without the note of how it was made, which tells apart runs of equal outcome."""
    return replace(model, info={}).to_bytes()


def as_fasttext(folder: Path) -> Any:
    path = folder / "train.txt"
    path.write_text("".join(f"__label__{label} {text}\n" for label, text in ROWS), encoding="utf-8")
    return path


def as_jsonl(folder: Path) -> Any:
    path = folder / "train.jsonl"
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for label, text in ROWS))
    return path


def as_parquet(folder: Path) -> Any:
    labels, texts = zip(*ROWS, strict=True)
    return write_parquet(folder / "train.parquet", text=list(texts), label=list(labels))


def as_folder(folder: Path) -> Any:
    for label, texts in SENTENCES.items():
        (folder / f"{label}.txt").write_text("\n".join(texts), encoding="utf-8")
    return folder


def as_folder_of_archives(folder: Path) -> Any:
    for (label, texts), (suffix, compress) in zip(SENTENCES.items(), COMPRESS.items(), strict=False):
        (folder / f"{label}.txt{suffix}").write_bytes(compress("\n".join(texts).encode()))
    return folder


def as_wili(folder: Path) -> Any:
    (folder / "x_train.txt").write_text("".join(f"{text}\n" for _, text in ROWS), encoding="utf-8")
    (folder / "y_train.txt").write_text("".join(f"{label}\n" for label, _ in ROWS), encoding="utf-8")
    return folder / "x_train.txt"


def as_several_files(folder: Path) -> Any:
    half = len(ROWS) // 2
    second = folder / "second.jsonl"
    second.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for label, text in ROWS[half:]))
    return [str(write_rows(folder / "first.tsv", ROWS[:half])), second]


def as_dos_tsv(folder: Path) -> Any:
    path = folder / "dos.tsv"
    path.write_bytes(b"\xef\xbb\xbf" + TSV.replace(b"\n", b"\r\n").removesuffix(b"\r\n"))
    return path


FORMATS: dict[str, Callable[[Path], Any]] = {
    "tsv": lambda folder: write_rows(folder / "train.tsv", ROWS),
    "fasttext": as_fasttext,
    "jsonl": as_jsonl,
    "parquet": as_parquet,
    "folder": as_folder,
    "folder of archives": as_folder_of_archives,
    "wili": as_wili,
    "several files": as_several_files,
    "tsv from a foreign editor": as_dos_tsv,
    "list of pairs": lambda _: ROWS,
    "generator of pairs": lambda _: (pair for pair in ROWS),
    "pairs of bytes": lambda _: [(label, text.encode()) for label, text in ROWS],
    "mapping": lambda _: dict(reversed(SENTENCES.items())),
    "mapping to generators": lambda _: {label: iter(texts) for label, texts in SENTENCES.items()},
}


def costs_of(model: Model, row: int) -> list[int]:
    """What every token of the vocabulary costs a language."""
    unigram = model.parameters.unigram
    costs = np.full(len(model.vocabulary), int(unigram.unseen[row]))
    mine = unigram.languages == row
    costs[unigram.tokens[mine]] = unigram.costs[mine]
    return costs.tolist()
