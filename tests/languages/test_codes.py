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


@pytest.mark.parametrize(
    ("code", "labels"),
    {
        "ar": ["ara_Arab", "arz_Arab"],
        "zh": ["cmn_Hans", "cmn_Hant", "yue_Hant"],
        "chi": ["cmn_Hans", "cmn_Hant", "yue_Hant"],
        "zh-Hant": ["cmn_Hant", "yue_Hant"],
        "no": ["nno_Latn", "nob_Latn"],
        "ms": ["ind_Latn", "zsm_Latn"],
        "sw": ["swh_Latn"],
        "sh": ["hrv_Latn", "srp_Cyrl", "srp_Latn"],
        "sh-Latn": ["hrv_Latn", "srp_Latn"],
    }.items(),
)
def test_a_macrolanguage_stands_for_its_members(code: str, labels: list[str]) -> None:
    assert found(code) == labels


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
    assert found("nor", dialects) == ["no", "nob_Latn"]
    assert found("in", dialects) == found("id", dialects) == ["in"]
    assert found("pt-BR", ("PT-PT", "por_Latn")) == ["por_Latn"]


def test_a_label_without_a_script_is_taken_for_any() -> None:
    assert found("sr-Cyrl", ("srp",)) == ["srp"]
    assert found("sr-Cyrl", ("srp", "srp_Cyrl")) == ["srp_Cyrl"]
    assert found("zh-Hant", ("cmn_Hani",)) == ["cmn_Hani"]


@pytest.mark.parametrize(
    "code", ["tlh", "deu_Grek", "deu_Lat", "ekk-Cyrl", "ca-valencia", "de-1996", "german", "", "?", 7]
)
def test_a_code_may_stand_for_nothing(code: Any) -> None:
    with pytest.raises(UnknownLanguageError):
        found(code)


@pytest.mark.parametrize(
    ("code", "sentence"),
    {
        "deu_Lat": "'deu_Lat'; did you mean deu_Latn (German)?",
        "german": "'german'; did you mean deu_Latn (German)?",
        "sr-Grek": "'sr-Grek' (Serbian); did you mean srp_Cyrl (Serbian) or srp_Latn (Serbian)?",
        "tlh_Latn": "'tlh_Latn' (Klingon); `unilid languages` lists what it knows",
        "?": "'?'; `unilid languages` lists what it knows",
        7: "7; `unilid languages` lists what it knows",
    }.items(),
)
def test_what_stands_for_nothing_is_named_with_what_may_be_meant(code: Any, sentence: str) -> None:
    with pytest.raises(UnknownLanguageError) as caught:
        Index(LABELS).rows_matching(code)
    assert str(caught.value) == f"the model does not know the language {sentence}"
