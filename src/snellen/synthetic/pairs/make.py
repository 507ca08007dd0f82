"""Makes synthetic pairs in D3's own format, with the kind of difference and a ceiling of captions written beside them."""

from __future__ import annotations

from pathlib import Path

from snellen.synthetic.chance import dealt, generator
from snellen.synthetic.pairs.folder import PAIR, Key, PictureGroup, write
from snellen.synthetic.pool import Progress
from snellen.synthetic.scenes.differences import KINDS_OF_DIFFERENCE, SceneDifference, draw_difference
from snellen.synthetic.writing import label_of, origin_of, signed

GENERATOR = "d3"
SIZE = (320, 240)


def difference(seed: int, index: int, part: str = "made") -> SceneDifference:
    """The difference of pair `index`; its one scene is on the left.

    Training draws with another `part`: then no seed gives a pair of a made set to a model that learns.
    """
    kind = dealt(KINDS_OF_DIFFERENCE, index, "d3", part, seed)
    return draw_difference(generator("d3", part, seed, index), kind)


def make(
    out: Path,
    *,
    count: int,
    seed: int,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Writes `count` pairs: dataset.json, images/, differences.json and captions/reference.json."""
    origin = origin_of(GENERATOR, seed=seed, count=count)
    return write(out, origin, PAIR, _of_key, workers, progress)


def _of_key(key: Key) -> PictureGroup:
    return pair(key.seed, key.number)


def pair(seed: int, index: int) -> PictureGroup:
    """Pair `index` of a seed, drawn."""
    from snellen.synthetic.scenes.render import draw, jpeg

    told = difference(seed, index)
    label = label_of(GENERATOR, seed)
    known = {
        "kind": told.kind,
        "about": told.about,
        "aspect": told.aspect,
        "left": told.said_of_one,
        "right": told.said_of_other,
    }
    images = tuple(signed(jpeg(draw(scene, SIZE).image), label) for scene in (told.one, told.other))
    return PictureGroup(index, images, told.captions, known)
