"""The embedded parser: RapidOCR reads the words, a classical detector finds boxes and icons (ocr_boxes.py). Needs the extra `ocr`.

Screens are drawn upright and in straight lines: lines are cut apart where blank columns are as wide as the line is high (menus, tabs),
and each piece is recognized at its own width instead of being padded, which halves the time.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from snellen.core.errors import MissingExtra, SnellenError
from snellen.exams.grounding.methods.base import Parse, ToolFailure
from snellen.exams.grounding.methods.ocr_boxes import Edges, find_shapes, reading_order
from snellen.exams.grounding.methods.pictures import opened
from snellen.exams.grounding.reading.predictions import Detection

if TYPE_CHECKING:
    from snellen.exams.grounding.methods.ocr_boxes import Pixels8

MODULES = ("rapidocr", "onnxruntime", "cv2")
MODELS = {"Det": "PP-OCRv6_det_small.onnx", "Rec": "PP-OCRv6_rec_small.onnx"}  # named, as others give other answers
SETTINGS: dict[str, Any] = {
    "Global.log_level": "critical",
    "Global.use_preprocess_img": False,
    "Global.use_vertical_padding": False,
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    "Rec.rec_img_shape": [3, 48, 48],
    "Rec.rec_batch_num": 1,
}
READABLE = 0.5  # recognition scores below this are not words
CERTAIN = 0.8  # what a line of one or two signs needs, since icons are read as such
TILE = 2000  # the longest side that is read in one piece
TILE_OVERLAP = 160
BLANK = 0.65  # blank columns that part a line, in line heights
FAINT = 0.35  # of a line's contrast: less is paper


def missing() -> str | None:
    """Return the name of a package that is not there; None where the parser can be used."""
    return next((name for name in MODULES if importlib.util.find_spec(name) is None), None)


class OcrParser:
    """Sees words, boxes and icons in a picture. Loads its models once; uses one core; not for several threads at a time."""

    def __init__(self) -> None:
        if missing() is not None:
            raise MissingExtra("the method 'ocr'", "ocr")
        importlib.import_module("cv2").setNumThreads(1)
        self._engine: Any = importlib.import_module("rapidocr").RapidOCR(params=SETTINGS | _model_files())

    def parse(self, image: bytes) -> Parse:
        """Return everything that is seen: words first, then controls and icons, each from top to bottom."""
        import numpy as np

        try:
            pixels: Pixels8 = np.asarray(opened(image))
        except SnellenError as error:
            raise ToolFailure("image", str(error), lasting=True) from None
        words = [
            word
            for line in self._lines(pixels)
            for part in split_line(pixels, line)
            for word in self._read(pixels, part)
        ]
        words.sort(key=lambda word: reading_order(word[0]))
        controls, icons = find_shapes(pixels, [box for box, _text, _score in words])
        detections = [Detection(box=_floats(b), text=text, kind="text", confidence=score) for b, text, score in words]
        for box, inside in controls:
            detections.append(Detection(box=_floats(box), text=" ".join(words[i][1] for i in inside), kind="box"))
        detections += [Detection(box=_floats(box), kind="icon") for box in icons]
        height, width = pixels.shape[:2]
        return Parse(width=width, height=height, detections=tuple(detections))

    def _read(self, pixels: Pixels8, box: Edges) -> Iterator[tuple[Edges, str, float]]:
        """Yield a box with its text and score, if the recognition model reads words in it."""
        x1, y1, x2, y2 = box
        read = self._engine(_bgr(pixels[y1:y2, x1:x2]), use_det=False, use_cls=False, use_rec=True)
        text, score = (str(read.txts[0]).strip(), float(read.scores[0])) if read.txts else ("", 0.0)
        if is_words(text, score):
            yield box, text, round(score, 3)

    def _lines(self, pixels: Pixels8) -> list[Edges]:
        """Return upright boxes of lines of text, by the detection model: of a large picture in overlapping pieces.

        A smaller copy would lose small writing.
        """
        import numpy as np

        lines: list[Edges] = []
        height, width = pixels.shape[:2]
        for left, top in ((x, y) for y in starts(height) for x in starts(width)):
            piece = pixels[top : top + TILE, left : left + TILE]
            found = self._engine(_bgr(piece), use_det=True, use_cls=False, use_rec=False).boxes
            for corners in found if found is not None else ():
                points = np.asarray(corners) + np.array((left, top))
                x1, y1 = (max(0, int(v)) for v in np.floor(points.min(axis=0)))
                x2, y2 = (int(v) for v in np.ceil(points.max(axis=0)))
                if x2 - x1 >= 4 and y2 - y1 >= 4:
                    lines.append((x1, y1, min(width, x2), min(height, y2)))
        return without_repeats(lines)


def _model_files() -> dict[str, str]:
    """Return the settings that name the model files of the package: a file that is named is never downloaded."""
    folder = Path(str(importlib.import_module("rapidocr").__file__)).parent / "models"
    for name in MODELS.values():
        if not (folder / name).is_file():
            raise SnellenError(f"The installed 'rapidocr' does not contain {name}. Install rapidocr 3.10.")
    return {f"{part}.model_path": str(folder / name) for part, name in MODELS.items()}


_parser = lru_cache(maxsize=1)(OcrParser)


def parse_picture(image: bytes) -> Parse:
    """Parse a picture, in a process that has the models in memory."""
    parser = _parser()  # its models are loaded before the clock starts
    began = time.perf_counter()
    return msgspec.structs.replace(parser.parse(image), seconds=round(time.perf_counter() - began, 4))


def is_words(text: str, score: float) -> bool:
    """Return whether what was recognized is writing: one or two odd signs are more often an icon."""
    plain = any(c.isascii() and c.isalnum() for c in text)
    return bool(text.strip()) and score >= (CERTAIN if len(text.strip()) <= 2 or not plain else READABLE)


def starts(length: int) -> list[int]:
    """Return where pieces begin that cover a length.

    >>> starts(1920), starts(3840)
    ([0], [0, 1840])
    """
    step = TILE - TILE_OVERLAP
    return sorted({max(0, min(start, length - TILE)) for start in range(0, max(1, length - TILE_OVERLAP), step)})


def without_repeats(lines: list[Edges]) -> list[Edges]:
    """Return lines that two pieces saw once: the longer one, as a piece's edge cuts lines short."""
    kept: list[Edges] = []
    for line in sorted(lines, key=lambda b: -(b[2] - b[0])):
        if not any(_covered(line, other) > 0.6 for other in kept):
            kept.append(line)
    return sorted(kept, key=lambda b: (b[1], b[0]))


def _covered(box: Edges, by: Edges) -> float:
    wide, high = min(box[2], by[2]) - max(box[0], by[0]), min(box[3], by[3]) - max(box[1], by[1])
    return max(0, wide) * max(0, high) / max(1, (box[2] - box[0]) * (box[3] - box[1]))


def split_line(pixels: Pixels8, box: Edges) -> list[Edges]:
    """Return a line cut apart at wide blanks, its blank ends cut off (a little margin stays)."""
    import numpy as np

    x1, y1, x2, y2 = box
    crop = pixels[y1:y2, x1:x2].astype(np.int16)
    contrast = np.abs(crop - np.median(crop.reshape(-1, 3), axis=0)).max(axis=2)  # against the paper
    if contrast.max() < 12:
        return [box]
    columns = np.flatnonzero((contrast > FAINT * contrast.max()).any(axis=0))
    breaks = np.flatnonzero(np.diff(columns) > max(6, round(BLANK * (y2 - y1))))
    margin = max(2, (y2 - y1) // 6)
    runs = np.split(columns, breaks + 1)
    parts = [(max(x1, x1 + int(run[0]) - margin), y1, min(x2, x1 + int(run[-1]) + 1 + margin), y2) for run in runs]
    return [part for part in parts if part[2] - part[0] >= 3] or [box]


def _bgr(pixels: Pixels8) -> Pixels8:
    import numpy as np

    return np.ascontiguousarray(pixels[:, :, ::-1])


def _floats(box: Edges) -> tuple[float, float, float, float]:
    return float(box[0]), float(box[1]), float(box[2]), float(box[3])
