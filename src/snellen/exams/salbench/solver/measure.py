"""Measurements of each object in a segmented image: colour, size, angles, outline, edge, texture, place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from snellen.exams.salbench.solver.segment import Mask, Pixels, SegmentedImage, surface_terms
from snellen.synthetic.patterns.colour import Floats, rgb_to_lab

ORDERS = (2, 3, 4, 5, 6)
_PAD = 5
_SAMPLE = 400
_GREY = np.array([0.3, 0.59, 0.11], dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Measures:
    """One row per object. `moments` are complex: the phase gives the angle, the magnitude the kind of symmetry."""

    centre: Floats
    boxes: Floats
    lab: Floats
    size: Floats
    moments: npt.NDArray[np.complex128]
    spread: Floats
    edge: Floats
    texture: Floats


def _core(inside: Mask, cy: float, cx: float, grow: float) -> Mask:
    """Return the middle of the object: the points that stay inside when moved away from the centre."""
    height, width = inside.shape
    y, x = np.arange(height), np.arange(width)
    far_y = np.rint(cy + (y - cy) * grow).astype(np.intp)
    far_x = np.rint(cx + (x - cx) * grow).astype(np.intp)
    ok = ((far_y >= 0) & (far_y < height))[:, None] & ((far_x >= 0) & (far_x < width))[None, :]
    out: Mask = inside[far_y.clip(0, height - 1)[:, None], far_x.clip(0, width - 1)[None, :]] & ok & inside
    return out


def _softened(contrast: npt.NDArray[np.float32], own: Mask) -> tuple[npt.NDArray[np.float32], Mask]:
    """Return the fraction of each pixel that the object covers, and the object's core.

    Full cover is the fainter part of the core's contrast, so that the dark half of a pattern is not a hole.
    """
    values = contrast[own]
    inside = own & (contrast >= 0.5 * np.partition(values, len(values) // 4)[len(values) // 4])
    ys, xs = np.nonzero(inside)
    core = _core(inside, float(ys.mean()), float(xs.mean()), 1.3)
    values = contrast[core if core.sum() >= 8 else inside]
    solid = float(np.partition(values, len(values) // 5)[len(values) // 5])
    return np.minimum(contrast / np.float32(max(solid, 1.0)), np.float32(1)), core


def _eroded(inside: Mask, by: int) -> Mask:
    """Return the points whose neighbours `by` pixels away in eight directions are also inside."""
    height, width = inside.shape
    room = np.zeros((height + 2 * by, width + 2 * by), dtype=np.bool_)
    room[by : by + height, by : by + width] = inside
    out = inside.copy()
    s = round(0.7 * by)
    for dy, dx in ((by, 0), (-by, 0), (0, by), (0, -by), (s, s), (s, -s), (-s, s), (-s, -s)):
        out &= room[by + dy : by + dy + height, by + dx : by + dx + width]
    return out


def _steepness(soft: npt.NDArray[np.float32]) -> float:
    """Return the steepness of the step from background to object, per pixel; 0.5 is the sharpest possible."""
    dy = (soft[2:, 1:-1] - soft[:-2, 1:-1]) / 2
    dx = (soft[1:-1, 2:] - soft[1:-1, :-2]) / 2
    middle = soft[1:-1, 1:-1]
    rim = (middle > 0.25) & (middle < 0.75)
    slope = np.sqrt((dx * dx + dy * dy)[rim])
    return float(np.median(slope)) if len(slope) >= 4 else 0.5


def _roughness(grey: npt.NDArray[np.float32], core: Mask) -> float:
    """Return the lightness variation that smooth shading does not explain."""
    y, x = np.nonzero(core)
    if len(y) < 30:
        return float("nan")
    if len(y) > 2 * _SAMPLE:
        pick = np.arange(0, len(y), len(y) // (2 * _SAMPLE) + 1)
        y, x = y[pick], x[pick]
    u, v = (x - x.mean()) / (np.ptp(x) + 1), (y - y.mean()) / (np.ptp(y) + 1)
    terms = surface_terms(u, v)
    value = grey[y, x].astype(np.float64)
    gram = terms.T @ terms + 1e-6 * np.eye(6)
    rest = value - terms @ np.linalg.solve(gram, terms.T @ value)
    return float(np.sqrt(np.mean(rest * rest)))


def measure(seg: SegmentedImage, full: bool) -> Measures | None:
    """Measure the objects; None if there are too few. Without `full`, measure only colour, size and angles (edge and texture stay 0)."""
    rows: list[tuple[float, ...]] = []
    moments: list[list[complex]] = []
    colours: list[Pixels] = []
    height, width = seg.contrast.shape
    for label in seg.keep:
        x0, y0, x1, y1 = (int(v) for v in seg.parts.boxes[label])
        x0, y0, x1, y1 = max(0, x0 - _PAD), max(0, y0 - _PAD), min(width, x1 + _PAD), min(height, y1 + _PAD)
        part = seg.parts.labels[y0:y1, x0:x1]
        own = part == label + 1
        contrast = np.where(own | (part == 0), seg.contrast[y0:y1, x0:x1], 0).astype(np.float32)
        soft, core = _softened(contrast, own)
        inside = soft >= 0.5
        ys, xs = np.nonzero(inside)
        if len(ys) < 12:
            continue
        weight = np.maximum(np.clip(2 * soft - 0.5, 0, 1), core)
        weight[part != label + 1] = 0
        area = float(weight.sum())
        y, x = np.arange(y1 - y0), np.arange(x1 - x0)
        cy, cx = float(weight.sum(axis=1) @ y) / area, float(weight.sum(axis=0) @ x) / area
        z = ((x - cx)[None, :] + 1j * (y - cy)[:, None]).astype(np.complex64)
        r = np.abs(z)
        power, reach = z * weight, r * weight
        turns: list[complex] = []
        for order in ORDERS:
            power, reach = power * z, reach * r
            turns.append(complex(power.sum()) / max(float(reach.sum()), 1e-9))
            if order == 2:
                spread = float(np.log(2 * np.pi * float(reach.sum()) / area**2))
        rgb = seg.rgb[y0:y1, x0:x1]
        edge = rough = 0.0
        if full:
            steep = max(_steepness(soft), 0.02)
            deep = _eroded(inside, max(2, round(1.2 / steep)))
            edge, rough = float(np.log(steep)), _roughness(rgb @ _GREY, deep)
            core = deep if deep.sum() >= 30 else core
        spots = rgb[core if core.sum() >= 8 else soft >= 0.9]
        colours.append(spots[:: len(spots) // _SAMPLE + 1])
        moments.append(turns)
        rows.append((x0 + cx, y0 + cy, x0 + xs.min(), y0 + ys.min(), x0 + xs.max() + 1, y0 + ys.max() + 1,
                     0.5 * float(np.log(area)), spread, edge, rough))  # fmt: skip
    if len(rows) < 4:
        return None
    table = np.array(rows)
    first = np.cumsum([0] + [len(spots) for spots in colours[:-1]])
    lab = np.add.reduceat(rgb_to_lab(np.concatenate(colours)), first, axis=0)
    lab /= np.array([[len(spots)] for spots in colours])
    return Measures(
        table[:, :2], table[:, 2:6], lab, table[:, 6], np.array(moments), table[:, 7], table[:, 8], table[:, 9]
    )
