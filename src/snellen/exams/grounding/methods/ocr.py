"""The embedded parser: RapidOCR reads the words, a classical detector finds boxes and icons (ocr_boxes.py). Needs the extra `ocr`.

Screens are drawn upright and in straight lines, which a reader of photographs does not know: lines are cut apart where blank columns
are as wide as the line is high (menus, tabs), and each piece is recognised at its own width instead of being padded, which halves the time.
A screenshot of a display with twice the pixels has writing twice as large: lines are then looked for at half the size, and read at full
size, which halves the time again.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from snellen.core.errors import MissingExtra, SnellenError
from snellen.exams.grounding.methods.base import Parse, ToolFailure
from snellen.exams.grounding.methods.ocr_boxes import Edges, find_shapes
from snellen.exams.grounding.methods.pictures import opened
from snellen.exams.grounding.reading.predictions import Corners, Detection

if TYPE_CHECKING:
    from snellen.exams.grounding.methods.ocr_boxes import Pixels8

NAME = "ocr/3"  # 2 used the models PP-OCRv4
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
HALF = 2  # how much smaller a large picture is made to look for lines in it
TALL = 16  # pixels that nearly all lines still have then: smaller writing is looked for at full size
NEARLY_ALL = 10  # the percentile of lines that says so
BLANK = 0.65  # blank columns that part a line, in line heights
LONG = 12  # lines that are so many times wider than high are prose
NARROWED = 0.8
FAINT = 0.35  # of a line's contrast: less is paper


class OcrText(NamedTuple):
    """A piece of text with its box in pixels."""

    box: Edges
    text: str
    score: float


def missing() -> str | None:
    """Which package is not there; None where the parser can be used."""
    return next((name for name in MODULES if importlib.util.find_spec(name) is None), None)


class OcrParser:
    """Sees words, boxes and icons in a picture. Loads its models once; uses one core; not for several threads at a time."""

    def __init__(self) -> None:
        if missing() is not None:
            raise MissingExtra("the method 'ocr'", "ocr")
        importlib.import_module("cv2").setNumThreads(1)
        self._engine: Any = importlib.import_module("rapidocr").RapidOCR(params=SETTINGS | _model_files())

    def parse(self, image: bytes) -> Parse:
        """Everything that is seen: words first, then controls and icons, each from top to bottom."""
        import numpy as np

        try:
            pixels: Pixels8 = np.asarray(opened(image))
        except SnellenError as error:
            raise ToolFailure("image", str(error), lasting=True) from None
        words, unread = self._read(pixels)
        shapes = find_shapes(pixels, [w.box for w in words], unread)
        height, width = pixels.shape[:2]
        detections = [Detection(box=_floats(w.box), text=w.text, kind="text", confidence=w.score) for w in words]
        for shape in shapes:
            text = " ".join(words[i].text for i in shape.inside)
            detections.append(Detection(box=_floats(shape.box), text=text, kind=shape.kind))
        return Parse(width=width, height=height, detections=tuple(detections), parser=NAME)

    def _read(self, pixels: Pixels8) -> tuple[list[OcrText], list[Edges]]:
        """The words, and the places that may be icons: what could not be read, and single signs."""
        boxes = [part for line in self._all_lines(pixels) for part in split_line(pixels, line)]
        if not boxes:
            return [], []
        crops = [_narrowed(_bgr(pixels[y1:y2, x1:x2])) for x1, y1, x2, y2 in boxes]
        alike: dict[tuple[int, bytes], int] = {}  # the same word drawn again is read once
        places = [alike.setdefault((crop.shape[1], crop.tobytes()), len(alike)) for crop in crops]
        firsts = [crops[places.index(place)] for place in range(len(alike))]
        read = [self._recognised(crop) for crop in firsts]
        words, unread = [], []
        for box, place in zip(boxes, places, strict=True):
            text, score = read[place]
            readable = is_words(text, score)
            if readable:
                words.append(OcrText(box, text, round(score, 3)))
            if not readable or len(text) == 1:
                unread.append(box)  # a magnifying glass is easily read as a Q: it may be either
        words.sort(key=lambda w: (w.box[1] // 8, w.box[0]))
        return words, unread

    def _recognised(self, crop: Pixels8) -> tuple[str, float]:
        """Return the text of a crop and its score, by the recognition model."""
        read = self._engine(crop, use_det=False, use_cls=False, use_rec=True)
        return (str(read.txts[0]).strip(), float(read.scores[0])) if read.txts else ("", 0.0)

    def _all_lines(self, pixels: Pixels8) -> list[Edges]:
        """The lines of a whole picture: of a large one at half the size where its writing is large, else piece by piece."""
        height, width = pixels.shape[:2]
        if max(height, width) > TILE:
            cv2 = importlib.import_module("cv2")
            half = cv2.resize(pixels, (width // HALF, height // HALF), interpolation=cv2.INTER_AREA)
            lines = self._lines(half) if max(half.shape[:2]) <= TILE else []
            if large_writing(lines):
                full = ((HALF * x1, HALF * y1, HALF * x2, HALF * y2) for x1, y1, x2, y2 in lines)
                return sorted(full, key=lambda b: (b[1], b[0]))
        lines = []
        for x, y, piece in tiles(pixels):
            lines += [(x1 + x, y1 + y, x2 + x, y2 + y) for x1, y1, x2, y2 in self._lines(piece)]
        return without_repeats(lines)

    def _lines(self, piece: Pixels8) -> list[Edges]:
        """Upright boxes of lines of text, by the detection model."""
        import numpy as np

        found = self._engine(_bgr(piece), use_det=True, use_cls=False, use_rec=False).boxes
        height, width = piece.shape[:2]
        boxes = []
        for corners in found if found is not None else ():
            points = np.asarray(corners)
            x1, y1 = np.floor(points.min(axis=0)).astype(int)
            x2, y2 = np.ceil(points.max(axis=0)).astype(int)
            box = (max(0, int(x1)), max(0, int(y1)), min(width, int(x2)), min(height, int(y2)))
            if box[2] - box[0] >= 4 and box[3] - box[1] >= 4:
                boxes.append(box)
        return boxes


def _model_files() -> dict[str, str]:
    """Return the settings that name the model files of the package: a file that is named is never downloaded."""
    folder = Path(str(importlib.import_module("rapidocr").__file__)).parent / "models"
    for name in MODELS.values():
        if not (folder / name).is_file():
            raise SnellenError(f"The installed 'rapidocr' does not contain {name}. Install rapidocr 3.10.")
    return {f"{part}.model_path": str(folder / name) for part, name in MODELS.items()}


@lru_cache(maxsize=1)
def _parser() -> OcrParser:
    return OcrParser()


def parse_picture(image: bytes) -> Parse:
    """Parse a picture, in a process that has the models in memory."""
    parser = _parser()  # its models are loaded before the clock starts
    began = time.perf_counter()
    return msgspec.structs.replace(parser.parse(image), seconds=round(time.perf_counter() - began, 4))


def is_words(text: str, score: float) -> bool:
    """Whether what was recognised is writing: one or two odd signs are more often an icon."""
    text = text.strip()
    if not text or score < READABLE:
        return False
    plain = any(c.isascii() and c.isalnum() for c in text)
    return score >= CERTAIN if len(text) <= 2 or not plain else True


def large_writing(lines: list[Edges]) -> bool:
    """Whether nearly all lines are so high that none was lost when the picture was made smaller.

    >>> large_writing([(0, 0, 90, 18)] * 20), large_writing([(0, 0, 90, 18)] * 20 + [(0, 0, 40, 9)] * 3), large_writing([])
    (True, False, False)
    """
    heights = sorted(bottom - top for _left, top, _right, bottom in lines)
    return bool(heights) and heights[len(heights) * NEARLY_ALL // 100] >= TALL


def tiles(pixels: Pixels8) -> list[tuple[int, int, Pixels8]]:
    """A large picture in overlapping pieces (x, y, piece), so that small writing is not lost by scaling down."""
    tops, lefts = (starts(length, TILE, TILE_OVERLAP) for length in pixels.shape[:2])
    return [(x, y, pixels[y : y + TILE, x : x + TILE]) for y in tops for x in lefts]


def starts(length: int, tile: int, overlap: int) -> list[int]:
    """Where pieces begin that cover a length.

    >>> starts(1920, 2000, 160), starts(3840, 2000, 160)
    ([0], [0, 1840])
    """
    if length <= tile:
        return [0]
    step = tile - overlap
    return sorted({min(start, length - tile) for start in range(0, length - overlap, step)})


def without_repeats(lines: list[Edges]) -> list[Edges]:
    """Lines that two tiles saw, once: the longer one, as a tile's edge cuts lines short."""
    kept: list[Edges] = []
    for line in sorted(lines, key=lambda b: -(b[2] - b[0])):
        if not any(_covered(line, other) > 0.6 for other in kept):
            kept.append(line)
    return sorted(kept, key=lambda b: (b[1], b[0]))


def _covered(box: Edges, by: Edges) -> float:
    wide, high = min(box[2], by[2]) - max(box[0], by[0]), min(box[3], by[3]) - max(box[1], by[1])
    return max(0, wide) * max(0, high) / max(1, (box[2] - box[0]) * (box[3] - box[1]))


def split_line(pixels: Pixels8, box: Edges) -> list[Edges]:
    """A line cut apart at wide blanks, its blank ends cut off (a little margin stays)."""
    import numpy as np

    x1, y1, x2, y2 = box
    crop = pixels[y1:y2, x1:x2].astype(np.int16)
    paper = np.median(crop.reshape(-1, 3), axis=0)
    contrast = np.abs(crop - paper).max(axis=2)
    if contrast.max() < 12:
        return [box]
    inked = (contrast > FAINT * contrast.max()).any(axis=0)
    columns = np.flatnonzero(inked)
    gap = max(6, round(BLANK * (y2 - y1)))
    breaks = np.flatnonzero(np.diff(columns) > gap)
    margin = max(2, (y2 - y1) // 6)
    parts = []
    for run in np.split(columns, breaks + 1):
        left, right = max(x1, x1 + int(run[0]) - margin), min(x2, x1 + int(run[-1]) + 1 + margin)
        if right - left >= 3:
            parts.append((left, y1, right, y2))
    return parts or [box]


def _narrowed(crop: Pixels8) -> Pixels8:
    """A long line of prose a fifth narrower: reading takes time by the width, and prose is still read well."""
    height, width = crop.shape[:2]
    if width > LONG * height:
        crop = importlib.import_module("cv2").resize(crop, (round(NARROWED * width), height))
    return crop


def _bgr(pixels: Pixels8) -> Pixels8:
    import numpy as np

    return np.ascontiguousarray(pixels[:, :, ::-1])


def _floats(box: Edges) -> Corners:
    return float(box[0]), float(box[1]), float(box[2]), float(box[3])
