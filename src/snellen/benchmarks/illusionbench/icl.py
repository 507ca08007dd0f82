"""The in-context modes of the original: which examples are shown before the query, and how the question is written.

The published code cannot run, and one of its modes gives the query's answer away; this is what it meant
(docs/illusionbench.md lists the differences).

`icl`          the instruction without examples
`icl-neither`  examples that share neither shape nor scene with the query
`icl-object`   one example shares the shape
`icl-scene`    one example shares the scene
`icl-both`     one shares the shape and one the scene; a single example shares both
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from snellen.benchmarks.illusionbench.names import SCENES
from snellen.core.errors import SnellenError
from snellen.core.types import Part, Picture, Question, Sample, Text

if TYPE_CHECKING:
    from snellen.benchmarks.illusionbench.data import IllusionData

MODES = ("icl-neither", "icl-object", "icl-scene", "icl-both")
PROMPTS = {
    "icl": "the original's in-context instruction without examples",
    "icl-neither": "in-context: examples share neither shape nor scene with the query (--shots)",
    "icl-object": "in-context: one example shares the query's shape (--shots)",
    "icl-scene": "in-context: one example shares the query's scene (--shots)",
    "icl-both": "in-context: one example shares the shape, one the scene; a single one shares both (--shots)",
}
SHOTS = (0, 1, 2, 4, 5, 8)
KEPT = {
    "Illusion_LOGO": ("adidas", "mcdonalds", "apple", "bmw", "nike", "audi", "nasa", "spotify", "starbucks", "tesla"),
    "Illusion_IN": (
        *("airplane", "bicycle", "bird", "bottle", "car", "cat", "dog", "dolphin"),
        *("fork", "guitar", "mug", "panda", "sailboat", "scooter", "teapot"),
    ),
    "Illusion_ICON": ("animal", "face_emoji", "music", "sport", "stationary", "vehicle"),
}
SCENE_OPTIONS = tuple("medieval_Village" if s == "Medieval_Village" else s.lower() for s in SCENES)
# (how the first sentence names the hidden thing, its noun, what the scene forms when only one name is asked for)
NOUNS = {
    "Illusion_LOGO": ("a company's logo", "logo", "logo"),
    "Illusion_IN": ("an object", "object", "image"),
    "Illusion_ICON": ("an icon", "icon", "icon"),
}
Support = dict[str, dict[str, list[str]]]
"""Scene to shape to the ids of its images."""


def instruction(subset: str, task: str) -> str:
    """The original's instruction, byte for byte; `both` asks for the background and the hidden thing."""
    phrase, noun, forms = NOUNS[subset]
    head = (
        f"This image contains {phrase} integrated into a background, where elements of the background contribute to "
        f"forming the {'image' if task == 'both' else forms}.\n"
        f"background options: [{', '.join(SCENE_OPTIONS)}]\n"
        f"{noun} options: [{', '.join(KEPT[subset])}]\n"
    )
    if task == "both":
        return head + (
            f"Identify BOTH the background AND the {noun} that are represented in the image by choosing among the provided "
            "options. Provide your response by stating only the single, most accurate options that represent the background "
            f"and the {noun} in the image respectively. You have to respond with two words, one predicting the background "
            f"and one predicting the {noun}."
        )
    asked = noun if task == "shape" else "background"
    return head + (
        f"Identify the {asked} that is represented in the image by choosing among the provided options. Provide your "
        f"response by stating only the single, most accurate option that represents the {asked} in the image. "
        "You have to respond with a single word."
    )


def options(subset: str, task: str) -> tuple[str, ...]:
    """The names that are asked for; two at once are no choice among options."""
    return {"shape": KEPT[subset], "scene": SCENE_OPTIONS}.get(task, ())


def answer_of(tags: dict[str, str]) -> str:
    """An example's answer. For both names the order is that of the instruction: background first."""
    names = {"shape": tags["shape"], "scene": tags["scene"], "both": f"{tags['scene']}, {tags['shape']}"}
    return names[tags["task"]]


def applies(tags: dict[str, str]) -> bool:
    """Only some classes take part: ten logos, fifteen objects, all icons."""
    return tags["shape"] in KEPT[tags["split"]]


def question(prompt: str, sample: Sample, shots: tuple[tuple[Sample, Picture], ...] = ()) -> Question:
    """Instruction, examples, query in one turn, the way the original writes for LLaVA."""
    subset, task = sample.tags["split"], sample.tags["task"]
    parts: list[Part] = [Text(text=instruction(subset, task) + "\n")]
    for shown, picture in shots:
        parts += [picture, Text(text=f"\nAnswer: {answer_of(shown.tags | {'task': task})}\n")]
    parts += [*sample.pictures, Text(text="\nAnswer: ")]
    return Question(
        id=sample.id,
        benchmark="illusionbench",
        prompt=prompt,
        parts=tuple(parts),
        answer_kind="one-of" if task != "both" else "text",
        options=options(subset, task),
        shots=tuple(shown.id.rpartition("/")[0] for shown, _ in shots),
    )


# ---------------------------------------------------------------- which examples


def pick(mode: str, own: str, shape: str, scene: str, count: int, support: Support, rng: random.Random) -> list[str]:
    """The images shown before a query, shuffled; `own` is the query's image, which is never shown."""
    draw = _Draw(own, shape, support, rng)
    if mode == "icl-object":
        draw.one(shape, [s for s in support if s != scene])
    elif mode == "icl-scene":
        draw.one(None, [scene])
    elif mode == "icl-both" and count == 1:
        draw.one(shape, [scene])
    elif mode == "icl-both":
        draw.one(None, [scene])
        draw.one(shape, [s for s in support if s != scene])
    draw.fill(count, [s for s in support if s != scene])
    if len(draw.ids) < count:
        raise SnellenError(
            f"{mode} with --shots {count} needs more images than there are for a query of {shape} in {scene}: it found {len(draw.ids)}"
        )
    rng.shuffle(draw.ids)
    return draw.ids


class _Draw:
    """Examples drawn so far, with the shapes and scenes they use up."""

    def __init__(self, own: str, query: str, support: Support, rng: random.Random) -> None:
        self._own, self._query, self._support, self._rng = own, query, support, rng
        self.ids: list[str] = []
        self._shapes: set[str] = {query}
        self._scenes: set[str] = set()

    def one(self, shape: str | None, scenes: list[str]) -> None:
        """An image of this shape (of any unused one where it is None) in one of these scenes."""
        found = [(s, k) for s in scenes for k in self._open(s, shape)]
        if found:
            self._take(*self._rng.choice(found))

    def fill(self, count: int, scenes: list[str]) -> None:
        """Unused shapes in unused scenes, in the scenes' order; scenes come again where they run out."""
        for again in (False, True):
            for scene in scenes:
                if len(self.ids) >= count:
                    return
                open_shapes = self._open(scene, None)
                if open_shapes and (again or scene not in self._scenes):
                    self._take(scene, self._rng.choice(open_shapes))

    def _open(self, scene: str, shape: str | None) -> list[str]:
        shapes = self._support.get(scene, {})
        wanted = [shape] if shape is not None else [s for s in shapes if s not in self._shapes]
        return [s for s in wanted if any(i != self._own and i not in self.ids for i in shapes.get(s, ()))]

    def _take(self, scene: str, shape: str) -> None:
        free = [i for i in self._support[scene][shape] if i != self._own and i not in self.ids]
        self.ids.append(self._rng.choice(free))
        self._scenes.add(scene)
        self._shapes.add(shape)


def build_asker(prompt: str, data: IllusionData) -> Callable[[Sample], Question]:
    """The ask stage of an in-context prompt, with examples from the whole data set."""
    shots, seed = data.options.shots, data.options.seed
    if prompt == "icl":
        if shots:
            raise SnellenError(f"--shots {shots}: say which examples with --prompt {', '.join(MODES)}")
        return lambda sample: question(prompt, sample)
    if not shots:
        raise SnellenError(f"the prompt '{prompt}' shows examples: give --shots {', '.join(map(str, SHOTS[1:]))}")
    pools = lru_cache(maxsize=None)(lambda subset: _pool(data, subset, shots))

    def ask(sample: Sample) -> Question:
        subset = sample.tags["split"]
        support, lights = pools(subset)
        own = sample.id.rpartition("/")[0]
        rng = random.Random(f"{prompt}/{shots}/{seed}/{own}")  # noqa: S311 (a draw of examples, not a secret)
        ids = pick(prompt, own, sample.tags["shape"], sample.tags["scene"], shots, support, rng)
        return question(prompt, sample, tuple((lights[i], data.picture(subset, i)) for i in ids))

    return ask


def _pool(data: IllusionData, subset: str, shots: int) -> tuple[Support, dict[str, Sample]]:
    """All images of a subset's kept classes by scene and shape, and their samples by image id."""
    others = len(KEPT[subset]) - 1
    if shots > others:
        raise SnellenError(f"--shots {shots}: {subset} has {others + 1} classes, so at most {others} examples differ")
    support: Support = {scene: {} for scene in SCENES}
    lights: dict[str, Sample] = {}
    for image_id, sample in _kept(data, subset):
        support[sample.tags["scene"]].setdefault(sample.tags["shape"], []).append(image_id)
        lights[image_id] = sample
    return support, lights


def _kept(data: IllusionData, subset: str) -> Iterator[tuple[str, Sample]]:
    for sample in data.every(subset):
        if applies(sample.tags):
            yield sample.id.rpartition("/")[0], sample
