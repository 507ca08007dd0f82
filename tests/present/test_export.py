"""`snellen export`: every format read back by another library, hostile text inert, and what nobody may overlook in all of them."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import openpyxl
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from tests.present.made import Dots, answered_run, counting, dots, group, made_run, protocol, score

from snellen.cli.main import app
from snellen.core.cells import from_cell
from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.installing import install_command
from snellen.core.records import PublishedRow, SubjectEntry
from snellen.core.results import Metric
from snellen.data.synthetic_marker import MARK, label_from
from snellen.engine.runs.run import Run, open_run
from snellen.engine.runs.tidy import SampleRow, ScoreRow, fixed_columns
from snellen.present.files.export import SUFFIXES, exported, rows_of, wide_rows
from snellen.present.files.latex import escaped as in_latex
from snellen.present.files.markdown import escaped as in_markdown
from snellen.present.model.paper_table import paper_tables

ROOT = Path(__file__).parents[2]
HOSTILE = (
    '=cmd|" /C calc"!A0',
    "+1",
    "-1+1",
    "@SUM(1)",
    "\t=1",
    "\\input{/etc/passwd} $x_1$ & 50 % #{}^~ \\\\[3cm] *",
    "<script>alert(1)</script><img src=x onerror=y>",
    "a | b\n| --- |\r\nc",
    "[click](https://evil.example) ![x](y) **b** `c`",
    "nul\x00 esc\x1b[31m bidi\u202e quote\"' é 🙂",
)
TRUTHS = [f"s{i}" for i in range(len(HOSTILE))]


def call(*words: object) -> Result:
    return CliRunner().invoke(app, ["export", *map(str, words)], standalone_mode=False)


def hostile_run(path: Path) -> Run:
    """A run whose ids, tags and replies are hostile, each in a part of its own."""
    samples = [
        msgspec.structs.replace(s, id=f"{i}{text}", tags={"kind": text})
        for i, (s, text) in enumerate(zip(dots(*TRUTHS), HOSTILE, strict=True))
    ]
    exam = Dots(samples, counting("exact"))
    return answered_run(path, exam, {s.id: text for s, text in zip(samples, HOSTILE, strict=True)})


def renamed(run: Run, subject: str, **data: Any) -> Run:
    """The run with another subject's name, and other facts of its data."""
    manifest = msgspec.structs.replace(
        run.manifest,
        subject=SubjectEntry(spec=subject),
        data=msgspec.structs.replace(run.manifest.data, **data),
    )
    (run.path / "run.json").write_bytes(msgspec.json.encode(manifest))
    return open_run(run.path)


def simple(path: Path, value: float = 0.5, subject: str = "openai/a", **summary: Any) -> Run:
    parts = [group({"split": name}, accuracy=score(value, floor=0.25)) for name in ("P3", "O3")]
    metrics = (Metric(name="accuracy", label="accuracy"),)
    return made_run(path, protocol("paper", *parts, metrics=metrics), subject=subject, **summary)


def tex_cells(text: str) -> list[list[str]]:
    """The cells of a table's rows, by ampersands that are not escaped."""
    body = text.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
    rows = [line for line in body.strip().splitlines() if not line.startswith(r"\midrule")]
    assert all(row.endswith(r" \\") for row in rows)
    return [re.split(r"(?<!\\) & ", row.removesuffix(r" \\")) for row in rows]


def balanced(text: str) -> bool:
    """Whether braces that are not escaped open and close, and mathematics ends where it began."""
    plain = re.sub(r"\\[{}$%&#_]", "", text)
    depth = 0
    for letter in plain:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if depth < 0:
            return False
    return depth == 0 and plain.count("$") % 2 == 0


# ---------------------------------------------------------------- the formats, read back


def test_csv_is_read_back_by_the_csv_module(tmp_path: Path) -> None:
    run = hostile_run(tmp_path / "run")
    raw = exported(rows_of([run], samples=True), "csv")
    assert raw.count(b"\r\n") >= len(HOSTILE)
    rows = list(csv.DictReader(io.StringIO(raw.decode(), newline="")))
    assert len(rows) == len(HOSTILE)
    assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for row in rows for cell in row.values())
    assert [from_cell(row["reply"]) for row in rows[:4]] == list(HOSTILE[:4])
    assert from_cell(rows[6]["reply"]) == HOSTILE[6]
    assert {row["outcome"] for row in rows} == {"unparsable"}
    assert rows[0]["synthetic"] == "false"


def test_parquet_is_typed_and_read_back_by_pyarrow_and_duckdb(tmp_path: Path) -> None:
    run = hostile_run(tmp_path / "run")
    where = tmp_path / "samples.parquet"
    assert call(run.path, "--samples", "--out", where).exit_code == 0
    table = pq.read_table(where)
    assert table.column("reply").to_pylist() == list(HOSTILE)
    types = {f.name: str(f.type) for f in table.schema}
    assert (types["cost"], types["calls"], types["synthetic"]) == ("double", "int64", "bool")
    assert types["metrics.off_by"] == "double"
    assert table.column("cost").to_pylist() == [None] * len(HOSTILE)
    assert call(run.path, "--out", tmp_path / "scores.parquet").exit_code == 0
    query = "SELECT value, n FROM read_parquet(?) WHERE headline AND whole"
    [(value, n)] = duckdb.execute(query, [str(tmp_path / "scores.parquet")]).fetchall()
    assert (value, n) == (0.0, len(HOSTILE))


def test_an_empty_table_has_its_columns(tmp_path: Path) -> None:
    run = made_run(tmp_path / "run")
    assert call(run.path, "--out", tmp_path / "x.parquet").exit_code == 0
    assert pq.read_table(tmp_path / "x.parquet").column_names == [c.name for c in fixed_columns(ScoreRow)]
    assert run.to_pandas().empty


def test_excel_is_read_back_by_openpyxl_and_has_no_formula(tmp_path: Path) -> None:
    run = hostile_run(tmp_path / "run")
    assert call(run.path, "--samples", "--out", tmp_path / "x.xlsx").exit_code == 0
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert book.sheetnames == ["scores", "samples"]
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    assert not any(cell.hyperlink for cell in cells)
    head, *rows = book["samples"].iter_rows(values_only=True)
    at = head.index("reply")
    assert rows[0][at] == "'" + HOSTILE[0] and len(rows) == len(HOSTILE)
    assert call(run.path, "--out", tmp_path / "y.xlsx").exit_code == 0
    assert openpyxl.load_workbook(tmp_path / "y.xlsx").sheetnames == ["scores"]


def test_json_keeps_nested_values(tmp_path: Path) -> None:
    run = hostile_run(tmp_path / "run")
    document = json.loads(call(run.path, "--format", "json", "--samples").stdout_bytes)
    assert [row["reply"] for row in document["samples"]] == list(HOSTILE)
    assert [row["tags"] for row in document["samples"]] == [{"kind": text} for text in HOSTILE]
    assert document["scores"][0]["outcomes"] == {"unparsable": len(HOSTILE)}
    assert document["schema"] == 1 and document["status"] == "MOSTLY SILENT"


def test_latex_has_models_as_rows_and_parts_as_columns(tmp_path: Path) -> None:
    runs = [simple(tmp_path / "a", 0.5, "openai/a"), simple(tmp_path / "b", 0.2, "openai/b_1")]
    text = exported(rows_of(runs), "latex").decode()
    assert tex_cells(text) == [
        ["model", "P3", "O3"],
        ["openai/a", r"$50.0_{\,[10.1,\,90.0]}$", r"$50.0_{\,[10.1,\,90.0]}$"],
        [r"openai/b\_1", r"$20.0^{\dagger}_{\,[10.1,\,90.0]}$", r"$20.0^{\dagger}_{\,[10.1,\,90.0]}$"],
        ["floor", "25.0", "25.0"],
    ]
    caption = re.search(r"\\caption\[\{made-up, protocol paper\}\]\{(.*)\}\n", text)
    assert caption is not None
    assert "accuracy in percent with 95 \\% intervals, by protocol paper (version 1, prompt question)" in caption[1]
    assert "n = 24 in each part." in caption[1] and "at or below the floor" in caption[1]
    assert "SYNTHETIC" not in text and balanced(text)


def test_markdown_is_a_pipe_table_without_escaped_brackets(tmp_path: Path) -> None:
    text = exported(rows_of([simple(tmp_path / "a", 0.2)]), "md").decode()
    caption, empty, *table = text.splitlines()
    assert "by protocol paper (version 1, prompt question). n = 24 in each part." in caption and not empty
    assert table == [
        "| model | P3 | O3 |",
        "| --- | ---: | ---: |",
        "| openai/a | 20.0 [10.1, 90.0] (below floor) | 20.0 [10.1, 90.0] (below floor) |",
        "| floor | 25.0 | 25.0 |",
    ]
    assert "\\" not in text


# ---------------------------------------------------------------- hostile text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_stay_inert_in_tables_for_papers(tmp_path: Path, text: str) -> None:
    metrics = (Metric(name="accuracy", label=text.replace("{", "(").replace("}", ")")),)
    part = protocol("paper", group({"split": text}, accuracy=score(0.5)), metrics=metrics, prompt=text)
    run = renamed(made_run(tmp_path / "run", part), text)
    tex = exported(rows_of([run]), "latex").decode()
    assert balanced(tex)
    assert [len(row) for row in tex_cells(tex)] == [2, 2]
    commands = set(re.findall(r"\\([a-zA-Z]+)", tex))
    assert not commands & {"input", "write", "def", "csname"}
    assert not re.search(r"\\\\\s*[\[*]", tex)
    md = exported(rows_of([run]), "md").decode()
    assert len(md.splitlines()) == 5
    assert [line.count("|") for line in md.splitlines()[2:]] == [3, 3, 3]
    assert "<" not in md and "](" not in md and "`" not in md and "://" not in md


def test_escapes_are_undone_by_readers_of_the_format() -> None:
    import html

    text = "a_b _c_ <i> & [x](https://y) | ~~z~~ #1 $2$"
    assert html.unescape(in_markdown(text)) == text
    assert in_latex("--[x]*\n\\end{document}") == r"-{}-{[}x{]}{*} \textbackslash{}end\{document\}"


def test_a_notebook_shows_the_run_and_nothing_of_it_is_markup(tmp_path: Path) -> None:
    run = renamed(hostile_run(tmp_path / "run"), HOSTILE[6])
    shown = run._repr_html_()
    assert set(re.findall(r"</?([a-z]+)", shown)) == {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    assert "&lt;script&gt;" in shown and "MOSTLY SILENT" in shown and "10 of 10" in shown
    assert repr(run) == f"Run({str(run.path)!r})"


def test_a_notebook_shows_no_number_of_an_edited_summary(tmp_path: Path) -> None:
    run = simple(tmp_path / "run")
    written = msgspec.json.decode((run.path / "summary.json").read_bytes()) | {"digest": "no longer true"}
    (run.path / "summary.json").write_bytes(msgspec.json.encode(written))
    assert "50.0" not in run._repr_html_() and "it was changed" in run._repr_html_()
    refused = call(run.path)
    assert isinstance(refused.exception, SnellenError) and "it was changed" in str(refused.exception)
    assert refused.output == ""


# ---------------------------------------------------------------- what nobody may overlook


@pytest.mark.parametrize("form", [*SUFFIXES])
def test_synthetic_incomplete_oracle_and_silent_runs_are_marked_in_every_format(tmp_path: Path, form: str) -> None:
    run = hostile_run(tmp_path / "run")
    origin = {"generator": "dots", "version": 2, "seed": 1}
    manifest = msgspec.structs.replace(
        run.manifest,
        subject=SubjectEntry(spec="openai/a", identity={"oracle": "sees the truth"}),
        data=msgspec.structs.replace(run.manifest.data, synthetic=True, origin=origin),
    )
    (run.path / "run.json").write_bytes(msgspec.json.encode(manifest))
    summary = msgspec.structs.replace(run.summary, complete=False, synthetic=True, digest="")
    (run.path / "summary.json").write_bytes(msgspec.json.encode(summary))
    out = tmp_path / f"x{SUFFIXES[form]}"
    done = call(run.path, "--out", out)
    assert done.output.splitlines()[0].endswith(" · SYNTHETIC, INCOMPLETE, ORACLE, MOSTLY SILENT")
    if form == "parquet":
        said = " ".join(pq.read_table(out).column("status").to_pylist())
        notes = pq.read_metadata(out).metadata
        assert label_from(notes[MARK.encode()]) == origin
        assert b"SYNTHETIC" in notes[b"snellen.status"]
    elif form == "xlsx":
        book = openpyxl.load_workbook(out)
        said = " ".join(str(cell) for row in book["scores"].iter_rows(values_only=True) for cell in row)
    else:
        said = out.read_text()
    assert all(word in said for word in ("SYNTHETIC", "INCOMPLETE", "ORACLE", "MOSTLY SILENT"))
    marked = [row.status for row in rows_of([open_run(run.path)], samples=True).samples or ()]
    assert marked == ["SYNTHETIC, INCOMPLETE, ORACLE, MOSTLY SILENT"] * len(HOSTILE)


def test_silence_of_some_parts_is_not_said_of_all(tmp_path: Path) -> None:
    loud = group({"split": "P3"}, accuracy=score(0.5))
    quiet = msgspec.structs.replace(group({"split": "O3"}, accuracy=score(0.1)), outcomes={"correct": 2, "refused": 22})
    run = made_run(tmp_path / "run", protocol("paper", loud, quiet))
    rows = rows_of([run])
    assert [r.status for r in rows.scores] == ["", "MOSTLY SILENT"]
    assert rows.status == "PARTLY SILENT"
    assert "(**PARTLY SILENT**)" in exported(rows, "md").decode()


def test_the_ending_latex_is_latex(tmp_path: Path) -> None:
    assert call(simple(tmp_path / "run").path, "--out", tmp_path / "x.latex").exit_code == 0
    assert r"\begin{table}" in (tmp_path / "x.latex").read_text()


def test_a_run_with_answers_that_are_not_marked_yet_is_stale(tmp_path: Path) -> None:
    run = hostile_run(tmp_path / "run")
    lines = run.folder.answers_path.read_bytes()
    run.folder.answers_path.write_bytes(lines + lines.splitlines(keepends=True)[0])
    assert {r.status for r in run.score_rows()} == {"STALE, MOSTLY SILENT"}
    assert {r.status for r in run.sample_rows()} == {"STALE, MOSTLY SILENT"}
    assert "STALE" in exported(rows_of([run]), "md").decode()


def test_a_mark_whose_answer_is_damaged_keeps_its_row_and_moves_no_other(tmp_path: Path) -> None:
    run = hostile_run(tmp_path / "run")
    lines = run.folder.answers_path.read_bytes().splitlines(keepends=True)
    lines[3] = b"x" * (len(lines[3]) - 1) + b"\n"
    run.folder.answers_path.write_bytes(b"".join(lines))
    assert [r.reply for r in run.sample_rows()] == [t if i != 3 else "" for i, t in enumerate(HOSTILE)]


def test_real_and_complete_runs_bear_no_mark(tmp_path: Path) -> None:
    assert call(simple(tmp_path / "a").path, "--out", tmp_path / "x.parquet").exit_code == 0
    notes = pq.read_metadata(tmp_path / "x.parquet").metadata
    assert MARK.encode() not in notes and b"snellen.status" not in notes
    assert {r.status for r in simple(tmp_path / "b").score_rows()} == {""}


# ---------------------------------------------------------------- several runs


def test_only_what_may_stand_side_by_side_shares_a_table(tmp_path: Path) -> None:
    real, made = simple(tmp_path / "a"), renamed(simple(tmp_path / "b", synthetic=True), "openai/b", synthetic=True)
    parts = group({"split": "P3"}, accuracy=score(0.5))
    newer = made_run(tmp_path / "c", protocol("paper", parts, version="2"), subject="openai/c")
    text = exported(rows_of([real, made, newer]), "md").decode()
    captions = [line for line in text.splitlines() if "by protocol" in line]
    assert len(captions) == 3
    assert ["SYNTHETIC" in line for line in captions] == [False, True, False]
    assert ["version 2" in line for line in captions] == [False, False, True]


def test_runs_of_several_exams_make_one_tidy_table(tmp_path: Path) -> None:
    runs = [simple(tmp_path / "a"), hostile_run(tmp_path / "b")]
    rows = list(csv.DictReader(io.StringIO(exported(rows_of(runs), "csv").decode(), newline="")))
    assert {row["exam"] for row in rows} == {"made-up", "dots"}
    assert exported(rows_of(runs), "latex").decode().count(r"\begin{table}") == 2


def test_equal_names_are_told_apart_and_other_data_is_said(tmp_path: Path) -> None:
    runs = [renamed(simple(tmp_path / name), "openai/a", fingerprint=name) for name in ("one", "two")]
    text = exported(rows_of(runs), "md").decode()
    assert "| openai/a · one |" in text and "| openai/a · two |" in text
    assert "The runs did not see the same data." in text
    wide = wide_rows(paper_tables(rows_of(runs).scores)[0])
    assert [row[0] for row in wide[1:]] == ["openai/a · one", "openai/a · two"]


def test_runs_without_a_common_protocol_have_no_table(tmp_path: Path) -> None:
    parts = group({"split": "P3"}, accuracy=score(0.5))
    runs = [made_run(tmp_path / name, protocol(name, parts)) for name in ("paper", "robust")]
    with pytest.raises(SnellenError, match="no protocol in common"):
        exported(rows_of(runs), "md")
    with pytest.raises(SnellenError, match=r"unknown protocol 'paper' of .*robust"):
        rows_of(runs, protocol="paper")
    assert {r.protocol for r in rows_of(runs[:1], protocol="paper").scores} == {"paper"}


def test_published_rows_are_for_real_data_and_the_same_protocol(tmp_path: Path) -> None:
    row = PublishedRow(
        model="GPT-4o", by={"split": "P3"}, metric="accuracy", value=0.351, source="A paper", protocol="paper"
    )
    other = msgspec.structs.replace(row, protocol="robust")
    runs = [simple(tmp_path / name, subject=f"openai/{name}", published=(row, other)) for name in ("a", "b")]
    assert not any(r.published for r in rows_of(runs).scores)
    [found] = [r for r in rows_of(runs, published=True).scores if r.published]
    assert (found.subject, found.value, found.n, found.status, found.source) == (
        "GPT-4o",
        0.351,
        None,
        "PUBLISHED",
        "A paper",
    )
    text = exported(rows_of(runs, published=True), "md").decode()
    assert "| GPT-4o (**PUBLISHED**) | 35.1 | – |" in text and "not measured here: A paper." in text
    assert (
        r"GPT-4o {\scriptsize (PUBLISHED)} & $35.1$ & -- \\"
        in exported(rows_of(runs, published=True), "latex").decode()
    )
    synthetic = simple(tmp_path / "c", published=(row,), synthetic=True)
    assert not any(r.published for r in rows_of([synthetic], published=True).scores)


# ---------------------------------------------------------------- pandas, the command


def test_a_data_frame_has_the_schema_and_types_of_parquet(tmp_path: Path) -> None:
    run = hostile_run(tmp_path / "run")
    scores, samples = run.to_pandas(), run.to_pandas(samples=True)
    assert list(scores.columns) == [c.name for c in fixed_columns(ScoreRow)]
    assert list(samples.columns)[: len(fixed_columns(SampleRow))] == [c.name for c in fixed_columns(SampleRow)]
    assert list(samples["reply"]) == list(HOSTILE)
    assert scores["value"].dtype == float and str(scores["n"].dtype) == "Int64"
    headline = scores[scores["headline"] & scores["whole"]]
    assert list(headline["value"]) == [0.0] and list(headline["non_answers"]) == [10]
    assert samples["cost"].isna().all() and samples["metrics.off_by"].eq(2.0).all()


def test_without_pandas_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = simple(tmp_path / "run")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match=re.escape(install_command("pandas"))):
        run.to_pandas()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--format", "xlsx"), "name a file with --out"),
        (("--out", "x.doc"), "does not say a format"),
        (("--format", "md", "--samples"), "--samples has no table in md"),
        (("--protocol", "papr"), "did you mean 'paper'?"),
    ],
)
def test_bad_usage_is_one_clear_line(tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    done = call(simple(tmp_path / "run").path, *words)
    assert isinstance(done.exception, SnellenError) and says in str(done.exception)
    assert "\n" not in str(done.exception)


def test_a_folder_of_runs_is_taken_and_what_is_no_run_is_said(tmp_path: Path) -> None:
    both = [simple(tmp_path / "runs" / name, subject=f"api/{name}") for name in ("one", "two")]
    (tmp_path / "runs" / "notes").mkdir()
    done = call(tmp_path / "runs")
    assert done.stdout_bytes == exported(rows_of(both), "csv")
    assert "Passed over: notes (no run)" in done.stderr
    assert "is not a run folder" in str(call(tmp_path / "nowhere").exception)


def test_the_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    run, out = simple(tmp_path / "run"), tmp_path / "new" / "x.csv"
    assert call(run.path, "--out", out).exit_code == 0
    assert call(run.path, "--out", out).exit_code == 0
    assert [p.name for p in out.parent.iterdir()] == ["x.csv"]
    assert out.read_bytes() == call(run.path).stdout_bytes
    (tmp_path / "file").write_text("")
    assert "cannot write" in str(call(run.path, "--out", tmp_path / "file" / "x.csv").exception)


@pytest.mark.parametrize("kind", [ScoreRow, SampleRow])
def test_the_documented_schema_is_the_schema(kind: type[ScoreRow | SampleRow]) -> None:
    text = (ROOT / "docs" / "reporting.md").read_text(encoding="utf-8")
    heading = "### Scores" if kind is ScoreRow else "### Samples"
    section = text.partition(heading)[2].partition("\n#")[0]
    listed = re.findall(r"^\| `([a-z_]+)` \| ([a-z ]+) \|", section, re.MULTILINE)
    assert listed == [(c.name, c.kind) for c in fixed_columns(kind)]
