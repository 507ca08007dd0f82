"""Maker of synthetic grounding sets in the format of the original generator: annotations.json, pictures beside it.

Two styles: `layouts` (believable windows, see layouts.py) and `original` (the original generator's annotations bit for bit,
see original.py). Screenshots of both bear the label of synthetic sets, and so do the annotations of `layouts`. Those of `original`
stay unchanged; they call themselves "synthetic".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from snellen.core.errors import SnellenError, unknown
from snellen.data.synthetic_marker import Label, labelled
from snellen.synthetic.documents import DocumentForm, Written, in_document, write_set
from snellen.synthetic.pool import Progress
from snellen.synthetic.screens import layouts, original
from snellen.synthetic.screens.layouts import GENERATOR, Screenshot
from snellen.synthetic.screens.lettering import FONT
from snellen.synthetic.writing import VERSION, check_numbers, label_of, stamped, write_bytes

STYLES = ("layouts", "original")
ANNOTATIONS = "annotations.json"
SMALLEST = (640, 480)


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
    keys: Sequence[Any] = range(count)
    if style == "original":
        keys = original.plan(count, seed)
        draw: Callable[[Any], Screenshot] = partial(_original, label_of(GENERATOR, seed))
        form = annotations_form("synthetic", original.metadata(len(keys)))
    else:
        draw = partial(layouts.screenshot, seed, absent=absent, screen=screen)
        form = annotations_form("layouts", _metadata(count, seed))
    origin = {
        "generator": GENERATOR,
        "version": VERSION,
        "style": "seed-compat" if style == "original" else style,  # the words of the marker never change
        "seed": seed,
        "count": count,
        "absent": absent,
        "screen": list(screen) if screen else None,
        "font": FONT,
    }
    return write_set(
        out, origin, partial(_written, draw, out), [({ANNOTATIONS: form}, keys)], workers, progress, indent=2
    )


def annotations_form(name: str, metadata: dict[str, Any]) -> DocumentForm:
    """Return the form of an annotations.json as the original generator writes it.

    ASCII, two spaces of indentation, no newline at the end, so that equal sets are equal bytes.
    """
    root = json.dumps({"name": name, "version": "1.0", "metadata": metadata, "samples": []}, indent=2)
    return DocumentForm(root.removesuffix("]\n}") + "\n    ", ",\n    ", "\n  ]\n}")


def sample_text(sample: dict[str, Any]) -> str:
    """Return the text of a sample in an annotations.json."""
    return in_document(sample, indent=2, depth=2, ascii_only=True)


def _check(style: str, absent: float, screen: tuple[int, int] | None) -> None:
    if not 0 <= absent <= 1:
        raise SnellenError(f"the share of absent targets lies between 0 and 1, and {absent} does not")
    if screen is not None and (screen[0] < SMALLEST[0] or screen[1] < SMALLEST[1]):
        raise SnellenError(f"a screen is at least {SMALLEST[0]}x{SMALLEST[1]}, and {screen[0]}x{screen[1]} is smaller")
    if style == "original" and (absent or screen):
        raise SnellenError("the original has no absent targets and one resolution: use the style 'layouts' for these")


def _metadata(count: int, seed: int) -> dict[str, Any]:
    cells = [layouts.cell(i) for i in range(count)]
    shares = {f"{d}_{t}": cells.count((d, t)) / count for d, t in dict.fromkeys(layouts.ROUND)}
    metadata = {"num_samples": count, "distribution": shares, "generator": "layouts", "version": layouts.VERSION}
    return stamped(metadata | {"seed": seed}, label_of(GENERATOR, seed))


def _original(label: Label, screen: original.ScreenDesign) -> Screenshot:
    return Screenshot(screen.record, labelled(original.draw(screen), label))


def _written(draw: Callable[[Any], Screenshot], out: Path, key: int | original.ScreenDesign) -> Written:
    made = draw(key)
    return [write_bytes(out / made.record["image_path"], made.png)], (sample_text(made.record),)
