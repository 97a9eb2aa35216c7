"""Where the time of a line goes, in instructions: callgrind counts them, and counts the same every time.

    python benchmarks/where_time_goes.py

Needs valgrind, which knows AVX2 and no AVX-512. FLORES lines in random order; what 2,000 lines take more than 500, so
that starting and loading do not count. First pass: the words are new. Second pass: what the same lines take when they
are identified once more.
"""

import pickle
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from common import Report, Test, arguments, flores

import unilid

FEW, MANY = 500, 2000
STAGES = {
    "words, their keys": "each_word|WordReader|decode|WordKey|noise_of|mojibake|is_in_capitals|is_lone|write_small",
    "cache": "WordCache|assign_entries|fill_entries|Workspace::",
    "unigram: trie": "UnigramModel::viterbi|UnigramModel::costs|Vocabulary",
    "unigram: rows": "UnigramModel::prefetch|relax|extend",
    "context: n-grams looked up": "find_n|ContextModel::prefetch|ContextModel::character",
    "context: rows and lists": "ContextModel|add_bytes|accumulate_clipped",
    "a word's vector: mixed, bounded": "mix|bound_excess|smallest|quarter",
    "adding up": "VectorSum|accumulate|widen|Scorer::(score|add|start|finish)|unilid::add",
    "decision": "decide|weigh|Keys|sum_of|exp|pow|Temperature|posterior|is_unlike",
}
RUN = """
import pickle, sys
import unilid
model = unilid.load(sys.argv[1])
texts = pickle.load(open(sys.argv[2], "rb"))
for _ in range(int(sys.argv[3])):
    model.identify(texts, threads=1)
"""


def main() -> None:
    options = arguments(__doc__)
    report = Report("where_time_goes", "Where the time of a line goes", options.quick)
    if shutil.which("valgrind") is None:
        report.say("valgrind is not installed.")
        return
    train, held = flores(options.data, options.quick)
    texts = Test.of(held).texts[:MANY]
    few = len(texts) // 4 if options.quick else FEW
    models = {f"with context, {len(train)} labels": unilid.train(train, tune=False)}
    if not options.quick:
        default = unilid.load()
        models[f"unigram, {len(train)} labels"] = unilid.train(train, context=None, tune=False)
        models[f"default, {len(default.languages):,} labels"] = default
    tables = {name: profile(model, texts, few) for name, model in models.items()}
    report.say(
        "Instructions a line; in brackets, when the words are known. Of memory that the C library clears, in the last "
        "row but one, callgrind counts every byte.\n"
    )
    report.header("stage", *tables)
    for stage in [*STAGES, "Python and the rest"]:
        report.row(stage, *(f"{first[stage]:,.0f} ({again[stage]:,.0f})" for first, again in tables.values()))
    report.row("all", *(f"{sum(a.values()):,.0f} ({sum(b.values()):,.0f})" for a, b in tables.values()))
    report.write()


def profile(model: unilid.Model, texts: list[bytes], few: int) -> tuple[dict[str, float], dict[str, float]]:
    """Return instructions a line by stage, of a first and of a second pass."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model.save(folder / "model.unilid")
        runs = {}
        for lines, passes in ((few, 1), (len(texts), 1), (len(texts), 2)):
            (folder / "texts").write_bytes(pickle.dumps(texts[:lines]))
            runs[lines, passes] = count(folder, passes)
    first = {stage: (runs[len(texts), 1][stage] - runs[few, 1][stage]) / (len(texts) - few) for stage in runs[few, 1]}
    again = {stage: (runs[len(texts), 2][stage] - runs[len(texts), 1][stage]) / len(texts) for stage in first}
    return first, again


def count(folder: Path, passes: int) -> dict[str, int]:
    """Run once under callgrind and return the instructions of each stage."""
    words = [sys.executable, "-c", RUN, folder / "model.unilid", folder / "texts", passes]
    valgrind = [shutil.which("valgrind") or "valgrind", "--tool=callgrind", f"--callgrind-out-file={folder / 'out'}"]
    environment = {"OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "PATH": str(Path(sys.executable).parent)}
    subprocess.run([*valgrind, *map(str, words)], env=environment, check=True, capture_output=True)
    listing = subprocess.run(
        ["callgrind_annotate", "--threshold=100", str(folder / "out")], check=True, capture_output=True, text=True
    ).stdout
    stages = dict.fromkeys([*STAGES, "Python and the rest"], 0)
    for number, function in re.findall(r"^ *([\d,]+) \( *[\d.]+%\)  (\S.*)$", listing, re.MULTILINE):
        if function.startswith("PROGRAM TOTALS"):
            continue
        ours = "unilid::" in function or "libm" in function
        name = function.replace("(anonymous namespace)::", "").split("(")[0]  # not the types of its arguments
        stage = next((s for s, names in STAGES.items() if ours and re.search(names, name)), "Python and the rest")
        stages[stage] += int(number.replace(",", ""))
    return stages


if __name__ == "__main__":
    main()
