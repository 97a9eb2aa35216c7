"""datatrove: its `LID`, and a filter in a pipeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.adapters import SPOKEN, compact
from support.libraries import library

library("datatrove")
from datatrove.data import Document  # noqa: E402
from datatrove.executor import LocalPipelineExecutor  # noqa: E402
from datatrove.pipeline.readers import JsonlReader  # noqa: E402
from datatrove.pipeline.writers import JsonlWriter  # noqa: E402
from datatrove.utils.lid import LID  # noqa: E402

from unilid.datatrove import UnilidFilter, UnilidLID  # noqa: E402  # needs datatrove


def documents() -> list[Any]:
    return [Document(text, id=str(number)) for number, text in enumerate(SPOKEN)]


def test_the_best_pair_and_all_pairs() -> None:
    lid = UnilidLID(model="compact", k=3)
    assert isinstance(lid, LID)
    (label, score), pairs = lid.predict(documents()[0])
    expected = compact().identify(SPOKEN[0], k=3)
    assert (label, score) == (expected[0].label, expected[0].probability)
    assert pairs == {answer.label: answer.probability for answer in expected}
    assert lid.predict_batch(documents()) == [lid.predict(doc) for doc in documents()]


def test_pairs_of_the_languages_that_are_asked_for() -> None:
    lid = UnilidLID(["de", "eng_Latn", "zh"], model="compact")
    (label, _), pairs = lid.predict(documents()[0])
    assert label == "deu_Latn"
    assert list(pairs) == ["de", "eng_Latn", "zh"]
    assert pairs["de"] > 0.9 > pairs["eng_Latn"]
    assert pairs["zh"] == 0


def test_what_has_no_language_has_no_score() -> None:
    predicted = UnilidLID(model="compact").predict_batch(documents())
    best = [pair for pair, _ in predicted]
    assert best[2] == ("zxx", 0.0)
    assert best[3] == ("und", 0.0)
    assert "zxx" not in predicted[2][1]
    assert predicted[3][1]  # guesses


@pytest.mark.parametrize("batch_size", [1, 3])
@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        ({}, ["0", "1", "4"]),
        ({"languages": "de"}, ["0"]),
        ({"languages": ["fr", "eng_Latn"]}, ["1", "4"]),
        ({"language_threshold": 0.99999}, []),
        ({"label_only": True}, ["0", "1", "2", "3", "4"]),
    ],
    ids=str,
)
def test_a_filter_keeps_languages(batch_size: int, arguments: dict[str, Any], kept: list[str]) -> None:
    step = UnilidFilter(**arguments, model="compact", batch_size=batch_size)
    assert [doc.id for doc in step.run(documents())] == kept


def test_metadata_are_those_of_glotlid() -> None:
    step = UnilidFilter(label_only=True, keep_top_pairs_threshold=0.5, model="compact")
    first, _, third, *_ = step.run(documents())
    answer = compact().identify(SPOKEN[0])
    assert first.metadata == {
        "language": "deu",
        "language_script": "Latn",
        "language_score": answer.probability,
        "top_language_deu_Latn_score": answer.probability,
    }
    assert third.metadata == {"language": "zxx", "language_script": "Zyyy", "language_score": 0.0}


def test_a_pipeline_with_processes(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for part in range(2):
        lines = [json.dumps({"id": f"{part}/{n}", "text": text}) for n, text in enumerate(SPOKEN)]
        (source / f"{part}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    pipeline = [
        JsonlReader(str(source)),
        UnilidFilter(["de"], model="compact"),
        JsonlWriter(str(tmp_path / "out"), "${language}_${language_script}_${rank}.jsonl", compression=None),
    ]
    LocalPipelineExecutor(pipeline, tasks=2, workers=2, logging_dir=str(tmp_path / "logs")).run()
    written = sorted((tmp_path / "out").glob("*.jsonl"))
    assert [file.name.split("_0")[0] for file in written] == ["deu_Latn", "deu_Latn"]
    assert [len(file.read_text(encoding="utf-8").splitlines()) for file in written] == [1, 1]
