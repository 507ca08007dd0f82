"""Questions made in a process of their own are the same as those made in a thread, and the process never outlives its use."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from tests.support.sets import png, write_config, write_set

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.types import Answer
from snellen.engine.answer import feeding
from snellen.engine.answer.feeding import Feed, Item, ProcessFeed, open_feed
from snellen.engine.manifests import write_manifest
from snellen.engine.plan.plan import Plan, make_plan
from snellen.engine.plan.request import RunRequest
from snellen.engine.runs.folder import RunFolder

CANARY = "sk-feeding-canary"
NOWHERE = "http://127.0.0.1:9/v1"


def plan(data: Path, **options: object) -> Plan:
    given = {"base_url": NOWHERE, "api_key": CANARY, "extra": {"top_p": 0.5}, "price": "1/2", "logprobs": 3}
    protocols = ("paper", "lmms-eval@lmms-eval")
    selection = Selection(**options)  # type: ignore[arg-type]
    return make_plan(RunRequest("salbench", "api/m", data, protocols, selection=selection, options=given))


def everything(feed: Feed | ProcessFeed) -> list[Item]:
    items: list[Item] = []
    while chunk := feed.pull():
        items += chunk
    feed.close()
    return items


def nothing_done(_key: object) -> bool:
    return False


def process(made: Plan, run: Path) -> ProcessFeed:
    with RunFolder(run) as folder:
        write_manifest(folder, made)
    feed = open_feed(made, run, nothing_done, open_questions=10_000)
    assert isinstance(feed, ProcessFeed)
    return feed


def test_both_ways_make_the_same_requests(tmp_path: Path) -> None:
    write_set(tmp_path / "set", 45, ("P3", "O3_box"))
    made = plan(tmp_path / "set", limit=40, seed=3)
    here, there = everything(Feed(made.feeding, nothing_done)), everything(process(made, tmp_path / "run"))
    assert len(here) == 160
    assert [i.prepared for i in here] == [i.prepared for i in there]
    assert [(i.question.id, i.question.prompt) for i in here] == [(i.question.id, i.question.prompt) for i in there]
    assert here[0].prepared.cost_bound > 0


def test_a_slow_reader_gets_every_body_whole(tmp_path: Path) -> None:
    """The process must not write over a half that has not been taken."""
    write_set(tmp_path / "set", 90)
    made = plan(tmp_path / "set")
    feed = process(made, tmp_path / "run")
    got = []
    while chunk := feed.pull():
        got += [i.prepared for i in chunk]
        time.sleep(0.15)  # long enough for the process to run as far ahead as it may
    feed.close()
    assert got == [i.prepared for i in everything(Feed(made.feeding, nothing_done))]


def test_shots_and_broken_images_come_across(tmp_path: Path) -> None:
    images = [{"bytes": png(i), "path": None} for i in range(29)] + [{"bytes": b"junk", "path": None}]
    write_config(tmp_path / "set", "P3", 30, image=images)
    given = {"base_url": NOWHERE, "shots": 3}
    made = make_plan(RunRequest("salbench", "api/m", tmp_path / "set", ("paper",), options=given))
    here, there = everything(Feed(made.feeding, nothing_done)), everything(process(made, tmp_path / "run"))
    assert [i.failure for i in here] == [i.failure for i in there]
    assert sum(i.failure is not None for i in there) >= 1
    assert [i.question.shots for i in here] == [i.question.shots for i in there]
    assert [i.prepared for i in here] == [i.prepared for i in there]


def test_what_is_answered_is_not_made(tmp_path: Path) -> None:
    write_set(tmp_path / "set", 10)
    made = plan(tmp_path / "set")
    feed = process(made, tmp_path / "run")
    feed.close()
    with RunFolder(tmp_path / "run") as folder:
        folder.start_appending()
        folder.append(*(Answer(id=f"P3/img{i:05d}", prompt="question", text="x") for i in range(8)))
    items = everything(process(made, tmp_path / "run"))
    assert sum(i.question.prompt == "question" for i in items) == 2
    assert sum(i.question.prompt == "lmms-eval" for i in items) == 10


def test_large_bodies_alternate_between_the_halves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    from PIL import Image

    noise = Image.frombytes("RGB", (2400, 2400), os.urandom(2400 * 2400 * 3))
    out = io.BytesIO()
    noise.save(out, "PNG", compress_level=0)  # 17 MB, so that four of them fill a half
    images = [{"bytes": out.getvalue() + bytes([i]), "path": None} for i in range(9)]
    write_config(tmp_path / "set", "P3", 9, image=images, rows_a_group=3)
    made = make_plan(RunRequest("salbench", "api/m", tmp_path / "set", ("paper",), options={"base_url": NOWHERE}))
    sizes, keys = [], []
    feed = process(made, tmp_path / "run")
    while chunk := feed.pull():
        sizes.append(len(chunk))
        keys += [i.prepared.key for i in chunk]
    feed.close()
    assert max(sizes) < 4
    assert keys == [i.prepared.key for i in everything(Feed(made.feeding, nothing_done))]


def test_an_error_in_the_process_is_one_line_here(tmp_path: Path) -> None:
    write_set(tmp_path / "set", 10)
    made = plan(tmp_path / "set")
    write_config(tmp_path / "set", "P3", 10, answer=["nonsense"] * 10)
    feed = process(made._replace(data=made.data), tmp_path / "run")
    with pytest.raises(SnellenError, match="answer 'nonsense' is not a label"):
        feed.pull()
    feed.close()


def test_a_process_that_dies_is_noticed_and_one_that_is_left_ends(tmp_path: Path) -> None:
    write_set(tmp_path / "set", 200)
    made = plan(tmp_path / "set")
    feed = process(made, tmp_path / "run")
    feed._process.kill()
    with pytest.raises(RuntimeError, match="ended before it was done"):
        while feed.pull():
            pass
    feed.close()
    left = process(made, tmp_path / "run2")
    assert left.pull()
    assert left._process.stdin is not None
    left._process.stdin.close()  # what happens when the asking process is killed
    left._process.wait(timeout=60)
    left.close()


def test_the_process_never_gets_the_key(tmp_path: Path) -> None:
    write_set(tmp_path / "set", 100)
    feed = process(plan(tmp_path / "set"), tmp_path / "run")
    feed.pull()
    if Path("/proc").exists():
        seen = b"".join(Path(f"/proc/{feed._process.pid}/{name}").read_bytes() for name in ("cmdline", "environ"))
        assert CANARY.encode() not in seen
    feed.close()


def test_small_runs_and_other_subjects_stay_in_a_thread(tmp_path: Path) -> None:
    write_set(tmp_path / "set", 10)
    made = plan(tmp_path / "set")
    assert isinstance(open_feed(made, tmp_path, nothing_done, feeding.ENOUGH_FOR_A_PROCESS - 1), Feed)
    baseline = make_plan(RunRequest("salbench", "baseline/chance", tmp_path / "set"))
    assert isinstance(open_feed(baseline, tmp_path, nothing_done, 10_000), Feed)
