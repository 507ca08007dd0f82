"""ScreenSeekeR: a planner says where to look, a grounder votes, patches are searched best first and every find is checked.

As published (depth 3, leaves of 1280 x 768), with the reference's mistakes avoided (seeker_math.py) and a cap on calls. A grounder that
answers with a point only gives a box without area, and a ring is drawn for the check.
"""

from __future__ import annotations

from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.core.types import Answer, Picture, Question, Text
from snellen.exams.grounding import prompts
from snellen.exams.grounding.geometry import UNIT, Box, Crop, Point
from snellen.exams.grounding.methods.base import Tools
from snellen.exams.grounding.methods.crops import Strategy
from snellen.exams.grounding.methods.grounders import asked_id, no_reply, steps
from snellen.exams.grounding.methods.looks import Locator, Look, Trail, corners
from snellen.exams.grounding.methods.pictures import cut, framed
from snellen.exams.grounding.methods.seeker_math import (
    SMALLEST,
    ElementCheck,
    Hints,
    Patch,
    ranked,
    read_check,
    read_hints,
)
from snellen.exams.grounding.methods.timing import aside
from snellen.exams.grounding.reading.points import thought_out

DEPTH = 3
CALLS = 40
MOST_HINTS = 8
SLACK = 2  # whole pixels around a patch may be one more on each side
PLAN, CHECK = "plan", "check"


class ScreenSeeker(Strategy):
    """The search as a strategy over any locator."""

    needs = ("planner",)

    def __init__(self, calls: int) -> None:
        if calls < 2:
            raise SnellenError(f"screenseeker needs at least 2 calls per sample, not {calls}: give a larger max_calls")
        self.most = calls  # of planner and grounder together

    async def search(self, locator: Locator, trail: Trail, tools: Tools) -> Look:
        trail.cap = min(trail.cap or self.most, self.most)
        hunt = _Hunt(locator, trail, tools)
        found = await hunt.into(trail.view.whole, 0)
        if found is not None:
            return found
        if trail.spent and hunt.first is not None:
            # nothing was confirmed within the cap: the grounder's own first answer, said to be that
            return hunt.first._replace(reason=f"not confirmed within {self.most} calls: the grounder's first answer")
        if not hunt.heard:  # nobody ever said that it is not there
            unread = Look("unparsable", reason="no verdict could be read from the planner's replies")
            return Look("error", reason=trail.failures[0]) if trail.failures else unread
        return Look("refused", reason=hunt.denial or "the search found nothing that the planner confirms")


class _Hunt:
    """One search. `first` is the grounder's first answer on the whole screenshot.

    `heard`: a verdict of the planner could be read, or the grounder itself said that it is not there.
    """

    def __init__(self, locator: Locator, trail: Trail, tools: Tools) -> None:
        self.locator, self.trail, self.tools = locator, trail, tools
        self.wanted = trail.view.instruction
        self.first: Look | None = None
        self.denial = ""
        self.heard = False

    async def into(self, crop: Crop, depth: int) -> Look | None:
        """Search a part of the screenshot; None where nothing in it is confirmed."""
        inner = crop.inner
        if depth >= DEPTH or (inner.width <= SMALLEST[0] + SLACK and inner.height <= SMALLEST[1] + SLACK):
            return await self._leaf(crop)
        hints = await self._plan(crop)
        if hints is None or self.trail.spent:
            return await self._leaf(crop)
        if hints.absent:
            self.denial, self.heard = "the planner says that there is no target", True
            return None
        candidates = []
        for text in (self.wanted, *hints.all[:MOST_HINTS]):
            if self.trail.spent:
                break
            look = await self._ground(crop, text)
            if look.point is not None:
                candidates.append(_patch(look.box or _dot(look.point), crop))
        if not candidates:
            return await self._leaf(crop)
        for patch in ranked(candidates, inner.width, inner.height):
            if self.trail.spent:
                return None
            part = Crop.of(Box(*patch, UNIT).to(inner))
            flat = part.flat(crop)
            found = await (self._leaf(flat) if flat == crop else self.into(flat, depth + 1))
            if found is not None:
                return found
        return None

    async def _leaf(self, crop: Crop) -> Look | None:
        """Ground in a picture that is small enough, and have the find checked."""
        if self.trail.spent:
            return None
        look = await self._ground(crop, self.wanted)
        if look.point is None or self.trail.spent:
            return None
        check = await self._check(crop, look.box or _dot(look.point))
        if check is None or check.result == "target_not_found":
            return None
        if check.result == "is_target":
            return look._replace(reason="confirmed by the planner")
        if self.trail.spent:
            return None
        second = await self._ground(crop, check.new_instruction or self.wanted)
        return None if second.point is None else second._replace(reason="grounded again with the planner's wording")

    async def _ground(self, crop: Crop, text: str) -> Look:
        look = await self.trail.look(self.locator, crop, text, self.tools)
        if text == self.wanted:
            self.heard = self.heard or look.status == "refused"
            if self.first is None and look.point is not None and crop == self.trail.view.whole:
                self.first = look
        return look

    async def _plan(self, crop: Crop) -> Hints | None:
        text = prompts.filled(prompts.PLANNER, instruction=self.wanted)
        reply = await self._ask(PLAN, crop, await aside(self.tools, cut, self.trail.view.image, crop), text)
        if reply is None:
            return None
        hints = read_hints(thought_out(reply.text))
        # what a reply names before it is cut off are hints all the same, but that there is no target is a verdict
        return hints._replace(absent=False) if reply.finish_reason == "length" else hints

    async def _check(self, crop: Crop, box: Box) -> ElementCheck | None:
        text = prompts.filled(prompts.CHECK, instruction=self.wanted)
        picture = await aside(self.tools, _shown, self.trail.view.image, crop, crop.into(box))
        reply = await self._ask(CHECK, crop, picture, text)
        check = None if reply is None else read_check(thought_out(reply.text))
        self.heard = self.heard or check is not None
        return check

    async def _ask(self, role: str, crop: Crop, picture: bytes, text: str) -> Answer | None:
        view, trail = self.trail.view, self.trail
        trail.calls += 1
        shown = Picture(data=picture, name=view.id, transforms=steps(crop, (crop.inner.width, crop.inner.height)))
        question = Question(
            id=asked_id(view, crop),
            exam=prompts.EXAM,
            prompt=role,
            system=prompts.PLANNER_SYSTEM,
            parts=(shown, Text(text=text)),
        )
        answer = await self.tools.ask(question)
        problem = no_reply(answer)
        if problem is not None:
            trail.failures.append(f"{role}: {one_line(problem.reason, 200)}")
            return None
        trail.replies.append(answer.text)
        return answer


def _patch(box: Box, crop: Crop) -> Patch:
    """A find as a patch of the picture it was found in, cut to it."""
    return corners(crop.into(box).to(UNIT).clamped())


def _dot(at: Point) -> Box:
    return Box(at.x, at.y, at.x, at.y, at.space)


def _shown(image: bytes, crop: Crop, box: Box) -> bytes:
    return framed(cut(image, crop), box)
