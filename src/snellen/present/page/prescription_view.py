"""What a prescription shows, ready for its template: what was found, the curves with the answers on them, sheets around each threshold.

It is a page of its own (`prescription_page`) and a section of the report, where that has runs of such an exam.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from snellen import exams
from snellen.comparison.thresholds import ExamThresholds, RunThresholds, examined
from snellen.core.exam import Exam
from snellen.core.gallery import UnshortenedText
from snellen.core.prescription import FacultyComparison, Threshold
from snellen.engine.runs.run import Run
from snellen.present.model import formatting
from snellen.present.model import threshold_text as said
from snellen.present.model.formatting import plain
from snellen.present.page.image_pool import ImagePool
from snellen.present.page.prescription_charts import Bar, Curve, LetterChart, Tick, curve, letter_chart, ratios
from snellen.present.page.prescription_resolution import Resolution, resolutions
from snellen.present.page.prescription_sheets import PageSheet, around, examples, sheets

LETTERS = "letters"
"""The faculty that a letter chart is of."""
GLYPH = 80
FEW = 3
"""Models whose details are open from the start."""


class FacultyView(NamedTuple):
    """One threshold with its curve and sheets; `failed` are easiest sheets of what could not be measured."""

    anchor: str
    row: Threshold
    curve: Curve
    sheets: list[PageSheet]
    failed: bool


class ModelView(NamedTuple):
    """All that the page says of one model."""

    one: RunThresholds
    anchor: str
    sentence: str
    faculties: list[FacultyView]
    resolutions: list[Resolution]
    sent: list[tuple[str, str]]


class RatioView(NamedTuple):
    """One faculty of several models: their thresholds, and each ratio with its place on the scale."""

    name: str
    compared: FacultyComparison
    others: list[tuple[str, str, Bar | None, int]]


class PrescriptionView(NamedTuple):
    """A prescription, ready for its template."""

    title: str
    models: list[ModelView]
    seeds: str
    several: bool
    opened: bool
    verdicts: list[str]
    ratios: list[RatioView]
    scale: list[Tick]
    chart: LetterChart | None
    glyphs: dict[str, UnshortenedText]
    sealed: str


def embedded(runs: Sequence[Run], pool: ImagePool, prefix: str) -> PrescriptionView:
    """The same as a part of a page of other things."""
    return prescription_view(examined(runs), pool, prefix)


def prescription_view(found: ExamThresholds, pool: ImagePool, prefix: str = "rx") -> PrescriptionView:
    """All that the template gets; `prefix` begins the names of its places."""
    exam = exams.load(found.exam)
    models = [_model(one, exam, pool, f"{prefix}-{one.letter.lower()}") for one in found.each]
    scale = ratios([ratio for row in found.compared for ratio in row.ratios])
    rows = [
        RatioView(
            row.name,
            row,
            [
                (
                    one.letter,
                    "–" if ratio is None else said.ratio(ratio),
                    None if ratio is None else Bar(scale.at(ratio.value), scale.at(ratio.low), scale.at(ratio.high)),
                    said.finer(row, at),
                )
                for at, (one, ratio) in enumerate(zip(found.each[1:], row.ratios, strict=True))
            ],
        )
        for row in found.compared
    ]
    chart = letter_chart(list(_marks(found)))
    return PrescriptionView(
        title=found.exam,
        models=models,
        seeds=said.seeds(found),
        several=found.several,
        opened=len(found.each) <= FEW,
        verdicts=[said.verdict(found, at) for at in range(len(found.each) - 1)],
        ratios=rows,
        scale=scale.ticks,
        chart=chart,
        glyphs=_glyphs(pool) if chart is not None else {},
        sealed=str(found.first.manifest.data.origin.get("sealed", "")),
    )


def _marks(found: ExamThresholds) -> Iterator[tuple[str, Threshold]]:
    """Who reads how far down the letter chart: of a run with several sizes, each of them."""
    for one in found.each:
        for row in one.rows:
            if row.faculty == LETTERS and row.threshold is not None:
                who = " ".join(x for x in (one.letter if found.several else "", row.sent_as) if x)
                yield f"{who}: {said.threshold(row)}".removeprefix(": "), row


def _glyphs(pool: ImagePool) -> dict[str, UnshortenedText]:
    """Every letter of the chart once, by the geometry of the sheets; the page makes it larger and smaller."""
    import numpy as np
    from PIL import Image

    from snellen.synthetic.sheets.marks import LETTERS as ALPHABET
    from snellen.synthetic.sheets.marks import cover

    found = {}
    for letter in ALPHABET:
        ink = np.rint(255 * cover(letter, GLYPH, 0, 0).share).astype(np.uint8)
        pixels = np.zeros((*ink.shape, 4), dtype=np.uint8)
        pixels[..., 3] = ink
        held = pool.hold(f"letter {letter}", Image.fromarray(pixels, "RGBA"), (0.0, 0.0, 1.0, 1.0))
        found[letter] = UnshortenedText(f"#{held.name}")
    return found


def _model(one: RunThresholds, exam: Exam, pool: ImagePool, anchor: str) -> ModelView:
    faculties = []
    for at, row in enumerate(one.rows, 1):
        failed = row.threshold is None
        chosen = examples(row, one.trials) if failed else around(row, one.trials)
        shown = sheets(one, exam, row, chosen, pool)
        faculties.append(FacultyView(f"{anchor}-{at}", row, curve(row), shown, failed))
    found = resolutions(exam, one.rows, one.sizes())
    return ModelView(one, anchor, said.sentence(one), faculties, found, list(_sent(one)))


def _sent(one: RunThresholds) -> Iterator[tuple[str, str]]:
    """What was sent, and to whom."""
    yield "model", one.manifest.subject.spec
    identity = dict(one.manifest.subject.identity)
    endpoint, parameters = identity.pop("endpoint", None), identity.pop("parameters", None)
    if endpoint:
        yield "endpoint", str(endpoint)
    yield "parameters", _pairs(parameters) if isinstance(parameters, dict) and parameters else "none"
    yield "sheets as drawn", "; ".join(_drawn(one))
    pictures: Counter[str] = Counter()
    for answer in one.run.folder.images():
        for call in answer.calls:
            for image in call.images:
                done = f", {', '.join(image.transforms)}" if image.transforms else ""
                pictures[f"{image.width} x {image.height} {image.codec}{done}"] += 1
    if pictures:
        yield "pictures as they left this machine", "; ".join(f"{n} of {what}" for what, n in pictures.most_common(8))
    else:
        yield "pictures as they left this machine", "none: the model is on this machine, and saw the sheets as drawn"
    options = one.manifest.options
    own = {k: v for k, v in options.own.items() if k != "sealed"}
    yield "seed", f"{one.seed}" + (f"; {_pairs(own)}" if own else "")
    yield "calls and cost", formatting.calls(one.summary.totals, one.summary.subject)
    yield "run", str(one.run.path)


def _drawn(one: RunThresholds) -> Iterator[str]:
    """'512 px png: letters, contrast; 1000 px png: pointing'."""
    sizes = one.sizes()
    found: dict[str, list[str]] = {}
    for row in one.rows:
        size = sizes.get(row.name, 0)
        found.setdefault(row.sent_as or f"{size} px png", []).append(row.faculty)
    for how, names in found.items():
        yield f"{how}: {', '.join(names)}"


def _pairs(values: dict[str, Any]) -> str:
    return ", ".join(f"{key} = {plain(value)}" for key, value in values.items())
