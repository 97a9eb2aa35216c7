"""Answers, languages that come and go, and what threads, processes and copies may not change."""

from __future__ import annotations

import copy
import dataclasses
import gc
import math
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers import CORPUS, SENTENCES, counted, small_model, train, vocabulary
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import unilid
from unilid import UnilidError, plain
from unilid.answers import REASONS, Prediction
from unilid.background import ahead
from unilid.context import ContextTable
from unilid.costs import STEP
from unilid.model import Model, Segment
from unilid.settings import WHOLE, Settings
from unilid.unigram import UnigramTable

# Many scripts, mixed texts, long words, nothing at all, bytes that are not UTF-8.
TEXTS: list[str | bytes | None] = [
    *SENTENCES,
    "The bus og taget δίχτυα 雪",
    "x" * 700,
    "1234 !? 5",
    "",
    None,
    b"\xff\xfe\x00 net",
    "Hvorfor kommer snø og sne når regnet har holdt op " * 40,
]

any_text = st.one_of(
    st.none(),
    st.text(max_size=60),
    st.text("aeø δ雪.1 \ud800\0\u200d", max_size=40),
    st.binary(max_size=60),
)


def unbounded(model: Model) -> Model:
    return dataclasses.replace(model, settings=dataclasses.replace(model.settings, bound=None))


def unigram_only(model: Model) -> Model:
    plain_settings = dataclasses.replace(model.settings, order=None, unigram_weight=WHOLE, bound=None)
    return dataclasses.replace(model, settings=plain_settings)


def fresh(model: Model) -> Model:
    """The same model with an empty cache."""
    return Model.from_bytes(model.to_bytes())


def answers(model: Model, texts: list[str | bytes | None], **options: Any) -> list[list[Prediction]]:
    return model.identify(texts, k=len(model.languages), **options)


# ---- the form of an answer


@pytest.mark.parametrize("name", [None, "compact"])
def test_the_models_in_the_package_recognise_large_languages(name: str | None) -> None:
    model = unilid.load(name)
    assert len(model.languages) > 1300
    expected = {
        "deu_Latn": "Heute Abend kochen wir eine Suppe und gehen früh schlafen.",
        "fra_Latn": "Ce soir nous préparons une soupe avant de dormir.",
        "eng_Latn": "Tonight we are going to cook some soup and sleep early.",
        "rus_Cyrl": "Сегодня вечером мы сварим суп и рано ляжем спать.",
        "kor_Hang": "오늘 저녁에 우리는 국을 끓이고 일찍 잘 거예요.",
    }
    assert [p.label for p in model.identify(expected.values())] == list(expected)


def test_one_text_gives_one_prediction_and_many_give_one_each_in_their_order() -> None:
    model = small_model()
    one = model.identify(CORPUS["eng"][0])
    assert isinstance(one, Prediction)
    assert one.label == "eng"
    texts = [sentence for label in ("jpn", "dan", "ell") for sentence in CORPUS[label]]
    assert [p.label for p in model.identify(texts)] == ["jpn"] * 6 + ["dan"] * 6 + ["ell"] * 6
    assert [model.identify(text) for text in texts] == model.identify(texts)
    assert model.identify(iter(texts)) == model.identify(tuple(texts)) == model.identify(texts)
    assert model.identify([]) == []


def test_str_and_its_utf8_bytes_give_the_same_answer() -> None:
    model = small_model()
    assert model.identify(SENTENCES) == model.identify([sentence.encode() for sentence in SENTENCES])


def test_k_best_of_one_text_is_a_list_and_of_many_a_list_of_lists() -> None:
    model = small_model()
    ranked = model.identify("Hvorfor kommer bussen", k=2)
    assert {p.label for p in ranked} == {"dan", "nob"}
    assert model.identify(["Hvorfor kommer bussen", "雪", ""], k=2)[0] == ranked
    assert [len(r) for r in model.identify(["Hvorfor", "雪", ""], k=2)] == [2, 2, 1]
    assert model.identify("Hvorfor", k=1) == [model.identify("Hvorfor")]


def test_more_than_all_languages_are_all_languages() -> None:
    model = small_model()
    ranked = model.identify("snow", k=1000)
    assert sorted(p.label for p in ranked) == sorted(model.languages)
    assert math.fsum(p.probability for p in ranked) == pytest.approx(1)


def test_order_is_kept_over_more_texts_than_one_kernel_call_takes() -> None:
    model = small_model()
    labels = [list(CORPUS)[i * i % 5] for i in range(40_000)]
    found = model.identify([CORPUS[label][1] for label in labels], threads=2)
    assert [p.label for p in found] == labels
    rows = model.best_rows([CORPUS[label][1] for label in labels], threads=2)
    assert [model.languages[row] for row in rows] == labels


def test_scores_are_what_identify_ranks_by() -> None:
    model = small_model()
    texts = [text for text in TEXTS if text]
    scores = model.scores(texts)
    for row, ranked in zip(scores, answers(model, texts, abstain=False), strict=True):
        assert {p.label: p.score for p in ranked} == dict(zip(model.languages, row.tolist(), strict=True))
    assert model.best_rows(texts).tolist() == scores.argmax(axis=1).tolist()


def test_results_cannot_be_changed() -> None:
    model = small_model()
    with pytest.raises(AttributeError):
        model.identify("snow").label = "deu"  # type: ignore[misc]
    for result in (model.segment("snow", "eng")[0], model.settings):
        field = dataclasses.fields(result)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.languages = ()  # type: ignore[misc]


# ---- any content


@pytest.mark.parametrize(
    "text", [None, "", b"", " ", b"\t \r\n", "\u3000\u2003\u2028\x85\xa0", math.nan, np.float64("nan")], ids=repr
)
def test_a_text_without_words_is_zxx(text: Any) -> None:
    nothing = Prediction("zxx", 1.0, 0.0, "empty")
    model = small_model()
    assert model.identify([text]) == [nothing]
    assert model.identify([text, "snow"], k=3)[0] == [nothing]
    assert model.identify(text) == nothing
    assert model.identify(text, k=3) == [nothing]


@pytest.mark.parametrize(
    "text",
    [
        "\0",
        "a\0b \0\0",
        b"\0net\0",
        "\ud800",
        "snow \udfff\ud800 on",
        b"\xff\xfe\xfd",
        b"\xc3",
        b"\xed\xa0\x80 \xf5\x80\x80\x80 \xc0\x80",
        "\ufeff",
        "\u0301\u0301",
        "\U0010ffff",
        "\u202e snow \u200d\u200c",
    ],
    ids=ascii,
)
def test_strange_content_gets_an_answer(text: str | bytes) -> None:
    model = small_model()
    assert model.identify(text, abstain=False).label in model.languages
    abstaining = model.identify(text)
    assert abstaining.label in model.languages or abstaining.reason in REASONS.values()
    assert [s.token for s in model.segment(text, "eng")]


@pytest.mark.parametrize("unit", ["a", "snø", "雪と", "\u0301", b"\xff", "1", "?!"], ids=ascii)
def test_five_megabytes_without_a_space_get_an_answer(unit: str | bytes) -> None:
    size = len(unit.encode() if isinstance(unit, str) else unit)
    prediction = small_model().identify(unit * (5_000_000 // size), abstain=False)
    assert prediction.label in CORPUS
    assert -1e9 < prediction.score < -1e5
    assert prediction.probability == pytest.approx(1)


@given(st.lists(any_text, max_size=6), st.integers(1, 7))
@settings(deadline=None)
def test_any_texts_are_ranked_best_first_with_probabilities(texts: list[str | bytes | None], k: int) -> None:
    model = small_model()
    ranked = model.identify(texts, k=k, abstain=False)
    assert len(ranked) == len(texts)
    letters = model.scorer().costs(texts, 1)[2]
    for predictions, count in zip(ranked, letters.tolist(), strict=True):
        if predictions[0].label == "zxx":
            assert predictions == [Prediction("zxx", 1.0, 0.0, "empty")]
            continue
        assert len(predictions) == min(k, len(CORPUS))
        assert [p.score for p in predictions] == sorted((p.score for p in predictions), reverse=True)
        assert len({p.label for p in predictions}) == len(predictions)
        assert 0 < math.fsum(p.probability for p in predictions) <= 1 + 1e-6  # single precision
        exponent = float(model.decisions.temperature.at(count))
        ratio = [exponent * p.score - math.log(p.probability) for p in predictions if p.probability > 1e-300]
        assert ratio == pytest.approx([ratio[0]] * len(ratio))


@given(st.text(max_size=40), st.text(max_size=40))
@settings(deadline=None)
def test_scores_of_texts_add_up_when_a_space_joins_them(one: str, other: str) -> None:
    joined = f"{one} {other}"
    spoken = [any(w.kind == plain.LETTER and not w.noise for w in plain.words(t.encode())) for t in (one, other)]
    assume(spoken[0] == spoken[1])  # an address counts where there is nothing else
    for model in (small_model(), unigram_only(small_model())):
        apart = model.scores([one, other])
        assert (model.scores([joined])[0] == apart[0] + apart[1]).all()


@pytest.mark.parametrize(
    ("method", "arguments", "options"),
    [
        ("identify", [3], {}),
        ("identify", [1.5], {}),
        ("identify", [object], {}),
        ("identify", [bytearray(b"snow")], {}),
        ("identify", [[3]], {}),
        ("identify", [[1.5]], {}),
        ("identify", [["snow", ["roof"]]], {}),
        ("identify", ["snow"], {"k": 0}),
        ("identify", ["snow"], {"k": -1}),
        ("identify", ["snow"], {"k": "3"}),
        ("identify", ["snow"], {"k": 1.5}),
        ("identify", ["snow"], {"threads": -1}),
        ("identify", ["snow"], {"threads": "2"}),
        ("identify", ["snow"], {"languages": "eng"}),
        ("identify", ["snow"], {"languages": b"eng"}),
        ("identify", ["snow"], {"languages": [5]}),
        ("identify", ["snow"], {"languages": [None]}),
        ("identify", ["snow"], {"languages": 5}),
        ("identify", ["snow"], {"languages": []}),
        ("identify", ["snow"], {"prior": 5}),
        ("identify", ["snow"], {"prior": {"eng": "much"}}),
        ("identify", ["snow"], {"prior": {"eng": None}}),
        ("identify", ["snow"], {"prior": {5: 0.5}}),
        ("scores", ["snow"], {}),
        ("scores", [b"snow"], {}),
        ("scores", [None], {}),
        ("scores", [3], {}),
        ("scores", [[3]], {}),
        ("segment", [3, "eng"], {}),
        ("segment", [None, "eng"], {}),
        ("segment", ["snow", 3], {}),
        ("subset", ["eng"], {}),
        ("remove_languages", ["eng"], {}),
        ("add_language", ["tok", [None]], {}),
        ("add_language", ["tok", [5]], {}),
        ("add_language", ["tok", 5], {}),
        ("add_language", ["tok", "mi lukin"], {}),
        ("add_language", [5, ["mi lukin"]], {}),
        ("add_language", [None, ["mi lukin"]], {}),
        ("add_languages", [{"tok": "mi lukin"}], {}),
        ("add_languages", [{}], {}),
    ],
    ids=repr,
)
def test_wrong_arguments_are_an_error_of_unilid(method: str, arguments: list[Any], options: dict[str, Any]) -> None:
    with pytest.raises(unilid.UnilidError):
        getattr(small_model(), method)(*arguments, **options)


# ---- languages and prior


def test_restricting_to_languages_gives_exactly_the_scores_of_the_full_model() -> None:
    model = small_model()
    texts = [text for text in TEXTS if text]
    full = [{p.label: p.score for p in ranked} for ranked in answers(model, texts, abstain=False)]
    for chosen in (["nob"], ["ell", "dan"], ["jpn", "eng", "nob"], list(CORPUS), ["eng", "eng"]):
        for whole, ranked in zip(full, answers(model, texts, languages=iter(chosen), abstain=False), strict=True):
            assert {p.label: p.score for p in ranked} == {label: whole[label] for label in chosen}
            assert math.fsum(p.probability for p in ranked) == pytest.approx(1)


def test_an_unknown_language_is_named_and_near_ones_are_suggested() -> None:
    model = unilid.load()
    calls: list[Callable[[str], Any]] = [
        lambda label: model.identify("a", languages=[label]),
        lambda label: model.identify("a", prior={label: 0.5}),
        lambda label: model.segment("a", label),
        lambda label: model.subset([label]),
        lambda label: model.remove_languages([label]),
        lambda label: model.row(label),
    ]
    for call in calls:
        with pytest.raises(unilid.UnknownLanguageError, match=r"'deu_Lat'.*did you mean deu_Latn") as caught:
            call("deu_Lat")
        assert isinstance(caught.value, KeyError)
        with pytest.raises(unilid.UnknownLanguageError, match=r"'\?'.*`unilid languages`"):
            call("?")


def test_equal_scores_go_to_the_lower_row() -> None:
    lines = CORPUS["eng"]
    model = unilid.train({"b": lines, "c": lines, "a": lines, "z": CORPUS["jpn"]}, tune=False, vocabulary=420)
    assert [p.label for p in model.identify("snow on the roof", k=4)] == ["a", "b", "c", "z"]
    turned = model.subset(["z", "c", "a", "b"])
    assert [p.label for p in turned.identify("snow on the roof", k=4)] == ["c", "a", "b", "z"]
    assert turned.identify("snow", languages=["b", "a"]).label == "a"
    assert turned.best_rows(["snow"]).tolist() == [1]


def log_odds(model: Model, text: str, **options: Any) -> dict[str, float]:
    """The logarithm of each probability without the temperature: the score with its prior, and a constant."""
    ranked = model.identify(text, k=len(model.languages), **options)
    exponent = float(model.decisions.temperature.at(len(text)))
    return {p.label: math.log(p.probability) / exponent for p in ranked}


def with_prior(model: Model, text: str, prior: dict[str, float]) -> dict[str, float]:
    """The scores with the logarithm of their prior, in the form of `log_odds`."""
    scores = dict(zip(model.languages, model.scores([text])[0].tolist(), strict=True))
    keys = {label: scores[label] + math.log(prior[label]) for label in prior}
    exponent = float(model.decisions.temperature.at(len(text)))
    total = math.fsum(math.exp(exponent * key) for key in keys.values())
    return {label: key - math.log(total) / exponent for label, key in keys.items()}


def test_prior_training_is_the_share_of_the_lines() -> None:
    corpus = {"eng": CORPUS["eng"], "dan": CORPUS["dan"][:3], "ell": CORPUS["ell"][:1]}
    model = unilid.train(corpus, tune=False, vocabulary=300)
    share = {"eng": 6 / 10, "dan": 3 / 10, "ell": 1 / 10}
    assert log_odds(model, "net", prior="training") == pytest.approx(with_prior(model, "net", share), rel=1e-5)


def test_what_a_prior_leaves_is_shared_by_the_labels_it_does_not_name() -> None:
    prior = {"nob": 0.6, "dan": 0.1, "ell": 0.1, "eng": 0.1, "jpn": 0.1}
    found = log_odds(small_model(), "net", prior={"nob": 0.6, "dan": 0.1})
    assert found == pytest.approx(with_prior(small_model(), "net", prior))


def test_a_prior_is_normalised_over_the_languages_that_compete() -> None:
    model = small_model()
    options: dict[str, Any] = {"prior": {"nob": 0.6, "dan": 0.2}, "languages": ["nob", "dan"]}
    assert log_odds(model, "net", **options) == pytest.approx(with_prior(model, "net", {"nob": 0.75, "dan": 0.25}))
    assert model.log_prior(["nob", "dan"], {"nob": 0.6, "dan": 0.2})[[4, 0]].tolist() == pytest.approx(
        [math.log(0.75), math.log(0.25)]
    )


def test_a_prior_moves_the_ranking_and_not_the_scores() -> None:
    model = small_model()
    even, uneven = (model.identify("net", k=5, prior=prior) for prior in (None, {"jpn": 1 - 1e-9}))
    assert uneven[0].label == "jpn" != even[0].label
    assert {p.label: p.score for p in even} == {p.label: p.score for p in uneven}


def test_a_prior_of_zero_excludes_a_language_and_of_one_all_others() -> None:
    model = small_model()
    without = model.identify(CORPUS["eng"], k=5, prior={"eng": 0})
    assert all({p.label for p in ranked} == set(CORPUS) - {"eng"} for ranked in without)
    only = model.identify(CORPUS["eng"], k=5, prior={"jpn": 1.0})
    assert [[p.label for p in ranked] for ranked in only] == [["jpn"]] * len(only)


def test_an_even_prior_changes_no_probability() -> None:
    model = small_model()
    for prior in ({}, "training", dict.fromkeys(CORPUS, 0.2)):
        for none, even in zip(answers(model, TEXTS), answers(model, TEXTS, prior=prior), strict=True):
            assert [p.label for p in none] == [p.label for p in even]
            assert [p.probability for p in none] == pytest.approx([p.probability for p in even], abs=1e-12)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"eng": 0.7, "dan": 0.4}, r"adds up to 1\.1"),
        ({"eng": -0.1}, "eng is -0.1"),
        ({"eng": math.nan}, "eng is nan"),
        ({"eng": math.inf}, "eng is inf"),
        (dict.fromkeys(CORPUS, 0.0), "excludes every language"),
        ("learned", "'learned'"),
    ],
)
def test_an_impossible_prior_is_an_error(prior: Any, message: str) -> None:
    with pytest.raises(unilid.UnilidError, match=message):
        small_model().identify("snow", prior=prior)


def test_a_prior_that_excludes_all_that_compete_is_an_error() -> None:
    with pytest.raises(unilid.UnilidError, match="excludes every language"):
        small_model().identify("snow", prior={"eng": 0}, languages=["eng"])


# ---- the same bits, whoever asks, however


@pytest.mark.parametrize("variant", [fresh, unigram_only])
def test_the_number_of_threads_changes_no_bit(variant: Callable[[Model], Model]) -> None:
    model = variant(small_model())
    serial = answers(fresh(model), TEXTS * 5, threads=1)
    scores = model.scores(TEXTS * 5)
    marginal = model.scores(TEXTS, marginal=True)
    for threads in (2, 5):
        assert answers(fresh(model), TEXTS * 5, threads=threads) == serial
        assert (model.scores(TEXTS * 5, threads=threads) == scores).all()
        assert (model.scores(TEXTS, marginal=True, threads=threads) == marginal).all()


def test_texts_of_many_kernel_calls_are_answered_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_model()
    expected = model.identify(TEXTS)
    monkeypatch.setattr("unilid.model._CHUNK", 3)
    for threads in (1, 2):
        assert model.identify(TEXTS, threads=threads) == expected

    def no_more_threads(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_more_threads)
    assert model.identify(TEXTS, threads=2) == expected


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals to threads")
def test_whoever_interrupts_a_kernel_call_does_not_wait_for_the_next() -> None:
    begun: list[int] = []

    def make(item: int) -> int:
        begun.append(item)
        time.sleep(0.2)  # the caller waits by now
        if item == 0:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        time.sleep(0.5)  # as long as a call that cannot be interrupted
        return item

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a shell runs in the background
    try:
        with pytest.raises(KeyboardInterrupt):
            list(ahead(make, range(4)))
    finally:
        signal.signal(signal.SIGINT, before)
    assert begun == [0]


def test_what_was_asked_before_changes_no_bit() -> None:
    model = small_model()
    expected = [answers(fresh(model), [text])[0] for text in TEXTS]
    for order in (TEXTS, TEXTS[::-1]):
        warmed = fresh(model)
        found = {id(text): answers(warmed, [text])[0] for text in order}
        assert [found[id(text)] for text in TEXTS] == expected
        assert answers(warmed, TEXTS) == expected


def test_a_cache_that_overflows_changes_no_bit() -> None:
    model = small_model()
    random = np.random.default_rng(0)
    # More distinct words than the cache has places for.
    flood = "".join(random.choice(list("aeiounrtsdø "), 4_000_000))
    expected = answers(fresh(model), TEXTS)
    warmed = fresh(model)
    flooded = warmed.scores([flood])
    assert answers(warmed, TEXTS) == expected
    assert (warmed.scores([flood]) == flooded).all()
    half = flood.find(" ", len(flood) // 2)
    parts = fresh(model).scores([flood[half:], flood[:half]])
    assert (parts.sum(axis=0) == flooded[0]).all()


def test_callers_on_many_python_threads_get_the_serial_answers() -> None:
    model = fresh(small_model())
    batches = [TEXTS[i:] + TEXTS[:i] for i in range(24)]
    serial = [answers(small_model(), batch) for batch in batches]
    start = threading.Barrier(8)

    def ask(number: int) -> list[list[list[Prediction]]]:
        start.wait()
        return [answers(model, batch, threads=1 + number % 3) for batch in batches]

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(ask, range(8)):
            assert found == serial


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the address space")
def test_a_machine_without_room_for_more_threads_does_not_end_the_process() -> None:
    program = """
import resource, sys
from pathlib import Path
from random import Random
import unilid
from unilid import UnilidError
model = unilid.load()
texts = [f"good morning number {i}" for i in range(2000)]
expected = model.identify(texts)
room = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + (200 << 20)
resource.setrlimit(resource.RLIMIT_AS, (room, room))
try:
    same = model.identify(texts, threads=1000) == expected
except Exception as error:
    print("raised")
else:
    print("same" if same else "different")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in ("same", "raised")


def in_a_fork(work: Callable[[], Any]) -> Any:
    forking = multiprocessing.get_context("fork")
    receive, send = forking.Pipe(duplex=False)
    child = forking.Process(target=lambda: send.send(work()))
    child.start()
    try:
        assert receive.poll(60), "the child hangs or died"
        return receive.recv()
    finally:
        child.kill()
        child.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_gives_the_parents_answers() -> None:
    model = fresh(small_model())
    expected = answers(model, TEXTS, threads=3)
    assert in_a_fork(lambda: answers(model, TEXTS, threads=1)) == expected
    assert in_a_fork(lambda: answers(model, TEXTS, threads=3)) == expected
    assert answers(model, TEXTS, threads=3) == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_while_other_threads_are_busy_gives_the_parents_answers() -> None:
    model = fresh(small_model())
    expected = answers(model, TEXTS)
    stop = threading.Event()

    def keep_busy() -> None:
        while not stop.is_set():
            model.identify(SENTENCES, threads=2)

    busy = [threading.Thread(target=keep_busy) for _ in range(3)]
    for thread in busy:
        thread.start()
    try:
        for _ in range(6):
            assert in_a_fork(lambda: answers(model, TEXTS, threads=2)) == expected
    finally:
        stop.set()
        for thread in busy:
            thread.join()


# ---- copies


def test_a_loaded_model_is_pickled_as_a_reference_to_its_file(tmp_path: Path) -> None:
    saved = small_model().save(tmp_path / "small.unilid")
    pickled = pickle.dumps(saved)
    assert len(pickled) < 1000
    again = pickle.loads(pickled)
    assert again.path == saved.path
    assert again.to_bytes() == saved.to_bytes()
    assert answers(again, TEXTS) == answers(saved, TEXTS)


def test_a_pickle_finds_the_file_after_the_working_folder_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_model().save(tmp_path / "small.unilid")
    monkeypatch.chdir(tmp_path)
    model = unilid.load("small.unilid")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert pickle.loads(pickle.dumps(model)).to_bytes() == model.to_bytes()


def test_a_model_without_a_file_is_pickled_by_value() -> None:
    again = pickle.loads(pickle.dumps(small_model()))
    assert again.path is None
    assert again.to_bytes() == small_model().to_bytes()
    assert answers(again, TEXTS) == answers(small_model(), TEXTS)


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.add_language("tok", ["mi lukin e waso lili", "ona li moku e kili"]),
        lambda m: m.subset(["nob", "eng"]),
        lambda m: m.remove_languages(["eng"]),
        unbounded,
    ],
    ids=["add", "subset", "remove", "replace"],
)
def test_a_changed_model_is_not_pickled_as_the_file_it_came_from(
    change: Callable[[Model], Model], tmp_path: Path
) -> None:
    changed = change(small_model().save(tmp_path / "small.unilid"))
    again = pickle.loads(pickle.dumps(changed))
    assert again.languages == changed.languages
    assert again.settings == changed.settings
    assert answers(again, TEXTS) == answers(changed, TEXTS)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_give_the_same_answers(copied: Callable[[Model], Model], tmp_path: Path) -> None:
    for model in (small_model(), small_model().save(tmp_path / "small.unilid")):
        assert copied(model).to_bytes() == model.to_bytes()
        assert answers(copied(model), TEXTS) == answers(model, TEXTS)


def test_answers_outlive_the_model_and_the_kernel_keeps_its_arrays() -> None:
    model = fresh(small_model())
    expected = answers(model, TEXTS)
    scorer = model._scorer
    scores = model.scores(TEXTS)
    del model
    gc.collect()
    assert expected == answers(small_model(), TEXTS)
    assert (-STEP * scorer.costs([t or "" for t in TEXTS], 1)[0].astype(float) == scores).all()


# ---- languages come and go


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
    row = model.row(label)
    contexts = None if model.context is None else context_row(model.context, row)
    return unigram_row(model.unigram, row), contexts, int(model.lines[row]), float(model.tokens[row])


@pytest.mark.parametrize("unseen", ["shared", "additive"])
@pytest.mark.parametrize("context", ["characters", None])
def test_adding_a_language_leaves_every_other_row_as_it_was(unseen: str, context: str | None) -> None:
    model = unbounded(train(["dan", "eng", "jpn"], unseen=unseen, context=context))
    grown = model.add_language("nob", CORPUS["nob"]).add_languages({"ell": CORPUS["ell"], "tok": ["mi moku"]})
    assert grown.languages == ("dan", "eng", "jpn", "nob", "ell", "tok")
    for label in model.languages:
        assert rows_of(grown, label) == rows_of(model, label)
    assert rows_of(grown, "dan")[0][0] and (context is None or rows_of(grown, "dan")[1][0])
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
    assert part.context is not None
    assert all((np.diff(level.first_entry) == 1).all() for level in part.context.levels)
    assert not any(0x3040 < code_point < 0x10000 for code_point in part.context.code_points.tolist())
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


def test_a_label_of_any_script_survives_a_file(tmp_path: Path) -> None:
    labels = ["Ελληνικά", 'quo"te\\', "雪国"]
    model = small_model().add_languages({label: [f"{label} {i}" for i in range(3)] for label in labels})
    again = model.save(tmp_path / "labels.unilid")
    assert set(labels) < set(again.languages)
    assert again.identify("雪国 2").label == "雪国"


# ---- against the plain-Python twin


def twin_row(model: Model, row: int) -> tuple[dict[bytes, int], dict[int, int], int]:
    tokens, costs, unseen = unigram_row(model.unigram, row)
    numbers = {token: number for number, token in enumerate(model.vocabulary.tokens)}
    return numbers, dict(zip(tokens, costs, strict=True)), unseen


@pytest.mark.parametrize("unseen", ["shared", "additive"])
def test_scores_of_the_papers_model_are_sums_of_the_twins_viterbi(unseen: str) -> None:
    model = train(["dan", "ell", "jpn"], context=None, unseen=unseen, bound=None, fragments=0)
    assert model.context is None
    assert model.settings.bound is None
    texts = [text.encode() if isinstance(text, str) else text or b"" for text in TEXTS[:-1]]
    scores = model.scores(texts)
    for row in range(3):
        twin = twin_row(model, row)
        expected = [-STEP * sum(plain.viterbi(word.text, *twin) for word in counted(text)) for text in texts]
        assert scores[:, row].tolist() == expected


def test_marginal_scores_are_the_twins_and_no_lower_than_the_best_path() -> None:
    model = unigram_only(small_model())
    texts = [text.encode() if isinstance(text, str) else text or b"" for text in TEXTS[:-1]]
    best, marginal = model.scores(texts), model.scores(texts, marginal=True)
    assert (marginal >= best).all()
    assert (marginal > best).any()
    for row in range(len(model.languages)):
        twin = twin_row(model, row)
        expected = [-STEP * sum(plain.marginal(word.text, *twin, STEP) for word in counted(text)) for text in texts]
        assert marginal[:, row].tolist() == pytest.approx(expected, rel=1e-9)


def test_marginal_scores_do_not_depend_on_context_and_bound() -> None:
    model = small_model()
    assert (model.scores(TEXTS, marginal=True) == unigram_only(model).scores(TEXTS, marginal=True)).all()


def test_the_bound_limits_what_a_word_says_against_a_language() -> None:
    model = small_model()
    bound = model.settings.bound
    assert bound is not None
    words = ["Χιόνι", "snow", "雪", "gitt"]
    free, bounded = unbounded(model).scores(words), model.scores(words)
    floor = free.max(axis=1, keepdims=True) - bound
    assert (free < floor).any()
    beyond = floor - STEP * np.floor((floor - free) / STEP / 4)  # a quarter, in whole steps
    assert (bounded == np.where(free < floor, beyond, free)).all()


# ---- segmentation


@given(any_text.filter(lambda text: text is not None))
@settings(deadline=None)
def test_segments_cover_the_words_point_into_the_text_and_add_up_to_its_score(text: str | bytes) -> None:
    model = small_model()
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    scores = unigram_only(model).scores([text])[0]
    for language in ("ell", "eng"):
        segments = model.segment(text, language)
        assert b"".join(s.token for s in segments) == b"".join(word.text for word in plain.words(content))
        if counted(content) == plain.words(content):  # addresses and identifiers have segments, and do not count
            assert math.fsum(s.score for s in segments) == scores[model.row(language)]
        end_before = 0
        for segment in segments:
            assert segment.start >= end_before
            covered = content[segment.start : segment.end]
            assert len(covered) == len(segment.token.removeprefix(b" "))
            if covered.islower():  # a word in capitals has the tokens of small letters
                assert covered == segment.token.removeprefix(b" ")
            assert segment.token in model.vocabulary.tokens
            end_before = segment.end


def test_a_frequent_word_is_one_segment_at_its_place_in_the_text() -> None:
    model = small_model()
    [the] = model.segment("the", "eng")
    assert the.token == b" the"
    assert the == Segment(b" the", 0, 3, the.score)
    assert dataclasses.replace(the, start=22, end=25) in model.segment("Så! There is snø on the roof", "eng")


def test_a_text_without_words_has_no_segments() -> None:
    assert small_model().segment("", "eng") == small_model().segment(" \n", "eng") == []


# ---- settings


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"unseen": "none"}, "unseen"),
        ({"order": 99}, "order"),
        ({"order": 1}, "order"),
        ({"order": 4, "unigram_weight": 17}, "17 sixteenths"),
        ({"order": 4, "unigram_weight": -1}, "-1 sixteenths"),
        ({"order": None, "unigram_weight": 5}, "5 sixteenths"),
        ({"bound": 0.0}, "bound"),
        ({"bound": -1.0}, "bound"),
        ({"bound": math.nan}, "bound"),
        ({"bound": math.inf}, "bound"),
    ],
)
def test_impossible_settings_are_errors_that_name_the_setting(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(unilid.UnilidError, match=message):
        Settings(**wrong)


def test_the_smallest_bound_is_not_no_bound() -> None:
    model = small_model()
    tight = dataclasses.replace(model, settings=dataclasses.replace(model.settings, bound=STEP))
    assert not (tight.scores(["snow"]) == unbounded(model).scores(["snow"])).all()
    with pytest.raises(unilid.UnilidError, match="bound"):
        dataclasses.replace(model.settings, bound=STEP / 2)


@pytest.mark.parametrize("label", ["", "a b", "a\tb", "line\nbreak", "zxx", "und", "\ud800", 5, None])
def test_what_cannot_be_a_label_is_refused(label: object) -> None:
    with pytest.raises(unilid.UnilidError, match="cannot be a label"):
        small_model().add_language(label, ["some text"])  # type: ignore[arg-type]


# ---- candidates


def test_with_every_language_a_candidate_the_answers_are_those_of_the_full_vector() -> None:
    model = unilid.load()
    texts = [
        "Where is the train?",
        "Wo ist der Zug und wo das Haus?",
        "子供たちは",
        "",
        "Хлеб и вода 123",
        "zzz qqq ä",
        None,
    ]
    full = model.identify(texts, k=len(model.languages))
    assert model.identify(texts, k=len(model.languages), candidates=len(model.languages)) == full
    assert model.identify(texts, k=len(model.languages), candidates=10**6) == full


def test_only_candidates_of_the_unigram_model_are_ranked() -> None:
    model = unilid.load()
    paper = dataclasses.replace(
        model, context=None, settings=dataclasses.replace(model.settings, order=None, unigram_weight=WHOLE, bound=None)
    )
    for text in ("Der Zug fährt heute nicht", "Il pane e la casa", "погода"):
        expected = {p.label for p in paper.identify(text, k=3, abstain=False)}
        assert {p.label for p in model.identify(text, k=20, candidates=3, abstain=False)} == expected
        assert model.identify(text, candidates=1, abstain=False).label == paper.identify(text, abstain=False).label


def test_candidates_respect_the_languages_that_may_compete() -> None:
    ranked = unilid.load().identify("Der Zug", k=5, candidates=4, languages=["eng_Latn", "fra_Latn"], abstain=False)
    assert {p.label for p in ranked} == {"eng_Latn", "fra_Latn"}
    assert sum(p.probability for p in ranked) == pytest.approx(1.0)


def test_the_bare_decision_takes_texts_that_live_only_while_they_are_read() -> None:
    model = unilid.load()
    texts = np.array([b"Where is the train?", b"Wo ist der Zug?", b"Dove sono i bambini?"] * 500, dtype="S")
    expected = [model.row(p.label) for p in model.identify(texts, abstain=False)]
    assert model.best_rows(texts).tolist() == expected
    with pytest.raises(unilid.UnilidError, match="list of texts"):
        model.best_rows("one text")


def test_a_label_is_suggested_for_a_bare_language_code() -> None:
    with pytest.raises(unilid.UnknownLanguageError, match="did you mean deu_Latn"):
        unilid.load().row("deu")


# ---- words seen before


def random_lines(count: int) -> list[str]:
    random = Random(0)
    letters = "abcdefghijklmnopqrstuvwxyzäöüžščαβγдежзאבגदनम日本語"
    words = ["".join(random.choices(letters, k=random.randint(1, 9))) for _ in range(4 * count)]
    words += ["日本語の文章には空白がない" * 3] * 5  # as long as words get
    return [" ".join(random.choices(words, k=random.randint(1, 40))) for _ in range(count)]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_small_cache_changes_nothing(threads: int) -> None:
    """Room for some hundred words: most are thrown out before they come again, some within one text."""
    small, large = unilid.load(cache_megabytes=1), unilid.load()
    lines = random_lines(400)
    for _ in range(2):
        found = small.scores(lines, threads=threads)
        assert (found == large.scores(lines)).all()
    assert (found[7] == large.scores(lines[7:8])[0]).all()


@pytest.mark.parametrize("megabytes", [0, -1, 1.5, "much", None])
def test_a_cache_has_a_size(megabytes: Any) -> None:
    with pytest.raises(UnilidError, match="cache_megabytes"):
        unilid.load(cache_megabytes=megabytes)


def test_a_model_that_travels_keeps_the_size_of_its_cache(tmp_path: Path) -> None:
    model = Model.from_bytes(small_model().to_bytes(), cache_megabytes=3)
    for one in (model, unilid.load(model.save(tmp_path / "m.unilid").path, cache_megabytes=3)):
        assert pickle.loads(pickle.dumps(one)).cache_megabytes == 3
        assert one.remove_languages([one.languages[0]]).cache_megabytes == 3
