"""A model of 1,000 labels: adding a language, loading, memory.

    python benchmarks/large_model.py

The labels are those of FLORES, each five times: once as it is and four times with its letters exchanged.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from common import Report, arguments, exchange, first, flores, timed

import unilid

LOAD = """
import sys, time
import unilid
from unilid.model import load

def resident(name):
    return next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith(name))

before = resident("VmRSS")
start = time.perf_counter()
model = load(sys.argv[1])
loaded = time.perf_counter() - start
model.identify("warm")
ready = time.perf_counter() - start
for line in open(sys.argv[2], "rb"):
    model.identify(line)
print(loaded, ready, resident("VmHWM"), before)
"""


def main() -> None:
    options = arguments(__doc__)
    train, held = flores(options.data, options.quick)
    corpus = first(train, 100)
    everything = dict(corpus)
    for copy in range(4):
        for label, lines in corpus.items():
            everything[f"{label}_{copy}"] = exchange(lines, copy)
    del everything[next(iter(corpus))]
    report = Report("large_model", f"A model of {len(everything)} labels", options.quick)
    report.header("what", "without context", "with context")
    rows: dict[str, list[str]] = {}
    new = train[next(iter(corpus))]
    with tempfile.TemporaryDirectory() as folder:
        sample = Path(folder) / "sample.txt"
        sample.write_bytes(b"\n".join(lines[0] for lines in held.values()))
        for context in (None, "characters"):
            path = Path(folder) / f"{context}.unilid"
            model, training = timed(lambda c=context, p=path: unilid.train(everything, context=c, tune=False).save(p))
            _, adding = timed(lambda m=model: m.add_language("new_Latn", new).save(Path(folder) / "new.unilid"))
            run = subprocess.run([sys.executable, "-c", LOAD, path, sample], capture_output=True, text=True, check=True)
            loaded, ready, resident, before = map(float, run.stdout.split())
            for name, value in (
                ("file", f"{path.stat().st_size / 1e6:.1f} MB"),
                ("training", f"{training:.1f} s"),
                (f"adding a language of {len(new)} lines, saved", f"{adding:.2f} s"),
                ("loading", f"{1000 * loaded:.0f} ms"),
                ("loading until the first answer", f"{1000 * ready:.0f} ms"),
                ("resident after identifying, peak", f"{resident:.0f} MB"),
                ("of which Python and its imports", f"{before:.0f} MB"),
            ):
                rows.setdefault(name, []).append(value)
    for name, values in rows.items():
        report.row(name, *values)
    report.write()


if __name__ == "__main__":
    main()
