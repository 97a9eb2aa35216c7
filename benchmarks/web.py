"""The JavaScript package beside Python: whether answers are equal, to the bit, and how fast they come.

    pip install playwright && apt-get install nodejs chromium
    python benchmarks/web.py

FLORES, Tatoeba and UDHR lines in random order, the compact model, one thread. Python, Node and Chromium answer the same
questions: lines, documents of 40 lines, mixed texts of three lines, explanations, and lines after a language was
taught. Seconds are the least of a few runs, which take turns. What is not installed is left out.
"""

import gzip
import json
import random
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from common import ROOT, Report, arguments, labelled

import unilid

WEB = ROOT / "web"
PACKAGE = ("unilid.js", "unilid.wasm", "languages.json", "src")
CORPORA = ("flores200/dev.tsv.xz", "tatoeba/test.tsv.xz", "udhr/test.tsv.xz")
LABEL = "xxx_Latn"
Job = dict[str, Any]
Outcome = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """A kind of question."""

    name: str
    texts: str
    """The part of the job that has its texts."""
    seconds: str | None


KINDS = {
    "identify": Kind("`identify`, lines", "lines", "identify"),
    "documents": Kind("`identify`, documents", "documents", "documents"),
    "spans": Kind("`spans`", "mixed", "spans"),
    "explain": Kind("`explain`", "explained", "explain"),
    "taught": Kind("`identify`, after `addLanguage`", "taught", None),
}


def main() -> None:
    options = arguments(__doc__, lines=10_000, rounds=5)
    job = job_of(options.data, 200 if options.quick else options.lines)
    report = Report("web", "In a browser and in Node", options.quick, packages=("unilid", "numpy"))
    model = Path(unilid.__file__).with_name("compact.unilid")
    ways: dict[str, Callable[[], Outcome]] = {"Python": lambda: by_python(job)}
    if shutil.which("node"):
        ways[f"Node {version('node')}"] = lambda: by_node(model, job)
    if shutil.which("chromium") and is_installed("playwright"):
        ways[version("chromium").partition(" built")[0]] = lambda: by_chromium(model, job)
    runs = [{name: way() for name, way in ways.items()} for _ in range(1 if options.quick else options.rounds)]
    outcomes = {name: best([run[name] for run in runs]) for name in ways}
    python = outcomes["Python"]
    report.say("Answers that differ from those of Python in any bit:\n")
    report.header("question", "texts", *(name for name in outcomes if name != "Python"))
    different = 0
    for key, kind in KINDS.items():
        expected = python["answers"][key]
        counts = [
            sum(a != b for a, b in zip(expected, outcome["answers"][key], strict=True))
            for name, outcome in outcomes.items()
            if name != "Python"
        ]
        different += sum(counts)
        report.row(kind.name, f"{len(job[kind.texts]):,}", *counts)
    report.say("")
    say_speed(report, job, outcomes)
    say_sizes(report, model)
    report.write()
    if different:
        raise SystemExit(f"{different} answers differ")


def best(outcomes: list[Outcome]) -> Outcome:
    """Return an outcome with the least seconds of all; the answers of all must be the same."""
    first = outcomes[0]
    assert all(outcome["answers"] == first["answers"] for outcome in outcomes)
    return {**first, "seconds": {name: min(run["seconds"][name] for run in outcomes) for name in first["seconds"]}}


def job_of(data: Path, count: int) -> Job:
    """Return the texts of each kind of question."""
    chance = random.Random(0)
    lines: list[str] = []
    for corpus in CORPORA:
        own = [line.decode("utf-8", "replace") for texts in labelled(data / corpus).values() for line in texts]
        chance.shuffle(own)
        lines += own[: count // len(CORPORA) + 1]
    lines = lines[:count]
    chance.shuffle(lines)
    documents = ["\n".join(lines[start : start + 40]) for start in range(0, len(lines), 40)]
    mixed = [" ".join(chance.sample(lines, 3)) for _ in range(count // 10)]
    return {
        "lines": lines,
        "documents": documents,
        "mixed": mixed,
        "explained": lines[: count // 20],
        "label": LABEL,
        "lesson": [line.translate(str.maketrans("aeiou", "eioua")) for line in lines[:50]],
        "taught": lines[:1000],
    }


def by_python(job: Job) -> Outcome:
    seconds: dict[str, float] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = work()
        seconds[name] = time.perf_counter() - start
        return result

    def loaded() -> unilid.Model:
        model = unilid.load("compact")
        model.identify(job["lines"][0])
        return model

    def rows(texts: list[str], model: unilid.Model) -> list[Any]:
        return [answer._asdict() for answer in model.identify(texts, threads=1)]

    model = timed("load", loaded)
    lines = timed("identify", lambda: rows(job["lines"], model))
    timed("again", lambda: rows(job["lines"], model))
    documents = timed("documents", lambda: rows(job["documents"], model))
    spans = timed("spans", lambda: [list(model.spans(text)) for text in job["mixed"]])
    explained = timed("explain", lambda: [model.explain(text) for text in job["explained"]])
    taught = timed("teach", lambda: model.add_language(LABEL, job["lesson"], threads=1))
    answers = {
        "identify": lines,
        "documents": documents,
        "spans": [[span_row(text, span) for span in own] for text, own in zip(job["mixed"], spans, strict=True)],
        "explain": [without_offsets(explanation.record()) for explanation in explained],
        "taught": rows(job["taught"], taught),
    }
    return {"seconds": seconds, "answers": answers, "megabytes": None}


def span_row(text: str, span: Any) -> dict[str, Any]:
    """Return a span with offsets in units of UTF-16."""
    start, end = (len(text[:place].encode("utf-16-le")) // 2 for place in (span.start, span.end))
    own = {"label": span.label, "probability": span.probability, "letters": span.letters}
    return {**own, "start": start, "end": end}


def without_offsets(record: dict[str, Any]) -> dict[str, Any]:
    """Return an explanation without the places of its words, which Python has in bytes."""
    words = [{name: value for name, value in word.items() if name not in ("start", "end")} for word in record["words"]]
    return {**record, "words": words}


def compared(outcome: Outcome) -> Outcome:
    answers = outcome["answers"]
    return {**outcome, "answers": {**answers, "explain": [without_offsets(record) for record in answers["explain"]]}}


def by_node(model: Path, job: Job) -> Outcome:
    program = Path(__file__).with_name("web") / "node.mjs"
    content = json.dumps({"model": str(model), "job": job})
    run = subprocess.run(["node", str(program)], input=content, capture_output=True, text=True, check=True)
    return compared(json.loads(run.stdout))


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *values: Any) -> None:  # noqa: A002
        """Say nothing: the page is a table."""


@contextmanager
def served(model: Path) -> Iterator[str]:
    """Serve the package, the model and the measurement from a folder of static files."""
    with tempfile.TemporaryDirectory() as folder:
        files = {name: WEB / name for name in PACKAGE}
        files |= {"model.unilid": model, "measure.js": Path(__file__).with_name("web") / "measure.js"}
        for name, target in files.items():
            (Path(folder) / name).symlink_to(target)
        (Path(folder) / "index.html").write_text("<!doctype html><title>unilid</title>")
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder)) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_address[1]}/"
            server.shutdown()


def by_chromium(model: Path, job: Job) -> Outcome:
    from playwright.sync_api import sync_playwright

    with served(model) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(address)
        outcome = page.evaluate(
            """async job => {
                const { Model } = await import('./unilid.js');
                const { measure } = await import('./measure.js');
                return JSON.stringify(await measure(Model, 'model.unilid', JSON.parse(job)));
            }""",
            json.dumps(job),
        )
        browser.close()
    return {**compared(json.loads(outcome)), "megabytes": None}


def say_speed(report: Report, job: Job, outcomes: dict[str, Outcome]) -> None:
    report.header("", *outcomes)

    def row(name: str, cell: Callable[[dict[str, float]], str]) -> None:
        report.row(name, *(cell(outcome["seconds"]) for outcome in outcomes.values()))

    row("load, and the first answer, s", lambda seconds: f"{seconds['load']:.2f}")
    for key, kind in KINDS.items():
        if kind.seconds:
            count = len(job[kind.texts])
            row(f"{kind.name}, a second", lambda seconds, key=key, count=count: f"{count / seconds[key]:,.0f}")  # type: ignore[misc]
    row("`identify`, the same lines again", lambda seconds: f"{len(job['lines']) / seconds['again']:,.0f}")
    row("`addLanguage`, 50 lines, s", lambda seconds: f"{seconds['teach']:.2f}")
    megabytes = next((outcome["megabytes"] for outcome in outcomes.values() if outcome["megabytes"]), None)
    if megabytes:
        report.say(f"\nMemory of Node at most, with the taught model beside the other: {megabytes:.0f} MB.\n")


def say_sizes(report: Report, model: Path) -> None:
    report.header("file", "kB", "compressed by gzip")
    sources = [WEB / "unilid.js", *sorted((WEB / "src").glob("*.js"))]
    files = {
        "`unilid.wasm`": (WEB / "unilid.wasm").read_bytes(),
        f"`unilid.js` and `src/`, {len(sources)} modules": b"".join(source.read_bytes() for source in sources),
        "`languages.json`": (WEB / "languages.json").read_bytes(),
        "`compact.unilid`": model.read_bytes(),
    }
    for name, content in files.items():
        report.row(name, f"{len(content) / 1000:,.0f}", f"{len(gzip.compress(content)) / 1000:,.0f}")


def version(program: str) -> str:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return said.strip().removeprefix("v")


def is_installed(name: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(name) is not None


if __name__ == "__main__":
    main()
