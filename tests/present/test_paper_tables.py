"""The tables of papers: each exam's own layout, published figures where they may stand, and LaTeX that compiles."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from click.testing import CliRunner, Result
from tests.present.made import group, made_run, protocol, score
from tests.present.test_export import HOSTILE, renamed
from tests.support.command import snellen
from tests.support.extras import of
from tests.support.sets import write_config

from snellen import exams
from snellen.cli.main import app
from snellen.core.errors import SnellenError
from snellen.core.extras import PaperTables
from snellen.core.layout import Column, Layout
from snellen.core.results import Metric, Score
from snellen.engine.runs.run import Run, open_run
from snellen.present.files.export import exported, rows_of
from snellen.present.files.latex import latex
from snellen.present.model.paper_table import Head, PaperTable, paper_tables

CONFIGS = ("P3", "P3_box", "P3_box_img", "O3", "O3_box", "O3_box_img")
UNICODE = "Ünïcode Ł ß 模型 Ελληνικά עברית 🙂 ﬁ – “q” … ½ \u0301"


def call(*words: object) -> Result:
    return CliRunner().invoke(app, ["export", *map(str, words)], standalone_mode=False)


@pytest.fixture(scope="module")
def salbench(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Two subjects, and one of them after three examples, on a set in the real format that no one calls synthetic."""
    place = tmp_path_factory.mktemp("salbench")
    for config in CONFIGS:
        write_config(place / "data", config, 8)
    for words in (
        ["--model", "baseline/chance"],
        ["--model", "baseline/chance", "--shots", "3"],
        ["--model", "baseline/constant:Color"],
    ):
        done = snellen(
            "run", "salbench", "--data", place / "data", "--out", place / "runs", *words, cache=place / "cache"
        )
        assert done.returncode == 0, done.stderr
    return [open_run(path) for path in sorted((place / "runs").iterdir())]


# ---------------------------------------------------------------- SalBench's Table 1


def test_salbenchs_table_1_over_several_models_is_one_csv(salbench: list[Run], tmp_path: Path) -> None:
    out = tmp_path / "table.csv"
    assert call(*(r.path for r in salbench), "--table", "paper", "--published", "--out", out).exit_code == 0
    head, *rows = csv.reader(io.StringIO(out.read_text(encoding="utf-8"), newline=""))
    assert head == [
        *("Model", "Shot", "Detection_NAT", "Detection_SYN", "Referring_NAT", "Referring_SYN"),
        *("VisualRef_NAT", "VisualRef_SYN"),
    ]
    found = {(row[0], row[1]): row[2:] for row in rows}
    assert len(found) == len(rows) == 3 + 18 + 12
    assert found["GPT-4o (PUBLISHED)", "0"] == ["47.6", "89.2", "47.3", "88.4", "42.6", "73.5"]
    assert found["GPT-4o (PUBLISHED)", "3"] == ["38.9", "88.4", "37.5", "87.7", "35.7", "86.7"]
    assert found["LLaVA-1.6-7B (PUBLISHED)", "0"] == ["24.6", "16.3", "21.4", "10.1", "20.8", "16.6"]
    mine = next(r for r in salbench if "constant" in r.path.name).scores()
    order = ("O3", "P3", "O3_box", "P3_box", "O3_box_img", "P3_box_img")
    assert found["baseline/constant:Color", "0"] == [f"{100 * (mine['paper', c].value or 0):.1f}" for c in order]


def test_table_1_has_its_eight_columns_whatever_was_run(salbench: list[Run]) -> None:
    layouts = next(extra for extra in exams.load("salbench").extras if isinstance(extra, PaperTables)).layouts
    rows = [row for row in salbench[0].score_rows() if row.by.get("config") == "P3"]
    (table,) = paper_tables(rows, "paper", lambda _exam, protocol, parts: layouts(protocol, parts))
    assert [f"{head.group}_{head.name}" for head in table.heads] == [
        *("Detection_NAT", "Detection_SYN", "Referring_NAT", "Referring_SYN", "VisualRef_NAT", "VisualRef_SYN"),
    ]
    assert len(table.lines[0].figures) == 6


def test_published_rows_have_as_many_examples_as_some_run(salbench: list[Run]) -> None:
    for run, shots in ((r, r.manifest.options.shots) for r in salbench):
        papers = [r for r in run.score_rows(published=True) if r.published]
        assert {int(r.options.get("shots", 0)) for r in papers} == {shots}
        assert {r.protocol for r in papers} == {"paper"}


def test_published_figures_are_for_the_papers_protocol_and_question_alone() -> None:
    published = next(extra for extra in exams.load("salbench").extras if isinstance(extra, PaperTables)).published
    assert not list(published("robust", "question")) and not list(published("lmms-eval", "question"))
    assert not list(published("paper", "lmms-eval")) and not list(published("paper", "question+blank"))
    figures = list(published("paper", "question"))
    assert len(figures) == 42 * (3 * 5 + 3 * 9)
    assert all(0 <= f.value <= 1 for f in figures)
    by_cell = {(f.model, f.shots, f.by["config"], f.metric): f.value for f in figures}
    odd = 0
    for (model, shots, config, metric), value in by_cell.items():
        if metric == "macro_f1":
            labels = [v for (m, s, c, k), v in by_cell.items() if (m, s, c) == (model, shots, config) and "f1." in k]
            odd += abs(value - sum(labels) / len(labels)) > 0.0035
    assert odd == 23  # as docs/salbench.md says


def test_synthetic_data_never_stands_beside_published_figures(salbench: list[Run], tmp_path: Path) -> None:
    shutil.copytree(salbench[0].path, tmp_path / "run")
    run = renamed(open_run(tmp_path / "run"), "openai/a", synthetic=True)
    done = call(run.path, "--table", "paper", "--published")
    assert "PUBLISHED" not in done.stdout and "openai/a (SYNTHETIC DATA)" in done.stdout
    assert "there are no published figures for these runs" in done.stderr
    both = exported(rows_of([salbench[1], run], published=True), "md", "paper").decode()
    real, made = both.split("\n\nsalbench: ")
    assert "PUBLISHED" in real and "SYNTHETIC" not in real
    assert "PUBLISHED" not in made and "SYNTHETIC DATA" in made


def test_the_details_have_matching_and_every_label(salbench: list[Run], tmp_path: Path) -> None:
    runs = [r.path for r in salbench if not r.manifest.options.shots]
    text = call(*runs, "--table", "details", "--published", "--format", "md").stdout
    assert text.count("by protocol paper") == len(CONFIGS)
    assert "| model | matching | F1 overall | F1 orientation | F1 color | F1 size |" in text
    assert "| GPT-4o (**PUBLISHED**) | 45.2 | 47.6 |" in text
    assert "6 tables, and a CSV file holds one: write xlsx, md or latex (--format)" in str(
        call(*runs, "--table", "details").exception
    )
    assert call(*runs, "--table", "details", "--out", tmp_path / "x.xlsx").exit_code == 0
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert len(book.sheetnames) == 6 and book["table 1"]["C1"].value == "matching"


def test_scores_rows_and_data_frames_say_the_same(salbench: list[Run]) -> None:
    for run in salbench:
        frame = run.to_pandas(published=True)
        assert frame["published"].sum() == 1764 * (18 if not run.manifest.options.shots else 12) / 42
        own = frame[frame["headline"] & frame["whole"] & ~frame["published"] & (frame["control"] == "")]
        said = {(row.protocol, row.part): (row.value, row.low, row.high, row.n) for row in own.itertuples()}
        assert said == {key: (s.value, s.low, s.high, s.n) for key, s in run.scores().items()}


# ---------------------------------------------------------------- every exam's layout


def test_columns_are_those_of_the_papers() -> None:
    def heads(exam: str, name: str, *parts: dict[str, str]) -> list[list[str]]:
        return [
            [f"{c.group} {c.name}".strip() for c in x.columns]
            for x in of(exams.load(exam), PaperTables).layouts(name, parts)
        ]

    illusion = heads("illusionbench", "original", {"split": "Illusion_IN", "task": "shape"})
    assert illusion == [["IN shape", "IN scene", "LOGO shape", "LOGO scene", "ICON shape", "ICON scene"]]
    cells = [{"part": "all", "split": s, "kind": k} for s in ("web", "mobile") for k in ("text", "icon")]
    six = [f"{platform} {kind}" for platform in ("mobile", "desktop", "web") for kind in ("text", "icon")]
    assert heads("grounding", "screenspot", *cells) == [[*six, "average samples", "average cells"]]
    assert heads("grounding", "screenspot-pro", {"part": "all", "split": "CAD", "kind": "icon"}) == [
        ["CAD text", "CAD icon", "CAD average", "average samples", "average cells"]
    ]
    assert heads("grounding", "osworld-g", {"part": "all", "capability": "text_matching"}) == [
        ["text matching", "average samples", "average cells"]
    ]
    assert heads("grounding", "click", {"part": "all"}) == []
    assert heads("d3", "original", {"split": "all", "task": "pair"})[0][0] == "both found all"
    [vcr] = heads("vcr", "e-vil", {"split": "val", "task": "vcr"})
    assert vcr[:5] == ["answers Q->A", "answers QA->R", "answers Q->AR", "explanations BLEU-1", "explanations BLEU-2"]
    assert vcr[-1] == "explanations CIDEr"


@pytest.mark.parametrize("name", [n for n in exams.names() if exams.load(n).extra(PaperTables) is not None])
def test_a_layouts_columns_are_filled_by_what_the_protocols_give(name: str) -> None:
    """Every metric that a layout names is one that some protocol of the exam declares."""
    exam = exams.load(name)
    parts: list[dict[str, str]] = [{"part": "all", "split": "web", "kind": "text"}, {"split": "val", "task": "pair"}]
    declared = [m for p in exam.protocols.values() for m in p.metrics]
    for protocol_name in exam.protocols:
        for layout in of(exam, PaperTables).layouts(protocol_name, parts):
            unknown = [c.metric for c in layout.columns if not any(m.fits(c.metric) for m in declared)]
            assert not unknown


def test_an_unknown_table_and_one_without_a_form_are_one_clear_line(salbench: list[Run], tmp_path: Path) -> None:
    layouts = [Layout("paper", "x", [Column("a", {"config": "P3"}, "macro_f1")])]
    with pytest.raises(SnellenError, match=r"unknown table 'details' of salbench.*paper"):
        paper_tables(salbench[0].score_rows(), "details", lambda *_: layouts)
    assert "--table has no form in json" in str(
        call(salbench[0].path, "--table", "paper", "--format", "json").exception
    )
    assert "choose one" in str(call(salbench[0].path, "--table", "paper", "--samples").exception)
    plain = made_run(tmp_path / "run", protocol("paper", group({"split": "P3"}, accuracy=score(0.5))))
    assert "| model | P3 |" in call(plain.path, "--table", "paper", "--format", "md").stdout


# ---------------------------------------------------------------- LaTeX, compiled


def wide(columns: int, *groups: str) -> PaperTable:
    heads = tuple(Head(f"c{i}", groups[i * len(groups) // columns] if groups else "") for i in range(columns))
    [table] = paper_tables(_rows(columns))
    return table._replace(heads=heads)


def _rows(columns: int) -> Any:
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        parts = [group({"split": f"p{i}"}, accuracy=score(0.5)) for i in range(columns)]
        run = made_run(Path(place) / "run", protocol("paper", *parts, metrics=(Metric(name="accuracy"),)))
        return run.score_rows()


@pytest.mark.parametrize(
    ("table", "widths"),
    [
        (wide(7), [7]),
        (wide(9), [5, 4]),
        (wide(18, *"abcdef"), [6, 6, 6]),
        (wide(10, "a", "b"), [5, 5]),
    ],
)
def test_a_table_too_wide_for_a_page_is_several(table: PaperTable, widths: list[int]) -> None:
    text = latex([table])
    assert [len(spec) - 1 for spec in re.findall(r"\\begin\{tabular\}\{(l?r+)\}", text)] == widths
    labels = re.findall(r"\\label\{(.*)\}", text)
    assert len(set(labels)) == len(widths)
    assert text.count("of the columns.") == (len(widths) if len(widths) > 1 else 0)


def compiled(folder: Path, *texts: bytes) -> str:
    """What pdfLaTeX put on the page; fails where it found a mistake."""
    for i, text in enumerate(texts):
        (folder / f"table{i}.tex").write_bytes(text)
    inputs = r"\clearpage".join(rf"\input{{table{i}}}" for i in range(len(texts)))
    (folder / "paper.tex").write_text(
        "\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n\\begin{document}\n\\listoftables\n"
        + inputs
        + "\n\\end{document}\n"
    )
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    for _ in range(2):  # the list of tables is made in the second run
        done = subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=300)
        said = done.stdout.decode(errors="replace")
        assert done.returncode == 0, said[-2000:]
    (folder / "said.txt").write_text(said, encoding="utf-8")
    if shutil.which("pdftotext") is None:
        return ""
    done = subprocess.run(
        ["pdftotext", "-layout", "paper.pdf", "-"], cwd=folder, capture_output=True, check=False, timeout=60
    )
    return done.stdout.decode(errors="replace")


needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex (texlive-latex-base)")


@needs_latex
def test_hostile_names_compile_and_are_printed(tmp_path: Path) -> None:
    texts = []
    for i, text in enumerate((*HOSTILE, UNICODE, r"^^41 \% ~ $ { } # & _ ^ \ | < > ` ' \" -- [x] *")):
        metrics = (Metric(name="accuracy", label=text.replace("{", "(").replace("}", ")")),)
        parts = [group({"split": f"{text}{n}"}, accuracy=score(0.5, floor=0.5)) for n in range(2 + 3 * (i % 2))]
        run = renamed(made_run(tmp_path / f"run{i}", protocol("paper", *parts, metrics=metrics, prompt=text)), text)
        texts.append(exported(rows_of([run]), "latex"))
    printed = compiled(tmp_path, *texts)
    if printed:
        assert "/etc/passwd" in printed and "root:" not in printed
        assert "U+6A21" in printed and "U+1F642" in printed  # a letter that pdfLaTeX does not have


@needs_latex
def test_salbenchs_tables_compile(salbench: list[Run], tmp_path: Path) -> None:
    rows = rows_of(salbench, published=True)
    printed = compiled(
        tmp_path, exported(rows, "latex", "paper"), exported(rows, "latex", "details"), exported(rows, "latex")
    )
    said = (tmp_path / "said.txt").read_text(encoding="utf-8")
    assert "Overfull" not in said and "multiply defined" not in said  # nothing sticks out of the page
    if printed:
        line = next(x for x in printed.splitlines() if x.strip().startswith("GPT-4o (PUBLISHED)"))
        assert line.split()[-6:] == ["47.6", "89.2", "47.3", "88.4", "42.6", "73.5"]


@needs_latex
def test_units_notes_and_missing_figures_compile(tmp_path: Path) -> None:
    metrics = (Metric(name="accuracy", label="distance", unit="px", better="lower"),)
    some = Score(value=12.5, n=3, low=1.0, high=40.0, interval="normal", floor=100.0, unit="px")
    parts = [group({"split": f"p{i}"}, accuracy=some) for i in range(8)]
    one = made_run(tmp_path / "a", protocol("paper", *parts, metrics=metrics), subject="openai/a", complete=False)
    other = made_run(tmp_path / "b", protocol("paper", *parts[:2], metrics=metrics), subject="openai/b")
    printed = compiled(tmp_path, exported(rows_of([one, other]), "latex"))
    assert not printed or ("12.50" in printed and "(n = 3)" in printed and "INCOMPLETE" in printed)
