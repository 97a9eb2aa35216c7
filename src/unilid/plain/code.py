"""Lines of code and of logs: ``cpp/words/code.h``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unilid.plain.markup import markup_end

_MAX_LINE = 1000
"""Bytes of a line that are looked at; a longer line is looked at in parts."""

_KEYWORDS = (
    b"async|case|catch|cd|class|const|def|echo|elif|else|enum|export|fn|for|from|func|function|git|if|import|int|let|"
    b"namespace|package|print|private|protected|public|raise|return|static|struct|sudo|switch|throw|try|using|var|void|"
    b"while"
)
_KEYWORD = re.compile(rb"(?:%b)(?![A-Za-z0-9_])" % _KEYWORDS)
_STATEMENT = re.compile(
    rb"SELECT .* FROM |INSERT INTO |UPDATE .* SET |DELETE FROM |(?:CREATE|DROP|ALTER) TABLE |"
    rb"from [A-Za-z0-9_.]+ import ",
    re.DOTALL,
)
_MAY_BE = re.compile(
    rb'(?![\x80-\xff])(?:.*[{}|=_]|.*;\s*$|.*[!-\x7f]\(|#|".*":|[0-9].*\] "|'
    rb"(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|%b)(?![A-Za-z0-9_]))" % _KEYWORDS,
    re.DOTALL,
)
_LITERAL = re.compile(
    rb'"(?:[^"]|(?<=\\)")*(?<!\\)"|'
    rb"(?<![A-Za-z0-9\x80-\xff])'(?:[^']|(?<=\\)'|'(?=[A-Za-z0-9\x80-\xff]))*(?<!\\)'(?![A-Za-z0-9\x80-\xff])|"
    rb"`[^`]*`",
    re.DOTALL,
)
_ADDRESS = re.compile(rb"(?:://|www\.)[^ \t\"'`<>()]*")
_COMMENT = re.compile(rb"//.*|/\*.*?(?:\*/|$)|(?:^|(?<= ))# .*", re.DOTALL)
_SIGNS = [
    (1, rb"[;{}]$|[A-Za-z0-9_]\(.*\):$"),
    (1, rb"\{$"),
    (1, rb"[A-Za-z0-9_]\("),
    (1, rb"(?<= )=(?![()])|=[A-Za-z0-9\"]|->|::|&&|\|\||\+\+"),
    (1, rb"[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|\$[A-Za-z{(]|[A-Za-z]{2}\.[A-Za-z]{2}"),
    (1, rb'\{[^{}]*[;:="(]'),
    (1, rb': "'),
    (1, rb" --?[A-Za-z]"),
    (1, rb" --?[A-Za-z].* [|>] "),
    (1, rb"^import [A-Za-z]"),
    (2, rb'(?:^|[{\[,] ?)":'),
    (2, rb'^[A-Za-z_][A-Za-z0-9_.]*\((?=[")]).*[);]$'),
    (2, rb'\] " [0-9]'),
    (2, rb"^#(?:define|endif|if|include|pragma|!)"),
]
_WORD = re.compile(rb"[A-Za-z][A-Za-z'-]*([,.:;!?)]?)")
_SEVERAL = re.compile(rb"[\x80-\xff]|[A-Za-z][,.:;!?]? [A-Za-z]")
_LEVELS = b"trace debug info notice warn warning error critical fatal severe".split()
_DATE = re.compile(rb"\[?[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}")
_SYSLOG = re.compile(rb"[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} [^ ]+ [^ ]*:(?= |$)")


def line_at(text: bytes, start: int) -> bytes:
    """Return the line that begins at a byte, or as much of it as is looked at."""
    return text[start : start + _MAX_LINE].partition(b"\n")[0]


def pieces(line: bytes) -> Iterator[tuple[str, bytes]]:
    """Cut a line into code, literals, comments and markup, addresses among it.

    >>> [*pieces(b'print("a b")  # an example')]
    [('code', b'print('), ('literal', b'"a b"'), ('code', b')  '), ('comment', b'# an example')]
    """
    begin = at = 0
    while at < len(line):
        literal, comment, address = _LITERAL.match(line, at), _COMMENT.match(line, at), _ADDRESS.match(line, at)
        special = literal or comment or address
        end = special.end() if special else markup_end(line, at)
        if end:
            if begin < at:
                yield "code", line[begin:at]
            yield "literal" if literal else "comment" if comment else "markup", line[at:end]
            begin = end
        at = end or at + 1
    if begin < at:
        yield "code", line[begin:at]


def points(line: bytes, behind_code: bool) -> tuple[int, int]:
    """Return the points of a line, and how many plain words it has in a row.

    >>> points(b"for (int i = 0; i < n; ++i) {", False), points(b"Wait for me; do not go.", False)
    ((4, 1), (0, 0))
    """
    if not behind_code and not _MAY_BE.match(line):
        return 0, 0
    code = b"".join({"literal": b'"', "comment": b"", "markup": b" "}.get(kind, piece) for kind, piece in pieces(line))
    code = code.strip()
    if not code.isascii() or code.endswith((b".", b"?", b"!")):
        return 0, 0
    found = sum(worth for worth, sign in _SIGNS if re.search(sign, code, re.DOTALL))
    if _STATEMENT.match(code):
        return found + 2, 0
    keyword = _KEYWORD.match(code)
    found += bool(keyword and (found or behind_code))
    longest = row = 0
    for token in code.split(b" "):
        word = _WORD.fullmatch(token)
        row = row + 1 if word else 0
        longest = max(longest, row)
        row = 0 if word and word[1] else row
    return found, longest


def is_code(text: bytes, start: int, behind_code: bool) -> bool:
    """Say whether the line that begins at a byte is code, given whether the one before is."""
    line = line_at(text, start)
    found, row = points(line, behind_code)
    if found >= max(row, 2):
        return True
    if behind_code:
        return (found > 0 and row <= 2) or (line.isascii() and len(re.findall(rb"[A-Za-z]+", line)) <= 1)
    if found == 0 or row > 2:
        return False
    rest = text[start + len(line) :]
    following, row = points(line_at(rest, len(rest) - len(rest.lstrip())), False)
    return following > 0 and row <= 2


def texts_in(line: bytes) -> list[tuple[int, int]]:
    """Return where the texts in a line of code begin and end: literals and comments of several words.

    >>> texts_in(b'{"the title": "Wo ist es?", "age": 30}  // years, not days')
    [(14, 26), (40, 58)]
    """
    found, at = [], 0
    for kind, piece in pieces(line):
        end = at + len(piece)
        is_key = kind == "literal" and line[end : end + 1] == b":"
        if kind in ("literal", "comment") and not is_key and _SEVERAL.search(piece) and b" HTTP/" not in piece:
            found.append((at, end))
        at = end
    return found


def log_prefix(line: bytes) -> int:
    """Return how many bytes of a line stand before the message of a log; none if it is no line of a log.

    >>> log_prefix(b"2024-05-17 12:30:00,123 [main] ERROR org.example.Main: It does not work")
    54
    """
    syslog = _SYSLOG.match(line)
    if syslog or not _DATE.match(line):
        return syslog.end() if syslog else 0
    end, levels = 0, 0
    for token in re.finditer(rb"[^ ]+", line):
        level = token[0].strip(b"[]():|,-").lower() in _LEVELS
        sign = re.search(rb"[0-9]|^\[|:$", token[0]) or not re.search(rb"[A-Za-z\x80-\xff]", token[0])
        if not level and not sign:
            break
        levels += level
        end = token.end()
    return end if levels else 0
