"""ScreenSeekeR: a planner says where to look, a grounder votes, patches are searched best first and every find is checked.

As published (depth 3, leaves of 1280 x 768), without the reference's mistakes (seeker_math.py) and with a cap on calls. A grounder
that points answers with a box without area, and a ring is drawn for the check.
"""

from __future__ import annotations

from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.core.types import Answer
from snellen.exams.grounding.geometry import UNIT, Box, Crop
from snellen.exams.grounding.reading.points import thought_out
from snellen.methods import prompts
from snellen.methods.base import Look, Search
from snellen.methods.crops import Strategy
from snellen.methods.grounders import crop_question, no_reply
from snellen.methods.pictures import cut, framed
from snellen.methods.seeker_math import SMALLEST, ElementCheck, ranked, read_check, read_hints

_DEPTH = 3
CALLS = 40
_MOST_HINTS = 8
SLACK = 2  # whole pixels around a patch may be one more on each side


def screenseeker(calls: int) -> Strategy:
    """Return the search as a strategy: at most `calls` of planner and grounder together."""
    if calls < 2:
        raise SnellenError(f"screenseeker needs at least 2 calls per sample, not {calls}: give a larger max_calls")

    async def look(search: Search) -> Look:
        search.cap = calls
        planned = _PlannedSearch(search)
        found = await planned.into(search.view.whole, 0)
        if found is not None:
            return found
        if search.spent and planned.first is not None:
            return planned.first._replace(reason=f"not confirmed within {calls} calls: the grounder's first answer")
        if planned.denial:
            return Look("refused", reason=planned.denial)
        if search.failures:
            return Look("error", reason=search.failures[0])
        return Look("unparsable", reason="no verdict could be read from the planner's replies")

    return Strategy(calls, look, ("planner",))


class _PlannedSearch:
    """One search. `first` is the grounder's first answer on the whole screenshot.

    `denial` says why the target is assumed to be absent. It is empty until a planner's verdict could be read, or the grounder refused.
    """

    def __init__(self, search: Search) -> None:
        self.search, self.wanted = search, search.view.instruction
        self.first: Look | None = None
        self.denial = ""

    async def into(self, crop: Crop, depth: int) -> Look | None:
        """Search a part of the screenshot; None where nothing in it is confirmed."""
        inner = crop.inner
        if depth >= _DEPTH or (inner.width <= SMALLEST[0] + SLACK and inner.height <= SMALLEST[1] + SLACK):
            return await self._leaf(crop)
        text = prompts.filled(prompts.PLANNER, instruction=self.wanted)
        reply = await self._ask("plan", crop, await self.search.tools.compute(cut, self.search.view.image, crop), text)
        if reply is None or self.search.spent:
            return await self._leaf(crop)
        names, absent = read_hints(thought_out(reply.text))
        if absent and reply.finish_reason != "length":  # a reply that is cut off may name places, but denies nothing
            self.denial = "the planner says that there is no target"
            return None
        candidates = []
        for name in (self.wanted, *names[:_MOST_HINTS]):
            if self.search.spent:
                break
            box = _box(await self._ground(crop, name))
            if box is not None:
                candidates.append(crop.into(box).to(UNIT).clamped().corners)
        if not candidates:
            return await self._leaf(crop)
        for patch in ranked(candidates, inner.width, inner.height):
            if self.search.spent:
                return None
            flat = Crop.of(crop.back(Crop.of(Box(*patch, UNIT).to(inner)).box))
            found = await (self._leaf(flat) if flat == crop else self.into(flat, depth + 1))
            if found is not None:
                return found
        return None

    async def _leaf(self, crop: Crop) -> Look | None:
        """Ground in a picture that is small enough, and have the find checked."""
        if self.search.spent:
            return None
        look = await self._ground(crop, self.wanted)
        box = _box(look)
        if box is None or self.search.spent:
            return None
        check = await self._check(crop, box)
        if check is None or check.result == "target_not_found":
            return None
        if check.result == "is_target":
            return look._replace(reason="confirmed by the planner")
        if self.search.spent:
            return None
        reworded = check.new_instruction or ""
        second = await self._ground(crop, reworded if reworded.strip() else self.wanted)
        return None if second.point is None else second._replace(reason="grounded again with the planner's wording")

    async def _ground(self, crop: Crop, text: str) -> Look:
        look = await self.search.look(crop, text)
        if text == self.wanted:
            if look.status == "refused":
                self._deny()
            if self.first is None and look.point is not None and crop == self.search.view.whole:
                self.first = look
        return look

    async def _check(self, crop: Crop, box: Box) -> ElementCheck | None:
        text = prompts.filled(prompts.CHECK, instruction=self.wanted)
        picture = await self.search.tools.compute(_shown, self.search.view.image, crop, crop.into(box))
        reply = await self._ask("check", crop, picture, text)
        check = None if reply is None else read_check(thought_out(reply.text))
        if check is not None:
            self._deny()
        return check

    def _deny(self) -> None:
        self.denial = self.denial or "the search found nothing that the planner confirms"

    async def _ask(self, role: str, crop: Crop, picture: bytes, text: str) -> Answer | None:
        self.search.calls += 1
        sent = crop.inner.width, crop.inner.height
        question = crop_question(role, self.search.view, crop, picture, sent, text, prompts.PLANNER_SYSTEM)
        answer = await self.search.tools.ask(question)
        problem = no_reply(answer)
        if problem is not None:
            self.search.failures.append(f"{role}: {one_line(problem.reason, 200)}")
            return None
        self.search.replies.append(answer.text)
        return answer


def _box(look: Look) -> Box | None:
    """Return the box that was found, or one without area at the point."""
    at = look.point
    return look.box or (None if at is None else Box(at.x, at.y, at.x, at.y, at.space))


def _shown(image: bytes, crop: Crop, box: Box) -> bytes:
    return framed(cut(image, crop), box)
