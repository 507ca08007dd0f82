"""The page of a prescription: complete in itself, inert, and with what a reader looks for; and its place in a report."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.present.eye_runs import Eyes, eyes
from tests.present.pages import Page, inert, report
from tests.support.extras import of

from snellen import exams
from snellen.comparison.thresholds import examined
from snellen.core.extras import Thresholds
from snellen.core.prescription import Share, Threshold
from snellen.engine.runs.data_again import opened_again
from snellen.present.page.prescription_charts import LogScale, curve, letter_chart, nice
from snellen.present.page.prescription_sheets import around
from snellen.present.page.report import write_prescription

__all__ = ["eyes"]


def page_of(tmp_path: Path, *runs: object) -> tuple[Page, bytes]:
    target = tmp_path / "new" / "prescription.html"
    write_prescription(examined(list(runs)), target)  # type: ignore[arg-type]
    raw = target.read_bytes()
    return Page(raw.decode()), raw


def test_the_page_is_inert_small_and_says_what_was_found(eyes: Eyes, tmp_path: Path) -> None:
    page, raw = page_of(tmp_path, eyes.sharp)
    inert(page)
    assert len(raw) < 600_000
    text = page.text
    for words in ("api/sharp", "seed 0", "SYNTHETIC sheets.", "Letters (acuity)", "Dial: letter height in pixels as sent", "5/5",
                  "not measurable", "5 of 5 replies to the easiest sheets chose nothing", "What was sent", "512 x 512 png",
                  "max_tokens = 256", "0.0135 USD", "slope", "lapses"):  # fmt: skip
        assert words in text, words
    assert "\x1b" not in text and "\u202e" not in text
    assert "<script>alert(1)</script>" in text  # as text


def test_sheets_on_the_page_are_the_pixels_that_were_asked(eyes: Eyes, tmp_path: Path) -> None:
    page, _raw = page_of(tmp_path, eyes.best)
    found = examined([eyes.best]).first
    row = found.rows[0]
    chosen = around(row, found.trials)
    assert len(chosen) == min(5, len(row.rungs)) > 2
    assert [t.level for t in chosen] == sorted((t.level for t in chosen), reverse=True)
    exam = exams.load("eye")
    data = opened_again(eyes.best.folder, exam)
    sheet = next(iter(data.full(lambda name: name == chosen[0].sample.id)))
    region = of(exam, Thresholds).close_up(chosen[0].sample, 0)
    assert region is not None
    with Image.open(io.BytesIO(sheet.pictures[0].data)) as whole:
        want = np.asarray(whole.crop(region).convert("RGB"))
    shown = [np.asarray(Image.open(io.BytesIO(data)).convert("RGB")) for data in page.images()]
    assert any(one.shape == want.shape and bool((one == want).all()) for one in shown)


def test_a_sheet_that_is_not_the_recorded_one_is_not_shown(eyes: Eyes, tmp_path: Path) -> None:
    found = examined([eyes.best])
    trials = tuple(
        t._replace(sample=type(t.sample)(id=t.sample.id, tags=t.sample.tags, truth=t.sample.truth, facts=t.sample.facts | {"sha256": ["0"]}))
        for t in found.first.trials
    )  # fmt: skip
    write_prescription(found._replace(each=(found.first._replace(trials=trials),)), tmp_path / "p.html")
    assert "the sheet drawn again is not the one that was asked" in (tmp_path / "p.html").read_text("utf-8")


def test_several_models_begin_with_their_comparison(eyes: Eyes, tmp_path: Path) -> None:
    page, _raw = page_of(tmp_path, eyes.sharp, eyes.dull)
    inert(page)
    text = page.text
    assert text.index("B needs letters") < text.index("A: api/sharp") < text.index("B: api/dull")
    assert "B / A" in text
    assert "cannot be told apart from it in contrast" in text


def test_a_report_has_the_prescription_and_no_score_in_percent_of_it(eyes: Eyes, tmp_path: Path) -> None:
    page = report(eyes.sharp, eyes.dull, tmp_path=tmp_path, samples=4)
    inert(page)
    text = page.text
    assert "reads letters of" in text
    assert "B needs letters" in text
    assert "Not compared." not in text
    assert "Letters (acuity)" in text
    assert "The headline of each part under each protocol" not in text


# ---------------------------------------------------------------- drawings


def letters(value: float | None, **more: object) -> Threshold:
    ladder = tuple(2 * 24 ** (i / 35) for i in range(36))
    from snellen.core.prescription import LevelCounts, Range

    given: dict[str, object] = {
        "faculty": "letters", "title": "Letters", "dial": "height", "unit": "px", "finer": "smaller", "about": "", "guess": 0.1,
        "ladder": ladder, "questions": 8, "catch": Share(5, 5), "blank": Share(0, 5),
        "threshold": None if value is None else Range(value, value / 1.2, value * 1.2),
        "rungs": (LevelCounts(level=ladder[3], wrong=1), LevelCounts(level=ladder[20], right=3, wrong=1)),
    }  # fmt: skip
    return Threshold(**(given | more))  # type: ignore[arg-type]


def test_a_curve_puts_hard_levels_left_and_answers_where_they_were(tmp_path: Path) -> None:
    drawn = curve(letters(6.0))
    (hard_x, hard_y, hard_r, _hard), (easy_x, easy_y, easy_r, _easy) = drawn.dots
    assert hard_x < easy_x and hard_y > easy_y
    assert easy_r == pytest.approx(2 * hard_r)  # four answers: four times the area
    assert drawn.threshold is not None and drawn.low < drawn.threshold < drawn.high
    falling = letters(6.0, ladder=tuple(reversed(letters(6.0).ladder)))
    assert LogScale(falling.ladder[0], falling.ladder[-1]).at(48.0) == pytest.approx(0.0)
    assert curve(letters(None)).threshold is None
    assert nice(0.5, 100) == [1, 3, 10, 30, 100] or len(nice(0.5, 100)) <= 5


def test_the_letter_chart_marks_the_line_that_is_read() -> None:
    chart = letter_chart([("7.7 px", letters(7.7))])
    assert chart is not None
    read = [line for line in chart.lines if line.read]
    assert read[-1].height >= 7.7 > next(line for line in chart.lines if not line.read).height
    heights = [line.height for line in chart.lines]
    assert heights[0] == pytest.approx(48) and all(a / b == pytest.approx(10**0.1) for a, b in pairwise(heights))
    (mark,) = chart.reaches
    assert read[-1].y + read[-1].height < mark.y + 12
    assert mark.low < mark.y < mark.high
    two = letter_chart([("A: 7.7 px", letters(7.7)), ("B: 7.6 px", letters(7.6))])
    assert two is not None and two.reaches[1].said_at - two.reaches[0].said_at >= 17
    assert letter_chart([("", letters(None))]) is None
