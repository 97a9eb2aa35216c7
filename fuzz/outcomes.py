"""What may come of an attempt: it is refused with a sentence, it succeeds, or a promise is broken."""

from __future__ import annotations

import traceback
from pathlib import Path

import unilid

REFUSED, FAILED = "refused", "failed"

Outcome = tuple[str, str]
"""What came of an attempt, and, where it failed, why."""

PACKAGE = Path(unilid.__file__).parent
"""Where the frames of ours are; a checkout may be called unilid, too."""


def expect(condition: object, what: str) -> None:
    """Fail if a promise is not kept."""
    if not condition:
        raise AssertionError(what)


def failure(error: Exception, folder: Path, when: str = "") -> Outcome:
    """Return that something was raised which should not be, and where."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if PACKAGE in Path(frame.filename).parents]
    place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
    return FAILED, f"{type(error).__name__}{when} at {place}: {str(error).replace(str(folder), '')[:200]}"
