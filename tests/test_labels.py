"""What labels mean, and the table of languages behind it."""

from __future__ import annotations

import re
from collections import Counter
from importlib import resources

import pytest

from unilid import labels, load


def rows() -> list[list[str]]:
    text = (resources.files("unilid") / "languages.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]


# ---- the table


def test_every_row_has_seven_columns_without_stray_blanks() -> None:
    for row in rows():
        assert len(row) == 7, row
        assert [cell.strip() for cell in row] == row


def test_every_code_stands_once_and_in_order() -> None:
    codes = [row[0] for row in rows()]
    assert codes == sorted(set(codes))


def test_codes_have_three_letters_and_only_replaced_ones_may_have_two() -> None:
    for code, name, _, two, bibliographic, macro, instead in rows():
        assert re.fullmatch("[a-z]{3}", code) or (instead and re.fullmatch("[a-z]{2}", code)), code
        assert name or instead, code
        assert re.fullmatch("([a-z]{2})?", two), code
        for other in (bibliographic, macro, instead):
            assert re.fullmatch("([a-z]{3})?", other), code


def test_macrolanguages_are_languages_that_belong_to_none_themselves() -> None:
    macros = {row[0]: row[5] for row in rows() if not row[6]}
    used = {macro for macro in macros.values() if macro}
    assert {"ara", "zho", "msa", "nor", "hbs"} <= used
    assert {macro: macros.get(macro) for macro in used} == dict.fromkeys(used, "")


def test_what_replaces_a_code_is_in_use() -> None:
    current = {row[0] for row in rows() if not row[6]}
    assert {row[0]: row[6] for row in rows() if row[6] and row[6] not in current} == {}


def test_no_code_of_another_part_of_the_standard_means_two_languages() -> None:
    current = {row[0] for row in rows() if not row[6]}
    for column in (3, 4):
        times = Counter(row[column] for row in rows() if row[column])
        assert [code for code, count in times.items() if count > 1] == []
    assert [row[0] for row in rows() if row[4] in current and row[4] != row[0]] == []


def test_every_language_of_the_model_in_the_package_has_names() -> None:
    for label in load().languages:
        found = labels.language(labels.split(label)[0])
        assert found is not None and found.name, label


# ---- codes


@pytest.mark.parametrize(
    ("written", "code"),
    {
        "de": "deu", "ger": "deu", "deu": "deu",  # 639-1, 639-2/B, 639-3
        "zh": "zho", "chi": "zho", "fre": "fra", "cze": "ces", "may": "msa", "tib": "bod", "wel": "cym",
        "nb": "nob", "no": "nor", "tl": "tgl", "yue": "yue",
        "iw": "heb", "in": "ind", "ji": "yid", "jw": "jav", "mo": "ron", "sh": "hbs",  # old ones of two letters
        "mol": "ron", "scc": "srp", "scr": "hrv", "ajp": "apc",  # and of three
    }.items(),
)  # fmt: skip
def test_a_code_of_any_part_of_iso_639_is_understood(written: str, code: str) -> None:
    found = labels.language(written)
    assert found is not None and found.code == code


def test_a_language_is_described() -> None:
    assert labels.language("ell") == labels.Language("ell", "Modern Greek (1453-)", "Ελληνικά", "el", "gre", None)
    assert labels.language("cmn") == labels.Language("cmn", "Mandarin Chinese", "中文", None, None, "zho")


@pytest.mark.parametrize("written", ["", "qqq", "german", "deu_Latn", "xx", "d"])
def test_what_is_no_code_is_no_language(written: str) -> None:
    assert labels.language(written) is None


# ---- labels


@pytest.mark.parametrize(
    ("label", "parts"),
    {
        "deu_Latn": ("deu", "Latn"),
        "zh-Hant": ("zh", "Hant"),
        "ca_valencia_Latn": ("ca_valencia", "Latn"),
        "ca-valencia-Latn": ("ca-valencia", "Latn"),
        "deu": ("deu", None),
        "pt-BR": ("pt-BR", None),
        "deu_1996": ("deu_1996", None),
        "deu_latn": ("deu_latn", None),
        "deu_LATN": ("deu_LATN", None),
        "deu_Latin": ("deu_Latin", None),
        "_Latn": ("_Latn", None),
        "Latn": ("Latn", None),
        "": ("", None),
    }.items(),
)
def test_a_label_is_split_into_language_and_script(label: str, parts: tuple[str, str | None]) -> None:
    assert labels.split(label) == parts
    assert labels.without_script(label) == parts[0]


@pytest.mark.parametrize(
    ("label", "compared"),
    {
        "arb_Arab": "ara_Arab",
        "arz_Arab": "ara_Arab",
        "ajp_Arab": "ara_Arab",  # replaced by one that is Arabic
        "cmn_Hans": "zho_Hans",
        "zsm": "msa",
        "in": "msa",
        "deu_Latn": "deu_Latn",
        "zho_Hant": "zho_Hant",
        "und": "und",
        "zxx": "zxx",
        "qqq_Latn": "qqq_Latn",
        "pt-BR": "pt-BR",
        "": "",
    }.items(),
)
def test_a_language_becomes_its_macrolanguage(label: str, compared: str) -> None:
    assert labels.with_macrolanguage(label) == compared


@pytest.mark.parametrize("family", [["no", "nor", "nb", "nob", "nn"], ["zh-Hans", "chi_Hans", "cmn_Hans"]])
def test_a_macrolanguage_equals_its_parts_however_they_are_written(family: list[str]) -> None:
    assert len(set(map(labels.with_macrolanguage, family))) == 1


def test_a_label_with_its_macrolanguage_stays_what_it_is() -> None:
    for row in rows():
        once = labels.with_macrolanguage(f"{row[0]}_Latn")
        assert labels.with_macrolanguage(once) == once
