"""Maker of a synthetic set in IllusionBench's own format: three folders of parquet shards.

File names have the form of the real ones, with shape, scene and strength, and end in `syn` and a number.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from PIL import Image

from snellen.data.parquet import PICTURE
from snellen.synthetic.chance import dealt_number
from snellen.synthetic.hidden import scenery, silhouettes
from snellen.synthetic.hidden.scenery_scenes import SCENES
from snellen.synthetic.tables import Row, make_set
from snellen.synthetic.writing import label_of, picture_file

GENERATOR = "illusionbench"
SPLITS = (silhouettes.IN, silhouettes.LOGO, silhouettes.ICON)
STRENGTHS = {"Easy": (1.25, 1.3, 1.4, 1.5, 1.6), "Hard": (0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.1, 1.2)}


def sample(split: str, seed: int, index: int) -> tuple[str, bytes]:
    """Return the file name and PNG bytes of one image."""
    key = (seed, SPLITS.index(split))
    shapes, scenes, levels = silhouettes.shapes(split), tuple(SCENES), tuple(STRENGTHS)
    shape = shapes[dealt_number(len(shapes), index, *key, 1)]
    scene = scenes[dealt_number(len(scenes), index, *key, 2)]
    level = levels[dealt_number(len(levels), index, *key, 3)]
    rng = np.random.default_rng([*key, 0, index])
    strength = STRENGTHS[level][int(rng.integers(len(STRENGTHS[level])))]
    variant = int(rng.integers(silhouettes.VARIANTS[split]))
    mask = silhouettes.silhouette(split, shape, variant, rng)
    image = scenery.compose(scenery.scene(scene, rng), mask, strength, rng)
    first = f"{shape}-{variant + 1}" if split == silhouettes.ICON else shape
    file = picture_file(Image.fromarray(image), label_of(GENERATOR, seed), compress_level=1)
    return f"{first}-{scene}-{level}-{strength}-syn{index}.png", file


def _rows(seed: int, key: tuple[str, int]) -> tuple[Row, ...]:
    """Return one image as a row of its split."""
    split, index = key
    name, data = sample(split, seed, index)
    return ((name, {"bytes": data, "path": name}),)


_TYPES = {"image_name": "string", "image": PICTURE}
make = partial(make_set, GENERATOR, _TYPES, {split: (split,) for split in SPLITS}, _rows)
"""Writes `count` images a split; the same seed and count give the same bytes."""
