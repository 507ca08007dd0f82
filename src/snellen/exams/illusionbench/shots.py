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
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.types import Part, Picture, Question, Sample, Text
from snellen.exams.illusionbench.names import SCENES

if TYPE_CHECKING:
    from snellen.exams.illusionbench.data import IllusionData

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


def fits(mode: str, shape: str, scene: str, count: int, support: Support) -> bool:
    """Whether there are the images that a mode shows before a query, one of which is the query's own."""
    needed, free = _needed(mode, shape, scene, count, support), _fillers(shape, scene, support)
    if any(not cells for cells in needed):
        return False
    if mode == "icl-both" and count == 1 and len(support[scene][shape]) < 2:
        return False
    return len(free) >= count - len(needed)


def _needed(mode: str, shape: str, scene: str, count: int, support: Support) -> list[list[tuple[str, str]]]:
    """For each example that has to share a name with the query, the (scene, shape) pairs it may be of, if any."""
    elsewhere = [(s, shape) for s in support if s != scene and support[s].get(shape)]
    if mode == "icl-both" and count == 1:
        return [[(scene, shape)] if support.get(scene, {}).get(shape) else []]
    wanted = []
    if mode in ("icl-scene", "icl-both"):
        others = count - (2 if mode == "icl-both" else 1)
        free = _fillers(shape, scene, support)
        # a shape that is taken here is not shown again, so enough must be left for the other examples
        wanted.append([(scene, s) for s in support.get(scene, {}) if s != shape and len(free - {s}) >= others])
    if mode in ("icl-object", "icl-both"):
        wanted.append(elsewhere)
    return wanted


def _fillers(shape: str, scene: str, support: Support) -> set[str]:
    """The shapes of images that share neither name with the query."""
    return {s for place, shapes in support.items() if place != scene for s, ids in shapes.items() if ids} - {shape}


def pick(mode: str, own: str, shape: str, scene: str, count: int, support: Support, rng: random.Random) -> list[str]:
    """The images shown before a query, shuffled; `own` is the query's image, which is never shown.

    What shares a name with the query is exactly what the mode says; where there is no such image, that is an error.
    """
    if not fits(mode, shape, scene, count, support):
        raise SnellenError(f"{mode} with --shots {count}: too few images for a query of {shape} in {scene}")
    draw = _Draw(own, shape, support, rng)
    for cells in _needed(mode, shape, scene, count, support):
        draw.take(*rng.choice(cells))
    draw.fill(count, [s for s in support if s != scene])
    rng.shuffle(draw.ids)
    return draw.ids


class _Draw:
    """Examples drawn so far, with the shapes and scenes they use up."""

    def __init__(self, own: str, query: str, support: Support, rng: random.Random) -> None:
        self._own, self._support, self._rng = own, support, rng
        self.ids: list[str] = []
        self._shapes: set[str] = {query}
        self._scenes: set[str] = set()

    def fill(self, count: int, scenes: list[str]) -> None:
        """Unused shapes in unused scenes, in the scenes' order; scenes come again where they run out."""
        while len(self.ids) < count:
            fresh = [s for s in scenes if s not in self._scenes and self._open(s)] or [
                s for s in scenes if self._open(s)
            ]
            for scene in fresh[: count - len(self.ids)]:
                open_shapes = self._open(scene)
                if open_shapes:
                    self.take(scene, self._rng.choice(open_shapes))

    def take(self, scene: str, shape: str) -> None:
        """Any image of this cell but the query's."""
        self.ids.append(self._rng.choice([i for i in self._support[scene][shape] if i != self._own]))
        self._scenes.add(scene)
        self._shapes.add(shape)

    def _open(self, scene: str) -> list[str]:
        return [s for s, ids in self._support.get(scene, {}).items() if ids and s not in self._shapes]


def build_asker(prompt: str, data: IllusionData) -> Callable[[Sample], Question]:
    """The ask stage of an in-context prompt, with examples from the whole data set."""
    shots, seed = data.options.shots, data.options.seed
    if prompt == "icl":
        if shots:
            raise SnellenError(f"--shots {shots}: say which examples with --prompt {', '.join(MODES)}")
        return lambda sample: question(prompt, sample)
    if not shots:
        raise SnellenError(f"the prompt '{prompt}' shows examples: give --shots {', '.join(map(str, SHOTS[1:]))}")

    def ask(sample: Sample) -> Question:
        subset = sample.tags["split"]
        own = sample.id.rpartition("/")[0]
        rng = random.Random(f"{prompt}/{shots}/{seed}/{own}")  # noqa: S311 (a draw of examples, not a secret)
        ids = pick(prompt, own, sample.tags["shape"], sample.tags["scene"], shots, data.pool(subset).support, rng)
        return question(prompt, sample, tuple((data.pool(subset).lights[i], data.picture(subset, i)) for i in ids))

    return ask


class Pool(NamedTuple):
    """All images of a subset's kept classes by scene and shape, and their samples by image id."""

    support: Support
    lights: dict[str, Sample]


def pool(images: Iterable[Sample]) -> Pool:
    """Where the examples of a subset are drawn from."""
    found = Pool({scene: {} for scene in SCENES}, {})
    for sample in images:
        if applies(sample.tags):
            image_id = sample.id.rpartition("/")[0]
            found.support[sample.tags["scene"]].setdefault(sample.tags["shape"], []).append(image_id)
            found.lights[image_id] = sample
    return found


def check_shots(subset: str, shots: int) -> None:
    """Examples of a query are all of other shapes, but for one."""
    others = len(KEPT[subset]) - 1
    if shots > others:
        raise SnellenError(f"--shots {shots}: {subset} has {others + 1} classes, so at most {others} examples differ")
