"""The most probable segmentation of a text."""

from __future__ import annotations

import dataclasses
import math

from hypothesis import given
from support.models import small_model
from support.strategies import any_text
from support.variants import unigram_only

from unilid import plain
from unilid.models.segmentation import Segment
from unilid.plain import counted


@given(any_text.filter(lambda text: text is not None))
def test_segments_cover_the_words_point_into_the_text_and_add_up_to_its_score(text: str | bytes) -> None:
    model = small_model()
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    scores = unigram_only(model).scores([text])[0]
    for language in ("ell", "eng"):
        segments = model.segment(text, language)
        assert b"".join(s.token for s in segments) == b"".join(word.text for word in plain.split_words(content))
        if counted(content) == plain.split_words(content):  # addresses and identifiers have segments, and do not count
            assert math.fsum(s.score for s in segments) == scores[model.row_of(language)]
        end_before = 0
        for segment in segments:
            assert segment.start >= end_before
            covered = content[segment.start : segment.end]
            if plain.composed(content) == content:
                assert len(covered) == len(segment.token.removeprefix(b" "))
            if plain.composed(content) == content and covered.islower():  # capitals have the tokens of small letters
                assert covered == segment.token.removeprefix(b" ")
            assert segment.token in model.vocabulary.tokens
            end_before = segment.end


def test_a_frequent_word_is_one_segment_at_its_place_in_the_text() -> None:
    model = small_model()
    [the] = model.segment("the", "eng")
    assert the.token == b" the"
    assert the == Segment(b" the", 0, 3, the.score)
    assert dataclasses.replace(the, start=22, end=25) in model.segment("Så! There is snø on the roof", "eng")


def test_segments_of_letters_with_marks_behind_them_cover_the_text_as_it_stands() -> None:
    text = (
        "e\u0301te\u0301 \u1112\u1161\u11ab I\u0307 \xff\u0301 o\u0329\u0301x \U000105d2\u0307".encode()
        + b" \xff\xcc\x81"
    )
    segments = small_model().segment(text, "eng")
    assert b"".join(s.token for s in segments) == b"".join(word.text for word in plain.split_words(text))
    assert b"".join(text[s.start : s.end] for s in segments) == text.replace(b" ", b"")


def test_a_text_without_words_has_no_segments() -> None:
    assert small_model().segment("", "eng") == small_model().segment(" \n", "eng") == []
