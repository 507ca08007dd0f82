"""Maker of a synthetic set in SalBench's own format: six folders of parquet shards, readable like the real ones."""

from __future__ import annotations

from functools import partial
from typing import Any

from snellen.data.parquet import PICTURE
from snellen.data.synthetic_marker import labelled
from snellen.synthetic.patterns import scenes_o3, scenes_p3, wording
from snellen.synthetic.patterns.drawing import framed, png
from snellen.synthetic.tables import Row, make_set
from snellen.synthetic.writing import label_of

GENERATOR = "salbench"
SPLITS = ("P3", "O3")
KINDS = ("", "_box", "_box_img")
TEXTS = ("image_id", "question", "answer", "difficulty")


def _rows(seed: int, key: tuple[str, int]) -> tuple[Row, ...]:
    """Return the rows of one image in the three configs of its split: detection, referring, visual referring."""
    split, index = key
    scene = (scenes_p3 if split == "P3" else scenes_o3).scene(seed, index)
    height, width = scene.image.shape[:2]
    x0, y0, x1, y1 = scene.box
    box = (x0 / width, y0 / height, x1 / width, y1 / height)
    facts: dict[str, Any] = {"n": scene.count, "plural": scene.plural, "singular": scene.singular, "box": box}
    questions = [wording.question(f"{split}{kind}", **facts) for kind in KINDS]
    answer = scene.features[0] if split == "P3" else ", ".join(feature.title() for feature in scene.features)
    name = f"syn-{split.lower()}-s{seed}-{index:05d}"
    label = label_of(GENERATOR, seed)
    plain, marked = (labelled(png(image), label) for image in (scene.image, framed(scene.image, scene.box)))
    first, second, third = (
        ({"bytes": data, "path": f"{name}.png"}, name, question, answer, scene.difficulty)
        for data, question in zip((plain, plain, marked), questions, strict=True)
    )
    return first, second, third


_TYPES = {"image": PICTURE} | dict.fromkeys(TEXTS, "string")
make = partial(
    make_set, GENERATOR, _TYPES, {split: tuple(f"{split}{kind}" for kind in KINDS) for split in SPLITS}, _rows
)
"""Writes `count` images a split, each in its three configs; the same seed and count give the same bytes."""
