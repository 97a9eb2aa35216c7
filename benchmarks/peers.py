"""Beside other language identifiers, on the languages that each knows: FLORES, UDHR, Tatoeba.

    python benchmarks/peers.py [--model FILE] [--compact FILE] [--environments FOLDER]

For the figures of the default model, FILE is the measured build of `recipes/default`; without it, the model in the
package is asked, which was trained on FLORES.

Peers: lid.176, CLD3, CLD2, lingua, heliport, py3langid, installed and asked as `benchmarks/peer_systems.py` says. What
cannot be installed is left out. Scripts are ignored; Serbo-Croatian counts as one language, and so does Norwegian. What
a peer knows is what its library lists.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from common import Report, arguments, evaluated, labelled, timed
from peer_systems import PEERS, Peer, command, language_of, peer

import unilid
from unilid.model import Model
from unilid.threads import Threads

MAJOR = {
    "English": ["eng_Latn"],
    "French": ["fra_Latn"],
    "Spanish": ["spa_Latn"],
    "German": ["deu_Latn"],
    "Russian": ["rus_Cyrl"],
    "Arabic": ["arb_Arab"],
    "Chinese": ["cmn_Hans", "cmn_Hant"],
    "Hindi": ["hin_Deva"],
    "Portuguese": ["por_Latn"],
    "Indonesian": ["ind_Latn"],
    "Japanese": ["jpn_Jpan"],
}
FEW = 1000
"""Training lines below which a label is small."""


# ---- the test sets


@dataclass(frozen=True)
class Lines:
    """A test set: all its lines, our answers to them, and the numbers of the lines that the peers see."""

    name: str
    texts: list[bytes]
    gold: list[str]
    answers: list[str]
    sample: list[int]

    @staticmethod
    def of(name: str, corpus: dict[str, list[bytes]], model: Model, limit: int | None) -> Lines:
        texts: list[bytes] = []
        gold: list[str] = []
        sample: list[int] = []
        for label, own in corpus.items():
            chosen = evenly(len(own), limit)
            sample += [len(texts) + i for i in chosen]
            texts += own
            gold += [label] * len(own)
        return Lines(name, texts, gold, ours(model, texts), sample)

    def known(self, languages: Iterable[str]) -> list[int]:
        """Return the lines of the sample in one of some languages."""
        languages = set(languages)
        return [i for i in self.sample if language_of(self.gold[i]) in languages]


def evenly(count: int, limit: int | None) -> list[int]:
    """Return at most so many numbers below `count`, evenly spaced."""
    return list(range(count)) if limit is None or count <= limit else [i * count // limit for i in range(limit)]


def ours(
    model: Model, texts: Sequence[bytes], languages: list[str] | None = None, threads: Threads = "auto"
) -> list[str]:
    return [answer.label for answer in model.identify(texts, languages=languages, abstain=False, threads=threads)]


def plain(text: bytes) -> str:
    return text.decode("utf-8", "replace").replace("\n", " ")


def share(hits: Sequence[bool] | npt.NDArray[np.bool_]) -> str:
    return f"{np.mean(hits):.4f}" if len(hits) else "–"


# ---- the program


def main() -> None:
    options = arguments(__doc__, model="", compact="", environments=str(Path.home() / ".cache/unilid-peers"), rounds=3)
    model = unilid.load(options.model or None)
    limit = 5 if options.quick else 100
    sets = [
        Lines.of(name, corpus, model, None if name == "UDHR" and not options.quick else limit)
        for name, corpus in corpora(options.data, options.quick)
    ]
    files = [f" --{name} {Path(file).name}" for name in ("model", "compact") if (file := getattr(options, name))]
    called = f"peers.py{''.join(files)}"
    report = Report("peers", "Beside other language identifiers", options.quick, called)
    source = Path(options.model).name if options.model else "the one in the package"
    sizes = ", ".join(f"{lines.name} {len(lines.sample):,}" for lines in sets)
    report.say(
        f"unilid's model: {source}, {len(model.languages)} labels. The peers see at most {limit} lines a label of "
        f"FLORES dev and Tatoeba test, evenly spaced, and {'as many' if options.quick else 'all'} of UDHR, of labels "
        f"with 20 or more: {sizes} lines. All systems see the same lines and always name a language if they can be "
        "made to. Scripts are ignored, Serbo-Croatian and Norwegian are one language each; "
        "`benchmarks/peers/labels.tsv` has the codes that are taken for another.\n"
    )
    own(report, model, sets, "")
    if options.compact:
        compact = unilid.load(options.compact)
        own(report, compact, [replace(lines, answers=ours(compact, lines.texts)) for lines in sets], ", compact")
    rejected(report, model, sets)
    resources(report, {"default": options.model or None, "compact": options.compact or "compact"}, sets[-1].texts)
    major(report, model, sets[0])
    peers = installed(report, list(PEERS), Path(options.environments))
    against(report, model, sets, peers, options)
    report.write()


def corpora(data: Path, quick: bool) -> Iterator[tuple[str, dict[str, list[bytes]]]]:
    for name, file in (("FLORES", "flores200/dev"), ("UDHR", "udhr/test"), ("Tatoeba", "tatoeba/test")):
        corpus = labelled(data / f"{file}.tsv.xz")
        if name == "UDHR":
            corpus = {label: lines for label, lines in corpus.items() if len(lines) >= 20}
        yield name, {k: [v[i] for i in evenly(len(v), 20)] for k, v in corpus.items()} if quick else corpus


def own(report: Report, model: Model, sets: list[Lines], form: str) -> None:
    """Measure on exact labels."""
    report.say(
        f"\n## unilid alone{form}\n\n"
        "Exact labels, all labels of the model competing. Covered: lines of the labels that it has. "
        "All: every line of the set; a label that the model does not have is wrong. Merged: the same, and a label that "
        "the recipe merged into another because the text cannot tell them apart counts as the other.\n"
    )
    report.header("test set", "lines", "labels", "accuracy", "macro F1")
    merged = model.info.get("merged", {})
    for lines in sets:
        pairs = list(zip(lines.gold, lines.answers, strict=True))
        views = {
            "covered": [pair for pair in pairs if pair[0] in set(model.languages)],
            "all": pairs,
            "merged": [(merged.get(truth, truth), answer) for truth, answer in pairs],
        }
        for view, chosen in views.items():
            gold, answers = [truth for truth, _ in chosen], [answer for _, answer in chosen]
            found = evaluated(gold, answers)
            name = f"{lines.name}, {view}"
            report.row(name, f"{len(gold):,}", len(set(gold)), found.accuracy, found.macro.f1)


def rejected(report: Report, model: Model, sets: list[Lines]) -> None:
    """Measure how often the model would rather not say, asked as users ask it."""
    report.say(
        "\n## What it would rather not say\n\n"
        "Answers `und` or `zxx` by default, in the lines that the peers see: of labels that the model has, too many; "
        "of labels that it does not have, too few.\n"
    )
    have = set(model.languages)
    report.header("test set", "labels it has", "labels it does not have")
    for lines in sets:
        answers = model.identify([lines.texts[i] for i in lines.sample])
        known = np.array([lines.gold[i] in have for i in lines.sample])
        silent = np.array([answer.label in ("und", "zxx") for answer in answers])
        report.row(lines.name, share(silent[known]), share(silent[~known]))


RESOURCES = """
import re, sys, time
from pathlib import Path
import unilid.model
start = time.perf_counter()
model = unilid.load(sys.argv[1] or None)
loaded = time.perf_counter()
model.identify("Is it there?", threads=1)
first = time.perf_counter()
model.identify(Path(sys.argv[2]).read_bytes().split(b"\\n"), threads=1)
[peak] = re.findall(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(loaded - start, first - loaded, int(peak) / 1024)
"""


def resources(report: Report, models: dict[str, str | None], texts: Sequence[bytes]) -> None:
    """Measure what a model takes, in processes of its own; medians of five."""
    report.say(
        "\n## What it takes\n\nResident: the whole process, at most, while it identifies 20,000 lines of Tatoeba.\n"
    )
    report.header("model", "MB", "loaded in, ms", "first answer after, ms", "resident, MB")
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"\n".join(texts[i] for i in evenly(len(texts), 20_000)))
        file.flush()
        for name, path in models.items():
            runs = [command(sys.executable, "-c", RESOURCES, path or "", file.name).split() for _ in range(5)]
            loaded, first, resident = (statistics.median(map(float, column)) for column in zip(*runs, strict=True))
            size = len(unilid.load(path).to_bytes()) / 1e6
            report.row(name, f"{size:.1f}", f"{1000 * loaded:.0f}", f"{1000 * first:.0f}", f"{resident:.0f}")


def major(report: Report, model: Model, lines: Lines) -> None:
    report.say(
        "\n## Large languages\n\nFLORES dev, all labels competing, scripts ignored. Lost: to another language, whose "
        f"label has fewer than {FEW:,} training lines.\n"
    )
    report.header("language", "lines", "recall", "lost", "to", "most often taken for")
    trained = dict(zip(model.languages, model.lines.tolist(), strict=True))
    every = lost_of_all = 0
    for name, wanted in MAJOR.items():
        said = [b for a, b in zip(lines.gold, lines.answers, strict=True) if a in wanted]
        language = language_of(wanted[0])
        wrong = Counter(b for b in said if language_of(b) != language)
        lost = {label: n for label, n in wrong.most_common() if trained.get(label, FEW) < FEW}
        every, lost_of_all = every + len(said), lost_of_all + sum(lost.values())
        recall = share([language_of(b) == language for b in said])
        often = ", ".join(f"{label} {n}" for label, n in wrong.most_common(3))
        report.row(name, len(said), recall, sum(lost.values()), ", ".join(list(lost)[:5]), often)
    report.say(f"\nLost of all: {lost_of_all} of {every:,}; 1 in 2,000 would be {every / 2000:.1f}.")


def installed(report: Report, names: list[str], environments: Path) -> list[Peer]:
    environments.mkdir(parents=True, exist_ok=True)
    found = [(name, peer(name, environments)) for name in names]
    report.say("\n## Peers\n")
    for name, one in found:
        if isinstance(one, str):
            report.say(f"- {name} ({PEERS[name]}): left out, cannot be installed: {one}")
        else:
            report.say(f"- {name}: {one.package} {one.version}, {len(one.languages)} languages, Python {one.python}")
    return [one for _, one in found if isinstance(one, Peer)]


def against(report: Report, model: Model, sets: list[Lines], peers: list[Peer], options: argparse.Namespace) -> None:
    """Compare with each peer."""
    tatoeba = sets[-1]
    timing = evenly(len(tatoeba.texts), 500 if options.quick else 5000)
    queue = [tatoeba.texts[i] for i in timing]
    mixed = random.Random(0).sample(queue, len(queue))
    rates: dict[str, list[float]] = {"unilid": [], "unilid, random order": []}
    tables: dict[str, list[list[object]]] = {lines.name: [] for lines in sets}
    everything: dict[str, list[object]] = {}
    rounds = 1 if options.quick else options.rounds
    have = {language_of(label) for label in model.languages}
    for one in peers:
        print(f"{one.name} ...", file=sys.stderr, flush=True)
        numbers = [lines.known(one.languages) for lines in sets]
        texts = [[plain(lines.texts[i]) for i in own] for lines, own in zip(sets, numbers, strict=True)]
        said, seconds = one.predict(*texts, *[[plain(text) for text in queue]] * rounds)
        rates[one.name] = [len(queue) / s for s in seconds[len(sets) :]]
        for name, order in (("unilid", queue), ("unilid, random order", mixed)):
            fresh = unilid.load(options.model or None)
            fresh.identify("warm", threads=1)
            rates[name].append(len(queue) / timed(partial(ours, fresh, order, threads=1))[1])
        allowed = [label for label in model.languages if language_of(label) in one.languages]
        for lines, own, codes in zip(sets, numbers, said, strict=False):
            gold = [language_of(lines.gold[i]) for i in own]
            limited = ours(model, [lines.texts[i] for i in own], allowed) if allowed else [""] * len(own)
            hits = np.array(
                [
                    [code == truth, language_of(a) == truth, language_of(lines.answers[i]) == truth]
                    for i, truth, code, a in zip(own, gold, codes, limited, strict=True)
                ]
            ).reshape(-1, 3)
            both = np.array([truth in have for truth in gold], bool)
            row: list[object] = [one.name, len(set(gold)), *map(share, hits.T)]
            row += [len(set(gold) & have), *map(share, hits[both].T)]
            tables[lines.name].append(row)
            everything.setdefault(one.name, []).append(f"{hits[:, 0].sum() / len(lines.sample):.4f}")
    right = [[language_of(x.answers[i]) == language_of(x.gold[i]) for i in x.sample] for x in sets]
    everything["unilid"] = [share(hits) for hits in right]

    report.say(
        "\n## On the languages that a peer knows\n\n"
        "Accuracy on the lines of the languages of the test set that the peer can name: the peer; unilid with "
        "`languages=` set to all of the peer's languages; unilid with all labels competing. Then the same on those "
        "that unilid's model knows too."
    )
    for lines in sets:
        report.say(f"\n### {lines.name}\n")
        report.header("peer", "languages", "peer", "unilid, its languages", "unilid, all labels",
                      "known to both", "peer", "unilid, its languages", "unilid, all labels")  # fmt: skip
        for row in tables[lines.name]:
            report.row(*row)
    report.say("\n## On all languages of the test sets\n\nAccuracy; a language that a system does not know is wrong.\n")
    languages = [len({language_of(label) for label in lines.gold}) for lines in sets]
    report.header("system", *(f"{lines.name}, {n} languages" for lines, n in zip(sets, languages, strict=True)))
    for name, cells in everything.items():
        report.row(name, *cells)
    report.say(
        f"\n## Time\n\nOne thread, {len(queue):,} lines of Tatoeba test, evenly spaced, in the order of the file (by "
        "label), without loading; from Python, a call a text for the peers and one call for unilid. Medians.\n"
    )
    report.header("system", "lines a second", "runs")
    for name, found in rates.items():
        if found:
            report.row(name, f"{statistics.median(found):,.0f}", len(found))


if __name__ == "__main__":
    main()
