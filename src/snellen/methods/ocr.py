"""The embedded parser: RapidOCR reads the words, a classical detector finds boxes and icons (ocr_boxes.py). Needs the extra `ocr`.

Each line is recognized at its own width instead of being padded, which halves the time.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from snellen.core.errors import MissingExtra, SnellenError
from snellen.exams.grounding.reading.predictions import Detection
from snellen.methods.base import Parse, ToolFailure
from snellen.methods.ocr_boxes import Edges, find_shapes, reading_order
from snellen.methods.pictures import opened

if TYPE_CHECKING:
    from snellen.methods.ocr_boxes import Pixels8

MODULES = ("rapidocr", "onnxruntime", "cv2")
MODELS = {"Det": "PP-OCRv6_det_small.onnx", "Rec": "PP-OCRv6_rec_small.onnx"}  # named: others give other answers
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
_CERTAIN = 0.8  # the score that a line of one or two signs needs, since icons are read as such
TILE = 2000  # the longest side that is read in one piece: it bounds the memory
_TILE_OVERLAP = 160


def missing() -> str | None:
    """Return the name of a missing package; None where the parser can be used."""
    return next((name for name in MODULES if importlib.util.find_spec(name) is None), None)


class OcrParser:
    """A parser of words, boxes and icons in a picture. Loads its models once; uses one core; not for several threads at a time."""

    def __init__(self) -> None:
        if missing() is not None:
            raise MissingExtra("the method 'ocr'", "ocr")
        importlib.import_module("cv2").setNumThreads(1)
        self._engine: Any = importlib.import_module("rapidocr").RapidOCR(params=SETTINGS | _model_files())

    def parse(self, image: bytes) -> Parse:
        """Return everything that was found: words first, then controls and icons, each from top to bottom."""
        import numpy as np

        try:
            pixels: Pixels8 = np.asarray(opened(image))
        except SnellenError as error:
            raise ToolFailure("image", str(error), lasting=True) from None
        words = self._read(pixels)
        controls, icons = find_shapes(pixels, list(words))
        texts = list(words.values())
        detections = [
            Detection(box=_floats(box), text=text, kind="text", confidence=score)
            for box, (text, score) in words.items()
        ]
        for box, inside in controls:
            detections.append(Detection(box=_floats(box), text=" ".join(texts[i][0] for i in inside), kind="box"))
        detections += [Detection(box=_floats(box), kind="icon") for box in icons]
        height, width = pixels.shape[:2]
        return Parse(width=width, height=height, detections=tuple(detections))

    def _read(self, pixels: Pixels8) -> dict[Edges, tuple[str, float]]:
        """Return the text and score of each line, from top to bottom. A large picture is read in pieces."""
        import numpy as np

        lines: dict[Edges, tuple[str, float]] = {}
        height, width = pixels.shape[:2]
        for left, top in ((x, y) for y in starts(height) for x in starts(width)):
            piece = pixels[top : top + TILE, left : left + TILE]
            read = self._engine(np.ascontiguousarray(piece[:, :, ::-1]), use_cls=False)
            if not read.txts:
                continue
            for corners, text, score in zip(read.boxes, read.txts, read.scores, strict=True):
                points = np.clip(np.asarray(corners) + np.array((left, top)), 0, (width, height))
                x1, y1 = (int(v) for v in np.floor(points.min(axis=0)))
                x2, y2 = (int(v) for v in np.ceil(points.max(axis=0)))
                if is_words(text, score) and x1 < x2 and y1 < y2:
                    lines[x1, y1, x2, y2] = text.strip(), round(float(score), 3)
        return {box: lines[box] for box in without_repeats(list(lines))}


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
    """Tell whether recognized text is real text: one or two odd signs are more often an icon."""
    plain = any(c.isascii() and c.isalnum() for c in text)
    return bool(text.strip()) and score >= (_CERTAIN if len(text.strip()) <= 2 or not plain else READABLE)


def starts(length: int) -> list[int]:
    """Return the starts of the pieces that cover a length.

    >>> starts(1920), starts(3840)
    ([0], [0, 1840])
    """
    step = TILE - _TILE_OVERLAP
    return sorted({max(0, min(start, length - TILE)) for start in range(0, max(1, length - _TILE_OVERLAP), step)})


def without_repeats(lines: list[Edges]) -> list[Edges]:
    """Return lines without those that two pieces saw: the longer one stays, as a piece's edge cuts lines short."""
    kept: list[Edges] = []
    for line in sorted(lines, key=lambda b: -(b[2] - b[0])):
        if not any(_covered(line, other) > 0.6 for other in kept):
            kept.append(line)
    return sorted(kept, key=reading_order)


def _covered(box: Edges, by: Edges) -> float:
    wide, high = min(box[2], by[2]) - max(box[0], by[0]), min(box[3], by[3]) - max(box[1], by[1])
    return max(0, wide) * max(0, high) / max(1, (box[2] - box[0]) * (box[3] - box[1]))


def _floats(box: Edges) -> tuple[float, float, float, float]:
    return float(box[0]), float(box[1]), float(box[2]), float(box[3])
