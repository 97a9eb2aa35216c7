"""What several tests of evaluations begin with."""

from __future__ import annotations

import pytest
from support.evaluation import HOSTILE, HOSTILE_LINES, tallied

from unilid.evaluation.metrics import Report


@pytest.fixture(scope="module")
def hostile() -> Report:
    return tallied(HOSTILE_LINES).report({label: 10**number for number, label in enumerate(HOSTILE)})
