"""Lines that commands print are true."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.present.made import group, made_run, protocol, score

from snellen.cli import options
from snellen.cli.main import COMMANDS
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import maker_of
from snellen.core.options import Selection
from snellen.core.types import Mark, Outcome
from snellen.engine.mark.marking import MarkChange, RemarkResult
from snellen.engine.plan.plan import choose
from snellen.exams import load
from snellen.present.model.protocol_table import build
from snellen.present.terminal.run import print_remarked, print_run


def rows(name: str) -> dict[str, tuple[str, ...]]:
    exam = load(name)
    return {r.name: r.values for r in build(exam, choose(exam, ())).sections[0].rows}


@pytest.mark.parametrize("name", ["grounding", "d3"])
def test_replies_that_no_protocol_can_read_are_not_tried(name: str) -> None:
    found = rows(name)
    assert not {"X and Y", "as printed: X", "every option listed"} & found.keys()
    assert {"unrelated text", "a refusal", "empty"} <= found.keys()


def test_listing_that_wins_in_one_order_only_is_shown_in_both_orders() -> None:
    found = rows("esnlive")
    assert (found["every option listed"][0], found["every option, last first"][0]) == ("accepted", "no")
    assert set(found["options offered"]) == {"3"}


def test_help_says_what_is_so() -> None:
    from click.testing import CliRunner

    from snellen.cli.data_command import command as data
    from snellen.cli.run_command import command as run

    assert "show" in COMMANDS["data"]
    shown = " ".join(CliRunner().invoke(data, ["show", "--help"]).output.split())
    assert "At most N of each split and task" in shown
    splits = " ".join(CliRunner().invoke(run, ["--help"]).output.split())
    assert "vqax, actx, esnlive, vcr: the first of val, test, train" in splits


def test_a_page_of_samples_speaks_of_no_scores(tmp_path: Path) -> None:
    from snellen.present.page.data_page import write_data_page

    maker_of(load("salbench")).make(tmp_path / "set", count=1, seed=0, workers=1)
    write_data_page("salbench", tmp_path / "set", tmp_path / "page.html", Selection(limit=1, splits=("P3",)))
    page = (tmp_path / "page.html").read_text()
    assert "not the real data set" in page
    assert "scores" not in page.partition("<main>")[2]


def test_an_exam_without_a_maker_offers_no_synthetic_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Mine(Exam):
        name = "mine"

    monkeypatch.setattr("snellen.exams.load", lambda _name: Mine())
    monkeypatch.setenv("SNELLEN_DATA_DIR", str(tmp_path))
    for given in (str(tmp_path / "nowhere"), None):
        with pytest.raises(SnellenError) as raised:
            options.data_folder("mine", given)
        assert "data make" not in str(raised.value)
        assert "data get" not in str(raised.value)


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


def test_v_is_offered_by_run_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = made_run(tmp_path / "r", protocol("mine", group({}, accuracy=score(0.5))))
    print_run(run)
    assert "-v" not in printed(capsys)
    print_run(run, verbose=False)
    assert "-v shows every metric" in printed(capsys)


def test_a_number_behind_the_others_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part, other = group({}, accuracy=score(0.5), recall=score(0.4)), group({}, recall=score(0.4))
    run = made_run(tmp_path / "r", protocol("a", part), protocol("b", part, headline="recall"), protocol("c", other))
    print_run(run)
    said = printed(capsys)
    assert "40.0 (1)" in said
    assert "by b, c, each by its own headline. (1): only 1 of them has such a score here." in said


def test_one_sample_is_one_sample(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import msgspec

    run = made_run(tmp_path / "r", protocol("mine", group({}, 1, accuracy=score(0.5, 1))))
    one = msgspec.structs.replace(run.manifest, data=msgspec.structs.replace(run.manifest.data, samples=1))
    (run.path / "run.json").write_bytes(msgspec.json.encode(one))
    from snellen.engine.runs.run import open_run

    print_run(open_run(run.path))
    assert "· 1 sample " in printed(capsys)


def test_remark_says_in_one_line_that_nothing_changed(capsys: pytest.CaptureFixture[str]) -> None:
    print_remarked(RemarkResult({f"p{i}": (90, 0) for i in range(12)}, []))
    assert capsys.readouterr().out == "0 of 1,080 marks changed\n"
    before, after = (Mark(id="1", outcome=o) for o in (Outcome.WRONG, Outcome.CORRECT))
    print_remarked(RemarkResult({"a": (90, 0), "b": (90, 1)}, [MarkChange("b", "1", before, after)]))
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["1 of 180 marks changed", "  b: 1 of 90"]


def test_a_control_has_no_grid() -> None:
    from tests.exams.vqa_nle.test_tables import TRUTH, record, run

    from snellen.exams.vqa_nle.exports import tables

    one = record("vqax", "1", truth=TRUTH)
    plain, control = (dict(tables.exports("vqax", run(one, prompt=prompt))) for prompt in ("zero", "zero+blank"))
    assert any("accuracy_grid" in name for name in plain)
    assert control
    assert not any("accuracy_grid" in name for name in control)


def test_names_of_protocols_keep_their_room(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    some = [
        protocol(name, group({}, explanation_after_a_valid_answer_only=score(0.1 * i, 20, floor=0.2)))
        for i, name in enumerate(("multimodal-vqa-eval", "strict", "vqa-accuracy"))
    ]
    print_run(made_run(tmp_path / "r", *some), verbose=True)
    lines = capsys.readouterr().out.splitlines()
    assert any("multimodal-vqa" in line for line in lines[: lines.index("")])
    assert all(len(line) <= 80 for line in lines if not line.startswith("Run:"))
