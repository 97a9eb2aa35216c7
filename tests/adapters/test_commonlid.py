"""Common Crawl's evaluator runs with unilid as one of its models."""

from __future__ import annotations

from support.adapters import SPOKEN, compact
from support.libraries import library

library("commonlid")
from commonlid.core.registry import get_model, list_models  # noqa: E402

from unilid.commonlid import UnilidModel  # noqa: E402  # needs commonlid


def test_the_model_is_registered() -> None:
    assert "unilid" in list_models()
    assert isinstance(get_model("unilid"), UnilidModel)


def test_predictions_are_iso639_3_or_none() -> None:
    assert UnilidModel("compact").predict(SPOKEN) == ["deu", "eng", None, None, "fra"]
    assert UnilidModel("compact", abstain=False).predict(SPOKEN[3:4])[0] is not None


def test_codes_that_individual_languages_share() -> None:
    assert UnilidModel("compact").predict(["今天天气很好，我们去公园吧。"]) == ["cmn"]


def test_the_languages_of_the_model_are_known() -> None:
    supported = UnilidModel("compact").discover_supported_languages()
    assert {"deu", "eng", "cmn"} <= supported
    assert len(supported) <= len(compact().languages)
