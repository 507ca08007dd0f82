"""The contract of a grounding method: it gets a picture and an instruction, and nothing else.

A MethodView is made from a Question, which holds no truth. A parser, a model or a thread comes in through Tools, so a method does
no I/O of its own. A method is built on a Locator, which takes one look at one picture. A Search keeps the looks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar
from typing import Protocol as Interface

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.images import sniff
from snellen.core.text import one_line
from snellen.core.types import Answer, Question, Struct
from snellen.exams.grounding.geometry import Box, Crop, Pixels, Point
from snellen.exams.grounding.reading.predictions import (
    MOST_CROPS,
    Detection,
    Prediction,
    Status,
    bounded,
    flattened,
    shortened,
)
from snellen.methods.pictures import opened

T = TypeVar("T")
_MOST_FAILURES = 8


class MethodView(Struct, frozen=True):
    """All that a method sees of a sample."""

    id: str
    image: bytes
    width: int
    height: int
    instruction: str

    @staticmethod
    def of(question: Question) -> MethodView:
        """Return the view of a question: its one picture and its text."""
        if len(question.pictures) != 1:
            raise SnellenError(f"question {question.id} has {len(question.pictures)} pictures, and a screenshot is one")
        data = question.pictures[0].data
        head = sniff(data)
        try:
            width, height = (head.width, head.height) if head.width else opened(data).size
        except SnellenError as error:
            raise SnellenError(f"{question.id}: {error}") from None
        return MethodView(id=question.id, image=data, width=width, height=height, instruction=question.text)

    @property
    def whole(self) -> Crop:
        """The crop that cuts nothing off."""
        return Crop.whole(Pixels(self.width, self.height))


class Parse(Struct, frozen=True):
    """The detections in one picture: in that picture's pixels, in the parser's own order.

    `seconds` is its cost for the first sample that asked for it; 0 for later samples, None if it is not known.
    """

    width: int
    height: int
    detections: tuple[Detection, ...]
    seconds: float | None = None


class ToolFailure(Exception):
    """A parser or a model could not be used, which is not the same as finding nothing.

    `lasting`: the same picture would fail again.
    """

    def __init__(self, kind: str, reason: str, lasting: bool = False) -> None:
        super().__init__(reason)
        self.kind, self.reason, self.lasting = kind, reason, lasting


class Tools(Interface):
    """The tools that a method may use."""

    async def parse(self, image: bytes, note: str) -> Parse:
        """Parse a picture. `note` says what was cut ("whole", "crop 10,20,210,220"). Raises ToolFailure."""

    async def ask(self, question: Question) -> Answer:
        """Ask a model. `question.prompt` is its role: ground, choose, plan or check."""

    async def compute(self, function: Callable[..., T], *args: Any) -> T:
        """Call a function in a thread."""


class Look(NamedTuple):
    """The result of one look: from a Locator in the crop's pixels, from a Search in the screenshot's. Only a parser gives detections."""

    status: Status
    point: Point | None = None
    box: Box | None = None
    text: str | None = None
    confidence: float | None = None
    detections: tuple[Detection, ...] | None = None
    replies: tuple[str, ...] = ()
    calls: int = 0
    reason: str = ""


class Locator(Interface):
    """A Locator looks at one picture and says where it would click. `needs`, `prompt` and `identity` are a method's."""

    needs: tuple[str, ...] = ()
    scored: bool = False
    """True if its confidences can be compared between looks."""
    prompt: tuple[str, int] = ("", 0)
    identity: Mapping[str, str] = {}

    async def look(self, view: MethodView, crop: Crop, instruction: str, tools: Tools) -> Look:
        """Look at a crop of the view. If a parser or a model fails, return a Look with the status `error`."""


class Method(Interface):
    """A way to find the target of an instruction. `needs` lists its requirements: parser:NAME, model, planner, extra:NAME, truth."""

    name: str
    needs: tuple[str, ...]
    most: int
    """Maximum number of looks per sample."""
    prompt: tuple[str, int]
    """The text that a model gets at a look besides the instruction, and its number of pictures."""
    identity: Mapping[str, str]
    """Other facts that decide its answers: the version of its rules, or the digest of a plugin's code."""

    async def locate(self, view: MethodView, tools: Tools) -> Prediction:
        """Find the target. If a parser or a model fails, return a Prediction with the status `error`."""


class Search:
    """The looks that one locator has taken for one sample. `cap` bounds the calls."""

    def __init__(self, view: MethodView, locator: Locator, tools: Tools, cap: int | None = None) -> None:
        self.view, self.locator, self.tools, self.cap = view, locator, tools, cap
        self.attempts = 0
        self.calls = 0
        self.crops: list[Crop] = []
        self.replies: list[str] = []
        self.failures: list[str] = []
        self.detections: list[Detection] | None = None

    @property
    def spent(self) -> bool:
        """True if no further call is allowed."""
        return self.cap is not None and self.calls >= self.cap

    def begin(self, crop: Crop) -> None:
        """Count a look."""
        self.attempts += 1
        if crop != self.view.whole:
            self.crops.append(crop)

    async def look(self, crop: Crop, instruction: str | None = None) -> Look:
        """Look at a crop, for the view's instruction or another one, and return the answer in the screenshot's pixels."""
        self.begin(crop)
        wanted = self.view.instruction if instruction is None else instruction
        look = await self.locator.look(self.view, crop, wanted, self.tools)
        self.calls += look.calls
        self.replies += look.replies
        if look.status == "error":
            self.failures.append(look.reason)
        if look.detections is not None:
            moved = tuple(_moved(d, crop.left, crop.top) for d in look.detections)
            look = look._replace(detections=moved)
            self.detections = [*(self.detections or ()), *moved]
        return look._replace(
            point=None if look.point is None else crop.back(look.point),
            box=None if look.box is None else crop.back(look.box),
        )

    def prediction(self, method: str, look: Look, oracle: bool = False) -> Prediction:
        """Return the final answer with all looks that led to it."""
        # without repeats, those of the look that decided before the rest
        seen = list({d.box: d for d in (*(look.detections or ()), *(self.detections or ()))}.values())
        return Prediction(
            method=method,
            status=look.status,
            size=(self.view.width, self.view.height),
            point=None if look.point is None else (look.point.x, look.point.y),
            box=None if look.box is None else look.box.corners,
            text=look.text,
            confidence=look.confidence,
            attempts=self.attempts,
            calls=self.calls,
            crops=tuple(c.box.corners for c in self.crops[:MOST_CROPS]),
            detections=shortened(seen),
            others=flattened(seen),
            detections_total=None if self.detections is None else len(seen),
            replies=bounded(self.replies),
            failures=tuple(one_line(f) for f in self.failures[:_MOST_FAILURES]),
            reason=one_line(look.reason),
            oracle=oracle,
        )


def _moved(detection: Detection, dx: float, dy: float) -> Detection:
    x1, y1, x2, y2 = detection.box
    return msgspec.structs.replace(detection, box=(x1 + dx, y1 + dy, x2 + dx, y2 + dy))
