"""Which labels a code stands for."""

from __future__ import annotations

from typing import Any

import pytest

from unilid import UnknownLanguageError
from unilid.languages.codes import Index

LABELS = (
    "ara_Arab", "arz_Arab", "cmn_Hans", "cmn_Hant", "deu_Latn", "est_Latn", "heb_Hebr", "hrv_Latn", "ind_Latn",
    "jav_Latn", "kor_Hang", "nno_Latn", "nob_Latn", "por_Latn", "qqq_Latn", "ron_Latn", "srp_Cyrl", "srp_Latn",
    "swh_Latn", "yue_Hant", "zsm_Latn",
)  # fmt: skip


def found(code: str, labels: tuple[str, ...] = LABELS) -> list[str]:
    return [labels[row] for row in Index(labels).rows_matching(code)]


@pytest.mark.parametrize("label", LABELS)
def test_a_label_stands_for_itself(label: str) -> None:
    assert found(label) == [label]


@pytest.mark.parametrize(
    ("code", "label"),
    {
        "de": "deu_Latn", "ger": "deu_Latn", "deu": "deu_Latn", "DE": "deu_Latn", "DEU_LATN": "deu_Latn",
        "iw": "heb_Hebr", "in": "ind_Latn", "jw": "jav_Latn", "mo": "ron_Latn", "mol": "ron_Latn", "rum": "ron_Latn",
        "nb": "nob_Latn", "qqq": "qqq_Latn", "zh-yue": "yue_Hant",
    }.items(),
)  # fmt: skip
def test_a_code_of_any_part_of_iso_639_stands_for_the_label(code: str, label: str) -> None:
    assert found(code) == [label]


@pytest.mark.parametrize(
    ("code", "labels"),
    {
        "sr": ["srp_Cyrl", "srp_Latn"],
        "sr-Cyrl": ["srp_Cyrl"],
        "SR_latn": ["srp_Latn"],
        "sr-Latn-ME": ["srp_Latn"],
        "pt-BR": ["por_Latn"],
        "cmn-Hant": ["cmn_Hant"],
        "cmn-Hani": ["cmn_Hans", "cmn_Hant"],
        "ko-Kore": ["kor_Hang"],
        "de-DE-u-co-phonebk": ["deu_Latn"],
    }.items(),
)
def test_a_tag_stands_for_its_script_and_in_any_region(code: str, labels: list[str]) -> None:
    assert found(code) == labels


MANY = (
    "arb_Arab", "arb_Latn", "arz_Arab", "azb_Arab", "azj_Latn", "ckb_Arab", "cmn_Hans", "cmn_Hant", "cmn_Latn",
    "hin_Deva", "hin_Latn", "hrv_Latn", "ind_Latn", "kmr_Latn", "lad_Hebr", "lad_Latn", "nan_Latn", "nno_Latn",
    "nob_Latn", "pan_Arab", "pan_Guru", "pbt_Arab", "pbu_Arab", "pes_Arab", "prs_Arab", "srp_Cyrl", "srp_Latn",
    "tgl_Latn", "yue_Hant", "yue_Latn", "zap_Latn", "zaw_Latn", "zsm_Arab", "zsm_Latn",
)  # fmt: skip


@pytest.mark.parametrize(
    ("code", "labels"),
    {
        "ar": ["arb_Arab"],
        "zh": ["cmn_Hans", "cmn_Hant"],
        "chi": ["cmn_Hans", "cmn_Hant"],
        "cmn": ["cmn_Hans", "cmn_Hant"],
        "yue": ["yue_Hant"],
        "fa": ["pes_Arab"],
        "no": ["nob_Latn"],
        "ms": ["zsm_Latn"],
        "hi": ["hin_Deva"],
        "hin": ["hin_Deva"],
        "sr": ["srp_Cyrl", "srp_Latn"],
        "lad": ["lad_Hebr", "lad_Latn"],
        "ps": ["pbt_Arab", "pbu_Arab"],
        "zap": ["zap_Latn"],  # a label of its own
        "fil": ["tgl_Latn"],
        "sh": ["hrv_Latn", "srp_Cyrl", "srp_Latn"],  # none of its members is more usual than the others
    }.items(),
)
def test_a_bare_code_stands_for_the_usual_language_and_scripts(code: str, labels: list[str]) -> None:
    assert found(code, MANY) == labels


@pytest.mark.parametrize(
    ("code", "labels"),
    {
        "zh-Hant": ["cmn_Hant"],
        "zh-Hani": ["cmn_Hans", "cmn_Hant"],
        "zh-Latn": ["cmn_Latn"],
        "zh_latn": ["cmn_Latn"],
        "hin-Latn": ["hin_Latn"],
        "ms-Arab": ["zsm_Arab"],
        "sh-Latn": ["hrv_Latn", "srp_Latn"],
        # where the usual language is not written so, the others are
        "ku-Arab": ["ckb_Arab"],
        "az-Arab": ["azb_Arab"],
    }.items(),
)
def test_a_script_is_that_of_the_usual_language_where_it_has_it(code: str, labels: list[str]) -> None:
    assert found(code, MANY) == labels


@pytest.mark.parametrize(
    ("code", "labels"),
    {
        "zh-*": ["cmn_Hans", "cmn_Hant", "cmn_Latn", "nan_Latn", "yue_Hant", "yue_Latn"],
        "zh-*-*": ["cmn_Hans", "cmn_Hant", "cmn_Latn", "nan_Latn", "yue_Hant", "yue_Latn"],
        "zh-*-Latn": ["cmn_Latn", "nan_Latn", "yue_Latn"],
        "ZHO_*_latn": ["cmn_Latn", "nan_Latn", "yue_Latn"],
        "zh-Latn-*": ["cmn_Latn", "nan_Latn", "yue_Latn"],
        "cmn-*": ["cmn_Hans", "cmn_Hant", "cmn_Latn"],
        "hin-*": ["hin_Deva", "hin_Latn"],
        "no-*": ["nno_Latn", "nob_Latn"],
        "fil-*": ["tgl_Latn"],
        "zap-*": ["zap_Latn", "zaw_Latn"],
    }.items(),
)
def test_a_star_asks_for_all_that_a_code_can_stand_for(code: str, labels: list[str]) -> None:
    assert found(code, MANY) == labels


@pytest.mark.parametrize(
    ("code", "labels"),
    {
        "zh-CN": ["cmn_Hans"],
        "zh-cn": ["cmn_Hans"],
        "zh-TW": ["cmn_Hant"],
        "zh-DE": ["cmn_Hans", "cmn_Hant"],
        "zh-Hans-TW": ["cmn_Hans"],
        "fa-AF": ["prs_Arab"],
        "fa-IR": ["pes_Arab"],
        "pa-PK": ["pan_Arab"],
        "sr-ME": ["srp_Latn"],
        "de-AT": ["deu_Latn"],
    }.items(),
)
def test_a_region_may_tell_the_script_or_the_language(code: str, labels: list[str]) -> None:
    assert found(code, (*MANY, "deu_Latn")) == labels


@pytest.mark.parametrize(
    ("code", "labels", "there"),
    [
        ("zh", ["yue_Hant", "nan_Latn"], ["yue_Hant", "yue_Latn", "nan_Latn"]),
        ("zh", ["cmn_Latn"], ["cmn_Latn", "yue_Hant"]),
        ("zh", ["cmn_Hani"], ["cmn_Hani", "yue_Hant"]),
        ("zh-Hant", ["cmn_Hani"], ["cmn_Hani", "yue_Hant"]),
        ("zh-TW", ["cmn_Hans"], ["cmn_Hans"]),
        ("zh", ["zho_Hans", "zho_Hant"], ["cmn_Hans", "zho_Hans", "zho_Hant", "zho_Latn"]),
        ("zh", ["cmn"], ["cmn", "cmn_Latn"]),
        ("hi", ["hin_Latn"], ["hin_Latn"]),
        ("ko", ["kor_Hang"], ["kor_Hang", "kor_Latn"]),
        ("ar", ["arz_Arab", "ary_Arab"], ["arz_Arab", "arz_Latn", "ary_Arab"]),
        ("tl", ["fil_Latn"], ["fil_Latn"]),
        ("fil", ["fil_Latn"], ["fil_Latn", "tgl_Latn"]),
        ("fa-AF", ["fas_Arab"], ["fas_Arab"]),
        ("spam", ["spam_Cyrl", "spam_Latn"], ["spam_Cyrl", "spam_Latn"]),  # nobody knows how it is written
    ],
)
def test_where_the_usual_one_is_lacking_a_code_finds_what_there_is(
    code: str, labels: list[str], there: list[str]
) -> None:
    assert found(code, tuple(there)) == labels


@pytest.mark.parametrize("label", ["zh", "zh-*", "hin", "zh-Latn"])
def test_a_label_of_ones_own_stands_for_itself_whatever_it_means_as_a_code(label: str) -> None:
    assert found(label, (*MANY, label)) == [label]


def test_all_can_be_asked_for_without_a_star() -> None:
    labels = ("cmn_Hans", "cmn_Latn", "yue_Latn")
    assert Index(labels).rows_matching("zh", everything=True) == [0, 1, 2]
    assert Index(labels).rows_matching("cmn_Hans", everything=True) == [0]


@pytest.mark.parametrize(
    ("code", "labels"),
    {"et": ["est_Latn"], "est": ["est_Latn"], "ekk": ["est_Latn"], "arb": ["ara_Arab"], "arz": ["arz_Arab"]}.items(),
)
def test_a_member_without_a_label_stands_for_the_macrolanguage(code: str, labels: list[str]) -> None:
    assert found(code) == labels


def test_a_label_wins_over_what_it_means_as_a_code() -> None:
    dialects = ("PT-BR", "PT-PT", "no", "nob_Latn", "in")
    assert found("PT-BR", dialects) == ["PT-BR"]
    assert found("pt-br", dialects) == found("por_BR", dialects) == ["PT-BR"]
    assert found("pt", dialects) == found("pt-AO", dialects) == ["PT-BR", "PT-PT"]
    assert found("no", dialects) == ["no"]
    assert found("nor", dialects) == ["no"]
    assert found("nor-*", dialects) == ["no", "nob_Latn"]
    assert found("in", dialects) == found("id", dialects) == ["in"]
    assert found("pt-BR", ("PT-PT", "por_Latn")) == ["por_Latn"]


def test_a_label_without_a_script_is_taken_for_any() -> None:
    assert found("sr-Cyrl", ("srp",)) == ["srp"]
    assert found("sr-Cyrl", ("srp", "srp_Cyrl")) == ["srp_Cyrl"]
    assert found("zh-Hant", ("cmn_Hani",)) == ["cmn_Hani"]


@pytest.mark.parametrize(
    "code",
    [
        "tlh", "tlh-*", "*", "-*", "*-Latn", "de-*-Grek", "deu_Grek", "deu_Lat", "ekk-Cyrl", "ca-valencia", "de-1996",
        "german", "", "?", 7,
    ],
)  # fmt: skip
def test_a_code_may_stand_for_nothing(code: Any) -> None:
    with pytest.raises(UnknownLanguageError):
        found(code)


@pytest.mark.parametrize(
    ("code", "sentence"),
    {
        "deu_Lat": "'deu_Lat'; did you mean deu_Latn (German)?",
        "german": "'german'; did you mean deu_Latn (German)?",
        "sr-Grek": "'sr-Grek' (Serbian); did you mean srp_Cyrl (Serbian) or srp_Latn (Serbian)?",
        "no-Grek": "'no-Grek' (Norwegian); did you mean nob_Latn (Norwegian Bokmål) or nno_Latn (Norwegian Nynorsk)?",
        "de-*-Grek": "'de-*-Grek' (German); did you mean deu_Latn (German)?",
        "tlh_Latn": "'tlh_Latn' (Klingon); `unilid languages` lists what it knows",
        "?": "'?'; `unilid languages` lists what it knows",
    }.items(),
)
def test_what_stands_for_nothing_is_named_with_what_may_be_meant(code: str, sentence: str) -> None:
    with pytest.raises(UnknownLanguageError) as caught:
        Index(LABELS).rows_matching(code)
    assert str(caught.value) == f"the model does not know the language {sentence}"
