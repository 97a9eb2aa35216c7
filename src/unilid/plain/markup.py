"""Tags and entities: ``cpp/words/markup.h``."""

from __future__ import annotations

import re

_NAME = rb"[A-Za-z][A-Za-z0-9:-]*"
_TAG = rb"/?" + _NAME + rb"(?:\s[^<>]*=[^<>]*|\s*/?\s*)"
_DECLARATION = rb"[!?]" + _NAME + rb"(?:\s[^<>]*)?"
_COMMENT = rb"!--(?:(?!<!--|-->).)*--"
_ENTITY = rb"&(?:[A-Za-z][A-Za-z0-9]{1,30}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});"
_MARKUP = re.compile(rb"(?<!<)<(?:%b|%b|%b)>|%b" % (_TAG, _DECLARATION, _COMMENT, _ENTITY), re.DOTALL)
_MOST = 1000
"""Bytes of a tag, at most."""


def markup_end(text: bytes, at: int) -> int:
    """Return where the tag or the entity ends that begins at a byte, or 0 if none does.

    >>> text = b'<a href="b">1 &lt; 2, <3</a>'
    >>> [text[at : markup_end(text, at)].decode() for at in range(len(text)) if markup_end(text, at)]
    ['<a href="b">', '&lt;', '</a>']
    """
    found = _MARKUP.match(text, at)
    return found.end() if found and found.end() - at <= _MOST else 0
