"""How much memory `unilid evaluate` needs for a million lines.

    python benchmarks/evaluate_memory.py

A process of its own streams FLORES lines over and over through `unilid.evaluate`; its largest size is reported.
"""

import subprocess
import sys

from common import Report, arguments

RUN = """
import resource, sys
from itertools import cycle, islice
from pathlib import Path
from common import labelled
import unilid

path, count = Path(sys.argv[1]), int(sys.argv[2])
lines = [(label, text) for label, texts in labelled(path).items() for text in texts[:20]]
report = unilid.evaluate(unilid.load(), islice(cycle(lines), count), threads=1)
print(report.lines, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def main() -> None:
    options = arguments(__doc__)
    report = Report("evaluate_memory", "Memory of an evaluation", options.quick)
    report.header("lines", "largest resident size, MB")
    for count in (1_000, 10_000) if options.quick else (1_000, 100_000, 1_000_000):
        command = [sys.executable, "-c", RUN, str(options.data / "flores200/dev.tsv.xz"), str(count)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=sys.path[0])
        lines, megabytes = done.stdout.split()
        report.row(f"{int(lines):,}", megabytes)
    report.write()


if __name__ == "__main__":
    main()
