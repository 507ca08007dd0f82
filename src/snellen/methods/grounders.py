"""Models that answer with a point: UI-TARS in its own protocol, and any vision-language model in a declared format."""

from __future__ import annotations

import math
from functools import lru_cache

from snellen.core.errors import SnellenError
from snellen.core.types import Answer, Picture, Question, Text, Token
from snellen.exams.grounding.geometry import Crop, Point
from snellen.exams.grounding.reading.points import read_point
from snellen.methods import prompts
from snellen.methods.base import Locator, Look, MethodView, Tools
from snellen.methods.formats import PointFormat, Size, place
from snellen.methods.pictures import cut, noted, scaled


class Grounder(Locator):
    """Asks a model for a point in one declared format. The picture is sent in exactly the size that the numbers refer to."""

    needs = ("model",)

    def __init__(self, form: PointFormat, space: str | None = None, refusals: bool = False) -> None:
        self._form, self._space = form, space or form.space
        self._refusal = prompts.REFUSAL if refusals else ""
        self.prompt = (form.template + self._refusal, 1)

    async def look(self, view: MethodView, crop: Crop, instruction: str, tools: Tools) -> Look:
        try:
            sent = self._form.size(crop.inner.width, crop.inner.height)
        except SnellenError as error:
            return Look("error", reason=str(error))
        data = await tools.compute(_prepared, view.image, crop, sent)
        text = prompts.filled(self._form.template, instruction=instruction, width=sent[0], height=sent[1])
        answer = await tools.ask(crop_question("ground", view, crop, data, sent, text + self._refusal))
        problem = no_reply(answer)
        if problem is not None:
            return problem
        look = Look("unparsable", replies=(answer.text,), calls=1)
        said = read_point(answer.text, cut=answer.finish_reason == "length")
        if said.kind == "refusal":
            return look._replace(status="refused", reason=said.note)
        if said.kind not in ("point", "box"):
            return look._replace(reason=said.note)
        shape = place(said.numbers, said.unit or self._space, sent, crop.inner)
        point, box = (shape, None) if isinstance(shape, Point) else (shape.centre, shape)
        note = "" if point.inside else "the point lies outside the picture"
        return look._replace(status="found", point=point, box=box, confidence=certainty(answer.tokens), reason=note)


def crop_question(
    role: str, view: MethodView, crop: Crop, picture: bytes, sent: Size, text: str, system: str | None = None
) -> Question:
    """Return a question about a crop, with its ledger entry. A question about the whole screenshot has the sample's own id."""
    resized = f"resize {sent[0]}x{sent[1]}" if sent != (crop.inner.width, crop.inner.height) else ""
    cropped = "" if crop == view.whole else noted(crop)
    return Question(
        id=f"{view.id}@{','.join(map(str, crop.edges))}" if cropped else view.id,
        exam=prompts.EXAM,
        prompt=role,
        system=system,
        parts=(
            Picture(data=picture, name=view.id, transforms=tuple(step for step in (cropped, resized) if step)),
            Text(text=text),
        ),
    )


def no_reply(answer: Answer) -> Look | None:
    """Return a look for an answer without a reply to read; None where there is one."""
    if answer.failure is not None:
        return Look("error", calls=1, reason=f"{answer.failure.kind}: {answer.failure.reason}")
    if answer.refused or answer.finish_reason == "content_filter":
        return Look("refused", calls=1, replies=(answer.text,), reason="the model refuses")
    if not answer.text.strip():
        cut_off = answer.finish_reason == "length"
        return Look("unparsable", calls=1, reason="the reply was cut off" if cut_off else "the reply is empty")
    return None


def certainty(tokens: tuple[Token, ...]) -> float | None:
    """Return the geometric mean of the tokens' probabilities; None where the endpoint gave none."""
    return math.exp(sum(t.logprob for t in tokens) / len(tokens)) if tokens else None


@lru_cache(maxsize=16)
def _prepared(image: bytes, crop: Crop, sent: Size) -> bytes:
    """Return the picture as it is sent. It is cached for a while, since the targets of one screenshot come one after the other."""
    return scaled(cut(image, crop), *sent)
