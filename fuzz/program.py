"""The command line of an attack: what it takes, and what it prints of what came of it."""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections import Counter
from pathlib import Path

from outcomes import FAILED
from watching import Attack, Worker, counts_of, fuzz


def run(attack: Attack, about: str | None, folder: str) -> int:
    """Make attempts as the command line says, print what was found, and return the exit status."""
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="how many attempts (default: 1000)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first attempt")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so long")
    parser.add_argument("--workers", type=int, default=attack.workers, help="processes that make attempts")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz") / folder, help="folder for what fails")
    parser.add_argument("--again", type=int, metavar="NUMBER", help="make this attempt alone, in this process")
    options = parser.parse_args()
    if options.again is not None:
        with attack.ready(), tempfile.TemporaryDirectory() as place:
            print(attack.shown(options.seed, options.again)[1])
            print(*attack.attempt(options.seed, options.again, Path(place)), sep="\n")
        return 0

    begun = time.monotonic()
    numbers = range(options.first, options.first + options.count)
    workers = fuzz(attack, options.seed, numbers, options.workers, options.seconds)
    return report(attack, workers, options.seed, options.keep, time.monotonic() - begun)


def report(attack: Attack, workers: list[Worker], seed: int, folder: Path, seconds: float) -> int:
    """Keep what failed, print one of each kind and what came of all, and return the exit status."""
    failures = sorted(failure for worker in workers for failure in worker.failures)
    kinds = Counter(what for _, what in failures)
    for number, what in failures:
        content, changes = attack.shown(seed, number)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"seed{seed}-{number}{attack.suffix}"
        path.write_bytes(content)
        if kinds[what] > 0:  # one of each kind
            print(f"{what}\n    {kinds[what]} times; {path}: {changes}")
            kinds[what] = 0
    counts = counts_of(workers)
    total = sum(counts.values())
    told = ", ".join(f"{counts[outcome]:,} {outcome}" for outcome in (*attack.outcomes, FAILED))
    print(f"{total:,} {attack.things}, seed {seed}: {told}")
    memory = max((worker.board.memory for worker in workers), default=0) >> 20
    print(f"{seconds:.0f} s, {total / seconds:.0f} a second, at most {memory} MB in a process")
    return 1 if failures else 0
