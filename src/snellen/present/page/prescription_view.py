"""A prescription, ready for its template: the findings, the curves with the answers on them, and sheets around each threshold.

It is its own page, and a section of the report if that has runs of such an exam.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from snellen import exams
from snellen.comparison.thresholds import ExamThresholds, RunThresholds
from snellen.core.exam import Exam
from snellen.core.extras import Thresholds
from snellen.core.gallery import UnshortenedText
from snellen.core.prescription import Range, Threshold, figure
from snellen.present.model import formatting
from snellen.present.model import threshold_text as said
from snellen.present.model.run_facts import pairs, subject_facts
from snellen.present.page.image_pool import ImagePool
from snellen.present.page.prescription_charts import (
    Bar,
    Curve,
    LetterChart,
    Tick,
    by_size,
    curve,
    letter_chart,
    ratio_scale,
)
from snellen.present.page.prescription_sheets import PageSheet, around, examples, sheets

LETTERS = "letters"
"""The faculty that the letter chart shows."""
GLYPH = 80
FEW = 3
"""The largest number of models whose details are open from the start."""
PIXELS = "px"


class _FacultyView(NamedTuple):
    """One threshold with its curve and sheets. An unmeasurable faculty has some of its easiest sheets instead."""

    anchor: str
    row: Threshold
    curve: Curve
    sheets: list[PageSheet]

    @property
    def failed(self) -> bool:
        return self.row.threshold is None


class _SentThreshold(NamedTuple):
    """A threshold as it was sent. For a dial in pixels, `share` is the threshold in percent of the sheet's side."""

    row: Threshold
    size: int
    codec: str
    share: str
    bar: Bar | None


class Resolution(NamedTuple):
    """One faculty at several sizes or codecs, and the conclusion."""

    title: str
    unit: str
    sent: list[_SentThreshold]
    says: list[str]


class _ModelView(NamedTuple):
    """Everything that the page shows of one model."""

    one: RunThresholds
    anchor: str
    sentence: str
    faculties: list[_FacultyView]
    resolutions: list[Resolution]
    sent: list[tuple[str, str]]


Ratio = tuple[str, str, Bar | None, int]
"""A model's letter, its ratio to the first, its position on the scale, and whether it sees finer."""


class PrescriptionView(NamedTuple):
    """A prescription, ready for its template."""

    title: str
    models: list[_ModelView]
    seeds: str
    several: bool
    opened: bool
    verdicts: list[str]
    ratios: list[tuple[str, tuple[Threshold | None, ...], list[Ratio]]]
    """Each faculty with the thresholds of all models, and their ratios."""
    scale: list[Tick]
    chart: LetterChart | None
    glyphs: dict[str, UnshortenedText]
    sealed: str


def prescription_view(found: ExamThresholds, pool: ImagePool, prefix: str = "rx") -> PrescriptionView:
    """Return the template's data. `prefix` begins the names of its anchors."""
    exam = exams.load(found.exam)
    scale, ticks = ratio_scale([ratio for row in found.compared for ratio in row.ratios])
    rows = []
    for row in found.compared:
        others = [
            (one.letter, "–" if ratio is None else said.ratio(ratio), scale.bar(ratio), said.finer(row, at))
            for at, (one, ratio) in enumerate(zip(found.each[1:], row.ratios, strict=True))
        ]
        rows.append((row.name, row.rows, others))
    chart = letter_chart(list(_marks(found)))
    return PrescriptionView(
        title=found.exam,
        models=[_model(one, exam, pool, f"{prefix}-{one.letter.lower()}") for one in found.each],
        seeds=said.seeds(found),
        several=found.several,
        opened=len(found.each) <= FEW,
        verdicts=[said.verdict(found, at) for at in range(len(found.each) - 1)],
        ratios=rows,
        scale=ticks,
        chart=chart,
        glyphs=_glyphs(pool) if chart is not None else {},
        sealed=str(found.first.manifest.data.origin.get("sealed", "")),
    )


def _marks(found: ExamThresholds) -> Iterator[tuple[str, Threshold]]:
    """Yield how far down the letter chart each model reads. A run with several sizes yields each of them."""
    for one in found.each:
        for row in one.rows:
            if row.faculty == LETTERS and row.threshold is not None:
                who = " ".join(x for x in (one.letter if found.several else "", row.sent_as) if x)
                yield f"{who}: {said.threshold(row)}".removeprefix(": "), row


def _glyphs(pool: ImagePool) -> dict[str, UnshortenedText]:
    """Hold every letter of the chart once, by the geometry of the sheets. The page scales it."""
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


def _model(one: RunThresholds, exam: Exam, pool: ImagePool, anchor: str) -> _ModelView:
    faculties = []
    for at, row in enumerate(one.rows, 1):
        chosen = examples(row, one.trials) if row.threshold is None else around(row, one.trials)
        faculties.append(_FacultyView(f"{anchor}-{at}", row, curve(row), sheets(one, exam, row, chosen, pool)))
    found = resolutions(exam, one.rows, one.sizes())
    return _ModelView(one, anchor, said.sentence(one), faculties, found, list(_sent(one)))


def _sent(one: RunThresholds) -> Iterator[tuple[str, str]]:
    """Yield what was sent, and to which model."""
    sizes = one.sizes()
    yield from subject_facts(one.manifest)
    drawn: dict[str, list[str]] = {}
    for row in one.rows:
        drawn.setdefault(row.sent_as or f"{sizes.get(row.name, 0)} px png", []).append(row.faculty)
    yield "sheets as drawn", "; ".join(f"{how}: {', '.join(names)}" for how, names in drawn.items())
    images = (image for answer in one.run.folder.answers() for call in answer.calls for image in call.images)
    pictures = Counter(
        f"{image.width} x {image.height} {', '.join([image.codec, *image.transforms])}" for image in images
    )
    left = "; ".join(f"{n} of {what}" for what, n in pictures.most_common(8))
    yield (
        "pictures as they left this machine",
        left or "none: the model is on this machine, and saw the sheets as drawn",
    )
    own = {k: v for k, v in one.manifest.options.own.items() if k != "sealed"}
    yield "seed", f"{one.seed}" + (f"; {pairs(own)}" if own else "")
    yield "calls and cost", formatting.calls(one.summary.totals, one.summary.subject)
    yield "run", str(one.run.path)


# ---------------------------------------------------------------- does more resolution help?


def resolutions(exam: Exam, rows: Sequence[Threshold], sizes: Mapping[str, int]) -> list[Resolution]:
    """Return every faculty that was sent in several ways, and a sentence on where detail is lost.

    A letter has the same height in pixels in a large sheet as in a small one. A model that gets all pixels reads it in both. A model that
    gets every sheet reduced to one size needs letters that grow with the sheet.
    """
    found = []
    for faculty in dict.fromkeys(row.faculty for row in rows):
        own = [row for row in rows if row.faculty == faculty]
        if len(own) < 2:
            continue
        sent = []
        for row, bar in zip(own, by_size(own), strict=True):
            size, share = sizes.get(row.name, 0), ""
            if row.unit == PIXELS and row.threshold is not None and size:
                share = f"{figure(100 * row.threshold.value / size)} %"
            sent.append(_SentThreshold(row, size, row.sent_as.rpartition(" ")[2], share, bar))
        found.append(Resolution(own[0].title, own[0].unit, sent, list(_says(exam, sent))))
    return found


def _says(exam: Exam, sent: Sequence[_SentThreshold]) -> Iterator[str]:
    codecs, sizes = (list(dict.fromkeys(some)) for some in ((s.codec for s in sent), (s.size for s in sent)))
    for codec in codecs:
        same = sorted((one for one in sent if one.codec == codec), key=lambda one: one.size)
        behind = f" ({codec})" if len(codecs) > 1 else ""
        for small, large in pairwise(same):
            if small.size != large.size:
                yield f"From {small.size} to {large.size} px{behind} {_step(exam, small, large)}"
    for size in sizes:
        first, *others = (one for one in sent if one.size == size)
        for other in others:
            behind = f" at {size} px" if len(sizes) > 1 else ""
            yield f"{other.codec} instead of {first.codec}{behind}: {_codec(exam, first, other)}"


def _between(exam: Exam, first: Threshold, second: Threshold) -> Range | None:
    """Return the ratio of two thresholds of one run, the second over the first."""
    finds = exam.extra(Thresholds)
    found = finds.compared([[replace(first, sent_as="")], [replace(second, sent_as="")]]) if finds is not None else ()
    return found[0].ratios[0] if found else None


def _step(exam: Exam, small: _SentThreshold, large: _SentThreshold) -> str:
    """Return a sentence on the effect of a larger sheet."""
    ratio = _between(exam, small.row, large.row)
    if ratio is None:
        return "nothing can be told: one of the thresholds is not known."
    sides = large.size / small.size
    is_same, grows = (ratio.low <= at <= ratio.high for at in (1.0, sides))
    measured = f"{said.ratio(ratio)} times the threshold for {figure(sides)} times the side"
    if small.row.unit != PIXELS:
        return f"the threshold {'does not clearly change' if is_same else 'changes'}: {measured}."
    if is_same and grows:
        return f"it cannot be told whether detail is passed on: {measured}."
    if grows:
        return f"more resolution does not help: {measured}. The detail is not passed on, as if sheets were made smaller on the way."
    if is_same:
        return f"detail is passed on: the same pixels are enough, {measured}."
    if ratio.high < 1:
        return f"more resolution helps even beyond its pixels: {measured}."
    lost = "some of the detail is lost" if ratio.high < sides else "more than the gained detail is lost"
    return f"{lost}: {measured}."


def _codec(exam: Exam, first: _SentThreshold, other: _SentThreshold) -> str:
    ratio = _between(exam, first.row, other.row)
    if ratio is None:
        return "nothing can be told, as one of the thresholds is not known."
    clear = "no clear difference" if ratio.low <= 1 <= ratio.high else "a clear difference"
    return f"{clear}, {said.ratio(ratio)} times the threshold."
