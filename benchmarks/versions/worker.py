"""Asks the unilid of one environment; `benchmarks/versions.py` starts it there, nobody imports it.

    python worker.py about                                 versions, and digests of the models in the package
    python worker.py digests ASK FORM TEXTS SIZE           a digest of the answers to each so many texts
    python worker.py answers ASK FORM TEXTS FIRST LAST     the answers to some of the texts, to be read
    python worker.py times FORM TEXTS                      seconds of the processor of `identify`, first and second pass

TEXTS is a file with a text a line; what is printed is JSON. Only what both the old and the new interface have is used.
A number is compared by its bits.
"""

from __future__ import annotations

import hashlib
import json
import struct
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import unilid

RENAMED = {"garbled": "mojibake"}
"""What a reason was called, and what it is called now."""


def answer(prediction: Any) -> tuple[object, ...]:
    reason = RENAMED.get(prediction.reason, prediction.reason)
    return prediction.label, bits(prediction.probability), bits(prediction.score), reason, prediction.guess


def bits(number: float) -> str:
    """Return the eight bytes of a number, and the number for those who read it."""
    return f"{struct.pack('>d', number).hex()} {number!r}"


def identify(model: Any, texts: Sequence[bytes], **options: Any) -> list[object]:
    return [answer(prediction) for prediction in model.identify(texts, threads=1, **options)]


def ranked(model: Any, texts: Sequence[bytes]) -> list[object]:
    return [[answer(one) for one in best] for best in model.identify(texts, k=3, threads=1)]


def spans(model: Any, texts: Iterable[bytes]) -> list[object]:
    return [
        [(span.label, span.start, span.end, span.letters, bits(span.probability)) for span in model.spans(text)]
        for text in texts
    ]


def scores(model: Any, texts: Sequence[bytes]) -> list[object]:
    """Return of each text a digest of its scores under all languages, and the best."""
    rows = model.scores(texts, threads=1)
    return [(hashlib.sha256(row.tobytes()).hexdigest(), int(row.argmax()), bits(float(row.max()))) for row in rows]


ASKED: dict[str, Callable[[Any, Sequence[bytes]], list[object]]] = {
    "identify": identify,
    "k=3": ranked,
    "abstain=False": lambda model, texts: identify(model, texts, abstain=False),
    "spans": spans,
    "scores": scores,
}


def load(form: str) -> Any:
    return unilid.load(None if form == "default" else form)


def about() -> dict[str, Any]:
    package = Path(str(unilid.__file__)).parent
    digests = {form: hashlib.sha256((package / f"{form}.unilid").read_bytes()) for form in ("default", "compact")}
    return {
        "unilid": version("unilid"),
        "editable": "site-packages" not in package.parts,
        "python": ".".join(map(str, sys.version_info[:3])),
        "numpy": version("numpy"),
        "models": {form: digest.hexdigest() for form, digest in digests.items()},
    }


def digests(ask: str, form: str, texts: Sequence[bytes], size: int) -> list[str]:
    model = load(form)
    parts = (ASKED[ask](model, texts[start : start + size]) for start in range(0, len(texts), size))
    return [hashlib.sha256(json.dumps(part).encode()).hexdigest() for part in parts]


def times(form: str, texts: Sequence[bytes]) -> list[float]:
    model = load(form)
    model.identify("warm", threads=1)
    taken = []
    for _ in range(2):
        start = time.process_time()
        model.identify(texts, threads=1)
        taken.append(time.process_time() - start)
    return taken


def read(path: str) -> list[bytes]:
    return Path(path).read_bytes().split(b"\n")


def main() -> None:
    found: object
    match sys.argv[1:]:
        case ["about"]:
            found = about()
        case ["digests", ask, form, path, size]:
            found = digests(ask, form, read(path), int(size))
        case ["answers", ask, form, path, first, last]:
            found = ASKED[ask](load(form), read(path)[int(first) : int(last)])
        case ["times", form, path]:
            found = times(form, read(path))
        case _:
            raise SystemExit(__doc__)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
