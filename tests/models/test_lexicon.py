"""The lexicon's table: languages come and go, and no gain of another one changes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import CORPUS
from support.models import small_model
from support.strategies import words_of
from support.texts import TEXTS
from support.variants import unbounded
from support.whole_words import Gains, gains, gains_of, table_of, whole_word_model

from unilid import _kernel, plain
from unilid.errors import UnilidError
from unilid.model import Model
from unilid.models import lexicon, scripts
from unilid.models.costs import STEP
from unilid.models.lexicon import LexiconTable, keep_entries
from unilid.store.packing import CheckedFile


def of_row(all_gains: Gains, row: int) -> dict[int, int]:
    return {key: own[row] for key, own in all_gains.items() if row in own}


def without_empty(all_gains: Gains) -> Gains:
    return {key: own for key, own in all_gains.items() if own}


@given(gains(3), gains(2))
def test_appended_languages_stand_behind_and_change_no_gain(one: Gains, other: Gains) -> None:
    both = table_of(one, 3).append(table_of(other, 2))
    assert both.language_count == 5
    found = gains_of(both)
    assert [of_row(found, row) for row in range(3)] == [of_row(one, row) for row in range(3)]
    assert [of_row(found, 3 + row) for row in range(2)] == [of_row(other, row) for row in range(2)]
    assert (both.keys[1:] > both.keys[:-1]).all()


@given(gains(4), st.permutations(range(4)), st.integers(1, 4))
def test_selected_languages_keep_their_gains_in_the_order_given(all_gains: Gains, order: list[int], count: int) -> None:
    rows = order[:count]
    part = table_of(all_gains, 4).select(rows)
    assert part.language_count == count
    found = gains_of(part)
    assert [of_row(found, new) for new in range(count)] == [of_row(all_gains, old) for old in rows]
    assert all(found.values())  # words that none of them knows are dropped
    assert all(list(own) == sorted(own) for own in found.values())


@given(gains(4))
def test_a_table_is_stored_and_taken_out_as_it_was(all_gains: Gains) -> None:
    table = table_of(all_gains, 4)
    again = LexiconTable.unpack(CheckedFile(table.pack(), "m"), language_count=4)
    assert gains_of(again) == gains_of(table) == without_empty(all_gains)
    assert all((again.pack()[name] == array).all() for name, array in table.pack().items())
    again.kernel()


def test_some_entries_can_be_kept() -> None:
    table = table_of({5: {0: 7, 1: 9}, 6: {1: 3}}, 2)
    assert gains_of(keep_entries(table, table.entries["cost"] > 3)) == {5: {0: 7, 1: 9}}


def test_a_subset_scores_as_the_whole_does() -> None:
    model = unbounded(whole_word_model())
    part = model.subset(["nob", "ell", "dan"])
    assert (part.scores(TEXTS) == model.scores(TEXTS)[:, [4, 1, 0]]).all()
    assert part.parameters.scripts == (("Latn",), ("Grek",), ("Latn",))
    assert model.subset(model.languages).to_bytes() == model.to_bytes()
    assert Model.from_bytes(part.to_bytes()).to_bytes() == part.to_bytes()


def test_a_language_learned_anew_is_the_same_to_the_last_bit() -> None:
    model = whole_word_model()
    again = model.remove_languages(["nob"]).add_language("nob", CORPUS["nob"])
    assert again.to_bytes() == model.to_bytes()
    assert (again.scores(TEXTS) == model.scores(TEXTS)).all()


def test_gains_are_a_share_of_what_a_word_costs_beyond_its_frequency() -> None:
    words = words_of([(b" the", 50.0), (b" The", 10.0), (b"the", 4.0), (b" rare", 1.0), (b",", 35.0)])
    assert [word for word, _ in words.pairs()] == [b" The", b" rare", b" the", b",", b"the"]
    costs = np.array([120, 400, 100, 20, 90], np.uint32)
    table = lexicon.estimate([words], [costs], sizes=[9], least=1.0)
    the, rare = (plain.word_key(plain.split_words(word)[0]) for word in (b"the", b"rare"))

    def gain(cost: int, count: float) -> int:
        return round(lexicon.SHARE * (cost + math.log((count - lexicon.DISCOUNT) / 100) / STEP))

    # The most frequent form says what a word costs, all forms how frequent it is.
    assert gains_of(table) == {the: {0: gain(100, 64)}, rare: {0: lexicon.MAX_GAIN}}
    only = lexicon.estimate([words], [costs], sizes=[1], least=1.0)
    assert list(gains_of(only)) == [the]  # it counts as often as the word occurs
    assert gains_of(lexicon.estimate([words], [costs], sizes=[9], least=31.0)) == {rare: {0: lexicon.MAX_GAIN}}


def test_a_language_without_letters_has_no_gains_and_no_scripts() -> None:
    signs, letters = words_of([(b" 12", 3.0), (b"!", 2.0)]), words_of([(b" ab", 3.0), ("ж".encode(), 1.0)])
    table = lexicon.estimate([signs, letters], [np.full(2, 90, np.uint32)] * 2, sizes=[9, 9], least=1.0)
    assert {row for own in gains_of(table).values() for row in own} == {1}
    assert gains_of(lexicon.estimate([signs], [np.full(2, 90, np.uint32)], sizes=[9], least=1.0)) == {}
    assert scripts.of_words(signs) == ()
    assert scripts.of_words(letters) == ("Latn", "Cyrl")
    # A language of which no script is known may be written in any of the others'.
    latin, cyrillic = _kernel.SCRIPTS["Latn"], _kernel.SCRIPTS["Cyrl"]
    assert scripts.uses((("Latn",), (), ("Cyrl",))) == [(0, latin), (1, cyrillic), (1, latin), (2, cyrillic)]
    assert scripts.uses(None) == scripts.uses(((), ())) == []


def test_what_is_rare_is_quoted_and_not_written() -> None:
    assert scripts.of_words(words_of([(b" ab", 91.0), ("ж".encode(), 9.0)])) == ("Latn",)
    assert scripts.of_words(words_of([(b" ab", 90.0), ("ж".encode(), 10.0)])) == ("Latn", "Cyrl")


def test_parameters_that_do_not_belong_together_are_refused() -> None:
    parameters = whole_word_model().parameters
    assert parameters.lexicon is not None
    for changes, message in (
        ({"lexicon": None}, "settings for a lexicon, and none"),
        ({"settings": replace(parameters.settings, lexicon_size=0)}, "a lexicon, and settings for none"),
        ({"lexicon": parameters.lexicon.select([0])}, "tables of"),
        ({"scripts": (("Latn",),)}, "tables of"),
    ):
        with pytest.raises(UnilidError, match=message):
            replace(parameters, **changes)
    assert small_model().parameters.lexicon is None
