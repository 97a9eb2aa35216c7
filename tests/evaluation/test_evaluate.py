"""Evaluating a model, or a file of anybody's answers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from support.corpora import text_of_all
from support.evaluation import flat
from support.models import fitted_model, small_model

import unilid
from unilid import Model
from unilid.corpus import reading
from unilid.errors import CorpusError, UnilidError
from unilid.evaluation import view
from unilid.evaluation.evaluate import evaluate, evaluate_predictions
from unilid.evaluation.metrics import Report, Tally

# ---- asking a model


TEXTS = [(label, text) for label, texts in text_of_all(8, seed=1).items() for text in texts]

ODD = [
    ("deu_Latn", "12345"),
    ("zxx", "+++ 7 +++"),
    ("eng_Latn", "今日はパンを買いに町へ行きます。"),
    ("deu_Latn", "am Markt"),
    ("swe_Latn", "Vi såg två rävar springa"),
    ("rus_Cyrl", "старый человек покупает хлеб " * 20),
]

LABELLED = TEXTS + ODD


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """Knows when it does not know."""
    return fitted_model().save(tmp_path_factory.mktemp("model") / "fitted.unilid")


def figures(report: Report, *, rounded: bool = False) -> dict[str, Any]:
    """All of them, or those that a file of answers has: probabilities are rounded, and nobody knows all its labels."""
    found = flat(asdict(report))
    return {
        name: value for name, value in found.items() if not rounded or not re.search("ece|reliability|unknown", name)
    }


def test_a_model_is_evaluated_by_what_it_answers(model: Model) -> None:
    answers = model.identify([text for _, text in LABELLED])
    assert {"und", "zxx"} <= {answer.label for answer in answers}, "the texts should meet both"
    tally = Tally()
    for (label, text), answer in zip(LABELLED, answers, strict=True):
        sure = None if answer.label in ("und", "zxx") else answer.probability
        tally.add(label, answer.label, text.encode(), sure)
    lines = dict(zip(model.languages, model.lines.tolist(), strict=True))
    assert evaluate(model, LABELLED) == tally.report(lines, known=model.languages)


@pytest.mark.parametrize(
    "options",
    [
        {"languages": ["eng_Latn", "rus_Cyrl"]},
        {"prior": None},
        {"prior": {"dum_Latn": 0.9}},
        {"abstain": False},
        {"threads": 1},
    ],
    ids=str,
)
def test_a_model_is_asked_as_told(model: Model, options: dict[str, Any]) -> None:
    answers = [answer.label for answer in model.identify([text for _, text in LABELLED], **options)]
    report = evaluate(model, LABELLED, **options)
    wrong = Counter(pair for pair in zip([label for label, _ in LABELLED], answers, strict=True) if pair[0] != pair[1])
    assert {(c.label, c.answer): c.lines for c in report.confused} == wrong


@pytest.mark.parametrize(
    "options", [{"languages": ["qqq"]}, {"prior": {"qqq": 0.5}}, {"abstain": 3.0}, {"calibrated": True}], ids=str
)
def test_what_is_asked_for_is_checked_before_anything_is_read(options: dict[str, Any]) -> None:
    def never() -> Iterator[tuple[str, str]]:
        raise AssertionError("read")
        yield "", ""

    with pytest.raises((UnilidError, ValueError)):
        evaluate(small_model(), never(), **options)


def test_macrolanguages_and_scripts_can_be_overlooked() -> None:
    model = unilid.load()
    items = [
        ("arz_Arab", "أين تقع محطة القطار؟"),
        ("cmn_Hant", "火车站在哪里？今天天气很好。"),
        ("eng_Latn", "Where is the railway station?"),
    ]
    assert model.identify([text for _, text in items], abstain=False)[1].label == "cmn_Hans"

    def right(**options: Any) -> dict[str, float]:
        return {r.label: r.recall for r in evaluate(model, items, abstain=False, **options).labels}

    assert right() == {"arz_Arab": 0, "cmn_Hant": 0, "eng_Latn": 1}
    assert right(macrolanguages=True) == {"ara_Arab": 1, "zho_Hant": 0, "eng_Latn": 1}
    assert right(script_blind=True) == {"arz": 0, "cmn": 1, "eng": 1}
    assert right(macrolanguages=True, script_blind=True) == {"ara": 1, "zho": 1, "eng": 1}


def test_labels_can_be_compared_as_codes(tmp_path: Path) -> None:
    model = unilid.load()
    items = [
        ("zh", "火车站在哪里？今天天气很好。"),
        ("en-GB", "Where is the railway station?"),
        ("swe", "Var är tågstationen?"),
    ]
    report = evaluate(model, items, codes="iso639_1", abstain=False)
    assert {r.label: r.recall for r in report.labels} == {"zh": 1, "en": 1, "sv": 1}
    answers = model.identify([text for _, text in items], abstain=False)
    (tmp_path / "answers.tsv").write_text("".join(f"{answer.bcp47}\n" for answer in answers))
    assert evaluate_predictions(tmp_path / "answers.tsv", items, codes="macro").accuracy == 1
    with pytest.raises(UnilidError, match="codes must be one of label, bcp47, iso639_1, macro, not 'iso'"):
        evaluate(model, items, codes="iso")  # type: ignore[arg-type]


def test_length_counts_characters_not_bytes(model: Model) -> None:
    lines: list[tuple[str, str | bytes]] = [("ell_Grek", "α" * 19), ("ell_Grek", b"\xff" * 20)]
    report = evaluate(model, lines)
    assert [bucket.lines for bucket in report.by_length] == [1, 1, 0, 0, 0, 0]


def test_a_corpus_is_evaluated_from_any_source(tmp_path: Path, model: Model) -> None:
    expected = evaluate(model, LABELLED)
    (tmp_path / "a.tsv").write_text("".join(f"{label}\t{text}\n" for label, text in LABELLED), encoding="utf-8")
    rows = [json.dumps({"lang": label, "body": text}) for label, text in LABELLED]
    (tmp_path / "a.dat").write_text("\n".join(rows))
    assert evaluate(model, tmp_path / "a.tsv") == expected
    assert evaluate(model, tmp_path / "a.dat", format="jsonl", text_field="body", label_field="lang") == expected
    assert evaluate(model, iter(LABELLED)) == expected
    assert evaluate(model, (item for item in LABELLED)) == expected


@pytest.mark.parametrize("nothing", [[], iter([])])
def test_an_empty_corpus_is_an_error(model: Model, nothing: Any) -> None:
    with pytest.raises(CorpusError, match="nothing to evaluate"):
        evaluate(model, nothing)


def test_memory_does_not_grow_with_the_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BATCH", 256)
    model = small_model().subset(["eng", "jpn"])

    def peak(lines: int) -> int:
        stream = (("eng", f"{number} foxes") for number in range(lines))
        tracemalloc.start()
        try:
            assert evaluate(model, stream, threads=1).lines == lines
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(256)  # what is made once and kept
    few, many = peak(1_000), peak(8_000)
    assert many - few < 50_000  # seven bytes a line


# ---- answers in a file


def write(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ["--to", "tsv"],
        ["--to", "jsonl"],
        ["--to", "tsv", "--keep"],
        ["--to", "jsonl", "--keep"],
        ["--to", "tsv", "-k", "3"],
    ],
    ids=" ".join,
)
def test_answers_that_identify_wrote_give_the_figures_of_the_model(
    tmp_path: Path, model: Model, arguments: list[str]
) -> None:
    texts = write(tmp_path / "texts.txt", [text for _, text in LABELLED])
    command = [sys.executable, "-m", "unilid", "identify", str(texts), "-m", str(model.path), *arguments]
    answers = tmp_path / "answers"
    answers.write_bytes(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)
    lines = dict(zip(model.languages, model.lines.tolist(), strict=True))
    expected = evaluate(model, LABELLED)
    found = evaluate_predictions(answers, LABELLED, lines=lines)
    assert figures(found, rounded=True) == figures(expected, rounded=True)
    assert found.ece == pytest.approx(expected.ece, abs=1e-3)
    assert [bin_.lines for bin_ in found.reliability] == [bin_.lines for bin_ in expected.reliability]


TWO = [("deu_Latn", "Guten Tag"), ("eng_Latn", "Good day")]

RIGHT = {
    "labels alone": ["deu_Latn", "eng_Latn"],
    "with probabilities": ["deu_Latn\t0.9", "eng_Latn\t1"],
    "with text instead": ["deu_Latn\tGuten Tag", "eng_Latn\tGood day"],
    "of fastText": ["__label__deu_Latn", "__label__eng_Latn"],
    "of fastText with probabilities": ["__label__deu_Latn 0.9", "__label__eng_Latn 1.00002"],
    "JSON": ['{"label": "deu_Latn"}', '{"probability": 0.5, "label": "eng_Latn", "more": []}'],
    "Windows": ["deu_Latn\t0.9\r", "eng_Latn\r"],
}


@pytest.mark.parametrize("answers", RIGHT.values(), ids=RIGHT)
def test_answers_may_be_written_in_several_ways(tmp_path: Path, answers: list[str]) -> None:
    report = evaluate_predictions(write(tmp_path / "p.txt", answers), TWO)
    assert (report.lines, report.accuracy) == (2, 1.0)
    assert all(bin_.probability <= 1 for bin_ in report.reliability)
    assert sum(bin_.lines for bin_ in report.reliability) == sum(bool(re.search(r"\b[01]\b", a)) for a in answers)


@pytest.mark.parametrize("answer", ["und\t0.4", '{"label": "zxx", "probability": 1.0}', "__label__und 0.4"])
def test_the_probability_of_no_language_is_not_that_of_an_answer(tmp_path: Path, answer: str) -> None:
    report = evaluate_predictions(write(tmp_path / "p.txt", [answer, "eng_Latn\t0.75"]), TWO)
    assert report.undetermined + report.no_language == 0.5
    assert report.ece == pytest.approx(0.25)


WRONG = {
    "nothing": ([], r"p\.txt: has 0 answers, and the corpus more lines"),
    "too few": (["deu_Latn"], r"p\.txt: has 1 answers, and the corpus more lines"),
    "too many": (["deu_Latn", "eng_Latn", "eng_Latn"], r"p\.txt: has more answers than the corpus has lines \(2\)"),
    "an empty line": (["deu_Latn", ""], r"p\.txt:2: no label"),
    "no label before the tab": (["\t0.5"], r"p\.txt:1: no label"),
    "only a prefix": (["deu_Latn", "__label__"], r"p\.txt:2: no label"),
    "above one": (["deu_Latn\t0.5", "eng_Latn\t1.5"], r"p\.txt:2: 1\.5 is not a probability"),
    "below zero": (["deu_Latn\t-0.5"], r"p\.txt:1: -0\.5 is not a probability"),
    "not a number": (["deu_Latn\tnan"], r"p\.txt:1: nan is not a probability"),
    "infinite": (["deu_Latn\tinf"], r"p\.txt:1: inf is not a probability"),
    "JSON with a word": (['{"label": "a", "probability": "high"}'], r"p\.txt:1: 'high' is not a probability"),
    "JSON with NaN": (['{"label": "a", "probability": NaN}'], r"p\.txt:1: nan is not a probability"),
    "JSON cut short": (["deu_Latn", '{"label": "eng_La'], r"p\.txt:2: not an answer: .*"),
    "JSON too deep": (["deu_Latn", '{"label":' * 100_000], r"p\.txt:2: not an answer: .*"),
    "JSON without a label": (['{"probability": 0.5}'], r"p\.txt:1: not an answer: .*label.*"),
    "JSON of no answers": (['{"predictions": []}'], r"p\.txt:1: not an answer: .*"),
    "JSON of something else": (['{"predictions": {"label": "deu_Latn"}}'], r"p\.txt:1: not an answer: .*"),
    "JSON with null": (['{"label": null}'], r"p\.txt:1: no label"),
    "JSON with a number": (['{"label": 3}'], r"p\.txt:1: no label"),
}


@pytest.mark.parametrize(("answers", "named"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_answers_is_named(tmp_path: Path, answers: list[str], named: str) -> None:
    path = write(tmp_path / "p.txt", answers)
    with pytest.raises(CorpusError) as error:
        evaluate_predictions(path, iter(TWO))
    assert re.fullmatch(rf"{re.escape(str(tmp_path))}/{named}", str(error.value))


def test_a_file_that_has_no_answer_on_each_line_is_refused_by_its_name(tmp_path: Path) -> None:
    for name in ("p.parquet", "p.csv"):
        with pytest.raises(CorpusError, match=rf"{name}: .* files are not read( here)?; make TSV or JSON Lines"):
            evaluate_predictions(write(tmp_path / name, ["deu_Latn"]), TWO)


def test_a_model_and_a_corpus_are_not_confused(model: Model) -> None:
    with pytest.raises(UnilidError, match=r"^expected a model first and the corpus after it, not list$"):
        evaluate([("deu", "Guten Tag")], model)  # type: ignore[arg-type]


def test_answers_that_are_no_file_are_refused() -> None:
    with pytest.raises(UnilidError, match=r"^predictions are a file with an answer on each line, not list$"):
        evaluate_predictions(["deu"], [("deu", "Guten Tag")])  # type: ignore[arg-type]


def test_a_file_of_answers_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"nowhere\.tsv: cannot be read"):
        evaluate_predictions(tmp_path / "nowhere.tsv", TWO)


def test_a_label_that_cannot_be_written_does_not_spoil_the_report(tmp_path: Path) -> None:
    report = evaluate_predictions(write(tmp_path / "p.txt", ['{"label": "\\ud800"}', "\ufffe\x01"]), TWO)
    for written in (report.to_json(), view.markdown(report), view.html(report)):
        written.encode()


OTHERWISE = ["deu", "eng", "fra_Latn", "spam", "zxx"]


def test_labels_that_the_model_does_not_have_are_named_with_what_compares_them() -> None:
    model = unilid.load("compact")
    texts = ["Wo ist der Bahnhof?", "Where is the station?", "Où est la gare ?", "Kalimera", "12:30"]
    corpus = list(zip(OTHERWISE, texts, strict=True))
    report = evaluate(model, corpus)
    assert (report.accuracy, report.unknown) == (0.4, ["deu", "eng", "spam"])
    assert report.known_by == ["script_blind", "codes=bcp47"]
    for options in ({"script_blind": True}, {"codes": "bcp47"}):
        told = evaluate(model, corpus, **options)
        assert (told.accuracy, told.unknown, told.known_by) == (0.8, ["spam"], [])


@pytest.mark.parametrize(
    ("label", "options"),
    {
        "de": ["codes=bcp47", "codes=iso639_1"],
        "ara_Arab": ["macrolanguages", "codes=macro"],
        "German": [],
    }.items(),
)
def test_only_options_that_help_are_offered(label: str, options: list[str]) -> None:
    model = unilid.load("compact").subset(["deu_Latn", "arz_Arab"])
    assert evaluate(model, [(label, "Wo ist der Bahnhof?")]).known_by == options


def test_answers_of_another_system_may_have_labels_that_the_model_does_not_have(tmp_path: Path) -> None:
    (tmp_path / "answers.tsv").write_text("tlh\n")
    report = evaluate_predictions(tmp_path / "answers.tsv", [("tlh", "nuqneH")], lines={"deu": 7})
    assert (report.accuracy, report.unknown) == (1.0, [])
