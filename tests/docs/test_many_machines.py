"""The recipes of many_machines.md, task by task: a stand-in for `sbatch` runs the array, and the pods' command gets each index."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.docs.blocks import DOCS, blocks_of
from tests.support.command import SNELLEN, environment
from tests.support.sets import write_set

SLURM, SUBMIT, KUBERNETES = blocks_of(DOCS / "many_machines.md")[1:4]
SBATCH = """#!/bin/sh
for word; do last=$word; done
case "$*" in
  *--wrap*) sh -c "$last" >&2 ;;
  *) for task in 1 2 3 4 5 6 7 8; do SLURM_ARRAY_TASK_ID=$task sh "$last" >/dev/null || exit 1; done; echo 17 ;;
esac
"""


@pytest.fixture
def desk(tmp_path: Path) -> dict[str, Any]:
    """Data, a place for runs, and the commands that the recipes call."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "sbatch").write_text(SBATCH, encoding="utf-8")
    (tools / "sbatch").chmod(0o755)
    env = environment(
        tmp_path / "cache",
        DATA=str(write_set(tmp_path / "data", 16)),
        RUNS=str(tmp_path / "runs"),
        MODEL="baseline/chance",
    )
    env["PATH"] = f"{tools}:{Path(SNELLEN).parent}:{env['PATH']}"
    return {"env": env, "cwd": tmp_path, "runs": tmp_path / "runs", "data": tmp_path / "data"}


def shell(script: str, desk: dict[str, Any], **more: str) -> None:
    done = subprocess.run(
        ["sh", "-c", script], cwd=desk["cwd"], env=desk["env"] | more, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def merged(runs: Path) -> list[Path]:
    return [path for path in runs.iterdir() if not path.name.endswith("of8")]


def test_an_array_of_tasks_is_merged(desk: dict[str, Any]) -> None:
    (desk["cwd"] / SLURM.file).write_text(SLURM.text, encoding="utf-8")
    shell(SUBMIT.text, desk)
    assert len(list(desk["runs"].glob("*of8"))) == 8
    assert len(merged(desk["runs"])) == 1


def test_an_indexed_job_is_merged(desk: dict[str, Any]) -> None:
    job = yaml.safe_load(KUBERNETES.text)
    assert job["spec"]["completions"] == 8
    command = job["spec"]["template"]["spec"]["containers"][0]["command"][-1]
    for index in range(8):
        here = command.replace("/data", str(desk["data"])).replace("/runs", str(desk["runs"]))
        shell(here, desk, JOB_COMPLETION_INDEX=str(index))
    assert len(merged(desk["runs"])) == 1
