"""Data sets with one file damaged, for every exam: `data check` and `run` end with 0, 1, 2 or 3 and say why; nothing else changes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.faults.chance import each
from tests.faults.conftest import EXAMS, Made
from tests.faults.damage import copied, file_damaged, listing
from tests.support.forks import Forks


def damaged_and_used(forks: Forks, sets: Made, home: Path, exam: str, draw: Random) -> None:
    data = copied(sets[exam], home / "place" / "set")
    files = [p for p in sorted(data.rglob("*")) if p.is_file()]
    file = draw.choice(files)
    done = file_damaged(draw, file)
    before = listing(home / "place")
    what = f"{exam}, {file.relative_to(data)}: {done}"
    out = home / "runs"
    try:
        forks.run("data", "check", exam, "--data", data, cache=home / "cache", seconds=120).well(0, 1, 2)
        words = ("run", exam, "--data", data, "--model", "baseline/constant:A", "--out", out, "--fresh")
        controls = ("--controls", draw.choice(("blank", "shuffled"))) if draw.random() < 0.3 else ()
        forks.run(*words, *controls, cache=home / "cache", seconds=120).well(0, 2, 3)
        assert listing(home / "place") == before, "something was written beside the runs"
    except AssertionError as error:
        raise AssertionError(f"{what}: {error}") from None


@pytest.mark.faults
@pytest.mark.parametrize("exam", EXAMS)
def test_damaged_sets(forks: Forks, sets: Made, tmp_path: Path, exam: str) -> None:
    each(f"sets of {exam}", lambda draw, _n: damaged_and_used(forks, sets, tmp_path, exam, draw), 0.2, least=2)
