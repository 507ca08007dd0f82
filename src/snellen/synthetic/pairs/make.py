"""Makes synthetic pairs in D3's own format, with the kind of difference and a ceiling of captions written beside them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from snellen.data.synthetic_marker import labelled
from snellen.synthetic.chance import dealt, generator
from snellen.synthetic.pairs.folder import PAIR, PictureGroup, write
from snellen.synthetic.pool import Progress
from snellen.synthetic.scenes.differences import KINDS_OF_DIFFERENCE, SceneDifference, draw_difference
from snellen.synthetic.scenes.model import Scene
from snellen.synthetic.scenes.render import draw, jpeg
from snellen.synthetic.writing import label_of

GENERATOR = "d3"
SIZE = (320, 240)


def difference(seed: int, index: int, part: str = "made") -> SceneDifference:
    """Return the difference of pair `index`; its one scene is on the left.

    Training draws with another `part`: then no seed gives a pair of a made set to a model that learns.
    """
    kind = dealt(KINDS_OF_DIFFERENCE, index, "d3", part, seed)
    return draw_difference(generator("d3", part, seed, index), kind)


def make(
    out: Path, *, count: int, seed: int, workers: int | None = None, progress: Progress | None = None
) -> list[Path]:
    """Write `count` pairs: dataset.json, images/, differences.json and captions/reference.json."""
    return write(out, GENERATOR, PAIR, pair, count=count, seed=seed, workers=workers, progress=progress)


def pair(seed: int, index: int) -> PictureGroup:
    """Draw pair `index` of a seed."""
    found = difference(seed, index)
    known = {name: getattr(found, name) for name in ("kind", "about", "aspect")}
    known |= {"left": found.said_of_one, "right": found.said_of_other}
    return PictureGroup(drawn((found.one, found.other), GENERATOR, seed), found.captions, known)


def drawn(scenes: Iterable[Scene], name: str, seed: int) -> tuple[bytes, ...]:
    """Draw scenes as files with the label of a generator."""
    return tuple(labelled(jpeg(draw(scene, SIZE).image), label_of(name, seed)) for scene in scenes)
