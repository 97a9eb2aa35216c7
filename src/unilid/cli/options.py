"""Options that several verbs share: how they are written, and what they come to."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from unilid.errors import UnilidError
from unilid.languages.usual import CODES

if TYPE_CHECKING:
    from unilid.model import Model

SOME_BAD = 3
"""The exit status where some records were bad, and the others were answered."""

_STANDARD_OUTPUT = ("-", "/dev/stdout")

_LARGEST = 2**31 - 1
"""The largest number that the kernel counts with."""


def add_model(command: argparse.ArgumentParser) -> None:
    """Add the option for the model."""
    command.add_argument(
        "-m",
        "--model",
        type=file_name,
        metavar="MODEL",
        help="the model: a file, a folder that `export --hub` wrote, or hf://user/name[@revision] on the Hugging Face "
        "Hub; `compact` is the small model in the package, and the default is the large one there",
    )


def file_name(value: str) -> str:
    """Return the name of a file or folder; an empty one, as of a variable that is not set, would be this folder."""
    if not value:
        raise argparse.ArgumentTypeError("the name of a file is empty")
    return value


def file_to_write(value: str) -> str:
    """Return the name of a file; standard output is for answers."""
    if value in _STANDARD_OUTPUT:
        raise argparse.ArgumentTypeError(f"{value} is standard output, which is not for this; name a file")
    return file_name(value)


def _output(value: str) -> str | None:
    return None if value in _STANDARD_OUTPUT else file_name(value)


def add_output_model(command: argparse.ArgumentParser) -> None:
    """Add the option for the model to write."""
    command.add_argument(
        "-o", "--output", required=True, type=file_to_write, metavar="MODEL", help="the model file to write"
    )


def add_output(command: argparse._ActionsContainer, about: str = "") -> None:
    """Add the option for the file to write."""
    command.add_argument(
        "-o",
        "--output",
        type=_output,
        metavar="FILE",
        help=f"write to this file, whole or not at all, instead of standard output (-){about}",
    )


def add_to(command: argparse._ActionsContainer, formats: Sequence[str], default: str) -> None:
    """Add the option for the format that is written."""
    command.add_argument("--to", choices=formats, help=f"the format to write; {default}")


TABLE_OR_TSV = "the default is a table on a terminal, and TSV elsewhere"


def written_to(options: argparse.Namespace) -> str | None:
    """Return the format asked for: by name, by the suffix of the output, or by a terminal; None where nothing does."""
    return options.to or by_suffix(options.output) or ("table" if on_terminal(options) else None)


def by_suffix(output: str | None) -> str | None:
    """Return the format that the suffix of an output tells, if it does."""
    from unilid.cli.records import form_of  # after the parser

    form = None if output is None or output.endswith("/") else form_of(output)
    return "tsv" if form == "text" else form


def on_terminal(options: argparse.Namespace) -> bool:
    """Whether the output is for a person to read."""
    return options.output is None and sys.stdout.isatty()


@contextmanager
def output_file(options: argparse.Namespace, model: Model, inputs: Sequence[str] = ()) -> Iterator[TextIO]:
    """Yield the file to write to, or standard output; both have a `buffer` for bytes."""
    if options.output is None:
        yield sys.stdout
        return
    from io import TextIOWrapper

    from unilid.files import write_compressed  # after the parser

    check_suffix(options.output, options.to)
    if options.to is None and by_suffix(options.output) == "parquet":
        raise UnilidError(f"{options.output}: only identify writes Parquet; give it another suffix, or say --to what")
    check_writable([options.output], [*inputs, *files_of(model)])
    with write_compressed(options.output) as stored:
        file = TextIOWrapper(stored, "utf-8", "backslashreplace", newline="\n", write_through=True)
        yield file
        file.detach()


def add_corpus_format(command: argparse.ArgumentParser) -> None:
    """Add the options for the format of labelled text."""
    command.add_argument(
        "--format",
        default="auto",
        metavar="NAME",
        help="the format of the corpus: tsv, fasttext, jsonl, parquet, folder, wili or words; "
        "overrides what is recognised by the name and the first lines",
    )
    command.add_argument(
        "--text-field", default="text", metavar="NAME", help="the field (JSONL) or column (Parquet) with the text"
    )
    command.add_argument(
        "--label-field", default="label", metavar="NAME", help="the field (JSONL) or column (Parquet) with the label"
    )


def corpus_format(options: argparse.Namespace) -> dict[str, Any]:
    """Return the format of labelled text as the library's arguments."""
    return {"format": options.format, "text_field": options.text_field, "label_field": options.label_field}


def add_competitors(command: argparse.ArgumentParser) -> None:
    """Add the options for who competes and how likely each is."""
    command.add_argument(
        "-l",
        "--languages",
        metavar="A,B,...",
        help="let only these languages compete: labels of the model or codes (ISO 639, BCP 47), with commas; a code "
        "means the usual language and script, and `zh-*` everything that zh can stand for",
    )
    command.add_argument(
        "--prior",
        default="model",
        metavar="PRIOR",
        help="how frequent languages are: `model` is the prior fitted for the model (default), `training` that of its "
        "training lines, `none` a uniform one; or language=probability,... for some of them",
    )


def add_answering(command: argparse.ArgumentParser) -> None:
    """Add the options of an answer; see `unilid.Options`."""
    add_competitors(command)
    command.add_argument(
        "--calibrated",
        action=argparse.BooleanOptionalAction,
        help="re-rank narrow wins of over-predicted languages; the default is to do so where the model was calibrated",
    )
    command.add_argument(
        "--abstain",
        default="yes",
        metavar="SHARE",
        help="the share of ordinary text that may be answered `und` (default: 0.002); `no` always names a language",
    )


def answering(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of an answer as the library's."""
    return {
        **competitors(options),
        "calibrated": "auto" if options.calibrated is None else options.calibrated,
        "abstain": _abstain(options.abstain),
    }


def add_budget(command: argparse.ArgumentParser) -> None:
    """Add the option for how much of a long text is read."""
    command.add_argument(
        "--budget",
        default="usual",
        metavar="BYTES",
        help="how many bytes of a long text are read at most, if the first ones leave doubt (default: 65536); `all` "
        "reads every text as a whole",
    )


def budget(options: argparse.Namespace) -> dict[str, int | None]:
    """Return how much of a long text is read, as the library's option."""
    if options.budget == "usual":
        return {}
    return {"budget": number_or("budget", options.budget, {"all": None}, "a number of bytes from 1", _from_1)}


def _from_1(value: str) -> int:
    number = int(value)
    if number < 1:
        raise ValueError
    return number


def competitors(options: argparse.Namespace) -> dict[str, Any]:
    """Return who competes, and how likely each is, as the library's options."""
    return {
        "languages": None if options.languages is None else options.languages.split(","),
        "prior": prior(options.prior),
    }


def add_codes(command: argparse.ArgumentParser, about: str) -> None:
    """Add the option for what labels are written as."""
    command.add_argument(
        "--codes",
        choices=CODES,
        default="label",
        help=f"{about}: `label` (cmn_Hant; default), `bcp47` (zh-Hant), `iso639_1` (zh; ISO 639-3 where there is no "
        "code of two letters) or `macro` (zho: the macrolanguage, or else the language, in ISO 639-3)",
    )


def add_threads(command: argparse.ArgumentParser) -> None:
    """Add the option for the number of threads."""
    command.add_argument(
        "--threads",
        type=positive_or_auto,
        default="auto",
        metavar="N",
        help="how many threads work (default: all cores)",
    )


def positive(value: str) -> int:
    """Return a positive whole number."""
    if not value.isdecimal() or int(value) < 1:
        raise argparse.ArgumentTypeError(f"{value!r} is not a positive number")
    if int(value) > _LARGEST:
        raise argparse.ArgumentTypeError(f"{value} is too large")
    return int(value)


def positive_or_auto(value: str) -> int | str:
    """Return a positive whole number, or ``auto``."""
    return value if value == "auto" else positive(value)


def number_or(option: str, value: str, words: dict[str, Any], what: str, number: Callable[[str], float] = float) -> Any:
    """Return what a word stands for, or else a number."""
    if value in words:
        return words[value]
    try:
        return number(value)
    except ValueError:
        raise UnilidError(f"--{option} takes {', '.join(words)} or {what}, not {value!r}") from None


def _abstain(value: str) -> bool | float:
    share: bool | float = number_or("abstain", value, {"yes": True, "no": False}, "a share of texts")
    return share


def prior(value: str) -> Any:
    """Return a prior as the library takes it."""
    if value in ("none", "training", "model"):
        return None if value == "none" else value
    try:
        pairs = [pair.split("=") for pair in value.split(",")]
        probabilities = {label: float(probability) for label, probability in pairs}
    except ValueError:
        raise UnilidError(f"--prior takes none, training, model or label=probability,..., not {value!r}") from None
    if len(probabilities) < len(pairs):
        raise UnilidError(f"--prior names a language twice: {value!r}; give each once")
    return probabilities


def load_model(path: str | None, *, ready: bool = False) -> Model:
    """Load a model; `ready`: to answer at once."""
    from unilid.model import load  # loads numpy and the kernel, which --help need not wait for

    return load(path, ready=ready)


def files_of(model: Model) -> list[Path]:
    """Return the file that a model is loaded from."""
    return [] if model.path is None else [model.path]


def check_writable(names: Iterable[str], inputs: Iterable[str | Path] = ()) -> None:
    """Fail before the work, not after it, and write over nothing that is read, and nothing twice."""
    from unilid.cli.folders import is_folder  # after the parser

    names = list(names)
    for name in names:
        if is_folder(name):
            raise UnilidError(f"{name}: is a folder; name a file to write")
    outputs = [*map(Path, names)]
    check_apart(outputs, inputs)
    for output in outputs:
        if output.exists() and not output.is_file():  # /dev/null or a pipe
            folder, is_open = output, os.access(output, os.W_OK)
        else:
            folder = Path(os.path.realpath(output)).parent  # Path.resolve fails where links go round in circles
            if not folder.is_dir():
                raise UnilidError(f"{output}: there is no folder {folder}; make it first")
            is_open = os.access(folder, os.W_OK)
        if not is_open:
            raise UnilidError(f"{output}: cannot be written: you may not write to {folder}")


def check_suffix(output: str | Path, form: str | None) -> None:
    """Refuse an output whose suffix says that it is something that is not written, unless its form is given."""
    from unilid.files import refuse_foreign  # after the parser

    if form is None:
        refuse_foreign(output, "give it another suffix, or say with --to what it is to be", done="written")


def check_model_writable(output: str, inputs: Iterable[str | Path] = ()) -> None:
    """Fail before the work, not after it, where a model cannot be written to a file and read from it again."""
    check_writable([output], inputs)
    if Path(output).exists() and not Path(output).is_file():
        raise UnilidError(f"{output}: is not an ordinary file, and a model becomes one; name another")


def check_apart(outputs: Iterable[Path], inputs: Iterable[str | Path]) -> None:
    """Refuse an output that is one of the files to read, or the same as another output."""
    read = {os.path.realpath("/dev/stdin" if name == "-" else name) for name in inputs}  # which may be a file, too
    written = set[str]()
    for output in outputs:
        place = os.path.realpath(output)
        if output.is_file() and place in read:
            raise UnilidError(f"{output}: is one of the files to read; write to another one")
        if place in written and (output.is_file() or not output.exists()):
            raise UnilidError(f"{output}: would be written twice, and the second would replace the first")
        written.add(place)
