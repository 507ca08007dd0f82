"""The choice of examples that the original's in-context prompts show before a query. prompts.py writes them.

The published code cannot run, and one of its modes reveals the query's answer. This is the intended behaviour (docs/illusionbench.md lists
the differences).

`icl-neither`  examples that share neither shape nor scene with the query
`icl-object`   one example shares the shape
`icl-scene`    one example shares the scene
`icl-both`     one shares the shape and one the scene; a single example shares both
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.types import Sample
from snellen.exams.illusionbench.names import KEPT, SCENES

MODES = ("icl-neither", "icl-object", "icl-scene", "icl-both")
SHOTS = (1, 2, 4, 5, 8)
Support = dict[str, dict[str, list[str]]]
"""Scene to shape to the ids of its images."""


class _Pool(NamedTuple):
    """All images of a subset's kept classes by scene and shape, and their samples without pictures, by id."""

    support: Support
    lights: dict[str, Sample]


def pool(images: Iterable[Sample]) -> _Pool:
    """Return the pool from which the examples of a subset are drawn."""
    found = _Pool({scene: {} for scene in SCENES}, {})
    for image in images:
        if image.tags["shape"] in KEPT[image.tags["split"]]:
            found.support[image.tags["scene"]].setdefault(image.tags["shape"], []).append(image.id)
            found.lights[image.id] = image
    return found


def check_shots(subset: str, shots: int) -> None:
    """Check the number of examples: all examples of a query but one have other shapes."""
    others = len(KEPT[subset]) - 1
    if shots > others:
        raise SnellenError(f"--shots {shots}: {subset} has {others + 1} classes, so at most {others} examples differ")


def check_prompt(prompt: str, shots: int) -> None:
    """Raise an error if a prompt and a number of examples are incompatible."""
    if prompt in MODES and not shots:
        raise SnellenError(f"the prompt '{prompt}' shows examples: give --shots {', '.join(map(str, SHOTS))}")
    if prompt == "icl" and shots:
        raise SnellenError(f"--shots {shots}: say which examples with --prompt {', '.join(MODES)}")
    if prompt not in MODES and shots:
        raise SnellenError(
            f"the prompt '{prompt}' takes no examples: with --shots choose --protocol original-icl "
            f"and --prompt {', '.join(MODES)}"
        )


def fits(mode: str, shape: str, scene: str, count: int, support: Support) -> bool:
    """Return whether the images exist that a mode shows before a query; one of them is the query's own."""
    needed, free = _needed(mode, shape, scene, count, support), _fillers(shape, scene, support)
    if any(not cells for cells in needed):
        return False
    if mode == "icl-both" and count == 1 and len(support[scene][shape]) < 2:
        return False
    return len(free) >= count - len(needed)


def _needed(mode: str, shape: str, scene: str, count: int, support: Support) -> list[list[tuple[str, str]]]:
    """Return the possible (scene, shape) pairs of each example that has to share a name with the query, if any."""
    elsewhere = [(s, shape) for s in support if s != scene and support[s].get(shape)]
    if mode == "icl-both" and count == 1:
        return [[(scene, shape)] if support.get(scene, {}).get(shape) else []]
    wanted = []
    if mode in ("icl-scene", "icl-both"):
        others = count - (2 if mode == "icl-both" else 1)
        free = _fillers(shape, scene, support)
        # a shape used here is not shown again, so enough must be left for the other examples
        wanted.append([(scene, s) for s in support.get(scene, {}) if s != shape and len(free - {s}) >= others])
    if mode in ("icl-object", "icl-both"):
        wanted.append(elsewhere)
    return wanted


def _fillers(shape: str, scene: str, support: Support) -> set[str]:
    """Return the shapes of images that share neither name with the query."""
    return {s for place, shapes in support.items() if place != scene for s, ids in shapes.items() if ids} - {shape}


def pick(mode: str, own: str, shape: str, scene: str, count: int, support: Support, rng: random.Random) -> list[str]:
    """Return the images to show before a query, shuffled. `own` is the query's image, which is never shown.

    The mode decides exactly what the examples share with the query. If such an image is missing, raise an error.
    """
    if not fits(mode, shape, scene, count, support):
        raise SnellenError(f"{mode} with --shots {count}: too few images for a query of {shape} in {scene}")
    ids: list[str] = []
    shapes, scenes = {shape}, {scene}

    def unused(place: str) -> list[str]:
        return [name for name, images in support.get(place, {}).items() if images and name not in shapes]

    def take(place: str, name: str) -> None:
        ids.append(rng.choice([image for image in support[place][name] if image != own]))
        scenes.add(place)
        shapes.add(name)

    for cells in _needed(mode, shape, scene, count, support):
        take(*rng.choice(cells))
    while len(ids) < count:  # unused shapes in unused scenes, in the scenes' order; scenes repeat when they run out
        places = [place for place in support if place != scene and unused(place)]
        for place in ([place for place in places if place not in scenes] or places)[: count - len(ids)]:
            if names := unused(place):
                take(place, rng.choice(names))
    rng.shuffle(ids)
    return ids
