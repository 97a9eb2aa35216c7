"""Mutates model files, computes their checksums anew, and asks everything of what still loads.

    python fuzz/model_files.py --mutants 100000 --seed 0 [--seconds 600] [--first 0] [--workers 2]
    python fuzz/model_files.py --again 1234 --seed 0            one mutant, in this process

A mutant is refused with a ModelFileError, or it is a model and answers everything. It is a failure if a process ends by
a signal, works for more than 5 seconds, needs more than 1 GB, or if anything else is raised: then it is kept in the
folder (`--keep`) and listed, and the exit status is 1. The same seed and number give the same mutant.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import json
import math
import multiprocessing
import multiprocessing.connection
import os
import pickle
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

import unilid
from unilid import ModelFileError, UnilidError
from unilid.corpus.counts import Counter as WordCounter
from unilid.corpus.formats import Batch
from unilid.model import Model
from unilid.models import unigram
from unilid.models.parameters import Parameters
from unilid.store import modelfile

MOST_SECONDS = 5.0
"""Of a processor, for one mutant. A machine that is busy with other work makes no failure of it."""
MOST_SECONDS_WAITING = 60.0
"""By the clock: nothing happens any more."""
MOST_MEMORY = 1 << 30
ADDRESS_SPACE = 6 << 30
"""So that a mutant that wants far too much does not take the machine's memory."""

LINES = {
    "deu_Latn": ["der alte Mann kauft frisches Brot", "meine Schwester findet zwölf Eier im Garten", "die große Frau"],
    "eng_Latn": ["the old man buys fresh bread", "my sister finds twelve eggs in the garden", "the tall woman sees it"],
    "ell_Grek": ["ο ψαράς διορθώνει τα δίχτυα στο λιμάνι", "η σκεπή έχει ακόμα χιόνι σήμερα"],
    "jpn_Jpan": ["漁師は港で網を直している。", "今日も屋根に雪が残っている。"],
    "rus_Cyrl": ["рыбак чинит сети в гавани", "на крыше ещё лежит снег"],
}
TEXTS: list[str | bytes | None] = [
    "die alte Frau kauft Brot in the garden",
    "Η σκεπή 12 漁師は港で, THE OLD MAN!",
    "x" * 300 + " рыбак",
    b"\xff\xfe der \xc3\x28",
    "see https://example.org/a?b=1 and me@example.org",
    "",
    None,
]


# ---- models to begin with


@cache
def models() -> dict[str, bytes]:
    """Return small models of every kind, encoded."""
    # Words that a letter at the end tells apart: enough languages for tables with lists and with rows.
    many = {
        f"x{chr(97 + n // 26)}{chr(97 + n % 26)}": [f"wort{chr(97 + n % 26)} mit{n // 26}", "der Hund"]
        for n in range(70)
    }
    half = {label: lines * 12 for label, lines in LINES.items()}
    plain: dict[str, Any] = {"vocabulary": 300, "tune": False, "threads": 1}
    context = unilid.train(LINES, context="characters", **plain)
    fitted = unilid.train(half, vocabulary=300, context="characters", threads=1)
    held_out = [(label, line + " und so weiter") for label, lines in half.items() for line in lines]
    made = {
        "unigram": unilid.train(LINES, context=None, bound=None, **plain),
        "additive": unilid.train(LINES, context=None, unseen="additive", **plain),
        "context": context,
        "order-2": unilid.train(LINES, context="characters", order=2, **plain),
        "order-6": unilid.train(LINES, context="characters", order=6, prune=None, **plain),
        "fitted": fitted,
        "calibrated": unilid.calibrate(fitted, held_out, threads=1),
        "prior": unilid.calibrate(fitted, held_out, prior_from=[line for _, line in held_out[:40]], threads=1),
        "one": unilid.train({"deu_Latn": LINES["deu_Latn"]}, context="characters", **plain),
        "many": unilid.train(many, context="characters", **plain),
        "whole-words": _with_whole_words(context),
    }
    return {name: model.to_bytes() for name, model in made.items()}


def _with_whole_words(model: Model) -> Model:
    """Return a model of LINES with a lexicon and scripts, in which signs do not count."""
    counter = WordCounter()
    for label, lines in LINES.items():
        counter.add(Batch([label] * len(lines), [line.encode() for line in lines]))
    words, old = counter.corpus().words, model.parameters
    settings = dataclasses.replace(old.settings, lexicon_size=20, signs=False)
    expected = unigram.expect(old.vocabulary, words, fragments=settings.fragments)
    parameters = Parameters.of(old.languages, old.vocabulary, expected, old.context, settings, old.lines, words)
    return dataclasses.replace(model, parameters=parameters)


@dataclass
class Content:
    """A file, taken apart."""

    arrays: dict[str, npt.NDArray[Any]]
    metadata: dict[str, Any]
    header_changes: list[Callable[[dict[str, Any]], object]] = field(default_factory=list)
    body_changes: list[Callable[[bytes], bytes]] = field(default_factory=list)

    @staticmethod
    def of(encoded: bytes) -> Content:
        """Take a file apart; what is changed of it changes no other."""
        with modelfile.decoding(encoded, "the model") as (arrays, metadata):
            return Content({key: array.copy() for key, array in arrays.items()}, copy.deepcopy(metadata))

    def encode(self) -> bytes:
        """Put it together again, with the checksum of what it is now."""
        names = sorted(self.arrays, key=lambda name: (-self.arrays[name].dtype.itemsize, name))
        header: dict[str, Any] = {}
        body = b""
        for name in names:
            raw = np.ascontiguousarray(self.arrays[name]).tobytes()
            kind = modelfile._NAMES.get(self.arrays[name].dtype, "F64")
            header[name] = {
                "dtype": kind,
                "shape": [len(self.arrays[name])],
                "data_offsets": [len(body), len(body) + len(raw)],
            }
            body += raw
        for change in self.header_changes:
            change(header)
        for cut in self.body_changes:
            body = cut(body)
        metadata = dict(self.metadata)
        metadata.setdefault("format", modelfile.FORMAT)
        metadata.pop("crc32", None)
        metadata["crc32"] = modelfile._checksum(metadata, header, body)
        text = json.dumps({"__metadata__": {"unilid": json.dumps(metadata)}, **header}).encode()
        text += b" " * (-(8 + len(text)) % 64)
        return len(text).to_bytes(8, "little") + text + body


# ---- mutations

NUMBERS: list[Any] = [
    *(
        0,
        1,
        -1,
        2,
        15,
        16,
        17,
        255,
        256,
        65535,
        65536,
        2**31 - 1,
        2**31,
        2**32,
        2**53,
        2**63 - 1,
        2**63,
        2**64,
        -(2**63),
    ),
    *(10**30, 10**400, -(10**400), 0.0, -0.0, 0.5, 1.5, 1e-320, 1e-300, 1e300, -1e300, math.nan, math.inf, -math.inf),
]
STRINGS = [
    *(
        "",
        "a",
        "zxx",
        "und",
        "mul",
        "deu_Latn",
        "eng_Latn",
        "deu",
        "a\0b",
        "a\tb",
        "a\nb",
        "\x1b[31m",
        "\u202e",
        "\ud800",
    ),
    *(
        "x" * 5000,
        "ä" * 100,
        "shared",
        "additive",
        "__metadata__",
        "1e999",
        "\u2028",
        " ",
        "de",
        "en-US",
        "İ",
        "\U0010ffff",
    ),
]


def nested(depth: int) -> Any:
    """Return a list in a list in a list."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def any_value(chance: Random) -> Any:
    """Return a value of JSON that is not what was expected."""
    kind = chance.randrange(8)
    if kind < 4:
        return chance.choice(NUMBERS)
    if kind < 6:
        return chance.choice(STRINGS)
    return chance.choice(
        [
            None,
            True,
            False,
            [],
            {},
            [0],
            [1, 2, 3],
            {"a": 1},
            [[]],
            [None] * 3,
            ["a"] * 70,
            nested(chance.choice([5, 90, 400])),
        ]
    )


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values of a JSON tree."""
    found = [path] if path else []
    if isinstance(tree, dict):
        for key, value in tree.items():
            found += places(value, (*path, key))
    elif isinstance(tree, list | tuple):
        for index, value in enumerate(tree):
            found += places(value, (*path, index))
    return found


def change_tree(tree: Any, chance: Random) -> str:
    """Change one value of a JSON tree, and say which."""
    path = chance.choice(places(tree))
    parent = tree
    for key in path[:-1]:
        parent = parent[key]
    key = path[-1]
    if isinstance(parent, tuple):
        return "nothing"
    old = parent[key]
    how = chance.randrange(7)
    if how == 0:
        del parent[key]
    elif how == 1 and isinstance(old, int | float) and not isinstance(old, bool):
        parent[key] = chance.choice([-old, old + 1, old - 1, old * 2, old * 1.0, old * 1e10, str(old), old / 3, [old]])
    elif how == 2 and isinstance(parent, list):
        parent.insert(key, old)
    elif how == 3 and isinstance(old, list) and old:
        parent[key] = chance.choice([old[:-1], [*old, *old], old[::-1], chance.sample(old, len(old)), [old], old[:1]])
    elif how == 4 and isinstance(parent, dict):
        parent[chance.choice(STRINGS)] = parent.pop(key)
    else:
        parent[key] = any_value(chance)
    return "/".join(map(str, path))[:60]


def mutate_metadata(content: Content, chance: Random) -> str:
    """Change settings, decisions, info or the list of labels."""
    return "metadata " + change_tree(content.metadata, chance)


def mutate_labels(content: Content, chance: Random) -> str:
    """Change labels."""
    labels = content.metadata.get("languages")
    if not isinstance(labels, list) or not labels:
        return "labels: none"
    row = chance.randrange(len(labels))
    how = chance.randrange(5)
    if how == 0:
        labels[row] = chance.choice(STRINGS)
    elif how == 1:
        labels[row] = labels[chance.randrange(len(labels))]
    elif how == 2:
        labels.pop(row)
    elif how == 3:
        labels += [f"more{n}" for n in range(chance.choice([1, 2, 300, 70_000]))]
    else:
        chance.shuffle(labels)
    return "labels"


def mutate_header(content: Content, chance: Random) -> str:
    """Change what the header says of arrays."""
    seed = chance.random()

    def change(header: dict[str, Any]) -> None:
        own = Random(seed)
        names = [key for key, entry in header.items() if isinstance(entry, dict)]
        if not names:
            return
        name = own.choice(names)
        entry, how = header[name], own.randrange(7)
        if how == 0:
            entry["dtype"] = own.choice(["U8", "U16", "U32", "I64", "F64", "F32", "BOOL", "", None, 5])
        elif how == 1:
            entry["shape"] = own.choice([[], [0], [-1], [1, 1], [2**63], None, "5", [1.5], [entry.get("shape")]])
        elif how == 2:
            entry["data_offsets"] = own.choice([[0, 0], [-8, 0], [0], [5, 3], [0, 2**64], None, ["0", "8"], [0.0, 8.0]])
        elif how == 3:
            other = own.choice(names)
            header[name], header[other] = header[other], header[name]
        elif how == 4:
            header[own.choice([*names, "later", "", "a\0b"])] = header.pop(name)
        elif how == 5:
            other_entry = header[own.choice(names)]
            key = own.choice(["dtype", "shape", "data_offsets"])
            if key in entry and key in other_entry:
                entry[key], other_entry[key] = other_entry[key], entry[key]
        else:
            change_tree(header, own)

    content.header_changes.append(change)
    return "header"


def mutate_body(content: Content, chance: Random) -> str:
    """Cut the end off, or put something behind it."""
    size = chance.choice([1, 2, 3, 8, 64, 1000])
    content.body_changes.append(chance.choice([lambda body: body[:-size], lambda body: body + b"\0" * size]))
    return f"body {size}"


def mutate_bits(content: Content, chance: Random) -> str:
    """Flip bits of an array."""
    name, array = some_array(content, chance)
    raw = np.ascontiguousarray(array).view(np.uint8)
    for _ in range(chance.choice([1, 1, 1, 2, 8, 64])):
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    return f"bits {name}"


def mutate_values(content: Content, chance: Random) -> str:
    """Set values of an array to extremes."""
    name, array = some_array(content, chance)
    begin = chance.randrange(len(array))
    end = begin + chance.choice([1, 1, 1, 2, 10, len(array)])
    if array.dtype.kind == "f":
        array[begin:end] = chance.choice([0, -0.0, -1, 1, 1e-320, 1e-300, 1e300, math.nan, math.inf, -math.inf, 1e18])
    else:
        limit = np.iinfo(array.dtype)
        known = [
            0,
            1,
            2,
            96,
            254,
            255,
            256,
            limit.max,
            limit.max - 1,
            limit.min,
            int(array[chance.randrange(len(array))]),
        ]
        array[begin:end] = chance.choice([value for value in known if limit.min <= value <= limit.max])
    return f"values {name}[{begin}:{end}]"


def mutate_order(content: Content, chance: Random) -> str:
    """Swap values of an array, or move what one has to another: their sum stays."""
    name, array = some_array(content, chance)
    a, b = chance.randrange(len(array)), chance.randrange(len(array))
    how = chance.randrange(5)
    if how == 0:
        array[a], array[b] = array[b], array[a]
    elif how == 1:
        array[:] = array[::-1].copy()
    elif how == 2:
        array[:] = np.roll(array, chance.choice([1, -1, 3, 4]))
    elif how == 3 and array.dtype.kind != "f" and array[a] > 0 and array[b] < np.iinfo(array.dtype).max:
        array[a] -= 1
        array[b] += 1
    else:
        begin, end = min(a, b), max(a, b) + 1
        array[begin:end] = array[begin:end][::-1].copy()
    return f"order {name}"


def mutate_length(content: Content, chance: Random) -> str:
    """Make an array longer or shorter, give it another type, drop it, or take that of another model."""
    name, array = some_array(content, chance)
    how = chance.randrange(8)
    if how == 0:
        content.arrays[name] = array[: chance.randrange(len(array))]
    elif how == 1:
        content.arrays[name] = np.concatenate([array, array[: chance.randrange(1, len(array) + 1)]])
    elif how == 2:
        kind = chance.choice([np.uint8, np.uint16, np.uint32, np.int64, np.float64])
        with np.errstate(all="ignore"):
            content.arrays[name] = array.astype(kind)
    elif how == 3:
        del content.arrays[name]
    elif how == 4:
        other = Content.of(models()[chance.choice(list(models()))])
        content.arrays[name] = other.arrays.get(name, array)
    elif how == 5:
        content.arrays[f"{name}.large"] = np.array([chance.choice([0, 255, 300, 2**32 - 1])], np.uint32)
    elif how == 6:
        content.arrays[name] = np.delete(array, chance.randrange(len(array)))
    else:
        place = chance.randrange(len(array))
        content.arrays[name] = np.insert(array, place, array[place])
    return f"length {name}"


def mutate_context_entries(content: Content, chance: Random) -> str:
    """Give an n-gram to another language: everything has the right size, and a language lacks what it should have."""
    names = [name for name in content.arrays if name.startswith("context.") and name.endswith(".entries")]
    languages = content.metadata.get("languages")
    if not names or not isinstance(languages, list) or not languages:
        return mutate_bits(content, chance)
    name = chance.choice(sorted(names))
    array = content.arrays[name]
    size = 3 if name == max(names) else 4
    if len(array) < size:
        return f"entries {name}: none"
    for _ in range(chance.choice([1, 1, 3, 50])):
        array[chance.randrange(len(array) // size) * size] = chance.randrange(min(len(languages), 256))
    return f"entries {name}"


def some_array(content: Content, chance: Random) -> tuple[str, npt.NDArray[Any]]:
    """Return an array that is not empty."""
    name = chance.choice(sorted(name for name, array in content.arrays.items() if len(array)))
    content.arrays[name] = np.ascontiguousarray(content.arrays[name]).copy()
    return name, content.arrays[name]


MUTATIONS: list[tuple[Callable[[Content, Random], str], int]] = [
    (mutate_metadata, 5),
    (mutate_labels, 1),
    (mutate_header, 1),
    (mutate_body, 1),
    (mutate_bits, 4),
    (mutate_values, 4),
    (mutate_order, 4),
    (mutate_length, 2),
    (mutate_context_entries, 3),
]


def mutant(seed: int, number: int) -> tuple[bytes, str]:
    """Return the bytes of a mutant, and what was changed."""
    chance = Random(f"{seed} {number}")
    name = chance.choice(list(models()))
    content = Content.of(models()[name])
    functions, weights = zip(*MUTATIONS, strict=True)
    changes = [
        mutate(content, chance) for mutate in chance.choices(functions, weights, k=chance.choice([1, 1, 1, 2, 4]))
    ]
    return content.encode(), f"{name}: {', '.join(changes)}"


# ---- questions


def expect(condition: object, what: str) -> None:
    """Fail if a promise is not kept."""
    if not condition:
        raise AssertionError(what)


def ask_everything(model: Model, folder: Path) -> None:
    """Ask everything of a model; whatever it raises is a failure."""
    labels = list(model.languages)
    expected = model.identify(TEXTS, k=3, threads=1)
    expect(repr(model.identify(TEXTS, k=3, threads=2)) == repr(expected), "two threads give another answer than one")
    for ranked in expected:
        for answer in ranked:
            expect(0 <= answer.probability <= 1, f"a probability of {answer.probability}")
    model.identify(TEXTS, abstain=False, prior=None)
    trained = [label for label, lines in zip(labels, model.lines, strict=True) if lines > 0]
    if trained:  # the others have no share of the training lines
        model.identify(TEXTS, languages=trained[:2], prior="training", abstain=0.1)
    model.identify(TEXTS, prior={labels[0]: 0.5}, calibrated=False)
    scores = model.scores(TEXTS, threads=2)
    expect(scores.shape == (len(TEXTS), len(labels)) and not np.isnan(scores).any(), "a score is no number")
    expect(not np.isnan(model.scores(TEXTS[:4], marginal=True)).any(), "a marginal score is no number")
    for label in (labels[0], labels[-1]):
        joined = b"".join(segment.token for segment in model.segment("die alte Frau", label))
        expect(joined.strip() == b"die alte Frau", f"segments are {joined!r}")
    for text in TEXTS[:5]:
        if len(labels) > 1:
            model.explain(text)
        spans = model.spans(text or "")
        expect(not spans or spans[0].start == 0, "the first span does not begin at 0")
        str(spans)
    if len(labels) > 1:
        str(model.explain("der Mann", labels[0], instead=labels[-1], prior=None))  # a table takes long
        model.spans("die alte Frau im Garten", languages=labels[:2], most=1, least=3)

    some = labels[::2][::-1]
    part = model.subset(some)
    part.identify(TEXTS)
    if len(some) > 1:
        part.explain(TEXTS[1])
    if len(labels) > 1:
        model.remove_languages(labels[:1]).identify(TEXTS, k=2)
    more = model.add_language("tok_Latn", ["mi lukin e waso lili", "ona li moku e kili"], threads=1)
    more.identify(TEXTS)
    part.add_language("tok_Latn", ["mi lukin e waso lili"], threads=1).identify(TEXTS, threads=2)

    encoded = model.to_bytes()
    again = Model.from_bytes(encoded)
    expect(again.to_bytes() == encoded, "saved and loaded, it is another")
    for changed in (part, more):
        Model.from_bytes(changed.to_bytes()).identify(TEXTS)
    saved = model.save(folder / "saved.unilid")
    copied = pickle.loads(pickle.dumps(saved))
    expect(repr(copied.identify(TEXTS, k=3, threads=1)) == repr(expected), "saved and loaded, it answers otherwise")
    pickle.loads(pickle.dumps(model))
    repr(model)


REFUSED, LOADED, FAILED = "refused", "loaded", "failed"


def outcome_of(encoded: bytes, folder: Path) -> tuple[str, str]:
    """Load a file and ask everything; return what came of it."""
    path = folder / "mutant.unilid"
    path.write_bytes(encoded)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                model = unilid.load(path)
            except ModelFileError as error:
                if str(path) not in str(error):
                    raise AssertionError(f"the file is not named: {error}") from error
                return REFUSED, ""
            ask_everything(model, folder)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is what is looked for
        where = [frame for frame in traceback.extract_tb(error.__traceback__) if "unilid" in frame.filename]
        place = f"{Path(where[-1].filename).name}:{where[-1].lineno}" if where else "?"
        ours = "" if not isinstance(error, UnilidError) else " (after it was loaded)"
        return FAILED, f"{type(error).__name__}{ours} at {place}: {str(error).replace(str(folder), '')[:200]}"
    return LOADED, ""


# ---- processes


def work(seed: int, numbers: Sequence[int], results: Connection, current: Any) -> None:
    """Try mutants one after the other; the process may end at any of them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() < ADDRESS_SPACE:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))  # a sanitizer has taken terabytes
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            encoded, _ = mutant(seed, number)
            current.value = number
            results.send((number, *outcome_of(encoded, Path(folder)), peak_memory()))
    results.send(None)


def peak_memory() -> int:
    """Return the most memory that this process had, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def processor_seconds(pid: int) -> float:
    """Return how long a process has worked."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_memory(pid: int) -> int:
    """Return how much memory a process has."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0


class Worker:
    """A process that tries every n-th mutant, and is started again behind one that ended it."""

    def __init__(self, seed: int, numbers: range) -> None:
        self.seed, self.numbers = seed, numbers
        self.failures: list[tuple[int, str]] = []
        self.counts: Counter[str] = Counter()
        self.memory = 0
        self.start()

    def start(self) -> None:
        """Go on with the numbers that are left."""
        forking = multiprocessing.get_context("fork")
        self.results, send = forking.Pipe(duplex=False)
        self.current = forking.Value("q", -1)
        self.process = forking.Process(target=work, args=(self.seed, self.numbers, send, self.current))
        self.process.start()
        send.close()
        self.begin()
        self.done = False

    def begin(self) -> None:
        """Note when the next mutant began."""
        self.since, self.worked = time.monotonic(), processor_seconds(self.process.pid or 0)

    def take(self) -> None:
        """Take one result, or find that there is none any more."""
        try:
            result = self.results.recv()
        except (EOFError, OSError):
            self.process.join()
            code = self.process.exitcode or 0
            self.ended_at(f"crash: {signal.Signals(-code).name if code < 0 else f'exit status {code}'}")
            return
        if result is None:
            self.process.join()
            self.done = True
            return
        number, outcome, detail, memory = result
        self.counts[outcome] += 1
        if detail:
            self.failures.append((number, detail))
        self.numbers = self.numbers[self.numbers.index(number) + 1 :]
        self.memory = max(self.memory, memory)
        if memory > MOST_MEMORY:
            self.counts[FAILED] += 1
            self.counts[outcome] -= 1
            self.failures.append((number, f"memory: {memory >> 20} MB"))
            self.restart()
        self.begin()

    def watch(self) -> None:
        """End a process that takes too long or too much."""
        pid = self.process.pid or 0
        seconds, waited = processor_seconds(pid) - self.worked, time.monotonic() - self.since
        memory = resident_memory(pid)
        if seconds > MOST_SECONDS or waited > MOST_SECONDS_WAITING:
            self.ended_at(f"hang: {seconds:.0f} s of the processor, {waited:.0f} s by the clock")
        elif memory > MOST_MEMORY:
            self.ended_at(f"memory: {memory >> 20} MB")

    def ended_at(self, what: str) -> None:
        """Blame the mutant at hand, and go on behind it."""
        number = self.current.value
        if number not in self.numbers:  # ended before its first, or between two
            number = self.numbers[0] if self.numbers else -1
        self.counts[FAILED] += 1
        self.failures.append((number, what))
        self.numbers = self.numbers[self.numbers.index(number) + 1 :] if number in self.numbers else self.numbers[1:]
        self.restart()

    def restart(self) -> None:
        """End the process, and start another for what is left."""
        self.end()
        if self.numbers:
            self.start()
        else:
            self.done = True

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.results.close()


def fuzz(seed: int, first: int, mutants: int, workers: int, seconds: float) -> list[Worker]:
    """Try all mutants, or as many as there is time for."""
    models()  # once, before the processes begin
    numbers = range(first, first + mutants)
    all_workers = [Worker(seed, numbers[n::workers]) for n in range(min(workers, mutants))]
    until = time.monotonic() + seconds
    try:
        while (busy := [worker for worker in all_workers if not worker.done]) and time.monotonic() < until:
            ready = multiprocessing.connection.wait([worker.results for worker in busy], timeout=0.2)
            for worker in busy:
                if worker.results in ready:
                    worker.take()
                else:
                    worker.watch()
    finally:
        for worker in all_workers:
            if not worker.done:
                worker.end()
    return all_workers


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
        encoded, changes = mutant(options.seed, options.again)
        with tempfile.TemporaryDirectory() as folder:
            print(changes, *outcome_of(encoded, Path(folder)), sep="\n")
        return 0

    begun = time.monotonic()
    workers = fuzz(options.seed, options.first, options.mutants, options.workers, options.seconds)
    counts = sum((worker.counts for worker in workers), Counter[str]())
    failures = sorted(failure for worker in workers for failure in worker.failures)
    kinds = Counter(what for _, what in failures)
    for number, what in failures:
        encoded, changes = mutant(options.seed, number)
        options.keep.mkdir(parents=True, exist_ok=True)
        path = options.keep / f"seed{options.seed}-{number}.unilid"
        path.write_bytes(encoded)
        if kinds[what] > 0:  # one of each kind
            print(f"{what}\n    {kinds[what]} times; {path}: {changes}")
            kinds[what] = 0
    total = sum(counts.values())
    print(
        f"{total:,} mutants of {len(models())} models, seed {options.seed}: {counts[REFUSED]:,} refused, "
        f"{counts[LOADED]:,} loaded and answered everything, {counts[FAILED]:,} failed"
    )
    seconds, memory = time.monotonic() - begun, max(worker.memory for worker in workers) >> 20
    print(f"{seconds:.0f} s, {total / seconds:.0f} mutants a second, at most {memory} MB in a process")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
