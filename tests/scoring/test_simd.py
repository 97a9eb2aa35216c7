"""Every instruction set gives the same bits."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.corpora import SENTENCES
from support.models import small_model
from support.sentences import SENTENCES as MANY_LANGUAGES
from support.strategies import texts
from support.variants import with_settings
from support.whole_words import table_of, whole_word_model

import unilid
from unilid import _kernel, plain
from unilid.model import Model

INSTRUCTION_SETS = _kernel.instruction_sets()
T = TypeVar("T")

# Signs, broken bytes, nothing, a word that fills the sums of 16 bits, and one that is cut.
ODD = [b"", b"\x00", b"\xff\xfe ab\xc3", b"12 345", b"https://example.org", b"a b c", b"snow\xe9\x9b\xaa",
       b"zq" * 5_000, b"The net " * 300]  # fmt: skip


@pytest.fixture(autouse=True)
def _best_afterwards() -> Iterator[None]:
    yield
    _kernel.use_instruction_set(INSTRUCTION_SETS[0])


def of_each(work: Callable[[], T]) -> list[T]:
    """What a piece of work gives with each instruction set."""
    found = []
    for name in INSTRUCTION_SETS:
        _kernel.use_instruction_set(name)
        found.append(work())
    return found


def answers(model: Model, lines: list[bytes], threads: int) -> list[Any]:
    """All that the loops have a part in, by a model that has no word in its cache and has yet to build its rows."""
    fresh = replace(model)
    return [
        fresh.scores(lines, threads=threads).tobytes(),
        repr(fresh.identify(lines, k=3, threads=threads)),
        repr([list(fresh.spans(line)) for line in [*lines, b" ".join(lines)]]),
    ]


@cache
def made_up(languages: int) -> Model:
    """Languages that share an alphabet and some of their words."""
    random = Random(languages)

    def words(count: int) -> list[str]:
        return ["".join(random.choices("abcdeéø", k=random.randint(1, 7))) for _ in range(count)]

    shared = words(10)
    corpus = {f"l{i}": [" ".join(random.sample(shared + words(10), 8)) for _ in range(4)] for i in range(languages)}
    return unilid.train(corpus, vocabulary=320, tune=False, threads=1)


def test_the_best_instruction_set_is_in_use_until_another_is_chosen() -> None:
    code = (
        "from unilid import _kernel\n"
        "names = _kernel.instruction_sets()\n"
        "assert _kernel.use_instruction_set(names[-1]) == names[0]\n"
        "assert _kernel.use_instruction_set(names[0]) == names[-1]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_an_instruction_set_that_is_not_there_changes_nothing() -> None:
    with pytest.raises(ValueError, match="does not have the instruction set"):
        _kernel.use_instruction_set("abacus")
    assert _kernel.use_instruction_set(INSTRUCTION_SETS[-1]) == INSTRUCTION_SETS[0]


def test_the_last_instruction_set_is_what_every_such_machine_has() -> None:
    assert INSTRUCTION_SETS[-1] == ("neon" if platform.machine().lower() in ("arm64", "aarch64") else "plain")


@pytest.mark.skipif(
    platform.machine() != "x86_64" or not Path("/proc/cpuinfo").exists(), reason="asks Linux what an x86-64 has"
)
def test_what_the_machine_has_is_found() -> None:
    line = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags"))
    flags = set(line.split())
    needed = {"avx512": {f"avx512{part}" for part in ("f", "bw", "cd", "dq", "vl")}, "avx2": {"avx2"}, "plain": set()}
    assert [name for name, those in needed.items() if those <= flags] == INSTRUCTION_SETS


@pytest.mark.parametrize("languages", [1, 63, 65, 130])
def test_any_number_of_languages_with_scripts_and_a_lexicon_gets_the_same_bits(languages: int) -> None:
    random = Random(languages)
    scripts = [random.sample(["Latn", "Cyrl", "Grek"], random.randint(1, 2)) for _ in range(languages)]
    keys = [plain.word_key(plain.split_words(word.encode())[0]) for word in ("abcd", "жж", "bé", "δ")]
    gains = {key: {random.randrange(languages): random.randint(1, 255) for _ in range(9)} for key in keys}
    model = made_up(languages)
    parameters = replace(
        model.parameters,
        settings=replace(model.settings, signs=False, lexicon_size=4),
        lexicon=table_of(gains, languages),
        scripts=tuple(map(tuple, scripts)),
    )
    model = replace(model, parameters=parameters)
    lines = ["abcd жж δ", "BÉ don't ЖЖ", "გა", "გა abc", "bé " * 300, "δ" * 140, "12 .", "ʻ"]
    for threads in (1, 3):
        first, *others = of_each(partial(answers, model, [line.encode() for line in lines] + ODD, threads))
        assert all(other == first for other in others)


# Around the number of languages to which vectors are padded.
@pytest.mark.parametrize("languages", [1, 63, 64, 65, 130])
def test_any_number_of_languages_gets_the_same_bits(languages: int) -> None:
    model = made_up(languages)
    random = Random(0)
    lines = [" ".join("".join(random.choices("abcdeéøx", k=4)) for _ in range(9)).encode() for _ in range(20)]
    for threads in (1, 2, 3):
        first, *others = of_each(partial(answers, model, lines + ODD, threads))
        assert all(other == first for other in others)


@pytest.mark.parametrize("weight", [0.0, 5 / 16, 1.0])
@pytest.mark.parametrize("bound", [None, 0.5, 8.0])
@pytest.mark.parametrize("make", [small_model, whole_word_model])
def test_any_word_models_give_the_same_bits(make: Callable[[], Model], weight: float, bound: float | None) -> None:
    model = with_settings(make(), unigram_weight=weight, bound=bound)
    first, *others = of_each(lambda: answers(model, [text.encode() for text in SENTENCES] + ODD, 1))
    assert all(other == first for other in others)


def test_the_default_model_gives_the_same_bits() -> None:
    model = unilid.load()
    lines = [line.encode() for text in MANY_LANGUAGES.values() for line in text.splitlines()[:1]]
    for threads in (1, 2, 3):
        first, *others = of_each(partial(answers, model, lines + ODD, threads))
        assert all(other == first for other in others)


@given(st.lists(texts, max_size=3))
@settings(max_examples=60)
def test_any_text_gets_the_same_bits(batch: list[bytes]) -> None:
    for model in (small_model(), whole_word_model()):
        first, *others = of_each(partial(answers, model, batch, 2))
        assert all(other == first for other in others)
