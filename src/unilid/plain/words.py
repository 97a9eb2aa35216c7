"""Text to words: ``cpp/words/words.h``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from unilid._kernel import MAX_WORD_BYTES
from unilid.plain.characters import characters, class_of, composed, folded
from unilid.plain.code import is_code, line_at, log_prefix, texts_in
from unilid.plain.markup import markup_end
from unilid.plain.noise import noise_of
from unilid.plain.unicode import LETTER, MARK, SIGN, SPACE

_VISIBLE = re.compile(rb"[!-~]*")


@dataclass
class Word:
    """A word, with the space before it if there is one."""

    text: bytes
    kind: int  # LETTER, DIGIT or SIGN
    cut_left: bool = False  # letters touch it there: it may be part of a word
    cut_right: bool = False
    noise: str | None = None  # what it is a part of, if that is no language
    begin: int = 0  # where it stands in the text, without its space
    script: int = SIGN  # the class of its letters; LETTER if they are common to all scripts; without letters, its kind
    inner: bool = False  # a single sign with letters on both sides, as in "don't"
    spaced: bool = False  # white space stands before it, or the text begins with it
    end: int = 0

    @property
    def letters(self) -> int:
        """Characters without the space."""
        return sum(1 for _ in characters(self.text.removeprefix(b" ")))

    @property
    def lone(self) -> bool:
        """Whether it is a single letter that goes on from what stands before it."""
        return self.kind == LETTER and not self.text.startswith(b" ") and self.letters == 1


class Runs:
    """What a text consists of beside words: the run that a word is part of, and what it is if it is noise.

    A run is a tag or an entity, or a piece of code, or consists of visible ASCII.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._end = 0  # of the run
        self._noise: str | None = None  # what the run is
        self._tag_end = 0  # of the tag or the entity that begins where the run ends, or that is the run
        self._line_end = 0
        self._behind_code = False  # whether the line is code
        self._texts: list[tuple[int, int]] | None = None  # where the text in a line of code is

    def noise(self, start: int) -> str | None:
        """Say what the word is a part of that begins at a byte; words are asked for in order."""
        if start >= self._line_end and start >= self._tag_end:
            self._begin_line(start)
        if start >= self._end:
            self._begin_run(start)
        return self._noise if start < self._end else None

    def _begin_line(self, start: int) -> None:
        line = line_at(self._text, start)
        prefix = log_prefix(line)
        self._behind_code = not prefix and is_code(self._text, start, self._behind_code)
        texts = texts_in(line) if self._behind_code else [] if prefix else None
        self._texts = None if texts is None else [(start + begin, start + end) for begin, end in texts]
        self._line_end = start + (prefix or len(line))
        if self._texts is not None:  # otherwise a run goes on in the next part of a line
            self._end = start

    def _begin_run(self, start: int) -> None:
        limit = len(self._text)
        if start < self._tag_end:
            self._end, self._noise = self._tag_end, "markup"
            return
        if self._texts is not None and start < self._line_end:
            within = [end for begin, end in self._texts if begin <= start < end]
            if not within:
                behind = [begin for begin, _ in self._texts if begin > start]
                self._end, self._noise = min(behind, default=self._line_end), "code"
                return
            limit = within[0]
        at, end = start, _VISIBLE.match(self._text, start, limit).end()  # type: ignore[union-attr]  # may be empty
        is_address = False
        while at < end:
            is_link = self._text[at : min(at + 2, end)] == b"]("  # in Markdown, whose text ends here
            is_entity = self._text[at : at + 1] == b"&"
            markup = markup_end(self._text, at)
            if is_link or (is_entity and markup):  # an address goes on behind these
                is_address = is_address or noise_of(self._text[start:at].decode()) == "address"
            if is_link and not is_address:
                at += 1
                break
            if markup and not (is_entity and is_address):
                self._tag_end = markup
                break
            at += 1
        if at == start < self._tag_end:
            self._end, self._noise = self._tag_end, "markup"
        else:
            self._end, self._noise = at, noise_of(self._text[start:at].decode())


def split_words(text: bytes) -> list[Word]:
    r"""Split a text: letters of one script with their marks, digits, or other signs, each with the space before it.

    Letters have a space in any case, unless they go on from other letters or digits.

    >>> [word.text for word in split_words("Hello, мир!".encode())]
    [b' Hello', b',', b' \xd0\xbc\xd0\xb8\xd1\x80', b'!']
    >>> [word.text for word in split_words(b'"Don\'t"')]
    [b' "', b' Don', b"'", b't', b'"']
    """
    words: list[Word] = []
    run: int | None = None  # the class of the word that is growing
    size = 0
    space = True
    at = 0
    runs = Runs(text)
    borders = _borders(text)
    for character, encoded in characters(text):
        kind = class_of(character)
        if run == SIGN and (at in borders or (text[at - 2 : at] == b"](" and size >= 2)):
            run = None
        at += len(encoded)
        if kind == SPACE:
            run, space = None, True
            continue
        joins = run is not None and (
            kind in (MARK, run)
            or (kind == LETTER and run > LETTER)  # a letter common to all scripts
            or (run == LETTER and kind > LETTER)  # the first letter that has a script
        )
        if joins and size + len(encoded) <= MAX_WORD_BYTES:
            words[-1].text += encoded
            words[-1].end = at
            if kind >= LETTER:
                words[-1].kind = LETTER
                words[-1].script = max(words[-1].script, kind)
            size += len(encoded)
            run = kind if run == LETTER and kind > LETTER else run
        else:
            letters = kind >= MARK
            touches = run is not None and run >= LETTER and letters
            if touches:
                words[-1].cut_right = True
            own = LETTER if kind >= LETTER else SIGN if kind == MARK else kind
            start = at - len(encoded)
            script = kind if kind >= LETTER else own
            content = (b" " if space else b"") + encoded
            words.append(Word(content, own, touches, False, runs.noise(start), start, script, spaced=space, end=at))
            size = len(encoded)
            run = LETTER if kind == MARK else kind
        space = False
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        apart = word.spaced or after.spaced
        word.inner = _is_one_sign(word) and not apart and _first_class(before) >= MARK and _first_class(after) >= LETTER
    joins = False  # whether letters that touch what stands before go on from it
    for word in words:
        if word.kind == LETTER and not (joins or word.spaced):
            word.text = b" " + word.text
        in_markup = word.noise == "markup"
        if _first_class(word) == SIGN:
            is_one = not word.text.startswith(b"<") if in_markup else _is_one_sign(word)  # an entity stands for a sign
            joins = joins and not word.spaced and is_one
        elif not in_markup:
            joins = True
    for word in words:
        word.text = folded(composed(word.text))
    return words


def _borders(text: bytes) -> set[int]:
    """Return where tags and entities begin and end: a word of signs ends there."""
    borders: set[int] = set()
    at = 0
    while at < len(text):
        end = markup_end(text, at)
        if end:
            borders |= {at, end}
        at = end or at + 1
    return borders


def _is_one_sign(word: Word) -> bool:
    """Whether a word is a single sign, with its marks if it has some."""
    signs = [character for character, _ in characters(word.text.removeprefix(b" ")) if class_of(character) != MARK]
    return len(signs) == 1 and class_of(signs[0]) == SIGN


def _first_class(word: Word) -> int:
    return class_of(next(characters(word.text.removeprefix(b" ")))[0])
