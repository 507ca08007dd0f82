"""Progress: nothing where there is nothing to ask, plain words where there is."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from snellen.cli.progress import describe, show_count, show_progress
from snellen.cli.suite_progress import show_suite
from snellen.core.errors import SnellenError
from snellen.engine.answer.asking_pass import Progress
from snellen.engine.suite.running import SuiteRunResult

UNDER_WAY = Progress(
    total=20,
    done=10,
    errors=1,
    stored=2,
    in_flight=3,
    limit=4,
    retries=5,
    cost=0.25,
    cost_unknown=1,
    seconds=2.0,
    begun=0,
)


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("terminal", [True, False])
def test_a_run_with_nothing_to_ask_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    monkeypatch.setattr(sys, "stderr", out := Screen() if terminal else io.StringIO())
    with show_progress("salbench · x") as stages:
        stages.asking(UNDER_WAY._replace(done=20, begun=20))
    with show_count("making"):
        pass
    assert out.getvalue() == ""


@pytest.mark.parametrize("terminal", [True, False])
def test_a_run_under_way_is_shown_with_its_title(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "stderr", out := Screen() if terminal else io.StringIO())
    with show_progress("salbench · x") as stages:
        stages.asking(UNDER_WAY)
        stages.asking(UNDER_WAY._replace(done=20))
    assert out.getvalue().count("salbench · x") == 1
    assert "20/20" in out.getvalue() or "20 of 20" in out.getvalue()
    assert "0/?" not in out.getvalue()


@pytest.mark.parametrize("terminal", [True, False])
def test_the_runs_of_a_suite_are_counted_together(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(sys, "stderr", out := Screen() if terminal else io.StringIO())
    cells: Any = [
        SimpleNamespace(label=f"salbench · {name}", plan=SimpleNamespace(questions={"question": 20})) for name in "xy"
    ]
    with show_suite("mine", cells) as watch:
        watch.asking(0, UNDER_WAY)
        watch.asking(1, UNDER_WAY._replace(done=20))
        watch.ended(1, SuiteRunResult(cells[1], None, SnellenError("no endpoint")))
        watch.asking(0, UNDER_WAY._replace(done=20))
    assert "40/40" in out.getvalue() or "40 of 40" in out.getvalue()
    assert "salbench · y: failed" in out.getvalue()


def test_progress_is_told_in_plain_words() -> None:
    assert describe(UNDER_WAY) == (
        "5.0 answers/s · 0.2500 USD and calls of unknown cost · 1 failed · 5 retried · "
        "3 in progress (at most 4) · 2 from the store"
    )
    assert describe(UNDER_WAY._replace(cost=0.0)).startswith("5.0 answers/s · cost unknown · ")
