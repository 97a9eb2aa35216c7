"""Languages come and go, and no other one changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.corpora import CORPUS
from support.models import small_model, train, vocabulary
from support.texts import TEXTS
from support.variants import answers, fresh, unbounded

import unilid
from unilid.corpus.counts import Counter
from unilid.corpus.formats import Batch
from unilid.errors import CorpusError
from unilid.model import Model
from unilid.models.context import ContextTable
from unilid.models.unigram import UnigramTable


def unigram_row(table: UnigramTable, row: int) -> tuple[list[int], list[int], int]:
    mine = table.languages == row
    return table.tokens[mine].tolist(), table.costs[mine].tolist(), int(table.unseen[row])


def context_row(table: ContextTable, row: int) -> tuple[dict[tuple[int, ...], tuple[int, ...]], int]:
    """The n-grams of a language by their code points, with cost and back-off."""
    entries: dict[tuple[int, ...], tuple[int, ...]] = {}
    before: list[tuple[int, ...]] = [()]
    for k, level in enumerate(table.levels):
        grams = [
            (*before[parent if k else 0], int(table.code_points[character]))
            for parent, character in zip(level.parents.tolist(), level.characters.tolist(), strict=True)
        ]
        for node, gram in enumerate(grams):
            for entry in range(int(level.first_entry[node]), int(level.first_entry[node + 1])):
                if level.languages[entry] == row:
                    backoff = (int(level.backoffs[entry]),) if level.backoffs is not None else ()
                    entries[gram] = (int(level.costs[entry]), *backoff)
        before = grams
    return entries, int(table.root_backoff[row])


def rows_of(model: Model, label: str) -> tuple[Any, ...]:
    row, parameters = model.row_of(label), model.parameters
    contexts = None if parameters.context is None else context_row(parameters.context, row)
    return unigram_row(parameters.unigram, row), contexts, int(parameters.lines[row]), float(parameters.tokens[row])


@pytest.mark.parametrize("unseen", ["shared", "additive"])
@pytest.mark.parametrize("context", ["characters", None])
def test_adding_a_language_leaves_every_other_row_as_it_was(unseen: str, context: str | None) -> None:
    model = unbounded(train(["dan", "eng", "jpn"], unseen=unseen, context=context))
    grown = model.add_language("nob", CORPUS["nob"]).add_languages({"ell": CORPUS["ell"], "tok": ["mi moku"]})
    assert grown.languages == ("dan", "eng", "jpn", "nob", "ell", "tok")
    for label in model.languages:
        assert rows_of(grown, label) == rows_of(model, label)
    assert rows_of(grown, "dan")[0][0]
    assert context is None or rows_of(grown, "dan")[1][0]
    assert (grown.scores(TEXTS)[:, :3] == model.scores(TEXTS)).all()
    assert [p.label for p in grown.identify([CORPUS["nob"][3], CORPUS["ell"][1], "mi moku"])] == ["nob", "ell", "tok"]


def test_adding_returns_a_new_model_and_leaves_the_old_one() -> None:
    model = fresh(small_model())
    before = model.to_bytes()
    model.add_language("tok", ["mi lukin e waso lili"])
    model.remove_languages(["eng"])
    assert model.to_bytes() == before
    assert model.languages == tuple(CORPUS)


@pytest.mark.parametrize("context", ["characters", None])
def test_a_language_added_later_is_the_one_trained_from_the_start(context: str | None) -> None:
    # The constant of an unseen token is chosen from the whole corpus, so it is the paper's own that can be compared.
    options = {"vocabulary": vocabulary(), "unseen": "additive", "bound": None, "context": context}
    whole = train(["dan", "ell", "eng", "jpn", "nob"], **options)
    grown = train(["dan", "ell"], **options).add_language("eng", CORPUS["eng"])
    grown = grown.add_languages({"nob": CORPUS["nob"], "jpn": CORPUS["jpn"]})
    assert grown.to_bytes() == whole.to_bytes()
    assert answers(grown, TEXTS) == answers(whole, TEXTS)


def test_a_language_learned_anew_is_the_same_to_the_last_bit() -> None:
    model = small_model()
    assert model.remove_languages(["nob"]).add_language("nob", CORPUS["nob"]).to_bytes() == model.to_bytes()
    moved = model.remove_languages(["eng"]).add_language("eng", iter(CORPUS["eng"]), threads=3)
    assert moved.languages == ("dan", "ell", "jpn", "nob", "eng")
    for label in CORPUS:
        assert rows_of(moved, label) == rows_of(model, label)


def test_removing_undoes_adding() -> None:
    for model in (small_model(), train(["dan", "jpn"], context=None)):
        grown = model.add_language("tok", ["mi lukin e waso lili", "ζ ж 한 ona li moku"])
        assert grown.to_bytes() != model.to_bytes()
        assert grown.remove_languages(["tok"]).to_bytes() == model.to_bytes()


def test_a_subset_has_the_rows_in_the_order_given() -> None:
    model = unbounded(small_model())
    part = model.subset(iter(["nob", "dan", "jpn", "nob"]))
    assert part.languages == ("nob", "dan", "jpn")
    for label in part.languages:
        assert rows_of(part, label) == rows_of(model, label)
    assert (part.scores(TEXTS) == model.scores(TEXTS)[:, [4, 0, 3]]).all()
    assert part.subset(["dan", "jpn", "nob"]).to_bytes() == model.subset(["dan", "jpn", "nob"]).to_bytes()
    assert model.subset(model.languages).to_bytes() == model.to_bytes()


def test_a_subset_drops_the_n_grams_that_only_others_saw() -> None:
    part = small_model().subset(["eng"])
    contexts = part.parameters.context
    assert contexts is not None
    assert all((np.diff(level.first_entry) == 1).all() for level in contexts.levels)
    assert not any(0x3040 < code_point < 0x10000 for code_point in contexts.code_points.tolist())
    assert Model.from_bytes(part.to_bytes()).identify("snow").label == "eng"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.add_language("eng", ["snow"]), "eng already"),
        (lambda m: m.add_languages({"tok": ["mi"], "eng": ["snow"]}), "eng already"),
        (lambda m: m.add_language("tok", []), "tok: no lines"),
        (lambda m: m.add_language("tok", ["", " \n", b"\t"]), "tok: "),
        (lambda m: m.add_languages({"tok": ["mi"], "leer": [""]}), "leer: "),
        (lambda m: m.subset([]), "at least one language"),
        (lambda m: m.remove_languages(m.languages), "at least one language"),
    ],
)
def test_impossible_changes_are_errors_that_say_why(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(unilid.UnilidError, match=message):
        call(small_model())


@pytest.mark.parametrize("label", ["", "a b", "a\tb", "line\nbreak", "zxx", "und", "\ud800", 5, None])
def test_what_cannot_be_a_label_is_refused(label: object) -> None:
    with pytest.raises(unilid.UnilidError, match="cannot be a label"):
        small_model().add_language(label, ["some text"])  # type: ignore[arg-type]


def test_more_labels_than_a_model_has_room_for_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_model()
    counter = Counter()
    counter.add(Batch(["tok", "vol"], [b"mi lukin e waso", b"labob dogi"]))
    counted = counter.corpus()
    monkeypatch.setattr("unilid.languages.labels.MAX_LANGUAGES", 7)
    grown = model.parameters.append(counted.labels, counted.words, counted.lines, threads=1)
    assert grown.languages == (*model.languages, "tok", "vol")
    monkeypatch.setattr("unilid.languages.labels.MAX_LANGUAGES", 6)
    with pytest.raises(CorpusError, match="7 labels; a model has room for 6"):
        model.parameters.append(counted.labels, counted.words, counted.lines, threads=1)
    with pytest.raises(CorpusError, match="7 labels; a model has room for 6"):
        model.add_languages({"tok": ["mi lukin e waso"], "vol": ["labob dogi"]})
    assert model.add_language("tok", ["mi lukin e waso"]).languages == (*model.languages, "tok")
