"""The contract of a grounding method: it gets an image and an instruction, and nothing else exists for it.

A View is made from a Question, which holds no truth. Whatever reaches outside (a parser, a model) comes in through Tools, so a
method does no I/O of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from typing import Protocol as Interface

from snellen.core.errors import SnellenError
from snellen.core.images import sniff
from snellen.core.types import Answer, Question, Struct
from snellen.exams.grounding.geometry import Crop, Pixels
from snellen.exams.grounding.methods.pictures import opened
from snellen.exams.grounding.reading.predictions import Detection, Prediction

Options = Mapping[str, str | int | float | bool]


class MethodView(Struct, frozen=True):
    """All that a method is shown."""

    id: str
    image: bytes
    width: int
    height: int
    instruction: str

    @staticmethod
    def of(question: Question) -> MethodView:
        """The view of a question: its one picture and its text."""
        pictures = question.pictures
        if len(pictures) != 1:
            raise SnellenError(f"question {question.id} has {len(pictures)} pictures, and a screenshot is one")
        data = pictures[0].data
        head = sniff(data)
        try:
            width, height = (head.width, head.height) if head.width else opened(data).size
        except SnellenError as error:
            raise SnellenError(f"{question.id}: {error}") from None
        return MethodView(id=question.id, image=data, width=width, height=height, instruction=question.text)

    @property
    def space(self) -> Pixels:
        """The screenshot's own pixels."""
        return Pixels(self.width, self.height)

    @property
    def whole(self) -> Crop:
        """The crop that cuts nothing off."""
        return Crop.whole(self.space)


class Parse(Struct, frozen=True):
    """What a parser sees in one picture: detections in that picture's pixels, in the parser's own order.

    `seconds` is what it took whoever asked first; 0 for those who get it from memory, None where nobody knows.
    """

    width: int
    height: int
    detections: tuple[Detection, ...]
    parser: str = ""
    padded: bool = False
    seconds: float | None = None


class ToolFailure(Exception):
    """A parser or a model could not be used. Told apart from an answer that nothing is there.

    `lasting` means that asking again with the same picture would fail again.
    """

    def __init__(self, kind: str, reason: str, lasting: bool = False) -> None:
        super().__init__(reason)
        self.kind, self.reason, self.lasting = kind, reason, lasting


class Tools(Interface):
    """What a method may use. Made by whoever runs it."""

    async def parse(self, image: bytes, note: str) -> Parse:
        """See what is in a picture. `note` says what was cut ("whole", "crop 10,20,210,220"). Raises ToolFailure."""

    async def ask(self, question: Question) -> Answer:
        """Ask a model. `question.prompt` is the role it is asked in: ground, choose, plan or check."""


class Method(Interface):
    """A way to find what an instruction names. `needs` lists what must be there: parser:NAME, model, planner, extra:NAME."""

    name: str
    needs: tuple[str, ...]
    most: int
    """How many looks a sample takes at most."""
    prompt: tuple[str, int]
    """What a model is told at a look beside the instruction, and how many pictures it is shown."""

    async def locate(self, view: MethodView, tools: Tools) -> Prediction:
        """Find it. Never raises for what a parser or a model does: that is a Prediction with a status."""


class MethodEntry(NamedTuple):
    """A line of the catalogue of methods."""

    name: str
    needs: tuple[str, ...]
    about: str
    oracle: bool = False
