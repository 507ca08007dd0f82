"""`--devices cpu,cpu`: a process for each, with the answers of one process, also where one of them is killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest
from tests.support.command import snellen
from tests.support.sets import write_set
from tests.support.tiny_models import png
from tests.support.without_torch import needs_local

from snellen import evaluate
from snellen.core.errors import SnellenError
from snellen.core.subject import Reply, Request
from snellen.core.types import Answer, Picture, Question, Text
from snellen.subjects.in_workers import on_devices
from snellen.subjects.local.kind import DEVICES, HF
from snellen.subjects.local.settings import LocalSettings
from snellen.workers.processes import ProcessWorker


def words(data: Path, out: Path, *more: object) -> tuple[object, ...]:
    return ("run", "salbench", "--data", data, "--model", "hf/snellen-tiny", "--batch", 2, "--out", out, *more)


def answers(run: Path) -> dict[tuple[str, str], str]:
    rows = [json.loads(line) for line in (run / "answers.jsonl").read_text().splitlines()]
    return {(a["id"], a["prompt"]): a["text"] for a in rows}


@needs_local
def test_two_processes_make_the_run_that_one_makes(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 12)
    one, two = (
        evaluate("salbench", model="hf/snellen-tiny", data=data, out=tmp_path / name, batch=2, use_store=False, **where)
        for name, where in (("one", {"device": "cpu"}), ("two", {"devices": ["cpu", "cpu"]}))
    )
    assert two.manifest.subject.identity["listed"]["workers"] == 2
    assert one.path.name == two.path.name
    assert answers(one.path) == answers(two.path)


async def _nobody(request: Request) -> Reply:
    raise AssertionError


def questions(count: int) -> list[Question]:
    return [
        Question(id=f"q{n}", exam="b", prompt="p", parts=(Picture(data=png(n)), Text(text="What color?")))
        for n in range(count)
    ]


def test_questions_of_a_process_that_is_killed_are_asked_again(models: dict[str, Path]) -> None:
    settings = LocalSettings(max_tokens=6, batch=2)
    subject = on_devices(
        lambda device: HF._subject(str(models["llava"]), settings._replace(device=device), offline=True), ("cpu", "cpu")
    )

    async def run() -> list[Answer]:
        tasks = [asyncio.create_task(subject.answer(q, subject.prepare(q), _nobody)) for q in questions(24)]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        (first, _other) = subject._workers._busy
        assert isinstance(first, ProcessWorker)
        os.kill(first.process.pid, signal.SIGKILL)
        try:
            return await asyncio.gather(*tasks)
        finally:
            await subject.close()

    found = asyncio.run(run())
    assert [a.id for a in found] == [f"q{n}" for n in range(24)]
    assert all(a.failure is None for a in found)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--devices", "cpu,"), "--devices cpu,: devices, comma separated"),
        (("--devices", "cpu,cpu", "--device", "cpu"), "--device and --devices: name the devices in one of them"),
        (("--devices", "cpu,cpu", "--check-batching", "2"), "--check-batching is for one device"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(tmp_path: Path, flags: tuple[str, ...], said: str) -> None:
    done = snellen(*words(write_set(tmp_path / "set", 2), tmp_path / "runs", *flags), cache=tmp_path / "cache")
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@needs_local
def test_python_may_name_devices_one_by_one_or_as_the_command_does(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 2)
    assert DEVICES.parse(["cpu", "cpu"]) == DEVICES.parse("cpu,cpu") == ("cpu", "cpu")
    for wrong in (3, ["cpu", ""], [1]):
        with pytest.raises(SnellenError, match="devices, comma separated"):
            evaluate("salbench", model="hf/snellen-tiny", data=data, out=tmp_path / "runs", devices=wrong)
    with pytest.raises(SnellenError, match="--device cuda:7: this machine has none that torch can use"):
        evaluate("salbench", model="hf/snellen-tiny", data=data, out=tmp_path / "runs", devices="cpu,cuda:7")
