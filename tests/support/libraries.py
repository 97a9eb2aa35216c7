"""Other libraries, which tests use where they are installed."""

from __future__ import annotations

import importlib
import os
from types import ModuleType

import pytest


def library(name: str) -> ModuleType:
    """Return a module; skip the test where it is missing, and fail it where UNILID_REQUIRE names it or is `all`."""
    required = os.environ.get("UNILID_REQUIRE", "").replace(",", " ").split()
    if "all" in required or name.partition(".")[0] in required:
        return importlib.import_module(name)
    module: ModuleType = pytest.importorskip(name)
    return module
