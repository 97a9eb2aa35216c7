"""Hostile files: the checksum is right, the content is not."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.corpora import CORPUS
from support.models import small_model
from support.stored import Change, content_of, hostile, refused
from support.whole_words import whole_word_model

import unilid
from unilid.store import modelfile

NO_NUMBERS: list[Any] = ["low", math.nan, None, []]
NO_LABELS = ["zxx", "und", "", "a b", "a\tb", "line\nbreak", "\x1b[31m", "\u2028"]


def setting(name: str, value: Any) -> Change:
    return lambda _, metadata: metadata["settings"].update({name: value})


def entry(name: str, value: Any) -> Change:
    return lambda _, metadata: metadata.update({name: value})


def value_at(name: str, place: int, value: int) -> Change:
    return lambda arrays, _: arrays[name].__setitem__(place, value)


def without(name: str) -> Change:
    return lambda arrays, _: arrays.pop(name)


def instead(name: str, array: npt.NDArray[Any]) -> Change:
    return lambda arrays, _: arrays.update({name: array})


def tokens(change: Callable[[list[bytes]], list[bytes]]) -> Change:
    def apply(arrays: modelfile.Arrays, _: dict[str, Any]) -> None:
        changed = change(list(small_model().vocabulary.tokens))
        arrays["vocabulary.bytes"] = np.frombuffer(b"".join(changed), np.uint8)
        arrays["vocabulary.lengths"] = np.array([len(token) for token in changed], np.uint8)

    return apply


def test_the_untouched_content_is_a_model() -> None:
    assert hostile(lambda *_: None) == small_model().to_bytes()
    assert hostile(lambda *_: None, whole_word_model()) == whole_word_model().to_bytes()


def test_every_array_that_is_missing_is_named(tmp_path: Path) -> None:
    for name in content_of(whole_word_model())[0]:
        said = refused(hostile(without(name), whole_word_model()), tmp_path / "m")
        assert f"'{name}' is missing" in said


def test_every_array_of_the_wrong_length_or_type_is_refused(tmp_path: Path) -> None:
    for name, array in content_of(whole_word_model())[0].items():
        longer = np.append(array, array[-1:] if len(array) else np.ones(1, array.dtype))
        wrong = [longer]
        if len(array):
            wrong += [array[:-1], array[:0], np.append(array, array)]
        if array.dtype != np.float64:
            wrong.append(longer.astype(np.float64))
        if array.dtype in (np.uint8, np.uint16):
            wrong.append(array.astype(np.int64))
        for other in wrong:
            assert "damaged: " in refused(hostile(instead(name, other), whole_word_model()), tmp_path / "m")


def test_sizes_that_do_not_add_up_are_named(tmp_path: Path) -> None:
    endings = ("sizes", "siblings", "lengths", "buckets")
    names = [name for name in content_of(whole_word_model())[0] if name.endswith(endings)]
    assert {"lexicon.sizes", "lexicon.buckets"} < set(names)
    assert len(names) > 7
    for name in names:

        def one_more(arrays: modelfile.Arrays, _: dict[str, Any], name: str = name) -> None:
            arrays[name][3] += 1

        assert f"'{name}'" in refused(hostile(one_more, whole_word_model()), tmp_path / "m")


@pytest.mark.parametrize(
    "name",
    ["unigram.sizes", "context.1.sizes", "context.2.siblings", "context.4.sizes", "lexicon.sizes", "lexicon.buckets"],
)
def test_sizes_that_add_up_only_by_overflow_or_below_zero_are_refused(name: str, tmp_path: Path) -> None:
    def negative(arrays: modelfile.Arrays, _: dict[str, Any]) -> None:
        sizes = arrays[name]
        large = np.array([int(sizes[0]) + int(sizes[1]) + 5, -5])
        sizes[:2] = 255
        arrays[f"{name}.large"] = np.append(large, arrays[f"{name}.large"])

    def around(arrays: modelfile.Arrays, _: dict[str, Any]) -> None:
        sizes = arrays[name]
        whole = int(sizes.astype(np.int64).sum())
        sizes[:] = 0
        sizes[:4] = 255
        arrays[f"{name}.large"] = np.array([2**62 + 10**9, 2**62, 2**62, 2**62 - 10**9 + whole])

    def around_32_bits(arrays: modelfile.Arrays, metadata: dict[str, Any]) -> None:
        around(arrays, metadata)
        whole = int(content_of(whole_word_model())[0][name].astype(np.int64).sum())
        arrays[f"{name}.large"] = np.array([2**31, 2**31, whole, 0], np.uint32)

    assert f"'{name}" in refused(hostile(negative, whole_word_model()), tmp_path / "m")
    assert f"'{name}" in refused(hostile(around, whole_word_model()), tmp_path / "m")
    assert "add up to" in refused(hostile(around_32_bits, whole_word_model()), tmp_path / "m")


def test_a_lexicon_that_names_no_language_or_does_not_ascend_is_refused(tmp_path: Path) -> None:
    for place, value in ((0, len(CORPUS)), (1, 1), (-3, 255)):
        said = refused(hostile(value_at("lexicon.entries", place, value), whole_word_model()), tmp_path / "m")
        assert "'lexicon.entries' names" in said

    def in_one_bucket(fingerprints: Callable[[int], list[int]]) -> Change:
        def apply(arrays: modelfile.Arrays, _: dict[str, Any]) -> None:
            words = len(arrays["lexicon.fingerprints"])
            arrays["lexicon.buckets"][:] = 0
            arrays["lexicon.buckets"][7] = words
            arrays["lexicon.fingerprints"][:] = fingerprints(words)

        return apply

    (tmp_path / "m").write_bytes(hostile(in_one_bucket(lambda words: list(range(words))), whole_word_model()))
    assert unilid.load(tmp_path / "m").identify("snow").label == "eng"
    for wrong in (lambda words: [9] * words, lambda words: list(range(words, 0, -1))):
        said = refused(hostile(in_one_bucket(wrong), whole_word_model()), tmp_path / "m")
        assert "'lexicon.fingerprints' does not ascend" in said


@pytest.mark.parametrize(
    ("scripts", "said"),
    [
        ([["Latn"]] * 4, "an entry for each language"),
        ([["Latn"]] * 6, "an entry for each language"),
        ("Latn", "an entry for each language"),
        ({"dan": ["Latn"]}, "an entry for each language"),
        (5, "an entry for each language"),
        (["Latn"] * 5, "not lists of codes"),
        ([None] * 5, "not lists of codes"),
        ([["Latn"]] * 4 + [[5]], "not lists of codes"),
        ([["Latn"]] * 4 + [[["Latn"]]], "not lists of codes"),
        ([["Latn"]] * 4 + [["Jpan"]], "'Jpan', which this version does not know"),
        ([["Latn"]] * 4 + [[""]], "does not know"),
    ],
)
def test_scripts_that_make_no_sense_are_refused(scripts: Any, said: str, tmp_path: Path) -> None:
    for model in (small_model(), whole_word_model()):
        assert said in refused(hostile(entry("scripts", scripts), model), tmp_path / "m")


@pytest.mark.parametrize("scripts", [None, [[]] * 5, [["Latn", "Latn"]] * 5, [["Grek"]] * 4 + [[]]])
def test_scripts_that_are_not_known_exclude_nobody(scripts: Any, tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(hostile(entry("scripts", scripts), whole_word_model()))
    assert unilid.load(tmp_path / "m").identify("λιμάνι", k=5)


def test_a_language_beyond_the_last_is_named(tmp_path: Path) -> None:
    for name in [name for name in content_of(small_model())[0] if name.endswith(".languages")]:
        for beyond in (len(CORPUS), 255):
            said = refused(hostile(value_at(name, -1, beyond)), tmp_path / "m")
            assert f"'{name}'" in said
            assert str(beyond) in said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda all_tokens: [*all_tokens[:50], all_tokens[51], all_tokens[50], *all_tokens[52:]], "sorted"),
        (lambda all_tokens: [*all_tokens[:50], all_tokens[50], *all_tokens[50:]], "distinct"),
        (lambda all_tokens: [token for token in all_tokens if token != b"\x07"], "256 single bytes"),
        (lambda all_tokens: [*all_tokens, b"\xff" * 65], "64 bytes"),
        (lambda all_tokens: [b"", *all_tokens], "1 to 64 bytes"),
        (lambda _: [], "token"),
    ],
    ids=["unsorted", "twice", "byte-missing", "too-long", "empty", "none"],
)
def test_a_vocabulary_that_no_trie_can_be_made_of_is_refused(
    change: Callable[[list[bytes]], list[bytes]], said: str, tmp_path: Path
) -> None:
    assert said in refused(hostile(tokens(change)), tmp_path / "m")


@pytest.mark.parametrize("code_point", [0x110102, 2**32 - 1])
def test_a_character_beyond_the_last_is_named(code_point: int, tmp_path: Path) -> None:
    said = refused(hostile(value_at("context.code_points", 5, code_point)), tmp_path / "m")
    assert "'context.code_points'" in said
    assert str(code_point) in said


def test_a_character_that_stands_twice_is_refused(tmp_path: Path) -> None:
    first = int(content_of(small_model())[0]["context.code_points"][0])
    assert "not distinct" in refused(hostile(value_at("context.code_points", 5, first)), tmp_path / "m")


def test_an_n_gram_of_a_character_that_does_not_exist_is_named(tmp_path: Path) -> None:
    for level in (2, 3, 4):
        name = f"context.{level}.characters"
        assert f"'{name}'" in refused(hostile(value_at(name, 7, 65535)), tmp_path / "m")


@pytest.mark.parametrize(
    ("name", "sizes", "size"),
    [
        ("unigram.languages", "unigram.sizes", 1),
        ("context.2.characters", "context.2.siblings", 1),
        ("context.4.characters", "context.4.siblings", 1),
        ("context.1.entries", "context.1.sizes", 4),
        ("context.3.entries", "context.3.sizes", 4),
        ("context.4.entries", "context.4.sizes", 3),
    ],
)
def test_a_table_that_is_not_sorted_is_named(name: str, sizes: str, size: int, tmp_path: Path) -> None:
    def two_members(arrays: modelfile.Arrays) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Of one group, and not of its beginning, if it has three."""
        group = int(np.argmax(arrays[sizes] % 255))  # 255 stands for more
        assert arrays[sizes][group] >= 2
        last = int(arrays[sizes][: group + 1].sum()) * size
        array = arrays[name]
        return array[last - 2 * size : last - size], array[last - size : last]

    def swap(arrays: modelfile.Arrays, _: dict[str, Any]) -> None:
        assert not (arrays[sizes] == 255).any()
        first, second = two_members(arrays)
        first[:], second[:] = second.copy(), first.copy()

    def repeat(arrays: modelfile.Arrays, _: dict[str, Any]) -> None:
        first, second = two_members(arrays)
        second[:] = first

    for change in (swap, repeat):
        assert f"'{name}' is not sorted" in refused(hostile(change), tmp_path / "m")


def test_training_lines_below_zero_are_named(tmp_path: Path) -> None:
    assert "'languages.lines'" in refused(hostile(value_at("languages.lines", 1, -3)), tmp_path / "m")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("languages", ["dan", "ell", "eng", "jpn", "dan"], "not distinct"),
        ("languages", ["dan", "ell", "eng", "jpn"], "beyond 3|instead of 4"),
        ("languages", [*CORPUS, "more"], "instead of 6"),
        ("languages", [], "languages"),
        ("languages", ["dan", "ell", "eng", "jpn", 5], "languages"),
        ("languages", ["dan", "ell", "eng", "jpn", ["nob"]], "languages"),
        ("languages", "abcde", "languages|understood"),
        ("languages", None, "languages"),
        *[("languages", ["dan", "ell", "eng", "jpn", label], "cannot be a label") for label in NO_LABELS],
        ("languages", 5, "languages"),
        ("settings", None, "understood"),
        ("settings", ["order"], "understood"),
        ("info", 5, "understood"),
        ("decisions", None, "understood"),
        ("decisions", 5, "understood"),
        ("decisions", [], "understood"),
        ("decisions", {}, "understood"),
        ("format", 1, "format 1"),
        ("format", 99, "format 99"),
        ("format", None, "format None"),
        ("crc32", 0, "checksum"),
    ],
)
def test_metadata_that_makes_no_sense_is_refused(name: str, value: Any, said: str, tmp_path: Path) -> None:
    assert re.search(said, refused(hostile(entry(name, value)), tmp_path / "m"))


@pytest.mark.parametrize("name", ["languages", "settings", "decisions", "info"])
def test_metadata_that_is_missing_is_named(name: str, tmp_path: Path) -> None:
    assert name in refused(hostile(lambda _, metadata: metadata.pop(name)), tmp_path / "m")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("order", 99, "order"),
        ("order", 0, "order"),
        ("order", "4", "order"),
        ("order", [4], "order"),
        ("order", 4.0, "order"),
        ("order", 5, r"context\.5|context\.4\."),
        ("order", None, "all of the weight"),
        ("bound", -1, "bound"),
        ("bound", 0, "bound"),
        ("bound", math.nan, "bound"),
        ("bound", math.inf, "bound"),
        ("bound", "8", "bound|understood"),
        ("bound", [], "bound|understood"),
        ("unigram_weight", 17, r"sixteenths from 0 to 1, not 1\.0625"),
        ("unigram_weight", -1, r"sixteenths from 0 to 1, not -0\.0625"),
        ("unigram_weight", 5.5, "whole number of sixteenths"),
        ("unigram_weight", None, "sixteenths|understood"),
        ("unigram_weight", "5", "sixteenths|understood"),
        ("fragments", -0.1, "fragments"),
        ("fragments", math.inf, "fragments"),
        ("spellings", 11, "spellings"),
        ("signs", 1, "signs"),
        ("signs", None, "signs"),
        ("lexicon_size", -1, "lexicon_size"),
        ("lexicon_size", 1.5, "lexicon_size"),
        ("lexicon_size", True, "lexicon_size"),
        ("lexicon_size", 9, "'lexicon.fingerprints' is missing"),
        ("lexicon_least", 0, "lexicon_least"),
        ("lexicon_least", 32, "lexicon_least"),
        ("unseen", "nothing", "unseen"),
        ("unseen", None, "unseen"),
        *[
            (name, value, f"{name}|understood")
            for name, value in product(
                ("unseen_log_p", "discount", "base", "fragments", "spellings", "lexicon_least"), NO_NUMBERS
            )
        ],
    ],
)
def test_settings_that_make_no_sense_are_refused(name: str, value: Any, said: str, tmp_path: Path) -> None:
    assert name in content_of(small_model())[1]["settings"]
    assert re.search(said, refused(hostile(setting(name, value)), tmp_path / "m"))


def test_unknown_settings_and_arrays_of_a_later_version_are_passed_over(tmp_path: Path) -> None:
    def change(arrays: modelfile.Arrays, metadata: dict[str, Any]) -> None:
        arrays["later.array"] = np.zeros(3, np.uint8)
        metadata["settings"]["later"] = 1

    (tmp_path / "m").write_bytes(hostile(change))
    assert unilid.load(tmp_path / "m").to_bytes() == small_model().to_bytes()
