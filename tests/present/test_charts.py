"""The chart of runs as a file: what is in it, that text stays text, that names are only names, and what does not belong in one."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pytest
from PIL import Image
from tests.present.made import group, made_run, protocol
from tests.support.command import snellen as command

from snellen.core.errors import SnellenError
from snellen.core.results import Score
from snellen.core.unanswered import silent_parts
from snellen.engine.runs.run import Run
from snellen.present.files.charts import chart_of, write_chart

pytest.importorskip("matplotlib")


def exact(value: float, floor: float | None = 0.3, unit: str = "") -> Score:
    return Score(value=value, n=24, low=value - 0.1, high=min(1.0, value + 0.1), floor=floor, unit=unit)


def run(path: Path, subject: str, *values: float, **more: bool) -> Run:
    parts = [group({"split": name}, accuracy=exact(v)) for name, v in zip(("P3", "O3"), values, strict=False)]
    return made_run(path, protocol("mine", *parts), protocol("other", *parts), subject=subject, **more)


@pytest.fixture
def two(tmp_path: Path) -> list[Run]:
    return [run(tmp_path / "a", "api/good", 0.9, 0.8), run(tmp_path / "b", "api/blind $x^2$\x1b<b>", 0.2, 0.25)]


def test_every_part_has_every_run_with_interval_and_floor(two: list[Run]) -> None:
    chart = chart_of(two)
    assert chart.title == "made-up: accuracy under 'mine'"
    found = {
        name: [(at, row.size, row.cell.value, row.cell.floor_word) for at, row in points if row.cell is not None]
        for name, points in chart.parts.items()
    }
    assert found == {
        "P3": [(0, "24", "90.0", ""), (1, "24", "20.0", "below floor")],
        "O3": [(0, "24", "80.0", ""), (1, "24", "25.0", "below floor")],
    }
    assert chart_of(two, "other").title.endswith("'other'")
    assert not any("SYNTHETIC" in note for note in chart.notes)


def test_svg_keeps_text_and_takes_names_as_they_are(tmp_path: Path, two: list[Run]) -> None:
    write_chart(two, tmp_path / "new" / "c.svg", "svg")
    text = (tmp_path / "new" / "c.svg").read_text("utf-8")
    for words in ("api/good", "P3 (n = 24)", "O3 (n = 24)", "percent", "95 % intervals"):
        assert words in text
    assert "$x^2$" in text, "no mathematics"
    assert "\x1b" not in text
    assert "<b>" not in text
    assert "<script" not in text
    write_chart(two, tmp_path / "again.svg", "svg")
    assert (tmp_path / "again.svg").read_text("utf-8") == text, "the same runs, the same bytes"


def test_pdf_has_fonts_in_it_and_png_is_sharp(tmp_path: Path, two: list[Run]) -> None:
    write_chart(two, tmp_path / "c.pdf", "pdf")
    pdf = (tmp_path / "c.pdf").read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert b"/FontFile2" in pdf, "TrueType: text can be selected and searched"
    assert b"CreationDate" not in pdf
    write_chart(two, tmp_path / "c.png", "png")
    with Image.open(io.BytesIO((tmp_path / "c.png").read_bytes())) as image:
        assert image.width == 1950
        assert image.convert("RGB").getcolors(1_000_000) is not None
        inks = {colour for _n, colour in image.convert("RGB").getcolors(1_000_000) or ()}
        assert {(0, 114, 178), (213, 94, 0)} <= inks


def test_synthetic_runs_say_so_and_do_not_stand_beside_real_ones(tmp_path: Path, two: list[Run]) -> None:
    made = run(tmp_path / "s", "api/x", 0.5, 0.5, synthetic=True)
    write_chart([made], tmp_path / "c.svg", "svg")
    assert "SYNTHETIC DATA" in (tmp_path / "c.svg").read_text("utf-8")
    with pytest.raises(SnellenError, match="synthetic data and some on real data"):
        write_chart([made, *two], tmp_path / "c.svg", "svg")


def test_runs_of_one_name_are_told_apart(tmp_path: Path) -> None:
    runs = [run(tmp_path / f"made_{i}", "api/x", 0.5, 0.5) for i in "ab"]
    assert chart_of(runs).runs == ["api/x (a)", "api/x (b)"]


def test_what_cannot_be_drawn_is_said_in_a_line(tmp_path: Path, two: list[Run]) -> None:
    with pytest.raises(SnellenError, match="unknown protocol 'mune' of these runs: did you mean 'mine'"):
        write_chart(two, tmp_path / "c.svg", "svg", "mune")
    pixels = made_run(tmp_path / "px", protocol("mine", group({}, accuracy=exact(5.0, None, "px"))))
    with pytest.raises(SnellenError, match="no scores in percent"):
        write_chart([pixels], tmp_path / "c.svg", "svg")
    (tmp_path / "file").write_text("")
    with pytest.raises(SnellenError, match="cannot write"):
        write_chart(two, tmp_path / "file" / "c.svg", "svg")


def test_the_command_writes_what_the_ending_says(tmp_path: Path, two: list[Run]) -> None:
    done = command("export", *(one.path for one in two), "--out", tmp_path / "c.pdf", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "c.pdf") in done.stdout
    assert (tmp_path / "c.pdf").read_bytes().startswith(b"%PDF-")
    failed = command("export", two[0].path, "--format", "svg", cache=tmp_path)
    assert failed.returncode == 2
    assert failed.stderr.count("\n") == 1


def test_points_with_many_non_answers_say_so_in_the_picture(tmp_path: Path, two: list[Run]) -> None:
    quiet = msgspec.structs.replace(
        group({"split": "P3"}, accuracy=exact(0.4)), outcomes={"correct": 12, "refused": 12}
    )
    mine = protocol("mine", quiet)
    loud = made_run(tmp_path / "c", mine, subject="api/quiet", silent=silent_parts([mine]))
    chart = chart_of([two[0], loud])
    assert [row.silent for _run, row in chart.parts["P3"]] == ["", "50 % no answer"]
    write_chart([two[0], loud], tmp_path / "c.svg", "svg")
    assert "50 % no answer" in (tmp_path / "c.svg").read_text("utf-8")
    assert not any("No answer" in note for note in chart_of(two).notes)
