"""The command line of openadapt-grounding: `python -m snellen.grounding generate|run|compare|list`, and its EVAL_ settings; and `annotate`.

Settings come from flags, then the environment, then a `.env` file in the working folder, then the defaults of that original. The two
addresses are read from all of these as well, and no cloud is asked for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from snellen.core.errors import SnellenError

PREFIX = "EVAL_"
SCREEN = (1920, 1080)
SEED = 42
IOU_THRESHOLD = 0.3


class EvalSettings(NamedTuple):
    """What the EVAL_ variables say. None where nothing was said and it matters whether anything was."""

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
    """The settings of an environment and of the `.env` file of a folder."""
    from snellen.data.dotenv import overlaid

    given = {key: value for key, value in overlaid(environ, folder, PREFIX).items() if value.strip()}
    width, height = (_whole(given, f"SYNTHETIC_{side}") for side in ("WIDTH", "HEIGHT"))
    screen = None if width is None and height is None else (width or SCREEN[0], height or SCREEN[1])
    seed = _whole(given, "SYNTHETIC_SEED")
    return EvalSettings(
        datasets_dir=Path(given.get(f"{PREFIX}DATASETS_DIR", "evaluation/datasets")),
        results_dir=Path(given.get(f"{PREFIX}RESULTS_DIR", "evaluation/results")),
        charts_dir=Path(given.get(f"{PREFIX}CHARTS_DIR", "evaluation/charts")),
        omniparser_url=given.get(f"{PREFIX}OMNIPARSER_URL"),
        uitars_url=given.get(f"{PREFIX}UITARS_URL"),
        screen=screen,
        seed=SEED if seed is None else seed,
        iou_threshold=_share(given, "DEFAULT_IOU_THRESHOLD"),
        confidence=_share(given, "DEFAULT_CONFIDENCE_THRESHOLD"),
    )


def _whole(given: Mapping[str, str], name: str) -> int | None:
    value = given.get(PREFIX + name)
    if value is None:
        return None
    if not value.strip().isascii() or not value.strip().isdecimal():
        raise SnellenError(f"{PREFIX}{name}: expected a whole number")
    return int(value)


def _share(given: Mapping[str, str], name: str) -> float | None:
    value = given.get(PREFIX + name)
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise SnellenError(f"{PREFIX}{name}: expected a number from 0 to 1")
    return number
