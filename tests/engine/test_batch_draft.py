"""Lines of a batch's results: which of them the provider counts."""

from __future__ import annotations

import json
from pathlib import Path

from snellen.engine.answer.batch_draft import lines_in
from snellen.subjects.openai_batches import OpenAIBatches


def test_expired_requests_do_not_stand_for_results_that_were_cut(tmp_path: Path) -> None:
    api = OpenAIBatches("/chat/completions")
    done = [{"custom_id": f"k{i}", "response": {"status_code": 200, "body": {}}} for i in range(2)]
    gone = [{"custom_id": f"k{i}", "error": {"code": "batch_expired", "message": "too late"}} for i in range(5, 10)]
    (tmp_path / "results").write_text("".join(json.dumps(line) + "\n" for line in (*done, *gone)))
    with (tmp_path / "results").open("rb") as file:
        assert lines_in(api, file, 0) == (2, 7)
    assert api.result(json.dumps(gone[0]).encode()).status == 503
