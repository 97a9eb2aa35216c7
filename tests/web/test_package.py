"""What the JavaScript package consists of: all that it needs, nothing else, and made of the present sources."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from support.libraries import is_required, library
from support.node import WEB

from unilid.languages.iso639 import read_table

PACKAGE = json.loads((WEB / "package.json").read_text(encoding="utf-8"))
MODULES = [WEB / "unilid.js", *sorted((WEB / "src").glob("*.js"))]


def test_the_package_has_all_modules_and_the_kernel_and_nothing_else() -> None:
    if shutil.which("npm") is None and not is_required("npm"):
        pytest.skip("npm is not installed")
    listed = subprocess.run(
        ["npm", "pack", "--dry-run", "--json"], cwd=WEB, capture_output=True, text=True, check=True
    ).stdout
    files = {file["path"] for file in json.loads(listed)[0]["files"]}
    data = {"package.json", "README.md", "unilid.d.ts", "unilid.wasm", "languages.json"}
    assert files == data | {str(module.relative_to(WEB)) for module in MODULES}


def test_the_package_has_the_version_of_the_project_and_no_dependencies() -> None:
    assert PACKAGE["version"] == version("unilid")
    assert not {name for name in PACKAGE if "ependencies" in name}


def test_modules_import_only_each_other() -> None:
    for module in MODULES:
        for name in re.findall(r"^(?:import|export) .* from '(.*)';$", module.read_text(encoding="utf-8"), re.M):
            assert (module.parent / name).resolve() in MODULES, (module, name)


def test_the_languages_are_those_of_the_tables() -> None:
    stored = json.loads((WEB / "languages.json").read_text(encoding="utf-8"))
    assert stored["languages"].split("\n") == read_table("languages.tsv"), "run tools/make_web_languages.py"
    assert stored["scripts"].split("\n") == read_table("scripts.tsv")
    assert stored["usual"].split("\n") == ["\t".join(line.split("\t")[:3]) for line in read_table("usual.tsv")[1:]]
    assert (WEB / "languages.json").stat().st_size < 400_000


def test_everything_that_a_model_can_do_has_a_type() -> None:
    script = """
        import { Model } from './unilid.js';
        const own = Object.getOwnPropertyNames(Model.prototype).filter((name) => name !== 'constructor');
        console.log(JSON.stringify([...own, 'load', 'languages']));
    """
    if shutil.which("node") is None and not is_required("node"):
        pytest.skip("node is not installed")
    run = subprocess.run(
        ["node", "--input-type=module", "-e", script], cwd=WEB, capture_output=True, text=True, check=True
    )
    typed = (WEB / "unilid.d.ts").read_text(encoding="utf-8").partition("export class Model ")[2]
    declared = re.findall(r"^  (?:static |readonly )?(\w+)[(:]", typed, re.M)
    assert sorted(set(declared)) == sorted(json.loads(run.stdout))


@pytest.mark.timeout(1200)
def test_the_kernel_is_made_of_the_present_sources(tmp_path: Path) -> None:
    library("ziglang")  # whose version the program names
    built = tmp_path / "unilid.wasm"
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(Path.home())}
    subprocess.run([WEB / "build", built], check=True, env=environment, timeout=1200)
    assert built.read_bytes() == (WEB / "unilid.wasm").read_bytes(), "run web/build and commit what it makes"


def test_programs_in_typescript_are_checked() -> None:
    if shutil.which("tsc") is None and not is_required("typescript"):
        pytest.skip("typescript is not installed")
    options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom"]
    usage = str(Path(__file__).with_name("usage.mts"))
    run = subprocess.run(["tsc", *options, usage], cwd=WEB, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
