"""Models of the Hub are fetched by the library of the Hub, from a server of these tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.commands import ENVIRONMENT, MODULE, PATIENCE
from support.hub import Hub, running
from support.libraries import library
from support.models import fitted_model, small_model
from support.service import Service

from unilid.hub.export import export

TEXT = "Wo ist denn hier der Bahnhof?"


@pytest.fixture
def hub() -> Iterator[Hub]:
    library("huggingface_hub")
    with running() as found:
        yield found


@dataclass
class User:
    """Somebody with a cache of their own."""

    hub: Hub
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        own = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("HF_")}
        cache = {"HF_HUB_CACHE": str(self.folder / "cache"), "HF_HOME": str(self.folder / "home")}
        return {**own, "HF_ENDPOINT": self.hub.endpoint, **cache}

    def run(self, *command: str, **environment: str) -> tuple[int, str, str]:
        """Run a program; gives its status, output and errors."""
        done = subprocess.run(
            command,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def identify(self, place: str, **environment: str) -> tuple[int, str, str]:
        """Name the language of a text by a model."""
        return self.run(*MODULE, "identify", "-m", place, "-t", TEXT, **environment)


@pytest.fixture
def user(hub: Hub, tmp_path: Path) -> User:
    return User(hub, tmp_path)


@pytest.fixture
def answer(hub: Hub, tmp_path: Path) -> str:
    """What the model ``me/lid`` answers, a file of which the Hub has."""
    export(fitted_model(), tmp_path / "lid")
    hub.upload("me/lid", tmp_path / "lid")
    prediction = fitted_model().identify(TEXT)
    return f"{prediction.label}\t{prediction.probability:.4f}\n"


def test_a_model_is_fetched_once_and_answers_as_it_did_at_home(hub: Hub, user: User, answer: str) -> None:
    assert user.identify("hf://me/lid") == (0, answer, "")
    assert ("GET", "/me/lid/resolve/main/model.unilid") in hub.requests
    assert {path for _, path in hub.requests} == {"/me/lid/resolve/main/model.unilid"}  # and nothing else of it
    hub.requests.clear()
    assert user.identify("hf://me/lid") == (0, answer, "")
    assert {method for method, _ in hub.requests} == {"HEAD"}
    program = "import sys, unilid; sys.stdout.write(unilid.load('hf://me/lid').to_bytes().hex())"
    assert user.run(sys.executable, "-c", program) == (0, fitted_model().to_bytes().hex(), "")


def test_a_revision_is_a_branch_a_tag_or_a_commit(hub: Hub, user: User, tmp_path: Path) -> None:
    first, second = small_model(), small_model().subset(["dan", "eng"])
    commits = []
    for model, revision in ((first, "v1.0"), (second, "main")):
        export(model, tmp_path / "lid", name="me/lid")
        commits.append(hub.upload("me/lid", tmp_path / "lid", revision))
    program = "import sys, unilid; print(len(unilid.load(sys.argv[1]).languages))"
    for place, model in ((f"@{commits[0]}", first), ("@v1.0", first), ("", second), ("@main", second)):
        expected = (0, f"{len(model.languages)}\n", "")
        assert user.run(sys.executable, "-c", program, f"hf://me/lid{place}") == expected
    hub.requests.clear()
    assert user.run(sys.executable, "-c", program, f"hf://me/lid@{commits[0]}")[0] == 0
    assert hub.requests == []  # a commit never changes


def test_without_the_hub_the_cache_answers(hub: Hub, user: User, answer: str) -> None:
    assert user.identify("hf://me/lid") == (0, answer, "")
    hub.requests.clear()
    assert user.identify("hf://me/lid", HF_HUB_OFFLINE="1") == (0, answer, "")
    assert hub.requests == []
    nobody = {"HF_ENDPOINT": "http://127.0.0.1:9"}  # where nobody listens
    assert user.identify("hf://me/lid", **nobody) == (0, answer, "")
    hub.is_broken = True
    assert user.identify("hf://me/lid") == (0, answer, "")


@pytest.mark.parametrize(
    ("place", "environment", "problem"),
    [
        ("hf://me/no", {}, "there is no such repository on the Hub, or it is private: log in with `hf auth login`"),
        ("hf://me/gated", {}, "its owner grants access: ask for it on its page, then log in with `hf auth login`"),
        ("hf://me/lid@v2", {}, "the repository has no revision 'v2'"),
        ("hf://me/empty", {}, "there is no model in this repository: it has no file model.unilid"),
        ("hf://me/other", {}, "not a unilid model"),
        ("hf://lid", {}, "does not name a repository; write hf://user/name or hf://user/name@revision"),
        ("hf://me/lid@", {}, "does not name a repository; write hf://user/name or hf://user/name@revision"),
        ("hf://me/../x", {}, "does not name a repository; write hf://user/name or hf://user/name@revision"),
        (
            "hf://me/lid",
            {"HF_HUB_OFFLINE": "1"},
            "it was not fetched before, and HF_HUB_OFFLINE says that nothing may be fetched now",
        ),
        (
            "hf://me/lid",
            {"HF_ENDPOINT": "http://127.0.0.1:9"},
            "it was not fetched before, and the Hub cannot be reached (http://127.0.0.1:9)",
        ),
    ],
)
@pytest.mark.usefixtures("answer")
def test_what_cannot_be_fetched_is_told_in_a_sentence(
    hub: Hub, user: User, place: str, environment: dict[str, str], problem: str
) -> None:
    hub.add("me/empty", {"README.md": b"nothing here"})
    hub.add("me/other", {"model.unilid": b"no model at all"})
    hub.add("me/gated", {"model.unilid": b""})
    hub.gated.add("me/gated")
    status, output, errors = user.identify(place, **environment)
    assert (status, output) == (2, "")
    assert errors.count("\n") == 1
    assert problem in errors


def test_without_the_library_the_extra_is_named(tmp_path: Path) -> None:
    (tmp_path / "huggingface_hub.py").write_text("raise ImportError('not installed')")
    program = "import unilid; unilid.load('hf://me/lid')"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert "hf://me/lid: huggingface_hub is missing, which fetches it: pip install 'unilid[hub]'" in done.stderr


def test_nothing_of_the_hub_is_imported_unless_asked_for() -> None:
    program = "import sys, unilid; unilid.load('compact').identify('x'); print('huggingface_hub' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout == "False\n"


def test_columns_and_other_libraries_take_the_same_names(user: User, answer: str) -> None:
    library("polars")
    program = (
        "import polars, unilid.polars\n"
        f"frame = polars.DataFrame({{'text': [{TEXT!r}]}})\n"
        "print(frame.select(polars.col('text').unilid.identify(model='hf://me/lid').struct.field('label')).item())"
    )
    assert user.run(sys.executable, "-c", program) == (0, answer.partition("\t")[0] + "\n", "")


def test_the_service_takes_the_same_names(user: User, answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library("granian")
    for name, value in user.environment.items():
        monkeypatch.setitem(ENVIRONMENT, name, value)
    with Service(model="hf://me/lid") as service:
        assert service.post("/identify", {"text": TEXT}).json["label"] == answer.partition("\t")[0]
