"""Mutates model files, computes their checksums anew, and asks everything of what still loads.

    python fuzz/model_files.py --mutants 100000 --seed 0 [--seconds 600] [--first 0] [--workers 2]
    python fuzz/model_files.py --again 1234 --seed 0            one mutant, in this process

A mutant is refused with a ModelFileError, or it is a model and answers everything. It is a failure if a process ends by
a signal, works for more than 5 seconds, needs more than 1 GB, or if anything else is raised: then it is kept in the
folder (`--keep`) and listed, and the exit status is 1. The same seed and number give the same mutant.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import mutations
import questions
from questions import FAILED, LOADED, REFUSED
from small_models import models
from watching import Worker, fuzz


def main() -> int:
    """Run, and print what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mutants", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first mutant")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so long")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz/models"), help="folder for mutants that fail")
    parser.add_argument("--again", type=int, metavar="NUMBER", help="try this mutant alone, in this process")
    options = parser.parse_args()
    if options.again is not None:
        encoded, changes = mutations.mutant(options.seed, options.again)
        with tempfile.TemporaryDirectory() as folder:
            print(changes, *questions.outcome_of(encoded, Path(folder)), sep="\n")
        return 0

    begun = time.monotonic()
    numbers = range(options.first, options.first + options.mutants)
    workers = fuzz(options.seed, numbers, options.workers, options.seconds)
    return report(workers, options.seed, options.keep, time.monotonic() - begun)


def report(workers: list[Worker], seed: int, folder: Path, seconds: float) -> int:
    """Keep the mutants that failed, print one of each kind and what came of all, and return the exit status."""
    failures = sorted(failure for worker in workers for failure in worker.failures)
    kinds = Counter(what for _, what in failures)
    for number, what in failures:
        encoded, changes = mutations.mutant(seed, number)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"seed{seed}-{number}.unilid"
        path.write_bytes(encoded)
        if kinds[what] > 0:  # one of each kind
            print(f"{what}\n    {kinds[what]} times; {path}: {changes}")
            kinds[what] = 0
    counts = sum((worker.counts() for worker in workers), Counter[str]())
    total = sum(counts.values())
    print(
        f"{total:,} mutants of {len(models())} models, seed {seed}: {counts[REFUSED]:,} refused, "
        f"{counts[LOADED]:,} loaded and answered everything, {counts[FAILED]:,} failed"
    )
    memory = max(worker.board.memory for worker in workers) >> 20
    print(f"{seconds:.0f} s, {total / seconds:.0f} mutants a second, at most {memory} MB in a process")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
