"""One self-contained HTML page of runs: no script, nothing fetched, and every text from outside inert.

All template output goes through `_inert` and then through Jinja's escaping. No data is ever marked as safe. That holds for the templates of
an exam's own gallery too: they are rendered here.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from snellen.comparison.thresholds import ExamThresholds
from snellen.core.errors import SnellenError
from snellen.engine.runs.data_again import DataAgain
from snellen.engine.runs.run import Run
from snellen.engine.runs.writing import replacing, writing_to
from snellen.present.html.rendering import Templates, TextDetail
from snellen.present.model import formatting
from snellen.present.model.checks import check
from snellen.present.page.exam_view import exam_views
from snellen.present.page.gallery import Sources
from snellen.present.page.image_pool import ImagePool
from snellen.present.page.prescription_view import prescription_view
from snellen.present.page.report_run import report_run

HERE = "snellen.present.page"
NAMED = 4
"""The most names in the title of a prescription."""
SAMPLES = 48
IN_ALL = 400
"""The most samples on a page if no number is given, for one run and for all runs together."""
BUDGET = 5_000_000
A_SAMPLE = 5_000
"""The most bytes of a page, and the bytes for each sample if more than a thousand are requested."""
FOR_PICTURES = 0.35
"""The share of the page's bytes that is reserved for images before texts, if they need it."""
FIRST_SCREEN = 10
"""The most findings on the first screen."""


DETAILS = (TextDetail(2000, True), TextDetail(800, True), TextDetail(300, False))
"""Levels of detail from the most to the least. The first that leaves room for the images is used."""


def write_report(
    runs: Sequence[Run],
    page: Path,
    samples: int | None = None,
    *,
    data: Sequence[Path] = (),
    passed_over: Sequence[str] = (),
    checked: bool = False,
) -> None:
    """Write the page of some runs, with `samples` of each in its gallery and images from `data` where available.

    Without a number there are 48 of each, or fewer for many runs.

    The page has at most five megabytes, or five kilobytes for each sample if more than a thousand are requested. To fit, images get
    smaller, then texts shorter, then samples fewer, and the page says so. It also lists `passed_over`. `checked`: `check` was called for
    all runs.
    """
    for run in () if checked else runs:
        check(run)
    samples = max(SAMPLES // 12, min(SAMPLES, IN_ALL // max(1, len(runs)))) if samples is None else samples
    room = max(BUDGET, A_SAMPLE * samples * len(runs))
    shown = samples
    while True:
        sources = Sources(ImagePool(), DataAgain(data))
        views = [report_run(number, run, shown, sources) for number, run in enumerate(runs, 1)]
        given = {
            "runs": views,
            "exams": exam_views(views, shown, sources),
            "each": max(2, FIRST_SCREEN // max(1, len(runs))),
            "passed_over": passed_over,
            "fewer": shown < samples,
            "legend": formatting.legend(p for run in runs for p in run.summary.protocols),
        }
        made = _made("report.html", sources.pool, room, given, at_any_size=shown == 0)
        if made is not None:
            break
        shown //= 2
    _write(page, made)


def write_prescription(found: ExamThresholds, page: Path) -> None:
    """Write the prescription as one self-contained page."""
    pool = ImagePool()
    names = [one.name for one in found.each]
    who = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    given = {"rx": prescription_view(found, pool), "who": who, "when": found.first.manifest.created[:10]}
    write_page(page, "prescription.html", pool, **given)


def write_page(page: Path, name: str, pool: ImagePool, **given: Any) -> None:
    """Write a template's page with its images, reduced to fit the budget."""
    _write(page, _made(name, pool, BUDGET, given, at_any_size=True) or ())


def _made(
    name: str, pool: ImagePool, room: int, given: dict[str, Any], *, at_any_size: bool
) -> tuple[bytes, bytes] | None:
    """Return a page in two pieces, the second with the images, or None if it does not fit at the least detail."""
    given = given | {"made": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}
    for detail in DETAILS:
        text = _rendered(name, pool, detail, given)
        if len(text) + min(pool.cost, FOR_PICTURES * room) <= room:
            break
    else:
        if len(text) > room and not at_any_size:
            return None
    pool.fit(max(0, room - len(text)))
    if pool.left_out:
        text = _rendered(name, pool, detail, given)
    return text, _rendered("pool.html", pool, detail, {})


def _rendered(name: str, pool: ImagePool, detail: TextDetail, given: dict[str, Any]) -> bytes:
    try:
        made = Templates(HERE, detail, left_out=pool.left_out).page(name, pool=pool, **given)
    except jinja2.TemplateError as error:
        raise SnellenError(f"the page cannot be made: a template failed: {error}") from None
    return made.encode("utf-8", "backslashreplace")


def _write(page: Path, pieces: Sequence[bytes]) -> None:
    """Write a page atomically."""
    with writing_to(page), replacing(page.parent, page.name) as out:
        out.writelines(pieces)
