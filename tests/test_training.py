"""From labelled text to a model: every format, every option, and a run that goes on where it stopped."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import math
import os
from collections import Counter as Tally
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
import zstandard
from pyarrow import parquet
from sentences import SENTENCES as ALL_SENTENCES

import unilid
from unilid import Model, UnilidError, Vocabulary, VocabularyError, plain, training
from unilid.corpus import Batch
from unilid.costs import STEP
from unilid.counts import ASIDE, Counter, held_out
from unilid.unigram import ADDED, MIN_COUNT

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.compress,
}


ALL = {label: text.splitlines() for label, text in ALL_SENTENCES.items()}
SENTENCES = {label: ALL[label] for label in ("eng_Latn", "deu_Latn", "fra_Latn")}
VOCABULARY = Vocabulary.of([b" the", b" der", b" die", b"en", b"er", b" de", b"ch", b"ou"])

# The labels take turns, as they may in a file.
ROWS = [
    (label, text)
    for texts in zip(*SENTENCES.values(), strict=True)
    for label, text in zip(SENTENCES, texts, strict=True)
]
TSV = "".join(f"{label}\t{text}\n" for label, text in ROWS).encode()


def numbered_lines(label: str, count: int) -> list[str]:
    """Lines that are all different, so that it shows which of them were taken."""
    return [f"{label} says {number} and {number * number}" for number in range(count)]


def write_rows(path: Path, rows: list[tuple[str, str]]) -> Path:
    path.write_text("".join(f"{label}\t{text}\n" for label, text in rows), encoding="utf-8")
    return path


def write_parquet(path: Path, **columns: list[str]) -> Path:
    parquet.write_table(pyarrow.table(columns), path)
    return path


class Recorder:
    """A progress object that remembers what it was told."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.totals: list[int | None] = []
        self.amounts: list[int] = []
        self.said: list[str] = []

    @contextmanager
    def stage(self, name: str, total: int | None) -> Iterator[Callable[[int], None]]:
        self.stages.append(name)
        self.totals.append(total)
        self.amounts.append(0)
        at = len(self.amounts) - 1

        def advance(amount: int) -> None:
            self.amounts[at] += amount

        yield advance

    def say(self, message: str) -> None:
        self.said.append(message)


class Interrupting(Recorder):
    """Ctrl-C when a stage begins for the nth time."""

    def __init__(self, name: str, times: int) -> None:
        super().__init__()
        self.name = name
        self.times = times

    @contextmanager
    def stage(self, name: str, total: int | None) -> Iterator[Callable[[int], None]]:
        with super().stage(name, total) as advance:
            if self.stages.count(self.name) == self.times:
                raise KeyboardInterrupt
            yield advance


def bare(model: Model) -> bytes:
    """The model without the note of how it was made, which tells apart runs of equal outcome."""
    return replace(model, info={}).to_bytes()


# ---- formats


@pytest.fixture(scope="module")
def reference() -> bytes:
    return unilid.train(SENTENCES).to_bytes()


def as_fasttext(folder: Path) -> Any:
    path = folder / "train.txt"
    path.write_text("".join(f"__label__{label} {text}\n" for label, text in ROWS), encoding="utf-8")
    return path


def as_jsonl(folder: Path) -> Any:
    path = folder / "train.jsonl"
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for label, text in ROWS))
    return path


def as_parquet(folder: Path) -> Any:
    labels, texts = zip(*ROWS, strict=True)
    return write_parquet(folder / "train.parquet", text=list(texts), label=list(labels))


def as_folder(folder: Path) -> Any:
    for label, texts in SENTENCES.items():
        (folder / f"{label}.txt").write_text("\n".join(texts), encoding="utf-8")
    return folder


def as_folder_of_archives(folder: Path) -> Any:
    for (label, texts), (suffix, compress) in zip(SENTENCES.items(), COMPRESS.items(), strict=False):
        (folder / f"{label}.txt{suffix}").write_bytes(compress("\n".join(texts).encode()))
    return folder


def as_wili(folder: Path) -> Any:
    (folder / "x_train.txt").write_text("".join(f"{text}\n" for _, text in ROWS), encoding="utf-8")
    (folder / "y_train.txt").write_text("".join(f"{label}\n" for label, _ in ROWS), encoding="utf-8")
    return folder / "x_train.txt"


def as_several_files(folder: Path) -> Any:
    half = len(ROWS) // 2
    second = folder / "second.jsonl"
    second.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for label, text in ROWS[half:]))
    return [str(write_rows(folder / "first.tsv", ROWS[:half])), second]


def as_dos_tsv(folder: Path) -> Any:
    path = folder / "dos.tsv"
    path.write_bytes(b"\xef\xbb\xbf" + TSV.replace(b"\n", b"\r\n").removesuffix(b"\r\n"))
    return path


FORMATS: dict[str, Callable[[Path], Any]] = {
    "tsv": lambda folder: write_rows(folder / "train.tsv", ROWS),
    "fasttext": as_fasttext,
    "jsonl": as_jsonl,
    "parquet": as_parquet,
    "folder": as_folder,
    "folder of archives": as_folder_of_archives,
    "wili": as_wili,
    "several files": as_several_files,
    "tsv from a foreign editor": as_dos_tsv,
    "list of pairs": lambda folder: ROWS,
    "generator of pairs": lambda folder: (pair for pair in ROWS),
    "pairs of bytes": lambda folder: [(label, text.encode()) for label, text in ROWS],
    "mapping": lambda folder: dict(reversed(SENTENCES.items())),
    "mapping to generators": lambda folder: {label: iter(texts) for label, texts in SENTENCES.items()},
}


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_text_gives_the_same_model_in_every_format(tmp_path: Path, form: str, reference: bytes) -> None:
    assert unilid.train(FORMATS[form](tmp_path)).to_bytes() == reference


@pytest.mark.parametrize("suffix", COMPRESS)
def test_the_same_text_gives_the_same_model_from_an_archive(tmp_path: Path, suffix: str, reference: bytes) -> None:
    path = tmp_path / f"train.tsv{suffix}"
    path.write_bytes(COMPRESS[suffix](TSV))
    assert unilid.train(path).to_bytes() == reference


def test_fields_can_have_other_names(tmp_path: Path, reference: bytes) -> None:
    labels, texts = zip(*ROWS, strict=True)
    in_parquet = write_parquet(tmp_path / "a.parquet", sentence=list(texts), language=list(labels), text=list(labels))
    in_jsonl = tmp_path / "a.jsonl"
    in_jsonl.write_text("".join(json.dumps({"sentence": t, "language": s, "text": 1}) + "\n" for s, t in ROWS))
    for path in (in_parquet, in_jsonl):
        assert unilid.train(path, text_field="sentence", label_field="language").to_bytes() == reference


def test_a_given_format_overrules_the_suffix(tmp_path: Path, reference: bytes) -> None:
    path = tmp_path / "train.jsonl"
    path.write_bytes(TSV)
    assert unilid.train(path, format="tsv").to_bytes() == reference


@pytest.mark.parametrize("source", ["file", "archive", "triples"])
def test_word_counts_give_the_model_of_the_text_they_were_counted_in(tmp_path: Path, source: str) -> None:
    texts = {  # every word after a space: a word list has no other
        label: [" ".join(word for word in text.split() if word.isalpha()) for text in lines]
        for label, lines in SENTENCES.items()
    }
    rows = [
        (label, word, float(count))
        for label, lines in texts.items()
        for word, count in Tally(word for line in lines for word in line.split()).items()
    ]
    written = "".join(f"{label}\t{word}\t{count:g}\n" for label, word, count in rows).encode()
    (tmp_path / "words.tsv").write_bytes(written)
    (tmp_path / "words.tsv.zst").write_bytes(zstandard.compress(written))
    corpus: Any = {"file": tmp_path / "words.tsv", "archive": tmp_path / "words.tsv.zst", "triples": iter(rows)}[source]
    from_text = unilid.train(texts, tune=False)
    from_words = unilid.train(corpus, tune=False)
    # A word list counts as one line a word; nothing else may differ.
    assert from_words.lines.tolist() == [sum(row[0] == label for row in rows) for label in from_words.languages]
    assert replace(from_words, lines=from_text.lines).to_bytes() == from_text.to_bytes()


def test_of_a_word_list_nothing_is_held_out() -> None:
    rows = [(label, word, 2.0) for label, text in ROWS for word in text.split()]
    tuned, untuned = unilid.train(rows), unilid.train(rows, tune=False)
    assert not tuned.info["tuned"]
    assert tuned.to_bytes() == untuned.to_bytes()


def test_labels_are_sorted_whatever_their_order_in_the_corpus() -> None:
    assert unilid.train(SENTENCES).languages == ("deu_Latn", "eng_Latn", "fra_Latn")


# ---- cap


@pytest.fixture
def long_corpus(tmp_path: Path) -> Path:
    lines = {"aaa": numbered_lines("a", 60), "bbb": numbered_lines("b", 60), "few": numbered_lines("c", 7)}
    return write_rows(tmp_path / "long.tsv", [(label, line) for label, texts in lines.items() for line in texts])


def test_the_seed_decides_which_lines_a_cap_takes(long_corpus: Path) -> None:
    def capped(seed: int) -> Model:
        return unilid.train(long_corpus, cap=20, seed=seed, tune=False, vocabulary=VOCABULARY)

    assert capped(1).to_bytes() == capped(1).to_bytes()
    assert bare(capped(1)) != bare(capped(2))
    assert capped(1).info["seed"] == 1 and capped(1).info["cap"] == 20


def test_a_cap_holds_for_each_language(long_corpus: Path) -> None:
    assert unilid.train(long_corpus, cap=20).lines.tolist() == [20, 20, 7]
    assert unilid.train(long_corpus).lines.tolist() == [60, 60, 7]


def test_a_cap_larger_than_the_corpus_changes_nothing(long_corpus: Path) -> None:
    whole = unilid.train(long_corpus)
    assert bare(unilid.train(long_corpus, cap=60, seed=5)) == bare(whole)
    assert bare(unilid.train(long_corpus, cap=10**6, seed=5)) == bare(whole)


def test_a_language_draws_its_lines_whatever_the_others_are(long_corpus: Path, tmp_path: Path) -> None:
    alone = write_rows(tmp_path / "alone.tsv", [("bbb", line) for line in numbered_lines("b", 60)])
    options: dict[str, Any] = {"cap": 20, "tune": False, "vocabulary": VOCABULARY, "context": None}
    both, one = unilid.train(long_corpus, **options), unilid.train(alone, **options)
    assert both.tokens[both.row("bbb")] == one.tokens[0]


def test_the_cap_takes_the_first_lines_of_an_iterable() -> None:
    lines = {"aaa": numbered_lines("a", 30), "bbb": numbered_lines("b", 2)}
    items = [(label, line) for label, texts in lines.items() for line in texts]
    first = unilid.train({"aaa": lines["aaa"][:4], "bbb": lines["bbb"]})
    assert bare(unilid.train(iter(items), cap=4)) == bare(first)
    assert bare(unilid.train(lines, cap=4, seed=3)) == bare(first)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no names for open files here")
def test_a_cap_works_on_a_pipe_which_can_be_read_only_once() -> None:
    reading, writing = os.pipe()
    os.write(writing, TSV)
    os.close(writing)
    try:
        assert unilid.train(f"/dev/fd/{reading}", cap=4).lines.tolist() == [4, 4, 4]
    finally:
        os.close(reading)


# ---- unseen tokens, against the plain twin


def twin_counts(texts: list[str], vocabulary: Vocabulary) -> dict[int, float]:
    words = Tally(word.text for text in texts for word in plain.words(text.encode()))
    counts, _ = plain.expectation(words, {token: number for number, token in enumerate(vocabulary.tokens)})
    return counts


def costs_of(model: Model, row: int) -> list[int]:
    """What every token of the vocabulary costs a language."""
    costs = np.full(len(model.vocabulary), int(model.unigram.unseen[row]))
    mine = model.unigram.languages == row
    costs[model.unigram.tokens[mine]] = model.unigram.costs[mine]
    return costs.tolist()


def assert_quantised(cost: int, log_p: float) -> None:
    assert abs(cost + log_p / STEP) <= 0.5 + 1e-4


def test_additive_smoothing_is_the_papers_base() -> None:
    corpus = {"deu": SENTENCES["deu_Latn"], "eng": SENTENCES["eng_Latn"][:2]}
    model = unilid.train(corpus, context=None, fragments=0, tune=False, vocabulary=VOCABULARY, unseen="additive")
    for row, texts in enumerate(corpus.values()):
        counts = twin_counts(texts, VOCABULARY)
        mass = sum(counts.values()) + ADDED * len(VOCABULARY)
        for token, cost in enumerate(costs_of(model, row)):
            assert_quantised(cost, math.log((counts.get(token, 0.0) + ADDED) / mass))
    assert model.unigram.unseen[0] > model.unigram.unseen[1]  # falls with the size of the corpus


def test_shared_smoothing_keeps_seen_tokens_and_gives_all_others_one_constant() -> None:
    corpus = {"deu": SENTENCES["deu_Latn"], "eng": SENTENCES["eng_Latn"][:2]}
    model = unilid.train(corpus, context=None, fragments=0, tune=False, vocabulary=VOCABULARY, unseen="shared")
    constant = model.settings.unseen_log_p
    for row, texts in enumerate(corpus.values()):
        counts = twin_counts(texts, VOCABULARY)
        total = sum(counts.values())
        costs = costs_of(model, row)
        for token, cost in enumerate(costs):
            seen = counts.get(token, 0.0) >= MIN_COUNT
            # Nothing costs more than an unseen token.
            assert_quantised(cost, max(math.log(counts[token] / total), constant) if seen else constant)
        assert len(set(costs)) > 5
        assert sum(cost == model.unigram.unseen[row] for cost in costs) > 200


def test_expected_tokens_are_the_twins() -> None:
    model = unilid.train(SENTENCES, context=None, fragments=0, tune=False, vocabulary=VOCABULARY)
    expected = [sum(twin_counts(SENTENCES[label], VOCABULARY).values()) for label in model.languages]
    assert model.tokens.tolist() == pytest.approx(expected, rel=1e-6)


# ---- vocabulary


def test_a_number_of_tokens_is_learned() -> None:
    for size in (300, 400):
        model = unilid.train(SENTENCES, vocabulary=size)
        assert len(model.vocabulary) == size
        assert model.info["vocabulary"] == "learned"


def test_the_smallest_vocabulary_is_the_256_bytes() -> None:
    assert len(unilid.train(SENTENCES, vocabulary=256).vocabulary) == 256


def test_a_tokenizer_file_gives_its_tokens(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    pieces = [["<unk>", 0.0], ["▁the", -1.0], ["▁gut", -2.0], ["en", -3.0], ["ü", -4.0]]
    path.write_text(json.dumps({"model": {"type": "Unigram", "unk_id": 0, "vocab": pieces}}), encoding="utf-8")
    tokens = Vocabulary.of([b" the", b" gut", b"en", "ü".encode()])
    for given in (path, str(path)):
        model = unilid.train(SENTENCES, vocabulary=given)
        assert model.vocabulary.tokens == tokens.tokens
        assert model.info["vocabulary"] == path.name
        assert bare(model) == bare(unilid.train(SENTENCES, vocabulary=tokens))


def test_a_vocabulary_is_taken_as_it_is() -> None:
    assert unilid.train(SENTENCES, vocabulary=VOCABULARY).vocabulary.tokens == VOCABULARY.tokens


def test_a_given_vocabulary_is_not_said_to_be_learned() -> None:
    assert unilid.train(SENTENCES, vocabulary=VOCABULARY).info["vocabulary"] != "learned"


# ---- context, order, bound


def test_without_context_bound_and_fragments_the_model_is_the_papers() -> None:
    model = unilid.train(SENTENCES, context=None, bound=None, fragments=0, unseen="additive")
    assert model.context is None
    assert (model.settings.order, model.settings.unigram_weight, model.settings.bound) == (None, 16, None)
    assert (model.settings.fragments, model.settings.unseen) == (0, "additive")
    assert model.identify("Wo ist der Garten?").label == "deu_Latn"


@pytest.mark.parametrize("tune", [False, True])
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_the_context_model_has_the_order_asked_for(order: int, tune: bool) -> None:
    model = unilid.train(SENTENCES, context="characters", order=order, tune=tune)
    assert model.context is not None
    assert len(model.context.levels) == model.settings.order == order
    assert model.identify("Wo ist der Garten?").label == "deu_Latn"


def test_beyond_the_bound_a_word_counts_a_quarter() -> None:
    def spread(bound: float | None, context: Any) -> float:
        model = unilid.train(SENTENCES, context=context, bound=bound)
        assert model.settings.bound == bound
        return float(np.ptp(model.scores(["Straßenbahnhaltestelle"])))

    for context in (None, "characters", "auto"):
        whole = spread(None, context)
        assert whole > 3.0
        for bound in (3.0, 1.5):
            assert spread(bound, context) == bound + STEP * math.floor((whole - bound) / STEP / 4)


@pytest.mark.parametrize("context", [None, "characters"])
def test_the_automatic_bound_is_the_same_with_and_without_context(context: Any) -> None:
    assert unilid.train(SENTENCES, bound="auto", context=context, tune=False).settings.bound == training.BOUND
    assert unilid.train(SENTENCES, context=None).settings.bound == training.BOUND
    assert unilid.train(SENTENCES, bound=None, context=context).settings.bound is None


def test_pruning_drops_entries_of_the_context_model() -> None:
    def entries(prune: float) -> int:
        model = unilid.train(SENTENCES, context="characters", tune=False, prune=prune)
        assert model.context is not None and model.settings.prune == prune
        return sum(len(level.costs) for level in model.context.levels)

    assert entries(0.0) > entries(0.01) > entries(0.1)


def test_a_tiny_bound_is_not_taken_for_none() -> None:
    models = [unilid.train(SENTENCES, bound=bound, tune=False) for bound in (STEP, None)]
    bounded, free = (float(np.ptp(model.scores(["Straßenbahnhaltestelle"]))) for model in models)
    assert bounded < free / 3
    with pytest.raises(UnilidError, match="bound"):
        unilid.train(SENTENCES, bound=STEP / 2)


def test_fragments_are_learned_unless_they_are_not_wanted() -> None:
    default, none = unilid.train(SENTENCES, tune=False), unilid.train(SENTENCES, tune=False, fragments=0)
    assert (default.settings.fragments, none.settings.fragments) == (training.FRAGMENTS, 0)
    assert default.tokens.sum() > none.tokens.sum()
    # What noise leaves of a word: the end of "morning", of which no other word has a part.
    row = default.row("eng_Latn")
    assert default.scores(["orning"])[0, row] > none.scores(["orning"])[0, row] - 8
    assert default.add_language("x", ["orning"]).settings.fragments == training.FRAGMENTS


# ---- held-out lines


def test_how_many_lines_are_held_out() -> None:
    sizes = [0, 4, 5, 10, 99, 100, 199, 250, 400, 500, 800, 10_000]
    assert [held_out(lines, min(lines, 400)) for lines in sizes] == [0, 0, 1, 2, 19, 20, 20, 25, 40, 50, 80, 80]


def test_held_out_lines_are_the_last_of_those_set_aside_and_count_in_the_end() -> None:
    count = ASIDE + 100
    texts = [f"line{'x' * (number % 7)} {number}".encode() for number in range(count)]
    counter = Counter(hold_out=True)
    for start in range(0, count, 90):
        part = texts[start : start + 90]
        counter.add(Batch(["aaa"] * len(part), part))
    corpus = counter.corpus()
    first = ASIDE - held_out(count, ASIDE)
    assert corpus.held_texts == texts[first:ASIDE]
    assert set(corpus.held_rows.tolist()) == {0}
    assert corpus.lines.tolist() == [count]

    def tally(lines: list[bytes]) -> list[tuple[bytes, float]]:
        return sorted(Tally(word.text for line in lines for word in plain.words(line)).items())

    assert corpus.words[0].pairs() == tally(texts)
    assert corpus.kept[0].pairs() == tally(texts[:first] + texts[ASIDE:])


@pytest.mark.parametrize("context", [None, "characters"])
def test_the_final_model_is_estimated_from_all_lines(context: Any) -> None:
    tuned = unilid.train(SENTENCES, vocabulary=VOCABULARY, context=context, order=3)
    untuned = unilid.train(SENTENCES, vocabulary=VOCABULARY, context=context, order=3, tune=False)
    assert tuned.info["tuned"] and not untuned.info["tuned"]
    assert tuned.lines.tolist() == untuned.lines.tolist() == [10, 10, 10]
    assert tuned.tokens.tolist() == untuned.tokens.tolist()
    # With the constants of the one the other is the same to the byte.
    costs = [cost for row in range(3) for cost in costs_of(untuned, row)]
    ceiling = round(-tuned.settings.unseen_log_p / STEP)
    floor = round(-untuned.settings.unseen_log_p / STEP)
    for cost, other in zip([c for row in range(3) for c in costs_of(tuned, row)], costs, strict=True):
        assert cost == other or (other == floor and cost >= floor) or (cost == ceiling and other >= ceiling)
    if context is not None:
        assert tuned.context is not None and untuned.context is not None
        packed, other_packed = tuned.context.pack(), untuned.context.pack()
        assert all((packed[name] == other_packed[name]).all() for name in packed)


def test_few_lines_are_all_needed_and_none_is_held_out() -> None:
    few = {label: texts[:4] for label, texts in SENTENCES.items()}
    assert unilid.train(few).to_bytes() == unilid.train(few, tune=False).to_bytes()
    assert not unilid.train(few).info["tuned"]


Right = Callable[[unilid.Settings], float]


@pytest.fixture
def share_right(monkeypatch: pytest.MonkeyPatch) -> Callable[[Right], None]:
    """Let a function of the settings say which share of the held-out lines is right."""

    def patch(share: Right) -> None:
        def best_rows(self: Model, texts: list[bytes], *, threads: int = 1) -> np.ndarray:
            return np.where(np.arange(len(texts)) < share(self.settings) * len(texts), 0, -1).astype(np.int32)

        monkeypatch.setattr(Model, "best_rows", best_rows)

    return patch


ONE = {"aaa": numbered_lines("a", 100)}


@pytest.mark.parametrize("value", training.UNSEEN)
def test_held_out_lines_choose_the_constant_of_unseen_tokens(share_right: Any, value: float) -> None:
    share_right(lambda settings: settings.unseen_log_p == value)
    model = unilid.train(ONE)
    assert model.settings.unseen_log_p == value
    assert model.unigram.unseen.tolist() == [round(-value / STEP)]


@pytest.mark.parametrize("weight", [training.UNIGRAM_WEIGHT, *training.WEIGHTS])
def test_held_out_lines_choose_the_weight(share_right: Any, weight: int) -> None:
    share_right(lambda settings: settings.unigram_weight == weight)
    assert unilid.train(ONE, context="characters").settings.unigram_weight == weight


@pytest.mark.parametrize("bound", [training.BOUND, *training.BOUNDS])
def test_held_out_lines_choose_the_bound(share_right: Any, bound: float | None) -> None:
    share_right(lambda settings: settings.bound == bound)
    assert unilid.train(ONE, context="characters").settings.bound == bound


def test_much_text_has_a_longer_context() -> None:
    (_, short), (least, long) = training.ORDERS
    pair = {label: [(f"w{label}", least)] for label in "ab"}  # just enough words, on average

    def order_of(counts: dict[str, int]) -> int | None:
        words = [(label, word, counts[label]) for label, [(word, _)] in pair.items()]
        model = unilid.train(words, context="characters")
        assert model.context is not None and len(model.context.levels) == model.settings.order
        return model.settings.order

    assert order_of({"a": 2 * least - 1, "b": 1}) == long
    assert order_of({"a": 2 * least - 2, "b": 1}) == short
    assert unilid.train([("a", "w", least)], order=3, context="characters").settings.order == 3


@pytest.mark.parametrize("context", ["auto", "characters"])
def test_only_auto_drops_a_context_model_that_does_not_help(share_right: Any, context: Any) -> None:
    share_right(lambda settings: settings.order is None)
    model = unilid.train(ONE, context=context)
    assert (model.context is None) == (model.settings.order is None) == (context == "auto")


@pytest.mark.parametrize("advantage", [0.0, 0.05])  # none, and one line of 20
def test_defaults_stay_unless_another_choice_is_clearly_better(share_right: Any, advantage: float) -> None:
    untuned = unilid.train(ONE, tune=False).settings

    def share(settings: unilid.Settings) -> float:
        default = (untuned.order, untuned.unigram_weight, untuned.bound)
        return 0.9 + advantage * ((settings.order, settings.unigram_weight, settings.bound) != default)

    share_right(share)
    tuned = unilid.train(ONE)
    assert tuned.context is not None
    assert replace(tuned.settings, unseen_log_p=-1.0) == replace(untuned, unseen_log_p=-1.0)
    assert tuned.settings.unseen_log_p not in training.UNSEEN


def test_a_given_bound_is_not_chosen_anew(share_right: Any) -> None:
    share_right(lambda settings: settings.bound == training.BOUNDS[0])
    assert unilid.train(ONE, bound=2.5).settings.bound == 2.5
    assert unilid.train(ONE, bound=None).settings.bound is None
    share_right(lambda settings: settings.order is None)
    dropped = unilid.train(ONE, bound=2.5).settings
    assert (dropped.order, dropped.bound) == (None, 2.5)


@pytest.mark.parametrize(
    "corpus",
    [
        {"aaa": ["", "", "", "", "only the last has words"]},
        {"aaa": ["", "", "", "", "only the last has words"], "bbb": numbered_lines("b", 5)},
        {"aaa": ["only the first has words", "", "", "", ""], "bbb": numbered_lines("b", 5)},
    ],
)
def test_lines_without_words_do_not_disturb_tuning(corpus: dict[str, list[str]]) -> None:
    assert unilid.train(corpus).lines.tolist() == [5] * len(corpus)


# ---- a run started again

KEPT = [["counts"], ["counts", "vocabulary-kept"], ["counts", "vocabulary-kept", "vocabulary"]]


@pytest.fixture
def corpus_file(tmp_path: Path) -> Path:
    path = tmp_path / "train.tsv"
    path.write_bytes(TSV)
    return path


def interrupt(corpus: Any, work: Path, name: str = "estimating", times: int = 2, **options: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        unilid.train(corpus, work=work, progress=Interrupting(name, times), context="characters", **options)


def again(corpus: Any, work: Path | None, **options: Any) -> tuple[Model, Recorder]:
    progress = Recorder()
    return unilid.train(corpus, work=work, progress=progress, context="characters", **options), progress


def reused(progress: Recorder) -> list[str]:
    return [message.split()[3] for message in progress.said if message.startswith("reusing finished stage: ")]


@pytest.mark.parametrize(
    ("name", "times", "kept"),
    [
        ("counting words", 1, []),
        ("learning the vocabulary", 1, KEPT[0]),
        ("estimating", 1, KEPT[1]),
        ("choosing constants", 1, KEPT[1]),
        ("learning contexts", 1, KEPT[1]),
        ("learning the vocabulary", 2, KEPT[1]),
        ("estimating", 2, KEPT[2]),
    ],
)
def test_an_interrupted_run_goes_on_where_it_was(
    corpus_file: Path, tmp_path: Path, name: str, times: int, kept: list[str]
) -> None:
    interrupt(corpus_file, tmp_path / "work", name, times)
    model, progress = again(corpus_file, tmp_path / "work")
    assert reused(progress) == kept
    assert progress.stages.count("counting words") == 1 - len(kept[:1])
    assert progress.stages.count("learning the vocabulary") == 2 - len(kept[1:])
    whole, undisturbed = again(corpus_file, None)
    assert undisturbed.said == []
    assert model.to_bytes() == whole.to_bytes()


def test_finished_stages_are_the_only_files_in_the_work_folder(corpus_file: Path, tmp_path: Path) -> None:
    interrupt(corpus_file, tmp_path / "work")
    names = sorted(path.name.rpartition("-")[0] for path in (tmp_path / "work").iterdir())
    assert names == ["counts", "vocabulary", "vocabulary-kept"]
    assert {path.suffix for path in (tmp_path / "work").iterdir()} == {".npz"}


def test_no_stage_is_reused_for_changed_input(corpus_file: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    interrupt(corpus_file, work)
    content = bytearray(TSV)
    at = content.index(b"morning")
    content[at] = ord("M")
    corpus_file.write_bytes(content)
    model, progress = again(corpus_file, work)
    assert progress.said == []
    assert model.to_bytes() == again(corpus_file, None)[0].to_bytes()


def test_the_labels_beside_wili_texts_and_every_file_of_a_folder_are_input(tmp_path: Path) -> None:
    for name, change in (("wili", "y_train.txt"), ("folder", "deu_Latn.txt")):
        folder, work = tmp_path / name, tmp_path / f"{name}.work"
        folder.mkdir()
        corpus = FORMATS[name](folder)
        interrupt(corpus, work)
        assert reused(again(corpus, work)[1]) == KEPT[2]
        changed = folder / change
        changed.write_text(changed.read_text(encoding="utf-8").replace("e", "f", 1), encoding="utf-8")
        assert again(corpus, work)[1].said == []


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"cap": 7}, []),
        ({"cap": 7, "seed": 1}, []),
        ({"tune": False}, []),
        ({"format": "tsv"}, []),
        ({"vocabulary": 300}, KEPT[0]),
        ({"vocabulary": VOCABULARY}, KEPT[0]),
        ({"order": 3}, KEPT[2]),
        ({"unseen": "additive"}, KEPT[2]),
        ({"bound": 5.0}, KEPT[2]),
        ({"threads": 1}, KEPT[2]),
    ],
)
def test_what_is_reused_never_depends_on_a_changed_option(
    corpus_file: Path, tmp_path: Path, options: dict[str, Any], kept: list[str]
) -> None:
    work = tmp_path / "work"
    interrupt(corpus_file, work, cap=8)
    interrupt(corpus_file, work)
    model, progress = again(corpus_file, work, **options)
    assert reused(progress) == kept
    assert model.to_bytes() == again(corpus_file, None, **options)[0].to_bytes()


def truncated(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize("stage", ["counts", "vocabulary-kept", "vocabulary"])
@pytest.mark.parametrize("damage", [truncated, flipped, lambda content: b"", lambda content: b"not an archive"])
def test_a_damaged_stage_is_said_and_done_again(
    corpus_file: Path, tmp_path: Path, stage: str, damage: Callable[[bytes], bytes]
) -> None:
    work = tmp_path / "work"
    interrupt(corpus_file, work)
    [path] = [path for path in work.iterdir() if path.name.rpartition("-")[0] == stage]
    intact = path.read_bytes()
    path.write_bytes(damage(intact))
    model, progress = again(corpus_file, work)
    [complaint] = [message for message in progress.said if "cannot be reused" in message]
    assert str(path) in complaint and f"{stage} is done again" in complaint
    assert reused(progress) == [name for name in KEPT[2] if name != stage]
    assert model.to_bytes() == again(corpus_file, None)[0].to_bytes()
    assert reused(again(corpus_file, work)[1]) == KEPT[2]  # it was repaired


def test_nothing_is_kept_of_input_that_cannot_be_read_twice(tmp_path: Path) -> None:
    model, progress = again(iter(ROWS), tmp_path / "work")
    assert progress.said == []
    assert not (tmp_path / "work").exists()
    assert model.to_bytes() == again(iter(ROWS), None)[0].to_bytes()


def test_a_work_folder_that_cannot_be_made_is_named(corpus_file: Path, tmp_path: Path) -> None:
    (tmp_path / "work").write_text("a file")
    with pytest.raises(UnilidError, match="work"):
        unilid.train(corpus_file, work=tmp_path / "work")


# ---- progress


def test_progress_is_told_every_stage_and_every_byte(corpus_file: Path, tmp_path: Path) -> None:
    archive = tmp_path / "train.tsv.xz"
    archive.write_bytes(lzma.compress(TSV))
    for path in (corpus_file, archive):
        progress = Recorder()
        unilid.train(path, context="characters", cap=8, progress=progress)
        assert progress.stages[:4] == ["counting lines", "counting words", "learning the vocabulary", "estimating"]
        assert progress.stages[-3:] == ["learning the vocabulary", "estimating", "learning contexts"]
        assert "choosing constants" in progress.stages
        assert progress.totals[:2] == progress.amounts[:2] == [path.stat().st_size] * 2
        estimating = [at for at, name in enumerate(progress.stages) if name == "estimating"]
        assert [progress.totals[at] for at in estimating] == [progress.amounts[at] for at in estimating] == [3, 3]


def test_no_one_knows_the_size_of_an_iterable() -> None:
    progress = Recorder()
    unilid.train(iter(ROWS), tune=False, context=None, progress=progress)
    assert progress.stages == ["counting words", "learning the vocabulary", "estimating"]
    assert progress.totals[0] is None


def test_the_library_prints_nothing(corpus_file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    interrupt(corpus_file, tmp_path / "work")
    unilid.train(corpus_file, work=tmp_path / "work")
    assert capfd.readouterr() == ("", "")


# ---- determinism


@pytest.mark.parametrize("options", [{}, {"tune": False}, {"context": None, "unseen": "additive"}])
def test_the_model_does_not_depend_on_the_number_of_threads(options: dict[str, Any]) -> None:
    one = unilid.train(ALL, threads=1, **options)
    assert unilid.train(ALL, threads=2, **options).to_bytes() == one.to_bytes()


# ---- errors


@pytest.mark.parametrize("corpus", [{}, [], iter([])], ids=["mapping", "list", "iterator"])
def test_an_empty_corpus_is_refused(corpus: Any) -> None:
    with pytest.raises(UnilidError, match="corpus is empty"):
        unilid.train(corpus)


@pytest.mark.parametrize("work", [False, True])
def test_an_empty_file_is_refused(tmp_path: Path, work: bool) -> None:
    path = tmp_path / "empty.tsv"
    path.write_bytes(b"\n\n")
    with pytest.raises(UnilidError, match="corpus is empty"):
        unilid.train(path, work=tmp_path / "work" if work else None)


@pytest.mark.parametrize("texts", [["", " \t "], [b"", b"\n"], ["\u00a0\u2003"]])
def test_a_label_without_usable_text_is_named(texts: list[Any]) -> None:
    with pytest.raises(UnilidError, match=r"bbb: .*no usable text"):
        unilid.train({"aaa": ["some text"], "bbb": texts})


def test_a_label_whose_words_never_occur_is_named() -> None:
    with pytest.raises(UnilidError, match=r"bbb: .*no usable text"):
        unilid.train([("aaa", "word", 1), ("bbb", "word", 0)])


@pytest.mark.parametrize("source", ["mapping", "folder"])
def test_a_label_without_any_line_is_named(tmp_path: Path, source: str) -> None:
    (tmp_path / "aaa.txt").write_text("some text\n")
    (tmp_path / "bbb.txt").write_text("")
    with pytest.raises(UnilidError, match="bbb"):
        unilid.train({"aaa": ["some text"], "bbb": []} if source == "mapping" else tmp_path)


@pytest.mark.parametrize("work", [False, True])
def test_a_missing_file_is_named(tmp_path: Path, work: bool) -> None:
    with pytest.raises(UnilidError, match=r"nowhere\.tsv: cannot be read: No such file"):
        unilid.train(tmp_path / "nowhere.tsv", work=tmp_path / "work" if work else None)
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("suffix", COMPRESS)
def test_an_archive_cut_short_is_named(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"train.tsv{suffix}"
    path.write_bytes(COMPRESS[suffix](TSV)[:-40])
    with pytest.raises(UnilidError, match=rf"train\.tsv\{suffix}: cannot be read"):
        unilid.train(path, work=tmp_path / "work")


def test_a_line_that_does_not_fit_the_format_is_named(corpus_file: Path) -> None:
    corpus_file.write_bytes(TSV + b"neither label nor text\n")
    with pytest.raises(UnilidError, match=rf"train\.tsv:{len(ROWS) + 1}: no tab"):
        unilid.train(corpus_file)


@pytest.mark.parametrize(
    ("options", "named"),
    [({"text_field": "body"}, "'body'"), ({"label_field": "language"}, "'language'")],
)
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_field_that_is_not_there_is_named(tmp_path: Path, form: str, options: dict[str, str], named: str) -> None:
    with pytest.raises(UnilidError, match=rf"train\.{form}.*{named}.*'text'.*'label'"):
        unilid.train(FORMATS[form](tmp_path), **options)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"format": "xml"}, "'xml'.*tsv, fasttext"),
        ({"vocabulary": 255}, "255 tokens is too small"),
        ({"vocabulary": -1}, "-1 tokens is too small"),
        ({"context": "words"}, "context must be .*'words'"),
        ({"context": ""}, "context must be .*''"),
        ({"order": 1}, "order .*not 1"),
        ({"order": 7}, "order .*not 7"),
        ({"order": "4"}, "order must be"),
        ({"order": 4.0}, "order must be"),
        ({"bound": "big"}, "bound must be"),
        ({"prune": -0.5}, "prune .*not -0.5"),
        ({"prune": math.nan}, "prune .*not nan"),
        ({"bound": 0}, "bound .*not 0"),
        ({"bound": -2.0}, "bound .*not -2.0"),
        ({"bound": 1e9}, "bound .*less than 1000, not 1000000000.0"),
        ({"prune": 1e9}, "prune .*less than 1000, not 1000000000.0"),
        ({"bound": math.nan}, "bound .*not nan"),
        ({"bound": math.inf}, "bound .*not inf"),
        ({"unseen": "laplace"}, "unseen must be .*'laplace'"),
        ({"cap": 0}, "cap .*not 0"),
        ({"cap": -3}, "cap .*not -3"),
    ],
)
def test_a_bad_option_is_named(options: dict[str, Any], named: str) -> None:
    with pytest.raises(UnilidError, match=named):
        unilid.train(SENTENCES, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"cap": "3"},
        {"vocabulary": 300.5},
        {"vocabulary": [b"the"]},
        {"threads": -1},
    ],
    ids=str,
)
def test_an_option_of_the_wrong_kind_is_named(options: dict[str, Any]) -> None:
    with pytest.raises(UnilidError, match=next(iter(options))):
        unilid.train(SENTENCES, **options)


def test_an_order_of_nothing_is_named() -> None:
    with pytest.raises(UnilidError, match=r"order .*not 0"):
        unilid.train(SENTENCES, order=0)


def test_a_negative_seed_is_named(corpus_file: Path) -> None:
    with pytest.raises(UnilidError, match="seed"):
        unilid.train(corpus_file, cap=3, seed=-1)


@pytest.mark.parametrize("options", [{"order": 9}, {"bound": -1.0}, {"unseen": "laplace"}, {"vocabulary": 5}], ids=str)
def test_a_bad_option_is_refused_before_the_work(corpus_file: Path, options: dict[str, Any]) -> None:
    progress = Recorder()
    with pytest.raises(UnilidError):
        unilid.train(corpus_file, progress=progress, **options)
    assert progress.stages == []


def test_a_file_that_is_no_tokenizer_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    for given in (path, tmp_path / "nowhere.json"):
        with pytest.raises(VocabularyError, match=given.name):
            unilid.train(SENTENCES, vocabulary=given)


@pytest.mark.parametrize("count", [1e9, 1e13, 2e13, 1e15])
def test_enormous_counts_do_not_destroy_a_language(count: float) -> None:
    items = [("x", "1", count), ("x", "abcdefghijklmnopqrstuvw", 1.0), ("y", "foo bar", 3.0)]
    model = unilid.train(items, vocabulary=256, context=None, tune=False)
    assert model.tokens[0] == pytest.approx(2 * count + 24, rel=1e-6)
    assert model.identify("1 1 1", abstain=False).label == "x"


def test_frequencies_in_place_of_counts_are_refused() -> None:
    with pytest.raises(UnilidError, match=r"bbb: .*counts, not frequencies"):
        unilid.train([("aaa", "word", 5.0), ("bbb", "wort", 0.002), ("bbb", "haus", 0.001)])


def test_a_folder_and_its_files_are_not_the_same_input(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name in ("deu", "nld"):
        (folder / f"{name}.txt").write_text("eng\tthe cat\nfra\tle chat\n")
    work = tmp_path / "work"
    assert unilid.train(folder, work=work).languages == ("deu", "nld")
    assert unilid.train([folder / "deu.txt", folder / "nld.txt"], work=work).languages == ("eng", "fra")
