"""What a run leaves out for want of a library or a program, another one can run: `UNILID_LEFT_OUT=FILE pytest`, then
`pytest @FILE`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# No test fails because the machine is busy.
hypothesis.settings.register_profile("default", hypothesis.settings.get_profile("default"), deadline=None)
# For `--hypothesis-profile`, where the processor is emulated (`tools/release.py`), or the kernel watches itself, which
# fuzzers give far more examples (`tools/sanitize`).
for name, examples in (("emulated", 10), ("sanitized", 25)):
    hypothesis.settings.register_profile(
        name, max_examples=examples, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
    )

_left_out: list[str] = []


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give tests that ask for many examples only as many as the profile has, which no profile does by itself."""
    profile = config.getoption("--hypothesis-profile", None)
    if profile not in ("emulated", "sanitized"):
        return
    most = hypothesis.settings.get_profile(profile).max_examples
    for item in items:
        test = getattr(item, "obj", None)
        asked = getattr(test, "_hypothesis_internal_use_settings", None)
        if test is not None and asked is not None:
            few = min(asked.max_examples, most)
            test._hypothesis_internal_use_settings = hypothesis.settings(asked, max_examples=few, deadline=None)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped:
        _left_out.append(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.skipped:
        _left_out.append(report.nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what a worker of xdist left out: of modules that lack the same library it reports only one by itself."""
    _left_out.extend(getattr(node, "workeroutput", {}).get("left_out", []))


def pytest_sessionfinish(session: pytest.Session) -> None:
    file = os.environ.get("UNILID_LEFT_OUT")
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = _left_out
    elif file:
        names = dict.fromkeys(name[: name.rfind("@")] if _is_in_a_group(name) else name for name in _left_out)
        Path(file).write_text("".join(f"{name}\n" for name in names), encoding="utf-8")


def _is_in_a_group(name: str) -> bool:
    """Whether xdist wrote the name of a group behind that of the test."""
    return name.rfind("@") > name.rfind("]")
