"""From labelled text to a model: smoothing against the reference, vocabulary, context, bound and progress."""

from __future__ import annotations

import json
import lzma
import math
from collections import Counter as Tally
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.training import ALL, ROWS, SENTENCES, TSV, VOCABULARY, Recorder, bare, costs_of

import unilid
from unilid import UnilidError, Vocabulary, plain
from unilid.corpus.holding import LESSONS
from unilid.models.costs import STEP
from unilid.models.unigram import ADDED, MIN_COUNT
from unilid.training import plan as training

# ---- unseen tokens, against the reference


def reference_counts(texts: list[str], vocabulary: Vocabulary) -> dict[int, float]:
    words = Tally(word.text for text in texts for word in plain.split_words(text.encode()))
    counts, _ = plain.expectation(words, {token: number for number, token in enumerate(vocabulary.tokens)})
    return counts


def assert_quantised(cost: int, log_p: float) -> None:
    assert abs(cost + log_p / STEP) <= 0.5 + 1e-4


def test_additive_smoothing_is_the_papers_base() -> None:
    corpus = {"deu": SENTENCES["deu_Latn"], "eng": SENTENCES["eng_Latn"][:2]}
    model = unilid.train(corpus, context=None, fragments=None, tune=False, vocabulary=VOCABULARY, unseen="additive")
    for row, texts in enumerate(corpus.values()):
        counts = reference_counts(texts, VOCABULARY)
        mass = sum(counts.values()) + ADDED * len(VOCABULARY)
        for token, cost in enumerate(costs_of(model, row)):
            assert_quantised(cost, math.log((counts.get(token, 0.0) + ADDED) / mass))
    assert model.parameters.unigram.unseen[0] > model.parameters.unigram.unseen[1]  # falls with the size of the corpus


def test_shared_smoothing_keeps_seen_tokens_and_gives_all_others_one_constant() -> None:
    corpus = {"deu": SENTENCES["deu_Latn"], "eng": SENTENCES["eng_Latn"][:2]}
    model = unilid.train(corpus, context=None, fragments=None, tune=False, vocabulary=VOCABULARY, unseen="shared")
    constant = model.settings.unseen_log_p
    for row, texts in enumerate(corpus.values()):
        counts = reference_counts(texts, VOCABULARY)
        total = sum(counts.values())
        costs = costs_of(model, row)
        for token, cost in enumerate(costs):
            seen = counts.get(token, 0.0) >= MIN_COUNT
            # Nothing costs more than an unseen token.
            assert_quantised(cost, max(math.log(counts[token] / total), constant) if seen else constant)
        assert len(set(costs)) > 5
        assert sum(cost == model.parameters.unigram.unseen[row] for cost in costs) > 200


def test_expected_tokens_are_the_references() -> None:
    model = unilid.train(SENTENCES, context=None, fragments=None, tune=False, vocabulary=VOCABULARY)
    expected = [sum(reference_counts(SENTENCES[label], VOCABULARY).values()) for label in model.languages]
    assert model.parameters.tokens.tolist() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("count", [1e9, 1e13, 2e13, 1e15])
def test_enormous_counts_do_not_destroy_a_language(count: float) -> None:
    items = [("x", "1", count), ("x", "abcdefghijklmnopqrstuvw", 1.0), ("y", "foo bar", 3.0)]
    model = unilid.train(items, vocabulary=256, context=None, tune=False)
    assert model.parameters.tokens[0] == pytest.approx(2 * count + 24, rel=1e-6)
    assert model.identify("1 1 1", abstain=False).label == "x"


# ---- vocabulary


def test_a_number_of_tokens_is_learned() -> None:
    for size in (300, 400):
        model = unilid.train(SENTENCES, vocabulary=size)
        assert len(model.vocabulary) == size
        assert model.info["vocabulary"] == "learned"


def test_the_smallest_vocabulary_is_the_256_bytes() -> None:
    assert len(unilid.train(SENTENCES, vocabulary=256).vocabulary) == 256


def test_a_tokenizer_file_gives_its_tokens(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    pieces = [["<unk>", 0.0], ["▁the", -1.0], ["▁gut", -2.0], ["en", -3.0], ["ü", -4.0]]
    path.write_text(json.dumps({"model": {"type": "Unigram", "unk_id": 0, "vocab": pieces}}), encoding="utf-8")
    tokens = Vocabulary.of([b" the", b" gut", b"en", "ü".encode()])
    for given in (path, str(path)):
        model = unilid.train(SENTENCES, vocabulary=given)
        assert model.vocabulary.tokens == tokens.tokens
        assert model.info["vocabulary"] == path.name
        assert bare(model) == bare(unilid.train(SENTENCES, vocabulary=tokens))


def test_a_vocabulary_is_taken_as_it_is() -> None:
    assert unilid.train(SENTENCES, vocabulary=VOCABULARY).vocabulary.tokens == VOCABULARY.tokens


def test_a_given_vocabulary_is_not_said_to_be_learned() -> None:
    assert unilid.train(SENTENCES, vocabulary=VOCABULARY).info["vocabulary"] != "learned"


# ---- context, order, bound


def test_without_context_bound_and_fragments_the_model_is_the_papers() -> None:
    model = unilid.train(SENTENCES, context=None, bound=None, fragments=None, unseen="additive")
    assert model.parameters.context is None
    assert (model.settings.order, model.settings.unigram_weight, model.settings.bound) == (None, 1.0, None)
    assert (model.settings.fragments, model.settings.unseen) == (0, "additive")
    assert model.identify("Wo ist der Garten?").label == "deu_Latn"


@pytest.mark.parametrize("tune", [False, True])
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_the_context_model_has_the_order_asked_for(order: int, tune: bool) -> None:
    model = unilid.train(SENTENCES, context="characters", order=order, tune=tune)
    assert model.parameters.context is not None
    assert len(model.parameters.context.levels) == model.settings.order == order
    assert model.identify("Wo ist der Garten?").label == "deu_Latn"


def test_much_text_has_a_longer_context() -> None:
    (_, short), (least, long) = training.ORDER_BY_WORDS
    pair = {label: [(f"w{label}", least)] for label in "ab"}  # just enough words, on average

    def order_of(counts: dict[str, int]) -> int | None:
        words = [(label, word, counts[label]) for label, [(word, _)] in pair.items()]
        model = unilid.train(words, context="characters")
        assert model.parameters.context is not None
        assert len(model.parameters.context.levels) == model.settings.order
        return model.settings.order

    assert order_of({"a": 2 * least - 1, "b": 1}) == long
    assert order_of({"a": 2 * least - 2, "b": 1}) == short
    assert unilid.train([("a", "w", least)], order=3, context="characters").settings.order == 3


def test_beyond_the_bound_a_word_counts_a_quarter() -> None:
    def spread(bound: float | None, context: Any) -> float:
        model = unilid.train(SENTENCES, context=context, bound=bound, tune=False)
        assert model.settings.bound == bound
        return float(np.ptp(model.scores(["Straßenbahnhaltestelle"])))

    for context in (None, "characters"):
        whole = spread(None, context)
        assert whole > 3.0
        for bound in (3.0, 1.5):
            assert spread(bound, context) == bound + STEP * math.floor((whole - bound) / STEP / 4)


@pytest.mark.parametrize("context", [None, "characters"])
def test_the_automatic_bound_is_the_same_with_and_without_context(context: Any) -> None:
    assert unilid.train(SENTENCES, bound="auto", context=context, tune=False).settings.bound == training.BOUND
    assert unilid.train(SENTENCES, context=None).settings.bound == training.BOUND
    assert unilid.train(SENTENCES, bound=None, context=context).settings.bound is None


@pytest.mark.parametrize(("labels", "is_pruned"), [(16, False), (17, True)])
def test_few_labels_keep_all_their_ngrams(labels: int, is_pruned: bool) -> None:
    corpus = {f"l{number:02}": [f"a line of text {number} " * 3] * 2 for number in range(labels)}
    model = unilid.train(corpus, context="characters", tune=False)
    assert (model.settings.prune > 0) == is_pruned
    assert unilid.train(corpus, context="characters", tune=False, prune=0.5).settings.prune == 0.5


def test_pruning_drops_entries_of_the_context_model() -> None:
    def entries(prune: float) -> int:
        model = unilid.train(SENTENCES, context="characters", tune=False, prune=prune)
        assert model.parameters.context is not None
        assert model.settings.prune == prune
        return sum(len(level.costs) for level in model.parameters.context.levels)

    assert entries(0.0) > entries(0.01) > entries(0.1)


def test_a_tiny_bound_is_not_taken_for_none() -> None:
    models = [unilid.train(SENTENCES, bound=bound, tune=False) for bound in (STEP, None)]
    bounded, free = (float(np.ptp(model.scores(["Straßenbahnhaltestelle"]))) for model in models)
    assert bounded < free / 3
    with pytest.raises(UnilidError, match="bound"):
        unilid.train(SENTENCES, bound=STEP / 2)


def test_fragments_are_learned_unless_they_are_not_wanted() -> None:
    default, none = unilid.train(SENTENCES, tune=False), unilid.train(SENTENCES, tune=False, fragments=None)
    assert (default.settings.fragments, none.settings.fragments) == (training.FRAGMENTS, 0)
    assert default.parameters.tokens.sum() > none.parameters.tokens.sum()
    # What noise leaves of a word: the end of "morning", of which no other word has a part.
    row = default.row_of("eng_Latn")
    assert default.scores(["orning"])[0, row] > none.scores(["orning"])[0, row] - 8
    assert default.add_language("x", ["orning"]).settings.fragments == training.FRAGMENTS


def test_other_spellings_are_learned_unless_they_are_not_wanted() -> None:
    corpus = {
        "arb": ["كَتَبَ الْوَلَدُ كِتَابًا", "ذَهَبَ إِلَى الْمَدْرَسَةِ"],
        "heb": ["הַיֶּלֶד הָלַךְ", "לְבֵית הַסֵּפֶר"],
        "pes": ["کتاب را خواند", "به مدرسه رفت"],
    }
    default, none = (unilid.train(corpus, tune=False, spellings=share) for share in (training.SPELLINGS, None))
    assert (default.settings.spellings, none.settings.spellings) == (training.SPELLINGS, 0)
    for text, label in (("كتب الولد كتابا", "arb"), ("הילד הלך", "heb"), ("كتاب را خواند", "pes")):  # a kaf of Arabic
        row = default.row_of(label)
        assert default.scores([text])[0, row] > none.scores([text])[0, row]
    rest = {label: corpus[label] for label in ("heb", "pes")}
    added = unilid.train(rest, tune=False, vocabulary=default.vocabulary).add_language("arb", corpus["arb"])
    assert added.scores(["كتب"])[0, added.row_of("arb")] == default.scores(["كتب"])[0, default.row_of("arb")]


# ---- progress and threads


def test_progress_is_told_every_stage_and_every_byte(corpus_file: Path, tmp_path: Path) -> None:
    archive = tmp_path / "train.tsv.xz"
    archive.write_bytes(lzma.compress(TSV))
    for path in (corpus_file, archive):
        progress = Recorder()
        unilid.train(path, context="characters", cap=8, progress=progress)
        assert progress.stages[:4] == ["counting lines", "counting words", "learning the vocabulary", "estimating"]
        assert progress.stages[-2:] == ["telling relatives apart", "fitting probabilities"]
        assert "choosing constants" in progress.stages
        assert progress.totals[:2] == progress.amounts[:2] == [path.stat().st_size] * 2
        estimating = [at for at, name in enumerate(progress.stages) if name == "estimating"]
        totals = [progress.totals[at] for at in estimating]
        assert totals == [progress.amounts[at] for at in estimating] == [3] * (2 + LESSONS)


def test_no_one_knows_the_size_of_an_iterable() -> None:
    progress = Recorder()
    unilid.train(iter(ROWS), tune=False, context=None, progress=progress)
    assert progress.stages == ["counting words", "learning the vocabulary", "estimating"]
    assert progress.totals[0] is None


@pytest.mark.parametrize("options", [{}, {"tune": False}, {"context": None, "unseen": "additive"}])
def test_the_model_does_not_depend_on_the_number_of_threads(options: dict[str, Any]) -> None:
    one = unilid.train(ALL, threads=1, **options)
    assert unilid.train(ALL, threads=2, **options).to_bytes() == one.to_bytes()
