"""The reference implementation: the kernel once more, in plain Python, to read and to test against.

Slow and short. The modules are named as the rooms of the kernel and of the package are; read them in the order in which
text flows through them.
"""

from unilid.plain.characters import characters, class_of, composed, folded  # isort: skip
from unilid.plain.words import Word, split_words  # isort: skip
from unilid.plain.spellings import other_spellings, with_spellings  # isort: skip
from unilid.plain.noise import noise_of  # isort: skip
from unilid.plain.reasons import is_mojibake, reason_of  # isort: skip
from unilid.plain.lattice import edges, log_add  # isort: skip
from unilid.plain.vocabulary import learn  # isort: skip
from unilid.plain.unigram import expectation, marginal, viterbi, with_fragments  # isort: skip
from unilid.plain.context import character_costs, context_cost, kneser_ney, sequence  # isort: skip
from unilid.plain.lexicon import with_gains, word_key  # isort: skip
from unilid.plain.scripts import Scripts, excluded, foreign  # isort: skip
from unilid.plain.scoring import (  # isort: skip
    Explained,
    bounded,
    counted,
    explained,
    is_linguistic,
    weighted,
    word_vector,
)
from unilid.plain.discrimination import (  # isort: skip
    Lesson,
    corrected_cost,
    features,
    learn_corrections,
    ngrams,
)
from unilid.plain.decisions import competing, key, posterior, ranked, reranked, temperature, unlike  # isort: skip
from unilid.plain.documents import Judgement, excerpts, judgement, words_to_read  # isort: skip
from unilid.plain.spans import (  # isort: skip
    best_path,
    most_spoken,
    own_script,
    quotations,
    span_path,
    span_starts,
    votes,
    without_short,
)
from unilid.plain.unicode import DIGIT, LETTER, MARK, SIGN, SPACE  # isort: skip

__all__ = [
    "DIGIT", "LETTER", "MARK", "SIGN", "SPACE", "Explained", "Judgement", "Lesson", "Scripts", "Word", "best_path",
    "bounded", "character_costs", "characters", "class_of", "competing", "composed", "context_cost", "corrected_cost",
    "counted", "edges", "excerpts", "excluded", "expectation", "explained", "features", "folded", "foreign",
    "is_linguistic", "is_mojibake", "judgement", "key", "kneser_ney", "learn", "learn_corrections", "log_add",
    "marginal", "most_spoken", "ngrams", "noise_of", "other_spellings", "own_script", "posterior", "quotations",
    "ranked", "reason_of", "reranked", "sequence", "span_path", "span_starts", "split_words", "temperature", "unlike",
    "viterbi", "votes", "weighted", "with_fragments", "with_gains", "with_spellings", "without_short", "word_key",
    "word_vector", "words_to_read",
]  # fmt: skip
