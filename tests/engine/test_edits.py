"""What was edited, swapped or moved since a run is noticed, and said in one line: prompts, markers, versions, models, data."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.registry.test_plugin_edits import PLUGIN, Trial, headline
from tests.support.command import snellen
from tests.support.endpoint import Endpoint
from tests.support.sets import write_set

OLD, NEW = 1_600_000_000, 1_650_000_000


def run(server: Endpoint, folder: Path, out: str = "runs", data: str = "data", *more: object) -> tuple[Any, str]:
    words = ["run", "salbench", "--data", folder / data, "--out", folder / out, "--model", "api/m", "--json"]
    done = snellen(*words, "--base-url", server.url, *more, cache=folder / "cache")
    assert done.returncode in (0, 3), done.stderr
    return json.loads(done.stdout), done.stderr


# ---------------------------------------------------------------- plugins


def test_an_edited_prompt_asks_again_and_says_so(tmp_path: Path) -> None:
    with Endpoint(answer="3") as server:
        trial = Trial(tmp_path, server)
        trial.run(PLUGIN)
        _summary, said, asked = trial.run(PLUGIN.replace("How many?", "How many are there?"))
        assert asked == 5
        assert "the wording of question has changed" in said


def test_an_edited_marker_marks_again_and_says_so(tmp_path: Path) -> None:
    with Endpoint(answer="3") as server:
        trial = Trial(tmp_path, server)
        trial.run(PLUGIN)
        summary, said, asked = trial.run(PLUGIN.replace('answer == "3"', 'answer == "4"'))
        assert (asked, headline(summary)) == (0, 0.0)
        assert "the plugin of exact was edited since the answers were marked: they are marked again" in said


def test_another_version_of_a_plugins_protocol_marks_again_and_says_so(tmp_path: Path) -> None:
    with Endpoint(answer="3") as server:
        trial = Trial(tmp_path, server)
        trial.run(PLUGIN)
        summary, said, asked = trial.run(PLUGIN.replace("read, mark)", 'read, mark, version="2")'))
        assert asked == 0
        assert "marked again" in said
        assert summary["marked"][0]["version"] == "2"


def test_another_version_of_our_own_protocol_marks_again_and_says_so(tmp_path: Path) -> None:
    write_set(tmp_path / "data", 3)
    with Endpoint(answer="Color") as server:
        first, _said = run(server, tmp_path)
        record = Path(first["run"]) / "run.json"
        known = json.loads(record.read_text())
        now = known["protocols"][0]["version"]
        known["protocols"][0]["version"] = "0.9"  # as an earlier Snellen wrote it
        record.write_text(json.dumps(known))
        (Path(first["run"]) / "summary.json").unlink()
        server.requests.clear()
        second, said = run(server, tmp_path)
        assert not server.requests
        name = known["protocols"][0]["name"]
        assert f"the rules of {name} (version 0.9, now {now}) have changed since the answers were marked" in said
        assert second["marked"][0]["version"] == now


# ---------------------------------------------------------------- another model under the same name


@pytest.mark.parametrize(
    ("before", "now"),
    [({"digest": "aaa"}, {"digest": "bbb"}), ({"root": "org/one"}, {"root": "org/two"})],
    ids=["digest", "root"],
)
def test_a_run_whose_server_was_swapped_is_put_aside_and_asked_anew(
    tmp_path: Path, before: dict[str, str], now: dict[str, str]
) -> None:
    write_set(tmp_path / "data", 8)
    with Endpoint(answer="Color", models=[{"id": "m", **before}]) as server:
        first, _said = run(server, tmp_path)
        server.models, server.requests[:] = [{"id": "m", **now}], []
        second, said = run(server, tmp_path)
        assert len(server.requests) == 8, "all of them, though the first replies are the same"
        name, was = next(iter(before.items()))
        assert "api/m is not the model that gave this run's answers: its server said" in said
        assert f"'{name} {was}', and now '{name} {now[name]}'; the old run is kept" in said
        assert (second["run"], second["totals"]["calls"]) == (first["run"], 8)
        assert Path(f"{first['run']}.old1", "answers.jsonl").is_file(), "nothing is lost"
        server.requests.clear()
        _third, said = run(server, tmp_path)
        assert not server.requests
        assert "is not the model" not in said


def test_half_a_run_is_not_filled_up_by_another_model(tmp_path: Path) -> None:
    write_set(tmp_path / "data", 8)
    with Endpoint(answer="Color", models=[{"id": "m", "digest": "aaa"}]) as server:
        server.script = lambda _body, _n: (401, {}, b"{}") if len(server.requests) > 3 else None
        words = ["run", "salbench", "--data", tmp_path / "data", "--out", tmp_path / "runs", "--model", "api/m"]
        snellen(*words, "--base-url", server.url, "--concurrency", 1, cache=tmp_path / "cache")
        (answers,) = (tmp_path / "runs").glob("*/answers.jsonl")
        assert 0 < len(answers.read_text().splitlines()) < 8
        server.script, server.models, server.answer = None, [{"id": "m", "digest": "bbb"}], "Size"
        found, said = run(server, tmp_path)
        assert "is not the model that gave this run's answers" in said
        texts = {json.loads(line)["text"] for line in (Path(found["run"]) / "answers.jsonl").read_text().splitlines()}
        assert texts == {"Size"}


@pytest.mark.parametrize(
    ("before", "now"),
    [({"digest": "aaa"}, {"digest": "bbb"}), ({"created": OLD}, {"created": NEW})],
    ids=["digest", "created"],
)
def test_the_store_of_another_model_is_not_used_even_where_the_first_replies_agree(
    tmp_path: Path, before: dict[str, Any], now: dict[str, Any]
) -> None:
    write_set(tmp_path / "data", 8)
    with Endpoint(answer="Color", models=[{"id": "m", **before}]) as server:
        run(server, tmp_path, "first")
        server.models, server.requests[:] = [{"id": "m", **now}], []
        found, said = run(server, tmp_path, "second")
        assert (len(server.requests), found["totals"]["stored"]) == (8, 0)
        assert "has another model under this name than when 8 stored answers were given" in said


def test_a_server_that_is_the_same_or_makes_its_times_up_loses_nothing(tmp_path: Path) -> None:
    import time

    write_set(tmp_path / "data", 8)
    with Endpoint(answer="Color", models=[{"id": "m", "root": "org/one", "created": int(time.time())}]) as server:
        run(server, tmp_path)
        server.models, server.requests[:] = [{"id": "m", "root": "org/one", "created": int(time.time()) + 1}], []
        _found, said = run(server, tmp_path)
        assert not server.requests
        assert "nothing was asked" in said
        assert "another model" not in said


def test_a_time_of_making_alone_is_told_and_nothing_is_put_aside(tmp_path: Path) -> None:
    write_set(tmp_path / "data", 3)
    with Endpoint(answer="Color", models=[{"id": "m", "created": OLD}]) as server:
        run(server, tmp_path)
        server.models, server.requests[:] = [{"id": "m", "created": NEW}], []
        _found, said = run(server, tmp_path)
        assert not server.requests
        assert f"'created {OLD}', and now 'created {NEW}' (or its server was started again): --fresh asks" in said


def test_a_finished_run_needs_no_server(tmp_path: Path) -> None:
    write_set(tmp_path / "data", 3)
    with Endpoint(answer="Color", models=[{"id": "m", "digest": "aaa"}]) as server:
        first, _said = run(server, tmp_path)
    again, said = run(server, tmp_path)
    assert again["run"] == first["run"]
    assert "nothing was asked" in said


def test_every_run_says_what_was_asked_now_and_how_old_the_rest_is(tmp_path: Path) -> None:
    write_set(tmp_path / "data", 12)
    with Endpoint(answer="Color") as server:
        _first, said = run(server, tmp_path, "first", "data", "--limit", 6)
        assert "calls were made now" not in said, "all of it is new: the totals say it"
        _second, said = run(server, tmp_path, "second")
        assert "9 calls were made now; 3 answers were taken from the store, given on 20" in said
    with Endpoint(answer="Color", cost=0.01) as server:
        _half, said = run(server, tmp_path, "paid", "data", "--max-cost", 0.05)
        _whole, said = run(server, tmp_path, "paid")
        assert "7 calls were made now; 5 answers were there already, given on 20" in said


# ---------------------------------------------------------------- the data


@pytest.mark.parametrize("exam", ["salbench", "illusionbench", "grounding", "d3", "vqax"])
def test_data_that_was_moved_is_the_same_run_and_the_run_knows_where_it_is(tmp_path: Path, exam: str) -> None:
    made = snellen("data", "make", exam, "--count", 2, "--out", tmp_path / "here", cache=tmp_path / "cache")
    assert made.returncode == 0, made.stderr
    model = {"grounding": "method/center", "d3": "baseline/constant:a cat"}.get(exam, "baseline/constant:red")
    words = ["run", exam, "--out", tmp_path / "runs", "--model", model, "--json"]
    first = snellen(*words, "--data", tmp_path / "here", cache=tmp_path / "cache")
    shutil.move(tmp_path / "here", tmp_path / "there")
    second = snellen(*words, "--data", tmp_path / "there", cache=tmp_path / "cache")
    assert second.returncode == first.returncode, second.stderr
    run = json.loads(second.stdout)["run"]
    assert run == json.loads(first.stdout)["run"]
    said = f"the data is the same as before, and is now in {tmp_path / 'there'} (it was in {tmp_path / 'here'}): the run goes on"
    assert said in second.stderr
    assert json.loads((Path(run) / "run.json").read_text())["data"]["source"] == str(tmp_path / "there")
    third = snellen(*words, "--data", tmp_path / "there", cache=tmp_path / "cache")
    assert "the data is the same" not in third.stderr


def test_data_that_was_edited_in_its_place_is_another_run_and_that_is_said(tmp_path: Path) -> None:
    write_set(tmp_path / "data", 3)
    with Endpoint(answer="Color") as server:
        first, said = run(server, tmp_path)
        assert "has changed since" not in said
        shutil.rmtree(tmp_path / "data")
        write_set(tmp_path / "data", 4)
        second, said = run(server, tmp_path)
        assert second["run"] != first["run"]
        name = Path(first["run"]).name
        assert f"the data in {tmp_path / 'data'} has changed since {name} was run on it: this is another run" in said
