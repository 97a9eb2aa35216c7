"""Other libraries, which tests use where they are installed."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
from types import ModuleType

import pytest


def is_required(name: str) -> bool:
    """Say whether UNILID_REQUIRE names a library or is `all`."""
    required = os.environ.get("UNILID_REQUIRE", "").replace(",", " ").split()
    return "all" in required or name.partition(".")[0] in required


def is_missing(name: str) -> bool:
    """Say whether a library that nobody requires is not installed."""
    return not is_required(name) and importlib.util.find_spec(name.partition(".")[0]) is None


def library(name: str) -> ModuleType:
    """Return a module; skip the test where it is missing, and fail it where UNILID_REQUIRE names it or is `all`."""
    if is_required(name):
        return importlib.import_module(name)
    module: ModuleType = pytest.importorskip(name)
    return module


def program(name: str) -> str:
    """Return the path of a program; skip the test where it is missing, and fail it where UNILID_REQUIRE names it."""
    path = shutil.which(name)
    if path is None:
        if is_required(name):
            pytest.fail(f"{name} is required, and not installed")
        pytest.skip(f"{name} is not installed", allow_module_level=True)
    return path
