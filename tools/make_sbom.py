"""Write what belongs into the wheel's .dist-info: the software bill of materials (PEP 770), and licences of others.

    python tools/make_sbom.py FOLDER [--zig]

FOLDER/sboms/unilid.cdx.json (CycloneDX 1.6) names what is in the wheel beside the package's own code: libraries that
are linked into the kernel, the two models, and the corpora behind them. What is installed beside the wheel stands in
its METADATA, and not here. FOLDER/licenses has the licences of the libraries. CMakeLists.txt runs this program in the
environment of the build, which has nanobind; the same input gives the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import re
import shutil
import sys
import uuid
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
CORPORA = ROOT / "licenses/CORPORA.md"
SPDX = {
    "CC BY 4.0": "CC-BY-4.0",
    "CC BY-SA 4.0": "CC-BY-SA-4.0",
    "CC0 1.0": "CC0-1.0",
    "ODbL 1.0": "ODbL-1.0",
    "Apache-2.0": "Apache-2.0",
    "MIT": "MIT",
    "MPL-2.0": "MPL-2.0",
    "Unicode License V3": "Unicode-3.0",
}
"""Licences of corpora that have an identifier of SPDX; others are named as they are."""

Component = dict[str, Any]


def licences(names: list[str]) -> list[Component]:
    """Return licences as CycloneDX has them."""
    return [{"license": {"id": SPDX[name]} if name in SPDX else {"name": name}} for name in names]


def corpora() -> list[Component]:
    """Return the corpora, as the page on their licences lists them."""
    rows = re.findall(r"^\| (\w+) \| (.+) \| (.+) \| (.+) \|$", CORPORA.read_text(encoding="utf-8"), re.M)[1:]
    return [
        {
            "type": "data",
            "bom-ref": f"corpus:{name}",
            "name": name,
            "description": f"Statistics of it are in the models: {taken}. The text itself is not in the package.",
            "licenses": licences(re.split(r", | or ", licence)),
            "copyright": by,
        }
        for name, by, licence, taken in rows
    ]


def models() -> list[Component]:
    """Return the models in the package, with their hashes."""
    return [
        {
            "type": "machine-learning-model",
            "bom-ref": f"model:{path.name}",
            "name": path.name,
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}],
        }
        for path in sorted((ROOT / "src/unilid").glob("*.unilid"))
    ]


def libraries(*, zig: bool) -> list[Component]:
    """Return the libraries that are linked into the kernel; without zig, the C++ library is the system's."""
    nanobind = version("nanobind")
    found: list[Component] = [
        {
            "type": "library",
            "bom-ref": "nanobind",
            "name": "nanobind",
            "version": nanobind,
            "purl": f"pkg:pypi/nanobind@{nanobind}",
            "licenses": [{"license": {"id": "BSD-3-Clause"}}],
        },
        {
            "type": "library",
            "bom-ref": "robin-map",
            "name": "robin-map",
            "description": f"as nanobind {nanobind} has it",
            "purl": "pkg:github/Tessil/robin-map",
            "licenses": [{"license": {"id": "MIT"}}],
        },
    ]
    if zig:
        found.append(
            {
                "type": "library",
                "bom-ref": "libc++",
                "name": "libc++, libc++abi and libunwind",
                "version": f"of ziglang {version('ziglang')}",
                "licenses": [{"expression": "Apache-2.0 WITH LLVM-exception"}],
            }
        )
    return found


def bill(*, zig: bool) -> Component:
    """Return the bill of materials."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    linked, shipped, behind = libraries(zig=zig), models(), corpora()
    content: Component = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": project["name"],
                "name": project["name"],
                "version": project["version"],
                "description": project["description"],
                "purl": f"pkg:pypi/{project['name']}@{project['version']}",
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": [*linked, *shipped, *behind],
        "dependencies": [
            {"ref": project["name"], "dependsOn": [one["bom-ref"] for one in (*linked, *shipped)]},
            *({"ref": one["bom-ref"], "dependsOn": [corpus["bom-ref"] for corpus in behind]} for one in shipped),
        ],
    }
    number = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(content, sort_keys=True))
    return {"serialNumber": f"urn:uuid:{number}", **content}


def main() -> None:
    """Write the bill and the licences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--zig", action="store_true", help="its C++ library is linked into the kernel")
    options = parser.parse_args()
    sboms, notices = options.folder / "sboms", options.folder / "licenses"
    for folder in (sboms, notices):
        folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(bill(zig=options.zig), ensure_ascii=False, indent=1) + "\n"
    (sboms / "unilid.cdx.json").write_text(text, encoding="utf-8", newline="\n")
    nanobind = package("nanobind")
    [licence] = [file for file in distribution("nanobind").files or [] if file.name == "LICENSE"]
    shutil.copyfile(Path(licence.locate()), notices / "nanobind.txt")
    header = (nanobind / "ext/robin_map/include/tsl/robin_map.h").read_text(encoding="utf-8")
    notice = re.sub(r"^ \* ?", "", header[header.index("\n") + 1 : header.index(" */")], flags=re.M)
    (notices / "robin-map.txt").write_text(notice, encoding="utf-8", newline="\n")
    if options.zig:
        for name in ("libcxx", "libunwind"):
            shutil.copyfile(package("ziglang") / "lib" / name / "LICENSE.TXT", notices / f"{name}.txt")


def package(name: str) -> Path:
    """Return the folder of a package."""
    file = importlib.import_module(name).__file__
    assert file is not None
    return Path(file).parent


if __name__ == "__main__":
    main()
