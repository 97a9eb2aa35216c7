"""Put the page, the package that it runs and the compact model into a folder.

    python tools/make_site.py build/page
    python -m http.server --directory build/page --bind 127.0.0.1

Any server of static files can serve the folder, from any address.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
WEB, MODEL = ROOT / "web", ROOT / "src/unilid/compact.unilid"


def main() -> None:
    """Make the folder, whole or not at all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where to; it must not exist yet")
    folder: Path = parser.parse_args().folder
    if folder.exists():
        parser.error(f"{folder} exists: remove it first, or name another folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as beside:
        site = Path(beside) / "site"
        shutil.copytree(WEB / "page", site)
        for name in json.loads((WEB / "package.json").read_text())["files"]:
            source = WEB / name
            if source.is_dir():
                shutil.copytree(source, site / name)
            else:
                shutil.copy(source, site / name)
        shutil.copy(MODEL, site / MODEL.name)
        site.rename(folder)


if __name__ == "__main__":
    main()
