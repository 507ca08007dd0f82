"""A data set that a killed command left half written is refused."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.sets import write_set

from snellen import exams
from snellen.core.errors import SnellenError
from snellen.core.extras import maker_of
from snellen.core.options import Selection
from snellen.data import hub
from snellen.synthetic import tables

EXAMS = ("actx", "d3", "esnlive", "grounding", "illusionbench", "salbench", "vcr", "vqax")


class Killed(BaseException):
    """As a signal does: nothing in between can hold it up."""


def refused(name: str, folder: Path) -> None:
    with pytest.raises(SnellenError) as said:
        exams.load(name).open(folder, Selection())
    assert "\n" not in str(said.value)
    try:
        problems = [problem for problem in exams.load(name).check(folder) if problem.fatal]
    except SnellenError:
        return
    assert problems, "check finds nothing wrong"


@pytest.mark.parametrize("name", EXAMS)
def test_a_set_whose_making_was_killed_is_refused_and_can_be_made_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "SHARD_ROWS", 2)
    exam = exams.load(name)

    def kill(done: int, _total: int) -> None:
        if done == 3:
            raise Killed

    with pytest.raises(Killed):
        maker_of(exam).make(tmp_path, count=3, seed=3, workers=1, progress=kill)
    refused(name, tmp_path)
    made = maker_of(exam).make(tmp_path, count=3, seed=3, workers=1)
    assert len(exam.open(tmp_path, Selection())) > 0
    assert sorted(p for p in tmp_path.rglob("*") if p.is_file() and p.suffix != ".part") == sorted(made)


def test_half_a_set_is_known_by_its_count_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the mark is lost, or a file was left behind while copying."""
    monkeypatch.setattr(tables, "SHARD_ROWS", 2)
    exam = exams.load("illusionbench")
    maker_of(exam).make(tmp_path, count=4, seed=3, workers=1)
    (tmp_path / "Illusion_IN" / "shard_001.parquet").unlink()
    with pytest.raises(SnellenError, match="Illusion_IN: 2 of 4 rows"):
        exam.open(tmp_path, Selection())
    assert any("2 of 4 rows" in str(problem) for problem in exam.check(tmp_path))


@pytest.mark.parametrize("broken", [Killed, ConnectionError])
def test_a_download_that_was_cut_off_is_refused_until_it_is_whole(
    broken: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("huggingface_hub")
    whole, folder = write_set(tmp_path / "whole", 4, ("P3", "O3")), tmp_path / "got"
    names = sorted(p.relative_to(whole).as_posix() for p in whole.rglob("*.parquet"))
    info = SimpleNamespace(sha="a" * 40, siblings=[SimpleNamespace(rfilename=name) for name in names])
    fail = True

    def fetched(_repo: str, *, local_dir: Path, **_more: Any) -> None:
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((whole / name).read_bytes())
            if fail:
                raise broken

    monkeypatch.setattr("huggingface_hub.HfApi", lambda: SimpleNamespace(dataset_info=lambda *_a, **_k: info))
    monkeypatch.setattr("huggingface_hub.snapshot_download", fetched)
    with pytest.raises((broken, SnellenError)):
        hub.download("x/y", ("*/*.parquet",), folder, None)
    refused("salbench", folder)
    fail = False
    hub.download("x/y", ("*/*.parquet",), folder, None)
    assert len(exams.load("salbench").open(folder, Selection())) == 8


def test_a_failed_update_leaves_whole_data_usable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("huggingface_hub")
    folder = write_set(tmp_path / "got", 4, ("P3", "O3"))
    names = [p.relative_to(folder).as_posix() for p in folder.rglob("*.parquet")]
    info = SimpleNamespace(sha="a" * 40, siblings=[SimpleNamespace(rfilename=name) for name in names])
    monkeypatch.setattr("huggingface_hub.HfApi", lambda: SimpleNamespace(dataset_info=lambda *_a, **_k: info))
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda *_a, **_k: None)
    hub.download("x/y", ("*/*.parquet",), folder, None)

    def offline(*_args: Any, **_more: Any) -> None:
        raise ConnectionError("no network")

    monkeypatch.setattr("huggingface_hub.snapshot_download", offline)
    with pytest.raises(SnellenError, match="no network"):
        hub.download("x/y", ("*/*.parquet",), folder, None)
    assert len(exams.load("salbench").open(folder, Selection())) == 8
