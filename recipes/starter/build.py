"""Make the small model that comes with the package, from the sentences beside this file.

python recipes/starter/build.py [path]
"""

from __future__ import annotations

import sys
from pathlib import Path

import unilid

sys.path.insert(0, str(Path(__file__).parent))

from sentences import SENTENCES


def build() -> unilid.Model:
    """Train on all sentences; ten lines a language are too few to hold any out."""
    corpus = {label: text.splitlines() for label, text in SENTENCES.items()}
    return unilid.train(corpus, vocabulary=4000, context="characters", tune=False)


if __name__ == "__main__":
    default = Path(__file__).parents[2] / "src/unilid/default.unilid"
    build().save(sys.argv[1] if len(sys.argv) > 1 else default)
