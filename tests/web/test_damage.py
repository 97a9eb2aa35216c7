"""Mutated model files with the right checksum: refused wherever Python refuses them, and never read out of bounds."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from support.node import needs_node, results

import unilid

pytestmark = needs_node

FUZZ = str(Path(__file__).parents[2] / "fuzz")
MUTANTS, PARTS = 80, 2
TEXTS = ["The fisherman mends his nets.", "Η σκεπή έχει ακόμα χιόνι", "漁師は港で", "12:30", "", "snø på taket"]


@pytest.fixture
def mutants(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [FUZZ, *sys.path])
    import model_mutations

    return model_mutations


@pytest.mark.parametrize("part", range(PARTS))
def test_a_mutant_is_refused_as_by_python_or_answers_as_in_python(part: int, mutants: Any, tmp_path: Path) -> None:
    refused = answered = 0
    path = tmp_path / "mutant.unilid"
    for number in range(part, MUTANTS, PARTS):
        content, changes = mutants.mutant(7, number)
        path.write_bytes(content)
        expected = answers(path)
        loading, *came = results(
            path, ("identify", TEXTS, {"k": 2}), ("spans", TEXTS[0]), ("explain", TEXTS[0]), ("teach", "new", TEXTS)
        )
        if "error" in loading:  # JavaScript may refuse more: what only means a number to Python
            assert loading["error"][0] == "ModelFileError", (number, changes, loading)
            refused += 1
            continue
        assert expected is not None, (number, changes)
        assert came[0].get("answer") == expected, (number, changes)
        stopped = [result for result in came if "stopped" in result.get("error", ["", ""])[1]]
        assert not stopped, (number, changes, stopped)
        answered += 1
    assert refused > 10
    assert answered > 5


def answers(path: Path) -> Any:
    """Python's answers as JSON has them, null for what is no number; None where it refuses the file."""
    try:
        model = unilid.load(path)
    except unilid.ModelFileError:
        return None
    rows = [[answer._asdict() for answer in ranked] for ranked in model.identify(TEXTS, k=2)]
    return json.loads(json.dumps(rows), parse_constant=lambda _: None)
