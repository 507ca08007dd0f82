"""The EVAL_ settings of openadapt-grounding: flags, then the environment, then a `.env` file in the working folder, then its defaults."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from snellen.core.errors import SnellenError
from snellen.data.dotenv import overlaid

PREFIX = "EVAL_"
SCREEN = (1920, 1080)
IOU_THRESHOLD = 0.3
_Share = Annotated[float, Meta(ge=0, le=1)]
_Whole = Annotated[int, Meta(ge=0)]


class _EvalSettings(msgspec.Struct, frozen=True, rename="upper"):
    """The values of the EVAL_ variables. None if one is not set and that matters."""

    datasets_dir: str = "evaluation/datasets"
    results_dir: str = "evaluation/results"
    charts_dir: str = "evaluation/charts"
    omniparser_url: str | None = None
    uitars_url: str | None = None
    synthetic_width: _Whole | None = None
    synthetic_height: _Whole | None = None
    synthetic_seed: _Whole = 42
    default_iou_threshold: _Share | None = None
    default_confidence_threshold: _Share | None = None

    @property
    def screen(self) -> tuple[int, int] | None:
        """Return the size of synthetic screenshots, if one is set."""
        if self.synthetic_width is None and self.synthetic_height is None:
            return None
        return self.synthetic_width or SCREEN[0], self.synthetic_height or SCREEN[1]


def settings(environ: Mapping[str, str], folder: Path) -> _EvalSettings:
    """Return the settings from an environment and from the `.env` file of a folder."""
    given = {k.removeprefix(PREFIX): v for k, v in overlaid(environ, folder, PREFIX).items() if v.strip()}
    try:
        return msgspec.convert(given, _EvalSettings, strict=False)
    except msgspec.ValidationError as error:
        raise SnellenError(f"{PREFIX} variables: {error}") from None
