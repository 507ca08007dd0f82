"""The files around the code say the same as the code: citation, workflows, hooks, image."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.docs.test_gate_workflow import workflow

import snellen

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKE = (ROOT / "Makefile").read_text(encoding="utf-8")


def read(name: str) -> Any:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_the_citation_is_of_this_version() -> None:
    found = read("CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= found.keys()
    assert (found["version"], found["license"]) == (snellen.__version__, PROJECT["license"])
    assert PROJECT["version"] == snellen.__version__


def _targets(job: dict[str, Any]) -> list[str]:
    return [w for s in job["steps"] for w in re.findall(r"^make (\S+)", s.get("run", ""), re.MULTILINE)]


def test_the_workflow_runs_what_make_has() -> None:
    found = read(".github/workflows/test.yml")
    job, newest = found["jobs"]["test"], found["jobs"]["newest"]
    assert _targets(job) == ["demo", "lint", "test", "docs"]
    assert {"demo", "test"} <= {*_targets(newest)}
    assert all(re.search(rf"^{target}:", MAKE, re.MULTILINE) for target in _targets(job))
    assert all(r.endswith("CONSTRAINTS=") for s in newest["steps"] if (r := s.get("run", "").partition(" && ")[0]))
    listed = {c.rpartition(":: ")[2] for c in PROJECT["classifiers"] if "Python :: 3." in c}
    assert set(job["strategy"]["matrix"]["python"]) == listed
    assert found["permissions"] == {"contents": "read"}


def test_our_own_gate_is_the_one_of_the_page() -> None:
    """But for two lines: it is started by hand, and installs what is checked out."""
    ours, shown = read(".github/workflows/eye-exam.yml"), workflow()
    assert ours.pop(True) == "workflow_dispatch" and shown.pop(True)  # YAML reads `on` as true
    (step,) = [s for s in ours["jobs"]["gate"]["steps"] if s.get("name") == "Install"]
    assert step["run"] == "pip install ."
    step["run"] = "pip install snellen"
    assert ours == shown


def test_hooks_are_tools_of_the_environment_and_need_no_network() -> None:
    (repo,) = read(".pre-commit-config.yaml")["repos"]
    assert repo["repo"] == "local"
    for hook in repo["hooks"]:
        tool, *words = hook["entry"].split()
        assert hook["language"] == "system" and tool.startswith(".venv/bin/")
        assert all((ROOT / w).is_file() for w in words if w.endswith(".py"))


def test_the_image_has_what_it_copies_and_no_root() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {w for line in re.findall(r"^COPY (.*) \S+$", text, re.MULTILINE) for w in line.split()}
    assert copied <= allowed and all((ROOT / name).exists() for name in copied)
    (extras,) = re.findall(r"/srv/snellen\[([\w,]+)\]", text)
    assert set(extras.split(",")) <= PROJECT["optional-dependencies"].keys()
    assert re.findall(r"^USER (\S+)$", text, re.MULTILINE) == ["1000"]
