"""The command line of openadapt-grounding: `python -m snellen.grounding generate|run|compare|list`, and its EVAL_ settings; and `annotate`.

Settings come from flags, then the environment, then a `.env` file in the working folder, then the defaults of that original. The two
addresses are read from all of these as well, and no cloud is asked for them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from snellen.core.errors import SnellenError

PREFIX = "EVAL_"
SCREEN = (1920, 1080)
SEED = 42
IOU_THRESHOLD = 0.3


class EvalSettings(NamedTuple):
    """What the EVAL_ variables say; None where one is not set and that matters."""

    datasets_dir: Path
    results_dir: Path
    charts_dir: Path
    omniparser_url: str | None
    uitars_url: str | None
    screen: tuple[int, int] | None
    seed: int
    iou_threshold: float | None
    confidence: float | None


def settings(environ: Mapping[str, str], folder: Path) -> EvalSettings:
    """Return the settings of an environment and of the `.env` file of a folder."""
    from snellen.data.dotenv import overlaid

    given = {k.removeprefix(PREFIX): v for k, v in overlaid(environ, folder, PREFIX).items() if v.strip()}
    width, height, seed = (_number(given, f"SYNTHETIC_{name}", int) for name in ("WIDTH", "HEIGHT", "SEED"))
    return EvalSettings(
        datasets_dir=Path(given.get("DATASETS_DIR", "evaluation/datasets")),
        results_dir=Path(given.get("RESULTS_DIR", "evaluation/results")),
        charts_dir=Path(given.get("CHARTS_DIR", "evaluation/charts")),
        omniparser_url=given.get("OMNIPARSER_URL"),
        uitars_url=given.get("UITARS_URL"),
        screen=None if width is None and height is None else (int(width or SCREEN[0]), int(height or SCREEN[1])),
        seed=SEED if seed is None else int(seed),
        iou_threshold=_number(given, "DEFAULT_IOU_THRESHOLD", float),
        confidence=_number(given, "DEFAULT_CONFIDENCE_THRESHOLD", float),
    )


def _number(given: Mapping[str, str], name: str, kind: type[int | float]) -> float | None:
    """Return a variable as a whole number of at least 0, or as a share."""
    if name not in given:
        return None
    try:
        number = kind(given[name])
    except ValueError:
        number = -1
    if not 0 <= number <= (1 if kind is float else math.inf):
        expected = "a number from 0 to 1" if kind is float else "a whole number"
        raise SnellenError(f"{PREFIX}{name}: expected {expected}")
    return number
