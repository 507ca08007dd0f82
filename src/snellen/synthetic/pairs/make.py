"""Makes synthetic pairs in D3's own format, with the kind of difference and a ceiling of captions written beside them.

The same scenes without files train small models: `scene_captions` and `pairs`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from snellen.synthetic.scenes.dealing import dealt
from snellen.synthetic.scenes.differences import KINDS_OF_DIFFERENCE, Difference, draw_difference
from snellen.synthetic.scenes.model import Scene, generator
from snellen.synthetic.scenes.sampling import draw_scene
from snellen.synthetic.scenes.words import brief, caption, facts, sentence
from snellen.synthetic.tables import Progress
from snellen.synthetic.writing import Origin, claim, in_order, write_bytes, write_json

if TYPE_CHECKING:
    from PIL.Image import Image

GENERATOR, VERSION = "d3", 1
SIZE = (320, 240)
LONGEST = 56
"""Words of a training caption: with the end mark it fits into the 64 tokens of a SigLIP text tower."""


class Pair(NamedTuple):
    """One made pair: its uid, both files, what differs."""

    uid: int
    left: bytes
    right: bytes
    difference: Difference


def difference(seed: int, index: int, part: str = "made") -> Difference:
    """The difference of pair `index`; its one scene is on the left."""
    kind = dealt(KINDS_OF_DIFFERENCE, index, "d3", part, seed)
    return draw_difference(generator("d3", part, seed, index), kind)


def make(
    out: Path, *, count: int, seed: int, workers: int | None = None, progress: Progress | None = None
) -> list[Path]:
    """Writes `count` pairs: dataset.json, images/, differences.json and captions/reference.json."""
    made = [claim(out, Origin(generator=GENERATOR, version=VERSION, seed=seed, count=count))]
    dataset: dict[str, dict[str, str]] = {}
    kinds: dict[str, dict[str, str]] = {}
    captions: dict[str, dict[str, str]] = {}
    for pair in in_order(_pair, [(seed, index) for index in range(count)], workers):
        uid, told = str(pair.uid), pair.difference
        names = [f"images/SNELLEN_{2 * pair.uid + side:012d}.jpg" for side in (0, 1)]
        made += [write_bytes(out / name, data) for name, data in zip(names, (pair.left, pair.right), strict=True)]
        dataset[uid] = {"left": f"./{names[0]}", "right": f"./{names[1]}"}
        kinds[uid] = {
            "kind": told.kind,
            "about": told.about,
            "aspect": told.aspect,
            "left": told.said_of_one,
            "right": told.said_of_other,
        }
        captions[uid] = dict(zip(("left", "right"), told.captions, strict=True))
        if progress is not None:
            progress(pair.uid + 1, count)
    made.append(write_json(out / "differences.json", kinds))
    made.append(write_json(out / "captions" / "reference.json", captions))
    made.append(write_json(out / "dataset.json", dataset))
    return sorted(made)


def _pair(key: tuple[int, int]) -> Pair:
    from snellen.synthetic.scenes.render import draw, jpeg

    seed, index = key
    told = difference(seed, index)
    return Pair(index, jpeg(draw(told.one, SIZE).image), jpeg(draw(told.other, SIZE).image), told)


def scene_captions(seed: int, n: int, *, size: tuple[int, int] = SIZE, start: int = 0) -> Iterator[tuple[Image, str]]:
    """Training data: scenes with a true caption each, in the words of the reference captions. No scene of `make` is among them."""
    from snellen.synthetic.scenes.render import draw

    for index in range(start, start + n):
        rng = generator("d3", "train captions", seed, index)
        scene = draw_scene(rng)
        yield draw(scene, size).image, said_of(scene, rng)


def pairs(
    seed: int, n: int, *, size: tuple[int, int] = SIZE, start: int = 0
) -> Iterator[tuple[Image, Image, str, str, str]]:
    """Training data: left image, right image, left caption, right caption, kind of difference. None of them is in a made set."""
    from snellen.synthetic.scenes.render import draw

    for index in range(start, start + n):
        told = difference(seed, index, "train")
        left, right = told.captions
        yield draw(told.one, size).image, draw(told.other, size).image, left, right, told.kind


def said_of(scene: Scene, rng: Random) -> str:
    """A caption by chance: the full one, or a few facts and what is there."""
    full = caption(scene)
    if rng.random() < 0.4 and len(full.split()) <= LONGEST:
        return full
    known = [fact for fact in facts(scene) if fact.aspect != "place"]
    told = [sentence(fact.text) for fact in rng.sample(known, min(len(known), rng.choice((1, 1, 2, 3))))]
    return " ".join((*told, brief(scene)) if rng.random() < 0.8 else told)
