"""Explanations: they add up, they are the twin's, and what they say would have been said otherwise is true."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from io import StringIO
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from helpers import SENTENCES, small_model, train
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from test_kernel import (
    estimated,
    score_texts,
    small_words,
    texts,
    twin_context,
    twin_cost,
    unigram_vector,
    vocabulary_of,
    words_of,
)

import unilid
from unilid import Explanation, Model, UnilidError, _kernel, explanation_views, plain, unigram
from unilid.answers import Prediction
from unilid.calibration import Calibration, Rules, lowered
from unilid.costs import STEP, quantise
from unilid.explanation import WordReason, WordScore
from unilid.settings import WHOLE
from unilid.unigram import UnigramTable

DANISH, NORWEGIAN = "Hvorfor kommer bussen altid for sent?", "Hvorfor kommer bussen alltid for seint?"


@cache
def calibrated_model() -> Model:
    """Every margin is small enough to be examined again; English may replace others. And it has a prior."""
    model = small_model()
    count = len(model.languages)
    replaces = np.array([label == "eng" for label in model.languages], np.uint8)
    calibration = Calibration(Rules(distance=1e6), np.full(count, 1e6), replaces, lowered(model.unigram.unseen, -20.0))
    prior = np.array([4.0, 1.0, 2.0, 1.0, 2.0]) / 10
    return replace(model, decisions=replace(model.decisions, calibration=calibration, prior=prior))


@cache
def unigram_model() -> Model:
    return train(["dan", "eng", "nob"], context=None, bound=None)


MODELS = [small_model, calibrated_model, unigram_model]


# ---- the kernel and its twin


@given(st.lists(small_words, min_size=2, max_size=5), score_texts, st.sampled_from([0, 16]), st.integers(1, 15))
@settings(deadline=None, max_examples=40)
def test_explained_words_are_the_twins(
    languages: list[list[tuple[bytes, float]]], batch: list[bytes], bound: int, weight: int
) -> None:
    vocabulary = vocabulary_of([b"ab", b" a", b"bc"])
    unigrams = UnigramTable.of(
        unigram.expect(vocabulary, [words_of(pairs) for pairs in languages]), len(vocabulary), -8.0
    )
    contexts = estimated(languages, 3)
    twins = [twin_context(pairs, 3) for pairs in languages]
    base = int(quantise(np.log([1e-5]), 255)[0])
    kernels = [(unigrams.kernel(vocabulary), weight), (contexts.kernel(), WHOLE - weight)]
    count = len(languages)
    rows = np.arange(count, dtype=np.uint16)[::-1].copy()  # in any order

    def scorer(models: list[Any], bound: int) -> _kernel.Scorer:
        return _kernel.Scorer(models, count, bound, 1 << 16)

    for text in batch:
        twin = plain.explained(
            text,
            [
                (lambda word: unigram_vector(word.text, vocabulary, unigrams), weight),
                (lambda word: [twin_cost(word, *twin, 3, base) for twin in twins], WHOLE - weight),
            ],
            bound,
        )
        words, costs, best, best_costs = scorer(kernels, bound).explain(text, rows)
        assert [(word[0], *word[3:]) for word in words] == [
            (
                one.word.text,
                one.word.kind,
                plain.REASONS.index(one.word.noise or ""),
                one.word.cut_left,
                one.word.cut_right,
                one.word.lone,
                one.counts,
            )
            for one in twin
        ]
        assert [text[begin:end] for _, begin, end, *_ in words] == [
            one.word.text.removeprefix(b" ") for one in twin
        ]  # no capitals among these
        assert costs[:, ::-1].tolist() == [one.bounded for one in twin]
        assert best_costs.tolist() == [min(one.bounded) for one in twin]
        assert best.tolist() == [one.bounded.index(min(one.bounded)) for one in twin]
        assert scorer(kernels, 0).explain(text, rows)[1][:, ::-1].tolist() == [one.weighted for one in twin]
        for number, (kernel, _) in enumerate(kernels):
            alone = scorer([(kernel, WHOLE)], 0).explain(text, rows)[1]
            assert alone[:, ::-1].tolist() == [one.models[number] for one in twin]
        for one in twin:
            sizes, each = contexts.kernel().characters(
                one.word.text, one.word.cut_left, one.word.cut_right, rows[::-1].copy()
            )
            assert sizes.tolist() == [len(encoded) for _, encoded in plain.characters(one.word.text)] + [0] * (
                not one.word.cut_right
            )
            for row, (cost, backoff) in enumerate(twins):
                cut = {"cut_left": one.word.cut_left, "cut_right": one.word.cut_right}
                expected = plain.character_costs(one.word.text, cost, backoff, order=3, base=base, **cut)
                assert each[:, row].tolist() == expected


# ---- what is said adds up


def check_sums(model: Model, explanation: Explanation, **options: Any) -> None:
    """Every part adds up to the whole, which is what the model says elsewhere."""
    assert explanation.language is not None and explanation.instead is not None
    rows = [model.row(explanation.language), model.row(explanation.instead)]
    if not options.get("calibrated", model.decisions.calibration is not None):
        assert [explanation.score, explanation.instead_score] == model.scores([explanation.text])[0, rows].tolist()
    words = sum(word.difference for word in explanation.words)
    assert words == explanation.score - explanation.instead_score  # eighths: exact
    prior = model.log_prior(options.get("languages"), options.get("prior", "model"))
    assert explanation.prior == prior[rows[0]] - prior[rows[1]]
    assert explanation.difference == words + explanation.prior
    for word in explanation.words:
        assert word.text == explanation.text[word.start : word.end]
        for score in (word.language, word.instead):
            check_word(model, word, score)


def check_word(model: Model, word: WordReason, score: WordScore) -> None:
    weight = model.settings.unigram_weight
    parts = []
    if score.unigram is not None:
        assert sum(token.score for token in score.tokens) == score.unigram
        assert b"".join(token.token for token in score.tokens) == word.read
        parts.append((score.unigram, weight))
    if score.context is not None:
        assert sum(character.score for character in score.characters) == score.context
        assert b"".join(character.character for character in score.characters) == word.read
        parts.append((score.context, WHOLE - weight))
    assert len(parts) == (weight > 0) + (weight < WHOLE)
    assert abs(sum(part * share for part, share in parts) / WHOLE - score.weighted) <= STEP / 2
    steps = -score.weighted / STEP
    if word.lone and model.settings.bound is not None:
        steps //= 4
    assert score.score > -STEP * steps if score.bounded else score.score == -STEP * steps


@given(st.sampled_from(MODELS), st.one_of(texts, st.sampled_from(SENTENCES).map(str.encode)))
@settings(deadline=None, max_examples=60)
def test_any_text_is_explained_and_shown_and_adds_up(make: Any, text: bytes) -> None:
    model = make()
    explanation = model.explain(text)
    assert explanation.answer == model.identify(text)
    assert (explanation.language is None) == (explanation.words == ())
    if explanation.words:
        check_sums(model, explanation)
        named = model.identify(text, abstain=False, k=2)
        assert [explanation.language, explanation.instead] == [answer.label for answer in named]
    shown = str(explanation)
    assert all(c == "\n" or c.isprintable() or c in "\u200c\u200d" for c in shown)
    assert json.loads(explanation.to_json())["words"] == explanation.record()["words"]
    assert html_of(explanation)


def test_the_words_that_decide_come_first() -> None:
    explanation = small_model().explain(NORWEGIAN)
    weights = [abs(word.difference) for word in explanation.deciding]
    assert weights == sorted(weights, reverse=True)
    assert {word.text for word in explanation.deciding[:2]} == {b"alltid", b"seint"}
    assert [word.start for word in explanation.words] == sorted(word.start for word in explanation.words)


def test_words_say_what_they_are() -> None:
    text = "HVORFOR a,b kommer жkommer 12 http://example.org/kommer"
    words = {word.text: word for word in small_model().explain(text).words}
    assert (words[b"HVORFOR"].read, words[b"HVORFOR"].kind) == (b" hvorfor", "letters")
    assert (words[b"b"].lone, words[b"b"].read) == (True, b"b")
    assert not words[b"a"].lone
    assert words["ж".encode()].cut and not words[b"12"].cut
    assert (words[b"12"].kind, words[b","].kind) == ("digits", "signs")
    assert (words[b"http"].noise, words[b"http"].counts, words[b"http"].difference) == ("address", False, 0.0)
    assert words[b"12"].noise is None and words[b"12"].counts
    assert [word.counts for word in small_model().explain("http://example.org").words] == [True] * 5  # nothing else


def test_tokens_that_a_language_never_saw_are_marked() -> None:
    model = small_model()
    [word] = model.explain("φως", "ell", instead="dan").words
    assert [token.token for token in word.instead.tokens if not token.unseen] == [b" "]
    assert {token.score for token in word.instead.tokens if token.unseen} == {
        -STEP * float(model.unigram.unseen[model.row("dan")])
    }
    [word] = model.explain("bussen", "dan", instead="ell").words
    assert not any(token.unseen for token in word.language.tokens)


def test_the_best_language_of_a_word_is_among_all_and_bounds_it() -> None:
    model = small_model()
    [word] = model.explain("λεωφορείο", "dan", instead="nob").words
    assert word.best == "ell"
    assert word.language.bounded and word.instead.bounded
    assert word.language.score > word.language.weighted


# ---- which languages


@pytest.mark.parametrize(
    ("asked", "pair"),
    [
        ({}, ("dan", "nob")),
        ({"language": "nob"}, ("nob", "dan")),
        ({"instead": "nob"}, ("dan", "nob")),
        ({"instead": "eng"}, ("dan", "eng")),
        ({"instead": "dan"}, ("nob", "dan")),
        ({"language": "eng"}, ("eng", "dan")),
        ({"language": "el", "instead": "ja"}, ("ell", "jpn")),
        ({"instead": "no"}, ("dan", "nob")),  # a macrolanguage
        ({"languages": ["eng", "jpn"]}, ("eng", "jpn")),
        ({"prior": {"nb": 1 - 1e-9}}, ("nob", "dan")),
    ],
)
def test_the_two_languages_are_those_asked_for_or_the_best(asked: dict[str, Any], pair: tuple[str, str]) -> None:
    explanation = small_model().explain(DANISH, **asked)
    assert (explanation.language, explanation.instead) == pair
    check_sums(small_model(), explanation, **asked)


def test_of_several_labels_that_a_code_stands_for_the_best_is_taken() -> None:
    model = unilid.load()
    explanation = model.explain("Добар дан, како сте данас?", "sr", instead="no")
    assert explanation.language == "srp_Cyrl"
    score = dict(zip(model.languages, model.scores([explanation.text])[0].tolist(), strict=True))
    assert score[explanation.instead or ""] == max(score["nob_Latn"], score["nno_Latn"])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"language": "xyz"}, "does not know the language 'xyz'"),
        ({"instead": "deu"}, "does not know the language 'deu'"),
        ({"language": "dan", "instead": "da"}, "da is the language that it shall be compared with"),
        ({"languages": ["dan"], "language": "dan"}, "only dan competes"),
        ({"languages": ["dan", "eng"], "instead": "nob"}, "nob does not compete"),
        ({"prior": {"dan": 1.0}, "language": "eng"}, "eng does not compete"),
        ({"calibrated": True}, "not calibrated"),
        ({"abstain": 2}, "abstain must be"),
    ],
)
@pytest.mark.parametrize("text", [DANISH, ""])
def test_what_cannot_be_explained_is_said_in_one_sentence(text: str, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UnilidError, match=message) as error:
        small_model().explain(text, **asked)
    assert "\n" not in str(error.value)


def test_a_text_is_a_text() -> None:
    with pytest.raises(UnilidError, match="a text is str, bytes or None, not int"):
        small_model().explain(3)  # type: ignore[arg-type]
    assert small_model().explain(None) == small_model().explain(b"") == small_model().explain("")
    assert small_model().explain("\ud800 a").text == b"\xed\xa0\x80 a"


# ---- what would have been said

MIXED = [
    *SENTENCES,
    *(f"{a} {b}" for a, b in pairwise(SENTENCES)),
    *(" ".join([a.split()[0], *b.split()[1:3]]) for a, b in pairwise(SENTENCES[::2])),
    "12 34",
    "Hun qqThe",
    "漁師は港で網を直している漁師は港で網 Hun ga meg en rød eske",
    "",
]


def without(model: Model, name: str) -> tuple[Model, dict[str, Any]]:
    """The model or the options that leave something out."""
    if name == "bound":
        return replace(model, settings=replace(model.settings, bound=None)), {"abstain": False}
    if name == "context":
        return replace(model, settings=replace(model.settings, unigram_weight=WHOLE)), {"abstain": False}
    if name == "unseen":
        rarest = model.unigram.rarest()
        calibration = model.decisions.calibration
        decisions = replace(model.decisions, calibration=calibration and replace(calibration, unseen=rarest))
        return replace(model, unigram=replace(model.unigram, unseen=rarest), decisions=decisions), {"abstain": False}
    options = {"prior": {"prior": None}, "languages": {"languages": None}}
    return model, options.get(name, {name: False})


def same(one: Prediction, other: Prediction) -> bool:
    return one._replace(probability=0.0) == other._replace(probability=0.0) and one.probability == pytest.approx(
        other.probability, rel=1e-12
    )


@pytest.mark.parametrize(
    ("make", "options", "in_force"),
    [
        (small_model, {}, ["context", "bound", "unseen", "abstain"]),
        (small_model, {"languages": ["eng", "nob"]}, ["context", "bound", "unseen", "languages", "abstain"]),
        (small_model, {"prior": {"nob": 0.9999}, "abstain": 0.05}, ["context", "bound", "unseen", "prior", "abstain"]),
        (calibrated_model, {}, ["context", "bound", "unseen", "prior", "calibrated", "abstain"]),
        (calibrated_model, {"calibrated": False, "abstain": False}, ["context", "bound", "unseen", "prior"]),
        (unigram_model, {"prior": "training"}, ["unseen", "abstain"]),  # as many lines of each: no prior
    ],
)
def test_what_would_have_been_said_is_what_is_said_without_it(
    make: Any, options: dict[str, Any], in_force: list[str]
) -> None:
    model = make()
    bare = {name: without(model, name) for name in in_force}
    for text in MIXED:
        explanation = model.explain(text, **options)
        assert [one.name for one in explanation.without] == in_force
        for one in explanation.without:
            other, asked = bare[one.name]
            assert same(one.answer, other.identify(text, **{**options, **asked})), (text, one)
            scores = one.name in ("context", "bound", "unseen")
            usual = model.identify(text, **{**options, **({"abstain": False} if scores else {})})
            assert one.changed == (one.answer.label != usual.label)


@pytest.mark.parametrize(
    ("name", "make", "options"),
    [
        ("context", small_model, {}),
        ("bound", small_model, {}),
        ("unseen", small_model, {}),
        ("prior", small_model, {"prior": {"nob": 1 - 1e-9}}),
        ("languages", small_model, {"languages": ["eng", "nob"]}),
        ("calibrated", calibrated_model, {}),
        ("abstain", small_model, {}),
    ],
)
def test_everything_that_can_change_an_answer_changes_some(name: str, make: Any, options: dict[str, Any]) -> None:
    """Else the test above would compare what is always the same."""
    model = make()
    changed = [one.changed for text in MIXED for one in model.explain(text, **options).without if one.name == name]
    assert any(changed) and not all(changed)


def test_a_language_pays_its_rarest_token_and_one_without_tokens_the_unseen_one() -> None:
    table = UnigramTable(
        np.array([0, 2, 3]), np.array([0, 2, 2], np.uint16), np.array([9, 40, 30], np.uint8), np.full(3, 90, np.uint8)
    )
    assert table.rarest().tolist() == [9, 90, 40]
    assert [[table.has_seen(token, row) for row in range(3)] for token in range(2)] == [
        [True, False, True],
        [False, False, True],
    ]


# ---- what it looks like


class Fragment(HTMLParser):
    """Balanced elements, their attributes, and the text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.content = ""
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.content += data


def html_of(explanation: Explanation) -> Fragment:
    fragment = Fragment(explanation._repr_html_())
    assert fragment.elements <= {"div", "p", "b", "br", "span", "table", "tr", "th", "td"}
    assert fragment.attributes <= {"style", "title", "class"}
    return fragment


def test_html_in_a_text_is_text() -> None:
    text = '<script>alert("x")</script> & <img src=x onerror=y>'
    fragment = html_of(small_model().explain(text))
    assert text in fragment.content


def test_html_has_the_words_and_what_they_say() -> None:
    explanation = small_model().explain(NORWEGIAN)
    content = html_of(explanation).content
    assert NORWEGIAN in content
    assert f"{explanation.deciding[0].difference:+.1f}" in content
    assert "bounding words" in content


def test_text_has_the_words_that_decide_first_and_what_would_have_been_said() -> None:
    lines = str(small_model().explain(NORWEGIAN)).splitlines()
    assert lines[0].startswith("Norwegian Bokmål (nob) rather than Danish (dan): ahead by ")
    [header] = [number for number, line in enumerate(lines) if line.startswith("nats")]
    assert lines[header + 1].split()[1:3] == ["seint", "nob"]
    assert lines[header + 2].split()[0] == "dan"
    assert any(line.startswith("bounding words") for line in lines)


def test_what_would_command_a_terminal_is_written_out() -> None:
    shown = str(small_model().explain("\x1b[31mred\x07 \u202ebidi [bold]x[/bold]"))
    assert "\x1b" not in shown and "\\x1b" in shown
    assert "\u202e" not in shown
    assert "[bold]" in shown


def test_a_terminal_has_colours_and_a_narrow_one_fewer_columns() -> None:
    def printed(width: int) -> str:
        console = Console(file=StringIO(), width=width, force_terminal=True, color_system="standard")
        console.print(small_model().explain(NORWEGIAN))
        return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]

    assert "\x1b[32m" in printed(120)
    assert "tokens" in printed(120) and "tokens (" not in printed(90)


def test_of_a_long_text_the_words_that_decide_are_shown_and_the_others_added_up() -> None:
    explanation = small_model().explain(" ".join(SENTENCES * 20))
    rows = explanation_views.text(explanation).splitlines()
    [more] = [row for row in rows if " more)" in row]
    assert float(more.split()[0]) == pytest.approx(
        sum(word.difference for word in explanation.deciding[explanation_views._WORDS :]), abs=0.06
    )
    assert len(rows) < 200
    assert len(explanation._repr_html_()) < 200_000


def test_importing_unilid_does_not_import_what_shows_explanations() -> None:
    code = "import sys, unilid.model; print([m for m in sys.modules if m.split('.')[0] == 'rich' or 'explan' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# ---- the command


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    written = tmp_path_factory.mktemp("explain") / "small.unilid"
    small_model().save(written)
    return str(written)


def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if not re.search("COLOR|TTY_", name)}
    command = [sys.executable, "-m", "unilid.cli", "explain", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, env=environment, timeout=60)


def test_the_command_writes_text_json_and_html(path: str) -> None:
    expected = small_model().explain(DANISH, instead="eng", prior={"dan": 0.5})
    asked = ["-m", path, "--instead", "en", "--prior", "dan=0.5", DANISH]
    done = run(*asked)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == f"{expected}\n"
    assert json.loads(run(*asked, "-o", "json").stdout) == expected.record()
    assert run(*asked, "-o", "html").stdout.decode() == expected._repr_html_() + "\n"


def test_the_command_takes_texts_in_three_ways(path: str) -> None:
    def languages(*arguments: str, stdin: bytes = b"") -> list[tuple[str, str]]:
        done = run("-m", path, "-o", "json", *arguments, stdin=stdin)
        assert (done.returncode, done.stderr) == (0, b"")
        records = [json.loads(line) for line in done.stdout.splitlines()]
        return [(record["text"], record["language"]) for record in records]

    both = [(DANISH, "dan"), (NORWEGIAN, "nob")]
    assert languages(DANISH, NORWEGIAN) == both
    assert languages("-t", DANISH, "-t", NORWEGIAN) == both
    assert languages(stdin=f"{DANISH}\n{NORWEGIAN}\n".encode()) == both
    assert languages(stdin=b"\xff\x00 sent\n\n") == [("\\xff\x00 sent", "dan"), ("", None)]


def test_the_command_says_in_one_sentence_what_is_wrong(path: str) -> None:
    done = run("-m", path, "--instead", "xyz", DANISH)
    assert (done.returncode, done.stdout) == (2, b"")
    assert re.fullmatch(rb"unilid: the model does not know the language 'xyz'.*\n", done.stderr)


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_a_terminal_gets_colours_and_a_pipe_does_not(path: str) -> None:
    import pty

    reader, writer = pty.openpty()
    command = [sys.executable, "-m", "unilid.cli", "explain", "-m", path, "seint"]
    environment = {name: value for name, value in os.environ.items() if not re.search("COLOR|TTY_", name)}
    done = subprocess.run(command, stdout=writer, env={**environment, "TERM": "xterm"}, timeout=60)
    os.close(writer)
    assert done.returncode == 0
    assert b"\x1b[1;32mseint" in os.read(reader, 10_000)
    os.close(reader)
    assert b"\x1b" not in run("-m", path, "seint").stdout
