"""The JavaScript package gives the answers of Python, to the bit."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pytest
from support.adapters import compact
from support.node import ask, error_of, needs_node, results
from support.web import COMPACT, WEB_MODELS
from support.web_texts import ODD, texts

import unilid
from unilid import Model

pytestmark = needs_node


@pytest.fixture(scope="module", params=WEB_MODELS)
def model(request: Any, tmp_path_factory: Any) -> Model:
    return WEB_MODELS[request.param]().save(tmp_path_factory.mktemp("models") / "model.unilid")


def rows(answers: Any) -> Any:
    """Predictions as JSON has them."""
    return [rows(answer) for answer in answers] if isinstance(answers, list) else answers._asdict()


OPTIONS: list[dict[str, Any]] = [
    {},
    {"abstain": False},
    {"abstain": 0.05},
    {"abstain": 0.0137},
    {"k": 3},
    {"k": 5000},
    {"k": 2, "abstain": False},
    {"prior": "training"},
    {"budget": None},
    {"budget": 1500, "k": 2},
    {"languages": ["de", "swe_Latn", "ru", "zh-*", "ar"]},
    {"languages": ["en"], "k": 2},
    {"prior": {"de": 0.5, "fr": 0.25}},
    {"prior": {"deu_Latn": 0.3, "zh": 0.1, "sr": 0.2}, "languages": ["de", "zh", "sr", "nl"], "k": 4},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_identify_answers_as_python_does(options: dict[str, Any]) -> None:
    many = texts(300, seed=len(str(options)))
    [answers] = ask(COMPACT, ("identify", many, options))
    assert answers == rows(compact().identify(many, **options))


def test_a_uniform_prior_is_none_in_python() -> None:
    many = texts(100, seed=5)
    uniform, none = ask(COMPACT, ("identify", many, {"prior": "uniform"}), ("identify", many, {"prior": None}))
    assert uniform == none == rows(compact().identify(many, prior=None))


def test_one_text_has_one_answer_or_k() -> None:
    best, three, nothing = ask(COMPACT, ("identify", ODD[-3]), ("identify", ODD[-3], {"k": 3}), ("identify", None))
    assert best == rows(compact().identify(ODD[-3]))
    assert three == rows(compact().identify(ODD[-3], k=3))
    assert nothing == rows(compact().identify(None))


def test_all_forms_of_a_model_are_read(model: Model) -> None:
    assert model.path is not None
    many = texts(150, seed=3)
    first, second, explanations = ask(
        model.path,
        ("identify", many, {"k": 3}),
        ("identify", many, {"abstain": 0.03, "calibrated": False}),
        ("explain", many[40]),
    )
    assert first == rows(model.identify(many, k=3))
    assert second == rows(model.identify(many, abstain=0.03, calibrated=False))
    assert explanations["words"]


def units(text: str, characters: int) -> int:
    """Units of UTF-16 of so many characters."""
    return sum(2 if ord(character) > 0xFFFF else 1 for character in text[:characters])


def spans_of(model: Model, text: str, **options: Any) -> list[dict[str, Any]]:
    return [
        {
            "label": span.label,
            "start": units(text, span.start),
            "end": units(text, span.end),
            "probability": span.probability,
            "letters": span.letters,
        }
        for span in model.spans(text, **options)
    ]


@pytest.mark.parametrize(
    "options",
    [{}, {"switch": 3.3}, {"least": 8, "most": 2}, {"languages": ["de", "en", "fr", "ru"]}, {"prior": {"de": 0.7}}],
    ids=str,
)
def test_spans_are_those_of_python(options: dict[str, Any]) -> None:
    many = texts(120, seed=9)
    answers = ask(COMPACT, *(("spans", text, options) for text in many))
    assert answers == [spans_of(compact(), text, **options) for text in many]


def test_spans_of_all_forms_of_a_model(model: Model) -> None:
    assert model.path is not None
    many = texts(60, seed=19)
    assert ask(model.path, *(("spans", text) for text in many)) == [spans_of(model, text) for text in many]


def units_before(text: str, encoded: int) -> int:
    """Units of UTF-16 before an offset in the bytes of a text."""
    try:
        text.encode("utf-8", "surrogateescape")
        errors = "surrogateescape"
    except UnicodeEncodeError:
        errors = "surrogatepass"
    sizes = accumulate((len(character.encode("utf-8", errors)) for character in text), initial=0)
    return units(text, list(sizes).index(encoded))


def explained(model: Model, text: str, **options: Any) -> Any:
    """What Python explains, with offsets in units of UTF-16."""
    record = model.explain(text, **options).record()
    for word in record["words"]:
        word["start"], word["end"] = units_before(text, word["start"]), units_before(text, word["end"])
    return record


@pytest.mark.parametrize(
    "options",
    [{}, {"language": "da", "instead": "sv"}, {"instead": "en"}, {"languages": ["de", "nl", "en", "fr"]},
     {"abstain": False, "prior": {"de": 0.9}}],
    ids=str,
)  # fmt: skip
def test_explanations_are_those_of_python(options: dict[str, Any]) -> None:
    many = texts(70, seed=29)
    answers = ask(COMPACT, *(("explain", text, options) for text in many))
    assert answers == [explained(compact(), text, **options) for text in many]


def test_explanations_of_all_forms_of_a_model(model: Model) -> None:
    assert model.path is not None
    many = texts(50, seed=39)
    assert ask(model.path, *(("explain", text) for text in many)) == [explained(model, text) for text in many]


def test_a_code_means_what_it_means_to_python() -> None:
    codes = ["de", "ger", "zh", "zh-TW", "zh-*", "ar", "ar-*-Latn", "hi", "hi-Latn", "sr", "no", "fa-AF", "pt-BR", "iw",
             "cmn_Hant", "nor", "et-EE", "srp-ME", "tl", "que", "mn-Mong", "uz-Cyrl", "kur"]  # fmt: skip
    came = results(COMPACT, *(("matching", code) for code in codes))[1:]
    assert [result.get("answer") for result in came] == [labels_of(code) for code in codes]
    assert {result["error"][0] for result in came if "error" in result} == {"UnknownLanguageError"}


def labels_of(code: str) -> list[str] | None:
    try:
        return [compact().languages[row] for row in compact().rows_matching(code)]
    except unilid.UnknownLanguageError:
        return None


def test_what_is_known_of_a_label() -> None:
    german, about = ask(COMPACT, ("about", "deu_Latn"), ("about", "cmn_Hant"))
    assert (german["name"], german["autonym"], german["script"], german["scriptName"]) == (
        "German", "Deutsch", "Latn", "Latin",
    )  # fmt: skip
    row = compact().row_of("deu_Latn")
    facts = compact().info["labels"]["deu_Latn"]
    assert (german["lines"], german["f1"], german["sources"]) == (
        int(compact().lines[row]), facts["f1"], facts["sources"],
    )  # fmt: skip
    assert about["macrolanguage"] == "zho"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (("identify", "Tag", {"languages": ["klingon"]}), "does not know the language \"klingon\""),
        (("identify", "Tag", {"languages": "de"}), "must be a list"),
        (("identify", "Tag", {"languages": []}), "at least one must compete"),
        (("identify", "Tag", {"language": ["de"]}), "there is no option \"language\""),
        (("identify", "Tag", {"prior": {"de": 2}}), "adds up to 2"),
        (("identify", "Tag", {"prior": {"de": -1}}), "expected a probability"),
        (("identify", "Tag", {"prior": {"de": 0.1, "deu_Latn": 0.1}}), "give each language once"),
        (("identify", "Tag", {"prior": "flat"}), "prior must be"),
        (("identify", "Tag", {"abstain": 2}), "abstain must be"),
        (("identify", "Tag", {"budget": 0}), "budget must be a whole number"),
        (("identify", "Tag", {"k": 1.5}), "k must be a whole number"),
        (("identify", "Tag", {"calibrated": True}), "was not calibrated"),
        (("identify", 5), "a text is a string"),
        (("identify", ["Tag", 5]), "a text is a string"),
        (("spans", 5), "a text with spans is a string"),
        (("spans", "Tag", {"switch": -1}), "switch must be"),
        (("spans", "Tag", {"least": 0}), "least must be"),
        (("explain", "Tag", {"language": "de", "instead": "de"}), "name another one"),
        (("explain", "Tag", {"language": "fr", "languages": ["de", "en"]}), "does not compete"),
        (("explain", "Tag", {"languages": ["de"]}), "nothing to compare"),
        (("about", "klingon"), "does not know"),
        (("about", "dutsch"), "does not know"),
    ],
    ids=str,
)  # fmt: skip
def test_what_makes_no_sense_is_refused_with_a_sentence(question: tuple[Any, ...], said: str) -> None:
    name, message = error_of(COMPACT, *question)
    assert name in {"UnilidError", "UnknownLanguageError"}
    assert said in message


def test_a_model_that_was_freed_says_so() -> None:
    _, _, identified, saved = results(COMPACT, ("free",), ("identify", "Tag"), ("save",))
    assert identified["error"] == saved["error"] == ["UnilidError", "the model was freed"]
