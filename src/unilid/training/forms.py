"""How the results of training stages are stored between runs."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np

from unilid.corpus.counts import HELD, Corpus, Language, Words
from unilid.corpus.holding import LESSONS, Line
from unilid.models.vocabulary import Vocabulary, offsets_of
from unilid.store.modelfile import Arrays
from unilid.training.stages import dump_arrays, load_arrays


class VocabularyForm:
    """A vocabulary as stored between runs."""

    def dump(self, result: Vocabulary) -> bytes:
        """Return the content of a vocabulary."""
        tokens = np.frombuffer(b"".join(result.tokens), np.uint8)
        return dump_arrays({"bytes": tokens, "offsets": offsets_of(result.tokens)})

    def load(self, content: bytes) -> Vocabulary:
        """Return the vocabulary of a content."""
        arrays = load_arrays(content)
        blob, ends = arrays["bytes"].tobytes(), arrays["offsets"].tolist()
        return Vocabulary(tuple(blob[a:b] for a, b in pairwise(ends)))


class CorpusForm:
    """A counted corpus as stored between runs."""

    def dump(self, result: Corpus) -> bytes:
        """Return the content of a counted corpus."""
        words = result.words
        lines = [
            (row, fold, line)
            for row, language in enumerate(result.languages)
            for fold, own in enumerate(language.folds)
            for line in own
        ]
        texts = [line.text for _, _, line in lines]
        arrays: Arrays = {
            "labels": np.frombuffer(json.dumps(result.labels).encode(), np.uint8),
            "lines": result.lines,
            "folds": np.array([(row, fold, line.key, line.copies) for row, fold, line in lines]).reshape(-1, 4),
            "texts": np.frombuffer(b"".join(texts), np.uint8),
            "text_offsets": offsets_of(texts),
            "blob": np.frombuffer(b"".join(own.blob for own in words), np.uint8),
            "sizes": np.array([[len(own.blob), len(own.counts)] for own in words]),
            "offsets": np.concatenate([own.offsets for own in words]),
            "counts": np.concatenate([own.counts for own in words]),
        }
        return dump_arrays(arrays)

    def load(self, content: bytes) -> Corpus:
        """Return the counted corpus of a content."""
        arrays = load_arrays(content)
        labels = tuple(json.loads(arrays["labels"].tobytes()))
        folds: list[list[list[Line]]] = [[[] for _ in range(1 + LESSONS)] for _ in labels]
        texts, ends = arrays["texts"].tobytes(), pairwise(arrays["text_offsets"].tolist())
        for (row, fold, key, copies), (first, last) in zip(arrays["folds"].tolist(), ends, strict=True):
            folds[row][fold].append(Line(key, texts[first:last], copies))
        blob, first_byte, first_word = arrays["blob"].tobytes(), 0, 0
        languages = []
        for row, (size, count) in enumerate(arrays["sizes"].tolist()):
            offsets = arrays["offsets"][first_word + row : first_word + row + count + 1]
            counts = arrays["counts"][first_word : first_word + count]
            words = Words(blob[first_byte : first_byte + size], offsets, counts)
            languages.append(Language(words, folds[row] if folds[row][HELD] else ()))
            first_byte, first_word = first_byte + size, first_word + count
        return Corpus(labels, arrays["lines"], tuple(languages))
