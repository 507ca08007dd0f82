"""A row is matched with the sample that it is about, or it is said why it is not."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from tests.importers.conftest import LOGS, Imports
from tests.support.sets import png

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.exams.salbench.data import SalBenchData

IDS = [f"syn-p3-s5-{i:05}" for i in range(12)]


def replies(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_the_end_of_an_id_is_enough_where_the_part_is_named(imported: Imports, tmp_path: Path) -> None:
    """The three tasks of SalBench show the same images: only the part tells them apart."""
    rows = [{"id": IDS[0], "config": c, "response": "Color"} for c in ("P3", "P3_box", "P3_box_img")]
    done = imported("csv", replies(tmp_path / "x.jsonl", *rows))
    assert [a.id for a in done.run.answers()] == [f"{c}/{IDS[0]}" for c in ("P3", "P3_box", "P3_box_img")]


def test_an_id_that_several_samples_have_is_refused(imported: Imports, tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="several samples would fit"):
        imported("csv", replies(tmp_path / "x.jsonl", {"id": IDS[0], "response": "Color"}))


def test_pictures_find_a_sample_whose_id_is_a_number(imported: Imports, salbench: Path, tmp_path: Path) -> None:
    """Inspect numbers samples that have no id; the log has the picture, and the order is another than ours."""
    log = json.loads((LOGS / "inspect.json").read_text(encoding="utf-8"))
    data = SalBenchData(salbench, Selection(splits=("P3",), tasks=("D",)))
    picked = list(data.full(lambda name: name.endswith(("7", "8"))))[::-1]
    first = log["samples"][0]
    log["samples"] = []
    for number, sample in enumerate(picked, 1):
        copy = json.loads(json.dumps(first)) | {"id": number, "target": sample.truth}
        image = "data:image/png;base64," + base64.b64encode(sample.pictures[0].data).decode()
        copy["messages"][0]["content"][0]["image"] = "attachment://one"
        copy["attachments"]["one"] = image
        log["samples"].append(copy)
    file = tmp_path / "numbered.json"
    file.write_text(json.dumps(log), encoding="utf-8")
    done = imported("inspect", file)
    assert done.record.matched == {"picture": 2}
    assert [a.id for a in done.run.answers()] == [f"P3/{IDS[7]}", f"P3/{IDS[8]}"]


def test_an_order_that_the_targets_contradict_is_refused(imported: Imports, lmms: Path) -> None:
    samples = next(lmms.parent.glob("*_p3.jsonl"))
    lines = samples.read_text(encoding="utf-8").splitlines()
    turned = [json.dumps(json.loads(line) | {"doc_id": 11 - i}) for i, line in enumerate(lines)]
    samples.write_text("\n".join(turned) + "\n", encoding="utf-8")
    with pytest.raises(SnellenError, match=r"its target is '\w+', and that of P3/syn-p3-s5-\d+ is '\w+'"):
        imported("lmms-eval", samples)


def test_a_letter_as_target_contradicts_no_word(imported: Imports, tmp_path: Path) -> None:
    """Tools that offer options keep the letter of the right one."""
    rows = [{"id": f"P3/{name}", "response": "Color", "target": "B"} for name in IDS]
    assert imported("csv", replies(tmp_path / "x.jsonl", *rows)).record.samples == 12


def test_a_place_that_nothing_confirms_is_said(imported: Imports, tmp_path: Path) -> None:
    rows = [{"response": "Color", "config": "P3"} for _ in range(12)]
    done = imported("csv", replies(tmp_path / "x.jsonl", *rows))
    assert any("12 rows were matched by their place alone" in note for note in done.record.notes)


def test_a_name_that_no_sample_has_is_not_taken_for_a_place(imported: Imports, tmp_path: Path) -> None:
    rows = [{"id": f"odd-{i}", "response": "Color", "config": "P3"} for i in range(12)]
    with pytest.raises(SnellenError, match="12 of 12 rows fit no sample"):
        imported("csv", replies(tmp_path / "x.jsonl", *rows))


def test_rows_of_no_sample_are_refused_or_left_out_by_request(imported: Imports, tmp_path: Path) -> None:
    rows = [{"id": f"P3/{name}", "response": "Color", "score": 1} for name in IDS]
    stray = {"id": "P3/who", "response": "Color", "score": 0, "config": "P3"}
    file = replies(tmp_path / "x.jsonl", *rows, stray)
    with pytest.raises(SnellenError, match=r"1 of 13 rows fit no sample .*line 13.*--skip-unmatched"):
        imported("csv", file)
    done = imported("csv", file, skip_unmatched=True)
    assert (done.record.rows, done.record.samples, done.record.left_out) == (13, 12, 1)
    assert done.record.figures[0].n == 13  # their score stays theirs
    assert any("left out of our scores, not of theirs" in note for note in done.record.notes)


def test_another_exam_or_data_set_is_refused(imported: Imports, tmp_path: Path) -> None:
    rows = [{"id": f"COCO_{i}", "response": "a dog", "target": "dog"} for i in range(3)]
    with pytest.raises(SnellenError, match=r"3 of 3 rows fit no sample .* another exam, another data set"):
        imported("csv", replies(tmp_path / "x.jsonl", *rows), skip_unmatched=True)


def test_two_replies_to_one_question_are_refused(imported: Imports, tmp_path: Path) -> None:
    rows = [{"id": f"P3/{IDS[0]}", "response": said} for said in ("Color", "Size")]
    with pytest.raises(SnellenError, match=r"line 1 and .*line 2 are both about the sample P3/syn-p3-s5-00000"):
        imported("csv", replies(tmp_path / "x.jsonl", *rows))


@pytest.mark.parametrize("numbers", [list(range(11, -1, -1)), list(range(17, 29)), [0, 2, 1, *range(3, 12)]])
def test_numbers_that_do_not_count_the_rows_are_no_places(
    numbers: list[int], imported: Imports, tmp_path: Path
) -> None:
    rows = [{"id": str(number), "response": "Color", "config": "P3"} for number in numbers]
    with pytest.raises(SnellenError, match="12 of 12 rows fit no sample"):
        imported("csv", replies(tmp_path / "x.jsonl", *rows))


@pytest.mark.parametrize("first", [0, 1])
def test_numbers_that_count_the_rows_are(first: int, imported: Imports, tmp_path: Path) -> None:
    rows = [{"id": str(first + i), "response": "Color", "config": "P3"} for i in range(12)]
    assert imported("csv", replies(tmp_path / "x.jsonl", *rows)).record.samples == 12


def own_set(folder: Path, *rows: dict[str, Any]) -> Path:
    (folder / "1.png").write_bytes(png(8, 8))
    data = folder / "q.jsonl"
    data.write_text("".join(json.dumps({"image": "1.png", **row}) + "\n" for row in rows), encoding="utf-8")
    return data


def test_a_doc_id_is_a_place_whatever_the_documents_own_id_is(imported: Imports, tmp_path: Path) -> None:
    rows = [{"question": f"Q{i}", "answer": word} for i, word in enumerate(("cat", "dog", "bird"))]
    log = tmp_path / "20261117_131713_samples_mine.jsonl"
    lines = [
        {
            "doc_id": i,
            "doc": {"question_id": 900 + i, **row},
            "target": row["answer"],
            "filtered_resps": [row["answer"]],
        }
        for i, row in enumerate(rows)
    ]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert imported("lmms-eval", log, exam="own", data=own_set(tmp_path, *rows)).record.samples == 3


@pytest.mark.parametrize("asked", [True, False])
def test_row_numbers_that_may_be_counted_otherwise_are_doubted(asked: bool, imported: Imports, tmp_path: Path) -> None:
    """The log counts from 0 and its row 0 is missing; our rows count from 1."""
    data = own_set(tmp_path, *({"question": f"Q{i}", "options": ["red", "blue"], "answer": "red"} for i in range(4)))
    rows = [{"index": i, "response": "A"} | ({"question": f"Q{i}"} if asked else {}) for i in range(1, 4)]
    log = replies(tmp_path / "x.jsonl", *rows)
    if asked:
        with pytest.raises(SnellenError, match="its question is that of 2, not that of 1"):
            imported("csv", log, exam="own", data=data)
    else:
        done = imported("csv", log, exam="own", data=data)
        assert any("3 rows were matched by their place alone" in note for note in done.record.notes)


def test_a_question_that_all_samples_have_confirms_no_place(imported: Imports, tmp_path: Path) -> None:
    data = own_set(tmp_path, *({"question": "Q", "options": ["red", "blue"], "answer": "red"} for _ in range(4)))
    done = imported(
        "csv",
        replies(tmp_path / "x.jsonl", *({"question": "Q", "response": "A"} for _ in range(4))),
        exam="own",
        data=data,
    )
    assert any("4 rows were matched by their place alone" in note for note in done.record.notes)
