"""Image input of the shipped models, matching the image processors of CLIP and SigLIP in transformers number for number."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

from snellen.core.errors import SnellenError
from snellen.subjects.onnx.runtime import LAYOUT, read

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels = npt.NDArray[np.float32]


class _Size(msgspec.Struct, frozen=True):
    height: int
    width: int


class _Steps(msgspec.Struct, frozen=True):
    size: _Size
    image_mean: list[float]
    image_std: list[float]
    rescale_factor: float
    resample: int
    do_resize: bool
    do_rescale: bool
    do_normalize: bool
    do_center_crop: bool = False


class _ProcessorFile(msgspec.Struct, frozen=True):
    image_processor: _Steps


class Pictures:
    """The steps that processor_config.json asks for: resize to a fixed size, scale, normalize."""

    def __init__(self, path: Path) -> None:
        steps = self._steps = read(path, _ProcessorFile).image_processor
        if steps.do_center_crop or not (steps.do_resize and steps.do_rescale and steps.do_normalize):
            raise SnellenError(f"{path}: asks for other steps than resize, rescale and normalize; {LAYOUT}")
        self.about = f"resized to {steps.size.width}x{steps.size.height} by Pillow"

    def __call__(self, pictures: Sequence[Image]) -> Pixels:
        """Return RGB images as one array: image, channel, row, column."""
        return np.stack([self._one(p) for p in pictures])

    def _one(self, picture: Image) -> Pixels:
        from PIL.Image import Resampling

        steps = self._steps
        small = picture.resize((steps.size.width, steps.size.height), Resampling(steps.resample))
        scaled = (np.asarray(small).astype(np.float64) * steps.rescale_factor).astype(np.float32)
        mean, std = (np.array(each, np.float32) for each in (steps.image_mean, steps.image_std))
        normal: npt.NDArray[Any] = (scaled - mean) / std
        return normal.transpose(2, 0, 1)
