"""A small set of own screenshots, each with one coloured target that a fake server can see (tests/support/uitars.py)."""

from __future__ import annotations

import json
from pathlib import Path

from PIL import Image

from tests.support.uitars import MARK

SIZE = (1280, 720)
TARGETS = {
    "s0": (300, 200, 400, 240),
    "s1": (900, 500, 1000, 560),
    "s2": (40, 640, 120, 700),
    "s3": (700, 60, 760, 100),
}


def write_screens(folder: Path) -> Path:
    """Write the set in the format of one's own screenshots."""
    (folder / "images").mkdir(parents=True)
    samples = []
    for name, (x1, y1, x2, y2) in TARGETS.items():
        image = Image.new("RGB", SIZE, (230, 230, 230))
        image.paste(MARK, (x1, y1, x2, y2))
        image.save(folder / "images" / f"{name}.png")
        box = [x1 / SIZE[0], y1 / SIZE[1], (x2 - x1) / SIZE[0], (y2 - y1) / SIZE[1]]
        element = {"id": "save", "bbox": box, "element_type": "button", "instruction": "Click on Save"}
        where = {"image_path": f"images/{name}.png", "width": SIZE[0], "height": SIZE[1]}
        samples.append({"id": name, **where, "elements": [element]})
    document = {"name": "marks", "version": "1.0", "samples": samples}
    (folder / "annotations.json").write_text(json.dumps(document))
    return folder


def middles() -> dict[str, tuple[float, float]]:
    """Return the middle of each sample's target, in fractions of the screen."""
    return {
        f"{name}/save": ((x1 + x2) / 2 / SIZE[0], (y1 + y2) / 2 / SIZE[1]) for name, (x1, y1, x2, y2) in TARGETS.items()
    }


def replies(path: Path, form: str, across: tuple[float, float]) -> str:
    """Return a replay subject with the right points, in units of this many across and down."""
    rows = ({"id": name, "text": form.format(x * across[0], y * across[1])} for name, (x, y) in middles().items())
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"replay/{path}"
