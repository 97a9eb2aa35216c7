"""A small corpus and the models that several tests train on it."""

from __future__ import annotations

from functools import cache
from typing import Any

import unilid
from unilid.model import Model
from unilid.vocabulary import Vocabulary

CORPUS = {
    "dan": [
        "Fiskeren reparerer sit net ved havnen.",
        "Der ligger sne på taget endnu i dag.",
        "Hvorfor kommer bussen altid for sent?",
        "Hun gav mig en rød æske med tolv søm.",
        "Vi så to ræve løbe over den grønne mark.",
        "Prøv igen, når regnen er holdt op.",
    ],
    "ell": [
        "Ο ψαράς διορθώνει τα δίχτυα στο λιμάνι.",
        "Η σκεπή έχει ακόμα χιόνι σήμερα.",
        "Γιατί αργεί πάντα το λεωφορείο;",
        "Μου έδωσε ένα κόκκινο κουτί με 12 καρφιά.",
        "Είδαμε δύο αλεπούδες να τρέχουν στο χωράφι.",
        "Δοκίμασε ξανά όταν σταματήσει η βροχή.",
    ],
    "eng": [
        "The fisherman mends his nets in the harbour.",
        "There is still snow on the roof today.",
        "Why does the bus always come too late?",
        "She gave me a red box with twelve nails.",
        "We saw two foxes running across the green field.",
        "Try again when the rain has stopped.",
    ],
    "jpn": [
        "漁師は港で網を直している。",
        "今日も屋根に雪が残っている。",
        "どうしてバスはいつも遅れるのですか。",
        "彼女は私に12本の釘が入った赤い箱をくれた。",
        "緑の野原を二匹の狐が走るのを見た。",
        "雨がやんだら、もう一度やってみて。",
    ],
    "nob": [
        "Fiskeren reparerer garnet sitt ved havna.",
        "Det ligger snø på taket ennå i dag.",
        "Hvorfor kommer bussen alltid for seint?",
        "Hun ga meg en rød eske med tolv spiker.",
        "Vi så to rever løpe over den grønne enga.",
        "Prøv igjen når regnet har gitt seg.",
    ],
}

SENTENCES = [sentence for sentences in CORPUS.values() for sentence in sentences]


@cache
def vocabulary() -> Vocabulary:
    return train(["dan", "ell", "eng"], vocabulary=420).vocabulary


def train(labels: list[str], **options: Any) -> Model:
    options = {"vocabulary": 420, "context": "characters", "tune": False, "threads": 1, **options}
    return unilid.train({label: CORPUS[label] for label in labels}, **options)


@cache
def small_model() -> Model:
    """All languages, both word models, with a bound; never saved."""
    return train(list(CORPUS))
