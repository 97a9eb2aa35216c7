"""``unilid train``: a model from labelled text."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from unilid.cli.options import (
    add_corpus_format,
    add_output_model,
    add_threads,
    check_model_writable,
    corpus_format,
    file_name,
    number_or,
    positive,
    positive_or_auto,
)
from unilid.display import sentence

ABOUT = (
    "Learn a model from labelled text: TSV (label, text), fastText lines, JSONL, Parquet, a folder with one file a "
    "language, WiLI's x_*.txt, or word lists (label, word, count); plain, gz, xz, bz2 or zst."
)
EXAMPLE = "unilid train corpus.tsv -o my.unilid"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add what this verb takes."""
    command.add_argument(
        "corpus", nargs="+", type=file_name, metavar="CORPUS", help="files or folders of labelled text"
    )
    add_output_model(command)
    command.add_argument(
        "--vocabulary",
        type=_vocabulary,
        default="auto",
        metavar="N|FILE",
        help="the number of tokens to learn, or a tokenizer file to take them from; the default is chosen from the "
        "amount of text",
    )
    command.add_argument(
        "--context",
        choices=("auto", "characters", "none"),
        default="auto",
        help="whether to learn the context model: held-out lines decide (auto, default), yes, or no",
    )
    command.add_argument(
        "--order",
        type=positive_or_auto,
        default="auto",
        metavar="N",
        help="the length of the longest n-grams of the context model; the default is 4, or 6 for much text",
    )
    command.add_argument(
        "--prune",
        default="auto",
        metavar="X",
        help="how much an n-gram must matter to be kept; `none` keeps all, and the default is chosen",
    )
    command.add_argument(
        "--unseen",
        choices=("shared", "additive"),
        default="shared",
        help="what a token costs that a language never saw: one constant for all (shared, default), or the paper's "
        "additive smoothing",
    )
    command.add_argument(
        "--bound",
        default="auto",
        metavar="NATS",
        help="how much one word may say against a language in full; `none` for the paper's, and the default is chosen",
    )
    command.add_argument(
        "--fragments",
        metavar="X",
        help="the share of a word's count that its fragments get, so that noise is known too (default: 0.3); `none` "
        "for the paper's",
    )
    command.add_argument(
        "--spellings",
        metavar="X",
        help="the share of a word's count that its other spellings get, such as Arabic without vowel points (default: "
        "0.3); `none` for the paper's",
    )
    command.add_argument(
        "--lexicon",
        default="auto",
        metavar="N",
        help="how many words of each language the lexicon keeps, which knows how frequent whole words are; `auto` "
        "(default) lets held-out lines decide where there is a context model, and `none` is the paper's, without one",
    )
    command.add_argument(
        "--no-signs", action="store_true", help="let words of letters alone count, not signs or digits"
    )
    command.add_argument(
        "--scripts",
        action="store_true",
        help="never name a language none of whose scripts occurs in the text",
    )
    command.add_argument(
        "--relatives",
        choices=("auto", "none"),
        default="auto",
        help="learn from training lines what tells close relatives apart, unless held-out lines speak against it "
        "(auto, default), or do not (none)",
    )
    command.add_argument("--no-tune", action="store_true", help="do not hold lines out to choose constants")
    command.add_argument("--cap", type=positive, metavar="N", help="use at most N lines of a language")
    command.add_argument("--seed", type=int, default=0, help="another seed chooses other lines (default: 0)")
    command.add_argument(
        "--key",
        default="auto",
        metavar="WHAT",
        help="lines with the same key are held out together; the key is the `text`; in parallel text, the `number` of "
        "the line among those of its label; `auto` (default): the text, which lines that seem to be translations of "
        "each other share; or a field of JSONL and Parquet, such as the name of a document",
    )
    add_corpus_format(command)
    command.add_argument("--fresh", action="store_true", help="do not reuse the finished stages of an interrupted run")
    add_threads(command)


def run(options: argparse.Namespace) -> None:
    """Train and write a model."""
    from unilid.cli import terminal  # after the parser, which has shown --help by now
    from unilid.corpus.reading import stored_files
    from unilid.training.stages import Stages
    from unilid.training.train import train

    output = Path(options.output)
    tokenizer = [options.vocabulary] if isinstance(options.vocabulary, str) else []
    check_model_writable(options.output, [*stored_files(options.corpus, options.format), *tokenizer])
    work = output.with_name(output.name + ".work")
    words = {"auto": "auto", "none": None}
    with terminal.Bars() as progress:
        stages = Stages(work, progress)
        if options.fresh:
            stages.clear()
        model = train(
            options.corpus,
            vocabulary=options.vocabulary,
            context=None if options.context == "none" else options.context,
            order=options.order,
            prune=number_or("prune", options.prune, words, "a number"),
            unseen=options.unseen,
            bound=number_or("bound", options.bound, words, "a number of nats"),
            **{
                name: number_or(name, given, {"none": None}, "a share")
                for name in ("fragments", "spellings")
                if (given := getattr(options, name)) is not None
            },
            lexicon=number_or("lexicon", options.lexicon, words, "a number of words", int),
            signs=not options.no_signs,
            scripts=options.scripts,
            relatives=None if options.relatives == "none" else "auto",
            tune=not options.no_tune,
            cap=options.cap,
            seed=options.seed,
            key=options.key,
            **corpus_format(options),
            threads=options.threads,
            progress=progress,
            work=work,
        ).save(output)
    stages.clear()
    told = f"{len(model.languages)} languages, {len(model.vocabulary)} tokens, {output.stat().st_size:,} bytes"
    print(sentence(f"{output}: {told}"), file=sys.stderr)


def _vocabulary(value: str) -> int | str:
    return positive(value) if value.isdecimal() else file_name(value)
