"""Points that may be fractions or pixels are read by the protocol's rule, with a warning.

Wherever points look as if they counted something else than what they were read as, the run says so once, and what to do.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.command import snellen
from tests.support.marked_screens import SIZE, replies, write_screens
from tests.support.uitars import UitarsServer

import snellen as api
from snellen.core.outcomes import mark_reply
from snellen.core.types import Outcome, Sample
from snellen.engine.runs.run import Run
from snellen.exams.grounding.exam import EXAM


def score(run: Run, protocol: str) -> float | None:
    found = next(p for p in run.protocols if p.protocol == protocol)
    return found.groups[0].metrics[found.headline].value


def test_screenspot_reads_fractions_as_seeclick_does() -> None:
    facts = {"width": 1920, "height": 1080}
    sample = Sample(id="a", tags={}, truth={"boxes": [[900, 400, 980, 460]], "absent": False}, facts=facts)
    said = {"(0.49,0.40)": True, "<box>(470,380),(510,420)</box>": True, "(940, 430)": False, "0.49 0.40 0.5": False}
    for reply, right in said.items():
        assert EXAM.protocols["screenspot"].judge(reply, sample).correct is right, reply
    assert mark_reply(EXAM.protocols["screenspot"], sample, "0.49 0.40 0.5").outcome is Outcome.UNPARSABLE


@pytest.mark.parametrize(
    ("form", "across", "protocol", "told"),
    [
        ("({:.4f}, {:.4f})", (1, 1), "click", ("fractions (0 to 1)", "read as pixels", "'screenspot'")),
        ("({:.0f}, {:.0f})", (1000, 1000), "click", ("thousandths (0 to 1000)", "read as pixels", "percents")),
        ("({:.1f}, {:.1f})", (100, 100), "click", ("look like percents", "read as pixels")),
        ("({:.0f}, {:.0f})", SIZE, "screenspot", ("look like pixels", "read as fractions", "'click'")),
    ],
)
def test_points_on_another_scale_are_told(
    tmp_path: Path, form: str, across: tuple[float, float], protocol: str, told: tuple[str, ...]
) -> None:
    data, subject = write_screens(tmp_path / "set"), replies(tmp_path / "replies.jsonl", form, across)
    run = api.evaluate("grounding", model=subject, data=data, protocols=[protocol], out=tmp_path / "runs")
    assert score(run, protocol) == 0.0  # the score stays what it is
    [note] = run.summary.notes
    for words in (*told, "0.0 % of them hit", "100.0 % would", "The score is as read"):
        assert words in note, (words, note)


def test_protocols_that_read_alike_say_it_once(tmp_path: Path) -> None:
    data, subject = write_screens(tmp_path / "set"), replies(tmp_path / "replies.jsonl", "({:.0f}, {:.0f})", SIZE)
    run = api.evaluate("grounding", model=subject, data=data, out=tmp_path / "runs")
    assert (score(run, "click"), score(run, "screenspot")) == (1.0, 0.0)
    [note] = run.summary.notes
    assert "look like pixels of the screenshot, and were read as fractions (0 to 1) under screenspot" in note
    far = replies(tmp_path / "thousand.jsonl", "({:.0f}, {:.0f})", (1000, 1000))
    told = api.evaluate("grounding", model=far, data=data, out=tmp_path / "runs").summary.notes
    assert len(told) == 3  # ours, screenspot, osworld-g


def test_points_on_the_right_scale_are_not_remarked_on(tmp_path: Path) -> None:
    data, subject = write_screens(tmp_path / "set"), replies(tmp_path / "replies.jsonl", "({:.1f}, {:.1f})", SIZE)
    run = api.evaluate("grounding", model=subject, data=data, protocols=["click", "osworld-g"], out=tmp_path / "runs")
    assert (score(run, "click"), score(run, "osworld-g")) == (1.0, 1.0)
    assert run.summary.notes == ()
    for method in ("center", "random"):
        blind = api.evaluate("grounding", method=method, data=data, out=tmp_path / "runs")
        assert blind.summary.notes == ()


def test_a_model_that_counts_thousandths_is_told_in_terminal_and_page(tmp_path: Path) -> None:
    data, out = write_screens(tmp_path / "set"), tmp_path / "runs"
    with UitarsServer(lambda x, y: f'{{"x": {x:.0f}, "y": {y:.0f}}}', thousand=True) as server:
        words = ("run", "grounding", "--data", data, "--out", out, "--model", "vllm/ui-tars", "--base-url", server.url)
        done = snellen(*words, cache=tmp_path)
        assert done.returncode == 0, done.stderr
        told = " ".join(done.stdout.split())
        assert "look like thousandths (0 to 1000), and were read as pixels of the screenshot" in told
        assert "--method-option format=qwen3-vl" in told
        right = snellen(*words, "--method-option", "format=qwen3-vl", cache=tmp_path)
        assert "look like" not in right.stdout
        assert "100.0" in right.stdout
    [first] = [path for path in out.iterdir() if "look like" in (path / "summary.json").read_text()]
    page = tmp_path / "page.html"
    assert snellen("report", first, "--out", page, cache=tmp_path).returncode == 0
    assert "look like thousandths" in page.read_text()
