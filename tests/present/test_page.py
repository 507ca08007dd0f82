"""The page of runs that are made up: what an exam's gallery may do, what is shown once, and that every unit is the declared one."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest
from tests.present.made import Dots, answered_run, counting, dots, group, made_run, protocol, score
from tests.present.pages import HOSTILE, inert, report

from snellen import exams
from snellen.core.errors import SnellenError
from snellen.core.extras import PageGallery
from snellen.core.gallery import FAILURES_FIRST, Gallery, GalleryFacts, GalleryItem, GalleryView, ranks
from snellen.core.records import ControlRow
from snellen.core.results import Metric
from snellen.engine.runs.run import Run
from snellen.present.page import gallery
from snellen.present.page.report import write_report


def answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exam: Dots, **replies: str) -> Run:
    monkeypatch.setattr(exams, "load", lambda _name: exam)
    return answered_run(tmp_path / "r", exam, replies)


def page_text(tmp_path: Path) -> str:
    return (tmp_path / "new" / "report.html").read_text("utf-8")


@pytest.fixture
def exam() -> Dots:
    return Dots(dots("a", "b", "c"), counting("plain"), counting("same"))


def test_values_of_single_samples_have_the_declared_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exam: Dots
) -> None:
    page = report(answered(tmp_path, monkeypatch, exam, a="3", b="2", c="?"), tmp_path=tmp_path)
    inert(page)
    marks = page_text(tmp_path).partition("Marks of a<")[2].partition("</table>")[0]
    assert '<th scope="row">exact</th><td class="quiet">0.0</td>' in marks
    assert '<th scope="row">off by</th><td class="quiet">2</td>' in marks


def test_what_is_equal_is_shown_once_and_a_part_without_a_name_is_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exam: Dots
) -> None:
    page = report(answered(tmp_path, monkeypatch, exam, a="1", b="2", c="1"), tmp_path=tmp_path)
    text = page_text(tmp_path)
    assert "all, n = 3" in page.text
    assert text.count('<th scope="col" class="names">plain, same</th>') == 2 + 3, (
        "a part's metrics, more of them, items"
    )
    assert (
        '<td class="names">plain, same</td>'
        in text.partition("under each protocol</caption>")[2].partition("</table>")[0]
    )
    assert "all: 1 more metrics" in page.text
    assert len(page.images()) == 3


def test_a_word_marks_scores_at_or_below_their_floor(tmp_path: Path) -> None:
    parts = [group({"split": s}, accuracy=score(v, floor=0.5)) for s, v in (("A", 0.5), ("B", 0.4), ("C", 0.6))]
    run = made_run(tmp_path / "r", protocol("mine", *parts))
    _no_samples(run)
    page = report(run, tmp_path=tmp_path, samples=0)
    assert page_text(tmp_path).count('<span class="tag under">at floor</span>') == 3, (
        "beside other runs, in the run's chart and in its table"
    )
    assert page.text.count("below floor") == 5, "in the charts, too"


def test_several_runs_have_contents(tmp_path: Path) -> None:
    runs = [made_run(tmp_path / name, protocol("mine", group({}, accuracy=score(0.5)))) for name in ("one", "two")]
    for run in runs:
        _no_samples(run)
    page = report(*runs, tmp_path=tmp_path, samples=0)
    (_nav,) = page.all("nav")
    links = [str(a["href"]) for a in page.all("a")]
    assert {"#exam-1", "#run-1", "#scores-1", "#run-2", "#scores-2"} <= set(links)
    assert {link[1:] for link in links} <= {str(attrs.get("id")) for _tag, attrs in page.tags}


def test_controls_and_ranges_are_told(tmp_path: Path) -> None:
    control = ControlRow(
        protocol="mine", control="blank", by={"split": "A"}, metric="accuracy", score=0.64, control_score=0.04,
        difference=-0.6, low=-0.724, high=-0.462, n=24,
    )  # fmt: skip
    made = protocol("mine", group({"split": "A"}, accuracy=score(0.5)), metrics=[Metric(name="accuracy", label="hits")])
    run = made_run(tmp_path / "r", made, controls=(control,))
    _no_samples(run)
    text = report(run, tmp_path=tmp_path, samples=0).text
    assert "A mine hits blank 24 64.0 4.0 -60.0 [-72.4, -46.2] – –" in text
    assert "Possible range of hits" in text
    assert "No API calls (local subject)." in text
    assert "Description unavailable in this version." in text


def test_the_bars_of_outcomes_count_answers(tmp_path: Path) -> None:
    """Of 24 questions that were asked three times, 36 answers of 72 are half of the bar."""
    three = msgspec.structs.replace(group({"split": "A"}, accuracy=score(0.5)), outcomes={"correct": 36, "wrong": 36})
    run = made_run(tmp_path / "r", protocol("mine", three, repeats=3))
    _no_samples(run)
    bars = [
        one for one in report(run, tmp_path=tmp_path, samples=0).all("rect") if one["class"] in ("correct", "wrong")
    ]
    assert [(one["x"], one["width"]) for one in bars] == [("0.00%", "50.00%"), ("50.00%", "50.00%")]


def _no_samples(run: Run) -> None:
    """Marks, samples and answers: none."""
    (run.path / "marks").mkdir()
    for p in run.protocols:
        run.folder.marks_path(p.protocol).touch()
    run.folder.samples_path.touch()


# ---------------------------------------------------------------- galleries


class Card(Gallery):
    """Shows the truth beside something hostile, the last sample first."""

    template, above, package = "card.html", "top.html", "card_gallery"
    kinds = FAILURES_FIRST
    first = "last first"
    sorts: Mapping[str, str] = {"name": "by name"}

    def __init__(self, facts: GalleryFacts) -> None:
        self.facts = facts

    def arranged(self, items: Sequence[GalleryItem]) -> list[GalleryItem]:
        return list(items)[::-1]

    def view(self, items: Sequence[GalleryItem]) -> GalleryView:
        each = [None if item.pick.id == "b" else f"{item.truth}{HOSTILE}" for item in items]
        return GalleryView(each, HOSTILE, [{"name": place} for place in ranks([(i.pick.id,) for i in items])])


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    templates = tmp_path / "lib" / "card_gallery" / "templates"
    templates.mkdir(parents=True)
    (templates.parent / "__init__.py").touch()
    (templates / "card.html").write_text(
        '<p class="mine">{{ own }} is {{ item.pick.id }}</p>{% include "outcomes.html" %}'
    )
    (templates / "top.html").write_text('<p class="top-of-mine">{{ common }}, run {{ run.number }}</p>')
    monkeypatch.syspath_prepend(tmp_path / "lib")
    monkeypatch.delitem(sys.modules, "card_gallery", raising=False)
    return templates


def test_an_exam_shows_its_samples_by_its_own_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: Path, exam: Dots
) -> None:
    seen: list[GalleryFacts] = []
    own = PageGallery(lambda _exam, facts: seen.append(facts) or Card(facts))
    monkeypatch.setattr(exam, "extras", (own,))
    page = report(answered(tmp_path, monkeypatch, exam, a="3", b="2", c="3"), tmp_path=tmp_path)
    inert(page)
    text = page_text(tmp_path).partition('class="fold gallery"')[2]
    assert seen[0].synthetic is False
    assert seen[0].evidence("a", "question") is None
    assert text.count('class="top-of-mine"') == 1
    assert text.count('class="mine"') == 2
    assert text.count('<div class="columns">') == 1, "the plain one where there is nothing of its own"
    ids = [a.partition("<h4>")[2].partition(" ")[0] for a in text.split("<article")[1:]]
    assert set(ids) == {"a", "b", "c"}
    assert "last first" in page.text
    assert "--by-name:1" in text
    assert "\\x1b[31m" in text
    assert "<script" not in text
    assert "plain, same: wrong" in page.text


@pytest.mark.parametrize("template", ["{{ own|safe }}", "{{ nothing }}", "{% if %}"])
def test_a_template_that_fails_or_would_not_escape_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: Path, exam: Dots, template: str
) -> None:
    (package / "card.html").write_text(template)
    monkeypatch.setattr(exam, "extras", (PageGallery(lambda _exam, facts: Card(facts)),))
    run = answered(tmp_path, monkeypatch, exam, a="3", b="2", c="3")
    with pytest.raises(SnellenError, match=r"card\.html|template failed"):
        write_report([run], tmp_path / "report.html")
    assert not list(tmp_path.glob("report*"))


def test_hard_samples_are_chosen_first_where_a_gallery_says_how_hard_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exam: Dots
) -> None:
    run = answered(tmp_path, monkeypatch, exam, a="3", b="3", c="1")

    class Hard(Gallery):
        def hardness(self, sample_id: str, prompt: str) -> float:
            return {"a": 3.0, "b": 1.0, "c": 2.0}[sample_id]

    assert [p.id for p in gallery.survey(run, 2, Hard()).picks] == ["b", "c"]


def test_a_plugin_that_is_not_loaded_gets_the_plain_gallery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exam: Dots
) -> None:
    run = answered(tmp_path, monkeypatch, exam, a="1", b="2", c="?")
    monkeypatch.undo()
    page = report(run, tmp_path=tmp_path)
    assert len(page.all("article")) == 3
    assert "image not available: unknown" in page.text
    assert "Description unavailable in this version." in page.text


def test_hostile_text_stays_inert_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exam = Dots(dots(f"a{HOSTILE}", "b", tags={"split": HOSTILE}), counting("plain"))
    monkeypatch.setattr(exams, "load", lambda _name: exam)
    run = answered_run(tmp_path / "r", exam, {f"a{HOSTILE}": HOSTILE, "b": "2"}, failures={HOSTILE: 1})
    inert(report(run, tmp_path=tmp_path))
    text = page_text(tmp_path)
    assert "<script" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_summary_of_another_version_says_what_to_do(tmp_path: Path) -> None:
    run = made_run(tmp_path / "r", protocol("mine", group({}, accuracy=score(0.5))), layout=99)
    with pytest.raises(
        SnellenError,
        match=r"summary\.json is damaged or from another version of Snellen \(layout 99; .*'snellen mark",
    ):
        write_report([run], tmp_path / "report.html")
