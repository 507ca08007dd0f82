"""Makes synthetic sets of more than two images: variants of one scene, each with a change of its own that no other has."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from snellen.core.errors import SnellenError
from snellen.synthetic.chance import generator
from snellen.synthetic.pairs.folder import MOST, PictureGroup, set_names, write
from snellen.synthetic.pairs.make import GENERATOR, drawn, make
from snellen.synthetic.pool import Progress
from snellen.synthetic.scenes.differences import KINDS_OF_DIFFERENCE, SceneDifference, differences, with_room
from snellen.synthetic.scenes.model import Scene
from snellen.synthetic.scenes.sampling import draw_scene
from snellen.synthetic.scenes.words import facts

LEAST = 3
KIND = "mixed"
"""The kind of a set's differences: they are of several kinds."""
_ROUNDS = 6


def make_sets(
    out: Path, *, size: int, count: int, seed: int, workers: int | None = None, progress: Progress | None = None
) -> list[Path]:
    """Write `count` sets of `size` images in the layout of `make`, with image1 to imageN in place of left and right."""
    if not LEAST <= size <= MOST:
        raise SnellenError(f"--sets {size}: a set has {LEAST} to {MOST} images")
    name, draw = _generator(size), partial(_set, size)
    return write(out, name, set_names(size), draw, count=count, seed=seed, workers=workers, progress=progress)


def make_pairs_or_sets(out: Path, *, sets: int | None = None, **given: Any) -> list[Path]:
    """Write pairs, or with `sets` sets of so many images."""
    return make(out, **given) if sets is None else make_sets(out, size=sets, **given)


def _generator(size: int) -> str:
    return f"{GENERATOR}-sets-of-{size}"


def _set(size: int, seed: int, index: int) -> PictureGroup:
    found = variants(seed, index, size)
    known = {"kind": KIND} | {slot: d.said_of_other for slot, d in zip(set_names(size), found, strict=True)}
    images = drawn((d.other for d in found), _generator(size), seed)
    return PictureGroup(images, tuple(d.captions[1] for d in found), known)


def variants(seed: int, index: int, size: int) -> list[SceneDifference]:
    """Return the images of a set: the other scenes of these differences, all from one scene that is not among them."""
    rng = generator("d3", "sets", size, seed, index)
    while True:
        scene = draw_scene(rng)
        found = _apart(with_room(scene), size, rng)
        if len(found) == size:
            return found


def _apart(scene: Scene, size: int, rng: Random) -> list[SceneDifference]:
    """Choose changes of a scene, each true of one image alone, with as few as can be in the same aspect of the same thing."""
    possible: dict[str, SceneDifference] = {}
    for kind in KINDS_OF_DIFFERENCE * _ROUNDS:  # each round chooses other values, where there are several
        for one in differences(scene, kind, rng):
            possible.setdefault(one.said_of_other, one)
    order = list(possible.values())
    rng.shuffle(order)
    chosen: list[SceneDifference] = []
    while order and len(chosen) < size:
        one = min(
            order, key=lambda d: _common(d, chosen)
        )  # the first of those that have least in common with the others
        order.remove(one)
        if all(_tells(one, other) and _tells(other, one) for other in chosen):
            chosen.append(one)
    return chosen


def _common(one: SceneDifference, chosen: list[SceneDifference]) -> tuple[int, int]:
    """Count how often the aspect, and the kind, of a difference are among the chosen ones."""
    aspects = sum((d.about, d.aspect) == (one.about, one.aspect) for d in chosen)
    return aspects, sum(d.kind == one.kind for d in chosen)


def _tells(one: SceneDifference, other: SceneDifference) -> bool:
    """Return whether what is said of one image is not true of the other."""
    return all(fact.text != one.said_of_other for fact in facts(other.other))
