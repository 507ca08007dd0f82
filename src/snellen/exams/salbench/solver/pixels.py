"""A classical odd-one-out solver: it gets only the Question, measures the objects and names the feature that stands out.

It shows what plain image processing achieves, and that a set can be answered from its pixels alone. If it cannot segment the picture, or no
feature stands out, the reply is empty, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from snellen.core.pixels import BadPicture
from snellen.core.types import Question
from snellen.exams.salbench.solver.measure import ORDERS, Measures, measure
from snellen.exams.salbench.solver.segment import load, segment
from snellen.synthetic.patterns.colour import Floats

_NUMBER = r"\s*[=:]\s*(-?\d*\.?\d+)"
_BOX = re.compile(rf"x_?min{_NUMBER}\W+y_?min{_NUMBER}\W+x_?max{_NUMBER}\W+y_?max{_NUMBER}", re.IGNORECASE)
# Smallest differences that count: those that pixels can show (one odd object among equal ones), and those that stand out
# among objects that vary naturally. Lab distance, degrees, log of length, outline units, log steepness, grey levels.
_MEASURABLE = {"color": 1.2, "orientation": 1.5, "size": 0.018}
_NOTABLE = {
    "color": 5.5,
    "orientation": 7.0,
    "size": 0.09,
    "shape": 0.07,
    "focus": 0.4,
    "pattern": 2.5,
    "location": 1.0,
}
_TIMES_SPREAD = 4.0
_VISIBLE_TURN = 0.07


def _in_units(deviation: Floats, floor: float) -> Floats:
    """Return the deviation of every object in units of the smallest one that counts in this picture.

    If several objects deviate as much, none of them is the odd one: the third largest deviation also sets the unit.
    """
    ordered = np.sort(deviation)
    out: Floats = deviation / max(floor, _TIMES_SPREAD * float(np.median(ordered)), 1.3 * float(ordered[-3]))
    return out


def _from_median(values: Floats, floor: float) -> Floats:
    """Return the evidence of one-column measures; a value that could not be measured is not evidence."""
    known = values[np.isfinite(values)]
    usual = float(np.median(known)) if len(known) else 0.0
    return _in_units(np.nan_to_num(np.abs(values - usual), nan=0.0), floor)


def _colour(m: Measures, floor: float) -> Floats:
    return _in_units(np.sqrt(((m.lab - np.median(m.lab, axis=0)) ** 2).sum(axis=1)), floor)


def _orientation(m: Measures, floor: float) -> Floats:
    """Return the turn from the usual angle, by every symmetry that the objects show. The strongest one counts."""
    best = np.zeros(len(m.size))
    for column, order in enumerate(ORDERS):
        value = m.moments[:, column]
        length = np.abs(value)
        usual = float(np.median(length))
        if usual < _VISIBLE_TURN:
            continue
        phase = np.angle(value)
        apart = np.abs(np.angle(np.exp(1j * (phase[:, None] - phase[None, :]))))
        middle = int(np.median(apart, axis=1).argmin())
        turn = np.degrees(apart[middle]) / order
        turn[length < 0.5 * usual] = 0.0
        best = np.maximum(best, _in_units(turn, floor))
    return best


def _shape(m: Measures, floor: float) -> Floats:
    outline = np.concatenate([np.abs(m.moments[:, :4]), m.spread[:, None]], axis=1)
    return _in_units(np.sqrt(((outline - np.median(outline, axis=0)) ** 2).sum(axis=1)), floor)


def _pattern(m: Measures, floor: float) -> Floats:
    """Return how much more or less textured each object is than usual. Among patterned objects, a third more is still the same pattern."""
    known = m.texture[np.isfinite(m.texture)]
    return _from_median(m.texture, max(floor, 0.35 * float(np.median(known))) if len(known) else floor)


def _off_curve(terms: Floats, value: Floats, spacing: float, residual: Callable[[Floats, Floats], Floats]) -> Floats:
    """Return for each object its distance from the curve through all the others, if those do lie on one."""
    out = np.zeros(len(value))
    for which in range(len(value)):
        rest = np.arange(len(value)) != which
        fit = np.linalg.lstsq(terms[rest], value[rest], rcond=None)[0]
        gap = np.abs(residual(terms, value - terms @ fit))
        if float(gap[rest].max()) < 0.2 * spacing:
            noise = float(np.sqrt(np.mean(gap[rest] ** 2)))
            out[which] = gap[which] / max(0.2 * spacing, _TIMES_SPREAD * noise)
    return out


def _location(m: Measures, floor: float) -> Floats:
    """Return the distance of each object from the line or ring of the others, or from all of them."""
    place = m.centre
    apart = np.hypot(*(place[:, None] - place[None, :]).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    nearest = np.maximum(apart.min(axis=1), 1.0)
    spacing = float(np.median(nearest))
    lonely = np.log(nearest / spacing)
    out: Floats = np.maximum(lonely, 0) / max(np.log(1.4), _TIMES_SPREAD * float(np.median(np.abs(lonely))))
    if 5 <= len(place) <= 60:
        centred = (place - place.mean(axis=0)) / spacing
        _, axes = np.linalg.eigh(np.cov(centred.T))
        across, along = (centred @ axes).T
        one = np.ones_like(along)
        line = _off_curve(np.stack([one, along], 1), across, 1.0, lambda _, gap: gap)
        size = max(float(np.hypot(along, across).mean()), 1e-6)
        ring = _off_curve(np.stack([one, along, across], 1), along**2 + across**2, 1.0, lambda _, gap: gap / (2 * size))
        out = np.maximum(out, np.maximum(line, ring))
    return out / floor


_FEATURES: Mapping[str, Callable[[Measures, float], Floats]] = {
    "orientation": _orientation,
    "color": _colour,
    "focus": lambda m, floor: _from_median(m.edge, floor),
    "shape": _shape,
    "size": lambda m, floor: _from_median(m.size, floor),
    "location": _location,
    "pattern": _pattern,
}


def _named_box(text: str, width: int, height: int) -> tuple[float, float, float, float] | None:
    """Return the last box that the text gives (as parts of the image), in pixels."""
    found = _BOX.findall(text)
    if not found:
        return None
    x0, y0, x1, y1 = (float(v) for v in found[-1])
    return (x0 * width, y0 * height, x1 * width, y1 * height) if x1 > x0 and y1 > y0 else None


def _at(m: Measures, box: tuple[float, float, float, float]) -> int | None:
    """Return the object that best fills the box; None if none is there."""
    wide = np.minimum(m.boxes[:, 2], box[2]) - np.maximum(m.boxes[:, 0], box[0])
    high = np.minimum(m.boxes[:, 3], box[3]) - np.maximum(m.boxes[:, 1], box[1])
    common = np.maximum(wide, 0) * np.maximum(high, 0)
    own = (m.boxes[:, 2] - m.boxes[:, 0]) * (m.boxes[:, 3] - m.boxes[:, 1])
    share = common / (own + (box[2] - box[0]) * (box[3] - box[1]) - common)
    best = int(share.argmax())
    return best if share[best] > 0.1 else None


def _plain(option: str) -> str:
    word = option.strip().lower()
    return "color" if word == "colour" else word


def solve(question: Question) -> str:
    """Return the options that distinguish the odd object, spelled as offered; empty if it is not found."""
    options = {_plain(option): option for option in question.options if _plain(option) in _FEATURES}
    if not question.pictures or not options:
        return ""
    try:
        image = load(question.pictures[-1].data)
    except BadPicture:
        return ""
    seg = segment(image)
    single = question.answer_kind == "one-of"
    m = measure(seg, full=not options.keys() <= _MEASURABLE.keys()) if seg else None
    if seg is None or m is None:
        return ""
    floors = {**_NOTABLE, **_MEASURABLE} if single else _NOTABLE
    table = {name: _FEATURES[name](m, floors[name]) for name in options}
    box = seg.frame or _named_box(question.text, *image.size)
    return _answer(table, options, _at(m, box) if box else None, single)


def _answer(table: Mapping[str, Floats], options: Mapping[str, str], target: int | None, single: bool) -> str:
    """Name the strongest feature of the target (or of the oddest object), or all features that count."""
    stack = np.stack(list(table.values()))
    if target is None:
        total = stack.max(axis=0) if single else np.clip(stack - 0.5, 0, 4).sum(axis=0)
        target = int(total.argmax())
    seen = {name: float(values[target]) for name, values in table.items()}
    # A blur rounds outlines: a change of shape must exceed that.
    if "shape" in seen and seen["shape"] < 0.6 * seen.get("focus", 0.0):
        seen["shape"] = 0.0
    chosen = [name for name in seen if seen[name] >= 1.0]
    if single:
        chosen = sorted(chosen, key=lambda name: -seen[name])[:1]
    elif {"shape", "orientation"} <= set(chosen):
        # With a different outline the angle is not comparable: the stronger of the two is the difference.
        chosen.remove("shape" if seen["shape"] < seen["orientation"] else "orientation")
    return ", ".join(options[name] for name in options if name in chosen)
