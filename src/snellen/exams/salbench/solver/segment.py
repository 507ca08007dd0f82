"""Objects on a background: the background's colour, the pixels that differ from it, and their connected parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageChops

from snellen.core.pixels import decoded
from snellen.synthetic.patterns.colour import Floats

Pixels = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Labels = npt.NDArray[np.int32]
Frame = tuple[int, int, int, int]
_MOST_PIXELS = 4_000_000


@dataclass(frozen=True, slots=True)
class _ConnectedParts:
    """Connected parts of a mask: a label image (0 is background), and area and box of label 1, 2, ..."""

    labels: Labels
    area: Floats
    boxes: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SegmentedImage:
    """A segmented image. `contrast` is the distance of each pixel from the background, `frame` a red rectangle, if any."""

    rgb: Pixels
    contrast: Pixels
    parts: _ConnectedParts
    keep: npt.NDArray[np.int64]
    frame: Frame | None


def load(data: bytes) -> Image.Image:
    """Return the image as RGB, with very large ones reduced; transparent pixels become white."""
    image = decoded(data)
    if image.mode in ("RGBA", "LA", "PA", "P"):
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    if image.mode != "RGB":
        image = image.convert("RGB")
    if image.width * image.height > _MOST_PIXELS:
        image.thumbnail((2000, 2000))
    return image


def _joined(parent: npt.NDArray[np.int64], a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the smallest member of every node's connected set, given the links a-b."""
    while True:
        low, high = np.minimum(parent[a], parent[b]), np.maximum(parent[a], parent[b])
        if np.array_equal(low, high):
            return parent
        np.minimum.at(parent, high, low)
        while not np.array_equal(parent, up := parent[parent]):
            parent = up


def connected(mask: Mask) -> _ConnectedParts:
    """Return connected parts (with diagonals) by joining the runs of neighbouring rows."""
    height, width = mask.shape
    stride = width + 2
    flat = np.zeros((height, stride), dtype=np.bool_)
    flat[:, 1:-1] = mask
    line = flat.ravel()
    change = np.flatnonzero(line[1:] != line[:-1]) + 1
    start, end = change[::2], change[1::2]
    if not len(start):
        return _ConnectedParts(np.zeros((height, width), np.int32), np.zeros(0), np.zeros((0, 4), np.int64))
    first = np.searchsorted(end, start + stride - 1, side="right")
    touching = np.maximum(np.searchsorted(start, end + stride + 1, side="left") - first, 0)
    upper = np.repeat(np.arange(len(start)), touching)
    offset = np.arange(len(upper)) - np.repeat(np.cumsum(touching) - touching, touching)
    root = _joined(np.arange(len(start)), upper, np.repeat(first, touching) + offset)
    _, label = np.unique(root, return_inverse=True)
    count = int(label.max()) + 1

    row, left = np.divmod(start, stride)
    right = left + end - start
    boxes = np.tile(np.array([width, height, 0, 0], dtype=np.int64), (count, 1))
    np.minimum.at(boxes[:, 0], label, left - 1)
    np.minimum.at(boxes[:, 1], label, row)
    np.maximum.at(boxes[:, 2], label, right - 1)
    np.maximum.at(boxes[:, 3], label, row + 1)
    steps = np.zeros(line.size, dtype=np.int32)
    steps[start] = label + 1
    steps[end] = -(label + 1)
    labels = np.cumsum(steps, dtype=np.int32).reshape(height, stride)[:, 1:-1]
    return _ConnectedParts(labels, np.bincount(label, weights=end - start).astype(np.float64), boxes)


def find_frame(rgb: Pixels) -> tuple[Frame, Mask] | None:
    """Return a thin, hollow, red rectangle and its pixels; None if there is none or more than one."""
    mask = (rgb[..., 0] > 170) & (rgb[..., 1] < 80) & (rgb[..., 2] < 80)
    if not mask.any():
        return None
    parts = connected(mask)
    found: list[int] = []
    for which, (x0, y0, x1, y1) in enumerate(parts.boxes):
        wide, high = int(x1 - x0), int(y1 - y0)
        if min(wide, high) < 8 or parts.area[which] > 0.6 * wide * high or parts.area[which] > 16 * (wide + high):
            continue
        own = parts.labels[y0:y1, x0:x1] == which + 1
        sides = (own[:2].any(axis=0), own[-2:].any(axis=0), own[:, :2].any(axis=1), own[:, -2:].any(axis=1))
        inside = own[high // 4 : -(high // 4) or None, wide // 4 : -(wide // 4) or None]
        if min(float(side.mean()) for side in sides) > 0.85 and inside.mean() < 0.2:
            found.append(which)
    if len(found) != 1:
        return None
    x0, y0, x1, y1 = (int(v) for v in parts.boxes[found[0]])
    return (x0, y0, x1, y1), parts.labels == found[0] + 1


def surface_terms(x: Floats, y: Floats) -> Floats:
    """Return the terms of a second-order surface, for a fit."""
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)


def ground(image: Image.Image) -> tuple[Image.Image, float] | None:
    """Return the background as a smooth surface and the noise around it, starting from the image's margin; None if unclear."""
    step = max(1, min(image.size) // 64)
    width, height = image.width // step, image.height // step
    if min(width, height) < 8:
        return None
    small = np.asarray(image.resize((width, height), Image.Resampling.NEAREST), dtype=np.float64)
    y, x = np.mgrid[0:height, 0:width]
    terms = surface_terms(((x + 0.5) / width - 0.5).ravel(), ((y + 0.5) / height - 0.5).ravel())
    colour = small.reshape(-1, 3)
    edge = max(2, min(width, height) // 24)
    margin = ((x < edge) | (y < edge) | (x >= width - edge) | (y >= height - edge)).ravel()
    gap = np.abs(colour - np.median(colour[margin], axis=0)).max(axis=1)
    near = margin & (gap <= max(20.0, 3 * float(np.median(gap[margin]))))
    noise = 0.0
    surface = colour
    for turn in range(4):
        used = terms[:, :3] if turn == 0 else terms
        chosen = used[near]
        gram = chosen.T @ chosen + 1e-9 * np.eye(chosen.shape[1])
        surface = used @ np.linalg.solve(gram, chosen.T @ colour[near])
        gap = np.abs(colour - surface).max(axis=1)
        noise = 1.48 * float(np.median(gap[near]))
        near = gap <= max(6.0, 3.5 * noise)
        if near.sum() < 0.06 * len(near):
            return None
    levels = np.rint(np.clip(surface, 0, 255)).astype(np.uint8).reshape(height, width, 3)
    if not np.ptp(levels.reshape(-1, 3), axis=0).any():
        red, green, blue = (int(level) for level in levels[0, 0])
        return Image.new("RGB", image.size, (red, green, blue)), noise
    return Image.fromarray(levels).resize(image.size, Image.Resampling.BILINEAR), noise


def _countable(parts: _ConnectedParts, size: tuple[int, int]) -> npt.NDArray[np.int64]:
    """Return labels that are large enough to be objects among the others, but not the whole picture."""
    big = np.flatnonzero((parts.area >= 24) & (parts.area < 0.4 * size[0] * size[1]))
    if not len(big):
        return big
    # Half of the foreground lies in parts at least this large, so specks do not lower the measure.
    area = np.sort(parts.area[big])
    usual = area[int(np.searchsorted(np.cumsum(area), 0.5 * area.sum()))]
    kept: npt.NDArray[np.int64] = big[parts.area[big] >= 0.06 * usual]
    return kept


def segment(image: Image.Image) -> SegmentedImage | None:
    """Segment an image into background and objects; None if it has no even background or fewer than four objects."""
    rgb = np.asarray(image)
    frame = find_frame(rgb)
    estimate = ground(image)
    if estimate is None:
        return None
    back, noise = estimate
    bands = ImageChops.difference(image, back).split()
    contrast = np.array(ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2]))
    if frame is not None:
        drawn = frame[1].copy()
        drawn[1:] |= frame[1][:-1]
        drawn[:-1] |= frame[1][1:]
        drawn[:, 1:] |= drawn[:, :-1].copy()
        drawn[:, :-1] |= drawn[:, 1:].copy()
        contrast[drawn] = 0
    lowest = max(8.0, 4.5 * noise)
    clear = contrast[::2, ::2]
    clear = clear[clear > lowest]
    if not clear.size:
        return None
    # Soft edges of neighbours may meet near the background's level, hence a fraction of the usual contrast.
    parts = connected(contrast > max(lowest, 0.25 * float(np.median(clear))))
    keep = _countable(parts, image.size)
    if not 4 <= len(keep) <= 400:
        return None
    return SegmentedImage(rgb, contrast, parts, keep, frame[0] if frame else None)
