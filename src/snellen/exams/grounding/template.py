"""The files of `snellen data init grounding`: two rows that work, on a drawn screenshot, and a description of each column."""

from __future__ import annotations

import json
from pathlib import Path

from snellen.core.errors import SnellenError
from snellen.exams.grounding.formats.base import BOX_FORMATS
from snellen.synthetic.screens import layouts
from snellen.synthetic.writing import write_bytes, write_text

FILE, PICTURE = "boxes.jsonl", "example.png"
SCREEN = (1280, 800)
SEED = 7
TARGETS = ("Log in", "Forgot password?")
COMMENTS = f"""\
# Screenshots with boxes, one target a line. Put your pictures beside this file, replace the two rows below, and delete
# {PICTURE}: it is a synthetic picture, and results with it are called synthetic. Lines that begin with # are comments.
#
# image        the picture, a path from this file's folder
# instruction  what is asked, in words: "Send the invoice to Acme"
# box          where a click is right, or a list of such boxes; none, with "absent": true, where the target is not there
# box_format   what the numbers of a box are: {", ".join(BOX_FORMATS)}
#              (xyxy: left, top, right, bottom; xywh: left, top, width, height; shares: 0 to 1 of the picture's width and height)
#
# Instead of numbers, a box may be what a browser says, {{"x": 8, "y": 16, "width": 90, "height": 32}} (Playwright's
# boundingBox()), with "device_scale_factor": how many pixels of the picture one of these is; box_format is left out then.
# You may add: id, split, element_type, kind (text or icon), platform, application, difficulty, theme,
# phrasing (plain or natural: how it is asked for), text.
#
# Next: snellen data check THIS_FOLDER, then snellen run THIS_FOLDER --model method/ocr (or openai/gpt-4o, ...)
"""


def _has_pictures(folder: Path) -> bool:
    return folder.is_dir() and any(p.suffix.lower() in (".png", ".jpg", ".jpeg", ".webp") for p in folder.iterdir())


def write(out: Path) -> tuple[Path, str]:
    """Write the template into a new folder; return the file to edit, and a subject that works without anything else."""
    path = out / FILE
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        shots = f"; 'snellen annotate {out} --as NAME' draws boxes on its pictures" if _has_pictures(out) else ""
        raise SnellenError(f"--out {out} is there and not empty: name a new folder{shots}")
    made = layouts.screenshot(SEED, 0, screen=SCREEN)
    rows = []
    for element in made.record["elements"]:
        if element["text"] in TARGETS:
            x, y, w, h = (v * side for v, side in zip(element["bbox"], SCREEN * 2, strict=True))
            box = [round(v) for v in (x, y, x + w, y + h)]
            row = {"image": PICTURE, "instruction": element["instruction"], "box": box, "box_format": BOX_FORMATS[0]}
            rows.append(json.dumps(row))
    write_bytes(out / PICTURE, made.png)
    return write_text(path, COMMENTS + "\n".join(rows) + "\n"), "method/center"
