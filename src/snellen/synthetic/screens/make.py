"""Makes synthetic grounding sets in the format of the original generator: annotations.json, pictures beside it.

Two styles: `layouts` (believable windows, see layouts.py) and `original` (the original generator's annotations bit for bit,
see original.py). Screenshots of both bear the label of synthetic sets, and of `layouts` the annotations too; those of the original
stay its own, which call themselves "synthetic".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.errors import SnellenError, unknown
from snellen.data.synthetic_marker import Label
from snellen.synthetic.documents import DocumentForm, document, in_document
from snellen.synthetic.pool import Progress, in_order
from snellen.synthetic.screens import layouts, original
from snellen.synthetic.screens.lettering import FONT
from snellen.synthetic.writing import (
    VERSION,
    check_numbers,
    claim,
    label_of,
    making,
    signed,
    stamped,
    write_bytes,
)

GENERATOR = "grounding"
STYLES = ("layouts", "original")
ANNOTATIONS = "annotations.json"
SMALLEST = (640, 480)

Record = dict[str, Any]


class ScreenPlan(NamedTuple):
    """A set before it is drawn: what its annotations say of it as a whole, and what each screenshot is drawn from."""

    name: str
    metadata: dict[str, Any]
    keys: Sequence[Any]
    draw: Callable[[Any], layouts.Screenshot]


def make(
    out: Path,
    *,
    count: int,
    seed: int,
    workers: int | None = None,
    progress: Progress | None = None,
    style: str = "layouts",
    absent: float = 0.0,
    screen: tuple[int, int] | None = None,
) -> list[Path]:
    """Write `count` screenshots with their annotations and return the files.

    `absent` is the share of screenshots that also ask for something that is not on them, `screen` fixes the resolution (both:
    layouts only). Screenshot i of `layouts` depends on (seed, i) alone. `original` writes as many screenshots as the original
    generator does, which cuts fractions off.
    """
    if style not in STYLES:
        raise unknown("style", style, STYLES)
    check_numbers(seed=seed, count=count)
    _check(style, absent, screen)
    label = label_of(GENERATOR, seed)
    plan = _original(count, seed, label) if style == "original" else _layouts(count, seed, absent, screen, label)
    marker = claim(out, _origin(style, count, seed, absent, screen), indent=2)
    with making(out):
        pictures = []
        with (
            document(out / ANNOTATIONS, annotations_form(plan.name, plan.metadata)) as add,
            closing(in_order(partial(_written, plan.draw, out), plan.keys, workers, progress)) as written,
        ):
            for picture, text in written:
                pictures.append(picture)
                add(text)
    return sorted([out / ANNOTATIONS, marker, *pictures])


def annotations_form(name: str, metadata: dict[str, Any]) -> DocumentForm:
    """What stands around the samples of an annotations.json as the original generator writes it: ASCII, two spaces of indentation, no
    newline at the end, so that equal sets are equal bytes.
    """
    root = json.dumps({"name": name, "version": "1.0", "metadata": metadata, "samples": []}, indent=2)
    return DocumentForm(root.removesuffix("]\n}") + "\n    ", ",\n    ", "\n  ]\n}")


def sample_text(sample: Record) -> str:
    """One of these samples."""
    return in_document(sample, indent=2, depth=2, ascii_only=True)


def _check(style: str, absent: float, screen: tuple[int, int] | None) -> None:
    if not 0 <= absent <= 1:
        raise SnellenError(f"the share of absent targets lies between 0 and 1, and {absent} does not")
    if screen is not None and (screen[0] < SMALLEST[0] or screen[1] < SMALLEST[1]):
        raise SnellenError(f"a screen is at least {SMALLEST[0]}x{SMALLEST[1]}, and {screen[0]}x{screen[1]} is smaller")
    if style == "original" and (absent or screen):
        raise SnellenError("the original has no absent targets and one resolution: use the style 'layouts' for these")


def _origin(style: str, count: int, seed: int, absent: float, screen: tuple[int, int] | None) -> dict[str, Any]:
    """Return what the marker says of where a set comes from. Its words never change: a set is the same to the byte."""
    return {
        "generator": GENERATOR,
        "version": VERSION,
        "style": "seed-compat" if style == "original" else style,
        "seed": seed,
        "count": count,
        "absent": absent,
        "screen": list(screen) if screen else None,
        "font": FONT,
    }


def _original(count: int, seed: int, label: Label) -> ScreenPlan:
    screens = original.plan(count, seed)
    return ScreenPlan("synthetic", original.metadata(len(screens)), screens, partial(_draw_original, label))


def _draw_original(label: Label, screen: original.ScreenDesign) -> layouts.Screenshot:
    return layouts.Screenshot(screen.record, signed(original.draw(screen), label))


def _layouts(count: int, seed: int, absent: float, screen: tuple[int, int] | None, label: Label) -> ScreenPlan:
    cells = [layouts.cell(i) for i in range(count)]
    shares = {f"{d}_{t}": cells.count((d, t)) / count for d, t in dict.fromkeys(layouts.ROUND)}
    metadata = {"num_samples": count, "distribution": shares, "generator": "layouts", "version": layouts.VERSION}
    draw = partial(layouts.screenshot, seed, absent=absent, screen=screen, label=label)
    return ScreenPlan("layouts", stamped(metadata | {"seed": seed}, label), range(count), draw)


def _written(
    draw: Callable[[Any], layouts.Screenshot], out: Path, key: int | original.ScreenDesign
) -> tuple[Path, str]:
    """Draws a screenshot and writes its picture (it runs in other processes); gives the file and its sample's text."""
    made = draw(key)
    return write_bytes(out / made.record["image_path"], made.png), sample_text(made.record)
