"""The training data of snellen-tiny: pictures of all synthetic exams at the model's size, with questions as the exams ask them.

Everything is made in memory by the exams' own makers. Texts come from `Exam.ask` and the local subject's `to_prompt`, so
a question in training is byte for byte the question of a run. Seeds start at 2**40 (`RESERVED`): no set that `snellen data make`
writes with a smaller seed shares a picture with the training data. D3 pairs come from the maker's own part for training.
"""

from __future__ import annotations

import io
import json
import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from snellen.core.types import Picture, Sample, Text
from snellen.exams.d3.exam import EXAM as D3
from snellen.exams.illusionbench.exam import EXAM as ILLUSION
from snellen.exams.salbench.exam import EXAM as SALBENCH
from snellen.exams.vqa_nle.exam import ACTX, ESNLIVE, VCR, VQAX
from snellen.subjects.local.chat import to_prompt
from snellen.synthetic.chance import generator
from snellen.synthetic.scenes.model import Scene

SIDE, PATCH = 112, 16
GRID = SIDE // PATCH
FINE = 4
"""Steps of a plan in a patch, each way."""
RESERVED = 2**40
PROMPTS = {
    "salbench": "question",
    "illusionbench": "original",
    "vqax": "zero",
    "actx": "zero",
    "esnlive": "zero",
    "vcr": "zero",
    "d3": "pair",
    "eye": "question",
}
"""The one prompt of each exam that the model learns."""
CHUNK = 64
_ASKED = {"presence": 6, "colour": 4, "action": 3, "is-colour": 2, "is-state": 2, "is-action": 2, "count": 2, "position": 3,
          "state": 2, "place": 1, "weather": 1, "hat": 1, "facing": 1}  # fmt: skip
"""The frequency of each kind of question about a free scene."""

Pixels = npt.NDArray[np.uint8]
Exam = Any


class Block(NamedTuple):
    """One question about a row's pictures, and the wanted reply."""

    exam: str
    messages: str
    reply: str


class Fact(NamedTuple):
    """A true statement about a picture, for teaching the eye: `GROUP/text`, and the patches that show it."""

    name: str
    patches: tuple[int, ...] = ()

    @property
    def group(self) -> str:
        return self.name.partition("/")[0]


class Row(NamedTuple):
    """One or two pictures with all questions about them, and the facts of each.

    `plan` shows the place of the answer: for P3 the odd object's cell, for a hidden shape its silhouette, both at a quarter of the size.
    """

    pictures: Pixels
    blocks: tuple[Block, ...]
    facts: tuple[tuple[Fact, ...], ...] = ()
    plan: Pixels | None = None


@lru_cache(maxsize=1)
def _placeholder() -> Picture:
    """Return a picture for `to_prompt`, whose text does not depend on the content."""
    from PIL import Image

    sink = io.BytesIO()
    Image.new("RGB", (1, 1)).save(sink, "PNG")
    return Picture(data=sink.getvalue(), name="training")


def block(exam: Exam, sample: Sample, reply: str) -> Block:
    """Return a question with its reply, in the words of the exam and the local subject. Messages are JSON, so that they can be shared."""
    question = exam.ask(PROMPTS[exam.name], sample)
    return Block(exam.name, json.dumps(to_prompt(question, {}).messages), reply)


def sample_of(tags: dict[str, str], pictures: int = 1, **facts: Any) -> Sample:
    """Return a sample with placeholders for pictures."""
    return Sample(id="training", tags=tags, facts=facts, pictures=(_placeholder(),) * pictures)


def small(image: Any) -> Pixels:
    """Return the picture as the model's image processor makes it; very large ones are first averaged to a quarter, which is quicker."""
    from PIL import Image

    picture = Image.fromarray(image) if isinstance(image, np.ndarray) else image
    if min(picture.size) > 8 * SIDE:
        picture = picture.reduce(4)
    return np.asarray(picture.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BICUBIC))


def _opened(data: bytes) -> Pixels:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        return small(image)


# ---------------------------------------------------------------- one function for each part: (seed, index) to rows


def p3(seed: int, index: int) -> list[Row]:
    """Make SalBench P3: which feature is odd. Keep only one in four of the hard ones, which cannot be seen at this size."""
    from snellen.synthetic.patterns import scenes_p3, wording

    scene = scenes_p3.scene(seed, index)
    if scene.difficulty == "hard" and index % 4:
        return []
    tags = {"config": "P3", "split": "P3", "task": "D"}
    asked = block(SALBENCH, sample_of(tags, question=wording.question("P3")), scene.features[0].title())
    x0, y0, x1, y1 = scene.box
    plan = np.zeros((1, GRID, GRID), np.uint8)
    plan[0, (y0 + y1) * GRID // (2 * scenes_p3.SIDE), (x0 + x1) * GRID // (2 * scenes_p3.SIDE)] = 255
    plan = plan.repeat(FINE, axis=1).repeat(FINE, axis=2)
    return [Row(small(scene.image)[None], (asked,), ((Fact(f"odd/{scene.features[0]}"),),), plan)]


def illusions(seed: int, index: int) -> list[Row]:
    """Make IllusionBench: one scene with a shape of each subset in turn, since a scene takes longer to draw than a shape."""
    from snellen.synthetic.hidden import scenery, silhouettes
    from snellen.synthetic.hidden.make import SPLITS, STRENGTHS
    from snellen.synthetic.hidden.scenery_scenes import SCENES

    rng = np.random.default_rng([seed, 7, index])
    name = tuple(SCENES)[index % len(SCENES)]
    ground = scenery.scene(name, rng)
    rows = []
    for split in SPLITS:
        shapes, levels = silhouettes.shapes(split), tuple(STRENGTHS.values())
        shape = shapes[int(rng.integers(len(shapes)))]
        strengths = levels[int(rng.integers(len(levels)))]
        mask = silhouettes.silhouette(split, shape, int(rng.integers(silhouettes.VARIANTS[split])), rng)
        image = scenery.compose(ground, mask, strengths[int(rng.integers(len(strengths)))], rng)
        tags = {"split": split, "shape": shape, "scene": name}
        blocks = tuple(block(ILLUSION, sample_of(tags | {"task": task}), tags[task]) for task in ("shape", "scene"))
        facts = (Fact(f"{split}/{shape}"), Fact(f"background/{name}"))
        rows.append(Row(small(image)[None], blocks, (facts,), _plan(mask)[None]))
    return rows


def _plan(mask: npt.NDArray[np.float32]) -> Pixels:
    """Return a silhouette at the size of a plan."""
    step = mask.shape[0] // (GRID * FINE)
    kept = mask[: step * GRID * FINE, : step * GRID * FINE]
    small_mask: npt.NDArray[np.float32] = kept.reshape(GRID * FINE, step, GRID * FINE, step).mean(axis=(1, 3))
    return np.rint(255 * small_mask).astype(np.uint8)


def _because(answer: str, explanation: str) -> str:
    return f"{answer} because {explanation}"


def _asked_vqax(question: str, answer: str, explanation: str) -> Block:
    return block(VQAX, sample_of({"task": "vqax"}, question=question), _because(answer, explanation))


def _asked_esnlive(hypothesis: str, label: str, explanation: str) -> Block:
    return block(ESNLIVE, sample_of({"task": "esnlive"}, hypothesis=hypothesis), _because(label, explanation))


def _asked_actx(label: str, explanation: str) -> Block:
    return block(ACTX, sample_of({"task": "actx"}), _because(label, explanation))


def vqax(seed: int, index: int) -> list[Row]:
    """Make VQA-X: records as in a made set, those on one picture together."""
    from snellen.exams.vqa_nle.vqa_official import majority
    from snellen.synthetic.explained import vqax as made_vqax

    if index % 5 == 4:  # asked with the picture before it
        return []
    records = [made_vqax.made("train", seed, i) for i in ((index, index + 1) if index % 5 == 3 else (index,))]
    blocks = tuple(
        _asked_vqax(r["question"], majority([a["answer"] for a in r["answers"]]) or "", r["explanation"][0])
        for r in (one.record for one in records)
    )
    return [Row(_opened(records[0].picture[1])[None], blocks)] if records[0].picture else []


def actx(seed: int, index: int) -> list[Row]:
    """Make ACT-X: the activity of a person."""
    from snellen.synthetic.explained import actx as made_actx

    one = made_actx.made("train", seed, index)
    asked = _asked_actx(one.record["answers"], one.record["explanation"][0])
    return [Row(_opened(one.picture[1])[None], (asked,))] if one.picture else []


def esnlive(seed: int, index: int) -> list[Row]:
    """Make e-SNLI-VE: the three hypotheses of a picture."""
    from snellen.synthetic.explained import esnlive as made_esnlive

    made = [made_esnlive.made("train", seed, 3 * index + place) for place in range(3)]
    blocks = tuple(
        _asked_esnlive(r["hypothesis"], r["answers"], r["explanation"]) for r in (one.record for one in made)
    )
    return [Row(_opened(made[0].picture[1])[None], blocks)] if made[0].picture else []


def vcr(seed: int, index: int) -> list[Row]:
    """Make VCR: a letter, and the right rationale."""
    from snellen.exams.vqa_nle.formats.records import sentence
    from snellen.exams.vqa_nle.names import LETTERS
    from snellen.synthetic.explained import vcr as made_vcr

    one = made_vcr.made("train", seed, index)
    line, count = one.record, len(one.record["objects"])
    sample = sample_of(
        {"task": "vcr"},
        question=sentence(line["question"], count),
        choices=[sentence(choice, count) for choice in line["answer_choices"]],
        objects=line["objects"],
    )
    why = sentence(line["rationale_choices"][line["rationale_label"]], count)
    asked = block(VCR, sample, _because(LETTERS[line["answer_label"]], why))
    return [Row(_opened(one.picture[1])[None], (asked,))] if one.picture else []


def scenes(seed: int, index: int) -> list[Row]:
    """Make free scenes with many questions each, so that the eye learns quickly."""
    from snellen.synthetic.explained.esnlive import plain_claims
    from snellen.synthetic.scenes.sampling import draw_scene

    rng = generator("snellen-tiny", "scenes", seed, index)
    scene = draw_scene(rng)
    blocks = [*_questions(scene, rng, 4)]
    claims, wanted = plain_claims(scene, rng), rng.choice(("entailment", "contradiction"))
    claim = rng.choice([c for c in claims if c.label == wanted] or claims)
    blocks.append(_asked_esnlive(f"{claim.text[0].upper()}{claim.text[1:]}.", claim.label, claim.why.lower()))
    if len(scene.people) == 1:
        blocks.append(_person(scene))
    picture, facts = _drawn(scene)
    return [Row(picture[None], tuple(blocks), (facts,))]


def _drawn(scene: Scene) -> tuple[Pixels, tuple[Fact, ...]]:
    """Return a scene's picture, and all true statements about it with the patches that show them."""
    from snellen.synthetic.scenes.model import Person
    from snellen.synthetic.scenes.render import draw
    from snellen.synthetic.scenes.words import facts

    drawing = draw(scene)
    names = [item.who if isinstance(item, Person) else item.kind for item in scene.items()]
    places = {name: _patches(box, drawing.image.size) for name, box in zip(names, drawing.boxes, strict=True)}
    places["scene"] = tuple(range(GRID * GRID))
    return small(drawing.image), tuple(Fact(f"scene/{fact.text}", places[fact.about]) for fact in facts(scene))


def _patches(box: Any, size: tuple[int, int]) -> tuple[int, ...]:
    """Return the patches that a box covers by a third or more, and at least the one in its middle."""
    across, down = size[0] / GRID, size[1] / GRID
    found = []
    for row in range(GRID):
        for column in range(GRID):
            wide = min(box.right, (column + 1) * across) - max(box.left, column * across)
            high = min(box.bottom, (row + 1) * down) - max(box.top, row * down)
            if wide > 0 and high > 0 and wide * high > across * down / 3:
                found.append(row * GRID + column)
    middle = int((box.top + box.bottom) / 2 // down) * GRID + int((box.left + box.right) / 2 // across)
    return tuple(found) or (min(middle, GRID * GRID - 1),)


def _person(scene: Scene) -> Block:
    from snellen.synthetic.explained.actx import explanations

    person = scene.people[0]
    return _asked_actx(person.act.label_at(scene.place), explanations(scene, person)[0].lower())


def _questions(scene: Scene, rng: Random, count: int) -> Iterator[Block]:
    """Yield some questions about a scene, no two of the same kind."""
    from snellen.synthetic.scenes.questions import questions

    by_kind: dict[str, list[Any]] = {}
    for asked in questions(scene, rng):
        by_kind.setdefault(asked.kind, []).append(asked)
    kinds = sorted(by_kind, key=lambda kind: rng.random() ** (1 / _ASKED[kind]), reverse=True)
    for kind in kinds[:count]:
        asked = rng.choice(by_kind[kind])
        yield _asked_vqax(asked.question, asked.answer, asked.explanations[0].lower().replace(".", ""))


def pairs(seed: int, index: int) -> list[Row]:
    """Make D3: two scenes that differ in one way, each with the sentence that is true of it alone."""
    from snellen.synthetic.pairs.make import difference
    from snellen.synthetic.scenes.words import sentence

    told = difference(seed, index, "train")
    said = {"left_image": sentence(told.said_of_one), "right_image": sentence(told.said_of_other)}
    sample = sample_of(
        {"split": "all", "task": "pair"}, 2, uid="training", left="images/left.jpg", right="images/right.jpg"
    )
    drawn = [_drawn(scene) for scene in (told.one, told.other)]
    pictures = np.stack([picture for picture, _ in drawn])
    return [Row(pictures, (block(D3, sample, json.dumps(said)),), tuple(facts for _, facts in drawn))]


Maker = Callable[[int, int], list[Row]]
PARTS: Mapping[str, Maker] = {
    "p3": p3,
    "illusions": illusions,
    "vqax": vqax,
    "actx": actx,
    "esnlive": esnlive,
    "vcr": vcr,
    "scenes": scenes,
    "pairs": pairs,
}


def _made(job: tuple[Maker, int, int, int]) -> list[Row]:
    maker, seed, start, stop = job
    return [row for index in range(start, stop) for row in maker(seed, index)]


def make(
    counts: Mapping[str, int], seed: int, workers: int, parts: Mapping[str, Maker] = PARTS
) -> dict[str, list[Row]]:
    """Return rows of each part, the same for any number of workers."""
    jobs = [
        (part, RESERVED + seed, start, min(start + CHUNK, count))
        for part, count in counts.items()
        for start in range(0, count, CHUNK)
    ]
    found: dict[str, list[Row]] = {part: [] for part in counts}
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        made = pool.map(_made, [(parts[part], *rest) for part, *rest in jobs])
        for job, rows in zip(jobs, made, strict=True):
            found[job[0]] += rows
    return found


def texts_of(messages: str) -> list[str]:
    """Return all pieces of text in a block's messages."""
    return [
        part["text"]
        for turn in json.loads(messages)
        for part in turn["content"]
        if part["type"] == Text.__struct_config__.tag
    ]
