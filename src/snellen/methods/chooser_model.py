"""A model that chooses the number of a detected box: OmniParser's own blind protocol."""

from __future__ import annotations

import re
from functools import lru_cache

from snellen.core.text import one_line
from snellen.core.types import Picture, Question, Text
from snellen.exams.grounding.reading.points import thought_out
from snellen.exams.grounding.reading.predictions import Detection
from snellen.methods import prompts
from snellen.methods.base import Look, Parse, Tools
from snellen.methods.grounders import certainty, no_reply
from snellen.methods.parsers import ParserLocator
from snellen.methods.pictures import tagged

_LONGEST_CONTENT = 120
_tagged = lru_cache(maxsize=16)(tagged)  # the numbered picture is the same for every target of a screenshot
_ID = re.compile(
    r"""["']?Click\s{0,4}(?:BBox\s{0,4})?ID["']?\s{0,8}[:=]\s{0,8}["']?\s{0,4}(none|null|-1|\d{1,8})(?!\d)""",
    re.IGNORECASE,
)


class ModelChooser(ParserLocator):
    """Shows a model the screenshot, the screenshot with numbered boxes and the list of boxes; reads the number from the reply."""

    prompt = (prompts.CHOOSER_SYSTEM + prompts.CHOOSER, 2)

    def __init__(self, parser: tuple[str, ...], refusals: bool = False) -> None:
        super().__init__((*parser, "model"))
        self._refusal = prompts.CHOOSER_REFUSAL if refusals else ""

    async def choose(self, sample: str, picture: bytes, instruction: str, parse: Parse, tools: Tools) -> Look:
        detections = parse.detections
        numbered = await tools.compute(_tagged, picture, tuple(d.box for d in detections))
        text = prompts.filled(prompts.CHOOSER, instruction=instruction, boxes=listed(detections))
        question = Question(
            id=sample,
            exam=prompts.EXAM,
            prompt="choose",
            system=prompts.CHOOSER_SYSTEM,
            parts=(
                Text(text=text + self._refusal),
                Picture(data=picture, name=sample),
                Picture(data=numbered, name=f"{sample} with numbers", transforms=("numbered boxes",)),
            ),
        )
        answer = await tools.ask(question)
        problem = no_reply(answer)
        if problem is not None:
            return problem
        number = read_id(answer.text, cut=answer.finish_reason == "length")
        look = Look("unparsable", replies=(answer.text,), calls=1)
        if number is None:
            return look._replace(reason="no box id in the reply")
        if number < 0:
            return look._replace(status="refused", reason="the model says that none of the boxes is meant")
        if number >= len(detections):
            return look._replace(reason=f"the reply chooses box {number} of {len(detections)}")
        order = (detections[number], *(d for d in detections if d is not detections[number]))
        return look._replace(status="found", confidence=certainty(answer.tokens), detections=order)


def listed(detections: tuple[Detection, ...]) -> str:
    """List the boxes as OmniParser's evaluation does: id, class and description."""
    text = ""
    for number, detection in enumerate(detections):
        content = one_line(detection.text, _LONGEST_CONTENT).replace('"', "'")
        tag, kind = ("p", "text") if detection.kind == "text" else ("img", "icon")
        text += f'<{tag} id={number} class="{kind}" alt="{content}"> </{tag}>\n'
    return text


def read_id(reply: str, cut: bool = False) -> int | None:
    """Return the chosen number; -1 for none of them; None where there is no number to read. Thinking is not read.

    A reply that was `cut` off counts only where it holds a whole object.

    >>> read_id("{'Analysis': 'a save icon', 'Click BBox ID': '12'}")
    12
    """
    text = thought_out(reply)
    found = _ID.findall(text[: text.rfind("}") + 1] if cut else text[-20_000:])
    if not found:
        return None
    return int(found[-1]) if found[-1].isdecimal() else -1
