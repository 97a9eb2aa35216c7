"""Our vocabulary learner against SentencePiece's, on the words of FLORES-500: time and accuracy.

    pip install sentencepiece
    python benchmarks/vocabulary_learner.py

Both learn from the same words with the same weights, languages weighing the same, and give as many tokens.
SentencePiece sees bytes as printable characters, no normalisation, no splitting. Measured on lines 501 to 997, without
context.
"""

import io
import tempfile
from collections import defaultdict

import sentencepiece
from common import Report, Test, accuracy, arguments, count_words, flores, timed

import unilid
from unilid.corpus.counts import Words
from unilid.models.tokenizers import BYTE_CHARACTERS
from unilid.models.vocabulary import Vocabulary


def with_sentencepiece(languages: tuple[Words, ...], size: int) -> Vocabulary:
    weights: defaultdict[bytes, float] = defaultdict(float)
    for words in languages:
        for word, count in words.pairs():
            weights[word] += count / float(words.counts.sum())
    scale = 1e7 / sum(weights.values())
    model = io.BytesIO()
    with tempfile.NamedTemporaryFile("w", suffix=".tsv", encoding="utf-8") as file:
        for word, weight in sorted(weights.items()):
            file.write("".join(BYTE_CHARACTERS[byte] for byte in word) + f"\t{max(1, round(weight * scale))}\n")
        file.flush()
        sentencepiece.SentencePieceTrainer.train(
            input=file.name, input_format="tsv", model_writer=model, vocab_size=size, model_type="unigram",
            normalization_rule_name="identity", add_dummy_prefix=False, remove_extra_whitespaces=False,
            split_by_unicode_script=False, split_by_number=False, split_by_whitespace=False, character_coverage=1.0,
            max_sentence_length=100_000, num_threads=2, hard_vocab_limit=False, minloglevel=2, bos_id=-1, eos_id=-1,
        )  # fmt: skip
    pieces = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    byte_of = {character: byte for byte, character in enumerate(BYTE_CHARACTERS)}
    known = [pieces.id_to_piece(i) for i in range(pieces.get_piece_size()) if not pieces.is_unknown(i)]
    return Vocabulary.of(bytes(byte_of[character] for character in piece) for piece in known)


def main() -> None:
    options = arguments(__doc__)
    train, held = flores(options.data, options.quick)
    test = Test.of(held)
    words = count_words(train)
    report = Report("vocabulary_learner", "Learning a vocabulary from the words of FLORES-500", options.quick)
    report.header("learner", "seconds, 2 cores", "tokens", "accuracy without context")
    ours, seconds = timed(lambda: Vocabulary.learn(words, threads=2))
    theirs, their_seconds = timed(lambda: with_sentencepiece(words, len(ours)))
    for name, vocabulary, time in (("unilid", ours, seconds), ("SentencePiece", theirs, their_seconds)):
        model = unilid.train(train, vocabulary=vocabulary, context=None)
        report.row(name, f"{time:.1f}", len(vocabulary), accuracy(model, test))
    report.write()


if __name__ == "__main__":
    main()
