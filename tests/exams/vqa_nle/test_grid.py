"""The accuracy grid: the cells of multimodal-vqa-eval step by step, and a rule under which few samples never hide many."""

from __future__ import annotations

import json
import sys
from itertools import permutations
from pathlib import Path

import pytest

from snellen.core.errors import SnellenError
from snellen.exams.vqa_nle.exports import grid
from snellen.exams.vqa_nle.exports.grid import GridEntry, GridResult

GOLDEN = json.loads((Path(__file__).parents[2] / "parity" / "nle_tables.json").read_text("utf-8"))


def entry(accuracy: float, n: int, mode: str = "zero", *, synthetic: bool = False, run: str = "") -> GridEntry:
    result = GridResult(accuracy=accuracy, n_samples=n, prompt_mode=mode, synthetic=synthetic, run=run)
    return GridEntry("VQA-X", "llava", "val", result)


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
    few, many, better = entry(0.99, 10), entry(0.7, 1000), entry(0.71, 1000)
    for number, order in enumerate(permutations([few, many, better])):
        folder = tmp_path / str(number)
        said = [grid.update(folder, e) for e in order]
        assert cell(folder) == "0.710 (1000)"
        if order[0] is better:
            assert said[order.index(few)].why == (
                "VQA-X llava_val keeps 0.710 (1000), not 0.990 (10) (zero): that is on 10 samples only"
            )
    assert not grid.update(tmp_path / "0", few).shown


def test_accuracies_are_compared_unrounded(tmp_path: Path) -> None:
    grid.update(tmp_path, entry(0.7204, 100, "zero"))
    assert not grid.update(tmp_path, entry(0.7201, 100, "3shot")).shown
    result = grid.read(tmp_path).results["VQA-X"]["llava_val"]
    assert (result.prompt_mode, result.accuracy) == ("zero", 0.7204)
    assert grid.update(tmp_path, entry(0.7205, 100, "3shot")).shown
    result = grid.read(tmp_path).results["VQA-X"]["llava_val"]
    assert (result.prompt_mode, result.n_samples) == ("3shot", 100)


def test_real_data_comes_before_synthetic_and_a_run_marked_anew_replaces_itself(tmp_path: Path) -> None:
    grid.update(tmp_path, entry(0.5, 10, run="r"))
    assert "synthetic data" in grid.update(tmp_path, entry(0.9, 1000, synthetic=True)).why
    assert grid.update(tmp_path, entry(0.4, 10, run="r")).shown
    assert cell(tmp_path) == "0.400 (10)"
    assert not grid.update(tmp_path, entry(0.9, 99, "zero+blank")).shown


def test_results_of_another_protocol_are_not_compared(tmp_path: Path) -> None:
    def by(protocol: str, accuracy: float, n: int) -> GridEntry:
        return GridEntry("VQA-X", "llava", "val", GridResult(accuracy=accuracy, n_samples=n, protocol=protocol))

    grid.update(tmp_path, by("multimodal-vqa-eval", 0.5, 10))
    said = grid.update(tmp_path, by("strict", 0.9, 1000))
    assert not said.shown
    assert said.why.endswith("that is by the protocol strict, this by multimodal-vqa-eval")
    assert cell(tmp_path) == "0.500 (10)"


def test_a_grid_of_multimodal_vqa_eval_is_taken_over_with_its_own_columns(tmp_path: Path) -> None:
    (tmp_path / grid.CSV).write_text("task,llava_val,notes\nVQA-X,0.812 (100),mine\nODD,,\n")
    assert not grid.update(tmp_path, entry(0.9, 10)).shown
    assert grid.update(tmp_path, entry(0.813, 100)).shown
    assert (tmp_path / grid.CSV).read_text() == "task,llava_val,notes\nVQA-X,0.813 (100),mine\nODD,,\n"


def test_a_hand_edited_cell_counts_more_than_the_memory_of_it(tmp_path: Path) -> None:
    grid.update(tmp_path, entry(0.5, 100))
    path = tmp_path / grid.CSV
    path.write_text(path.read_text().replace("0.500 (100)", "0.600 (200)"))
    assert not grid.update(tmp_path, entry(0.7, 100)).shown
    assert cell(tmp_path) == "0.600 (200)"


def test_excel_shows_the_same_grid(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    grid.update(tmp_path, entry(0.72, 50))
    grid.update(tmp_path, GridEntry("VCR", "=evil", "dev", GridResult(accuracy=1.0, n_samples=7)))
    sheet = openpyxl.load_workbook(tmp_path / grid.XLSX)["accuracy"]
    found = [[c.value or "" for c in row] for row in sheet.iter_rows()]
    assert found[0] == ["task", *grid.COLUMNS, "'=evil_dev"]
    assert found[1][3] == "0.720 (50)"
    assert found[4][-1] == "1.000 (7)"
    assert grid.read(tmp_path).columns[-1] == "=evil_dev"


def test_without_the_extra_the_csv_is_written_and_the_user_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    said = grid.update(tmp_path, entry(0.72, 50))
    assert said.shown
    assert "[excel]'" in said.why
    assert cell(tmp_path) == "0.720 (50)"
    assert not (tmp_path / grid.XLSX).exists()


def test_broken_files_are_named(tmp_path: Path) -> None:
    (tmp_path / grid.CSV).write_text("model,x\n")
    with pytest.raises(SnellenError, match=r"accuracy_grid\.csv: the first column must be 'task'"):
        grid.update(tmp_path, entry(0.5, 1))
    (tmp_path / grid.CSV).write_bytes(b"task,\xff\n")
    with pytest.raises(SnellenError, match="not a CSV file in UTF-8"):
        grid.update(tmp_path, entry(0.5, 1))
    (tmp_path / grid.CSV).write_text("task\n")
    (tmp_path / grid.SIDECAR).write_text("{")
    with pytest.raises(SnellenError, match=r"accuracy_grid\.json: cannot be read"):
        grid.update(tmp_path, entry(0.5, 1))
