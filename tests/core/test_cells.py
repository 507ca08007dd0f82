"""Spreadsheet cells from hostile text: inert, readable back, and never cut in silence."""

from __future__ import annotations

import csv
import io
import re
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.core.cells import EXCEL_CHARACTERS, WorkbookSheet, csv_bytes, fit_excel, for_cell, from_cell, workbook
from snellen.core.errors import MissingExtra
from snellen.core.installing import install_command
from snellen.core.text import for_terminal

HOSTILE = ["=cmd()", "+1", "-1", "@SUM(A1)", "\t=x", "\n=x", "  =x", "＝x", "'=x", "''+x", '=HYPERLINK("http://x")']


@pytest.mark.parametrize("text", HOSTILE)
def test_what_could_be_a_formula_begins_with_an_apostrophe(text: str) -> None:
    assert for_cell(text) == "'" + text
    assert from_cell(for_cell(text)) == text


@pytest.mark.parametrize("text", ["yes", "'tis a dog", "a = b", "3 - 2", "{}", "<script>", "", "''", "five-day"])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert for_cell(text) == text
    assert from_cell(text) == text


@given(st.text(alphabet=st.sampled_from("'=+-@ \tab,\"\n\r\x1b\u200b")))
def test_every_cell_reads_back_and_none_begins_like_a_formula(text: str) -> None:
    cell = for_cell(text)
    assert not cell.lstrip().startswith(("=", "+", "-", "@"))
    assert not cell.startswith(("\t", "\r", "\n"))
    assert from_cell(cell) == for_terminal(text)
    assert "\x1b" not in cell
    assert list(csv.reader(io.StringIO(csv_bytes([[text, 1]]).decode()))) == [[cell, "1"]]


def test_escapes_and_lone_surrogates_become_visible() -> None:
    assert for_cell("\x1b[31mred") == "\\x1b[31mred"
    assert csv_bytes([["a\ud800b", None, 0.5, 3]]) == b"a\\ud800b,,0.5,3\n"


def test_excel_holds_strings_only_and_says_what_it_cannot_hold(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    long = "because " * 5000
    rows = [
        ["n", "text"],
        *([i, t] for i, t in enumerate([*HOSTILE, long, "http://example.com", "_x0041_ \ufffe\x1b[0m", "12"])),
    ]
    path = tmp_path / "book.xlsx"
    path.write_bytes(workbook([WorkbookSheet("eval", rows)]))
    cells = [c for (c,) in openpyxl.load_workbook(path)["eval"].iter_rows(min_row=2, min_col=2)]
    assert [c.value for c in cells[: len(HOSTILE)]] == ["'" + t for t in HOSTILE]
    assert {c.data_type for c in cells} == {"s"}
    assert all(c.hyperlink is None for c in cells)
    shown = cells[len(HOSTILE)].value
    assert len(shown) == EXCEL_CHARACTERS
    assert shown.endswith("[cut: 40000 characters, Excel holds 32767; the CSV file has all]")
    assert long in csv_bytes(rows).decode()
    assert cells[-1].value == "12"  # a text stays a text
    with zipfile.ZipFile(path) as book:
        assert not any(b"<f>" in book.read(n) or b"hyperlink" in book.read(n) for n in book.namelist())


def test_characters_beyond_the_basic_plane_count_twice_as_in_excel() -> None:
    assert fit_excel("😀" * 16_383) == "😀" * 16_383
    cut = fit_excel("😀" * 16_384)
    assert "[cut: 32768 characters" in cut
    assert len(cut.encode("utf-16-le")) // 2 <= EXCEL_CHARACTERS


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(MissingExtra, match=re.escape(install_command("excel"))):
        workbook([WorkbookSheet("a", [["b"]])])
