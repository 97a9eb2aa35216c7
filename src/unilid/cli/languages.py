"""``unilid languages``: the labels of a model."""

from __future__ import annotations

import argparse

from unilid.cli.options import add_model, add_output_format, load_model, output_format

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
    add_output_format(command, "a table shows a single label in full; TSV has a header; ")


def run(options: argparse.Namespace) -> None:
    """List, search and explain labels."""
    from unilid.cli import terminal  # after the parser, which has shown --help by now
    from unilid.languages import catalogue, view

    model = load_model(options.model)
    entries = catalogue.entries(model.languages, model.lines.tolist(), model.info.get("labels", {}))
    if options.queries:
        matches = (entry for query in options.queries for entry in catalogue.search(entries, query))
        entries = list(dict.fromkeys(matches))
    output = output_format(options)
    if output == "table":
        view.show(entries, terminal.console())
    elif output == "tsv":
        for cells in view.rows(entries):
            print("\t".join(cells))
    else:
        import json  # slow to import, and needed for this form alone

        for entry in entries:
            print(json.dumps(entry.record(), ensure_ascii=False))
