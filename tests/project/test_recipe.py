"""The recipe of the default model, on corpora written here in the layout of the real ones."""

from __future__ import annotations

import json
import lzma
import re
import subprocess
import sys
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from support.sentences import SENTENCES

import unilid

RECIPE = Path(__file__).parents[2] / "recipes/default"
TEXT = {label: text.splitlines() for label, text in SENTENCES.items()}
STAGES = {"cleaned"} | {f"{name}-{which}" for name in ("words", "contexts", "lexicons") for which in ("kept", "all")}
LATIN = [label for label in TEXT if label.endswith("_Latn")]


@pytest.fixture(scope="module")
def corpora() -> ModuleType:
    sys.path.insert(0, str(RECIPE))
    import corpora

    return corpora


@pytest.fixture(scope="module")
def weighing(corpora: ModuleType) -> ModuleType:  # noqa: ARG001  # on the path
    import weighing

    return weighing


def varied(lines: list[str], times: int) -> list[str]:
    """Make more lines of the same words."""
    words = [line.split() for line in lines]
    return [" ".join(words[i % len(words)][: 3 + i // 20] + words[(i * 7 + 1) % len(words)][2:]) for i in range(times)]


def written(folder: Path, file: str, rows: list[tuple[Any, ...]]) -> None:
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress("".join("\t".join(map(str, row)) + "\n" for row in rows).encode()))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    tatoeba = [(label, line) for label in LATIN for line in varied(TEXT[label], 120)]
    tatoeba += [("toki_Latn", f"jan pona li toki e ijo {i % 7} lon tomo {i % 5}") for i in range(60)]
    tatoeba += [("tok_Latn", f"mi moku e kili {i % 7} lon ma {i % 11}") for i in range(60)]
    tatoeba += [("deu_Latn", "Ελληνικά γράμματα")] + [("xyz_Latn", "only a few lines")] * 3
    written(folder, "tatoeba/train.tsv.xz", tatoeba)
    others = [label for label in TEXT if label not in LATIN]
    written(folder, "common_voice/train.tsv.xz", [(x, line) for x in others for line in varied(TEXT[x], 60)])
    seed = [("deu_Latn", f"Satz Nummer {i} hier") for i in range(2600)]
    seed += [("lim_Latn", f"Daer zats {i} steit hie") for i in range(1100)]
    written(folder, "oldi_seed/train.tsv.xz", seed)
    written(folder, "wili10/train.tsv.xz", [("eng", f"The town number {i} lies on a river.") for i in range(40)])
    written(folder, "ebible_open/train.tsv.xz", [("eng_Latn", line) for line in varied(TEXT["eng_Latn"], 50)])
    written(folder, "nusax/train.tsv.xz", [("ind_Latn", f"kalimat ke {i} ini bagus sekali") for i in range(40)])
    written(folder, "gatitos/words.tsv.xz", [("qqq_Latn", f"wokazu{i} petilo{i % 13}") for i in range(200)])
    listed = [("rrr_Latn", "brenda" + chr(97 + i // 26) + chr(97 + i % 26), 10_000 - 40 * i) for i in range(200)]
    written(folder, "unilex/words.tsv.xz", [*listed, ("rrr_Latn", "слово", 9000)])
    written(folder, "frequency_words/words.tsv.xz", [("deu_Latn", "haus", 700), ("deu_Latn", "nebenbei", 300)])
    written(folder, "wordfreq/words.tsv.xz", [("eng_Latn", "house", 100_000), ("hbs_Latn", "kuća", 100_000)])
    messages = [("deu_Latn", f"Datei {i} speichern") for i in range(1100)]
    messages += [("vvv_Latn", f"dosero {i} konservi") for i in range(230)]
    messages += [("www_Latn", f"fail {i} pidi") for i in range(60)]
    written(folder, "wikimedia_ui/train.tsv.xz", messages)
    written(folder, "firefox_ui/train.tsv.xz", [("deu_Latn", f"Fenster {i} schlie 00dfen") for i in range(30)])
    (folder / "speakers").mkdir()
    (folder / "speakers/linguameta.tsv").write_text(
        "iso639_3\tbcp47\tspeakers\tendangerment\tname\neng\ten\t1500000000\t\tEnglish\ndeu\tde\t\t\tGerman\n"
    )
    written(folder, "flores200/dev.tsv.xz", [("deu_Latn", line) for line in TEXT["deu_Latn"]])
    written(folder, "udhr/test.tsv.xz", [
        *(("sss_Latn", f"artikolo {i} homoj rajtas vivi libere {i % 9}") for i in range(30)),
        *(("eng_Latn", f"everyone has the right to life {i}") for i in range(30)),
    ])  # fmt: skip
    return folder


def test_what_is_wrong_is_dropped_and_logged(corpora: ModuleType, data: Path) -> None:
    log = corpora.Log()
    parts = corpora.clean(corpora.read(data, corpora.SOURCES, log), log)
    labels = {label for _, label in parts}
    assert "tok_Latn" in labels
    assert "toki_Latn" not in labels
    assert "xyz_Latn" not in labels
    assert b"\xd1\x81\xd0\xbb\xd0\xbe\xd0\xb2\xd0\xbe" not in parts["unilex", "rrr_Latn"].lines
    assert len(parts["oldi_seed", "deu_Latn"].lines) == 2500
    assert len(parts["oldi_seed", "lim_Latn"].lines) == 1000  # under a roof
    assert ("wili", "eng_Latn") in parts
    assert len(parts["wikimedia_ui", "deu_Latn"].lines) == 1000
    assert "vvv_Latn" in labels  # known from messages alone, of which it has enough
    assert "www_Latn" not in labels
    assert ("firefox_ui", "deu_Latn") not in parts  # broken escapes
    assert not any("hbs" in label for label in labels)
    steps = {(step, source, what) for step, source, what, _ in log.rows}
    assert ("wrong script", "tatoeba", "deu_Latn") in steps
    assert ("label decided", "tatoeba", "toki_Latn > tok_Latn") in steps
    assert ("too few lines", "tatoeba", "xyz_Latn") in steps


def test_held_out_lines_are_not_trained_on(corpora: ModuleType, data: Path) -> None:
    log = corpora.Log()
    parts = corpora.clean(corpora.read(data, corpora.SOURCES, log), log)
    kept, held = corpora.hold_out(parts)
    assert set(held.even) == {label for _, label in parts}
    for label, lines in held.natural.items():
        assert lines
        assert not set(lines) & set(kept["tatoeba", label].lines)
        assert set(lines) | set(kept["tatoeba", label].lines) == set(parts["tatoeba", label].lines)
    phrases = b" ".join(held.even["qqq_Latn"])
    assert not any(phrase in phrases for phrase in kept["gatitos", "qqq_Latn"].lines)
    before, after = sum(parts["unilex", "rrr_Latn"].counts), sum(kept["unilex", "rrr_Latn"].counts)
    assert 0 < after < before
    assert held.even["rrr_Latn"]


def test_languages_from_lists_get_the_signs_of_their_script(
    corpora: ModuleType, weighing: ModuleType, data: Path
) -> None:
    log = corpora.Log()
    labels, words = weighing.count(corpora.clean(corpora.read(data, corpora.SOURCES, log), log))
    listed = dict(words[labels.index("rrr_Latn")].pairs())
    assert listed[b"."] > 0
    assert listed[b"?"] > 0
    signs = sum(count for word, count in listed.items() if not word.strip().decode().isalnum())
    assert 0.05 < signs / sum(listed.values()) < 0.2


def test_lists_without_capitals_get_those_of_other_sources(corpora: ModuleType, weighing: ModuleType) -> None:
    parts = {
        ("tatoeba", "deu_Latn"): corpora.Part([b"Das Haus ist das Haus"]),
        ("frequency_words", "deu_Latn"): corpora.Part([b"haus", b"das", b"neu"], [600.0, 300.0, 100.0]),
    }
    _, [words] = weighing.count(parts)
    counts = dict(words.pairs())
    house = 2 + 600
    assert counts[b" Haus"] + counts[b" haus"] == pytest.approx(house)
    assert counts[b" haus"] == pytest.approx(0.8 * 0.3 * 600 + 0.1 * house)  # as written, and in the other case
    assert counts[b" Das"] < counts[b" das"]
    assert counts[b" neu"] == pytest.approx(90)
    assert counts[b" Neu"] == pytest.approx(10)


def test_a_list_weighs_no_more_than_the_text_that_it_was_made_from(corpora: ModuleType, weighing: ModuleType) -> None:
    names = ["".join(letters).encode() for letters in product("abcdefghij", repeat=3)]
    whole = [float(1 + number % 4) for number in range(1000)]
    billionths = [count * 1e9 / sum(whole) for count in whole]
    for counts in (whole, billionths):
        _, [words] = weighing.count({("unilex", "xyz_Latn"): corpora.Part(names, counts)})
        found = sum(count for word, count in words.pairs() if word.strip().isalnum())
        assert found == pytest.approx(sum(whole))


def test_capitals_are_not_made_where_the_letters_are_others(corpora: ModuleType, weighing: ModuleType) -> None:
    _, [words] = weighing.count({("tatoeba", "tur_Latn"): corpora.Part(["ılık su istiyorum".encode()])})
    counts = dict(words.pairs())
    assert b" Su" in counts
    assert not {" Ilık".encode(), b" Istiyorum"} & set(counts)


def test_messages_weigh_a_tenth_of_other_text(corpora: ModuleType, weighing: ModuleType) -> None:
    text = [b"%d we walk to the lake and talk of this and that" % i for i in range(1000)]
    messages = [b"save file %d" % i for i in range(1000)]
    shares = {}
    for name, parts in {
        "both": {("tatoeba", "eng_Latn"): corpora.Part(text), ("firefox_ui", "eng_Latn"): corpora.Part(messages)},
        "messages": {("firefox_ui", "eng_Latn"): corpora.Part(messages)},
    }.items():
        _, [words] = weighing.count(parts)
        counts = dict(words.pairs())
        shares[name] = counts[b" file"] / sum(counts.values())
    alone = shares["messages"]
    assert shares["both"] == pytest.approx(alone * 0.1 / 1.1, rel=0.02)


def test_a_label_known_from_one_kind_of_text_may_cost_more_elsewhere(corpora: ModuleType) -> None:
    import build

    lines = corpora.Part([b"a line"] * 60)
    kinds = {
        "messages": ["firefox_ui", "wikimedia_ui"],
        "bible": ["ebible", "firefox_ui"],
        "one": ["common_voice", "gatitos"],
        "several": ["common_voice", "ebible"],
    }
    for kind, sources in kinds.items():
        assert build.kind_of_text("xxx_Latn", {(source, "xxx_Latn"): lines for source in sources}) == kind
    assert build.ELSEWHERE["messages"] > build.ELSEWHERE["bible"] > build.ELSEWHERE["several"]


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("eng_Latn", "nld_Latn"),  # more speakers
        ("hin_Deva", "hin_Latn"),  # the usual script
        ("arb_Arab", "arz_Arab"),  # a macrolanguage's speakers are those of its usual member; and a roof
        ("deu_Latn", "gsw_Latn"),
    ],
)
def test_the_prior_is_like_life(corpora: ModuleType, more: str, less: str) -> None:  # noqa: ARG001  # on the path
    import prior

    speakers = {"eng": 1.5e9, "nld": 2.5e7, "hin": 6e8, "ara": 3.5e8, "arz": 1e8, "deu": 9e7, "gsw": 6e6}
    labels = [more, less]
    high, low = prior.prior_of(labels, np.array([1000, 1000]), speakers)
    assert high > low
    assert high + low == pytest.approx(1)


def test_the_lexicon_keeps_what_can_decide(data: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(RECIPE / "build.py"), "measured", "--data", str(data), "--work", str(tmp_path)]
    subprocess.run(command, capture_output=True, check=True)
    model, compact = (unilid.load(tmp_path / f"measured/{form}.unilid") for form in ("default", "compact"))
    assert model.parameters.lexicon is not None
    assert len(model.parameters.lexicon.entries) > 0
    assert compact.parameters.lexicon is not None
    assert compact.parameters.lexicon.entries["cost"].min() >= 8  # a nat; corrections change that of the other form
    assert model.parameters.scripts is not None
    assert model.parameters.scripts[model.row_of("rus_Cyrl")] == ("Cyrl",)


def test_the_same_corpora_give_the_same_model(data: Path, tmp_path: Path) -> None:
    made = []
    for threads in ("1", "2"):
        folder = tmp_path / threads
        command = [sys.executable, str(RECIPE / "build.py"), "--data", str(data), "--work", str(folder),
                   "--out", str(folder / "out"), "--threads", threads]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        made.append([(folder / "out" / name).read_bytes() for name in ("default.unilid", "compact.unilid")])
        again = subprocess.run(command, capture_output=True, text=True, check=True)
        assert set(re.findall(r"^(\S+): \d+ s$", done.stderr, re.M)) >= STAGES
        assert set(re.findall(r"^reusing finished stage: (\S+) ", again.stderr, re.M)) >= STAGES
        assert not re.search(r": \d+ s$", again.stderr, re.M)
        assert [(folder / "out" / name).read_bytes() for name in ("default.unilid", "compact.unilid")] == made[-1]
    assert made[0] == made[1]
    model = unilid.load(tmp_path / "1/out/default.unilid")
    assert {"sss_Latn", "tok_Latn", "qqq_Latn"} <= set(model.languages)
    assert model.info["labels"]["sss_Latn"]["sources"] == ["udhr"]
    assert "udhr" not in model.info["labels"]["eng_Latn"]["sources"]
    assert model.identify("artikolo 5 homoj rajtas vivi").label == "sss_Latn"
    measured = unilid.load(tmp_path / "1/measured/default.unilid")
    assert "sss_Latn" not in measured.languages
    card = (tmp_path / "1/out/MODEL_CARD.md").read_text(encoding="utf-8")
    assert f"{len(model.languages):,} labels" in card
    assert "Unicode License V3" in card
    page = (tmp_path / "1/out/docs/labels.md").read_text(encoding="utf-8")
    assert "| sss_Latn + |" in page
    assert "toki_Latn" in page
    figures = json.loads((tmp_path / "1/out/figures.json").read_text(encoding="utf-8"))
    assert "sss_Latn" in figures["only_shipped"]
    assert figures["used"]["nusax"] == 40
    compact = unilid.load(tmp_path / "1/out/compact.unilid")
    assert compact.languages == model.languages
    assert len(compact.to_bytes()) < len(model.to_bytes())
