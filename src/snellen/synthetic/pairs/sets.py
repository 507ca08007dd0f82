"""Makes synthetic sets of more than two images: variants of one scene, each with a change of its own that no other has."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from snellen.core.errors import SnellenError
from snellen.synthetic.chance import generator
from snellen.synthetic.pairs.folder import MOST, Key, PictureGroup, set_names, write
from snellen.synthetic.pairs.make import GENERATOR, SIZE, make
from snellen.synthetic.pool import Progress
from snellen.synthetic.scenes.differences import KINDS_OF_DIFFERENCE, SceneDifference, differences, with_room
from snellen.synthetic.scenes.model import Scene
from snellen.synthetic.scenes.sampling import draw_scene
from snellen.synthetic.scenes.words import facts
from snellen.synthetic.writing import label_of, origin_of, signed

LEAST = 3
KIND = "mixed"
"""The kind of a set's differences: they are of several kinds."""
_ROUNDS = 6


def make_sets(
    out: Path,
    *,
    size: int,
    count: int,
    seed: int,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Writes `count` sets of `size` images in the layout of `make`, with image1 to imageN in place of left and right."""
    if not LEAST <= size <= MOST:
        raise SnellenError(f"--sets {size}: a set has {LEAST} to {MOST} images")
    origin = origin_of(f"{GENERATOR}-sets-of-{size}", seed=seed, count=count)
    return write(out, origin, set_names(size), _set, workers, progress)


def make_pairs_or_sets(out: Path, *, sets: int | None = None, **given: Any) -> list[Path]:
    """Writes pairs, or with `sets` sets of so many images."""
    return make(out, **given) if sets is None else make_sets(out, size=sets, **given)


def _set(key: Key) -> PictureGroup:
    from snellen.synthetic.scenes.render import draw, jpeg

    index, size, seed = key
    told = variants(seed, index, size)
    label = label_of(f"{GENERATOR}-sets-of-{size}", seed)
    known = {"kind": KIND} | {slot: d.said_of_other for slot, d in zip(set_names(len(told)), told, strict=True)}
    images = tuple(signed(jpeg(draw(d.other, SIZE).image), label) for d in told)
    return PictureGroup(index, images, tuple(d.captions[1] for d in told), known)


def variants(seed: int, index: int, size: int) -> list[SceneDifference]:
    """The images of a set: the other scenes of these differences, all from one scene that is not among them."""
    rng = generator("d3", "sets", size, seed, index)
    while True:
        scene = draw_scene(rng)
        found = _apart(with_room(scene), size, rng)
        if len(found) == size:
            return found


def _apart(scene: Scene, size: int, rng: Random) -> list[SceneDifference]:
    """Changes of a scene, each true of one image alone; as few as can be in the same aspect of the same thing."""
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
    """How often the aspect, and the kind, of a difference are among the chosen ones."""
    aspects = sum((d.about, d.aspect) == (one.about, one.aspect) for d in chosen)
    return aspects, sum(d.kind == one.kind for d in chosen)


def _tells(one: SceneDifference, other: SceneDifference) -> bool:
    """Whether what is said of one image is not true of the other."""
    return all(fact.text != one.said_of_other for fact in facts(other.other))
