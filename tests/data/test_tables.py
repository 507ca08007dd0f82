"""Tables as people have them: byte order marks, line ends of Windows, torn files, and rows that are read one at a time."""

from __future__ import annotations

import json
import time
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from snellen.core.errors import SnellenError
from snellen.data.tables import Table


def written(path: Path, content: str | bytes) -> Table:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Table(path)


def cells(table: Table) -> list[dict[str, object]]:
    return [row.cells for row in table.rows()]


def test_csv_with_a_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    table = written(tmp_path / "a.csv", b'\xef\xbb\xbfimage,question\r\na.png,"one\r\ntwo"\r\n\r\nb.png,three\r\n')
    assert table.columns == ("image", "question")
    assert cells(table) == [{"image": "a.png", "question": "one\r\ntwo"}, {"image": "b.png", "question": "three"}]
    assert [row.place for row in table.rows()] == ["row 2", "row 3"]  # as a spreadsheet counts them


@pytest.mark.parametrize(("name", "between"), [("a.tsv", "\t"), ("a.csv", ";")])
def test_other_signs_between_cells(name: str, between: str, tmp_path: Path) -> None:
    table = written(tmp_path / name, f"image{between}question\na.png{between}what, and why?\n")
    assert cells(table) == [{"image": "a.png", "question": "what, and why?"}]


def test_json_lines_with_comments_and_a_byte_order_mark(tmp_path: Path) -> None:
    table = written(tmp_path / "a.jsonl", b'\xef\xbb\xbf# a comment\r\n{"a": 1}\r\n\r\n{"b": [2]}\r\n')
    assert table.columns == ("a", "b")
    assert [(row.place, row.cells) for row in table.rows()] == [("line 2", {"a": 1}), ("line 4", {"b": [2]})]


def test_a_torn_line_is_a_problem_of_its_own_and_the_others_are_read(tmp_path: Path) -> None:
    table = written(tmp_path / "a.jsonl", '{"a": 1}\n[1, 2]\n{"a": 3}\n{"a": "to')
    found = list(table.rows())
    assert [bool(row.wrong) for row in found] == [False, True, False, True]
    assert "not a JSON object" in found[1].wrong
    assert found[3].place == "line 4" and "not valid JSON" in found[3].wrong


def test_a_json_list(tmp_path: Path) -> None:
    assert cells(written(tmp_path / "a.json", '[{"a": 1}, {"a": 2}]')) == [{"a": 1}, {"a": 2}]


def test_parquet_keeps_lists_and_leaves_bytes_for_later(tmp_path: Path) -> None:
    picture = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    rows = {
        "image": pa.array([{"bytes": b"1", "path": "a"}, {"bytes": b"2", "path": "b"}], picture),
        "images": pa.array([[{"bytes": b"3", "path": "a"}], []], pa.list_(picture)),
        "options": [["x", "y"], ["z", "w"]],
        "answer": [1, 0],
    }
    pq.write_table(pa.table(rows), tmp_path / "a.parquet")
    table = Table(tmp_path / "a.parquet")
    assert table.binary == ("image", "images")
    assert cells(table) == [{"options": ["x", "y"], "answer": 1}, {"options": ["z", "w"], "answer": 0}]
    assert list(table.cells("image", [1])) == [(1, b"2")]
    assert [item["bytes"] for item in next(table.cells("images", [0]))[1]] == [b"3"]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", b"image,image\n1,2\n", "there twice"),
        ("a.csv", "image,question\n\u00e9,1\n".encode("latin-1"), "UTF-8"),
        ("a.csv", b'image,question\n"a,1\n', "not valid CSV"),
        ("a.json", b'{"a": 1}', "no list of rows"),
        ("a.json", b"[" * 100_000, "not valid JSON"),
        ("a.parquet", b"PAR1 torn", "not a readable parquet file"),
        ("a.xlsx", b"", "no Excel workbook"),
        ("a.ods", b"", "not a table"),
    ],
)
def test_a_file_that_cannot_be_read_gets_one_line(name: str, content: bytes, says: str, tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match=says) as said:
        list(written(tmp_path / name, content).rows())
    assert "\n" not in str(said.value)


def test_rows_come_one_at_a_time(tmp_path: Path) -> None:
    """The first rows are there although the end of the file was never looked at: it is no UTF-8 at all."""
    lines = b"".join(json.dumps({"a": i}).encode() + b"\n" for i in range(5000))
    table = written(tmp_path / "a.jsonl", lines + b'{"a": "\xff\xfe"}\n')
    assert [row.cells["a"] for row in islice(table.rows(), 3)] == [0, 1, 2]
    assert "UTF-8" in list(table.rows())[-1].wrong


def test_a_header_of_many_columns_takes_no_minutes(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(50_000)]
    begin = time.perf_counter()
    assert len(written(tmp_path / "x.csv", ",".join(names) + "\na,b\n").columns) == 2
    assert time.perf_counter() - begin < 5  # it took 20 seconds and more
    with pytest.raises(SnellenError, match="the column 'c7' is there twice"):
        written(tmp_path / "y.csv", ",".join([*names, "c7"]) + "\n")


def test_a_lone_surrogate_is_a_problem_of_its_row(tmp_path: Path) -> None:
    table = written(tmp_path / "a.jsonl", '{"a": "\\u00e9\\ud83d\\ude00"}\n{"a": "\\ud800"}\n{"\\ud800": 1}\n')
    assert [row.cells for row in table.rows()] == [{"a": "\u00e9\U0001f600"}, {}, {}]
    assert all("not UTF-8 text" in row.wrong for row in list(table.rows())[1:])
    with pytest.raises(SnellenError, match=r"a.json: not valid JSON .*surrogates not allowed"):
        written(tmp_path / "a.json", '[{"a": "\\ud800"}]')
