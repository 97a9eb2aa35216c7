"""What the tests of corpora share."""

from __future__ import annotations

import pytest

from unilid import files
from unilid.corpus import reading as corpus


@pytest.fixture(params=[1, 2, 3, 7, 1 << 20], ids=lambda size: f"chunk{size}")
def chunk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "CHUNK", request.param)
    monkeypatch.setattr(corpus, "BATCH", 2)
