"""Small models of every kind, which mutants are made of."""

from __future__ import annotations

from functools import cache
from typing import Any

import unilid

LINES = {
    "deu_Latn": ["der alte Mann kauft frisches Brot", "meine Schwester findet zwölf Eier im Garten", "die große Frau"],
    "eng_Latn": ["the old man buys fresh bread", "my sister finds twelve eggs in the garden", "the tall woman sees it"],
    "ell_Grek": ["ο ψαράς διορθώνει τα δίχτυα στο λιμάνι", "η σκεπή έχει ακόμα χιόνι σήμερα"],
    "jpn_Jpan": ["漁師は港で網を直している。", "今日も屋根に雪が残っている。"],
    "rus_Cyrl": ["рыбак чинит сети в гавани", "на крыше ещё лежит снег"],
}


@cache
def models() -> dict[str, bytes]:
    """Return small models of every kind, encoded."""
    # Words that a letter at the end tells apart: enough languages for tables with lists and with rows.
    many = {
        f"x{chr(97 + n // 26)}{chr(97 + n % 26)}": [f"wort{chr(97 + n % 26)} mit{n // 26}", "der Hund"]
        for n in range(70)
    }
    half = {label: lines * 12 for label, lines in LINES.items()}
    plain: dict[str, Any] = {"vocabulary": 300, "tune": False, "threads": 1}
    context = unilid.train(LINES, context="characters", **plain)
    fitted = unilid.train(half, vocabulary=300, context="characters", threads=1)
    held_out = [(label, line + " und so weiter") for label, lines in half.items() for line in lines]
    made = {
        "unigram": unilid.train(LINES, context=None, bound=None, **plain),
        "additive": unilid.train(LINES, context=None, unseen="additive", **plain),
        "context": context,
        "order-2": unilid.train(LINES, context="characters", order=2, **plain),
        "order-6": unilid.train(LINES, context="characters", order=6, prune=None, **plain),
        "fitted": fitted,
        "calibrated": unilid.calibrate(fitted, held_out, threads=1),
        "prior": unilid.calibrate(fitted, held_out, prior_from=[line for _, line in held_out[:40]], threads=1),
        "one": unilid.train({"deu_Latn": LINES["deu_Latn"]}, context="characters", **plain),
        "many": unilid.train(many, context="characters", **plain),
        "whole-words": unilid.train(LINES, context="characters", lexicon=20, signs=False, scripts=True, **plain),
    }
    return {name: model.to_bytes() for name, model in made.items()}
