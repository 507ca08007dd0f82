"""A simulated observer for the eye exam: it has a known threshold, and always answers the same sheet the same way.

It reads the level and the truth of a sheet from samples.jsonl, which is written before the sheet is asked about. That is cheating, which
is the purpose of a simulation: the exam has to find the given threshold.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import Callable
from math import erf, log, sqrt
from pathlib import Path
from typing import Any

from snellen.core.subject import Caller, Subject
from snellen.core.types import Answer, Question
from snellen.exams.eye.faculties import FACULTIES
from tests.support.endpoint import completion

SPREAD = 0.25
"""Standard deviation of the curve, in natural logarithms of the dial."""


class Observer:
    """An observer that sees what is above its thresholds (by faculty, in units of the dial), with a soft edge, and guesses otherwise."""

    def __init__(
        self, out: Path, thresholds: dict[str, float] | None = None, *, says: Callable[[str], str] = str
    ) -> None:
        self._out, self._says = out, says
        self.thresholds = thresholds or {n: f.levels[len(f.levels) // 2] for n, f in FACULTIES.items()}
        self._known: dict[tuple[str, str], dict[str, Any]] = {}

    def reply(self, sha: str, question: str) -> str:
        """Return the reply to a sheet, by the digest of its first picture and the question."""
        faculty = next(f for f in FACULTIES.values() if f.question == question)
        sample = self._sample(sha, faculty.name)
        chance = int(hashlib.sha256(f"chance/{sha}".encode()).hexdigest()[:8], 16) / 16**8
        z = log(sample["facts"]["level"] / self.thresholds[faculty.name]) / SPREAD
        seen = sample["tags"]["sheet"] != "blank" and chance < (1 + erf(z / sqrt(2))) / 2
        if faculty.options:
            guessed = faculty.options[int(sha[:6], 16) % len(faculty.options)]
            return self._says(sample["truth"] if seen else guessed)
        left, top, right, bottom = (float(n) for n in sample["truth"].split(","))
        return self._says(f"{(left + right) / 2:.0f},{(top + bottom) / 2:.0f}" if seen else "3,997")

    def _sample(self, sha: str, faculty: str) -> dict[str, Any]:
        if (sha, faculty) not in self._known:
            for path in self._out.glob("*/samples.jsonl"):
                for line in path.read_bytes().split(b"\n")[:-1]:
                    sample = json.loads(line)
                    self._known[sample["facts"]["sha256"][0], sample["tags"]["faculty"]] = sample
        return self._known[sha, faculty]

    def script(self, request: dict[str, Any], _time: int) -> tuple[int, dict[str, str], bytes]:
        """Answer as the script of an endpoint of `tests.support.endpoint`."""
        parts = request["messages"][-1]["content"]
        url = next(part["image_url"]["url"] for part in parts if part["type"] == "image_url")
        sha = hashlib.sha256(base64.b64decode(url.partition(",")[2])).hexdigest()
        text = next(part["text"] for part in parts if part["type"] == "text")
        return 200, {}, json.dumps(completion(self.reply(sha, text), request["model"], 0.001)).encode()


class ObserverSubject(Subject):
    """The observer as a subject in this process; `lag` gives the seconds that a question takes, by its id."""

    def __init__(self, observer: Observer, lag: Callable[[str], float] = lambda _id: 0.0) -> None:
        self.spec, self.identity = "test/observer", {"kind": "test", "thresholds": dict(observer.thresholds)}
        self._observer, self._lag = observer, lag
        self.asked_ids: list[str] = []

    async def answer(self, question: Question, prepared: Any, call: Caller) -> Answer:
        self.asked_ids.append(question.id)
        await asyncio.sleep(self._lag(question.id))
        sha = hashlib.sha256(question.pictures[0].data).hexdigest()
        return Answer(
            id=question.id, prompt=question.prompt, text=self._observer.reply(sha, question.text), finish_reason="stop"
        )
