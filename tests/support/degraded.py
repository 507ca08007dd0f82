"""An eye that applies the classical solver (`baseline/pixels`) to a degraded picture: reduced in size, or with added noise.

`looking` is that eye behind an endpoint, `examined` an exam of it in this process: the same sheets, answers and choices without HTTP.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from snellen.core.options import Selection
from snellen.core.pixels import as_rgb
from snellen.core.prescription import Threshold
from snellen.core.types import Outcome, Picture, Question, Text
from snellen.exams.eye.data import EyeData
from snellen.exams.eye.faculties import FACULTIES
from snellen.exams.eye.prescription import SheetResult, threshold
from snellen.exams.eye.protocols import PROTOCOLS
from snellen.exams.eye.solver.pixels import solve
from tests.support.endpoint import completion

Spoil = Callable[[bytes], bytes]
"""A change to a picture file on its way."""


def whole(data: bytes) -> bytes:
    """Return the picture unchanged."""
    return data


def smaller(times: int) -> Spoil:
    """Return a change that reduces this many pixels a side to one."""
    return lambda data: _packed(as_rgb(data).reduce(times))


def noisy(levels: float) -> Spoil:
    """Return a change that adds noise of this many grey levels, different for each picture."""

    def spoil(data: bytes) -> bytes:
        pixels = np.asarray(as_rgb(data).convert("L"), dtype=np.float64)
        draw = np.random.default_rng(int(pixels.sum()) % 2**32)
        spoilt = np.clip(np.rint(pixels + draw.normal(0, levels, pixels.shape)), 0, 255)
        return _packed(Image.fromarray(spoilt.astype(np.uint8)))

    return spoil


def _packed(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=0)
    return out.getvalue()


def seen(text: str, pictures: list[bytes], spoil: Spoil) -> str:
    """Answer a question about degraded pictures. Places are in thousandths of the picture, whatever its size."""
    shown = tuple(Picture(data=spoil(data)) for data in pictures)
    return solve(Question(id="", exam="eye", prompt="question", parts=(*shown, Text(text=text))))


def looking(spoil: Spoil) -> Callable[[dict[str, Any], int], tuple[int, dict[str, str], bytes]]:
    """Return an endpoint's script."""

    def script(request: dict[str, Any], _time: int) -> tuple[int, dict[str, str], bytes]:
        parts = request["messages"][-1]["content"]
        text = "".join(part["text"] for part in parts if part["type"] == "text")
        urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
        said = seen(text, [base64.b64decode(url.partition(",")[2]) for url in urls], spoil)
        return 200, {}, json.dumps(completion(said, request["model"])).encode()

    return script


def examined(name: str, spoil: Spoil, seed: int, questions: int = 40) -> Threshold:
    """Return the threshold that an exam of one faculty finds."""
    faculty, protocol = FACULTIES[name], PROTOCOLS["threshold"]
    data = EyeData(Path(), Selection(splits=(name,), limit=questions, seed=seed))
    answers = []
    while not data.finished:
        for sheet in data.ready(1):
            sample = data.draw(sheet)
            said = seen(faculty.question, [picture.data for picture in sample.pictures], spoil)
            outcome = Outcome.CORRECT if protocol.judge(said, sample).correct else Outcome.WRONG
            data.told(sheet, outcome)
            answers.append(SheetResult(sample.facts["number"], sample.tags["sheet"], sample.facts["level"], outcome))
    return threshold(faculty, "", answers, drawn=False)
