"""How the results of training stages are stored between runs."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np

from unilid.corpus.counts import Corpus, Words
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
        held = b"".join(result.held_texts)
        arrays: Arrays = {
            "labels": np.frombuffer(json.dumps(result.labels).encode(), np.uint8),
            "lines": result.lines,
            "held_rows": result.held_rows,
            "held_bytes": np.frombuffer(held, np.uint8),
            "held_offsets": offsets_of(result.held_texts),
        }
        for name, tables in (("words", result.words), ("kept", result.kept)):
            arrays[f"{name}_blob"] = np.frombuffer(b"".join(words.blob for words in tables), np.uint8)
            arrays[f"{name}_sizes"] = np.array([[len(words.blob), len(words.counts)] for words in tables])
            arrays[f"{name}_offsets"] = np.concatenate([words.offsets for words in tables])
            arrays[f"{name}_counts"] = np.concatenate([words.counts for words in tables])
        return dump_arrays(arrays)

    def load(self, content: bytes) -> Corpus:
        """Return the counted corpus of a content."""
        arrays = load_arrays(content)
        held, ends = arrays["held_bytes"].tobytes(), arrays["held_offsets"].tolist()
        tables: dict[str, list[Words]] = {}
        for name in ("words", "kept"):
            blob, first_byte, first_word = arrays[f"{name}_blob"].tobytes(), 0, 0
            tables[name] = []
            for row, (size, count) in enumerate(arrays[f"{name}_sizes"].tolist()):
                offsets = arrays[f"{name}_offsets"][first_word + row : first_word + row + count + 1]
                counts = arrays[f"{name}_counts"][first_word : first_word + count]
                tables[name].append(Words(blob[first_byte : first_byte + size], offsets, counts))
                first_byte, first_word = first_byte + size, first_word + count
        return Corpus(
            tuple(json.loads(arrays["labels"].tobytes())),
            arrays["lines"],
            tuple(tables["words"]),
            tuple(tables["kept"]),
            arrays["held_rows"],
            [held[a:b] for a, b in pairwise(ends)],
        )
