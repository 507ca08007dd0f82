"""Full and read-only disks, outputs that take nothing: one line that says so, exit code 2 or 3, and the same command goes on."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import EXAMS, Finished, Made
from tests.faults.damage import listing
from tests.support.endpoint import Endpoint
from tests.support.forks import Forks
from tests.support.sets import write_set


class Disk:
    """A small disk of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fill(self, free: int = 0) -> None:
        """Leaves so many bytes."""
        room = shutil.disk_usage(self.path).free
        (self.path / "filler").write_bytes(b"x" * max(0, room - free))

    def empty(self) -> None:
        (self.path / "filler").unlink()

    def lock(self) -> None:
        subprocess.run(["mount", "-o", "remount,ro", str(self.path)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("a disk of its own takes the right to mount one")
    try:
        yield Disk(place)
    finally:
        subprocess.run(["umount", str(place)], check=True)


WRITERS: dict[str, tuple[str, ...]] = {
    "report": ("report", "{run}", "--out", "{disk}/page.html"),
    "csv": ("export", "{run}", "--format", "csv", "--out", "{disk}/t.csv"),
    "parquet": ("export", "{run}", "--format", "parquet", "--out", "{disk}/t.parquet"),
    "xlsx": ("export", "{run}", "--format", "xlsx", "--out", "{disk}/t.xlsx"),
    "init": ("data", "init", "choice", "--out", "{disk}/own"),
    "show": ("data", "show", "salbench", "--data", "{data}", "--out", "{disk}/s.html"),
    "run": ("run", "salbench", "--data", "{data}", "--model", "baseline/constant:B", "--out", "{disk}/runs"),
    "demo": ("demo", "--out", "{disk}/demo"),
    **{exam: ("data", "make", exam, "--count", "2", "--out", "{disk}/made") for exam in EXAMS},
}


@pytest.mark.faults
@pytest.mark.parametrize("how", ["full", "nearly full", "read-only"])
@pytest.mark.parametrize("writer", WRITERS)
def test_a_disk_that_takes_nothing(
    forks: Forks, disk: Disk, finished: Finished, sets: Made, tmp_path: Path, writer: str, how: str
) -> None:
    words = [w.format(run=finished["salbench"], data=sets["salbench"], disk=disk.path) for w in WRITERS[writer]]
    if how == "read-only":
        disk.lock()
    else:
        disk.fill(0 if how == "full" else 8192)
    ended = forks.run(*words, cache=tmp_path / "cache", env={"TMPDIR": str(tmp_path)}).well(0, 2, 3)
    assert ended.code or how == "nearly full"
    if ended.code:
        assert "Read-only file system" in ended.err if how == "read-only" else "pace" in ended.err, ended.err
    if how != "read-only" and writer not in ("demo", "run", "init"):
        disk.empty()
        forks.run(*words, cache=tmp_path / "cache").well(0)


@pytest.mark.faults
def test_answers_that_find_no_room_are_asked_again_and_no_other(forks: Forks, disk: Disk, tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 60)
    with Endpoint() as endpoint:
        words = ("run", "salbench", "--data", data, "--model", "api/m", "--base-url", endpoint.url, "--no-store")
        disk.fill(30_000)
        forks.run(*words, "--out", disk.path / "runs", cache=tmp_path / "cache").well(3)
        lines = [x for f in disk.path.glob("runs/*/answers.jsonl") for x in f.read_bytes().splitlines()]
        kept = [json.loads(line) for line in lines]
        asked = len(endpoint.requests)
        disk.empty()
        forks.run(*words, "--out", disk.path / "runs", cache=tmp_path / "cache").well(0)
        assert len(endpoint.requests) - asked == 60 - sum("failure" not in a for a in kept)


@pytest.mark.parametrize(
    "words", [("list", "exams"), ("show", "{run}"), ("export", "{run}", "--format", "csv"), ("--help",)]
)
def test_an_output_that_is_full(forks: Forks, finished: Finished, tmp_path: Path, words: tuple[str, ...]) -> None:
    filled = [w.format(run=finished["salbench"]) for w in words]
    ended = forks.run(*filled, cache=tmp_path, out="/dev/full").well(2)
    assert "No space left on device" in ended.err


@pytest.mark.parametrize("exam", ["salbench", "d3"])
def test_files_that_may_not_grow(forks: Forks, tmp_path: Path, exam: str) -> None:
    """What a quota does, where no disk of one's own can be had."""
    words = ("data", "make", exam, "--count", 2, "--workers", 1, "--out", tmp_path / "made")
    ended = forks.run(*words, cache=tmp_path / "cache", file_size=3000).well(2)
    assert "too large" in ended.err or "cannot be written" in ended.err, ended.err
    forks.run(*words, cache=tmp_path / "cache").well(0)
    forks.run("data", "check", exam, "--data", tmp_path / "made", cache=tmp_path / "cache").well(0)
    assert not [name for name in listing(tmp_path / "made") if name.endswith(".part")]
