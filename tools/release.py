"""Make dist/: the source distribution and the wheels for Linux, each tried where there is a Python for it.

    python tools/release.py                              all of it: dist/, and a table of what ran where
    python tools/release.py --quick --out build/dist     one wheel, for the Python that runs this program

It needs Python 3.11 or newer, pip, and Pythons 3.10, 3.11 and 3.12 to build for, which it finds on PATH, among pyenv's
or in the folder that `--interpreters` names (`tools/interpreters` makes some that are rare). Everything else it
installs, in the versions that pyproject.toml pins. Wheels for macOS and Windows are made by
.github/workflows/release.yml.

1. The source distribution is made of the files that Git knows.
2. Each wheel is compiled from it by zig, whose C library is old and whose C++ library becomes part of the kernel, so
   that it runs on every Linux since 2014. It is compiled twice, in folders of different names, and the bytes are
   compared.
3. twine, auditwheel and the schema of CycloneDX look at it, and no path of this machine may be in it.
4. It is installed into an empty environment, in which no program can find a compiler, and tested there: with the oldest
   and the newest Python of this machine by the README's tests, with all others by those of the kernel; where the
   processor is emulated, by those of words, scores, decisions and the default model, with few examples each.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

import tomllib

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
STABLE = (3, 12)
"""The Python from which on one wheel serves all."""
PYTHONS = [(3, 10), (3, 11), STABLE]
COMPILER = re.compile(r"(.*-)?(gcc|g\+\+|cc|c\+\+|c89|c99|clang|clang\+\+|cpp|ld|as|zig|cmake|ninja|make)([-.\d].*)?")
"""Programs of the machine that an empty environment does not have."""
KERNEL = ["tests/words", "tests/models", "tests/scoring", "tests/decisions/test_decide.py",
          "tests/store/test_modelfile.py", "tests/project/test_default_model.py"]  # fmt: skip
"""Tests of the kernel and of the models in the package."""
EMULATED = ["tests/words", "tests/scoring/test_scorer.py", "tests/scoring/test_scores.py", "tests/scoring/test_rows.py",
            "tests/decisions/test_decide.py", "tests/project/test_default_model.py"]  # fmt: skip
"""Tests that run where everything takes thirty times as long: they compare the kernel with the reference, and ask the
models in the package."""
NOT_BUILT = re.compile(
    r"(\.ci|\.github|benchmarks|fuzz|tests)/.*|docs/.*\.md|tools/(release\.py|interpreters)|C[A-Z]+\.md"
)
"""Files that get into no wheel: after a change of them, a wheel that was kept is tried again, and not made again."""
FEW = ["pytest", "pytest-timeout", "pytest-xdist", "hypothesis", "safetensors"]
"""What these need, and what can be had for every C library; the others are left out where something is missing."""


PIP = ("--quiet", "--no-input", "--disable-pip-version-check", "--only-binary", ":all:")
"""Options with which pip installs and compiles nothing."""


class FailedError(Exception):
    """Something is not as a release must be."""


@dataclass(frozen=True)
class Target:
    """A kind of Linux: its tags, its name for zig, and the end of the names of modules."""

    tags: tuple[str, ...]
    zig: str
    suffix: str

    @property
    def machine(self) -> str:
        """The processor."""
        return self.suffix.partition("-")[0]

    @property
    def has_musl(self) -> bool:
        """Whether its C library is musl."""
        return self.suffix.endswith("musl")


MACHINES = ("x86_64", "aarch64")
TARGETS = [
    Target((f"manylinux_2_17_{one}", f"manylinux2014_{one}"), f"{one}-linux-gnu.2.17", f"{one}-linux-gnu")
    for one in MACHINES
] + [Target((f"musllinux_1_2_{one}",), f"{one}-linux-musl", f"{one}-linux-musl") for one in MACHINES]


@dataclass(frozen=True)
class Interpreter:
    """A Python of this machine, or of one that is emulated."""

    path: Path
    version: tuple[int, ...]
    machine: str
    has_musl: bool
    has_gil: bool

    def __str__(self) -> str:
        """Say which one it is."""
        emulated = f", {self.machine} (emulated)" if self.is_emulated else ""
        return f"{'.'.join(map(str, self.version))}{', musl' if self.has_musl else ''}{emulated}"

    @property
    def is_emulated(self) -> bool:
        """Whether it is for another processor."""
        return self.machine != platform.machine()

    @property
    def is_native(self) -> bool:
        """Whether it is an ordinary Python of this machine."""
        return not self.is_emulated and not self.has_musl and self.has_gil

    def takes(self, wheel: Wheel) -> bool:
        """Say whether pip would install the wheel."""
        target, made_for = wheel.target, wheel.python
        same = made_for == self.version[:2] or (made_for == STABLE and self.version[:2] > STABLE)
        return same and self.has_gil and (target.machine, target.has_musl) == (self.machine, self.has_musl)


@dataclass(frozen=True)
class Wheel:
    """A wheel to be made."""

    python: tuple[int, ...]
    target: Target

    @property
    def tags(self) -> list[str]:
        """The tags, as files are named."""
        name = f"cp{self.python[0]}{self.python[1]}"
        return [f"{name}-{'abi3' if self.python == STABLE else name}-{one}" for one in self.target.tags]

    @property
    def suffix(self) -> str:
        """The end of the name of the module. Up to 3.10, Python did not tell musl from glibc there."""
        where = self.target.suffix.replace("musl", "gnu") if self.python < (3, 11) else self.target.suffix
        return f".cpython-{self.python[0]}{self.python[1]}-{where}.so"


def run(*command: object, environment: dict[str, str] | None = None, cwd: Path = ROOT) -> str:
    """Run a program, which must succeed, and return what it prints."""
    arguments = [str(part) for part in command]
    done = subprocess.run(
        arguments, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise FailedError(f"{' '.join(arguments)}\n{done.stdout}\nfailed with status {done.returncode}")
    return done.stdout


def say(what: str) -> None:
    """Tell how far it is."""
    print(f"{datetime.now(timezone.utc):%H:%M:%S} {what}", file=sys.stderr, flush=True)


# ---- the Pythons


def interpreters(folder: Path | None) -> list[Interpreter]:
    """Return the Pythons that there are, one of each version and kind."""
    candidates = [Path(sys.executable), *sorted((folder or Path("/nonexistent")).resolve().glob("*/bin/python"))]
    candidates += sorted((Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions").glob("*/bin/python"))
    candidates += [Path(found) for minor in range(10, 20) if (found := shutil.which(f"python3.{minor}"))]
    probes = [one for one in map(probed, candidates[::-1]) if one]
    known = {(one.version[:2], one.machine, one.has_musl, one.has_gil): one for one in probes}
    return sorted(known.values(), key=lambda one: (one.has_musl, one.machine != platform.machine(), one.version))


def probed(path: Path) -> Interpreter | None:
    """Return what a Python says of itself; None if it does not run, or is too old."""
    program = """
import json, platform, subprocess, sys, sysconfig
musl = "musl" in sysconfig.get_config_var("EXT_SUFFIX")
gil = not sysconfig.get_config_var("Py_GIL_DISABLED")
print(json.dumps([sys.version_info[:3], platform.machine(), musl, gil]))
"""
    try:
        done = subprocess.run([path, "-c", program], capture_output=True, text=True, check=True)
        version, machine, has_musl, has_gil = json.loads(done.stdout)
    except (OSError, subprocess.CalledProcessError, ValueError):
        return None
    return Interpreter(path, tuple(version), machine, has_musl, has_gil) if version >= [3, 10] else None


def environment(python: Path, folder: Path) -> Path:
    """Make an empty environment, and return its Python."""
    run(python, "-m", "venv", "--without-pip", "--clear", folder)
    return folder / "bin/python"


def install(python: Path, *what: object, environment: dict[str, str] | None = None) -> None:
    """Install packages, none of which is compiled."""
    run(sys.executable, "-m", "pip", "--python", python, "install", *PIP, *what, environment=environment)


def install_elsewhere(interpreter: Interpreter, helper: Path, python: Path, *what: object) -> None:
    """Install packages for a Python that has no TLS or is slow: pip is told for which machine it is.

    The helper, a Python of the same version on this machine, runs pip, because what is needed may depend on that.
    """
    major, minor = interpreter.version[:2]
    kinds = (
        ["musllinux_1_2", "musllinux_1_1"] if interpreter.has_musl else [f"manylinux_2_{n}" for n in range(34, 16, -1)]
    )
    options = [part for kind in kinds for part in ("--platform", f"{kind}_{interpreter.machine}")]
    options += ["--implementation", "cp", "--python-version", f"{major}.{minor}"]
    options += [part for abi in (f"cp{major}{minor}", "abi3", "none") for part in ("--abi", abi)]
    options += ["--target", str(python.parent.parent / f"lib/python{major}.{minor}/site-packages")]
    run(sys.executable, "-m", "pip", "--python", helper, "install", *PIP, *options, *what)


# ---- building


def release_time() -> str:
    """Return midnight of the day that the changelog gives this version, in seconds, for the files of archives."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"^## \[{re.escape(PROJECT['version'])}\] - (\S+)$", text, re.M)
    if not found:
        raise FailedError(f"CHANGELOG.md has no heading with a date for version {PROJECT['version']}")
    return str(int(datetime.fromisoformat(f"{found[1]}T00:00:00+00:00").timestamp()))


def source_distribution(python: Path, folder: Path) -> Path:
    """Make the source distribution of the files that Git knows."""
    source = folder / "tree"
    for name in run("git", "ls-files", "-z").split("\0"):
        if name and (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    variables = {**os.environ, "SOURCE_DATE_EPOCH": release_time()}
    run(python, "-m", "build", "--sdist", "--no-isolation", "--outdir", folder, source, environment=variables)
    [made] = folder.glob("*.tar.gz")
    return made


def unpacked(archive: Path, folder: Path) -> Path:
    """Unpack a source distribution; its files are new."""
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    [source] = folder.iterdir()
    for path in source.rglob("*"):
        os.utime(path)
    return source


def build(wheel: Wheel, python: Path, zig: Path, source: Path, folder: Path, cache: Path) -> Path:
    """Compile a wheel, and return where it is; what zig compiled before is taken from this cache and no other."""
    folder.mkdir(parents=True)
    compiler = folder / "zig-c++"
    # Without -target it would compile for this processor; without -s, paths of its C++ library would be in the module.
    compiler.write_text(f'#!/bin/sh\nexec "{zig}" c++ -target {wheel.target.zig} -s "$@"\n')
    compiler.chmod(0o755)
    variables = {
        **os.environ,
        "PATH": f"{python.parent}:{os.environ['PATH']}",
        "CXX": str(compiler),
        "CXXFLAGS": "",
        "ZIG_GLOBAL_CACHE_DIR": str(cache),
        "ZIG_LOCAL_CACHE_DIR": str(cache),
        "SOURCE_DATE_EPOCH": release_time(),
        "_PYTHON_HOST_PLATFORM": f"linux-{wheel.target.machine}",
        "SETUPTOOLS_EXT_SUFFIX": wheel.suffix,
    }
    settings = {
        "wheel.tags": ";".join(wheel.tags),
        "wheel.reproducible": "true",
        "build-dir": folder / "build",
        "cmake.define.UNILID_ZIG": "ON",
    }
    options = [part for name, value in settings.items() for part in ("-C", f"{name}={value}")]
    run(python, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, *options, source, environment=variables)
    [made] = folder.glob("*.whl")
    shutil.rmtree(folder / "build")
    return made


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest_of_built(source: Path) -> str:
    """Return the SHA-256 of all that a wheel can depend on: the day of the release, how it is made, files and names."""
    how = [inspect.getsource(part) for part in (build, Wheel, Target)]
    found = hashlib.sha256("\0".join([release_time(), repr(TARGETS), repr(PYTHONS), *how]).encode())
    for path in sorted(path for path in source.rglob("*") if path.is_file()):
        name = path.relative_to(source).as_posix()
        if not NOT_BUILT.fullmatch(name):
            found.update(f"{name}\0{digest(path)}\n".encode())
    return found.hexdigest()


def differing(first: Path, second: Path) -> str:
    """Say which files of two wheels are not the same."""
    contents = []
    for path in (first, second):
        with zipfile.ZipFile(path) as opened:
            contents.append(
                {name: (opened.getinfo(name).CRC, opened.getinfo(name).date_time) for name in opened.namelist()}
            )
    names = sorted(contents[0].keys() | contents[1].keys())
    return (
        ", ".join(name for name in names if contents[0].get(name) != contents[1].get(name)) or "the order of its files"
    )


# ---- looking at what was made


def check(wheel: Wheel, path: Path, python: Path, work: Path) -> None:
    """Look at a wheel: its tags, what it says of what is in it, and that no path of this machine is in it."""
    if wheel.target.has_musl:
        # auditwheel would look for libc.so on this machine, whose is another, and knows musl by the name that it has on
        # Alpine. For musl's loader, whatever begins with `libc.` is musl itself, so that nothing else is needed.
        (work / "no libraries").mkdir(exist_ok=True)
        shown = run(python, "-m", "auditwheel", "show", "--json", "--ldpaths", work / "no libraries", path)
        said = json.loads(shown[shown.index("{") : shown.rindex("}") + 1])
        is_fine = said["sym_tag"] == wheel.target.tags[0] and said["external_libs"].keys() <= {"libc.so"}
    else:
        shown = " ".join(run(python, "-m", "auditwheel", "show", path).split())
        is_fine = f'"{wheel.target.tags[0]}"' in shown
    if not is_fine:
        raise FailedError(f"{path.name}: auditwheel says otherwise: {shown}")
    with zipfile.ZipFile(path) as opened:
        members = {name: opened.read(name) for name in opened.namelist()}
    info = f"unilid-{PROJECT['version']}.dist-info"
    for name in ("licenses/LICENSE", "licenses/licenses/CORPORA.md", "licenses/nanobind.txt", "licenses/libcxx.txt"):
        if f"{info}/{name}" not in members:
            raise FailedError(f"{path.name}: {name} is missing")
    bill = work / "bill.json"
    bill.write_bytes(members[f"{info}/sboms/unilid.cdx.json"])
    program = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
sys.exit(JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1], encoding="utf-8").read()))
"""
    run(python, "-c", program, bill)
    places = [str(folder).encode() for folder in (work, ROOT, Path.home())]
    for name, content in members.items():
        if found := [place for place in places if len(place) > 5 and place in content]:
            raise FailedError(f"{path.name}: {name} has the path {found[0].decode()}")


def without_compiler(folder: Path) -> str:
    """Return a PATH with the programs of the machine, and no compiler among them."""
    folder.mkdir(exist_ok=True)
    for place in ("/usr/bin", "/bin"):
        for program in Path(place).iterdir():
            link = folder / program.name
            if not COMPILER.fullmatch(program.name) and not link.is_symlink():
                link.symlink_to(program)
    return str(folder)


@dataclass(frozen=True)
class Trial:
    """A wheel in an environment."""

    interpreter: Interpreter
    which: str
    outcome: str


def tried(
    interpreter: Interpreter, helper: Path, path: Path, source: Path, work: Path, which: str, tests: Sequence[str]
) -> Trial:
    """Install a wheel where there is no compiler, identify a text, and run the tests; none are all of the README's."""
    folder = work / f"try-{path.stem}-{interpreter.path.parent.parent.name}"
    python = environment(interpreter.path, folder)
    variables = {name: value for name, value in os.environ.items() if not re.match("PYTHON|CC$|CXX|PYENV", name)}
    variables["PATH"] = f"{python.parent}:{without_compiler(work / 'bin')}"

    def add(*what: object) -> None:
        if interpreter.is_native:
            install(python, *what, environment=variables)
        else:
            install_elsewhere(interpreter, helper, python, *what)

    add(path)
    answer = run(python, "-m", "unilid", "identify", "--text", "Wo ist der nächste Bahnhof?", environment=variables)
    if not answer.startswith("deu_Latn"):
        raise FailedError(f"{path.name} on {interpreter}: {answer}")
    add(*(FEW if tests else [f"unilid[test] @ {path.as_uri()}"]))
    options = ["-o", "addopts=-q --import-mode=importlib --dist loadgroup", "-p", "no:cacheprovider"]
    options += ["-o", f"timeout={900 if interpreter.is_native else 3000}"]
    if interpreter.is_emulated:  # every worker would import, load and train by itself, which takes most of the time
        options += ["-n", "0", "--assert=plain", "--hypothesis-profile", "emulated"]
    else:
        options += ["-n", "2"]
    printed = run(python, "-m", "pytest", *options, *tests, environment=variables, cwd=source)
    outcome = re.findall(r"^(\d+ passed.*?) in .*$", printed, re.M)[-1]
    shutil.rmtree(folder)
    return Trial(interpreter, which, re.sub(r", \d+ warnings?", "", outcome))


def remembered(trial: Callable[[], Trial], interpreter: Interpreter, file: Path) -> Trial:
    """Return what a trial came to before, or try it and write that down."""
    if file.exists():
        return Trial(interpreter, *json.loads(file.read_text(encoding="utf-8")))
    made = trial()
    file.write_text(json.dumps([made.which, made.outcome]), encoding="utf-8")
    return made


# ---- the table


def table(wheels: dict[str, tuple[Path, list[Trial]]]) -> Iterator[str]:
    """Return what was made and what ran, as a table in Markdown."""
    yield "| file | MB | Python | tests | outcome |"
    yield "|---|---|---|---|---|"
    for name, (path, trials) in wheels.items():
        size = f"{path.stat().st_size / 1e6:.1f}"
        if not trials:
            yield f"| `{name}` | {size} | | none | made and looked at only |"
        for i, trial in enumerate(trials):
            first = (f"`{name}`", size) if i == 0 else ("", "")
            yield f"| {first[0]} | {first[1]} | {trial.interpreter} | {trial.which} | {trial.outcome} |"


def main() -> None:
    """Make, look at and try everything; dist/ appears whole or not at all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where to (default: dist); it is replaced")
    parser.add_argument("--interpreters", type=Path, metavar="FOLDER", help="more Pythons: FOLDER/*/bin/python")
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="""keep here, for the next time, the tools and, as long as the source
        is the same to the byte, what was made and what passed: what was stopped goes on; for what was made, docs and
        tests do not count""",
    )
    parser.add_argument("--only", default="", metavar="REGEX", help="only wheels whose tag matches, such as aarch64")
    parser.add_argument("--quick", action="store_true", help="one wheel, and some tests")
    parser.add_argument("--once", action="store_true", help="compile each wheel once, and do not compare the bytes")
    parser.add_argument("--tests", nargs="+", default=[], metavar="PATH", help="these tests instead of those above")
    options = parser.parse_args()
    found = interpreters(options.interpreters)
    this = sys.version_info[:2]
    wheels = [Wheel(python, target) for target in TARGETS for python in PYTHONS]
    if options.quick:
        wheels = [Wheel(min(this, STABLE), TARGETS[0])]
        found = [one for one in found if one.version[:2] == this and one.is_native]
    wheels = [wheel for wheel in wheels if re.search(options.only, wheel.tags[0])]
    tests = options.tests or (["tests/words", "tests/scoring/test_scorer.py"] if options.quick else [])
    natives = [one for one in found if one.is_native]
    builders = {one.version[:2]: one for one in natives}
    say(f"Pythons: {'; '.join(map(str, found))}")
    if missing := {wheel.python for wheel in wheels} - builders.keys():
        raise FailedError(f"there is no Python {' or '.join(f'3.{one[1]}' for one in sorted(missing))} to build with")
    with tempfile.TemporaryDirectory(prefix="release-") as folder:
        work = Path(folder)
        keep = (options.keep or work / "keep").resolve()
        tools = {}
        for version in {this, *(wheel.python for wheel in wheels)}:
            place = keep / f"tools-{version[1]}"
            tools[version] = place / "bin/python"
            if not tools[version].exists():
                environment(builders.get(version, found[0]).path, place)
            install(tools[version], *PROJECT["optional-dependencies"]["release"])
        # The same for all, so that it compiles its C++ library only once for each kind of Linux and each cache.
        [zig] = tools[this].parent.parent.glob("lib/python3.*/site-packages/ziglang/zig")
        made: dict[str, tuple[Path, list[Trial]]] = {}
        failed = 0
        (work / "sdist").mkdir()
        archive = source_distribution(tools[this], work / "sdist")
        made[archive.name] = (archive, [])
        sources = [unpacked(archive, work / "source"), unpacked(archive, work / "the same elsewhere")]
        kept = keep / digest_of_built(sources[0])
        for number, wheel in enumerate(wheels):
            place = kept / wheel.tags[0]
            is_compared = place.exists() or not options.once
            if not is_compared:
                place = kept / f"{wheel.tags[0]}-once"
            if not place.exists():
                say(f"{wheel.tags[0]}: compiling")
                make = partial(build, wheel, tools[wheel.python], zig)
                first = make(sources[0], work / f"first-{number}", work / "cache")
                if not options.once:
                    second = make(sources[1], work / f"second-{number}", work / "another cache")
                    if first.name != second.name or digest(first) != digest(second):
                        raise FailedError(
                            f"{first.name} is not the same when it is made again: {differing(first, second)}"
                        )
                check(wheel, first, tools[this], work)
                kept.mkdir(exist_ok=True, parents=True)
                shutil.rmtree(kept / f"new-{number}", ignore_errors=True)
                shutil.copytree(first.parent, kept / f"new-{number}", ignore=shutil.ignore_patterns("zig-c++"))
                (kept / f"new-{number}").rename(place)
            [path] = place.glob("*.whl")
            say(f"{wheel.tags[0]}: made {'twice, the same bytes' if is_compared else 'once'}; SHA-256 {digest(path)}")
            trials = []
            for interpreter in found:
                if interpreter.takes(wheel):
                    say(f"{wheel.tags[0]}: trying with {interpreter}")
                    which, chosen = "some", tests
                    if not tests:
                        which, chosen = "the kernel's", KERNEL
                        if interpreter in (natives[0], natives[-1]):
                            which, chosen = "the README's", []
                        elif interpreter.is_emulated:
                            which, chosen = "some", EMULATED
                    helper = builders.get(interpreter.version[:2], interpreter).path
                    trial = partial(tried, interpreter, helper, path, sources[0], work, which, chosen)
                    try:
                        key = hashlib.sha256(" ".join([digest(archive), *chosen]).encode()).hexdigest()[:16]
                        file = f"{interpreter}, {key}.json"
                        trials.append(remembered(trial, interpreter, place / file))
                    except FailedError as error:  # the others are to be tried all the same
                        say(str(error))
                        trials.append(Trial(interpreter, which, "FAILED"))
                        failed += 1
                    say(f"{which} tests: {trials[-1].outcome}")
            made[path.name] = (path, trials)
        run(tools[this], "-m", "twine", "check", "--strict", *(path for path, _ in made.values()))
        print("\n".join(table(made)), flush=True)
        if failed:
            raise FailedError(f"{failed} of the trials failed, so that {options.out} stays as it was")
        staged = options.out.with_name(f".{options.out.name}-new")
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir(parents=True)
        for path, _ in made.values():
            shutil.copy(path, staged)
        shutil.rmtree(options.out, ignore_errors=True)
        staged.rename(options.out)


if __name__ == "__main__":
    try:
        main()
    except FailedError as error:
        raise SystemExit(str(error)) from None
