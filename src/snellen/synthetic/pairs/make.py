"""Maker of D3's synthetic data in its own format: pairs, or sets of more images.

The images of a set are variants of one scene, each with a unique change. The kind of difference and a ceiling of captions are written
beside the pictures.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from random import Random

from snellen.core.errors import SnellenError
from snellen.data.synthetic_marker import labelled
from snellen.synthetic.chance import dealt, generator
from snellen.synthetic.pairs.folder import MOST, PAIR, PictureGroup, set_names, write
from snellen.synthetic.pool import Progress
from snellen.synthetic.scenes.differences import (
    KINDS_OF_DIFFERENCE,
    SceneDifference,
    differences,
    draw_difference,
    with_room,
)
from snellen.synthetic.scenes.model import Scene
from snellen.synthetic.scenes.render import draw, jpeg
from snellen.synthetic.scenes.sampling import draw_scene
from snellen.synthetic.scenes.words import facts
from snellen.synthetic.writing import label_of

GENERATOR = "d3"
SIZE = (320, 240)
LEAST = 3
KIND = "mixed"
"""The kind of a set's differences: a mixture."""
_ROUNDS = 6


def make(
    out: Path,
    *,
    count: int,
    seed: int,
    workers: int | None = None,
    progress: Progress | None = None,
    sets: int | None = None,
) -> list[Path]:
    """Write `count` pairs: dataset.json, images/, differences.json and captions/reference.json.

    With `sets`, write sets of that number of images in the same layout, with image1 to imageN in place of left and right.
    """
    if sets is None:
        return write(out, GENERATOR, PAIR, pair, count=count, seed=seed, workers=workers, progress=progress)
    if not LEAST <= sets <= MOST:
        raise SnellenError(f"--sets {sets}: a set has {LEAST} to {MOST} images")
    name, one = _sets_generator(sets), partial(_set, sets)
    return write(out, name, set_names(sets), one, count=count, seed=seed, workers=workers, progress=progress)


def difference(seed: int, index: int, part: str = "made") -> SceneDifference:
    """Return the difference of pair `index`; its one scene is on the left.

    Training draws with another `part`, so that no seed puts a pair of a made set into training data.
    """
    kind = dealt(KINDS_OF_DIFFERENCE, index, "d3", part, seed)
    return draw_difference(generator("d3", part, seed, index), kind)


def pair(seed: int, index: int) -> PictureGroup:
    """Draw pair `index` of a seed."""
    found = difference(seed, index)
    known = {name: getattr(found, name) for name in ("kind", "about", "aspect")}
    known |= {"left": found.said_of_one, "right": found.said_of_other}
    return PictureGroup(_drawn((found.one, found.other), GENERATOR, seed), found.captions, known)


def _set(size: int, seed: int, index: int) -> PictureGroup:
    found = variants(seed, index, size)
    known = {"kind": KIND} | {slot: d.said_of_other for slot, d in zip(set_names(size), found, strict=True)}
    images = _drawn((d.other for d in found), _sets_generator(size), seed)
    return PictureGroup(images, tuple(d.captions[1] for d in found), known)


def _sets_generator(size: int) -> str:
    return f"{GENERATOR}-sets-of-{size}"


def _drawn(scenes: Iterable[Scene], name: str, seed: int) -> tuple[bytes, ...]:
    """Draw scenes as files with the label of a generator."""
    return tuple(labelled(jpeg(draw(scene, SIZE).image), label_of(name, seed)) for scene in scenes)


def variants(seed: int, index: int, size: int) -> list[SceneDifference]:
    """Return the images of a set: the other scenes of these differences, all from one scene that is not in the set."""
    rng = generator("d3", "sets", size, seed, index)
    while True:
        found = _apart(with_room(draw_scene(rng)), size, rng)
        if len(found) == size:
            return found


def _apart(scene: Scene, size: int, rng: Random) -> list[SceneDifference]:
    """Choose changes of a scene, each true of one image only, with as few as possible in the same aspect of the same thing."""
    possible: dict[str, SceneDifference] = {}
    for kind in KINDS_OF_DIFFERENCE * _ROUNDS:  # each round chooses other values, where there are several
        for one in differences(scene, kind, rng):
            possible.setdefault(one.said_of_other, one)
    order = list(possible.values())
    rng.shuffle(order)
    chosen: list[SceneDifference] = []
    while order and len(chosen) < size:
        one = min(order, key=lambda d: _common(d, chosen))  # the first with the least in common with the others
        order.remove(one)
        if all(_tells(one, other) and _tells(other, one) for other in chosen):
            chosen.append(one)
    return chosen


def _common(one: SceneDifference, chosen: list[SceneDifference]) -> tuple[int, int]:
    """Count how often the aspect, and the kind, of a difference occur among the chosen ones."""
    aspects = sum((d.about, d.aspect) == (one.about, one.aspect) for d in chosen)
    return aspects, sum(d.kind == one.kind for d in chosen)


def _tells(one: SceneDifference, other: SceneDifference) -> bool:
    """Tell whether the statement about one image is false of the other."""
    return all(fact.text != one.said_of_other for fact in facts(other.other))
