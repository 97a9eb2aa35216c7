"""The lines that were answered wrongly, with what `explain` says of each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from unilid.display import escaped, without_line_breaks
from unilid.errors import UnilidError
from unilid.languages.labels import RESERVED

if TYPE_CHECKING:
    from unilid.explanation.explainer import Explanation
    from unilid.model import Model

HEADER = ("label", "answer", "probability", "ahead", "words", "text")
WORDS = 5
"""Words that decide, in a line of TSV."""


class ErrorWriter:
    r"""Writes wrong lines, as TSV with a header or as JSONL.

    >>> import io, unilid
    >>> out = io.BytesIO()
    >>> ErrorWriter(out, "tsv", unilid.load(), {})("nno_Latn", b"Hva er klokka?", "nob_Latn", 0.98)
    >>> header, line = out.getvalue().decode().splitlines()
    >>> header.split("\t")[:4], line.split("\t")[:3]
    (['label', 'answer', 'probability', 'ahead'], ['nno_Latn', 'nob_Latn', '0.9800'])
    """

    def __init__(self, out: BinaryIO, form: Literal["tsv", "jsonl"], model: Model, options: dict[str, Any]) -> None:
        self._out, self._form, self._model, self._options = out, form, model, options
        if form == "tsv":
            out.write("\t".join(HEADER).encode() + b"\n")

    def __call__(self, label: str, text: bytes, answer: str, probability: float | None) -> None:
        """Write a line: the answer, and why it is ahead of the label."""
        why = self._explained(text, answer, label)
        if self._form == "jsonl":
            record = {
                "label": label,
                "answer": answer,
                "probability": probability,
                "text": text.decode("utf-8", "replace"),
                "explanation": why.record(),
            }
            self._out.write(json.dumps(record, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
            return
        words = [f"{escaped(word.text)} {word.difference:+.1f}" for word in why.deciding[:WORDS] if word.difference]
        cells = (
            label,
            answer,
            "" if probability is None else f"{probability:.4f}",
            f"{why.difference:+.1f}",
            ", ".join(words),
            without_line_breaks(text.decode("utf-8", "replace")),
        )
        self._out.write("\t".join(cells).encode("utf-8", "backslashreplace") + b"\n")

    def _explained(self, text: bytes, answer: str, label: str) -> Explanation:
        """Explain why it is the answer rather than the label, as far as the model knows the two."""
        language = answer if answer not in RESERVED and self._knows(answer) else None
        instead = label if self._knows(label) else None
        try:
            return self._model.explain(text, language, instead, **self._options)
        except UnilidError:  # the two are the same to the model, or one does not compete
            return self._model.explain(text, **self._options)

    def _knows(self, code: str) -> bool:
        try:
            return bool(self._model.rows_matching(code))
        except UnilidError:
            return False
