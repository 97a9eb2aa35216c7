"""Take the screens of the documentation anew: the tests of the page do, and the ones shown are kept.

python docs/screens.py [FOLDER]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
SHOWN = {
    "home": "home",
    "text": "mixed",
    "word": "word",
    "file": "file",
    "teach": "teach",
    "language": "language",
    "dark": "mixed-dark",
    "phone": "phone-text",
}
"""What stands in the documentation, and what the tests call it."""
LARGEST = 200_000
"""Bytes of a screen: a page with all of them is read on a phone, too."""


def main() -> None:
    """Run the tests and copy what they saw."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/screens"
    target.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "UNILID_SCREENSHOTS": folder, "UNILID_REQUIRE": "all"}
        subprocess.run([sys.executable, "-m", "pytest", "tests/page"], cwd=ROOT, env=environment, check=True)
        for name, seen in SHOWN.items():
            screen = Path(folder) / f"{seen}.png"
            if screen.stat().st_size > LARGEST:
                sys.exit(f"{seen}.png has {screen.stat().st_size:,} bytes; at most {LARGEST:,} are shown")
            shutil.copy(screen, target / f"{name}.png")


if __name__ == "__main__":
    main()
