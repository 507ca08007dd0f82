"""The template of `snellen data init pair`: two working pairs of drawn pictures, and the meaning of each column."""

from __future__ import annotations

import json
from pathlib import Path

from snellen.data.folder import check_new
from snellen.synthetic.pairs.make import pair
from snellen.synthetic.writing import write_bytes, write_text

FILE = "pairs.jsonl"
SEED = 7
COMMENTS = """\
# Pairs of pictures that should be told apart, one pair a line. Put your pictures beside this file, replace the two rows below,
# and delete the pictures example_*.jpg: they are synthetic, and results with them are called synthetic. Lines that begin with
# # are comments.
#
# left, right                  the two pictures, paths from this file's folder (for more than two: image1 to imageN)
# left_caption, right_caption  optional: what somebody said of each; --model replay/THIS_FILE marks these
# id, kind                     optional: a name for the pair, and what kind of difference it has (results are grouped by it)
#
# Without a file: two folders a and b with pictures of the same names.
#
# Next: snellen data check THIS_FOLDER, then snellen run THIS_FOLDER --model openai/gpt-4o (or replay/THIS_FILE, ...)
"""


def write(out: Path) -> tuple[Path, str]:
    """Write the template into a new folder. Return the file to edit, and a model that needs nothing else."""
    path = out / FILE
    check_new(out)
    rows = []
    for index in range(2):
        made = pair(SEED, index)
        names = [f"example_{index + 1}{side}.jpg" for side in "ab"]
        for name, data in zip(names, made.images, strict=True):
            write_bytes(out / name, data)
        row = {"id": f"example-{index + 1}", "left": names[0], "right": names[1], "kind": made.known["kind"]}
        captions = zip(("left_caption", "right_caption"), made.captions, strict=True)
        rows.append(json.dumps(row | dict(captions), ensure_ascii=False))
    return write_text(path, COMMENTS + "\n".join(rows) + "\n"), f"replay/{path}"
