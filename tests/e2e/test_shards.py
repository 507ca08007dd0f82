"""A run that is shared out over machines and merged is the run of one machine, byte for byte; what does not fit is noticed."""

from __future__ import annotations

import json
import shutil
import signal
import time
from pathlib import Path

import pytest
from tests.support.command import snellen, start
from tests.support.endpoint import Endpoint, completion
from tests.support.sets import write_set

from snellen.core.errors import SnellenError
from snellen.engine.merging import merge

DERIVED = ("summary.json", "samples.jsonl")


def words(
    data: Path, out: Path, *more: object, exam: str = "salbench", model: str = "baseline/chance"
) -> tuple[object, ...]:
    return ("run", exam, "--data", data, "--model", model, "--controls", "shuffled", "--out", out, *more)


def derived(run: Path) -> dict[str, bytes]:
    found = {name: (run / name).read_bytes() for name in DERIVED}
    return found | {path.name: path.read_bytes() for path in sorted((run / "marks").iterdir())}


def the_run(out: Path) -> Path:
    (found,) = (path for path in out.iterdir() if not path.suffix)
    return found


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_set(tmp_path / "set", 23)


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2)])
def test_three_parts_in_any_order_are_the_whole(tmp_path: Path, data: Path, order: tuple[int, ...]) -> None:
    cache, whole, parts = tmp_path / "cache", tmp_path / "whole", tmp_path / "parts"
    assert snellen(*words(data, whole), cache=cache).returncode == 0
    for number in order:
        done = snellen(*words(data, parts, "--shard", f"{number}/3"), cache=cache)
        assert done.returncode == 0, done.stderr
    asked = [len((p / "samples.jsonl").read_text().splitlines()) for p in sorted(parts.glob("*of3"))]
    assert sum(asked) == len((the_run(whole) / "samples.jsonl").read_text().splitlines())
    assert max(asked) - min(asked) <= 1
    assert "merged 3 shards into" in done.stderr
    assert derived(the_run(parts)) == derived(the_run(whole))
    again = snellen(
        *words(data, parts), cache=cache
    )  # the merged run is the run of the same command: nothing is left to ask
    assert again.returncode == 0, again.stderr
    assert derived(the_run(parts)) == derived(the_run(whole))
    assert snellen("verify", the_run(parts), "--data", data, cache=cache).returncode == 0


def test_a_part_that_was_killed_and_resumed_loses_and_doubles_nothing(tmp_path: Path, data: Path) -> None:
    cache, out = tmp_path / "cache", tmp_path / "parts"

    def script(request: dict[str, object], _time: int) -> tuple[int, dict[str, str], bytes]:
        return 200, {}, json.dumps(completion("Color", str(request["model"]), 0.01)).encode()

    with Endpoint(delay=0.05, script=script) as endpoint:
        model = ("--base-url", endpoint.url, "--concurrency", 4)
        asked = lambda n: words(data, out, *model, "--shard", f"{n}/2", model="api/fake")  # noqa: E731
        process = start(*asked(1), cache=cache)
        while process.poll() is None and not sum(f.read_bytes().count(b"\n") for f in out.glob("*/answers.jsonl")) > 5:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        part = next(out.glob("*.1of2"))
        with pytest.raises(SnellenError, match="without an answer"):
            merge([part, part])
        for number in (2, 1):
            assert snellen(*asked(number), cache=cache).returncode == 0
        questions = sum(json.loads((the_run(out) / "run.json").read_text())["questions"].values())
    lines = [json.loads(line) for line in (the_run(out) / "answers.jsonl").read_text().splitlines()]
    assert len(lines) == len({(line["id"], line["prompt"]) for line in lines}) == questions
    assert json.loads((the_run(out) / "summary.json").read_text())["complete"]


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (("1of3", "2of3"), "missing: 3/3"),
        (("1of3", "1of3", "2of3"), "missing: 3/3; twice, or of another division: 1/3"),
        (("1of3", "2of3", "2of2"), "missing: 3/3; twice, or of another division: 2/2"),
    ],
)
def test_what_does_not_fit_is_one_line(tmp_path: Path, data: Path, parts: tuple[str, ...], said: str) -> None:
    cache, out = tmp_path / "cache", tmp_path / "parts"
    for number, of in ((1, 3), (2, 3), (2, 2)):
        assert snellen(*words(data, out, "--shard", f"{number}/{of}"), cache=cache).returncode == 0
    with pytest.raises(SnellenError) as refused:
        merge([next(out.glob(f"*.{part}")) for part in parts])
    assert said in str(refused.value)
    assert not [path for path in out.iterdir() if "of" not in path.suffix]


def test_shards_from_several_machines_are_merged_where_the_folder_is_shown(tmp_path: Path, data: Path) -> None:
    cache, out = tmp_path / "cache", tmp_path / "all"
    for number in (1, 2):
        there = tmp_path / str(number)
        assert snellen(*words(data, there, "--shard", f"{number}/2"), cache=cache).returncode == 0
        shutil.copytree(there, out, dirs_exist_ok=True)
    done = snellen("show", out, "--json", cache=cache)
    assert "merged 2 shards into" in done.stderr
    assert [row["run"] for row in json.loads(done.stdout)["runs"]] == [str(the_run(out))]
    assert "merged" not in snellen("show", out, cache=cache).stderr


def test_a_merged_run_is_never_touched_and_older_than_its_shards_it_says_so(tmp_path: Path, data: Path) -> None:
    cache, out = tmp_path / "cache", tmp_path / "parts"
    for number in (1, 2):
        assert snellen(*words(data, out, "--shard", f"{number}/2"), cache=cache).returncode == 0
    first = the_run(out)
    before = derived(first)
    time.sleep(1.1)  # the time in run.json has no fractions
    again = snellen(*words(data, out, "--shard", "1/2", "--fresh"), cache=cache)
    assert "it holds other answers" in again.stderr, again.stderr
    assert derived(first) == before
    shown = json.loads(snellen("show", out, "--json", cache=cache).stdout)
    assert any(row["run"].endswith(".1of2") for row in shown["runs"]), "the new answers are not passed over"
    first.rename(tmp_path / "elsewhere")
    assert "merged 2 shards into" in snellen("show", out, cache=cache).stderr


def test_a_shard_whose_answers_are_gone_does_not_end_the_list(tmp_path: Path, data: Path) -> None:
    cache, out = tmp_path / "cache", tmp_path / "parts"
    for number in (1, 2):
        assert snellen(*words(data, out, "--shard", f"{number}/2"), cache=cache).returncode == 0
    (next(out.glob("*.1of2")) / "answers.jsonl").unlink()
    done = snellen("show", out, "--json", cache=cache)
    assert done.returncode == 0, done.stderr
    assert str(the_run(out)) in [row["run"] for row in json.loads(done.stdout)["runs"]]


def test_shards_of_two_models_are_not_merged(tmp_path: Path, data: Path) -> None:
    with Endpoint() as endpoint:
        for number, digest in ((1, "a"), (2, "b")):
            endpoint.models = [{"id": "fake", "digest": digest}]
            asked = words(
                data, tmp_path / "parts", "--base-url", endpoint.url, "--shard", f"{number}/2", model="api/fake"
            )
            done = snellen(*asked, cache=tmp_path / str(number))
    assert "have answers of different models: 'digest a' and 'digest b'" in done.stderr, done.stderr


def test_a_first_shard_that_is_asked_anew_alone_is_no_shard_of_anything(tmp_path: Path, data: Path) -> None:
    cache, out = tmp_path / "cache", tmp_path / "parts"
    for more in ((), ("--fresh",)):
        done = snellen(*words(data, out, "--shard", "1/2", *more), cache=cache)
        assert done.returncode == 0, done.stderr
    assert snellen("show", out, cache=cache).returncode == 0


def test_a_run_of_its_own_is_not_taken_for_the_merged_one(tmp_path: Path, data: Path) -> None:
    cache, out = tmp_path / "cache", tmp_path / "parts"
    assert snellen(*words(data, out), cache=cache).returncode == 0
    for number in (1, 2):
        done = snellen(*words(data, out, "--shard", f"{number}/2"), cache=cache)
        assert done.returncode == 0, done.stderr
    assert "it holds other answers" in done.stderr
    assert len(json.loads(snellen("show", out, "--json", cache=cache).stdout)["runs"]) == 3


def test_a_question_that_failed_does_not_keep_shards_apart(tmp_path: Path, data: Path) -> None:
    seen: list[str] = []

    def script(request: dict[str, object], _time: int) -> tuple[int, dict[str, str], bytes] | None:
        seen.append(json.dumps(request))
        return (400, {}, b'{"error": {"message": "could not process image"}}') if seen[-1] == seen[0] else None

    with Endpoint(script=script) as endpoint:
        for number in (1, 2):
            asked = words(
                data, tmp_path / "parts", "--base-url", endpoint.url, "--shard", f"{number}/2", model="api/fake"
            )
            done = snellen(*asked, cache=tmp_path / "cache")
    assert "merged 2 shards into" in done.stderr, done.stderr
    assert json.loads((the_run(tmp_path / "parts") / "summary.json").read_text())["failed"] >= 1


@pytest.mark.parametrize("shard", ["0/3", "4/3", "2", "a/b", "30/30"])
def test_a_part_that_cannot_be_is_refused(tmp_path: Path, data: Path, shard: str) -> None:
    done = snellen(
        *words(data, tmp_path / "parts", "--split", "P3", "--task", "D", "--shard", shard), cache=tmp_path / "cache"
    )
    assert done.returncode == 2
    assert "--shard" in done.stderr
