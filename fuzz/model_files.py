"""Mutates model files, computes their checksums anew, and asks everything of what still loads.

    python fuzz/model_files.py --count 100000 --seed 0 [--seconds 600] [--first 0] [--workers 2]
    python fuzz/model_files.py --again 1234 --seed 0            one mutant, in this process

A mutant is refused with a ModelFileError, or it is a model and answers everything. It is a failure if a process ends by
a signal, works for more than 5 seconds, needs more than 1 GB, or if anything else is raised: then it is kept in the
folder (`--keep`) and listed, and the exit status is 1. The same seed and number give the same mutant.
"""

from __future__ import annotations

import sys
from pathlib import Path

import model_mutations
import program
import questions
from outcomes import REFUSED, Outcome
from questions import LOADED
from small_models import models
from watching import Attack


def attempt(seed: int, number: int, folder: Path) -> Outcome:
    """Load a mutant, and ask everything of it."""
    return questions.outcome_of(model_mutations.mutant(seed, number)[0], folder)


def main() -> int:
    """Run, and print what was found."""
    things = f"mutants of {len(models())} models"
    attack = Attack(things, (REFUSED, LOADED), attempt, model_mutations.mutant, ".unilid")
    return program.run(attack, __doc__, "models")


if __name__ == "__main__":
    sys.exit(main())
