"""The native kernel. It computes; Python checks what it is given and decides what it means."""

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")

MAX_LANGUAGES: int
"""Languages of a model: they are counted in 16 bits."""
MAX_THREADS: int
"""Threads of a call: more count as so many."""
MAX_WORD_BYTES: int
"""Bytes of a word without its space; longer runs are cut."""
MAX_TOKENS: int
"""Tokens of a vocabulary, seeds of its learning included."""
MAX_ORDER: int
"""Length of the longest n-grams that a context model may have."""
MAX_CHARACTERS: int
"""Distinct characters of a context model."""
MAX_CHARACTER_COST: int
"""Steps that one character of a word costs at most under the context model."""
WEIGHT_STEPS: int
"""The weights of the word models of a scorer are so many parts of a whole."""
NO_ENTRY: int
"""The cost of entering a language that does not compete, in steps (spans)."""
FOREIGN_LETTER: int
"""Steps beyond the best language's cost that a letter of a word costs the languages not written in its script."""
EXCERPT_BYTES: int
"""Bytes of an excerpt of a long text."""
ROUNDS: tuple[int, ...]
"""Excerpts that are read of a long text, round after round, while the answer is in doubt."""
SHORT_DOCUMENT: int
"""Bytes up to which a text is read as a whole."""
SURE: float
"""The probability from which on an answer is beyond doubt."""
DISSENT: float
"""Nats by which an excerpt may speak for another language than that of the text, without dissent."""
FEW_DISSENTERS: int
"""One excerpt in so many may dissent."""
MANY_DISSENTERS: int
"""Where one excerpt in so many dissents, the document may have several languages."""
LARGE: int
"""The escape of a size that has no room in a byte (packing)."""
INVALID_BYTE: int
WORD_START: int
WORD_END: int
"""Characters beyond Unicode: the first byte that is not UTF-8, and the ends of a word."""
SIGN: int
DIGIT: int
LETTER: int
"""The kinds of words."""
SCRIPTS: dict[str, int]
"""The number of each script, by its code in ISO 15924; Han, Hiragana and Katakana are one, ``Hani``."""
NO_KEY: int
"""The key of a word that has none (lexicon)."""
LEXICON_BUCKETS: int
"""Buckets of the words of a lexicon, by the first bits of their keys; the rest of a key has 32 bits."""
REASONS: dict[int, str]
"""Why there is no language, by the number that a verdict has."""
FIRST_UNDETERMINED: int
"""Verdicts from this number on mean `und`, lower ones `zxx`; 0 means a language."""

_Text = str | bytes | None

class _Words(Protocol):
    """The words of a language: see `unilid.corpus.counts.Words`."""

    @property
    def blob(self) -> bytes: ...
    @property
    def offsets(self) -> npt.NDArray[np.int64]: ...
    @property
    def counts(self) -> npt.NDArray[np.float64]: ...

def instruction_sets() -> list[str]:
    """Return the instruction sets that this build has and this machine can run, best first; that one is in use."""

def use_instruction_set(name: str) -> str:
    """Use another instruction set in the whole process, and return the one before.

    For tests and measurements: answers are the same bits with any of them.
    """

class Offsets:
    """Where groups begin, summed up from their sizes."""

    firsts: npt.NDArray[np.uint32]
    """One more than groups: the last is the end."""
    end: int
    """That end, also where 32 bits have no room for it."""
    large: int
    """How many sizes are LARGE."""

def sum_up_sizes(sizes: npt.NDArray[np.uint8], large: npt.NDArray[np.uint32]) -> Offsets:
    """Sum up sizes; what those that are LARGE really are stands in `large`, in their order, 0 where it has no more."""

class Keys:
    """The keys of the members of groups: the first two bytes of each."""

    largest: int
    """0 if there are no members."""
    ascend: bool
    """Strictly, within every group."""

def check_keys(tables: list[tuple[npt.NDArray[np.uint8], int, npt.NDArray[np.uint32]]]) -> list[Keys]:
    """Look at the keys of tables: members, the 2, 3 or 4 bytes of each, and where groups of them begin."""

class Word:
    """A word of a text."""

    bytes: bytes
    """As word models read it: with the space before it, and in small letters where all were capitals."""
    begin: int
    end: int
    """Where it stands in the text, in bytes, without its space."""
    kind: int
    """LETTER, DIGIT or SIGN."""
    cut_left: bool
    cut_right: bool
    """Whether letters touch it there, so that it may be a part of a word."""
    lone: bool
    """Whether it is a single letter that no space precedes."""
    noise: int
    """What it is a part of, if that is no language: a number of REASONS, or 0."""
    script: int
    """A number of SCRIPTS; LETTER where its letters are common to all scripts; without letters, its kind."""
    inner: bool
    """Whether it is a single sign with letters on both sides."""

def places_in_word(word: bytes) -> list[int]:
    """Return where in a word each byte of it stands once letters are read with their marks, and where it ends."""

def split_words(text: bytes) -> list[Word]:
    """Return the words of a text."""

class WordTable:
    """Words, sorted by their bytes, with their counts."""

    blob: bytes
    offsets: npt.NDArray[np.int64]
    counts: npt.NDArray[np.float64]

class MergedWords:
    """The most common words of all languages, their counts added up."""

    words: WordTable
    distinct: int
    """How many distinct words there are."""

def merge_words(languages: Sequence[_Words], max_words: int) -> MergedWords:
    """Add up the words of all languages."""

def subtract_words(words: _Words, other: _Words) -> WordTable:
    """Return the words whose count is more than 0 after that of the other ones was subtracted; both are sorted."""

def with_fragments(words: _Words, share: float) -> WordTable:
    """Return the words, and what is left of them where one character is lost."""

def with_spellings(words: _Words, share: float) -> WordTable:
    """Return the words, and their other spellings."""

def hash_texts(texts: Sequence[_Text], seed: int = 0) -> npt.NDArray[np.int64]:
    """Return a number of 63 bits for each text, which its bytes and the seed decide."""

class Counter:
    def __init__(self) -> None: ...
    def add(
        self,
        labels: npt.NDArray[np.int32],
        texts: Sequence[_Text],
        counts: npt.NDArray[np.float64] | None = None,
        threads: int = 1,
    ) -> None:
        """Count the words of texts; those with a negative label are passed over. Negative counts are taken back."""
    def tables(self, labels: Sequence[int], threads: int = 1) -> list[WordTable]:
        """Return the words of each label."""
    def sizes(self) -> npt.NDArray[np.int64]:
        """Return how many distinct words of each label were counted."""
    def take(self, label: int) -> WordTable:
        """Return the words of a label, of which nothing is counted then."""

class Prefix:
    """A token that a text begins with."""

    token: int
    length: int

class Vocabulary:
    def __init__(self, blob: bytes, offsets: npt.NDArray[np.int64]) -> None: ...
    def __len__(self) -> int: ...
    def prefixes(self, text: bytes) -> list[Prefix]:
        """Return every token that the text begins with, shortest first."""

def learn_vocabulary(
    words: _Words,
    size: int,
    max_characters: int,
    max_bytes: int,
    seeds: int,
    shrink: float,
    threads: int,
) -> list[bytes]: ...

class Estimate:
    """The expected token counts of a language after EM."""

    tokens: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.float64]
    total: float
    rounds: int

def estimate(
    vocabulary: Vocabulary, languages: Sequence[_Words], rounds: int, tolerance: float, threads: int
) -> list[Estimate]:
    """Run EM on the words of every language."""

class ContextLevelEstimate:
    """The n-grams of one order that a language has seen."""

    parents: npt.NDArray[np.uint32]
    """The first characters, as an n-gram of the order below."""
    characters: npt.NDArray[np.uint32]
    """The last character, a code point."""
    log_p: npt.NDArray[np.float64]
    log_backoff: npt.NDArray[np.float64]

class ContextEstimate:
    """The context model of a language."""

    root_backoff: float
    levels: list[ContextLevelEstimate]

def estimate_contexts(
    languages: Sequence[_Words], order: int, discount: float, base: float, prune: float, prune_from: int, threads: int
) -> list[ContextEstimate]:
    """Estimate the context model of every language."""

class Piece:
    """A token of a segmentation."""

    token: int
    begin: int
    end: int
    """Bytes of the word, its space included."""
    cost: int

class UnigramModel:
    def __init__(
        self,
        vocabulary: Vocabulary,
        offsets: npt.NDArray[np.int64],
        languages: npt.NDArray[np.uint16],
        costs: npt.NDArray[np.uint8],
        unseen: npt.NDArray[np.uint8],
    ) -> None: ...
    def segment(self, word: bytes, language: int) -> list[Piece]:
        """Return the most probable segmentation of a word."""
    def marginal(self, texts: Sequence[_Text], step: float, threads: int) -> npt.NDArray[np.float64]: ...

class ContextLevel:
    """The n-grams of one order, as a level of a trie."""

    def __init__(
        self,
        characters: npt.NDArray[np.uint16],
        first_child: npt.NDArray[np.uint32] | None,
        first_entry: npt.NDArray[np.uint32],
        entries: npt.NDArray[np.uint8],
    ) -> None: ...

class WordKeys:
    """What a lexicon finds words by, and what they are written in."""

    keys: npt.NDArray[np.uint64]
    scripts: npt.NDArray[np.uint8]
    """A number of SCRIPTS; LETTER where the letters are common to all scripts, SIGN without letters."""

def word_keys(words: _Words) -> WordKeys:
    """Return the keys and scripts of words, each read as if it stood alone."""

class Lexicon:
    def __init__(
        self,
        first_word: npt.NDArray[np.uint32],
        fingerprints: npt.NDArray[np.uint32],
        first_entry: npt.NDArray[np.uint32],
        entries: npt.NDArray[np.uint8],
        languages: int,
    ) -> None: ...

def word_costs(
    models: Sequence[tuple[UnigramModel | ContextModel, int]],
    languages: Sequence[_Words],
    rows: npt.NDArray[np.uint16],
    threads: int,
) -> list[npt.NDArray[np.uint32]]:
    """Return what the words of each language cost the row that it has, under the weighted sum of word models."""

class ExplainedCharacters:
    """What each character of a word costs."""

    sizes: npt.NDArray[np.uint8]
    """Bytes; 0 for the end of the word."""
    costs: npt.NDArray[np.uint32]
    """[characters, languages]"""

class ContextModel:
    def __init__(
        self,
        code_points: npt.NDArray[np.uint32],
        levels: Sequence[ContextLevel],
        root_backoff: npt.NDArray[np.uint8],
        base: int,
        scripts: Sequence[tuple[int, int]] = (),
    ) -> None: ...
    def characters(
        self, word: bytes, cut_left: bool, cut_right: bool, rows: npt.NDArray[np.uint16]
    ) -> ExplainedCharacters:
        """Return what the characters of a word cost under some languages, whose rows ascend."""

class Features:
    """The entries that candidates have of the n-grams of lines, and how often each n-gram occurs."""

    ends: npt.NDArray[np.uint64]
    """Of each candidate."""
    entries: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint8]

def context_features(
    seen: ContextModel,
    learned: ContextModel,
    texts: Sequence[_Text],
    ends: npt.NDArray[np.uint64],
    languages: npt.NDArray[np.uint16],
    signs: bool,
    threads: int,
) -> Features:
    """Return the entries of `learned`, as far as `seen` has them, that languages have of the n-grams of texts.

    The languages that are asked for text i are those from `ends[i]` to `ends[i + 1]`.
    """

def learn_corrections(
    learned: ContextModel,
    candidate_ends: npt.NDArray[np.uint64],
    right: npt.NDArray[np.uint64],
    exponents: npt.NDArray[np.float64],
    scores: npt.NDArray[np.float64],
    feature_ends: npt.NDArray[np.uint64],
    entries: npt.NDArray[np.uint32],
    counts: npt.NDArray[np.uint8],
    rate: float,
    rounds: int,
) -> npt.NDArray[np.float32]:
    """Return the correction of each entry, in nats, over all levels (``cpp/models/discrimination.h``)."""

def corrected_costs(
    model: ContextModel, learned: ContextModel, corrections: npt.NDArray[np.float32], steps: float
) -> npt.NDArray[np.uint8]:
    """Return the costs of the entries of a model, over all levels, less the corrections of those of `learned`."""

def logarithms(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return natural logarithms that have the same bits on every machine, which numpy's do not."""

def exponential(x: float) -> float:
    """Return e to the power of x, with the same bits on every machine."""

class Temperature:
    def __init__(self, scale: float, length: float, decay: float) -> None: ...

class Rerank:
    """Calibrated UniLID."""

    def __init__(
        self, thresholds: npt.NDArray[np.float64], replaces: npt.NDArray[np.uint8], distance: float, ranks: int
    ) -> None: ...

class Rejection:
    def __init__(
        self,
        usual: npt.NDArray[np.float64],
        spread: npt.NDArray[np.float64],
        shared: float,
        sampling: float,
        limit: float,
        least_probability: float,
    ) -> None: ...

class Decision:
    def __init__(
        self,
        log_prior: npt.NDArray[np.float64],
        step: float,
        temperature: Temperature,
        rerank: Rerank | None = None,
        rejection: Rejection | None = None,
        handicaps: npt.NDArray[np.float64] | None = None,
    ) -> None: ...

class Answers:
    """The answers to texts, in columns."""

    rows: npt.NDArray[np.int32]
    """[texts, k], best first; -1 where there are fewer."""
    scores: npt.NDArray[np.float64]
    """[texts, k]"""
    probabilities: npt.NDArray[np.float64]
    """[texts, k]"""
    verdicts: npt.NDArray[np.uint8]
    """[texts]: 0 for a language, else the number of a reason."""

def plain_predictions(kind: type[T], labels: tuple[str, ...], answers: Answers) -> tuple[list[T], list[int]]:
    """Return named tuples of the best answers, None for those that are no language, and where these stand.

    Label, probability, score, None, None. The garbage collector does not know them.
    """

class TextCosts:
    """What texts cost each language, in steps."""

    all: npt.NDArray[np.float64]
    """[texts, languages]"""
    linguistic: npt.NDArray[np.float64]
    """[texts, languages], of the linguistic words alone: words of letters that are no noise."""
    letters: npt.NDArray[np.int64]
    """[texts]: characters of the words of letters."""
    reasons: npt.NDArray[np.uint8]
    """[texts]: why it is no language."""

class ExplainedWord(Word):
    """A word of an explained text."""

    counts: bool
    """Noise does not count, unless there is nothing else."""
    best: int
    """The row of the language that explains it best."""
    best_cost: int

class ExplainedText:
    words: list[ExplainedWord]
    costs: npt.NDArray[np.uint32]
    """[words, rows]"""

class Spans:
    """The spans of a text, in columns."""

    begins: npt.NDArray[np.int64]
    """In bytes."""
    rows: npt.NDArray[np.int32]
    """-1 for no language, -2 for letters that no competing language is written in."""
    letters: npt.NDArray[np.int64]
    probabilities: npt.NDArray[np.float64]

class Shares:
    """The languages of texts by letters, largest first."""

    ends: npt.NDArray[np.int64]
    """[texts]: where those of a text end."""
    rows: npt.NDArray[np.int32]
    shares: npt.NDArray[np.float64]

class TextColumn:
    """A column of texts in the memory of another library, by the Arrow C data interface."""

    def __init__(self, schema: object, array: object) -> None:
        """Take the column out of two capsules; ValueError where it is no text, or where it is broken."""
    def __len__(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def parts(self, most_texts: int, most_bytes: int) -> list[TextColumn]:
        """Return the same rows in parts of so many texts and about so many bytes."""

class TextStream:
    """Columns of texts that come one after the other."""

    def __init__(self, stream: object) -> None: ...
    def read(self) -> TextColumn | None:
        """Return the next one; None at the end."""

class Column:
    """A column for other libraries."""

    def __len__(self) -> int: ...
    def schema(self) -> object:
        """Return its type, in a capsule."""
    def array(self) -> object:
        """Return its rows, in a capsule."""
    def stream(self, batches: Iterable[Column]) -> object:
        """Return a stream of columns of the same type, in a capsule; each is taken when the consumer asks for it."""
    def table(self) -> Column:
        """Return a column of structs without nulls of its own, which libraries take for a table."""

class AnswerWords:
    """What answers consist of: the labels of a model, and behind them ``zxx`` and ``und``."""

    def __init__(self, labels: Sequence[str]) -> None: ...

class AnswerBuilder:
    """Makes a column of answers."""

    def __init__(self, words: AnswerWords, ranked: bool, shares: bool, abstain: bool) -> None: ...
    def append(self, answers: Answers, texts: TextColumn, shares: Shares | None) -> None: ...
    def finish(self) -> Column:
        """Return the column; nothing is left in the builder."""

class Scorer:
    def __init__(
        self,
        models: Sequence[tuple[UnigramModel | ContextModel, int]],
        languages: int,
        bound: int,
        cache_bytes: int,
        lexicon: Lexicon | None = None,
        scripts: Sequence[tuple[int, int]] = (),
        signs: bool = True,
    ) -> None:
        """Make a scorer; `scripts` are pairs of a language's row and the number of a script that it is written in."""
    def decide(
        self, texts: Sequence[_Text] | TextColumn, decision: Decision, k: int, threads: int, budget: int | None = None
    ) -> Answers:
        """Return the k best languages of each text, of which no more than the budget is read; None: all of it."""
    def explain(self, text: bytes, rows: npt.NDArray[np.uint16]) -> ExplainedText:
        """Return the words of a text and their costs under some languages."""
    def costs(self, texts: Sequence[_Text], threads: int) -> TextCosts:
        """Return what texts cost every language."""
    def spans(
        self,
        text: str | bytes,
        entry: npt.NDArray[np.uint32],
        decision: Decision,
        change: int,
        short_text: int,
        least: int,
        most: int,
        apart: int,
    ) -> Spans:
        """Return the spans of a text; `change` and `entry` are in steps."""
    def shares(
        self,
        texts: Sequence[_Text] | TextColumn,
        entry: npt.NDArray[np.uint32],
        decision: Decision,
        change: int,
        short_text: int,
        apart: int,
        threads: int,
    ) -> Shares:
        """Return the languages of texts by letters: their spans, added up."""
