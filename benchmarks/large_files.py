"""The command line on large files: memory, rows a second, and runs that are killed and resumed.

    python benchmarks/large_files.py [--rows 10000000] [--files 20] [--kills 10] [--threads 2]

Test lines of Tatoeba, repeated in random order, are written as one Parquet file with a column of numbers beside them;
`unilid identify` reads it and writes another one, in a process of its own. The same lines in memory, through
`Model.identify`, say what the files cost. Then a tenth of the rows goes through as a folder of files, once undisturbed,
and once killed (SIGKILL) at random moments and resumed; the two folders must be the same, byte by byte.
"""

import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow
from common import Report, arguments, labelled
from pyarrow import parquet

import unilid

PACKAGES = ("unilid", "numpy", "pyarrow")
GROUP = 1 << 20
"""Rows of a row group: what pyarrow writes by default."""
SAMPLE = 200_000
"""Rows that are asked about in memory."""


def write(path: Path, lines: pyarrow.Array, rows: int, seed: int) -> None:
    """Write a file of so many rows, drawn at random from lines."""
    random_rows = np.random.default_rng(seed)
    schema = pyarrow.schema([("id", pyarrow.int64()), ("text", pyarrow.string())])
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, GROUP):
            count = min(GROUP, rows - start)
            texts = lines.take(pyarrow.array(random_rows.integers(len(lines), size=count)))
            writer.write_table(pyarrow.table([pyarrow.array(range(start, start + count)), texts], schema=schema))


def command(source: Path, output: str, threads: int, *more: str) -> list[str]:
    asked = ["identify", str(source), "-o", output, "--threads", str(threads), *more]
    return [sys.executable, "-m", "unilid", *asked]


def measured(process: subprocess.Popen[bytes]) -> tuple[float, int]:
    """Wait for a process, and return its processor seconds and its largest resident size in MB."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    assert status == 0, f"ended with status {status}"
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024


def in_memory(lines: pyarrow.Array, threads: int) -> float:
    """Return the processor seconds a row of `Model.identify`."""
    rows = np.random.default_rng(0).integers(len(lines), size=SAMPLE)
    texts = lines.take(pyarrow.array(rows)).to_pylist()
    model = unilid.load()
    model.identify(texts[:1000], threads=threads)
    before = resource.getrusage(resource.RUSAGE_SELF)
    model.identify(texts, threads=threads)
    after = resource.getrusage(resource.RUSAGE_SELF)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / len(texts)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def main() -> None:
    options = arguments(__doc__, rows=10_000_000, files=20, kills=10, threads=2)
    rows, files = (20_000, 5) if options.quick else (options.rows, options.files)
    corpus = labelled(options.data / "tatoeba/test.tsv.xz")
    lines = pyarrow.array([text.decode() for texts in corpus.values() for text in texts])
    report = Report("large_files", "The command line on large files", options.quick, packages=PACKAGES)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        write(place / "in.parquet", lines, rows, 0)
        start = time.perf_counter()
        process = subprocess.Popen(
            command(place / "in.parquet", str(place / "out.parquet"), options.threads), stderr=subprocess.DEVNULL
        )
        seconds, megabytes = measured(process)
        elapsed = time.perf_counter() - start
        alone = in_memory(lines, options.threads)
        report.header(
            "rows", "file, MB", "largest resident size, MB", "rows a second", "µs a row", "in memory", "ratio"
        )
        size = (place / "in.parquet").stat().st_size / 1e6
        ratio = seconds / rows / alone
        figures = (f"{rows / elapsed:,.0f}", f"{seconds / rows * 1e6:.1f}", f"{alone * 1e6:.1f}", f"{ratio:.2f}")
        report.row(f"{rows:,}", f"{size:,.0f}", str(megabytes), *figures)
        with parquet.ParquetFile(place / "in.parquet") as one, parquet.ParquetFile(place / "out.parquet") as two:
            groups = [[file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] for file in (one, two)]
            assert groups[0] == groups[1]
            for i in range(one.num_row_groups):
                assert one.read_row_group(i) == two.read_row_group(i, ["id", "text"])
        (place / "in").mkdir()
        for number in range(files):
            write(place / "in" / f"{number:02}.parquet", lines, rows // 10 // files, number + 1)
        start = time.perf_counter()
        process = subprocess.Popen(command(place / "in", f"{place}/whole/", options.threads), stderr=subprocess.DEVNULL)
        measured(process)
        whole = time.perf_counter() - start
        killed, moments = 0, random.Random(0)
        for _ in range(options.kills):
            process = subprocess.Popen(
                command(place / "in", f"{place}/out/", options.threads, "--resume"), stderr=subprocess.DEVNULL
            )
            finished = len([*place.glob("out/*.parquet")]) + moments.randint(0, 2)
            while process.poll() is None and len([*place.glob("out/*.parquet")]) < finished:
                time.sleep(0.01)
            try:
                process.wait(moments.uniform(0, whole / files))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                killed += 1
        process = subprocess.Popen(
            command(place / "in", f"{place}/out/", options.threads, "--resume"), stderr=subprocess.DEVNULL
        )
        measured(process)
        same = content(place / "whole") == content(place / "out")
        report.say("\nA folder of files, killed at random moments and resumed:\n")
        report.header("files", "rows", "times killed", "as undisturbed")
        report.row(str(files), f"{rows // 10:,}", str(killed), "yes" if same else "NO")
        assert same
    report.write()


if __name__ == "__main__":
    main()
