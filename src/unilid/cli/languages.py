"""``unilid languages``: the labels of a model."""

from __future__ import annotations

import argparse

from unilid.cli.options import TABLE_OR_TSV, add_model, add_output, add_to, load_model, output_file, written_to

ABOUT = (
    "List, search and explain the labels of a model: names, codes, script, macrolanguage, training lines. A query is a "
    "code (ISO 639, BCP 47), which finds all that it can stand for, or a part of a name, in English or in the language "
    "itself."
)
EXAMPLE = "unilid languages german zh"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add what this verb takes."""
    command.add_argument("queries", nargs="*", metavar="QUERY", help="what to search for; the default is all labels")
    add_model(command)
    add_output(command)
    add_to(
        command, ("table", "tsv", "jsonl"), f"a table shows a single label in full, TSV has a header; {TABLE_OR_TSV}"
    )


def run(options: argparse.Namespace) -> None:
    """List, search and explain labels."""
    from unilid.cli import terminal  # after the parser, which has shown --help by now
    from unilid.languages import catalogue, view

    model = load_model(options.model)
    entries = catalogue.of_model(model.languages, model.lines.tolist(), model.info, options.queries)
    form = written_to(options)
    with output_file(options, model) as file:
        if form == "table":
            view.show(entries, terminal.console(file))
        elif form == "jsonl":
            import json  # slow to import, and needed for this form alone

            file.write("".join(f"{json.dumps(entry.record(), ensure_ascii=False)}\n" for entry in entries))
        else:
            file.write("".join("\t".join(cells) + "\n" for cells in view.rows(entries)))
