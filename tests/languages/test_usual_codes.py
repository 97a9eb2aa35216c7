"""The codes that users of other libraries expect, asked of the model in the package."""

from __future__ import annotations

from functools import cache

import pytest

import unilid
from unilid import Model
from unilid.languages.labels import meaning

CLD3 = """
af am ar bg bn bs ca ceb co cs cy da de el en eo es et eu fa fi fil fr fy ga gd gl gu ha haw hi hmn hr ht hu hy id ig
is it iw ja jv ka kk km kn ko ku ky la lb lo lt lv mg mi mk ml mn mr ms mt my ne nl no ny pa pl ps pt ro ru sd si sk sl
sm sn so sq sr st su sv sw ta te tg th tr uk ur uz vi xh yi yo zh zu
"""
LINGUA = """
af sq ar hy az eu be bn nb bs bg ca zh hr cs da nl en eo et fi fr lg ka de el gu he hi hu is id ga it ja kk ko la lv lt
mk ms mi mr mn nn fa pl pt pa ro ru sr sn sk sl so st es sw sv tl ta te th ts tn tr uk ur vi cy xh yo zu
"""
LANGDETECT = """
af ar bg bn ca cs cy da de el en es et fa fi fr gu he hi hr hu id it ja kn ko lt lv mk ml mr ne nl no pa pl pt ro ru sk
sl so sq sv sw ta te th tl tr uk ur vi zh-cn zh-tw
"""
WRITTEN_OTHERWISE = {
    "ceb": None, "fil": "tl", "haw": None, "hmn": None, "iw": "he", "no": "nb", "zh-cn": "zh", "zh-tw": "zh",
}  # fmt: skip
"""Codes of theirs that are old, not of two letters, or the macrolanguage's where the language has one of its own."""


@cache
def model() -> Model:
    return unilid.load()


def found(code: str) -> list[str]:
    return [model().languages[row] for row in model().rows_matching(code)]


@pytest.mark.parametrize("code", sorted({*CLD3.split(), *LINGUA.split(), *LANGDETECT.split()}))
def test_a_code_of_another_library_finds_labels_that_go_by_it(code: str) -> None:
    assert {meaning(label).iso639_1 for label in found(code)} == {WRITTEN_OTHERWISE.get(code, code)}


@pytest.mark.parametrize(
    ("code", "labels"),
    {
        "zh": "cmn_Hans cmn_Hant", "zh-cn": "cmn_Hans", "zh-tw": "cmn_Hant", "ar": "arb_Arab", "fa": "pes_Arab",
        "ms": "zsm_Latn", "lv": "lvs_Latn", "sw": "swh_Latn", "ne": "npi_Deva", "sq": "als_Latn", "mn": "khk_Cyrl",
        "uz": "uzn_Latn", "no": "nob_Latn", "az": "azj_Latn", "ku": "kmr_Latn", "om": "gaz_Latn", "mg": "plt_Latn",
        "et": "est_Latn", "yi": "ydd_Hebr", "gn": "grn_Latn", "ay": "ayr_Latn", "sr": "srp_Cyrl srp_Latn",
        "sh": "bos_Latn hrv_Latn srp_Cyrl srp_Latn", "fil": "tgl_Latn", "hin": "hin_Deva", "deu": "deu_Latn",
        "ko": "kor_Hang", "ja": "jpn_Jpan", "qu": "quy_Latn quz_Latn", "ps": "pbt_Arab pbu_Arab", "kk": "kaz_Cyrl",
    }.items(),
)  # fmt: skip
def test_a_code_means_the_usual_language_and_script(code: str, labels: str) -> None:
    assert sorted(found(code)) == labels.split()


def test_a_greeting_competes_among_the_languages_named_and_not_their_relatives() -> None:
    ranked = unilid.identify("Hi", languages=["en", "zh"], abstain=False, k=10)
    assert {answer.label for answer in ranked if answer.probability > 0} == {
        "eng_Latn"
    }  # the others have another script
    ranked = unilid.identify("Hi 你好", languages=["en", "zh"], abstain=False, k=10)
    assert {answer.label for answer in ranked if answer.probability > 0} == {"eng_Latn", "cmn_Hans", "cmn_Hant"}


def test_the_codes_of_a_label_find_it() -> None:
    for label in model().languages:
        about = meaning(label)
        if about.bcp47 is not None:
            assert label in found(about.bcp47)
        if about.iso639_1 is not None:
            assert label in found(f"{about.iso639_1}-*")


def test_a_star_finds_relatives_too() -> None:
    assert {*found("zh"), "yue_Hant"} <= set(found("zh-*"))
    assert {*found("ar"), "arz_Arab"} <= set(found("ar-*"))


@pytest.mark.parametrize(
    ("text", "bcp47", "iso639_1"),
    [
        ("Wo ist der nächste Bahnhof?", "de", "de"),
        ("请问最近的火车站在哪里？谢谢你们的帮助。", "zh", "zh"),
        ("請問最近的火車站在哪裡？謝謝你們的幫助。", "zh-Hant", "zh"),
        ("أين تقع أقرب محطة للقطار في هذه المدينة؟", "ar", "ar"),
        ("Kur atrodas tuvākā dzelzceļa stacija?", "lv", "lv"),
        ("12:30", "zxx", None),
    ],
)
def test_an_answer_has_the_codes_that_are_used_in_practice(text: str, bcp47: str, iso639_1: str | None) -> None:
    answer = model().identify(text)
    assert (answer.bcp47, answer.iso639_1) == (bcp47, iso639_1)
