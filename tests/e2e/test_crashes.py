"""The installed command against a faulty endpoint, killed, interrupted, out of disk: nothing is lost, nothing paid twice."""

from __future__ import annotations

import json
import random
import resource
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from tests.support.command import SNELLEN, environment, snellen, start
from tests.support.endpoint import Endpoint, Faults, fingerprint
from tests.support.sets import write_set


def words(data: Path, endpoint: Endpoint, out: Path, *more: object) -> tuple[object, ...]:
    return (
        "run",
        "salbench",
        "--data",
        data,
        "--model",
        "api/fake",
        "--base-url",
        endpoint.url,
        "--out",
        out,
        *more,
    )


def lines(out: Path) -> list[dict[str, Any]]:
    """The whole lines of the run's answers."""
    files = list(out.glob("*/answers.jsonl"))
    if not files:
        return []
    return [json.loads(line) for line in files[0].read_bytes().split(b"\n")[:-1] if line]


def wait_for_lines(out: Path, n: int, process: subprocess.Popen[str]) -> None:
    while process.poll() is None and sum(f.read_bytes().count(b"\n") for f in out.glob("*/answers.jsonl")) < n:
        time.sleep(0.01)


def test_four_kills_under_faults_answer_every_sample_once_and_ask_no_answered_sample_again(tmp_path: Path) -> None:
    count = 300
    data = write_set(tmp_path / "set", count)
    out, cache = tmp_path / "runs", tmp_path / "cache"
    draw = random.Random(5)
    with Endpoint(delay=0.02, faults=Faults(throttle=0.05, crash=0.03, drop=0.02, garble=0.02, seed=9)) as endpoint:
        kills = 0
        while kills < 4:
            before = len(lines(out))
            process = start(*words(data, endpoint, out), cache=cache)
            wait_for_lines(out, before + draw.randrange(1, 30), process)
            time.sleep(draw.random() * 0.05)
            assert process.poll() is None, "it finished before four kills: " + (
                process.stderr.read() if process.stderr else ""
            )
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1
            answered = {a["id"] for a in lines(out) if "failure" not in a}
            asked = len(endpoint.requests)
            # what the next processes ask must leave out all that is on file now
            endpoint.marks = [*getattr(endpoint, "marks", []), (asked, answered)]  # type: ignore[attr-defined]
        done = snellen(*words(data, endpoint, out), cache=cache)
        assert done.returncode == 0, done.stderr
        requests, marks = endpoint.requests, endpoint.marks  # type: ignore[attr-defined]
    final = lines(out)
    good = Counter(a["id"] for a in final if "failure" not in a)
    assert len(good) == count
    assert set(good.values()) == {1}
    by_request = {fingerprint(r): i for i, r in enumerate(requests)}
    last_asked = _last_asked(data, requests)
    for asked, answered in marks:
        again = [i for i in answered if last_asked[i] >= asked]
        assert again == [], f"asked again after they were answered: {again[:5]}"
    assert len(by_request) == count
    summary = json.loads(next(out.glob("*/summary.json")).read_text())
    assert summary["complete"]


def _last_asked(data: Path, requests: list[dict[str, Any]]) -> dict[str, int]:
    """For each sample id the number of the last request that showed its image."""
    import base64

    from tests.support.sets import png

    ids = {base64.b64encode(png(i)).decode(): f"P3/img{i:05d}" for i in range(700)}
    found: dict[str, int] = {}
    for number, request in enumerate(requests):
        url = request["messages"][0]["content"][0]["image_url"]["url"]
        found[ids[url.partition(",")[2]]] = number
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_everything_and_the_same_command_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    data = write_set(tmp_path / "set", 120)
    out, cache = tmp_path / "runs", tmp_path / "cache"
    with Endpoint(delay=0.1) as endpoint:
        process = start(*words(data, endpoint, out, "--concurrency", 4), cache=cache)
        wait_for_lines(out, 10, process)
        process.send_signal(number)
        _stdout, stderr = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "interrupted: everything answered so far is kept" in stderr
        assert "Traceback" not in stderr
        # calls that were cut off are written down, since they may have been billed, and asked again
        kept = {a["id"] for a in lines(out) if "failure" not in a}
        cut = [a["failure"]["reason"] for a in lines(out) if "failure" in a]
        assert all(reason.startswith("stopped before the reply came") for reason in cut)
        asked = len(endpoint.requests)
        done = snellen(*words(data, endpoint, out), cache=cache)
        assert done.returncode == 0, done.stderr
        assert len(endpoint.requests) - asked == 120 - len(kept)


def test_a_torn_line_is_cut_and_that_sample_asked_again(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 20)
    out, cache = tmp_path / "runs", tmp_path / "cache"
    with Endpoint() as endpoint:
        snellen(*words(data, endpoint, out), cache=cache)
        file = next(out.glob("*/answers.jsonl"))
        file.write_bytes(file.read_bytes()[:-30])
        # with the store it costs nothing; without it that one question is asked
        done = snellen(*words(data, endpoint, out, "--no-store"), cache=cache)
        assert done.returncode == 0, done.stderr
        assert "the last line was incomplete" in done.stderr
        assert len(endpoint.requests) == 21
        assert len(lines(out)) == 20


def test_a_full_disk_stops_with_everything_kept(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 200)
    out, cache = tmp_path / "runs", tmp_path / "cache"
    with Endpoint() as endpoint:
        limit = 40_000

        def small_files() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        full = subprocess.run(
            [SNELLEN, *map(str, words(data, endpoint, out, "--no-store"))],
            capture_output=True,
            text=True,
            env=environment(cache),
            preexec_fn=small_files,
            check=False,
            timeout=120,
        )
        assert full.returncode == 3, full.stderr
        assert "cannot write" in full.stderr
        assert "Traceback" not in full.stderr
        kept = lines(out)
        assert 0 < len(kept) < 200
        asked = len(endpoint.requests)
        done = snellen(*words(data, endpoint, out, "--no-store"), cache=cache)
        assert done.returncode == 0, done.stderr
        assert len(endpoint.requests) - asked == 200 - len(kept)


def test_the_second_process_on_a_run_is_refused(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 60)
    out, cache = tmp_path / "runs", tmp_path / "cache"
    with Endpoint(delay=0.3) as endpoint:
        first = start(*words(data, endpoint, out, "--concurrency", 1), cache=cache)
        wait_for_lines(out, 1, first)
        second = snellen(*words(data, endpoint, out), cache=cache)
        assert second.returncode == 2
        assert "another process is writing" in second.stderr
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=60)
        assert first.returncode == 130


def test_errors_are_shown_and_asked_again_on_resume(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 30)
    out, cache = tmp_path / "runs", tmp_path / "cache"
    broken = True

    def script(request: dict[str, Any], _times: int) -> Any:
        return (500, {}, b"down") if broken and crc32(fingerprint(request).encode()) % 4 == 0 else None

    with Endpoint(script=script) as endpoint:
        first = snellen(*words(data, endpoint, out, "--tries", 2), cache=cache)
        assert first.returncode == 0, first.stderr
        failed = sum("failure" in a for a in lines(out))
        assert 0 < failed < 30
        assert "INCOMPLETE" in first.stdout
        assert f"{failed} x gave-up: status 500: down (2 tries)" in first.stdout
        broken = False
        asked = len(endpoint.requests)
        second = snellen(*words(data, endpoint, out), cache=cache)
        assert len(endpoint.requests) - asked == failed
        assert "INCOMPLETE" not in second.stdout


def test_too_many_errors_in_a_row_stop_the_run(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 100)
    with Endpoint(script=lambda _r, _t: (500, {}, b"down")) as endpoint:
        done = snellen(*words(data, endpoint, tmp_path / "runs", "--tries", 1, "--max-errors", 5), cache=tmp_path)
        assert done.returncode == 3
        assert "errors in a row, the last: status 500: down" in done.stderr
        assert len(endpoint.requests) < 60


@pytest.mark.parametrize(("status", "code"), [(402, 3), (403, 2)])
@pytest.mark.parametrize("count", [12, 60])
def test_what_is_in_flight_when_a_run_stops_is_kept(tmp_path: Path, status: int, code: int, count: int) -> None:
    data = write_set(tmp_path / "set", count)
    out, cache = tmp_path / "runs", tmp_path / "cache"

    turns = iter(range(10_000))

    def script(_request: dict[str, Any], _times: int) -> Any:
        return (status, {}, b'{"error": {"message": "no"}}') if next(turns) == 2 else None

    with Endpoint(delay=0.2, script=script) as endpoint:
        done = snellen(*words(data, endpoint, out), cache=cache)
        assert done.returncode == code, done.stderr
        assert len(lines(out)) == sum(endpoint.answered.values())
        endpoint.script = None
        assert snellen(*words(data, endpoint, out), cache=cache).returncode == 0
        assert sum(endpoint.answered.values()) == count


def test_an_interrupt_ends_a_run_that_is_waiting_to_stop(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 40)
    out, cache = tmp_path / "runs", tmp_path / "cache"

    turns = iter(
        range(10_000)
    )  # counted where they are answered: requests that came together must not all be throttled

    def script(_request: dict[str, Any], _times: int) -> Any:
        return (422, {}, b"no") if next(turns) % 2 else (429, {"retry-after": "300"}, b"wait")

    with Endpoint(script=script) as endpoint:
        process = start(*words(data, endpoint, out, "--max-errors", 3), cache=cache)
        _stdout, stderr = process.communicate(timeout=60)  # stops by itself: no new try is begun
        assert process.returncode == 3, stderr


def test_a_fresh_run_goes_on_fresh(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 30)
    out, cache = tmp_path / "runs", tmp_path / "cache"
    with Endpoint(cost=0.01) as endpoint:
        assert snellen(*words(data, endpoint, out), cache=cache).returncode == 0
        assert snellen(*words(data, endpoint, out, "--fresh", "--max-cost", 0.1), cache=cache).returncode == 3
        assert len(endpoint.requests) == 40
        for more in (
            ("--fresh", "--max-cost", 0.2),
            (),
        ):  # with or without the flag: neither old answers nor a new start
            snellen(*words(data, endpoint, out, *more), cache=cache)
        assert len(endpoint.requests) == 60
    assert len([p for p in out.iterdir() if p.is_dir()]) == 2


def test_repeated_images_are_asked_once(tmp_path: Path) -> None:
    from tests.support.sets import png, write_config

    images = [{"bytes": png(i % 20), "path": None} for i in range(40)]
    write_config(tmp_path / "set", "P3", 40, image=images, answer=["color"] * 40)
    with Endpoint() as endpoint:
        done = snellen(
            *words(tmp_path / "set", endpoint, tmp_path / "runs", "--concurrency", 1), cache=tmp_path / "cache"
        )
        assert done.returncode == 0, done.stderr
        assert len(endpoint.requests) == 20


def test_damaged_derived_files_are_made_again(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 10)
    out, cache = tmp_path / "runs", tmp_path / "cache"
    with Endpoint() as endpoint:
        snellen(*words(data, endpoint, out), cache=cache)
        run = next(p for p in out.iterdir() if p.is_dir())
        with (run / "marks" / "paper.jsonl").open("ab") as file:
            file.write(b"\xff garbage\n")
        with (run / "answers.jsonl").open("ab") as file:
            file.write(b'{"id": "\xff\xfe", "prompt": "question"}\n')
        assert snellen("mark", run, cache=cache).returncode == 0
        again = snellen(*words(data, endpoint, out), cache=cache)
        assert again.returncode == 0, again.stderr
        assert len(endpoint.requests) == 10


def test_nothing_is_imported_from_the_working_folder(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 40)
    for name in ("pyarrow", "queue", "msgspec"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the working folder')")
    with Endpoint() as endpoint:
        command = [SNELLEN, *map(str, words(data, endpoint, tmp_path / "runs"))]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment(tmp_path / "cache"),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert sum(endpoint.answered.values()) == 40
