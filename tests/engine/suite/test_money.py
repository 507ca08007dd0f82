"""What a suite cost is what its ledgers say, however its runs ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.endpoint import Endpoint
from tests.support.sets import write_set

from snellen.engine.plan.request import Limits
from snellen.engine.suite.cells import make_cells
from snellen.engine.suite.file import read_suite
from snellen.engine.suite.running import SuiteExecution, Watch
from snellen.present.terminal.suite import document

PRICE = 0.01


def test_a_suite_that_was_stopped_says_what_was_paid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where an earlier session left a summary, and not what --fresh has put aside."""
    monkeypatch.setenv("SNELLEN_CACHE_DIR", str(tmp_path / "cache"))
    data, file = write_set(tmp_path / "data", 20), tmp_path / "suite.toml"
    left = 100

    def script(_request: Any, _times: int) -> Any:
        nonlocal left
        left -= 1
        return None if left >= 0 else (401, {}, b'{"error": "no"}')

    with Endpoint(cost=PRICE, script=script) as endpoint:
        file.write_text(f'[[exam]]\nname = "salbench"\n[[model]]\nspec = "api/fake"\nbase_url = "{endpoint.url}"')

        def run(cap: float, *, fresh: bool = False) -> tuple[str, int]:
            limits = Limits(concurrency=1, fresh=fresh)
            cells = make_cells(read_suite(file), limits, tmp_path / "out", lambda name, _data: (name, data))
            told = document("s", tmp_path / "out", SuiteExecution(cells, cap, Watch()).run(), cap)
            assert told["runs"][0]["cost"] == told["cost"]
            return told["runs"][0]["state"], round(told["cost"] / PRICE)

        assert run(0.1) == ("budget reached", 10)
        left = 4
        assert run(5) == ("failed", 14)
        left = 3
        assert run(5, fresh=True) == ("failed", 3)
        left = 100
        assert run(5, fresh=True) == ("done", 20)
