"""What is asked of a model file: to be refused with a sentence, or to load and answer everything."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import numpy as np
from outcomes import REFUSED, Outcome, expect, failure

import unilid
from unilid import ModelFileError, UnilidError
from unilid.model import Model

LOADED = "loaded and answered everything"

TEXTS: list[str | bytes | None] = [
    "die alte Frau kauft Brot in the garden",
    "Η σκεπή 12 漁師は港で, THE OLD MAN!",
    "x" * 300 + " рыбак",
    b"\xff\xfe der \xc3\x28",
    "see https://example.org/a?b=1 and me@example.org",
    "",
    None,
]


def ask_everything(model: Model, folder: Path) -> None:
    """Ask everything of a model; whatever it raises is a failure."""
    labels = list(model.languages)
    expected = model.identify(TEXTS, k=3, threads=1)
    expect(repr(model.identify(TEXTS, k=3, threads=2)) == repr(expected), "two threads give another answer than one")
    for ranked in expected:
        for answer in ranked:
            expect(0 <= answer.probability <= 1, f"a probability of {answer.probability}")
    model.identify(TEXTS, abstain=False, prior=None)
    trained = [label for label, lines in zip(labels, model.lines, strict=True) if lines > 0]
    if trained:  # the others have no share of the training lines
        model.identify(TEXTS, languages=trained[:2], prior="training", abstain=0.1)
    model.identify(TEXTS, prior={labels[0]: 0.5}, calibrated=False)
    scores = model.scores(TEXTS, threads=2)
    expect(scores.shape == (len(TEXTS), len(labels)) and not np.isnan(scores).any(), "a score is no number")
    expect(not np.isnan(model.scores(TEXTS[:4], marginal=True)).any(), "a marginal score is no number")
    for label in (labels[0], labels[-1]):
        joined = b"".join(segment.token for segment in model.segment("die alte Frau", label))
        expect(joined.strip() == b"die alte Frau", f"segments are {joined!r}")
    for text in TEXTS[:5]:
        if len(labels) > 1:
            model.explain(text)
        spans = model.spans(text or "")
        expect(not spans or spans[0].start == 0, "the first span does not begin at 0")
        str(spans)
    if len(labels) > 1:
        str(model.explain("der", labels[0], instead=labels[-1], prior=None))  # a table takes long
        model.spans("die alte Frau im Garten", languages=labels[:2], most=1, least=3)

    some = labels[::2][::-1]
    part = model.subset(some)
    part.identify(TEXTS)
    if len(some) > 1:
        part.explain(TEXTS[1])
    if len(labels) > 1:
        model.remove_languages(labels[:1]).identify(TEXTS, k=2)
    more = model.add_language("tok_Latn", ["mi lukin e waso lili", "ona li moku e kili"], threads=1)
    more.identify(TEXTS)
    part.add_language("tok_Latn", ["mi lukin e waso lili"], threads=1).identify(TEXTS, threads=2)
    if model.settings.bound is None:  # with a bound, what a word counts depends on the other languages
        rows = [labels.index(label) for label in some]
        expect((part.scores(TEXTS) == scores[:, rows]).all(), "a language scores otherwise among fewer")
        expect((more.scores(TEXTS)[:, :-1] == scores).all(), "a language scores otherwise among more")

    encoded = model.to_bytes()
    again = Model.from_bytes(encoded)
    expect(again.to_bytes() == encoded, "saved and loaded, it is another")
    for changed in (part, more):
        Model.from_bytes(changed.to_bytes()).identify(TEXTS)
    saved = model.save(folder / "saved.unilid")
    copied = pickle.loads(pickle.dumps(saved))
    expect(repr(copied.identify(TEXTS, k=3, threads=1)) == repr(expected), "saved and loaded, it answers otherwise")
    pickle.loads(pickle.dumps(model))
    repr(model)


def outcome_of(encoded: bytes, folder: Path) -> Outcome:
    """Load a file and ask everything; return what came of it."""
    path = folder / "mutant.unilid"
    path.write_bytes(encoded)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                model = unilid.load(path, cache_megabytes=1)  # a larger one takes longer to make than all answers
            except ModelFileError as error:
                if str(path) not in str(error):
                    raise AssertionError(f"the file is not named: {error}") from error
                return REFUSED, ""
            ask_everything(model, folder)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is what is looked for
        return failure(error, folder, " (after it was loaded)" if isinstance(error, UnilidError) else "")
    return LOADED, ""
