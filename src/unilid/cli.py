"""The command line: what each verb takes and does. What people see is written by `terminal`.

Heavy modules are imported by the command that needs them, so that ``--help`` is immediate.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from unilid.errors import UnilidError

if TYPE_CHECKING:
    from unilid.answers import Prediction
    from unilid.model import Model

_LARGEST = 2**31 - 1  # what the kernel counts with


def script() -> NoReturn:
    """Run the command of this process, and end the process: what only a program may do, and what a short run saves."""
    gc.set_threshold(100_000)  # importing makes many objects, and no garbage
    status = main()
    # The system takes memory back at once; Python would visit every object first.
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 0, 2 for bad input or usage, 130 when interrupted."""
    if sys.stderr is None:  # closed: what is printed to it would go to standard output, among the answers
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    options = parser().parse_args(arguments)
    # numpy's linear algebra is not used here, and its threads take longer to start than all else.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        if sys.stdout is None:
            raise UnilidError("there is no standard output to write to")
        options.run(options)
        sys.stdout.flush()
    except UnilidError as error:
        print(f"unilid: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        # Python would complain once more when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # whoever reads a pipe may have enough
            print(f"unilid: the output cannot be written: {error.strerror or error}", file=sys.stderr)
            return 2
    except KeyboardInterrupt:
        # A kernel call may still be running; nothing half-written is left, so leave at once.
        sys.stderr.flush()
        os._exit(130)
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(prog="unilid", description="Name the language of texts.")
    top.add_argument("--version", action=_Version)
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")

    command = _command(
        commands,
        "identify",
        identify,
        "Name the language of every line: label and probability, one output line for each input line.",
        "echo 'Wo ist der Bahnhof?' | unilid identify",
    )
    command.add_argument(
        "files", nargs="*", metavar="FILE", help="text, TSV, JSONL or Parquet; default: standard input"
    )
    command.add_argument("-t", "--text", action="append", help="identify this text instead of files")
    _model(command)
    command.add_argument("-k", type=_positive, metavar="N", help="the N best languages of each text")
    _asking(command)
    command.add_argument("--candidates", type=_positive, metavar="N", help="faster for very many labels; see the docs")
    command.add_argument(
        "--format", choices=("text", "tsv", "jsonl", "parquet"), help="of the input; default: by suffix"
    )
    command.add_argument("--field", metavar="NAME", help="field (JSONL) or column (Parquet) with the text")
    command.add_argument("--column", type=_positive, metavar="N", help="column (TSV) with the text, from 1")
    _format(command, "table: with names, bars and texts;")
    command.add_argument("--keep", action="store_true", help="repeat the input behind (TSV) or in (JSONL) the answer")
    _threads(command)

    command = _command(
        commands,
        "explain",
        explain,
        "Say why a text is in one language rather than in another: what each word says for it and against it, and what "
        "would have been said without bounding, a prior and so on.",
        "unilid explain 'Hva er klokka nå?' --instead da",
    )
    command.add_argument("texts", nargs="*", metavar="TEXT", help="default: the lines of standard input")
    command.add_argument("-t", "--text", action="append", default=[], help="explain this text; may begin with a dash")
    _model(command)
    command.add_argument("--language", metavar="A", help="label or code; default: the answer")
    command.add_argument("--instead", metavar="B", help="what to compare it with; default: the best of the others")
    _asking(command)
    command.add_argument(
        "-o",
        "--output",
        choices=("text", "json", "html"),
        default="text",
        help="text, in colours on a terminal; JSON, one line a text; a fragment of HTML",
    )

    command = _command(
        commands,
        "spans",
        spans,
        "Say which stretch of a mixed text is in which language: start, end, label, probability and text, one line for "
        "each stretch; on a terminal, the text in colours. A file is one text.",
        "unilid spans -t 'Er sagte: that is none of your business. Dann ging er nach Hause.'",
    )
    command.add_argument("file", nargs="?", metavar="FILE", help="plain text, perhaps compressed; default: stdin")
    command.add_argument("-t", "--text", help="this text instead of a file")
    _model(command)
    _competing(command)
    command.add_argument(
        "--switch", type=float, metavar="NATS", help="evidence that a change takes; less finds shorter quotations"
    )
    command.add_argument("--least", type=_positive, default=1, metavar="N", help="letters of a stretch")
    command.add_argument("--most", type=_positive, metavar="N", help="languages of the text")
    command.add_argument("--bytes", action="store_true", help="start and end count bytes; default: characters")
    command.add_argument(
        "-o", "--output", choices=("colours", "tsv", "jsonl"), help="default: colours on a terminal, else TSV"
    )

    command = _command(
        commands,
        "train",
        train,
        "Learn a model from labelled text: TSV (label, text), fastText lines, JSONL, Parquet, a folder with one file a "
        "language, WiLI's x_*.txt, or word lists (label, word, count); plain, gz, xz, bz2 or zst.",
        "unilid train corpus.tsv -o my.unilid",
    )
    command.add_argument("corpus", nargs="+", metavar="CORPUS")
    command.add_argument("-o", "--output", required=True, metavar="MODEL")
    command.add_argument(
        "--vocabulary",
        type=_vocabulary,
        metavar="N|FILE",
        help="tokens to learn, or a tokenizer file to take them from",
    )
    command.add_argument("--context", choices=("auto", "characters", "none"), default="auto", help="the context model")
    command.add_argument("--order", type=_positive, metavar="N", help="of the context model; default: chosen")
    command.add_argument("--prune", type=float, metavar="X", help="drop n-grams that matter less; 0 keeps all")
    command.add_argument("--unseen", choices=("shared", "additive"), default="shared", help="what unseen tokens get")
    command.add_argument("--bound", default="auto", metavar="auto|none|NATS", help="how much one word may say")
    command.add_argument(
        "--fragments", type=float, metavar="X", help="learn what noise leaves of words; 0: the paper's"
    )
    command.add_argument("--no-tune", action="store_true", help="hold no lines out to choose constants")
    command.add_argument("--cap", type=_positive, metavar="N", help="at most N lines of a language")
    command.add_argument("--seed", type=int, default=0)
    _corpus(command)
    command.add_argument("--fresh", action="store_true", help="do not reuse the finished stages of an interrupted run")
    _threads(command)

    command = _command(
        commands,
        "calibrate",
        calibrate,
        "Fit a model's decisions: the paper's calibrated UniLID from the text it was trained on, probabilities and "
        "rejection from labelled text it has not seen, a prior from a sample of what it will be asked about.",
        "unilid calibrate corpus.tsv --validation more.tsv -m my.unilid -o better.unilid",
    )
    command.add_argument("corpus", nargs="*", metavar="CORPUS", help="the training text")
    _model(command)
    command.add_argument("-o", "--output", required=True, metavar="MODEL")
    command.add_argument("--validation", nargs="+", metavar="FILE", help="labelled text that the model has not seen")
    command.add_argument(
        "--preset", choices=("paper",), help="exactly the paper's constants; default: scaled or chosen"
    )
    command.add_argument(
        "--prior", default="model", metavar="PRIOR", help="that the model will be asked with; see identify"
    )
    command.add_argument(
        "--prior-from", nargs="+", metavar="FILE", help="plain text, one sample a line, without labels"
    )
    _corpus(command)
    _threads(command)

    command = _command(
        commands,
        "evaluate",
        evaluate,
        "Say how good a model's answers, or those in a file, are on labelled text.",
        "unilid evaluate test.tsv -m my.unilid --html report.html",
    )
    command.add_argument("corpus", nargs="+", metavar="CORPUS", help="labelled text, in any format that train reads")
    _model(command)
    command.add_argument("--predictions", metavar="FILE", help="answers, one a line, instead of asking a model")
    command.add_argument("--against", metavar="FILE", help="predictions or a model to compare with")
    _asking(command)
    command.add_argument("--macrolanguages", action="store_true", help="compare labels by their macrolanguages")
    command.add_argument("--script-blind", action="store_true", help="compare labels without their scripts")
    command.add_argument("--json", metavar="FILE", help="write all figures as JSON")
    command.add_argument("--markdown", metavar="FILE", help="write all tables as Markdown")
    command.add_argument("--html", metavar="FILE", help="write a page with plots")
    _corpus(command)
    _threads(command)

    command = _command(
        commands,
        "add",
        add,
        "Teach a model a new language from a few lines of plain text. The other languages are not touched.",
        "unilid add xyz_Latn lines.txt -o my.unilid",
    )
    command.add_argument("label", metavar="LABEL")
    command.add_argument("files", nargs="*", metavar="FILE", help="default: standard input")
    _model(command)
    command.add_argument("-o", "--output", required=True, metavar="MODEL")

    command = _command(
        commands,
        "subset",
        subset,
        "Keep some languages of a model, or all but some.",
        "unilid subset deu_Latn eng_Latn -o small.unilid",
    )
    command.add_argument("labels", nargs="+", metavar="LABEL")
    command.add_argument("--remove", action="store_true", help="remove these languages instead of keeping them")
    _model(command)
    command.add_argument("-o", "--output", required=True, metavar="MODEL")

    command = _command(
        commands,
        "languages",
        languages,
        "List, search and explain the labels of a model: names, codes, script, macrolanguage, training lines. A query "
        "is a code (ISO 639, BCP 47, a macrolanguage) or a part of a name, in English or in the language itself.",
        "unilid languages german zh",
    )
    command.add_argument("queries", nargs="*", metavar="QUERY", help="default: all labels")
    _model(command)
    _format(command, "table: one label in full; tsv: with a header;")

    command = _command(commands, "info", info, "Say what is inside a model.", "unilid info -m my.unilid --labels")
    _model(command)
    command.add_argument("--labels", action="store_true", help="list the labels with their training lines")
    _format(command)

    command = _command(
        commands,
        "completion",
        completion,
        "Write a script that lets a shell complete this command: verbs, options, files, labels. In ~/.bashrc: "
        "source <(unilid completion bash); in ~/.zshrc, after compinit: source <(unilid completion zsh); for fish: "
        "unilid completion fish > ~/.config/fish/completions/unilid.fish",
        "unilid completion bash > unilid.bash",
    )
    command.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help="bash, zsh or fish")
    return top


# ---- commands


def identify(options: argparse.Namespace) -> None:
    """Answer line by line."""
    from unilid import streams, terminal
    from unilid.stages import cores

    model = _load(options.model)
    ask = {
        "k": options.k or 1,
        **_asked(options),
        "candidates": options.candidates,
        "threads": options.threads or cores(),
    }
    if options.text and options.files:
        raise UnilidError("give texts with -t, or files, not both")
    model.identify([], **ask)  # what is asked for is checked before anything is read
    out = sys.stdout.buffer
    output = _output(options)
    table = None
    if output == "table":
        table = terminal.Answers(model.languages, width=terminal.width(), colour=terminal.coloured(sys.stdout))

    def answer(batch: streams.TextBatch) -> None:
        answers = model.identify(batch.texts, **ask)
        if table is not None:
            for text, ranked in zip(batch.texts, answers, strict=True):
                out.write("".join(f"{line}\n" for line in table.lines(text, ranked)).encode())
        elif output == "jsonl":
            streams.write_jsonl(out, batch, [_record(ranked, options.k) for ranked in answers], keep=options.keep)
        else:
            streams.write_tsv(out, batch, [_cells(ranked) for ranked in answers], keep=options.keep)

    if options.text:
        texts = [os.fsencode(text) for text in options.text]  # the bytes that were typed
        answer(streams.TextBatch(list(texts), list(texts)))
        return
    if not options.files and sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty():
        print("unilid: type a text a line, and Ctrl-D at the end", file=sys.stderr)
    for file in options.files or ["-"]:
        if " " in file and not Path(file).exists():
            raise UnilidError(f"there is no file {file!r}; to identify a text, give it with -t")
        for batch in streams.read_texts(file, format=options.format, field=options.field, column=options.column):
            answer(batch)
            out.flush()


def explain(options: argparse.Namespace) -> None:
    """Explain answers."""
    from unilid import explanation_views, streams

    model = _load(options.model)
    asked = {"language": options.language, "instead": options.instead, **_asked(options)}
    given: list[Any] = [os.fsencode(text) for text in (*options.texts, *options.text)]
    batches: Any = [streams.TextBatch(given, given)] if given else streams.read_texts("-", format="text")
    for number, text in enumerate(text for batch in batches for text in batch.texts):
        explanation_views.write(model.explain(text, **asked), options.output, sys.stdout, first=number == 0)


def spans(options: argparse.Namespace) -> None:
    """Find the languages of one text."""
    from unilid import spantext, streams

    if options.text is not None and options.file is not None:
        raise UnilidError("give a text with -t, or a file, not both")
    model = _load(options.model)
    ask = {
        "languages": None if options.languages is None else options.languages.split(","),
        "prior": _prior(options.prior),
        "least": options.least,
        "most": options.most,
        **({} if options.switch is None else {"switch": options.switch}),
    }
    model.spans("", **ask)  # what is asked for is checked before anything is read
    data = streams.read_whole(options.file) if options.text is None else os.fsencode(options.text)
    text = data if options.bytes else data.decode("utf-8", "surrogateescape")
    found = model.spans(text, **ask)
    output = options.output or ("colours" if sys.stdout.isatty() else "tsv")
    if output == "colours":
        from rich.console import Console

        spantext.show(text, found, Console(soft_wrap=True))
    elif output == "tsv":
        spantext.write_tsv(sys.stdout.buffer, text, found)
    else:
        spantext.write_jsonl(sys.stdout.buffer, text, found)


def train(options: argparse.Namespace) -> None:
    """Train and write a model."""
    from unilid import terminal
    from unilid.stages import Finished
    from unilid.training import train as train_model

    output = Path(options.output)
    _check_writable(output, options.corpus)
    work = output.with_name(output.name + ".work")
    with terminal.Bars() as progress:
        finished = Finished(work, progress)
        if options.fresh:
            finished.clear()
        model = train_model(
            options.corpus,
            vocabulary=options.vocabulary,
            context=None if options.context == "none" else options.context,
            order=options.order,
            **({} if options.prune is None else {"prune": options.prune}),
            unseen=options.unseen,
            bound=_bound(options.bound),
            **({} if options.fragments is None else {"fragments": options.fragments}),
            tune=not options.no_tune,
            cap=options.cap,
            seed=options.seed,
            **_fields(options),
            threads=options.threads,
            progress=progress,
            work=work,
        ).save(output)
    finished.clear()
    print(
        f"{output}: {len(model.languages)} languages, {len(model.vocabulary)} tokens, {output.stat().st_size:,} bytes",
        file=sys.stderr,
    )


def calibrate(options: argparse.Namespace) -> None:
    """Fit decisions and write a model."""
    from unilid import streams, terminal
    from unilid.fitting import calibrate as calibrate_model

    output = Path(options.output)
    _check_writable(output, [*options.corpus, *(options.validation or []), *(options.prior_from or [])])
    model = _load(options.model)
    texts = None
    if options.prior_from:
        texts = [
            text
            for file in options.prior_from
            for batch in streams.read_texts(file, format="text")
            for text in batch.texts
        ]
    with terminal.Bars() as progress:
        model = calibrate_model(
            model,
            options.corpus or None,
            validation=options.validation,
            rules=options.preset,
            prior=_prior(options.prior),
            prior_from=texts,
            **_fields(options),
            threads=options.threads,
            progress=progress,
        )
    model.save(output)
    found = model.decisions.calibration
    examined = 0 if found is None else int((found.thresholds > 0).sum())
    print(f"{output}: {len(model.languages)} languages, {examined} of them examined again", file=sys.stderr)


def evaluate(options: argparse.Namespace) -> None:
    """Evaluate and report."""
    from unilid import evaluation, reports, terminal
    from unilid.files import write_atomically

    outputs = {name: Path(path) for name in ("json", "markdown", "html") if (path := getattr(options, name))}
    for path in outputs.values():
        _check_writable(path, options.corpus)
    shared = {
        "macrolanguages": options.macrolanguages,
        "script_blind": options.script_blind,
        **_fields(options),
    }
    asked = {**_asked(options), "threads": options.threads}
    model = None if options.predictions and not options.model else _load(options.model)
    rival = None
    if options.against and Path(options.against).suffix == ".unilid":
        rival = _load(options.against)
    if options.predictions and rival is None:
        usual = {"languages": None, "prior": "model", "calibrated": None, "abstain": "yes"}
        for name, default in usual.items():
            if getattr(options, name) != default:
                raise UnilidError(f"--{name} is for asking a model; answers in --predictions were given without it")
    for answers in (options.predictions, None if rival else options.against):
        if answers and not Path(answers).is_file():  # before the work, not after it
            raise UnilidError(f"{answers}: cannot be read: No such file or directory")
    lines = None if model is None else dict(zip(model.languages, model.lines.tolist(), strict=True))

    def measured(asking: Model | None, answers: str | None) -> evaluation.Report:
        if asking is None:
            assert answers is not None
            return evaluation.evaluate_predictions(answers, options.corpus, lines=lines, progress=progress, **shared)
        calibrated = options.calibrated if asking is model else None  # what the other one may have or not
        return evaluation.evaluate(
            asking, options.corpus, progress=progress, **{**asked, "calibrated": calibrated}, **shared
        )

    with terminal.Bars() as progress:
        report = measured(None if options.predictions else model, options.predictions)
        differences: list[evaluation.Difference] = []
        if options.against:
            differences = evaluation.compare(measured(rival, options.against), report)
    title = (
        f"{options.predictions or options.model or 'unilid'} on {', '.join(Path(path).name for path in options.corpus)}"
    )
    write = {
        "json": lambda: report.to_json(differences) + "\n",
        "markdown": lambda: reports.markdown(report, differences, title=title),
        "html": lambda: reports.html(report, differences, title=title),
    }
    for name, path in outputs.items():
        with write_atomically(path) as file:
            file.write(write[name]().encode())
    reports.show(report, terminal.console(), differences)


def add(options: argparse.Namespace) -> None:
    """Add a language."""
    from unilid import streams

    output = Path(options.output)
    _check_writable(output, options.files)
    model = _load(options.model)
    lines = [
        text
        for file in options.files or ["-"]
        for batch in streams.read_texts(file, format="text")
        for text in batch.texts
        if text
    ]
    model = model.add_language(options.label, lines).save(output)
    learned = f"{len(lines)} line" + "s" * (len(lines) != 1)
    print(f"{output}: {len(model.languages)} languages, {options.label} from {learned}", file=sys.stderr)


def subset(options: argparse.Namespace) -> None:
    """Keep or remove languages."""
    output = Path(options.output)
    _check_writable(output)
    model = _load(options.model)
    codes = [code for written in options.labels for code in written.split(",")]
    model = model.remove_languages(codes) if options.remove else model.subset(codes)
    model.save(output)
    print(f"{output}: {len(model.languages)} languages", file=sys.stderr)


def languages(options: argparse.Namespace) -> None:
    """List, search and explain labels."""
    from unilid import catalogue, terminal

    model = _load(options.model)
    found = catalogue.entries(model)
    if options.queries:
        found = list(dict.fromkeys(entry for query in options.queries for entry in catalogue.search(model, query)))
    output = _output(options)
    if output == "table":
        catalogue.show(found, terminal.console())
    elif output == "tsv":
        for cells in catalogue.rows(found):
            print("\t".join(cells))
    else:
        import json

        for entry in found:
            print(json.dumps(entry.record(), ensure_ascii=False))


def info(options: argparse.Namespace) -> None:
    """Describe a model."""
    import json
    from dataclasses import asdict

    from unilid import terminal

    model = _load(options.model)
    assert model.path is not None
    found = model.decisions.calibration
    facts: dict[str, Any] = {
        "path": str(model.path),
        "bytes": model.path.stat().st_size,
        "languages": len(model.languages),
        "tokens": len(model.vocabulary),
        "unigram entries": len(model.unigram.costs),
        "context entries": sum(len(level.costs) for level in model.context.levels) if model.context else 0,
        "training lines": int(model.lines.sum()),
        **asdict(model.settings),
        "temperature": " ".join(f"{value:.3g}" for value in asdict(model.decisions.temperature).values()),
        "rejects": model.decisions.rejection is not None,
        "examines again": 0 if found is None else int((found.thresholds > 0).sum()),
        "prior fitted": model.decisions.prior is not None,
        **{name: value for name, value in model.info.items() if name != "labels"},
    }
    labels = dict(zip(model.languages, model.lines.tolist(), strict=True)) if options.labels else {}
    output = _output(options)
    if output == "jsonl":
        print(json.dumps({**facts, **({"labels": labels} if labels else {})}, ensure_ascii=False))
        return
    for part in filter(None, ({name.replace("_", " "): value for name, value in facts.items()}, labels)):
        if part is labels:
            print()
        lines = terminal.facts(part) if output == "table" else [f"{name}\t{value}" for name, value in part.items()]
        print("\n".join(lines))


def completion(options: argparse.Namespace) -> None:
    """Write a completion script."""
    from unilid.completion import script

    print(script(options.shell, parser()), end="")


# ---- parts


def _command(commands: Any, name: str, run: Any, description: str, example: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=description.split(":")[0].split(".")[0],
        description=description,
        epilog=f"example: {example}",
    )
    command.set_defaults(run=run)
    return command


def _corpus(command: argparse.ArgumentParser) -> None:
    command.add_argument("--format", metavar="NAME", help="of the corpus; default: found out")
    command.add_argument("--text-field", default="text", metavar="NAME")
    command.add_argument("--label-field", default="label", metavar="NAME")


def _fields(options: argparse.Namespace) -> dict[str, Any]:
    return {"format": options.format, "text_field": options.text_field, "label_field": options.label_field}


def _model(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "-m", "--model", metavar="MODEL", help="model file, or `compact`; default: the one in the package"
    )


def _format(command: argparse.ArgumentParser, about: str = "") -> None:
    command.add_argument(
        "-o", "--output", choices=("table", "tsv", "jsonl"), help=f"{about} default: table on a terminal, else tsv"
    )


def _output(options: argparse.Namespace) -> str:
    return options.output or ("table" if sys.stdout.isatty() else "tsv")


def _competing(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "-l", "--languages", metavar="A,B,...", help="only these compete: labels or codes (ISO 639, BCP 47)"
    )
    command.add_argument(
        "--prior", default="model", metavar="PRIOR", help="none, training, model (default) or language=probability,..."
    )


def _asking(command: argparse.ArgumentParser) -> None:
    _competing(command)
    command.add_argument("--calibrated", action=argparse.BooleanOptionalAction, help="examine small margins again")
    command.add_argument(
        "--abstain", default="yes", metavar="SHARE", help="of ordinary text that may be `und`; no: always a language"
    )


def _asked(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "languages": None if options.languages is None else options.languages.split(","),
        "prior": _prior(options.prior),
        "calibrated": options.calibrated,
        "abstain": _abstain(options.abstain),
    }


def _threads(command: argparse.ArgumentParser) -> None:
    command.add_argument("--threads", type=_positive, metavar="N", help="default: all cores")


def _positive(written: str) -> int:
    if not written.isdecimal() or int(written) < 1:
        raise argparse.ArgumentTypeError(f"{written!r} is not a positive number")
    if int(written) > _LARGEST:
        raise argparse.ArgumentTypeError(f"{written} is too large")
    return int(written)


def _vocabulary(written: str) -> int | str:
    return _positive(written) if written.isdecimal() else written


def _bound(written: str) -> Any:
    if written in ("auto", "none"):
        return "auto" if written == "auto" else None
    try:
        return float(written)
    except ValueError:
        raise UnilidError(f"--bound takes auto, none or a number of nats, not {written!r}") from None


def _abstain(written: str) -> Any:
    if written in ("yes", "no"):
        return written == "yes"
    try:
        return float(written)
    except ValueError:
        raise UnilidError(f"--abstain takes yes, no or a share of texts, not {written!r}") from None


def _prior(written: str) -> Any:
    if written in ("none", "training", "model"):
        return None if written == "none" else written
    try:
        pairs = [pair.split("=") for pair in written.split(",")]
        return {label: float(probability) for label, probability in pairs}
    except ValueError:
        raise UnilidError(f"--prior takes none, training, model or label=probability,..., not {written!r}") from None


def _load(path: str | None) -> Model:
    from unilid.model import load

    return load(path)


def _check_writable(output: Path, inputs: Sequence[str] = ()) -> None:
    """Fail before the work, not after it, and write over nothing that is read."""
    if output.is_file() and any(output.resolve() == Path(name).resolve() for name in inputs):
        raise UnilidError(f"{output}: is one of the files to read; write to another one")
    folder = output.resolve().parent
    if not folder.is_dir():
        raise UnilidError(f"{output}: there is no folder {folder}; make it first")
    if not os.access(folder, os.W_OK) or (output.exists() and not output.is_file()):
        raise UnilidError(f"{output}: cannot be written")


def _cells(ranked: list[Prediction]) -> list[str]:
    return [cell for p in ranked for cell in (p.label, f"{p.probability:.4f}")]


def _record(ranked: list[Prediction], k: int | None) -> dict[str, object]:
    records: list[dict[str, object]] = []
    for p in ranked:
        record: dict[str, object] = {"label": p.label, "probability": round(p.probability, 6), "score": p.score}
        records.append(record | {k: v for k, v in (("reason", p.reason), ("guess", p.guess)) if v is not None})
    return records[0] if k is None else {"predictions": records}


class _Version(argparse.Action):
    def __init__(self, option_strings: Sequence[str], dest: str, **_: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show the version")

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        print(f"unilid {version('unilid')}")
        parser.exit()


if __name__ == "__main__":
    script()
