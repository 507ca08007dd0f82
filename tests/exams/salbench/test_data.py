"""Reading the real format: what is there, what is missing, what is broken, with file and row."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.sets import png, write_config, write_set

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.exams.salbench.data import SalBenchData
from snellen.exams.salbench.exam import EXAM

ALL = ("P3", "P3_box", "P3_box_img", "O3", "O3_box", "O3_box_img")


def everything(_id: str) -> bool:
    return True


def test_six_configs_by_the_names_of_splits_and_tasks(tmp_path: Path) -> None:
    write_set(tmp_path, 5, ALL)
    assert len(SalBenchData(tmp_path, Selection())) == 30
    natural = SalBenchData(tmp_path, Selection(splits=("natural",), tasks=("D", "VR")))
    assert {s.tags["config"] for s in natural.light()} == {"O3", "O3_box_img"}
    synthetic = SalBenchData(tmp_path, Selection(splits=("synthetic",), tasks=("R",)))
    assert {s.tags["config"] for s in synthetic.light()} == {"P3_box"}


def test_images_are_the_files_bytes_and_arrive_in_order(tmp_path: Path) -> None:
    write_config(tmp_path, "P3", 130, rows_a_group=40)
    data = SalBenchData(tmp_path, Selection())
    full = list(data.full(everything))
    assert [s.pictures[0].data for s in full] == [png(i) for i in range(130)]
    assert [s.id for s in full] == [s.id for s in data.light()]
    assert full[77].facts["where"] == "P3/shard_000.parquet row 77"
    assert [s.id for s in data.full({"P3/img00077"}.__contains__)] == ["P3/img00077"]


def test_limits_nest_and_pick_the_same_images_in_all_tasks(tmp_path: Path) -> None:
    write_set(tmp_path, 60, ("P3", "P3_box"))

    def ids(limit: int, seed: int, task: str) -> set[str]:
        data = SalBenchData(tmp_path, Selection(limit=limit, seed=seed, tasks=(task,)))
        assert len(data) == limit
        return {s.id.partition("/")[2] for s in data.light()}

    assert ids(5, 1, "D") < ids(20, 1, "D")
    assert ids(20, 1, "D") == ids(20, 1, "R")
    assert ids(20, 1, "D") != ids(20, 2, "D")


def test_what_is_named_but_absent_is_an_error_that_says_what_is_there(tmp_path: Path) -> None:
    write_set(tmp_path, 3, ("P3",))
    with pytest.raises(SnellenError, match="no files for O3; it has P3"):
        SalBenchData(tmp_path, Selection(splits=("natural",), tasks=("D",)))
    with pytest.raises(SnellenError, match="unknown split 'val'"):
        SalBenchData(tmp_path, Selection(splits=("val",)))
    with pytest.raises(SnellenError, match="no folder"):
        SalBenchData(tmp_path / "nowhere", Selection())
    (tmp_path / "empty").mkdir()
    with pytest.raises(SnellenError, match="no SalBench parquet files"):
        SalBenchData(tmp_path / "empty", Selection())


def test_missing_columns_unknown_labels_and_broken_files_are_named(tmp_path: Path) -> None:
    path = write_config(tmp_path, "P3", 5, answer=["color", "size", "colr", "size", "Shape"])
    with pytest.raises(
        SnellenError, match=r"P3/shard_000.parquet row 2: answer 'colr' is not a label of P3 .*and 1 more"
    ):
        SalBenchData(tmp_path, Selection())
    path.write_bytes(b"PAR1 nonsense")
    with pytest.raises(SnellenError, match="not a readable parquet file"):
        SalBenchData(tmp_path, Selection())
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"image_id": ["a"], "question": ["q"]}), path)
    with pytest.raises(SnellenError, match="columns image, answer missing; it has image_id, question"):
        SalBenchData(tmp_path, Selection())


def test_check_lists_every_problem(tmp_path: Path) -> None:
    write_config(
        tmp_path,
        "O3",
        5,
        image=[{"bytes": b, "path": None} for b in (png(1), b"not an image", None, png(4)[:50], png(5))],
        image_id=["a", "b", "c", "d", "a"],
        answer=["Color", "Colour", "Color", "", "Shape"],
    )
    problems = [str(p) for p in EXAM.check(tmp_path)]
    for row, words in (
        (1, "answer 'Colour' is not a label"),
        (1, "does not decode"),
        (2, "no image bytes"),
        (3, "answer ''"),
        (3, "does not decode"),
        (4, "image_id 'a' repeats"),
    ):
        assert any(f"O3/shard_000.parquet row {row}: " in p and words in p for p in problems), (row, words, problems)
    assert len(problems) == 6


def test_repeated_image_ids_get_ids_of_their_own(tmp_path: Path) -> None:
    write_config(tmp_path, "P3", 3, image_id=["a", "a", "b"])
    assert [s.id for s in SalBenchData(tmp_path, Selection()).light()] == ["P3/a", "P3/a#2", "P3/b"]


def test_the_fingerprint_follows_the_content(tmp_path: Path) -> None:
    write_config(tmp_path / "one", "P3", 4)
    write_config(tmp_path / "two", "P3", 4)
    write_config(tmp_path / "three", "P3", 4, answer=["size", "size", "size", "color"])
    prints = [SalBenchData(tmp_path / n, Selection()).fingerprint for n in ("one", "two", "three")]
    assert prints[0] == prints[1] != prints[2]


def test_the_difficulty_column_is_optional(tmp_path: Path) -> None:
    write_config(tmp_path, "P3", 3, difficulty=["easy", "hard", None])
    assert [s.tags.get("difficulty") for s in SalBenchData(tmp_path, Selection()).light()] == ["easy", "hard", None]
