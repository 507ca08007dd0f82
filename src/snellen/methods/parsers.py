"""Methods that first parse the screen (a parser) and then pick the target of the instruction (a chooser)."""

from __future__ import annotations

import asyncio
import hashlib
from abc import abstractmethod
from collections.abc import Callable, Coroutine
from functools import lru_cache
from typing import Any

import msgspec

from snellen.exams.grounding.geometry import Box, Crop
from snellen.methods.base import Locator, Look, MethodView, Parse, ToolFailure, Tools
from snellen.methods.pictures import cut, noted

_cut = lru_cache(maxsize=16)(cut)  # fixed panels are the same for every target of a screenshot


class ParserLocator(Locator):
    """A parser with a way to choose among its detections."""

    def __init__(self, needs: tuple[str, ...]) -> None:
        self.needs = needs

    @abstractmethod
    async def choose(self, sample: str, picture: bytes, instruction: str, parse: Parse, tools: Tools) -> Look:
        """Return a look whose detections begin with the likeliest: the chosen one where the status is `found`."""

    async def look(self, view: MethodView, crop: Crop, instruction: str, tools: Tools) -> Look:
        picture = await tools.compute(_cut, view.image, crop)
        try:
            parse = await tools.parse(picture, noted(crop))
        except ToolFailure as failure:
            return Look("error", calls=1, reason=f"{failure.kind}: {failure.reason}")
        if not parse.detections:
            return Look("refused", calls=1, detections=(), reason="the parser sees nothing")
        look = await self.choose(view.id, picture, instruction, parse, tools)
        look = look._replace(detections=look.detections or parse.detections, calls=1 + look.calls)
        if look.status != "found" or not look.detections:
            return look
        chosen = look.detections[0]
        box = Box(*chosen.box, crop.inner)
        return look._replace(point=box.centre, box=box, text=chosen.text or None)


class ParseCache:
    """Parses each picture once, also when several samples ask for it at the same time. Keeps the last parses.

    The first sample that asks for a parse pays for it. The others get it with 0 seconds, and `waiting` counts those that do not have it
    yet. A failure is raised for all of them. It is kept only where asking again would fail again.
    """

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._made: dict[str, asyncio.Task[Parse]] = {}
        self.waiting = 0

    async def __call__(self, image: bytes, parse_image: Callable[[], Coroutine[Any, Any, Parse]]) -> Parse:
        """Return the parse of a picture. Without a kept one, call the given function."""
        key = hashlib.sha256(image).hexdigest()
        known = self._made.pop(key, None)
        task = known or asyncio.create_task(parse_image())
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # the result may no longer be awaited
        self._made[key] = task  # at the end: the least recently asked one goes first
        done = (one for one, made in self._made.items() if made.done())
        if len(self._made) > self._keep and (oldest := next(done, None)) is not None:
            del self._made[oldest]
        waits = known is not None and not known.done()
        self.waiting += waits
        try:
            parse = await asyncio.shield(task)
        except Exception as error:
            if not (isinstance(error, ToolFailure) and error.lasting) and self._made.get(key) is task:
                del self._made[key]
            raise
        finally:
            self.waiting -= waits
        return parse if known is None else msgspec.structs.replace(parse, seconds=0.0)
