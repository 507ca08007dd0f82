"""The feed: questions that are open, made and prepared in chunks; one that cannot be made is one failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.endpoint import Endpoint
from tests.support.sets import png, write_config, write_set

from snellen.core.options import Selection
from snellen.engine.ask.questions import CHUNK, Feed, PreparedQuestion
from snellen.engine.plan.plan import Plan, make_plan
from snellen.engine.plan.request import Limits, RunRequest
from snellen.engine.run import run_plan

NOWHERE = "http://127.0.0.1:9/v1"


def plan(data: Path, **options: object) -> Plan:
    given = {"base_url": NOWHERE, "extra": {"top_p": 0.5}, "price": "1/2", "logprobs": 3}
    protocols = ("paper", "lmms-eval@lmms-eval")
    selection = Selection(**options)  # type: ignore[arg-type]
    return make_plan(RunRequest("salbench", "api/m", data, protocols, selection=selection, options=given))


def everything(feed: Feed) -> list[PreparedQuestion]:
    items: list[PreparedQuestion] = []
    while chunk := feed.pull():
        assert len(chunk) <= CHUNK
        items += chunk
    return items


def nothing_done(_key: object) -> bool:
    return False


def test_every_open_question_comes_once_with_its_request(tmp_path: Path) -> None:
    write_set(tmp_path / "set", 45, ("P3", "O3_box"))
    items = everything(plan(tmp_path / "set", limit=40, seed=3).feed(nothing_done))
    keys = [(i.question.id, i.question.prompt) for i in items]
    assert len(keys) == len(set(keys)) == len({i.prepared.key for i in items}) == 160
    assert all(i.prepared.cost_bound > 0 for i in items)


def test_what_is_answered_is_not_made(tmp_path: Path) -> None:
    write_set(tmp_path / "set", 10)
    done = {(f"P3/img{i:05d}", "question") for i in range(8)}
    items = everything(plan(tmp_path / "set").feed(done.__contains__))
    assert sum(i.question.prompt == "question" for i in items) == 2
    assert sum(i.question.prompt == "lmms-eval" for i in items) == 10


def test_a_broken_image_is_one_failure(tmp_path: Path) -> None:
    images = [{"bytes": png(i), "path": None} for i in range(29)] + [{"bytes": b"junk", "path": None}]
    write_config(tmp_path / "set", "P3", 30, image=images)
    given = {"base_url": NOWHERE, "shots": 3}
    items = everything(
        make_plan(RunRequest("salbench", "api/m", tmp_path / "set", ("paper",), options=given)).feed(nothing_done)
    )
    failed = [i.failure for i in items if i.failure is not None]
    assert failed
    assert {f.kind for f in failed} == {"bad-image"}


def test_no_more_than_a_chunk_is_read_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_set(tmp_path / "set", 6 * CHUNK)
    ahead: list[int] = []
    with Endpoint(delay=0.02) as endpoint:
        pull, pulled = Feed.pull, [0]

        def counted(feed: Feed) -> Any:
            ahead.append(pulled[0] - len(endpoint.requests))
            chunk = pull(feed)
            pulled[0] += len(chunk)
            return chunk

        monkeypatch.setattr(Feed, "pull", counted)
        options = {"base_url": endpoint.url}
        request = RunRequest("salbench", "api/m", tmp_path / "set", ("paper",), options=options, out=tmp_path / "runs")
        assert run_plan(make_plan(request._replace(limits=Limits(concurrency=4)))).stopped is None
    assert max(ahead) <= 2 * CHUNK
