"""Models that answer with a point: UI-TARS in its own protocol, and any vision-language model in a declared format."""

from __future__ import annotations

import math
from functools import lru_cache

from snellen.core.errors import SnellenError, unknown
from snellen.core.types import Answer, Picture, Question, Text, Token
from snellen.exams.grounding import prompts
from snellen.exams.grounding.geometry import Crop, Point
from snellen.exams.grounding.methods.base import MethodView, Tools
from snellen.exams.grounding.methods.formats import FORMATS, SPACES, UITARS, PointFormat, Size, place, smart
from snellen.exams.grounding.methods.image_sizes import PixelLimits
from snellen.exams.grounding.methods.looks import Locator, Look
from snellen.exams.grounding.methods.pictures import cut, noted, scaled
from snellen.exams.grounding.methods.timing import aside
from snellen.exams.grounding.reading.points import read_point

ROLE = "ground"


class Grounder(Locator):
    """Asks a model for a point in one declared format. The picture is sent in the very size that the numbers refer to."""

    needs = ("model",)

    def __init__(self, form: PointFormat, space: str | None = None, refusals: bool = False) -> None:
        if space is not None and space not in SPACES:
            raise unknown("coordinate space", space, SPACES)
        self.form, self.space = form, space or form.space
        self.refusal = prompts.REFUSAL if refusals else ""
        self.prompt = (form.template + self.refusal, 1)

    async def look(self, view: MethodView, crop: Crop, instruction: str, tools: Tools) -> Look:
        try:
            sent = self.form.size(crop.inner.width, crop.inner.height)
        except SnellenError as error:
            return Look("error", reason=str(error))
        data = await aside(tools, _prepared, view.image, crop, sent)
        text = prompts.filled(self.form.template, instruction=instruction, width=sent[0], height=sent[1])
        question = Question(
            id=asked_id(view, crop),
            exam=prompts.EXAM,
            prompt=ROLE,
            parts=(
                Picture(data=data, name=view.id, transforms=steps(crop, sent)),
                Text(text=text + self.refusal),
            ),
        )
        return self.read(await tools.ask(question), sent, crop)

    def read(self, answer: Answer, sent: Size, crop: Crop) -> Look:
        """What a reply says, in the crop's pixels."""
        problem = no_reply(answer)
        if problem is not None:
            return problem
        look = Look("unparsable", replies=(answer.text,), calls=1)
        said = read_point(answer.text, cut=answer.finish_reason == "length")
        if said.kind == "refusal":
            return look._replace(status="refused", reason=said.note)
        if said.kind not in ("point", "box"):
            return look._replace(reason=said.note)
        shape = place(said.numbers, said.unit or self.space, sent, crop.inner)
        point, box = (shape, None) if isinstance(shape, Point) else (shape.centre, shape)
        note = "" if point.inside else "the point lies outside the picture"
        return look._replace(status="found", point=point, box=box, confidence=certainty(answer.tokens), reason=note)


def uitars(version: str, prompt: str, space: str | None, fewest: float | None, most: float | None) -> Grounder:
    """UI-TARS v1 (0-1000) or 1.5 (pixels of the resized picture), with the maintainers' evaluation prompt or the GROUNDING template.

    `fewest` and `most` are the server's pixels, where they are not the model's own.
    """
    if version not in UITARS:
        raise unknown("UI-TARS version", version, UITARS)
    templates = {"official": prompts.UITARS_OFFICIAL, "grounding": prompts.UITARS_GROUNDING}
    if prompt not in templates:
        raise unknown("UI-TARS prompt", prompt, templates)
    own_space, own = UITARS[version]
    limits = PixelLimits(int(fewest or own.fewest), int(most or own.most))
    return Grounder(PointFormat(templates[prompt], own_space, smart(limits)), space)


def vlm(name: str, space: str | None, refusals: bool) -> Grounder:
    """Any vision-language model whose point format is known."""
    if name not in FORMATS:
        raise unknown("point format", name, FORMATS)
    return Grounder(FORMATS[name], space, refusals)


def no_reply(answer: Answer) -> Look | None:
    """A look for an answer that holds no reply to read; None where it holds one."""
    if answer.failure is not None:
        return Look("error", calls=1, reason=f"{answer.failure.kind}: {answer.failure.reason}")
    if answer.refused or answer.finish_reason == "content_filter":
        return Look("refused", calls=1, replies=(answer.text,), reason="the model refuses")
    if not answer.text.strip():
        cut_off = answer.finish_reason == "length"
        return Look("unparsable", calls=1, reason="the reply was cut off" if cut_off else "the reply is empty")
    return None


def certainty(tokens: tuple[Token, ...]) -> float | None:
    """The geometric mean of the tokens' probabilities; None where the endpoint gave none."""
    if not tokens:
        return None
    return math.exp(sum(t.logprob for t in tokens) / len(tokens))


def asked_id(view: MethodView, crop: Crop) -> str:
    """The id of a question about a crop; of the whole screenshot, the sample's own."""
    return view.id if crop == view.whole else f"{view.id}@{','.join(map(str, crop.edges))}"


def steps(crop: Crop, sent: Size) -> tuple[str, ...]:
    """What was done to the picture, for the ledger."""
    resized = f"resize {sent[0]}x{sent[1]}" if sent != crop.inner.size else ""
    return tuple(step for step in (noted(crop), resized) if step not in ("", "whole"))


@lru_cache(maxsize=16)
def _prepared(image: bytes, crop: Crop, sent: Size) -> bytes:
    """The picture as it is sent. Kept for a while: the targets of one screenshot are asked for one after the other."""
    return scaled(cut(image, crop), *sent)
