"""Close relatives are told apart by what lines teach that the estimates never saw."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from support.training import SENTENCES

import unilid
from unilid.corpus.counts import HELD, Counter
from unilid.corpus.formats import Batch
from unilid.corpus.holding import LESSONS, Line, folds_of
from unilid.model import Model
from unilid.training import relatives
from unilid.training.tune import is_better

COMMON = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "a",
    "is",
    "that",
    "it",
    "was",
    "for",
    "on",
    "are",
    "with",
    "as",
    "his",
    "they",
    "be",
    "at",
    "one",
    "have",
    "this",
    "from",
    "or",
    "had",
    "by",
]
OWN = {"aaa": ("colour", "whilst"), "bbb": ("color", "while")}


REGISTERS = COMMON[::2], COMMON[1::2]


def dialects(lines: int, seed: int = 0) -> dict[str, list[str]]:
    """Two dialects that differ in one word of a line.

    All other words are of one of two registers, each of which one of the dialects prefers. So every one of these words
    speaks for that dialect, and all of them together drown the word that tells.
    """
    random = Random(seed)

    def line(own: tuple[str, str], preferred: int) -> str:
        register = REGISTERS[preferred if random.random() < 0.7 else 1 - preferred]
        return " ".join([random.choice(own), *random.choices(register, k=random.randint(8, 14))])

    return {label: [line(own, place) for _ in range(lines)] for place, (label, own) in enumerate(OWN.items())}


def right(model: Model, corpus: dict[str, list[str]]) -> float:
    answers = [
        (label, answer.label) for label, lines in corpus.items() for answer in model.identify(lines, abstain=False)
    ]
    return sum(label == answer for label, answer in answers) / len(answers)


def test_relatives_are_told_apart_by_the_few_words_that_differ() -> None:
    corpus, test = dialects(60), dialects(200, seed=1)
    told = unilid.train(corpus, context="characters", order=3, lexicon=None)
    plain = unilid.train(corpus, context="characters", order=3, lexicon=None, relatives=None)
    assert told.info["relatives"]
    assert not plain.info["relatives"]
    assert right(told, test) > right(plain, test) + 0.02
    assert told.to_bytes() != plain.to_bytes()


def test_a_language_that_nothing_is_like_keeps_its_costs() -> None:
    corpus: dict[str, list[str]] = {
        **dialects(60),
        "ell_Grek": ["καλημέρα σας κύριε", "πού είναι ο σταθμός", "ναι"] * 20,
    }
    models = [unilid.train(corpus, context="characters", order=3, relatives=r, lexicon=None) for r in ("auto", None)]
    row = models[0].row_of("ell_Grek")
    told, plain = (model.subset(["ell_Grek"]).parameters.context for model in models)
    assert told is not None
    assert plain is not None
    assert models[0].info["relatives"]
    assert row == models[1].row_of("ell_Grek")
    assert all((told.pack()[name] == plain.pack()[name]).all() for name in plain.pack())


def test_what_held_out_lines_speak_against_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relatives, "is_better", lambda *_: True)
    corpus = dialects(60)
    told = unilid.train(corpus, context="characters", order=3)
    plain = unilid.train(corpus, context="characters", order=3, relatives=None)
    assert not told.info["relatives"]
    assert told.to_bytes() == plain.to_bytes()


def test_better_is_what_chance_does_not_explain() -> None:
    all_right = np.ones(1000)
    nearly, most = ((np.arange(1000) >= wrong).astype(np.float64) for wrong in (3, 30))
    assert not is_better(all_right, all_right)
    assert not is_better(all_right, nearly)
    assert is_better(all_right, most)
    assert not is_better(most, all_right)


def test_subsets_keep_what_was_learned_between_the_others() -> None:
    corpus: dict[str, list[str]] = {**dialects(60), "deu_Latn": SENTENCES["deu_Latn"] * 6}
    model = unilid.train(corpus, context="characters", order=3, bound=None)
    texts = [line for lines in corpus.values() for line in lines]
    rows = [model.row_of("aaa"), model.row_of("bbb")]
    assert (model.remove_languages(["deu_Latn"]).scores(texts) == model.scores(texts)[:, rows]).all()


def test_a_new_language_changes_no_answer_between_the_others() -> None:
    model = unilid.train(dialects(60), context="characters", order=3, bound=None)
    texts = [line for lines in dialects(20, seed=2).values() for line in lines]
    added = model.add_language("deu_Latn", SENTENCES["deu_Latn"])
    assert (added.scores(texts)[:, :2] == model.scores(texts)).all()


def test_a_language_that_was_added_is_told_from_its_relative_and_no_other_row_changes() -> None:
    corpus = dialects(120)
    before = unilid.train(
        {"aaa": corpus["aaa"], "deu_Latn": SENTENCES["deu_Latn"] * 6}, context="characters", order=3, bound=None
    ).add_language("bbb", corpus["bbb"][:60])
    fresh = {"aaa": dialects(60, seed=3)["aaa"], "bbb": corpus["bbb"][60:]}
    after = unilid.tell_apart(before, fresh)
    test = dialects(200, seed=4)
    assert right(after, test) >= right(before, test)
    texts = [line for lines in test.values() for line in lines]
    german = before.row_of("deu_Latn")
    assert (after.scores(texts)[:, german] == before.scores(texts)[:, german]).all()
    assert (after.scores(texts) != before.scores(texts)).any()
    only = unilid.tell_apart(before, {"bbb": fresh["bbb"]})
    others = [before.row_of("aaa"), german]
    assert (only.scores(texts)[:, others] == before.scores(texts)[:, others]).all()


def test_lines_that_teach_nothing_change_nothing() -> None:
    model = unilid.train(SENTENCES, context="characters", order=3)
    assert unilid.tell_apart(model, {"deu_Latn": ["", "12 + 30"]}).to_bytes() == model.to_bytes()


def test_a_model_without_contexts_cannot_be_corrected() -> None:
    model = unilid.train(SENTENCES, context=None)
    with pytest.raises(unilid.UnilidError, match="has no context model"):
        unilid.tell_apart(model, {"deu_Latn": ["Guten Tag"]})
    with pytest.raises(unilid.UnilidError, match="xyz"):
        unilid.tell_apart(unilid.train(SENTENCES, context="characters"), {"xyz": ["Guten Tag"]})


def test_folds_have_every_candidate_once_and_lines_of_a_key_together() -> None:
    candidates = [Line(number // 3, b"%02d" % number, 1) for number in range(90)]
    folds = folds_of(candidates, 90)
    assert len(folds) == 1 + LESSONS
    assert sorted(line for fold in folds for line in fold) == candidates
    assert all(len(fold) > 0 for fold in folds)
    keys = [{line.key for line in fold} for fold in folds]
    assert sum(map(len, keys)) == len(set.union(*keys))


def test_without_lines_to_hold_out_there_are_no_lessons() -> None:
    assert folds_of([Line(1, b"a", 1)] * 3, 3) == [[] for _ in range(1 + LESSONS)]


def test_a_part_has_the_words_of_all_other_folds() -> None:
    counter = Counter(hold_out=True)
    lines = [b"word%d and" % number for number in range(50)]
    counter.add(Batch(["aaa"] * 50, lines))
    corpus = counter.corpus()
    for fold in range(HELD, 1 + LESSONS):
        own = {text.split()[0] for text in corpus.fold(fold).texts}
        words = dict(corpus.part(fold)[0].pairs())
        assert own
        assert not own & {word.strip() for word in words}
        assert words[b" and"] == 50 - len(own)


def test_relatives_of_no_kind_are_refused() -> None:
    with pytest.raises(unilid.UnilidError, match="relatives must be 'auto' or None"):
        unilid.train(SENTENCES, relatives="all")  # type: ignore[arg-type]
