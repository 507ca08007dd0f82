"""The accuracy grid: the cells of multimodal-vqa-eval step by step, and a rule under which few samples never hide many."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest

from snellen.core.errors import SnellenError
from snellen.exams.vqa_nle.exports import grid
from snellen.exams.vqa_nle.exports.grid import GridResult
from snellen.synthetic.writing import write_bytes

GOLDEN = json.loads((Path(__file__).parents[2] / "parity" / "nle_tables.json").read_text("utf-8"))


def result(accuracy: float, n: int, mode: str = "zero", *, synthetic: bool = False, run: str = "") -> GridResult:
    return GridResult(accuracy=accuracy, n_samples=n, prompt_mode=mode, synthetic=synthetic, run=run)


def update(folder: Path, new: GridResult, row: str = "VQA-X", column: str = "llava_val") -> str:
    """Take a result into the grid of a folder; return why it was not."""
    whole = grid.read(folder)
    why = whole.why_not(row, column, new)
    if not why:
        whole.put(row, column, new)
        for name, content in grid.files(whole):
            write_bytes(folder / name, content)
    return why


def cell(folder: Path) -> str:
    return grid.read(folder).rows["VQA-X"]["llava_val"]


def test_a_blank_grid_is_that_of_multimodal_vqa_eval() -> None:
    first = GOLDEN["accuracy_grid_sequence"][0]
    assert first["op"] == "init_grid"
    assert dict(grid.files(grid.blank()))[grid.CSV].decode() == first["csv"]


def test_every_golden_cell_is_read_back() -> None:
    for row in GOLDEN["parse_acc"]:
        if isinstance(row["input"], str):
            found = grid.parse_result(row["input"])
            assert (None if found is None else found.accuracy) == row["output"]


def test_ten_samples_never_beat_a_thousand_in_any_order(tmp_path: Path) -> None:
    few, many, better = result(0.99, 10), result(0.7, 1000), result(0.71, 1000)
    for number, order in enumerate(permutations([few, many, better])):
        folder = tmp_path / str(number)
        said = [update(folder, one) for one in order]
        assert cell(folder) == "0.710 (1000)"
        if order[0] is better:
            assert said[order.index(few)] == "that is on 10 samples only"
    assert update(tmp_path / "0", few)


def test_accuracies_are_compared_unrounded(tmp_path: Path) -> None:
    update(tmp_path, result(0.7204, 100, "zero"))
    assert update(tmp_path, result(0.7201, 100, "3shot")) == "that is no better"
    shown = grid.read(tmp_path).results["VQA-X"]["llava_val"]
    assert (shown.prompt_mode, shown.accuracy) == ("zero", 0.7204)
    assert not update(tmp_path, result(0.7205, 100, "3shot"))
    shown = grid.read(tmp_path).results["VQA-X"]["llava_val"]
    assert (shown.prompt_mode, shown.n_samples) == ("3shot", 100)


def test_real_data_comes_before_synthetic_and_a_run_marked_anew_replaces_itself(tmp_path: Path) -> None:
    update(tmp_path, result(0.5, 10, run="r"))
    assert "synthetic data" in update(tmp_path, result(0.9, 1000, synthetic=True))
    assert not update(tmp_path, result(0.4, 10, run="r"))
    assert cell(tmp_path) == "0.400 (10)"


def test_a_grid_of_multimodal_vqa_eval_is_taken_over_with_its_own_columns(tmp_path: Path) -> None:
    (tmp_path / grid.CSV).write_text("task,llava_val,notes\nVQA-X,0.812 (100),mine\nODD,,\n")
    assert update(tmp_path, result(0.9, 10))
    assert not update(tmp_path, result(0.813, 100))
    assert (tmp_path / grid.CSV).read_text() == "task,llava_val,notes\nVQA-X,0.813 (100),mine\nODD,,\n"


def test_a_hand_edited_cell_counts_more_than_the_memory_of_it(tmp_path: Path) -> None:
    update(tmp_path, result(0.5, 100))
    path = tmp_path / grid.CSV
    path.write_text(path.read_text().replace("0.500 (100)", "0.600 (200)"))
    assert update(tmp_path, result(0.7, 100))
    assert cell(tmp_path) == "0.600 (200)"


def test_excel_shows_the_same_grid(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    update(tmp_path, result(0.72, 50))
    update(tmp_path, result(1.0, 7), "VCR", "=evil_dev")
    sheet = openpyxl.load_workbook(tmp_path / "accuracy_grid.xlsx")["accuracy"]
    found = [[c.value or "" for c in row] for row in sheet.iter_rows()]
    assert found[0] == ["task", *grid.COLUMNS, "'=evil_dev"]
    assert found[1][3] == "0.720 (50)"
    assert found[4][-1] == "1.000 (7)"
    assert grid.read(tmp_path).columns[-1] == "=evil_dev"


@pytest.mark.parametrize("content", [b"", b"task,\xff\n"])
def test_a_file_that_is_no_grid_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / grid.CSV).write_bytes(content)
    with pytest.raises(SnellenError, match=r"accuracy_grid\.csv or accuracy_grid\.json: not a grid"):
        grid.read(tmp_path)
    (tmp_path / grid.CSV).write_text("task\n")
    (tmp_path / grid.SIDECAR).write_text("{")
    with pytest.raises(SnellenError, match="move both away"):
        grid.read(tmp_path)
