"""A log from somewhere is hostile until read: nothing runs, nothing fills the memory, nothing reaches the terminal raw."""

from __future__ import annotations

import csv
import json
import math
import re
import sys
import tracemalloc
import zipfile
from pathlib import Path

import openpyxl
import pytest
from tests.importers.conftest import LOGS, Imports

from snellen.core.errors import SnellenError
from snellen.core.installing import install_command
from snellen.data import workbook as workbooks
from snellen.importers import files, log
from snellen.importers.reading import read_log
from snellen.importers.record import read_samples
from snellen.present.terminal.imported import print_imported

NASTY = "\x1b[2J\x1b]0;owned\x07[red]Color[/red]\u202e=1+1"


def inspect_json(path: Path, **changed: object) -> Path:
    document = json.loads((LOGS / "inspect.json").read_text(encoding="utf-8"))
    document["samples"][0] |= changed
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def said(text: str) -> dict[str, object]:
    return {"output": {"choices": [{"message": {"role": "assistant", "content": text}, "stop_reason": "stop"}]}}


@pytest.mark.parametrize("cut", [10, 1000, 20000, -10])
def test_a_torn_archive_is_one_line(cut: int, tmp_path: Path) -> None:
    file = tmp_path / "torn.eval"
    file.write_bytes((LOGS / "inspect.eval").read_bytes()[:cut])
    with pytest.raises(SnellenError, match=r"torn\.eval"):
        read_log("inspect", [file])


@pytest.mark.parametrize("at", [3000, 5000, 30000])
def test_an_archive_with_bytes_changed_is_one_line(at: int, tmp_path: Path) -> None:
    raw = bytearray((LOGS / "inspect.eval").read_bytes())
    raw[at : at + 40] = b"\xff" * 40
    file = tmp_path / "changed.eval"
    file.write_bytes(raw)
    with pytest.raises(SnellenError, match=r"changed\.eval"):
        read_log("inspect", [file])


def test_a_member_that_is_not_what_its_checksum_says_is_damaged(tmp_path: Path) -> None:
    raw = bytearray((LOGS / "inspect.eval").read_bytes())
    entry = raw.rfind(b"header.json") - 46  # its entry in the directory at the end; the checksum is 16 bytes into it
    raw[entry + 16] ^= 1
    file = tmp_path / "changed.eval"
    file.write_bytes(raw)
    with pytest.raises(SnellenError, match=r"header\.json: .*checksum"):
        read_log("inspect", [file])


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_MEMBER", 1 << 20)
    file = tmp_path / "bomb.eval"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("header.json", b" " * (64 << 20))
    assert file.stat().st_size < 1 << 20
    with pytest.raises(SnellenError, match=r"header\.json: unpacked it is larger than 1,048,576 bytes"):
        read_log("inspect", [file])


def test_a_bomb_of_zstd_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_MEMBER", 2000)
    with pytest.raises(SnellenError, match="unpacked it is larger than 2,000 bytes"):
        read_log("inspect", [LOGS / "inspect.eval"])


def test_many_members_do_not_add_up_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_UNPACKED", 30_000)
    with pytest.raises(SnellenError, match="unpacked it is larger than 30,000 bytes"):
        read_log("inspect", [LOGS / "inspect.eval"])


def test_a_line_without_end_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_LINE", 1000)
    file = tmp_path / "x.jsonl"
    file.write_bytes(b'{"id": 1, "response": "' + b"a" * 100_000)
    with pytest.raises(SnellenError, match="line 1: longer than 1,000 bytes"):
        read_log("csv", [file])


def test_a_reply_that_is_no_reply_is_a_failure(imported: Imports, tmp_path: Path) -> None:
    done = imported("inspect", inspect_json(tmp_path / "long.json", **said("x" * (log.LONGEST + 1))))
    (answer,) = done.run.answers()
    assert answer.text == ""
    assert answer.failure is not None
    assert "1,048,577 characters" in answer.failure.reason


@pytest.mark.parametrize(
    "text", ['{"id": 1', "[1, 2]", '"text"', "[" * 100_000, '{"id": 1, "response": {"a": 1}, "x": NaN}']
)
def test_lines_that_are_no_rows(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(text, encoding="utf-8")
    if "NaN" in text:
        assert read_log("csv", [file]).rows[0].id == "1"  # Python's own spelling of numbers is read
        return
    with pytest.raises(SnellenError, match=r"x\.jsonl line 1"):
        read_log("csv", [file])


@pytest.mark.parametrize(
    ("tool", "name", "content", "says"),
    [
        ("inspect", "x.json", '{"status": "success"}', "not what such a log has"),
        ("inspect", "x.json", '{"eval": {}, "samples": []}', "the log has no samples"),
        ("inspect", "x.json", "nothing", "no readable JSON"),
        ("lmms-eval", "x_samples_p3.jsonl", '{"a": 1}\n', "no line of lmms-eval's samples"),
        ("lmms-eval", "x_samples_p3.jsonl", "", "it has no samples"),
        ("lmms-eval", "predictions.jsonl", "{}", "lmms-eval writes DATE_samples_TASK.jsonl"),
        ("lmms-eval", "x_results.json", "{}", "writes them with --log_samples"),
        ("vlmevalkit", "x.csv", "index,answer\n1,a\n", "no column 'prediction'"),
        ("vlmevalkit", "x.xlsx", "no zip", "no Excel workbook"),
        ("csv", "x.parquet", "x", "not a table that is read here"),
        ("csv", "x.csv", "id,response\n1,\udcff\n", "not UTF-8"),
        ("helm", "x.json", "{}", "unknown tool 'helm'"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_line(tool: str, name: str, content: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(SnellenError, match=says) as caught:
        read_log(tool, [file])
    assert "\n" not in str(caught.value)


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (tmp_path / "x.xlsx").write_bytes(b"")
    with pytest.raises(SnellenError, match=re.escape(f"needs the extra 'import': {install_command('import')}")):
        read_log("csv", [tmp_path / "x.xlsx"])


@pytest.mark.parametrize(
    ("tool", "name", "text"),
    [
        (
            "csv",
            "big.jsonl",
            json.dumps({"id": 1, "response": "Color", "answer": "Color", "task": "P3", "score": 10**400}),
        ),
        ("csv", "big.csv", f"id,response,answer,task,score\n1,Color,Color,P3,{'9' * 400}\n"),
        ("vlmevalkit", "m_big.tsv", f"index\tprediction\tanswer\tsplit\thit\n1\tColor\tColor\tP3\t{'9' * 400}\n"),
        ("csv", "both.csv", "id,response,answer,split,task\n1,Color,Color,P3,odd\n"),
    ],
)
def test_a_score_beyond_all_numbers_is_no_score_and_an_odd_task_no_error(
    tool: str, name: str, text: str, imported: Imports, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    done = imported(tool, tmp_path / name, data=None)
    assert done.record.samples == 1 and not done.record.figures


@pytest.mark.parametrize("score", [10**400, math.inf, -math.inf, math.nan], ids=["large", "inf", "-inf", "nan"])
def test_scores_of_inspect_and_lmms_eval_that_are_no_numbers_are_none(
    score: float, imported: Imports, lmms: Path, tmp_path: Path
) -> None:
    document = json.loads(inspect_json(tmp_path / "x.json").read_text(encoding="utf-8"))
    document["samples"][0]["scores"] = {"match": {"value": score}, "more": {"value": 1}}
    (tmp_path / "x.json").write_text(json.dumps(document), encoding="utf-8")
    log = next(lmms.parent.glob("*samples_*.jsonl"))
    first, *others = log.read_text(encoding="utf-8").splitlines()
    log.write_text("\n".join([json.dumps(json.loads(first) | {"match": score}), *others]), encoding="utf-8")
    for tool, file in (("inspect", tmp_path / "x.json"), ("lmms-eval", log)):
        done = imported(tool, file, out=tmp_path / tool, skip_unmatched=True)
        kept = list(read_samples(done.run.folder))
        assert kept and all("match" not in one.scores for one in kept)


@pytest.mark.parametrize(
    ("name", "text", "exam", "says"),
    [
        (
            "x.jsonl",
            '{"id": 1, "response": "\\ud800", "answer": "Color", "task": "P3"}',
            "salbench",
            "a lone surrogate",
        ),
        ("q\udcff.csv", "id,response,answer,task\n1,Color,Color,P3\n", "salbench", "not UTF-8; rename it"),
        ("x.csv", "id,response,answer\n1,Color,Color\n", "eye", "a log of it cannot be imported"),
    ],
)
def test_what_no_run_can_hold_is_refused(
    name: str, text: str, exam: str, says: str, imported: Imports, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(SnellenError, match=says):
        imported("csv", tmp_path / name, data=None, exam=exam)


def workbook(path: Path, sheet: str, **others: str) -> Path:
    """A workbook whose first sheet has this XML for rows; other members are replaced."""
    book = openpyxl.Workbook()
    book.active.append(["id", "response"])
    book.save(path)
    with zipfile.ZipFile(path) as packed:
        members = {name: packed.read(name).decode() for name in packed.namelist()}
    members["xl/worksheets/sheet1.xml"] = re.sub(
        "<sheetData>.*</sheetData>", f"<sheetData>{sheet}</sheetData>", members["xl/worksheets/sheet1.xml"]
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in (members | others).items():
            packed.writestr(name, text)
    return path


def row(number: int, **cells: str) -> str:
    held = (f'<c r="{column}{number}" t="inlineStr"><is><t>{text}</t></is></c>' for column, text in cells.items())
    return f'<row r="{number}">{"".join(held)}</row>'


def test_a_far_cell_costs_no_memory(tmp_path: Path) -> None:
    head = row(1, A="id", B="response")
    file = workbook(tmp_path / "far.xlsx", head + row(2, A="a", B="x") + row(20_000, A="b", B="y", XFD="far"))
    tracemalloc.start()
    found = read_log("csv", [file]).rows
    assert tracemalloc.get_traced_memory()[1] < 50 << 20
    tracemalloc.stop()
    assert [(one.id, one.text, one.where) for one in found] == [
        ("a", "x", "far.xlsx row 2"),
        ("b", "y", "far.xlsx row 20000"),
    ]


@pytest.mark.parametrize(
    ("sheet", "says"),
    [
        (row(1, A="id", B="response", XFD="wide") + "".join(row(n, A="a") for n in range(2, 400)), "5,000,000 cells"),
        (row(1, A="id", B="response") + "<row>" + "<c/>" * 2_000 + "</row>", "1,000 XML elements"),
        (row(1, A="id", B="response") + "<row>", "no Excel workbook"),
    ],
)
def test_a_workbook_is_bounded_by_what_it_holds(
    sheet: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbooks, "MOST_TAGS", 1000 if "XML" in says else workbooks.MOST_TAGS)
    file = workbook(tmp_path / "x.xlsx", sheet)
    with pytest.raises(SnellenError, match=says):
        read_log("csv", [file])


@pytest.mark.parametrize("form", ["csv", "json"])
def test_short_rows_of_a_wide_table_take_no_memory(form: str, tmp_path: Path) -> None:
    file = tmp_path / f"wide.{form}"
    if form == "csv":
        file.write_text("id,response," + ",".join(f"c{i}" for i in range(8000)) + "\n" + "a,Color\n" * 8000)
    else:
        file.write_text(json.dumps({f"c{i}": {i: 1} for i in range(6000)} | {"response": {"0": "b"}}))
    tracemalloc.start()
    with pytest.raises(SnellenError, match=r"more than 5,000,000 cells, empty ones included"):
        read_log("csv", [file])
    assert tracemalloc.get_traced_memory()[1] < 500 << 20
    tracemalloc.stop()


def test_a_sample_without_a_name_and_a_list_that_is_none(imported: Imports, tmp_path: Path) -> None:
    log = inspect_json(tmp_path / "x.json", id="")
    document = json.loads(log.read_text(encoding="utf-8"))
    log.write_text(json.dumps(document | {"samples": document["samples"][:1]}), encoding="utf-8")
    assert imported("inspect", log, data=None).record.samples == 1
    document["eval"]["dataset"] = {"sample_ids": 5}
    log.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(SnellenError, match=r"not what such a log has .*sample_ids"):
        read_log("inspect", [log])


def test_a_workbook_of_empty_rows_takes_no_hours(tmp_path: Path) -> None:
    sheet = row(1, A="index", B="prediction", XFD="far") + row(1_048_576, A="a")
    with pytest.raises(SnellenError, match=r"more than 5,000,000 cells, empty ones included"):
        read_log("vlmevalkit", [workbook(tmp_path / "x.xlsx", sheet)])


def test_a_workbook_that_lies_about_its_sizes_is_refused(tmp_path: Path) -> None:
    sheet = row(1, A="id", B="response") + row(2, A="a", B="x" * 2_000_000)
    file = workbook(tmp_path / "x.xlsx", sheet)
    with zipfile.ZipFile(file) as packed:
        size = packed.getinfo("xl/worksheets/sheet1.xml").file_size
    file.write_bytes(file.read_bytes().replace(size.to_bytes(4, "little"), (1000).to_bytes(4, "little")))
    with pytest.raises(SnellenError, match="no Excel workbook, or a torn one"):
        read_log("csv", [file])
    doctype = '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
    with pytest.raises(SnellenError, match="declares XML entities"):
        read_log("csv", [workbook(file, row(1, A="id"), **{"xl/sharedStrings.xml": doctype})])


def test_an_evaluation_that_was_killed_says_how_to_recover_it(tmp_path: Path) -> None:
    file = tmp_path / "killed.eval"
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("_journal/start.json", "{}")
        packed.writestr("samples/1_epoch_1.json", "{}")
    with pytest.raises(SnellenError, match="inspect log recover"):
        read_log("inspect", [file])


def test_nasty_text_stays_text(imported: Imports, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(inspect_json(tmp_path / "x.json", **said(NASTY)).read_text(encoding="utf-8"))
    document["eval"] |= {"model": f"m{NASTY}/../../x", "packages": {"inspect_ai": NASTY}, "created": NASTY}
    document["samples"][0]["scores"] = {NASTY: {"value": "C"}}
    document["results"]["scores"][0]["name"] = NASTY
    (tmp_path / "x.json").write_text(json.dumps(document), encoding="utf-8")
    done = imported("inspect", tmp_path / "x.json")
    assert done.run.path.parent == tmp_path / "runs"
    print_imported(done, verbose=True)
    shown = capsys.readouterr().out
    assert "\\x1b[2J" in shown
    assert not any(c in shown for c in "\x1b\x07\u202e")
    assert [a.text for a in done.run.answers()] == [NASTY]


def test_a_small_archive_of_many_values_is_refused_before_it_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bomb.eval"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("header.json", '{"eval": {}}')
        packed.writestr("samples/1_epoch_1.json", f'{{"id": 1, "metadata": {{"a": [{"{},{}," * 4_200_000}{{}}]}}}}')
    assert file.stat().st_size < 100_000
    with pytest.raises(SnellenError, match=r"samples/1_epoch_1\.json: more than 16,777,216 values of JSON"):
        read_log("inspect", [file])
    monkeypatch.setattr(files, "MOST_VALUES", 2_000)  # all members together
    with pytest.raises(SnellenError, match=r"more than 2,000 values of JSON"):
        read_log("inspect", [LOGS / "inspect.eval"])


def test_many_lines_do_not_add_up_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbooks, "MOST_CELLS", 1000)
    file = tmp_path / "x.jsonl"
    for line in ("{}\n", '{"id": 1, "response": "a"}\n'):
        file.write_text(line * 1001)
        with pytest.raises(SnellenError, match=r"more than 1,000 cells"):
            read_log("csv", [file])


def test_a_total_that_is_no_number_does_not_disagree() -> None:
    assert log.LogScore(name="a", value=math.nan, how="sum", values=(1.0,)).agrees is None
    assert log.LogScore(name="a", value=0.5, how="sum", values=(1.0,)).agrees is False


def test_a_long_cell_of_a_table_is_read(tmp_path: Path) -> None:
    csv.field_size_limit(131_072)  # as Python starts with it
    (tmp_path / "x.csv").write_text(f"id,response\n1,{'x' * 200_000}\n")
    assert len(read_log("csv", [tmp_path / "x.csv"]).rows[0].text) == 200_000
