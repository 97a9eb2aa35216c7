r"""Text from outside, made safe to show: nothing in it can steer a terminal, break a line or hide.

>>> one_line(b"\x1b[31mred\n\tgr\xfcn "), one_line("می\u200cخواهم \u202eabc")
('�[31mred gr�n', 'می\u200cخواهم �abc')
>>> escaped(b"caf\xc3\xa9 \xff \x1b[1m"), escaped("caf\udce9.txt")
('café \\xff \\x1b[1m', 'caf\\xe9.txt')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

_JOINERS = "\u200c\u200d"  # not printable, but words of many scripts and emoji need them
_LOOKED_AT = 4096
"""Characters (or bytes) of a text that are looked at for one line: more than any terminal shows."""
_LONGEST = 2000
"""Characters of a sentence that are shown: one may quote a line of a gigabyte."""
_LINE_BREAKS = str.maketrans("\t\n\v\f\r\x85\u2028\u2029", "        ")


def is_shown(character: str) -> bool:
    """Say whether a character shows itself, instead of steering what shows it."""
    return character.isprintable() or character in _JOINERS


def one_line(text: str | bytes | None) -> str:
    """Return the beginning of a text as one line: what cannot be shown is U+FFFD, white space is one space."""
    if text is None:
        return ""
    start = text[:_LOOKED_AT]
    decoded = start.decode("utf-8", "replace") if isinstance(start, bytes) else start
    return "".join([c if is_shown(c) else "�" for c in " ".join(decoded.split())])


def escaped(content: bytes | str, space: str = " ") -> str:
    """Return a text with what cannot be shown written out as Python does, and spaces as `space`.

    A lone surrogate that stands for a byte, as in file names that are not UTF-8, is written as that byte.
    """
    text = content.decode("utf-8", "backslashreplace") if isinstance(content, bytes) else content
    return "".join([space if c == " " else c if is_shown(c) else _written_out(c) for c in text])


def _written_out(character: str) -> str:
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()


def sentence(message: object) -> str:
    r"""Return a message, which may quote files and their names, as one line that can be shown.

    >>> sentence("a\n\x1b[2J.tsv: no tab")
    'a\\n\\x1b[2J.tsv: no tab'
    """
    text = str(message)
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"
    return escaped(text)


def replaced(text: str) -> str:
    r"""Return a text of many lines with U+FFFD for what cannot be shown; tabs and line feeds stay.

    >>> replaced("one\r\ntwo\x07")
    'one\ntwo�'
    """
    return "".join([c if c in "\t\n" or is_shown(c) else "�" for c in text.replace("\r", "")])


def without_line_breaks(text: str) -> str:
    r"""Return a text for a cell of TSV: tabs and line breaks of any kind become spaces.

    >>> without_line_breaks("one\ttwo\u2028three")
    'one two three'
    """
    return text.translate(_LINE_BREAKS)


def console(**options: Any) -> Console:
    """Return where tables are written. A reader that has enough is a BrokenPipeError, as it is of any other file."""
    from rich.console import Console  # slow to import, and not needed in a pipe

    class OnPipe(Console):
        def on_broken_pipe(self) -> None:  # rich would leave the process with status 1
            raise BrokenPipeError

    return OnPipe(**options)
