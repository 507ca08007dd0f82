"""`snellen explain` on the screen and as JSON, what it refuses, and texts from outside."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PIL import Image
from tests.compare.conftest import Runs, chatty, right, wrong
from tests.support.command import snellen as command
from tests.support.extras import of

import snellen
from snellen.comparison.explaining import claimed, luck
from snellen.core.extras import PaperTables, Published
from snellen.core.types import Sample

ROOT = Path(__file__).parents[2]


def a(i: int, sample: Sample) -> str:
    said = right(sample) if i % 3 else wrong(sample)
    return chatty(said) if i % 4 == 0 else said


@pytest.fixture
def run(subject: Runs) -> Path:
    return subject("a", a, protocols=("paper",))


@pytest.mark.parametrize(
    ("text", "value", "tolerance"),
    [
        ("63.4", 0.634, 0.0005),
        ("63.40", 0.634, 0.00005),
        ("63%", 0.63, 0.005),
        ("0%", 0.0, 0.005),
        ("0.634", 0.634, 0.0005),
        (".5%", 0.005, 0.0005),
    ],
)
def test_a_figure_as_people_write_it(text: str, value: float, tolerance: float) -> None:
    found = claimed(text)
    assert found.value == pytest.approx(value) and found.tolerance == pytest.approx(tolerance)


@pytest.mark.parametrize(
    "text", ["", "abc", "0", "0.0", "1", "1.0", "101", "-3", "6e1", "nan", "63,4", "\x1b[31m", "٦٣", "9" * 400]
)
def test_what_is_no_figure_is_refused(text: str) -> None:
    with pytest.raises(snellen.SnellenError):
        claimed(text)


def test_luck_is_a_share_of_what_lies_between() -> None:
    assert luck([0.2, 0.4, 0.6], 0.05) == pytest.approx(0.5)
    assert luck([0.2, 0.2], 0.05) == 0.0


def test_on_one_screen(run: Path, tmp_path: Path) -> None:
    for words in ((), ("63.4",), ("99.9", "--part", "P3")):
        done = command("explain", run, *words, cache=tmp_path, COLUMNS="80")
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        screen = lines[: lines.index("Next:")]
        assert max(map(len, screen)) <= 80 and len(screen) < 40
        said = " ".join(" ".join(screen).split())
        assert "SYNTHETIC" in said and "The run's own number: " in said and "readings of the same answers" in said
    assert "None: no choice gives 99.9." in said


def test_what_to_do_next_keeps_the_figure(subject: Runs, tmp_path: Path) -> None:
    path = subject("parts", a, splits=("P3", "O3"))
    done = command("explain", path, "62.5", cache=tmp_path)
    assert f"  snellen explain {path} 62.5 --part P3  # one part" in done.stdout
    assert f"  snellen protocols --run {path}  # where" in done.stdout
    assert command("protocols", "--run", path, cache=tmp_path).returncode == 0


def test_as_json_with_every_reading(run: Path, tmp_path: Path) -> None:
    document = json.loads(command("explain", run, "63.4", "--json", cache=tmp_path).stdout)
    found = snellen.explain(run, "63.4")
    assert len(document["readings"]) == len(found.readings) and document["verdict"] == list(found.verdict)
    assert {r["protocol"] for r in document["readings"]} == {"paper", "lmms-eval", "plan-v2", "robust"}
    assert document["figures"][0]["value"] == 0.634


def test_protocols_that_the_run_was_not_marked_with_are_tried(run: Path) -> None:
    """The run has `paper` only; that its replies were not read is the reason for its number."""
    found = snellen.explain(run)
    assert found.swings[0].choice in ("protocol", "non-answers")
    robust = next(r for r in found.readings if r.protocol == "robust" and r.metric == "macro_f1")
    assert robust.value > found.headline.value
    assert [p.protocol for p in snellen.open_run(run).protocols] == ["paper"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("63.4", "--part", "P4"), "unknown part 'P4'"),
        (("x63",), "is no figure"),
        (("0",), "0 is ambiguous: write 0% or 0.0%"),
        (("--metric", "nonsense"), "unknown metric 'nonsense'"),
        (("--published", "GPT-4o"), "synthetic data, which no paper has figures for"),
    ],
)
def test_bad_input_is_one_line(run: Path, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = command("explain", run, *words, cache=tmp_path)
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1 and not done.stdout


def test_no_run_and_no_answers(run: Path, tmp_path: Path) -> None:
    assert (
        "no is not a run folder (there is no such folder)" in command("explain", tmp_path / "no", cache=tmp_path).stderr
    )
    assert "is a folder of runs" in command("explain", run.parent, cache=tmp_path).stderr
    empty = tmp_path / "empty"
    shutil.copytree(run, empty)
    (empty / "answers.jsonl").write_text("", encoding="utf-8")
    done = command("explain", empty, cache=tmp_path)
    assert done.returncode == 2 and "has no answers yet" in done.stderr


def test_without_marks_and_summary_it_works_all_the_same(run: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(run, bare)
    (bare / "summary.json").unlink()
    shutil.rmtree(bare / "marks")
    assert snellen.explain(bare).readings == snellen.explain(run).readings


def test_another_metric_by_name(run: Path) -> None:
    found = snellen.explain(run, metric="macro_recall")
    assert {r.metric for r in found.readings} == {"macro_recall"} and found.headline.label == "macro recall"


def test_published_figures_for_real_data_only(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from snellen import exams

    exam = exams.load("salbench")
    share = snellen.explain(run, part="P3").swings[0].highest.value
    rows = [Published("Some-7B", {"config": "P3"}, "macro_f1", round(share, 3), "a paper")]
    tables = of(exam, PaperTables)._replace(published=lambda *_: rows)
    others = tuple(one for one in exam.extras if not isinstance(one, PaperTables))
    monkeypatch.setattr(type(exam), "extras", (*others, tables))
    with pytest.raises(snellen.SnellenError, match="synthetic"):
        snellen.explain(run, published="Some-7B")
    manifest = json.loads((run / "run.json").read_text(encoding="utf-8"))
    manifest["data"]["synthetic"] = False
    (run / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    figure = snellen.explain(run, published="Some-7B").figures[0]
    assert figure.source == "Some-7B, a paper" and figure.part == "P3" and figure.hits
    with pytest.raises(snellen.SnellenError, match="Some-7B"):
        snellen.explain(run, published="Other")


def test_hostile_texts_stay_texts(run: Path, tmp_path: Path) -> None:
    """The subject's name and a tag with an escape: nothing reaches the terminal as one."""
    manifest = json.loads((run / "run.json").read_text(encoding="utf-8"))
    manifest["subject"]["spec"] = "replay/\x1b[31mred\u202e[bold]x[/bold]"
    (run / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    lines = [json.loads(line) for line in (run / "samples.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["tags"]["difficulty"] = "\x1b[5mhard[red]" if line["tags"]["difficulty"] == "hard" else "easy"
    (run / "samples.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    for words in ((), ("45.0", "--tolerance", "3", "-v")):
        done = command("explain", run, *words, cache=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "\x1b" not in done.stdout and "\u202e" not in done.stdout and "[bold]x[/bold]" in done.stdout
    done = command("explain", run, "\x1b[31m", cache=tmp_path)
    assert done.returncode == 2 and "\x1b" not in done.stderr


def test_a_plugins_exam(tmp_path: Path) -> None:
    data = tmp_path / "dots"
    data.mkdir()
    rows = ["file,dots"]
    for i in range(12):
        Image.new("RGB", (8, 8), (i, i, i)).save(data / f"{i}.png")
        rows.append(f"{i}.png,{1 + i % 6}")
    (data / "truth.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    plugin = ("--plugin", ROOT / "docs" / "examples" / "dots.py")
    how = ("--data", data, "--model", "baseline/constant:3", "--protocol", "exact", "--out", tmp_path / "runs")
    done = command("run", "dots", *how, *plugin, cache=tmp_path)
    assert done.returncode == 0, done.stderr
    (path,) = (tmp_path / "runs").iterdir()
    # one off counts half: of 1 to 6 dots, twice each, 3 is right twice and one off four times
    near = (2 * 1 + 4 * 0.5) / 12
    done = command("explain", path, f"{100 * near:.2f}", *plugin, "--json", cache=tmp_path)
    document = json.loads(done.stdout)
    assert document["headline"]["value"] == pytest.approx(2 / 12)
    assert document["figures"][0]["hits"][0]["protocol"] == "near"
    assert sum(s["change"] for s in document["figures"][0]["split"]) == pytest.approx(near - 2 / 12)
