"""Signals while a data set is made or downloaded: what is there is refused as unfinished, the same command finishes it, nobody is left behind."""

from __future__ import annotations

import signal
from pathlib import Path
from random import Random

import pytest

from tests.faults.chance import each
from tests.faults.damage import listing
from tests.support.forks import Forks
from tests.support.sets import write_set

ENDINGS = (0, 2, 130, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT)
KINDS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


@pytest.mark.faults
@pytest.mark.parametrize("exam", ["d3", "grounding", "illusionbench", "salbench", "vqax"])
def test_making_under_fire(forks: Forks, tmp_path: Path, exam: str) -> None:
    words = ("data", "make", exam, "--count", 6, "--seed", 3, "--workers", 2, "--out")
    took = forks.run(*words, tmp_path / "whole", cache=tmp_path / "cache").well(0).seconds
    whole = listing(tmp_path / "whole")

    def check(draw: Random, number: int) -> None:
        out = tmp_path / str(number)
        for _ in range(draw.choice((1, 1, 2))):
            shot = (draw.random() * took * 1.1, draw.choice(KINDS))
            ended = forks.run(*words, out, cache=tmp_path / "cache", signals=[shot]).well(*ENDINGS)
        if out.exists() and listing(out) != whole:
            assert ended.code != 0, "half a set, and all seems well"
            forks.run("data", "check", exam, "--data", out, cache=tmp_path / "cache").well(1, 2)
        forks.run(*words, out, cache=tmp_path / "cache").well(0)
        assert listing(out) == whole

    each(f"making {exam}", check, 0.04, least=2)


@pytest.mark.faults
def test_downloading_under_fire(forks: Forks, tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    from tests.e2e.test_hub import COMMIT, Hub, serving

    hub = Hub()
    hub.commits[COMMIT] = write_set(tmp_path / "one", 200, ("P3", "O3"))
    with serving(hub) as url:

        def check(draw: Random, number: int) -> None:
            out = tmp_path / f"got{number}"
            env = {"HF_ENDPOINT": url, "HF_HOME": str(tmp_path / f"hf{number}"), "HF_HUB_DISABLE_XET": "1"}
            words = ("data", "get", "salbench", "--out", out)
            shot = (draw.random() * 2.5, draw.choice(KINDS))
            ended = forks.run(*words, cache=tmp_path / "cache", env=env, signals=[shot]).well(*ENDINGS)
            there = out.exists() and any(out.rglob("*.parquet"))
            if ended.code != 0 and there:
                checked = forks.run("data", "check", "salbench", "--data", out, cache=tmp_path / "cache").well(0, 1, 2)
                files = [p for p in listing(out) if p.endswith(".parquet")]
                assert checked.code != 0 or len(files) == 2, "half a set, and all seems well"
            forks.run(*words, cache=tmp_path / "cache", env=env).well(0)
            wanted = listing(hub.commits[COMMIT])
            assert {n: c for n, c in listing(out).items() if n in wanted} == wanted
            assert not (out / "snellen-unfinished.txt").exists()

        each("downloading", check, 0.06)
