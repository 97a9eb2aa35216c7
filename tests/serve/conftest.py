"""One service for all tests that do not change it; those that do start their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.libraries import library
from support.service import Service

library("granian")
library("msgspec")


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    with Service("--limit-seconds", 4) as running:
        yield running
