"""Show the examples of docstrings as code in the reference: an extension of what reads them (griffe)."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object


class Doctests(Extension):
    """Fences what begins with ``>>>`` and ends with an empty line."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Change the docstring of a module, a class, a function or an attribute."""
        if obj.docstring is not None:
            obj.docstring.value = re.sub(r"((?:^>>> .*\n?)(?:^.+\n?)*)", _fenced, obj.docstring.value, flags=re.M)


def _fenced(example: re.Match[str]) -> str:
    return f"```pycon\n{example[1].rstrip()}\n```\n"
