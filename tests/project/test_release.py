"""What a release says of itself: its version, what is in the wheel, and the licences of it."""

from __future__ import annotations

import hashlib
import importlib
import json
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
from support.libraries import library

import unilid

ROOT = Path(__file__).parents[2]


def project() -> str:
    return (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def version() -> str:
    return str(re.findall(r'^version = "(.*)"$', project(), re.M)[0])


def test_one_version_everywhere_and_a_day_for_it_in_the_changelog() -> None:
    assert json.loads((ROOT / "web/package.json").read_text(encoding="utf-8"))["version"] == version()
    headings = re.findall(r"^## \[(.*)\](.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert headings[0] == ("Unreleased", "")
    assert headings[1][0] == version()
    assert re.fullmatch(r" - \d{4}-\d\d-\d\d", headings[1][1])


@pytest.fixture(scope="module")
def bill(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The bill of materials that a build would put into the wheel."""
    library("nanobind")
    folder = tmp_path_factory.mktemp("notices")
    program = [sys.executable, str(ROOT / "tools/make_sbom.py")]
    made = []
    for name in ("first", "second"):
        subprocess.run([*program, str(folder / name)], check=True)
        made.append({path.name: path.read_bytes() for path in (folder / name).rglob("*.*") if path.is_file()})
    assert made[0] == made[1]
    assert made[0].keys() == {"unilid.cdx.json", "nanobind.txt", "robin-map.txt"}
    assert b"Copyright" in made[0]["nanobind.txt"]
    assert b"Copyright" in made[0]["robin-map.txt"]
    found: dict[str, Any] = json.loads(made[0]["unilid.cdx.json"])
    return found


def test_the_bill_of_materials_names_the_models_and_every_corpus_behind_them(bill: dict[str, Any]) -> None:
    assert bill["metadata"]["component"]["version"] == version()
    components = {one["name"]: one for one in bill["components"]}
    for name in ("default", "compact"):
        path = unilid.load(name if name == "compact" else None).path
        assert path is not None
        [listed] = components[f"{name}.unilid"]["hashes"]
        assert listed["content"] == hashlib.sha256((ROOT / "src/unilid" / path.name).read_bytes()).hexdigest()
    sources = {source for said in unilid.load().info["labels"].values() for source in said["sources"]}
    data = {name: one for name, one in components.items() if one["type"] == "data"}
    assert data.keys() == sources | {"linguameta"}  # which the prior is from
    assert all(one["licenses"] and one["copyright"] for one in data.values())
    references = {one["bom-ref"] for one in bill["components"]} | {"unilid"}
    for dependency in bill["dependencies"]:
        assert {dependency["ref"], *dependency["dependsOn"]} <= references


def test_every_corpus_of_the_recipe_has_its_licence_and_its_makers_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "recipes/default")
    import card
    import corpora
    import prior

    page = (ROOT / "licenses/CORPORA.md").read_text(encoding="utf-8")
    for source in corpora.SOURCES + corpora.SHIPPED:
        assert f"| {source.name} | {source.attribution} | {source.licence} |" in page
        for licence in card.licences_of(source.licence):
            assert licence in card.LICENCES, source.name
            assert not card.LICENCES[licence] or f"- {licence}: {card.LICENCES[licence]}" in page
    assert f"| {prior.ATTRIBUTION} | {prior.LICENCE} |" in page
    assert '"licenses/CORPORA.md"' in project()


def test_what_is_installed_carries_its_licences_and_its_bill() -> None:
    try:
        installed = distribution("unilid")
    except PackageNotFoundError:
        pytest.skip("unilid is not installed as a distribution")
    names = {str(file).partition(".dist-info/")[2] for file in installed.files or []}
    assert {"licenses/LICENSE", "licenses/licenses/CORPORA.md", "licenses/nanobind.txt"} <= names
    assert "sboms/unilid.cdx.json" in names
    assert installed.version == version()


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The program that makes releases."""
    library("tomllib")
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("release")


def test_a_module_has_the_name_that_each_python_looks_for(release: Any) -> None:
    # As those of numpy for musl have: up to 3.10, Python did not tell it from glibc.
    ends = {(wheel.python, wheel.target.suffix): wheel.suffix for wheel in wheels_of(release)}
    assert ends[(3, 10), "x86_64-linux-musl"] == ".cpython-310-x86_64-linux-gnu.so"
    assert ends[(3, 11), "x86_64-linux-musl"] == ".cpython-311-x86_64-linux-musl.so"
    assert ends[(3, 10), "aarch64-linux-gnu"] == ".cpython-310-aarch64-linux-gnu.so"


def test_a_wheel_is_tried_where_pip_would_install_it(release: Any) -> None:
    def taken(version: tuple[int, ...], machine: str = "x86_64", *, musl: bool = False, gil: bool = True) -> list[str]:
        one = release.Interpreter(Path("python"), version, machine, musl, gil)
        return [wheel.tags[0] for wheel in wheels_of(release) if one.takes(wheel)]

    assert taken((3, 10, 4)) == ["cp310-cp310-manylinux_2_17_x86_64"]
    assert taken((3, 11, 2), "aarch64") == ["cp311-cp311-manylinux_2_17_aarch64"]
    assert taken((3, 12, 1), musl=True) == ["cp312-abi3-musllinux_1_2_x86_64"]
    assert taken((3, 14, 0)) == ["cp312-abi3-manylinux_2_17_x86_64"]
    assert taken((3, 14, 0), gil=False) == []
    assert len(wheels_of(release)) == 12


def wheels_of(release: Any) -> list[Any]:
    return [release.Wheel(python, target) for target in release.TARGETS for python in release.PYTHONS]


def test_where_a_wheel_is_tried_there_is_no_compiler(release: Any) -> None:
    for name in ("cc", "g++", "gcc-12", "x86_64-linux-gnu-g++-12", "clang++-14", "cmake", "ld.gold", "as"):
        assert release.COMPILER.fullmatch(name), name
    for name in ("python3.11", "ls", "bash", "accept", "less", "ldd", "base64"):
        assert not release.COMPILER.fullmatch(name), name


def test_a_kept_wheel_is_made_again_when_something_changed_that_is_in_it(release: Any, tmp_path: Path) -> None:
    def changed(name: str) -> bool:
        before = release.digest_of_built(tmp_path)
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("new")
        return bool(release.digest_of_built(tmp_path) != before)

    for name in ("src/unilid/files.py", "cpp/base/simd.cpp", "docs/unilid.1", "web/unilid.js", "README.md"):
        assert changed(name), name
    assert changed("tools/make_sbom.py")
    assert not changed("docs/compatibility.md")
    assert not changed("tests/test_files.py")
    # What CMake installs from the folders of the source.
    installed = re.findall(
        r"\b((?:web|docs|tools|licenses)/[\w./]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    )
    assert {"web/unilid.wasm", "docs/unilid.1"} <= set(installed)
    assert not [name for name in installed if release.NOT_BUILT.fullmatch(name)]
