"""Methods that first see what is on the screen (a parser) and then pick what the instruction means (a chooser)."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import NamedTuple
from typing import Protocol as Interface

import msgspec

from snellen.exams.grounding.geometry import Box, Crop
from snellen.exams.grounding.methods.base import Parse, ToolFailure, Tools, View
from snellen.exams.grounding.methods.looks import Look
from snellen.exams.grounding.methods.pictures import cut
from snellen.exams.grounding.methods.timing import aside
from snellen.exams.grounding.reading.predictions import Status

KEPT = 64


class Choice(NamedTuple):
    """Which detection a chooser takes. `order` lists detections from the likeliest on, by index."""

    status: Status
    picked: int | None = None
    confidence: float | None = None
    order: tuple[int, ...] = ()
    replies: tuple[str, ...] = ()
    calls: int = 0
    reason: str = ""


class Seen(NamedTuple):
    """What a chooser has to go by: the picture, what was seen in it, and the instruction."""

    id: str
    picture: bytes
    instruction: str
    parse: Parse


class Chooser(Interface):
    """Picks the detection that fits an instruction."""

    @property
    def name(self) -> str: ...

    @property
    def needs(self) -> tuple[str, ...]: ...

    @property
    def scored(self) -> bool: ...

    @property
    def prompt(self) -> tuple[str, int]:
        """As a locator's."""

    async def choose(self, seen: Seen, tools: Tools) -> Choice:
        """Pick one, or none."""


class ParserLocator:
    """A parser and a chooser as one locator."""

    def __init__(self, parser: str, chooser: Chooser, needs: tuple[str, ...]) -> None:
        self.name, self.chooser = parser, chooser
        self.needs = (*needs, *chooser.needs)
        self.scored, self.prompt = chooser.scored, chooser.prompt

    async def look(self, view: View, crop: Crop, instruction: str, tools: Tools) -> Look:
        picture = await aside(tools, _cut, view.image, crop)
        note = "whole" if crop == view.whole else f"crop {','.join(map(str, crop.edges))}"
        try:
            parse = await tools.parse(picture, note)
        except ToolFailure as failure:
            return Look("error", calls=1, reason=f"{failure.kind}: {failure.reason}")
        if not parse.detections:
            return Look("refused", calls=1, total=0, reason="the parser sees nothing")
        choice = await self.chooser.choose(Seen(view.id, picture, instruction, parse), tools)
        look = Look(
            choice.status,
            confidence=choice.confidence,
            detections=tuple(parse.detections[i] for i in choice.order),
            total=len(parse.detections),
            replies=choice.replies,
            calls=1 + choice.calls,
            reason=choice.reason,
        )
        if choice.picked is None:
            return look
        chosen = parse.detections[choice.picked]
        box = Box(*chosen.box, crop.inner)
        return look._replace(point=box.centre, box=box, text=chosen.text or None)


@lru_cache(maxsize=16)
def _cut(image: bytes, crop: Crop) -> bytes:
    """A cut-out, kept for a while: fixed panels are the same for every target of a screenshot."""
    return cut(image, crop)


class ParseCache:
    """Makes a parse once for each picture, also when several samples want it at the same time. Keeps the last ones.

    Whoever wants it first pays for it; the others get it with 0 seconds. A failure is handed to all who wait; it is remembered only
    where asking again would fail again.
    """

    def __init__(self, parse: Callable[[bytes, str], Awaitable[Parse]], keep: int = KEPT) -> None:
        self._parse, self._keep = parse, keep
        self._made: OrderedDict[str, asyncio.Task[Parse]] = OrderedDict()
        self.made = 0

    async def __call__(self, image: bytes, note: str) -> Parse:
        key = hashlib.sha256(image).hexdigest()
        task = self._made.get(key)
        first = task is None
        if task is None:
            self.made += 1
            task = asyncio.ensure_future(self._parse(image, note))
            self._made[key] = task
            while len(self._made) > self._keep:
                self._made.popitem(last=False)
        else:
            self._made.move_to_end(key)
        try:
            parse = await asyncio.shield(task)
            return parse if first else msgspec.structs.replace(parse, seconds=0.0)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            if not (isinstance(error, ToolFailure) and error.lasting) and self._made.get(key) is task:
                del self._made[key]
            raise
