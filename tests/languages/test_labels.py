"""What labels mean, and the table of languages behind it."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from importlib import resources
from typing import Any

import pytest

from unilid import Prediction, UnilidError, load
from unilid.languages import labels
from unilid.languages.iso639 import IsoLanguage, iso_language, scripts
from unilid.languages.usual import CODES


def rows(table: str = "languages.tsv") -> list[list[str]]:
    text = (resources.files("unilid.languages") / table).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]


# ---- the table


@pytest.mark.parametrize(("table", "columns"), [("languages.tsv", 8), ("scripts.tsv", 2), ("usual.tsv", 4)])
def test_every_row_has_all_columns_without_stray_blanks(table: str, columns: int) -> None:
    for row in rows(table):
        assert len(row) == columns, row
        assert [cell.strip() for cell in row] == row


@pytest.mark.parametrize("table", ["languages.tsv", "scripts.tsv"])
def test_every_code_stands_once_and_in_order(table: str) -> None:
    codes = [row[0] for row in rows(table)]
    assert codes == sorted(set(codes))


def test_what_is_usual_stands_once_and_in_order_with_a_reason() -> None:
    header, *said = rows("usual.tsv")
    codes = [row[0] for row in said]
    assert header == ["code", "languages", "scripts", "why"]
    assert codes == sorted(set(codes))
    assert all((languages or scripts) and why for _, languages, scripts, why in said)


def test_what_is_usual_are_members_of_the_macrolanguage_and_scripts_with_that_of_cldr_first() -> None:
    macros = {row[0]: row[5] for row in rows()}
    usual_script = {row[0]: row[6] for row in rows()}
    for tag, languages, written, _ in rows("usual.tsv")[1:]:
        code, _, region = tag.partition("-")
        assert re.fullmatch("([A-Z]{2})?", region)
        for language in languages.split():
            assert macros[language] == code or {language, code} == {"fil", "tgl"}, tag
        assert set(written.split()) <= set(scripts()), tag
        if written and not region and code != "grc":
            assert written.split()[0] == (usual_script[code] or written), tag


def test_scripts_have_four_letters_and_a_name_that_stands_alone() -> None:
    assert all(re.fullmatch("[A-Z][a-z]{3}", code) and name for code, name in rows("scripts.tsv"))
    names = scripts()
    assert [names[code] for code in ("Latn", "Cyrl", "Hans", "Hant")] == [
        "Latin", "Cyrillic", "Simplified Han", "Traditional Han"
    ]  # fmt: skip


def test_the_script_of_a_language_is_a_script() -> None:
    assert {row[6] for row in rows()} <= {"", *scripts()}


def test_codes_have_three_letters_and_only_replaced_ones_may_have_two() -> None:
    for code, name, _, two, bibliographic, macro, _, instead in rows():
        assert re.fullmatch("[a-z]{3}", code) or (instead and re.fullmatch("[a-z]{2}", code)), code
        assert name or instead, code
        assert re.fullmatch("([a-z]{2})?", two), code
        for other in (bibliographic, macro, instead):
            assert re.fullmatch("([a-z]{3})?", other), code


def test_macrolanguages_are_languages_that_belong_to_none_themselves() -> None:
    macros = {row[0]: row[5] for row in rows() if not row[7]}
    used = {macro for macro in macros.values() if macro}
    assert {"ara", "zho", "msa", "nor", "hbs"} <= used
    assert {macro: macros.get(macro) for macro in used} == dict.fromkeys(used, "")


def test_what_replaces_a_code_is_in_use() -> None:
    current = {row[0] for row in rows() if not row[7]}
    assert {row[0]: row[7] for row in rows() if row[7] and row[7] not in current} == {}


def test_no_code_of_another_part_of_the_standard_means_two_languages() -> None:
    current = {row[0] for row in rows() if not row[7]}
    for column in (3, 4):
        times = Counter(row[column] for row in rows() if row[column])
        assert [code for code, count in times.items() if count > 1] == []
    assert [row[0] for row in rows() if row[4] in current and row[4] != row[0]] == []


def test_every_language_of_the_model_in_the_package_has_names() -> None:
    for label in load().languages:
        found = iso_language(labels.split(label)[0])
        assert found is not None, label
        assert found.name, label


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
    found = iso_language(written)
    assert found is not None
    assert found.code == code


def test_a_language_is_described() -> None:
    assert iso_language("ell") == IsoLanguage("ell", "Modern Greek (1453-)", "Ελληνικά", "el", "gre", None, "Grek")
    assert iso_language("cmn") == IsoLanguage("cmn", "Mandarin Chinese", "中文", None, None, "zho", "Hans")


@pytest.mark.parametrize("written", ["", "qqq", "german", "deu_Latn", "xx", "d"])
def test_what_is_no_code_is_no_language(written: str) -> None:
    assert iso_language(written) is None


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


@pytest.mark.parametrize(
    ("written", "parts"),
    {
        "deu": ("deu",),
        "DE": ("deu",),
        "iw": ("heb",),
        "zh-Hant": ("zho", "Hant"),
        "ZH_hant_tw": ("zho", "Hant", "TW"),
        "PT-BR": ("por", None, "BR"),
        "es-419": ("spa", None, "419"),
        "ca-valencia": ("cat", None, None, ("valencia",)),
        "sl-Latn-IT-rozaj-1994": ("slv", "Latn", "IT", ("rozaj", "1994")),
        "zh-yue": ("yue",),
        "zh-cmn-Hans-CN": ("cmn", "Hans", "CN"),
        "en-US-u-hc-h12": ("eng", None, "US"),
        "deu_latn": ("deu", "Latn"),
        "qqq_Latn": ("qqq", "Latn"),
        # what is no tag stays what it is
        "deu_Lat": ("deu_Lat",),
        "deu_Xxxx_a": ("deu_Xxxx_a",),
        "de-yue": ("de-yue",),
        "Berndeutsch_Latn": ("Berndeutsch", "Latn"),
        "a": ("a",),
        "": ("",),
    }.items(),
)
def test_a_tag_is_taken_apart_whatever_its_case(written: str, parts: tuple[Any, ...]) -> None:
    assert labels.parse(written) == labels.Tag(*parts)


# ---- what a label means


@pytest.mark.parametrize(
    ("label", "tag"),
    {
        "deu_Latn": "de",
        "deu": "de",
        "srp_Cyrl": "sr",
        "srp_Latn": "sr-Latn",
        "zho_Hans": "zh",
        "cmn_Hans": "zh",
        "cmn_Hant": "zh-Hant",
        "cmn_Latn": "zh-Latn",
        "cmn": "zh",
        "yue_Hant": "yue",
        "yue_Hans": "yue-Hans",
        "hin_Latn": "hi-Latn",
        "arb_Arab": "ar",
        "arz_Arab": "arz",
        "azj_Cyrl": "az-Cyrl",
        "nob_Latn": "nb",
        "fil_Latn": "fil",
        "kor_Hang": "ko",
        "grc_Grek": "grc",
        "quy_Latn": "qu",
        "pbt_Arab": "ps",
        "iw": "he",
        "PT-BR": "pt-BR",
        "aaa_Latn": "aaa-Latn",  # nobody says that this is its script
        "qqq_Latn": None,
        "und": "und",
        "zxx": "zxx",
    }.items(),
)
def test_the_tag_of_a_label_leaves_out_only_the_usual_script(label: str, tag: str | None) -> None:
    assert labels.meaning(label).bcp47 == tag


@pytest.mark.parametrize(
    ("labels_of", "code"),
    {
        "cmn_Hans cmn_Latn zho_Hant": "zh", "arb_Arab ara_Arab": "ar", "pes_Arab": "fa", "zsm_Latn": "ms",
        "lvs_Latn": "lv", "swh_Latn": "sw", "npi_Deva": "ne", "als_Latn": "sq", "khk_Cyrl": "mn", "uzn_Cyrl": "uz",
        "azj_Latn": "az", "kmr_Latn": "ku", "pbt_Arab pbu_Arab": "ps", "gaz_Latn": "om", "plt_Latn": "mg",
        "ekk_Latn est_Latn": "et", "ydd_Hebr": "yi", "quy_Latn quz_Latn": "qu", "gug_Latn": "gn", "ayr_Latn": "ay",
        "ory_Orya": "or", "tgl_Latn": "tl", "ind_Latn": "id", "nob_Latn": "nb", "nno_Latn": "nn", "twi_Latn": "tw",
        "arz_Arab yue_Hant prs_Arab azb_Arab ckb_Arab ltg_Latn wuu_Hans fil_Latn spam": None,
    }.items(),
)  # fmt: skip
def test_a_language_has_the_code_of_two_letters_that_it_goes_by(labels_of: str, code: str | None) -> None:
    assert {labels.meaning(label).iso639_1 for label in labels_of.split()} == {code}


@pytest.mark.parametrize(
    ("label", "written"),
    {
        "cmn_Hans": ["cmn_Hans", "zh", "zh", "zho"],
        "yue_Hant": ["yue_Hant", "yue", "yue", "zho"],
        "deu_Latn": ["deu_Latn", "de", "de", "deu"],
        "srp_Latn": ["srp_Latn", "sr-Latn", "sr", "hbs"],
        "PT-BR": ["PT-BR", "pt-BR", "pt", "por"],
        "qqq_Latn": ["qqq_Latn"] * 4,
        "spam": ["spam"] * 4,
        "und": ["und"] * 4,
        "zxx": ["zxx"] * 4,
    }.items(),
)
def test_a_label_is_written_as_a_code(label: str, written: list[str]) -> None:
    assert [labels.written_as(label, codes) for codes in CODES] == written


def test_what_a_label_is_written_as_is_written_as_itself() -> None:
    for row in rows():
        for codes in CODES:
            once = labels.written_as(f"{row[0]}_Latn", codes)
            assert labels.written_as(once, codes) == once


def test_a_label_is_explained() -> None:
    assert labels.meaning("arb_Arab") == labels.Meaning(
        "arb_Arab", "arb", "Standard Arabic", "العربية", "ar", None, "arb", "ar", "Arab", "Arabic", "ara", "Arabic"
    )
    found = labels.meaning("cym")
    assert (found.iso639_1, found.iso639_2, found.iso639_3) == ("cy", "wel/cym", "cym")
    assert labels.meaning("est").iso639_2 == "est"


def test_a_label_that_nobody_knows_is_its_own_name() -> None:
    assert labels.meaning("spam") == labels.Meaning("spam", "spam", "spam")
    found = labels.meaning("Berndeutsch_Latn")
    assert (found.code, found.name, found.script_name) == ("Berndeutsch", "Berndeutsch_Latn", "Latin")


def test_names_of_languages_in_themselves_are_in_themselves() -> None:
    own = {label: labels.meaning(label).autonym for label in ("afr", "ces", "hbs", "prs", "ayr", "tgl")}
    assert own == {"afr": "Afrikaans", "ces": "čeština", "hbs": None, "prs": None, "ayr": None, "tgl": None}


# ---- predictions


@pytest.mark.parametrize(
    ("label", "facts"),
    {
        "cmn_Hans": ("cmn", "Hans", "Mandarin Chinese", "zho"),
        "de": ("deu", None, "German", None),
        "PT-BR": ("por", None, "Portuguese", None),
        "est_Latn": ("est", "Latn", "Estonian", None),
        "qqq_Latn": (None, "Latn", "qqq_Latn", None),
        "spam": (None, None, "spam", None),
        "zxx": ("zxx", None, "no linguistic content", None),
        "und": ("und", None, "undetermined", None),
    }.items(),
)
def test_a_prediction_knows_its_language(label: str, facts: tuple[str | None, ...]) -> None:
    answer = Prediction(label, 0.5, -1.0)
    assert (answer.iso639_3, answer.script, answer.name, answer.macrolanguage) == facts
    assert (answer.bcp47, answer.iso639_1) == (answer.meaning.bcp47, answer.meaning.iso639_1)


def test_a_prediction_is_what_it_was() -> None:
    answer = Prediction("deu_Latn", 0.5, -1.0)
    assert answer.name == "German"
    assert answer == Prediction("deu_Latn", 0.5, -1.0) == pickle.loads(pickle.dumps(answer))
    assert hash(answer) == hash(Prediction("deu_Latn", 0.5, -1.0))
    assert list(answer._fields) == ["label", "probability", "score", "reason", "guess"]
    with pytest.raises(AttributeError):
        answer.label = "eng_Latn"  # type: ignore[misc]


@pytest.mark.parametrize("label", [5, None, b"deu_Latn", []], ids=repr)
def test_what_is_no_label_has_no_meaning(label: Any) -> None:
    with pytest.raises(UnilidError, match=f"^a label is a str, not {type(label).__name__}$"):
        labels.meaning(label)
