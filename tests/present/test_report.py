"""The report of several runs: what it says first, the comparison, samples that only one run got right, and what it costs in bytes."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import pytest
from tests.present.made import Dots, answered_run, counting, dots
from tests.present.pages import HOSTILE, Page, inert, report
from tests.support.command import snellen as command
from tests.support.sets import write_set

import snellen
from snellen import exams
from snellen.core.errors import SnellenError
from snellen.core.extras import maker_of
from snellen.core.types import Mark, Outcome
from snellen.engine.runs.run import Run
from snellen.present.page import report as pages

IDS = [f"s{i}" for i in range(1, 41)]
Answered = Callable[..., Run]


@pytest.fixture
def exam(monkeypatch: pytest.MonkeyPatch) -> Dots:
    made = Dots(dots(*IDS), counting("plain"), counting("same"))
    monkeypatch.setattr(exams, "load", lambda _name: made)
    return made


def replies(right: range, said: str = "0") -> Mapping[str, str]:
    """The truth of a sample is its place; the others get something else."""
    return {name: str(i) if i in right else said for i, name in enumerate(IDS, 1)}


def text_of(tmp_path: Path) -> str:
    return (tmp_path / "new" / "report.html").read_text("utf-8")


# ---------------------------------------------------------------- comparison


def test_two_runs_are_compared_and_the_verdict_comes_first(tmp_path: Path, exam: Dots) -> None:
    good = answered_run(tmp_path / "a", exam, replies(range(1, 36)))
    poor = answered_run(tmp_path / "b", exam, replies(range(31, 41), HOSTILE))
    page = report(good, poor, tmp_path=tmp_path)
    inert(page)
    first = page.text.partition("Contents")[0]
    assert "A is replay/mine, B is replay/mine" in first
    text = text_of(tmp_path)
    section = text.partition('<section class="exam"')[2].partition("</section>")[0]
    assert "Under &#39;plain&#39; and &#39;same&#39; A leads by 62.5 points" in section
    assert "<strong>-62.5 [" in section
    assert ">30 / 5<" in section, "samples that only one of them got right"
    assert "Only A right (replay/mine), of A and B: 30 samples, 6 of them shown" in section
    assert "Only B right (replay/mine), of A and B: 5 samples<" in section


def test_of_three_runs_the_first_line_says_who_leads(tmp_path: Path, exam: Dots) -> None:
    some = {"a": replies(range(1, 36)), "b": replies(range(31, 41), HOSTILE), "c": replies(range(1, 6))}
    page = report(*(answered_run(tmp_path / name, exam, own) for name, own in some.items()), tmp_path=tmp_path)
    assert "A leads with" in page.text.partition("Contents")[0]


def test_a_sample_that_flips_under_several_protocols_is_shown_once_with_both_replies(
    tmp_path: Path, exam: Dots
) -> None:
    runs = [
        answered_run(tmp_path / "a", exam, replies(range(1, 41))),
        answered_run(tmp_path / "b", exam, replies(range(2, 41), HOSTILE)),
    ]
    page = report(*runs, tmp_path=tmp_path)
    inert(page)
    flips = text_of(tmp_path).partition("Only A right")[2].partition("</details>")[0]
    (card,) = flips.split("<article")[1:]
    assert "<h4>s1 " in card
    assert "only A right under plain, same" in card
    assert "How many dots?" in card
    assert '<span class="outcome correct">correct</span>' in card
    assert '<span class="outcome unparsable">unparsable</span>' in card
    assert card.count("&lt;script&gt;") == 1
    assert card.count("<use href=") == 1


def test_several_runs_are_ranked_and_the_best_two_shown_beside_each_other(tmp_path: Path, exam: Dots) -> None:
    shares = (range(1, 5), range(1, 41), range(1, 31))
    runs = [answered_run(tmp_path / name, exam, replies(some)) for name, some in zip("abc", shares, strict=True)]
    report(*runs, tmp_path=tmp_path)
    section = text_of(tmp_path).partition('<section class="exam"')[2].partition("</section>")[0]
    ranks = section.partition("the best first")[2].partition("</table>")[0]
    assert re.findall(r"<th scope=\"row\">([A-Z]) ", ranks) == ["B", "C", "A"]
    assert "Only B right (replay/mine), of B and C: 10 samples" in section


def test_runs_that_cannot_be_compared_are_shown_with_the_reason(tmp_path: Path, exam: Dots) -> None:
    other = Dots([msgspec.structs.replace(s, truth="9") for s in dots(*IDS)], counting("plain"))
    runs = [
        answered_run(tmp_path / "a", exam, replies(range(1, 41))),
        answered_run(tmp_path / "b", other, replies(range(1, 41))),
    ]
    page = report(*runs, tmp_path=tmp_path)
    assert "Not compared. the runs are on different data: 39 of 40" in page.text
    assert len([t for t in page.all("table") if t.get("class") == "overview"]) == 3, "side by side, and each on its own"


# ---------------------------------------------------------------- the budget


def size_of(tmp_path: Path) -> int:
    return (tmp_path / "new" / "report.html").stat().st_size


def test_texts_get_shorter_then_samples_fewer_until_the_page_fits(
    tmp_path: Path, exam: Dots, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = answered_run(tmp_path / "a", exam, dict.fromkeys(IDS, "why " * 500))
    report(run, tmp_path=tmp_path, samples=40)
    whole = size_of(tmp_path)
    assert "To keep this page small" not in text_of(tmp_path)
    monkeypatch.setattr(pages, "A_SAMPLE", 0)
    monkeypatch.setattr(pages, "BUDGET", whole // 2)
    page = report(run, tmp_path=tmp_path, samples=40)
    assert size_of(tmp_path) <= whole // 2
    assert len([a for a in page.all("article") if a["class"] != "item"]) == 40
    monkeypatch.setattr(pages, "BUDGET", whole // 4)
    page = report(run, tmp_path=tmp_path, samples=40)
    assert size_of(tmp_path) <= whole // 4
    shown = len([a for a in page.all("article") if a["class"] != "item"])
    assert 0 < shown < 40
    assert "fewer samples are shown than were asked for" in page.text
    assert "thoughts, prompts and ledgers left out" in page.text


def test_pictures_that_have_no_room_are_left_out_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    maker_of(exams.load("illusionbench")).make(data, count=4, seed=1, workers=1)
    run = snellen.evaluate("illusionbench", model="baseline/chance", data=data, out=tmp_path / "runs")
    page = report(run, tmp_path=tmp_path, samples=12)
    shown, whole = len(set(page.images())), size_of(tmp_path)
    assert shown > 5
    held = sum(len(str(i["href"])) for i in page.all("image"))
    monkeypatch.setattr(pages, "A_SAMPLE", 0)
    monkeypatch.setattr(pages, "BUDGET", whole - held // 3)
    smaller = report(run, tmp_path=tmp_path, samples=12)
    assert size_of(tmp_path) <= whole - held // 3
    assert len(set(smaller.images())) == shown, "all are there, and smaller"
    monkeypatch.setattr(pages, "DETAILS", pages.DETAILS[:1])
    monkeypatch.setattr(pages, "BUDGET", whole - held + 2_000)
    least = report(run, tmp_path=tmp_path, samples=12)
    assert len(set(least.images())) < shown
    assert "picture left out: the page has no room for it" in least.text
    assert re.search(r"\d+ pictures are left out", least.text)


@pytest.mark.slow
def test_a_page_of_a_thousand_samples_of_every_exam_is_below_five_megabytes(tmp_path: Path) -> None:
    cheap = {"grounding": ("method/center", "method/random"), "d3": (), "vqax": (), "actx": ()}
    for name in exams.names():
        data = tmp_path / "data" / name
        maker_of(exams.load(name)).make(data, count=60, seed=1, workers=2)
        for model in cheap.get(name, ("baseline/chance",)):
            snellen.evaluate(name, model=model, data=data, out=tmp_path / "runs")
        if name in ("vqax", "actx"):
            model = "baseline/constant:yes because it is visible"
            snellen.evaluate(name, model=model, data=data, out=tmp_path / "runs")
    runs = [snellen.Run(p) for p in sorted((tmp_path / "runs").iterdir())]
    assert len({run.manifest.exam for run in runs}) == len(exams.names()) - 1, "all but D3, which needs a scorer"
    page = report(*runs, tmp_path=tmp_path, samples=1000 // len(runs))
    inert(page)
    assert size_of(tmp_path) < 5_000_000
    assert len([a for a in page.all("article") if a["class"] != "item"]) > 500
    assert page.images()


# ---------------------------------------------------------------- runs as they lie around


@pytest.fixture
def lying(tmp_path: Path) -> tuple[Path, Run]:
    """A folder with one good run, one that was never marked, one whose marks were edited, and things that are no runs."""
    data = write_set(tmp_path / "set", 9, ("P3",))
    out = tmp_path / "runs"
    good, unmarked, edited = (
        snellen.evaluate("salbench", model=f"baseline/{name}", data=data, out=out)
        for name in ("chance", "constant:Color", "constant:Size")
    )
    (unmarked.path / "summary.json").unlink()
    _edit(edited)
    (out / "notes").mkdir()
    (out / "todo.txt").write_text("x")
    return out, good


def _edit(run: Run) -> None:
    """Turn a wrong answer into a right one in the marks alone."""
    path = run.folder.marks_path("paper")
    marks = [msgspec.json.decode(line, type=Mark) for line in path.read_bytes().splitlines()]
    at = next(i for i, m in enumerate(marks) if m.outcome is not Outcome.CORRECT)
    marks[at] = msgspec.structs.replace(marks[at], outcome=Outcome.CORRECT)
    path.write_bytes(b"".join(msgspec.json.encode(m) + b"\n" for m in marks))


def test_a_folder_of_runs_is_reported_and_what_is_passed_over_is_said(tmp_path: Path, lying: tuple[Path, Run]) -> None:
    out, good = lying
    page = tmp_path / "report.html"
    shown = command("report", out, "--out", page, cache=tmp_path)
    assert shown.returncode == 0, shown.stderr
    for name in ("notes (no run)", "todo.txt (no run)", "(unfinished)", "do not give its summary"):
        assert name in shown.stdout
        assert name in Page(page.read_text("utf-8")).text
    told = json.loads(command("report", out, "--json", cache=tmp_path).stdout)
    assert [one["run"] for one in told["runs"]] == [str(good.path)]
    assert len(told["passed_over"]) == 4
    assert told["runs"][0]["findings"][0]["weight"] in ("bad", "doubt", "good")


def test_a_run_whose_marks_do_not_give_its_summary_is_refused(tmp_path: Path, lying: tuple[Path, Run]) -> None:
    out, good = lying
    pages.write_report([good], tmp_path / "x.html")
    _edit(good)
    with pytest.raises(SnellenError, match=r"protocol 'paper' do not give its summary: one was changed; 'snellen mark"):
        pages.write_report([good], tmp_path / "y.html")
    assert not (tmp_path / "y.html").exists()
    for folder in (p for p in out.iterdir() if (p / "summary.json").is_file()):
        shutil.rmtree(folder)
    failed = command("report", out, "--out", tmp_path / "z.html", cache=tmp_path)
    assert failed.returncode == 2
    assert "has no run that can be shown" in failed.stderr


def test_data_that_moved_is_found_where_one_says(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 9, ("P3",))
    run = snellen.evaluate("salbench", model="baseline/chance", data=data, out=tmp_path / "runs")
    data.rename(tmp_path / "moved")
    page, without = tmp_path / "a.html", tmp_path / "b.html"
    other = write_set(tmp_path / "other", 5, ("P3",))
    args = ("report", run.path, "--samples", 4)
    assert command(*args, "--out", without, cache=tmp_path).returncode == 0
    assert "is not there" in without.read_text("utf-8")
    done = command(*args, "--out", page, "--data", other, "--data", tmp_path / "moved", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(Page(page.read_text("utf-8")).images()) >= 4
    assert command(*args, "--out", page, "--data", tmp_path / "nowhere", cache=tmp_path).returncode == 2
