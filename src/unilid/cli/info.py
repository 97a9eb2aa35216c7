"""``unilid info``: what is inside a model."""

from __future__ import annotations

import argparse
import json
from typing import Any

from unilid.cli.options import TABLE_OR_TSV, add_model, add_output, add_to, load_model, output_file, written_to

ABOUT = "Say what is inside a model."
EXAMPLE = "unilid info -m my.unilid --labels"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add what this verb takes."""
    add_model(command)
    command.add_argument("--labels", action="store_true", help="list the labels with their training lines")
    add_output(command)
    add_to(command, ("table", "tsv", "jsonl"), TABLE_OR_TSV)


def run(options: argparse.Namespace) -> None:
    """Describe a model."""
    from dataclasses import asdict  # after the parser, which has shown --help by now

    from unilid.cli import terminal

    model = load_model(options.model)
    assert model.path is not None
    parameters, decisions = model.parameters, model.decisions
    calibration = decisions.calibration
    facts: dict[str, Any] = {
        "path": str(model.path),
        "bytes": model.path.stat().st_size,
        "languages": len(model.languages),
        "tokens": parameters.token_count,
        "unigram entries": len(parameters.unigram.costs),
        "context entries": sum(len(level.costs) for level in parameters.context.levels) if parameters.context else 0,
        "training lines": int(model.lines.sum()),
        **asdict(model.settings),
        "temperature": " ".join(f"{value:.3g}" for value in asdict(decisions.temperature).values()),
        "rejects": decisions.rejection is not None,
        "re-ranks": 0 if calibration is None else int((calibration.thresholds > 0).sum()),
        "prior fitted": decisions.prior is not None,
        "handicaps fitted": decisions.handicaps is not None,
        **{name: value for name, value in model.info.items() if name != "labels"},
    }
    labels = dict(sorted(zip(model.languages, model.lines.tolist(), strict=True))) if options.labels else {}
    form = written_to(options)
    if form == "jsonl":
        lines = [json.dumps({**facts, **({"labels": labels} if labels else {})}, ensure_ascii=False)]
    else:
        lines = []
        for part in filter(None, ({name.replace("_", " "): value for name, value in facts.items()}, labels)):
            lines += [""] if part is labels else []
            lines += terminal.facts(part) if form == "table" else terminal.cells(part)
    with output_file(options, model) as file:
        file.write("".join(f"{line}\n" for line in lines))
