"""The workflow of docs/gate.md, run as it stands: its `run:` steps by bash in an empty folder, as GitHub's runner would, green and red.

Snellen is the one of this environment in place of the install step, the model is a file of replies, and a cache is a folder that stays.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import SNELLEN, environment
from tests.support.made_sets import made

from snellen.core.options import Selection
from snellen.exams.salbench.data import SalBenchData

PAGE = Path(__file__).resolve().parents[2] / "docs" / "gate.md"
TEXT = PAGE.read_text(encoding="utf-8")
QUESTIONS = "Make the questions"
LABELS = ("Orientation", "Color", "Focus", "Shape", "Size", "Location", "Pattern")


def workflow() -> dict[str, Any]:
    yaml = pytest.importorskip("yaml")
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    found: dict[str, Any] = yaml.safe_load(block)
    return found


def replies(data: Path, seed: int, lost: float = 0.0) -> str:
    """What a noisy model says: eight in ten right; a twelfth of that by chance the other way; and so many lost."""
    sure, dice = random.Random(7), random.Random(seed)
    lines = []
    for sample in SalBenchData(data, Selection()).light():
        right = (sure.random() < 0.8) != (dice.random() < 0.08)
        right = right and dice.random() >= lost
        truth = str(sample.truth)
        said = truth if right else next(name for name in LABELS if name.lower() not in truth.lower())
        lines.append(json.dumps({"id": sample.id, "text": said}))
    return "\n".join(lines)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workflow")


def built(folder: Path, model: str, cache: Path) -> tuple[str, subprocess.CompletedProcess[str] | None]:
    """A build: the step that failed (or nothing), with what the last step said. `baseline` stays from build to build, as in the cache."""
    (job,) = workflow()["jobs"].values()
    (folder / "replies.jsonl").write_text(model, encoding="utf-8")
    summary = folder / "summary.md"
    summary.write_text("")
    env = environment(cache, COLUMNS="80", MODEL="replay/replies.jsonl", GITHUB_STEP_SUMMARY=str(summary))
    env["PATH"] = f"{Path(SNELLEN).parent}{os.pathsep}{env['PATH']}"
    done = None
    for step in job["steps"]:
        if "run" not in step or step["name"] in ("Install", QUESTIONS):
            continue  # the questions are made once for all builds
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        if done.returncode:
            return step["name"], done
    return "", done


@pytest.fixture(scope="module")
def questions(desk: Path) -> Path:
    """The questions that the workflow makes."""
    (step,) = [s for s in workflow()["jobs"]["gate"]["steps"] if s.get("name") == QUESTIONS]
    assert step["run"] == "snellen data make salbench --count 120 --seed 1 --out data"
    return made("salbench", desk / "data", count=120, seed=1)


def shown(text: str) -> list[str]:
    """Without what differs from place to place: folders, and the digest in a run's name."""
    lines = (re.sub(r"(replies)_[0-9a-f]{8}", r"\1_DIGEST", line.rstrip()) for line in text.splitlines())
    return [re.sub(r"\s*\((?:runs|baseline)\S*\)$", "", line) for line in lines]


def blocks() -> list[list[str]]:
    found = re.findall(r"^```\n\$ (snellen gate .*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return [shown(block)[1:] for block in found]


def test_a_build_passes_noise_and_fails_a_drop(desk: Path, questions: Path) -> None:
    """Three builds: the first makes the baseline, the second asks the same model again, the third a worse one."""
    baseline = desk / "baseline"
    said = []
    for number, (model, failed) in enumerate(
        ((replies(questions, 2), ""), (replies(questions, 1), ""), (replies(questions, 3, 0.12), "Gate"))
    ):
        folder = desk / f"build{number}"
        folder.mkdir()
        (folder / "data").symlink_to(questions)
        if baseline.exists():
            baseline.rename(folder / "baseline")
        step, done = built(folder, model, desk / f"cache{number}")
        assert done is not None and step == failed, done
        assert done.returncode == (1 if failed else 0)
        word = "FAIL: all samples dropped by " if failed else "PASS: all samples "
        assert f"\n{word}" in done.stdout
        assert ("FAILED" if failed else "passed") in (folder / "summary.md").read_text(encoding="utf-8").splitlines()[0]
        assert ("<failure" in (folder / "gate.xml").read_text(encoding="utf-8")) == bool(failed)
        (folder / "baseline").rename(baseline)
        said.append(shown(done.stdout))
    assert blocks() == said[1:], "the document shows what the command says"


def test_the_install_step_installs_snellen() -> None:
    (step,) = [s for s in workflow()["jobs"]["gate"]["steps"] if s.get("name") == "Install"]
    assert step["run"] == "pip install snellen"
