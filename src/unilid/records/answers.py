"""What is written of an answer: which fields, what they are called, how a label is written, and its JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from unilid.decisions.answers import Prediction
from unilid.languages.labels import written_as
from unilid.languages.usual import Codes
from unilid.records.reading import Records

if TYPE_CHECKING:
    from unilid.questions import Questions
    from unilid.texts import Text
    from unilid.threads import Threads


class Answer(NamedTuple):
    """The answer to one text."""

    ranked: Sequence[Prediction]
    """The best languages, or what is said instead of one."""
    shares: Mapping[str, float] | None = None
    """The share of each language in the letters of the text, where that was asked for."""


def ask(
    model: Questions,
    texts: Sequence[Text],
    *,
    k: int | None = None,
    shares: bool = False,
    threads: Threads = "auto",
    **options: Any,
) -> list[Answer]:
    """Return a model's answers to texts, with the shares of languages where they are asked for; see `Model.identify`.

    >>> import unilid
    >>> [answer] = ask(unilid.load(), ["Wo ist der Bahnhof?"], shares=True)
    >>> answer.ranked[0].label, dict(answer.shares)
    ('deu_Latn', {'deu_Latn': 1.0})
    """
    answers: list[Any] = model.identify(texts, k=k, threads=threads, **options)
    ranked = [[answer] for answer in answers] if k is None else answers
    if not shares:
        return [Answer(answer) for answer in ranked]
    competing = {name: options[name] for name in ("languages", "prior") if name in options}
    found = [model.spans(text or b"", **competing).shares for text in texts]
    return [Answer(*pair) for pair in zip(ranked, found, strict=True)]


@dataclass(frozen=True, slots=True)
class Fields:
    """Which fields are written of an answer, and what they are called."""

    codes: Codes = "label"
    prefix: str = ""
    """What the names of new fields begin with."""
    keep: bool = False
    """Whether the input is repeated."""
    ranked: bool = False
    """Whether several languages are named."""
    shares: bool = False
    file: bool = False
    """Whether the name of the file stands beside what it was made from."""

    def columns(self) -> list[str]:
        """Return the names of the columns that are added, before the prefix."""
        names = ["predictions"] if self.ranked else ["label", "probability", "reason", "guess"]
        return [*(["file"] if self.file and self.keep else []), *names, *(["shares"] if self.shares else [])]

    def added(self, form: str) -> list[str]:
        """Return the names of fields that may be added to a record, none of which it may have."""
        names = self.columns() + ([] if form == "parquet" else ["error"] + ["score"] * (not self.ranked))
        return [self.prefix + name for name in names] if self.keep and form in ("jsonl", "parquet") else []

    def written(self, label: str) -> str:
        """Return a label as it is to be written."""
        return label if self.codes == "label" else _written(label, self.codes)

    def shares_of(self, answer: Answer) -> dict[str, float]:
        """Return the share of each language, as it is to be written; languages may have the same code."""
        shares: dict[str, float] = {}
        for label, share in (answer.shares or {}).items():
            code = self.written(label)
            shares[code] = shares.get(code, 0.0) + share
        return shares

    def record(self, answer: Answer) -> dict[str, object]:
        """Return the fields of an answer.

        >>> Fields(codes="iso639_1").record(Answer([Prediction("deu_Latn", 0.9876543, -21.5)]))
        {'label': 'de', 'probability': 0.987654, 'score': -21.5}
        """
        ranked = [self._prediction(prediction) for prediction in answer.ranked]
        record: dict[str, object] = {"predictions": ranked} if self.ranked else ranked[0]
        if self.shares:
            record["shares"] = {code: round(share, 4) for code, share in self.shares_of(answer).items()}
        return {self.prefix + name: value for name, value in record.items()} if self.prefix else record

    def _prediction(self, prediction: Prediction) -> dict[str, object]:
        record: dict[str, object] = {
            "label": self.written(prediction.label),
            "probability": round(prediction.probability, 6),
            "score": prediction.score,
        }
        if prediction.reason is not None:
            record["reason"] = prediction.reason
        if prediction.guess is not None:
            record["guess"] = self.written(prediction.guess)
        return record

    def json(self, answer: Answer) -> bytes:
        """Return the fields of an answer as one line of JSON, without the end of the line.

        >>> Fields().json(Answer([Prediction("deu_Latn", 0.9876543, -21.5)]))
        b'{"label": "deu_Latn", "probability": 0.987654, "score": -21.5}'
        """
        label, probability, score, reason, guess = answer.ranked[0]
        if self.ranked or self.shares or self.prefix or reason is not None or guess is not None:
            return to_json(self.record(answer))
        # Nearly all answers are of this form, which is written faster so.
        quoted = _quoted(label, self.codes)
        return f'{{"label": {quoted}, "probability": {round(probability, 6)!r}, "score": {score!r}}}'.encode()

    def cells(self, answer: Answer) -> list[str]:
        """Return an answer as cells of TSV.

        >>> answer = Answer([Prediction("deu_Latn", 0.9876543, -21.5)], {"deu_Latn": 0.75, "eng_Latn": 0.25})
        >>> Fields(shares=True).cells(answer)
        ['deu_Latn', '0.9877', 'deu_Latn:0.75,eng_Latn:0.25']
        """
        cells = [cell for p in answer.ranked for cell in (self.written(p.label), f"{p.probability:.4f}")]
        return [*cells, self.written_shares(answer)] if self.shares else cells

    def written_shares(self, answer: Answer) -> str:
        """Return the share of each language in one cell."""
        return ",".join(f"{code}:{share:.4g}" for code, share in self.shares_of(answer).items())


@lru_cache(maxsize=10_000)
def _written(label: str, codes: Codes) -> str:
    return written_as(label, codes)


@lru_cache(maxsize=10_000)
def _quoted(label: str, codes: Codes) -> str:
    return to_json(label if codes == "label" else written_as(label, codes)).decode()


class JsonlWriter:
    r"""Writes a JSON object for each record; where the input is kept, its fields come first.

    >>> import io
    >>> out = io.BytesIO()
    >>> answers = [Answer([Prediction("deu_Latn", 0.98, -20.0)])]
    >>> JsonlWriter(out, Fields(keep=True)).write(Records([b"Guten Tag"], [b"Guten Tag"]), answers, None, "a.txt")
    >>> out.getvalue()
    b'{"text": "Guten Tag", "label": "deu_Latn", "probability": 0.98, "score": -20.0}\n'
    """

    def __init__(self, out: BinaryIO, fields: Fields) -> None:
        self._out, self._fields = out, fields

    def write(self, records: Records, answers: Sequence[Answer], places: Sequence[int] | None, file: str) -> None:
        """Write the records at these places, None for all; of a bad one, a field ``error``."""
        fields, inputs = self._fields, _inputs(records)
        name: dict[str, object] = {fields.prefix + "file": file} if fields.file else {}
        lines = []
        for place in range(len(answers)) if places is None else places:
            error = records.errors.get(place)
            if error is None and not fields.keep:
                lines.append(fields.json(answers[place]))
                continue
            answer = fields.record(answers[place]) if error is None else {fields.prefix + "error": error}
            if fields.keep:
                answer = {**_input_fields(records.texts[place], inputs[place], error), **name, **answer}
            lines.append(to_json(answer))
        lines.append(b"")
        self._out.write(b"\n".join(lines))

    def close(self) -> None:
        """Nothing is left."""


def _inputs(records: Records) -> Sequence[Any]:
    """Return what records were, one by one."""
    inputs: Sequence[Any] = records.inputs if is_rows(records) else records.inputs.to_pylist()
    return inputs


def is_rows(records: Records) -> bool:
    """Whether the records are one by one, and not a batch of Arrow."""
    return isinstance(records.inputs, list)


def to_json(value: object) -> bytes:
    """Return a value as one line of JSON, without the end of the line; what JSON has no form for is null or text."""
    try:
        written = _encode(value)
    except ValueError:  # Parquet may have numbers that JSON does not
        written = json.dumps(_finite(value), ensure_ascii=False, default=_as_json)
    # What backslashreplace makes of a lone surrogate is its JSON escape.
    return written.encode("utf-8", "backslashreplace")


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list) else value


def _as_json(value: object) -> object:
    """Return a value of Parquet that JSON has no form for."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)  # times and exact numbers


def _input_fields(text: bytes | None, record: Any, error: str | None) -> dict[str, object]:
    if isinstance(record, dict):
        return record
    if error is not None:
        return {} if record is None else {"text": record.decode("utf-8", "replace")}
    return {"text": None if text is None else text.decode("utf-8", "replace")}


_encode = json.JSONEncoder(ensure_ascii=False, default=_as_json, allow_nan=False).encode  # made once: it is asked often
