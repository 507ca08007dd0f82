"""Parquet columns: equal to what was written, whatever wrote the file, and bounded in memory."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from snellen.core.errors import SnellenError
from snellen.data import parquet
from snellen.data.parquet import ParquetFile

STRUCT = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def values(count: int, seed: int, missing: float = 0.2) -> list[bytes | None]:
    """Noise, text that compresses well, empty and missing values, and some that repeat."""
    draw = random.Random(seed)
    repeated = [draw.randbytes(300) for _ in range(3)]
    kinds = (
        lambda: draw.randbytes(draw.randrange(2000)),
        lambda: b"x" * draw.randrange(70_000),
        lambda: b"",
        lambda: draw.choice(repeated),
    )
    return [None if draw.random() < missing else draw.choice(kinds)() for _ in range(count)]


def cells(file: ParquetFile, rows: Any = None) -> list[Any]:
    return list(file.cells("image", range(file.rows) if rows is None else rows))


@pytest.mark.parametrize("kind", ["binary", "struct", "list", "large"])
def test_equal_to_what_was_written(tmp_path: Path, kind: str) -> None:
    given: list[Any] = values(150, seed=1)
    if kind == "struct":
        column = pa.array([None if i % 9 == 0 else {"bytes": v, "path": "p"} for i, v in enumerate(given)], STRUCT)
        given = [None if i % 9 == 0 else v for i, v in enumerate(given)]
    elif kind == "list":
        given = [None if v is None else [v, v] for v in given]
        column = pa.array(given, pa.list_(pa.binary()))
    else:
        column = pa.array(given, pa.large_binary() if kind == "large" else pa.binary())
    pq.write_table(pa.table({"n": list(range(150)), "image": column}), tmp_path / "a", row_group_size=16)
    file = ParquetFile(tmp_path / "a", "a")
    assert (file.columns, file.binary, file.rows) == (("n", "image"), ("image",), 150)
    some = sorted(random.Random(2).sample(range(150), 31))
    for rows in (range(150), some, range(60, 70), [149], []):
        assert cells(file, rows) == [given[i] for i in rows]
    assert file.first("image") == given[0]


def test_files_that_duckdb_wrote(tmp_path: Path) -> None:
    given = values(100, seed=3)
    images = pa.table({"image": pa.array([{"bytes": v, "path": None} for v in given], STRUCT)})
    assert len(images) == 100
    duckdb.sql("SELECT image FROM images").write_parquet(str(tmp_path / "a"))
    assert cells(ParquetFile(tmp_path / "a", "a")) == given


def test_texts_and_records_keep_what_the_columns_hold(tmp_path: Path) -> None:
    columns = {"text": ["é", None, ""], "n": [1, None, 3], "yes": [True, False, None], "more": [["a"], None, []]}
    pq.write_table(pa.table(columns), tmp_path / "a")
    file = ParquetFile(tmp_path / "a", "a")
    assert [list(texts) for texts in file.texts(["n", "text", "yes"])] == [
        ["1", "", "3"],
        ["é", "", ""],
        ["true", "false", ""],
    ]
    mapped = pa.array([[("k", "v")], None, [("k", "w"), ("l", None)]], pa.map_(pa.string(), pa.string()))
    pq.write_table(pa.table(columns | {"map": mapped}), tmp_path / "b")
    assert [r["map"] for r in ParquetFile(tmp_path / "b", "b").records(["map"])] == mapped.to_pylist()
    names = ["more", "text"]
    assert list(file.records(names)) == [{n: columns[n][i] for n in names} for i in range(3)]
    assert list(file.records([])) == [{}, {}, {}]


def test_what_we_write_is_read_back_and_is_the_same_each_time(tmp_path: Path) -> None:
    pictures = [None if i % 7 == 0 else {"bytes": b"%d" % i, "path": None if i % 3 else "p"} for i in range(40)]
    types = {"image": parquet.PICTURE, "name": "string", "n": "int64"}
    columns = [pictures, ["\udcff", *"a" * 39], [None, *range(39)]]
    for packed in (False, True):
        for name in ("a", "b"):
            parquet.write(tmp_path / name, types, columns, {"a": "b'c"}, packed=packed)
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
        file = ParquetFile(tmp_path / "a", "a")
        assert file.notes == {b"a": b"b'c"}
        assert cells(file) == [p and p["bytes"] for p in pictures]
        assert next(file.records(["name", "n"])) == {"name": "\\udcff", "n": None}


def test_a_bad_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "a"
    pq.write_table(pa.table([[1], [2]], names=["x", "x"]), path)
    with pytest.raises(SnellenError, match="data a: the column 'x' is there twice"):
        ParquetFile(path, "data a")
    wrong = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"]).buffers())
    pq.write_table(pa.table({"x": wrong}), path)
    with pytest.raises(SnellenError, match="data a: cannot be read"):
        ParquetFile(path, "data a").texts(["x"])
    pq.write_table(pa.table({"image": pa.array([b"x" * 5000] * 40, pa.binary())}), path, use_dictionary=False)
    whole = path.read_bytes()
    draw = random.Random(5)
    for _ in range(150):
        damaged = bytearray(whole)
        at = draw.randrange(4, 400)
        damaged[at] = draw.randrange(256)
        path.write_bytes(damaged)
        try:
            found = cells(ParquetFile(path, "data a"))
        except SnellenError as error:
            assert "data a" in str(error)
        else:
            assert len(found) == 40


def test_the_same_long_text_a_thousand_times_takes_little_memory(tmp_path: Path) -> None:
    same = pa.DictionaryArray.from_arrays(pa.array([0] * 1024, pa.int32()), pa.array(["a" * (1 << 20)]))
    nested = pa.ListArray.from_arrays(list(range(1025)), same)
    pq.write_table(pa.table({"x": same, "y": nested}), tmp_path / "a", compression="zstd", store_schema=False)
    assert (tmp_path / "a").stat().st_size < 10_000
    code = (
        "import resource, sys; from pathlib import Path; from snellen.data.parquet import ParquetFile\n"
        "file = ParquetFile(Path(sys.argv[1]), 'a'); most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = most(); assert all(len(r['x']) == len(r['y'][0]) == 1 << 20 for r in file.records(['x', 'y']))\n"
        "print(most() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a")], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 200_000, "kilobytes; written out it is 2,097,152"


def test_a_cell_that_is_too_large_and_too_much_text_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "LONGEST_CELL", 1 << 20)
    small = ["b"] * 9
    for cell in ("a" * (2 << 20), ["a" * (1 << 19)] * 4):
        others: list[Any] = ["c"] * 8 if isinstance(cell, str) else [["c"]] * 8
        pq.write_table(pa.table({"x": small, "y": [*others, cell]}), tmp_path / "a")
        file = ParquetFile(tmp_path / "a", "data a")
        assert len(list(file.records(["x"]))) == 9
        with pytest.raises(SnellenError, match="data a: a cell of the column 'y' is larger than 1 MiB"):
            list(file.records(["x", "y"]))
    pq.write_table(pa.table({"x": ["a" * (9 << 20)]}), tmp_path / "a")
    with pytest.raises(SnellenError, match="data a: a cell is larger than 1 MiB"):
        ParquetFile(tmp_path / "a", "data a").texts(["x"])
    monkeypatch.setattr(parquet, "_MOST_TEXT", 1 << 20)
    pq.write_table(pa.table({"x": ["a" * 1000] * 2000}), tmp_path / "a")
    with pytest.raises(SnellenError, match="data a: more than 0 GiB of text"):
        ParquetFile(tmp_path / "a", "data a").texts(["x"])


@pytest.mark.parametrize("when", [pa.array([2**31 - 1], pa.date32()), pa.array([2**62], pa.timestamp("us"))])
def test_a_date_that_python_does_not_have_is_one_line(when: pa.Array, tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": when}), tmp_path / "a")
    with pytest.raises(SnellenError, match="data a: cannot be read"):
        list(ParquetFile(tmp_path / "a", "data a").records(["x"]))


def test_memory_is_that_of_a_page_not_of_the_file(tmp_path: Path) -> None:
    draw = random.Random(6)
    with pq.ParquetWriter(tmp_path / "a", pa.schema({"image": STRUCT})) as out:
        for _ in range(6):
            images = [{"bytes": draw.randbytes(100_000), "path": None} for _ in range(200)]
            out.write_table(pa.table({"image": pa.array(images, STRUCT)}))
    code = (
        "import resource, sys; from pathlib import Path; from snellen.data.parquet import ParquetFile\n"
        "file = ParquetFile(Path(sys.argv[1]), 'a'); most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = most(); assert sum(map(len, file.cells('image', range(file.rows)))) == 120_000_000; print(most() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a")], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 70_000, "kilobytes; the file is 120,000, a row group 20,000"


def listed(path: Path, length: int, rows: int = 1) -> Path:
    """Lists of missing values, which take a file no space."""
    offsets = pa.array([i * length for i in range(rows + 1)], pa.int32())
    pq.write_table(pa.table({"x": pa.ListArray.from_arrays(offsets, pa.nulls(length * rows))}), path)
    return path


def test_long_lists_of_nothing_take_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(ParquetFile(listed(tmp_path / "a", 0, 2), "data a").records(["x"])) == [{"x": []}] * 2
    with pytest.raises(SnellenError, match="data a: a cell of the column 'x' is larger than 16 MiB"):
        list(ParquetFile(listed(tmp_path / "a", 3_000_000), "data a").records(["x"]))
    assert (tmp_path / "a").stat().st_size < 2000
    many = ParquetFile(listed(tmp_path / "a", 100_000, 60), "data a")
    assert max(len(batch[0]) for _size, batch in many._batches(["x"])) <= 20
    monkeypatch.setattr(parquet, "_MOST_VALUES", 5_999_999)
    with pytest.raises(SnellenError, match="data a: more than 5,999,999 values of lists in one row group; split it"):
        ParquetFile(tmp_path / "a", "data a")


def test_rows_at_once_are_told_by_the_largest_row_group(tmp_path: Path) -> None:
    picture = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    with pq.ParquetWriter(tmp_path / "a", pa.schema([("image", picture)]), compression="zstd") as out:
        for size, count in ((1, 1000), (1 << 20, 40)):
            cells = [{"bytes": bytes([i % 256]) * size, "path": ""} for i in range(count)]
            out.write_table(pa.table({"image": pa.array(cells, picture)}))
    file = ParquetFile(tmp_path / "a", "a")
    assert file._few == 1
    assert [len(cell) for cell in file.cells("image", [0, 1000, 1039])] == [1, 1 << 20, 1 << 20]
