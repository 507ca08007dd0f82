"""A grounding method as a subject: its requirements are injected, and its prediction becomes an Answer.

The subject sees Questions only. An oracle gets the truths apart from them, when it is built, and is called oracle everywhere.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from snellen.core.cores import cores
from snellen.core.digest import digest
from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.images import ledger_entry
from snellen.core.subject import Caller, CallEstimate, Reply, Request, Subject
from snellen.core.types import Answer, Call, Failure, Question
from snellen.exams.grounding.reading.predictions import to_text
from snellen.methods.base import Method, MethodView, Parse, T, ToolFailure, Tools
from snellen.methods.ocr import missing, parse_picture
from snellen.methods.parsers import ParseCache
from snellen.methods.wire_omniparser import OmniParserEndpoint, parse_image
from snellen.workers.calls import WorkFailed
from snellen.workers.pool import WorkerLost, Workers
from snellen.workers.processes import on_all_cores

LEAST = 16
"""The least number of questions in work at once, however few cores there are."""


class Outside(NamedTuple):
    """The outside services of methods: a model, a planner (perhaps the same model), an OmniParser server."""

    model: Subject | None
    planner: Subject | None
    parser: OmniParserEndpoint | None


class MethodSubject(Subject):
    """A subject that answers with the JSON of a Prediction. A method that could not do its work is a failure, not a wrong answer."""

    needs_picture = True

    def __init__(self, method: Method, outside: Outside, options: Mapping[str, Any]) -> None:
        if "model" in method.needs and outside.model is None:
            raise SnellenError(f"method {method.name} asks a model: name it with --model, such as --model vllm/NAME")
        if "planner" in method.needs and outside.planner is None:
            raise SnellenError(f"method {method.name} asks a planner: name it with --planner (or --model)")
        if "extra:ocr" in method.needs and missing() is not None:
            raise MissingExtra(f"method {method.name}", "ocr")
        self._method, self._outside = method, outside
        self._asked = list({id(s): s for s in (outside.model, outside.planner) if s is not None}.values())
        self.spec = "/".join([method.name, *(["+".join(s.spec for s in self._asked)] if self._asked else [])])
        identity: dict[str, Any] = {"kind": "method", "method": method.name, "options": dict(options)}
        identity |= method.identity
        self._via: dict[int, int] = {}
        if outside.parser is not None:
            self.endpoints += (outside.parser,)
            identity["parser"] = outside.parser.connection.url
        for subject in self._asked:
            if subject.endpoint is not None:
                self._via[id(subject)] = len(self.endpoints)
                self.endpoints += (subject.endpoint,)
            identity["planner" if subject is not outside.model else "model"] = dict(subject.identity)
        self.identity = identity
        self.parallel = max(LEAST, 2 * cores())  # each core has a screenshot to parse while the next ones are got ready
        self.parses = ParseCache(4 * self.parallel)
        self._workers: Workers[Parse] | None = None

    @property
    def beside(self) -> int:  # type: ignore[override]
        """The number of questions that wait for a parse of the same screenshot, which another question asked for."""
        return self.parses.waiting

    def asked(self) -> tuple[CallEstimate, ...]:
        """Return the models that it asks, for estimates."""
        text, pictures = self._method.prompt
        return tuple(CallEstimate(model, self._method.most, text, pictures) for model in self._asked)

    def why_same(self, repeats: int) -> str:
        """Return why repeats are the same: a method without a model computes its answer; another is as steady as its models."""
        reasons = [model.why_same(repeats) for model in self._asked]
        if not reasons and "code" not in self.identity:  # a plugin's function may do anything
            return f"{self.spec} asks no model and computes the same answer each time"
        return reasons[0] if reasons and all(reasons) else ""

    def prepare(self, question: Question) -> MethodView:
        return MethodView.of(question)

    async def answer(self, question: Question, prepared: MethodView, call: Caller) -> Answer:
        tools = _SampleTools(self, call)
        answer = Answer(id=question.id, prompt=question.prompt)
        try:
            prediction = await self._method.locate(prepared, tools)
            if prediction.status == "error":
                raise ToolFailure("method", prediction.reason or "the method failed")
        except ToolFailure as error:
            failure = Failure(kind=error.kind, reason=error.reason)
            return msgspec.structs.replace(answer, failure=failure, calls=tuple(tools.calls))
        text = to_text(msgspec.structs.replace(prediction, seconds=round(tools.seconds, 4)))
        return msgspec.structs.replace(answer, text=text, finish_reason="stop", calls=tuple(tools.calls))

    async def close(self) -> None:
        if self._workers is not None:
            workers, self._workers = self._workers, None
            await asyncio.to_thread(workers.close)
        for subject in self._asked:
            await subject.close()

    async def ask(self, question: Question, call: Caller) -> Answer:
        """Ask the model, or the planner for a question of planning."""
        subject = self._outside.planner if question.prompt in ("plan", "check") else self._outside.model
        if subject is None:
            raise ToolFailure("model", "no model to ask")
        via = self._via.get(id(subject), 0)

        async def through(request: Request) -> Reply:
            return await call(msgspec.structs.replace(request, via=via))

        prepared = await asyncio.to_thread(subject.prepare, question)
        return await subject.answer(question, prepared, through)

    async def parse(self, image: bytes, note: str, call: Caller, calls: list[Call]) -> Parse:
        """Parse a picture here, or on OmniParser's server, and add its calls to a list."""
        parser = self._outside.parser
        if parser is None:
            return await self._parse_here(image)
        url, made = parser.connection.url, []

        async def send(body: bytes) -> bytes | None:
            key = digest({"kind": parser.kind, "endpoint": url, "body": hashlib.sha256(body).hexdigest()})
            sent = ledger_entry(image, () if note == "whole" else (note,))
            reply = await call(Request(key=key, body=body, images=(sent,), cost_bound=0.0))
            made.append(reply.call)
            calls.append(reply.call)
            if reply.failure is not None:
                raise ToolFailure(reply.failure.kind, reply.failure.reason)
            return None if reply.refused else reply.text.encode()

        parse = await parse_image(send, image)
        return msgspec.structs.replace(parse, seconds=_latency(made))

    async def _parse_here(self, image: bytes) -> Parse:
        if self._workers is None:
            self._workers = on_all_cores(parse_picture)
        try:
            return await self._workers.ask(image)
        except (WorkFailed, WorkerLost, SnellenError) as error:
            raise ToolFailure("parser", f"the embedded parser failed ({error})") from None


class _SampleTools(Tools):
    """One sample's tools, with its calls and their seconds: without the queue, and without parses for other samples."""

    def __init__(self, subject: MethodSubject, call: Caller) -> None:
        self._subject, self._call = subject, call
        self.calls: list[Call] = []
        self.seconds = 0.0

    async def parse(self, image: bytes, note: str) -> Parse:
        began = time.perf_counter()
        parse = await self._subject.parses(image, lambda: self._subject.parse(image, note, self._call, self.calls))
        self.seconds += time.perf_counter() - began if parse.seconds is None else parse.seconds
        return parse

    async def ask(self, question: Question) -> Answer:
        began = time.perf_counter()
        answer = await self._subject.ask(question, self._call)
        self.calls += answer.calls
        needed = _latency(answer.calls)
        self.seconds += time.perf_counter() - began if needed is None else needed
        return answer

    async def compute(self, function: Callable[..., T], *args: Any) -> T:
        result, needed = await asyncio.to_thread(_measured, function, args)
        self.seconds += needed
        return result


def _latency(calls: Sequence[Call]) -> float | None:
    """Return the time that calls took; None if it is not known for any of them."""
    known = [call.latency for call in calls if call.latency is not None]
    return sum(known) if known else None


def _measured(function: Callable[..., T], args: tuple[Any, ...]) -> tuple[T, float]:
    began = time.thread_time()
    return function(*args), time.thread_time() - began
