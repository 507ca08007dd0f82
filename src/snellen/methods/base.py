"""The contract of a grounding method: it gets a picture and an instruction, and nothing else.

A MethodView is made from a Question, which holds no truth. Whatever reaches outside (a parser, a model, a thread) comes in through
Tools, so a method does no I/O of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar
from typing import Protocol as Interface

from snellen.core.errors import SnellenError
from snellen.core.images import sniff
from snellen.core.types import Answer, Question, Struct
from snellen.exams.grounding.geometry import Crop, Pixels
from snellen.exams.grounding.reading.predictions import Detection, Prediction
from snellen.methods.pictures import opened

Options = Mapping[str, str | int | float | bool]
T = TypeVar("T")


class MethodView(Struct, frozen=True):
    """All that a method is shown."""

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
    """What a parser sees in one picture: detections in that picture's pixels, in the parser's own order.

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
    """What a method may use."""

    async def parse(self, image: bytes, note: str) -> Parse:
        """Parse a picture. `note` says what was cut ("whole", "crop 10,20,210,220"). Raises ToolFailure."""

    async def ask(self, question: Question) -> Answer:
        """Ask a model. `question.prompt` is its role: ground, choose, plan or check."""

    async def compute(self, function: Callable[..., T], *args: Any) -> T:
        """Call a function in a thread."""


class Method(Interface):
    """A way to find what an instruction names. `needs` lists what must be there: parser:NAME, model, planner, extra:NAME, truth."""

    name: str
    needs: tuple[str, ...]
    most: int
    """Maximum number of looks per sample."""
    prompt: tuple[str, int]
    """What a model is told at a look besides the instruction, and how many pictures it is shown."""
    identity: Mapping[str, str]
    """What else decides its answers: the version of its rules, or the digest of a plugin's code."""

    async def locate(self, view: MethodView, tools: Tools) -> Prediction:
        """Find it. A parser or a model that fails is a Prediction with the status `error`."""


class MethodEntry(NamedTuple):
    """A line of the catalogue of methods."""

    name: str
    needs: tuple[str, ...]
    about: str
    oracle: bool = False
