"""Run folders with one file damaged, for every exam: whatever reads them ends with 0 to 3 and says why, and writes nowhere else."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.faults.chance import each
from tests.faults.conftest import EXAMS, Finished, Made
from tests.faults.damage import copied, file_damaged, listing
from tests.support.forks import Forks

READERS: tuple[tuple[str, ...], ...] = (
    ("mark", "{run}"),
    ("report", "{run}", "--out", "{new}/page.html"),
    ("show", "{run}"),
    ("show", "{run}", "--wrong"),
    ("verify", "{run}"),
    ("export", "{run}", "--format", "csv", "--out", "{new}/t.csv"),
    ("export", "{run}", "--format", "json"),
    ("show", "{run}/.."),
    ("compare", "{run}", "{other}"),
    ("explain", "{run}"),
    ("protocols", "{exam}", "--run", "{run}"),
    ("gate", "{run}", "--baseline", "{other}"),
    ("run", "{exam}", "--data", "{data}", "--model", "baseline/constant:A", "--out", "{run}/.."),
)


def damaged_and_read(forks: Forks, run: Path, data: Path, home: Path, exam: str, draw: Random) -> None:
    place = home / "place"
    here = copied(run, place / run.name)
    files = [p for p in sorted(here.rglob("*")) if p.is_file() and p.name != ".lock"]
    records = [p for p in files if p.parent == here]
    file = draw.choice(records if draw.random() < 0.6 else files)
    what = f"{exam}, {file.relative_to(here)}: {file_damaged(draw, file)}"
    (home / "new").mkdir(exist_ok=True)
    known = {"run": here, "other": run, "exam": exam, "data": data, "new": home / "new"}
    outside = listing(data) | listing(run)
    try:
        for words in draw.sample(READERS, 3):
            forks.run(*(w.format(**known) for w in words), cache=home / "cache", seconds=120).well()
        assert listing(data) | listing(run) == outside, "something was written outside"
        assert [p.name for p in place.iterdir() if p.name.startswith(run.name)], "the run is gone"
    except AssertionError as error:
        raise AssertionError(f"{what}: {error}") from None


@pytest.mark.faults
@pytest.mark.parametrize("exam", EXAMS)
def test_damaged_runs(forks: Forks, finished: Finished, sets: Made, tmp_path: Path, exam: str) -> None:
    def check(draw: Random, _number: int) -> None:
        damaged_and_read(forks, finished[exam], sets[exam], tmp_path, exam, draw)

    each(f"runs of {exam}", check, 0.2, least=2)
