"""One Spark cluster for all tests: to start it takes longer than most of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.libraries import library, program
from support.spark import Standalone


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    library("pyspark")
    program("java")
    standalone = Standalone(tmp_path_factory.mktemp("cluster"))
    try:
        for name in ("one", "two"):
            standalone.add_worker(name)
        yield standalone
    finally:
        standalone.stop()


@pytest.fixture(scope="session")
def spark(cluster: Standalone) -> Iterator[Any]:
    session = cluster.session(
        **{"spark.speculation": "true", "spark.speculation.interval": "100ms", "spark.speculation.multiplier": "1.5"}
    )
    yield session
    session.stop()
