"""What is no language: found by the kernel as by the reference, answered with `zxx`, and left out of every score."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from support.corpora import SENTENCES
from support.models import small_model

import unilid
from unilid import _kernel, plain
from unilid._kernel import REASONS
from unilid.corpus.counts import Words
from unilid.encodings import utf16
from unilid.plain.code import is_code

# Pieces of addresses, names of users, numbers, hashes and words, put together in every way.
PIECES = [
    *("www.", "WWW.", "http", "://", ":\\", "/", "\\", "example", "mail", ".com", ".org", ".html", ".de", ".", ".."),
    *("@", "_", "-", "#", "?", ":", "(", ")", "'", ",", "+", "=", "%", " ", "\n"),
    *("a", "b", "ab", "F", "Xy", "deadBEEF", "COVID", "getName", "0", "1", "12", "2024"),
    *("é", "ж", "中", "\u0301", "😀", "❤", "→", "\ufffd", "Ã", "Ð°", "Â·", "Р°", "Сѓ", "С", "’", "€"),
]
pieces = st.lists(st.sampled_from(PIECES), max_size=14).map("".join).map(str.encode)
# Pieces of tags, entities, JSON, SQL, logs and programs.
CODE = [
    *("<", ">", "</", "/>", "<p>", "</p>", "<a", "<br/>", " href=", "<!--", "-->", "<!DOCTYPE", "<?xml", "<3", "<<"),
    *("&", "&amp;", "&nbsp;", "&#233;", "&#xE9;", ";", "&lt", "#", "# ", "//", "/*", "*/", ":", ": ", "::", "->", "=>"),
    *('"', "'", "`", "\\", '"a b"', '"key":', "'it's'", '"é"', " ", " ", " ", "\n", "\n", "\t", "  ", ".", "?", ")."),
    *("{", "}", "(", ")", "()", "[", "]", "=", "==", "&&", "||", " | ", " > ", "++", "$x", "${", ",", " -la", " --all"),
    *("def ", "for ", "let ", "import ", "from os import ", "SELECT ", " FROM ", "INSERT INTO ", "UPDATE ", " SET "),
    *("#include", "camelCase", "snake_case", "dotted.name", "print", "print(", "e.g.", "http://a.b/?c=1", "\xa0", "中"),
    *("2024-05-17", "[2024/05/17]", " 12:30:00", " ERROR", "[info]", " main:", "Jan  1 10:20:30 a b[1]:", " HTTP/1.1"),
    *("word", "two words", "one two three", "four words stand here", "Wörter", "слово", "x", "don't", "1", "42"),
]
code = st.lists(st.sampled_from(CODE), max_size=20).map("".join).map(str.encode)
long_code = st.builds(
    lambda parts, filling, times: filling.encode() * times + b"".join(parts),
    st.lists(code, max_size=3),
    st.sampled_from(["a b ", "x=1;", "<a b=c ", "é ", '"', "(", "foo bar\n", "f();\n", "word"]),
    st.integers(100, 600),
)
visible = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=24)
suspicious = st.text("abF1@._-/:\\", min_size=1, max_size=16)
anything = st.one_of(
    pieces, pieces, code, st.text("aÃÐ°Р\u0421ж \ufffd…1", max_size=24).map(str.encode), st.binary(max_size=24)
).filter(lambda text: not utf16(text))


def reasons_of(texts: list[bytes]) -> list[str | None]:
    found = small_model()._answerer.scorers.scorer.costs(texts, 1).reasons
    return [REASONS.get(number) for number in found.tolist()]


# ---- the kernel against the reference


@given(st.one_of(visible, suspicious))
@settings(max_examples=250)
@example("example.com/a..b")
@example("a..b.com")
@example("(see:me@example.org).")
@example("C:\\")
@example("aBcDeFg12345")
@example("aBcDeFg1234")
@example("abc12345")
@example("abc1234")
@example("_ab_")
@example("a_b")
def test_a_run_of_ascii_is_the_noise_that_the_reference_takes_it_for(run: str) -> None:
    assume(not set("<&").intersection(run) and not is_code(run.encode(), 0, behind_code=False))
    expected = plain.noise_of(run)
    assert {REASONS.get(word.noise) for word in _kernel.split_words(run.encode())} == {expected}


@given(st.one_of(code, code, code, long_code))
@settings(max_examples=400)
@example(b"<a\nhref=b> f();")
@example(b"http://a.org/?b&amp;<c&amp;d e")
@example(b"x<y>z" + b"a=b; " * 300 + b"<p\n>")
def test_words_in_markup_and_code_are_those_of_the_reference(text: bytes) -> None:
    found = [(word.begin, word.bytes, REASONS.get(word.noise)) for word in _kernel.split_words(text)]
    assert found == [(word.begin, word.text, word.noise) for word in plain.split_words(text)]


@given(anything)
@settings(max_examples=250)
def test_the_reason_of_a_text_is_that_of_the_reference(text: bytes) -> None:
    assert reasons_of([text]) == [plain.reason_of(text)]


@given(anything)
def test_the_letters_of_a_text_are_those_of_its_words(text: bytes) -> None:
    spoken = [word for word in plain.split_words(text) if word.kind == plain.LETTER and word.noise is None]
    assert small_model()._answerer.scorers.scorer.costs([text], 1).letters.tolist() == [
        sum(word.letters for word in spoken)
    ]


@given(st.lists(st.text("éÃж a\u20ac\xa01", max_size=12), max_size=80))
def test_the_beginning_of_a_long_text_says_whether_it_is_mojibake(parts: list[str]) -> None:
    text = "".join(parts).encode()
    for whole in (text, b"one word " * 60 + text, text * 9):
        assert reasons_of([whole]) == [plain.reason_of(whole)]


def test_what_is_noise_is_not_learned() -> None:
    counter = _kernel.Counter()
    text = "Write to me@example.org or see https://example.org/house (user_name_42), please"
    counter.add(np.zeros(1, np.int32), [text.encode()])
    words = [word for word, _ in Words.of(counter.tables([0])[0]).pairs()]
    assert words == [b" Write", b" or", b" please", b" see", b" to"]


# ---- answers

RUSSIAN, GREEK = "Сегодня мы едем в город за хлебом.", "Σήμερα πάμε στην πόλη για ψωμί."
CHINESE, JAPANESE = "今天我们去城里买面包。", "今日はパンを買いに町へ行きます。"
NO_LANGUAGE: dict[str, list[str | bytes | None]] = {
    "empty": [None, "", " ", "\n\t\u3000\xa0"],
    "digits": ["12345", "+49 30 1234567", "(030) 123-456", "2024-05-17", "17.05.2024 12:30", "3,14 %", "١٢٣", "१२३"],
    "signs": ["?!", "...", "—", "*** ---", "«»", "→ ←", "\x00\x01"],
    "emoji": ["😀", "🎉🎉 !!", "❤️", "👍🏽", "☀ 25"],
    "address": [
        "https://example.org/a?b=c",
        "ftp://files.example.edu/x.txt",
        "www.example.net",
        "WWW.EXAMPLE.NET",
        "example.com",
        "(example.com).",
        "sub.example.org:8080/path",
        "/usr/local/bin/python",
        "C:\\Windows\\System32",
        "index.html",
        "src/main/java/Foo.java",
        "~/notes",
        "../data/file.txt",
    ],
    "e-mail": ["me@example.org", "<first.last@mail.example.com>", "a-b+c@d.e"],
    "identifier": [
        "d41d8cd98f00b204e9800998ecf8427e",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "550e8400-e29b-41d4-a716-446655440000",
        "SGVsbG8gd29ybGQhIQ==",
        "U2FsdGVkX1+abc9QzR7",
        "SN-4711-AB12-99X",
        "X7K9-22PQ-8841",
        "@some_user",
        "@someone",
        "user_name_42",
        "getElementByIdAndName",
    ],
    "markup": [
        "<br>",
        "</p>",
        "&nbsp;",
        '<img src="a.png" alt="two words">',
        "<!-- a comment -->",
        "<p>12</p>",
        "<?xml version='1.0'?>",
    ],
    "code": [
        '{"name": "John", "age": 30}',
        '{\n  "name": "John",\n  "tags": ["new", "old"]\n}',
        "for (int i = 0; i < n; i++) {\n  x[i] = f(i);\n}",
        "#include <stdio.h>",
        "import os\nimport sys\n\ndef main():\n    return 0",
        "from typing import Any",
        "const total = items.map(i => i.price);",
        "SELECT name FROM users WHERE id = 3",
        "UPDATE users SET name = 'John'",
        "cd /usr/local && make install",
        "ls -la /tmp | grep foo > out.txt",
        "body { color: red; margin: 0 }",
        '127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /index HTTP/1.0" 200 2326',
        "2024-05-17 12:30:00,123 [main] ERROR org.example.Main: 17",
    ],
    "mojibake": [
        "ကြ္ႏန္ေတာ္ ျမန္မာစာ ဖတ္သည္။",  # Zawgyi
        "Guten Tag".encode("utf-16").decode("latin-1"),
        "\ufffd\ufffd",
        b"\xff\xfd\xfe\xfc",
        *(text.encode().decode("latin-1") for text in (RUSSIAN, GREEK, CHINESE, JAPANESE)),
        *(text.encode().decode("cp1252", "replace") for text in (RUSSIAN, GREEK, CHINESE, JAPANESE)),
        RUSSIAN.encode().decode("cp1251", "replace"),
        RUSSIAN.encode("cp1251").decode("latin-1"),
        RUSSIAN.encode("koi8-r").decode("cp1252"),
        *(np.random.default_rng(seed).bytes(200) for seed in range(5)),
    ],
}


@pytest.mark.parametrize(
    ("reason", "text"), [(reason, text) for reason, texts in NO_LANGUAGE.items() for text in texts], ids=ascii
)
def test_what_is_no_language_is_zxx_and_says_why(reason: str, text: str | bytes | None) -> None:
    for model in (unilid.load(), small_model()):
        found = model.identify(text)
        assert (found.label, found.reason, found.guess, found.probability) == ("zxx", reason, None, 1.0)
        assert model.identify(text, k=3) == [found]
        if reason != "empty":
            assert model.identify(text, abstain=False).label in model.languages


SPOKEN = [
    "I <3 you, and a < b > c",
    "Tom & Jerry; AT&T",
    "<<Bonjour>> dit-il",
    "word(s); item(s)",
    "Let it be.\nLet it go;\nlet go",
    "let go\nlet go",
    "for my love\nfor my life",
    "{count} files = too many for me (or you)",
    "See https://example.org/?a=b&amp;c=d_e; then come back",
    "2024-05-17 12:30 Anna: I am here",
    'He said: "Hello"; she left (in a hurry)',
    "f(x) is called from here, and it = 5",
    "မြန်မာစာ ဖတ်သည်။",
    "ၵႂၢမ်းတႆး",
    "ဘာသာမန်",
    "COVID-19 is still here.",
    "COVID-19",
    "The H2O molecule is small.",
    "H2O ist Wasser",
    "In the 1990s we had no telephone.",
    "Élève, à bientôt, être né là-bas, façade brûlée, déjà vécu.",
    "L'été dernier, où étiez-vous allés près de la forêt ?",
    "Hôm nay chúng tôi đi vào thành phố để mua bánh mì.",
    "tlhIngan Hol Dajatlh'a'? Heghlu'meH QaQ jajvam!",
    "See https://example.org/a_b?c=1 for more about the house.",
    "Write to me@example.org when you are in town.",
    "Donaudampfschifffahrtsgesellschaftskapitän",
    "My iPhone and my iPad need a new eBook reader.",
    "McDonald's and YouTube",
    "he/she and/or they, e.g. you",
    "MP3",
    "A",
    "é",
    "Ça",
    "GROẞE STRAẞE",
    "ÞÓRÐUR ÁTTI BÁT",
    "“Quoted” — and… dashed",
    "Он сказал: «Рим и Сочи»",
    RUSSIAN,
    RUSSIAN.upper(),
    "СССР и РСФСР",
    GREEK,
    CHINESE,
    JAPANESE,
    "오늘 우리는 빵을 사러 시내에 간다.",
    "שלום לכולם, מה שלומכם היום?",
    "اليوم نذهب إلى المدينة لشراء الخبز.",
    "आज हम शहर जा रहे हैं।",
    "วันนี้เราไปซื้อขนมปังในเมือง",
    "დღეს ქალაქში პურის საყიდლად მივდივართ",
    "Այսօր հաց գնելու քաղաք ենք գնում",
    "ዛሬ ወደ ከተማ እንሄዳለን",
    "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ",
    "😀 good morning 12345",
]


@pytest.mark.parametrize("text", SPOKEN)
def test_sentences_are_not_taken_for_noise(text: str) -> None:
    assert plain.reason_of(text.encode()) is None
    for model in (unilid.load(), small_model()):
        assert model.identify(text).label != "zxx"
        assert model.identify(text.encode()) == model.identify(text)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("L'été dernier, où étiez-vous allés près de la forêt ?", "latin-1"),
        ("Dnes večer přijedou naši přátelé, těšíme se na ně.", "iso-8859-2"),
        ("Bu akşam arkadaşlarımız gelecek, çok güzel olacağını düşünüyorum.", "iso-8859-9"),
    ],
)
def test_latin_letters_of_an_8_bit_encoding_are_not_mojibake(text: str, encoding: str) -> None:
    assert plain.reason_of(text.encode(encoding)) is None
    assert unilid.load().identify(text.encode(encoding)).label != "zxx"


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("<p>Wo ist der Bahnhof?</p>", "Wo ist der Bahnhof"),
        ('<a\n href="a b"\n title="the title">Wo ist</a> <b>er</b>', "Wo ist er"),
        ("Wo&nbsp;ist &lt;er&gt;?", "Wo ist er"),
        ("http://a.org/?b=1&amp;c=two Wo ist er", "Wo ist er"),
        ('{"id": 1, "the text": "Wo ist er?", "name": "John"}', "Wo ist er"),
        ('print("Wo ist er?")  # nur ein Beispiel', "Wo ist er nur ein Beispiel"),
        ("int x = 5;  // nur ein Beispiel\nreturn x;", "nur ein Beispiel"),
        ("x = '中文';", "中文"),
        ("2024-05-17 12:30:00 ERROR [main] Wo ist er", "Wo ist er"),
        ("Jan  1 10:20:30 host app[1]: Wo ist er", "Wo ist er"),
        ("f();\nexit\n今日は", "今日は"),
    ],
)
def test_what_is_text_in_markup_and_code_counts(text: str, content: str) -> None:
    words = _kernel.split_words(text.encode())
    spoken = [word.bytes.decode().strip() for word in words if word.kind == _kernel.LETTER and not word.noise]
    assert spoken == content.split()


def test_markup_around_a_sentence_leaves_its_language() -> None:
    model = unilid.load()
    for text in (
        "<p>Wo ist der Bahnhof?</p>",
        '{"text": "Wo ist der Bahnhof?"}',
        "Wo ist der Bahnhof?".encode("utf-16"),
    ):
        assert model.identify(text).label == "deu_Latn"


@pytest.mark.parametrize(
    "piece", [b"<a ", b"<!--", b"&a", b'"', b"\\'", b"/*", b"<a b=c>", b"a&amp;", b"(", b"x=1;\n", b"- "]
)
def test_time_is_linear_in_the_length(piece: bytes) -> None:
    # A hundred times as much as tests usually have: what is quadratic would take minutes.
    assert _kernel.split_words(piece * 200_000)


NOISE = [text for kind in ("address", "e-mail", "identifier") for text in NO_LANGUAGE[kind]]


@pytest.mark.parametrize("noise", NOISE)
def test_noise_inside_a_sentence_changes_no_score(noise: str) -> None:
    model = small_model()
    expected = model.identify(SENTENCES, k=5)
    assert model.identify([f"{sentence} {noise}" for sentence in SENTENCES], k=5) == expected
    assert model.identify([f"{noise}\n{sentence}" for sentence in SENTENCES], k=5) == expected


def test_noise_counts_where_there_is_nothing_else() -> None:
    model = small_model()
    alone = model.scores(["example.com", "example.org"])
    assert (alone < 0).all()
    assert (alone[0] != alone[1]).any()
    assert (model.scores(["snow example.com"]) == model.scores(["snow"])).all()


@given(pieces)
def test_without_abstaining_every_text_but_an_empty_one_has_a_language(text: bytes) -> None:
    model = small_model()
    expected = model.languages if plain.split_words(text) else ("zxx",)
    assert model.identify(text, abstain=False).label in expected


def test_a_run_is_noise_as_a_whole_however_long_it_is() -> None:
    text = b"@" + b"ab" * 2000  # longer than the parts in which code is looked for
    words = _kernel.split_words(text)
    assert len(words) > 20
    assert {REASONS.get(word.noise) for word in words} == {"identifier"}
    assert [word.noise for word in plain.split_words(text)] == ["identifier"] * len(words)
