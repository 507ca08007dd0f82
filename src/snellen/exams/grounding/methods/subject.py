"""A grounding method as a subject: what it needs from outside is put into its hands, and what it says becomes an Answer.

The subject sees Questions only. An oracle is handed the truths apart from them, when it is built, and is called oracle everywhere.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any
from typing import Protocol as Interface

import msgspec

from snellen.core.digest import digest
from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.images import ledger_entry
from snellen.core.subject import Asked, Caller, Reply, Request, Subject
from snellen.core.types import Answer, Call, Failure, Picture, Question
from snellen.exams.grounding.methods import wire_omniparser
from snellen.exams.grounding.methods.base import Method, Parse, ToolFailure, View
from snellen.exams.grounding.methods.omniparser import OmniParserEndpoint
from snellen.exams.grounding.methods.oracle import OracleMethod, Target
from snellen.exams.grounding.methods.parsers import ParseCache
from snellen.exams.grounding.reading.predictions import Prediction, to_text

OCR = "snellen.exams.grounding.methods.ocr:parse_question"
ROLES = {"plan": "planner", "check": "planner"}


class Pool(Interface):
    """Processes that run a function on questions."""

    def submit(self, question: Question) -> Future[str]: ...

    def close(self) -> None: ...


class Outside:
    """What methods may need: a model, another one that plans, an OmniParser server, processes for the embedded parser."""

    def __init__(
        self,
        model: Subject | None = None,
        planner: Subject | None = None,
        parser: OmniParserEndpoint | None = None,
        pool: Callable[[str], Pool] | None = None,
    ) -> None:
        self.model, self.planner, self.parser, self.pool = model, planner or model, parser, pool

    def check(self, name: str, needs: tuple[str, ...]) -> None:
        """One line on what is missing."""
        if "model" in needs and self.model is None:
            raise SnellenError(f"method {name} asks a model: name it with --model, such as --model vllm/NAME")
        if "planner" in needs and self.planner is None:
            raise SnellenError(f"method {name} asks a planner: name it with --planner (or --model)")
        if "parser:omniparser" in needs and self.parser is None:
            raise SnellenError(f"method {name} needs an OmniParser server: --omniparser-url or EVAL_OMNIPARSER_URL")
        if "extra:ocr" in needs:
            from snellen.exams.grounding.methods.ocr import missing

            if missing() is not None:
                raise MissingExtra(f"method {name}", "ocr")


class MethodSubject(Subject):
    """Answers with the JSON of a Prediction. A method that could not do its work is a failure, not a wrong answer."""

    parallel = 16

    def __init__(
        self,
        method: Method | OracleMethod,
        outside: Outside,
        options: Mapping[str, Any],
        truths: Mapping[str, Target] | None = None,
    ) -> None:
        outside.check(method.name, method.needs)
        self._method, self._outside, self._truths = method, outside, truths
        asked = [
            s for s in (outside.model, outside.planner) if s is not None and {"model", "planner"} & {*method.needs}
        ]
        unlike = list({id(s): s for s in asked}.values())
        self._models = tuple(unlike)
        names = "+".join(s.spec for s in unlike)
        self.spec = f"{method.name}/{names}" if names else method.name
        identity: dict[str, Any] = {"kind": "method", "method": method.name, "options": dict(options)}
        if truths is not None:
            identity["oracle"] = "looks at the answer; for comparison only"
        self._via: dict[int, int] = {}
        if "parser:omniparser" in method.needs and outside.parser is not None:
            self.endpoints += (outside.parser,)
            identity["parser"] = outside.parser.connection.url
        for subject in unlike:
            if subject.endpoint is not None:
                self._via[id(subject)] = len(self.endpoints)
                self.endpoints += (subject.endpoint,)
            identity["planner" if subject is not outside.model else "model"] = dict(subject.identity)
        self.identity = identity
        self._pool: Pool | None = None
        self._parses = ParseCache(self._parse)
        self._call: Caller | None = None
        self._parse_calls: dict[str, list[Call]] = {}

    def asked(self) -> tuple[Asked, ...]:
        """The models that it asks, for estimates."""
        text, pictures = self._method.prompt
        return tuple(Asked(model, self._method.most, text, pictures) for model in self._models)

    def prepare(self, question: Question) -> View:
        return View.of(question)

    async def answer(self, question: Question, prepared: View, call: Caller) -> Answer:
        self._call = call
        tools = _Tools(self)
        try:
            prediction = await self._located(prepared, tools)
        except ToolFailure as failure:
            return self._failed(question, failure.kind, failure.reason, tools)
        if prediction.status == "error":
            return self._failed(question, "method", prediction.reason or "the method failed", tools)
        return Answer(
            id=question.id,
            prompt=question.prompt,
            text=to_text(prediction),
            finish_reason="stop",
            calls=tuple(tools.calls),
        )

    async def _located(self, view: View, tools: _Tools) -> Prediction:
        if self._truths is None:
            return await self._method.locate(view, tools)  # type: ignore[call-arg]
        return await self._method.locate(view, tools, self._truths[view.id])  # type: ignore[call-arg]

    def _failed(self, question: Question, kind: str, reason: str, tools: _Tools) -> Answer:
        failure = Failure(kind=kind, reason=reason)
        return Answer(id=question.id, prompt=question.prompt, failure=failure, calls=tuple(tools.calls))

    async def close(self) -> None:
        if self._pool is not None:
            pool, self._pool = self._pool, None
            await asyncio.to_thread(pool.close)
        for subject in {id(s): s for s in (self._outside.model, self._outside.planner) if s is not None}.values():
            await subject.close()

    # ------------------------------------------------------------ what the tools do

    async def parse(self, image: bytes, note: str, calls: list[Call]) -> Parse:
        """See what is in a picture; whoever asks first pays for it."""
        try:
            return await self._parses(image, note)
        finally:
            calls += self._parse_calls.pop(hashlib.sha256(image).hexdigest(), ())

    async def _parse(self, image: bytes, note: str) -> Parse:
        if "parser:omniparser" in self._method.needs:
            spent: list[float | None] = []
            parse = await wire_omniparser.parse_image(lambda body: self._post(image, note, body, spent), image)
            known = [s for s in spent if s is not None]
            return msgspec.structs.replace(parse, seconds=sum(known) if known else None)
        if self._pool is None:
            if self._outside.pool is None:
                raise ToolFailure("parser", "no processes to parse with")
            self._pool = self._outside.pool(OCR)
        asked = Question(id=note, benchmark="grounding", prompt="parse", parts=(Picture(data=image),))
        try:
            text = await asyncio.wrap_future(self._pool.submit(asked))
        except RuntimeError as error:
            raise ToolFailure("parser", f"the embedded parser failed ({error})") from None
        return msgspec.json.decode(text, type=Parse)

    async def _post(self, image: bytes, note: str, body: bytes, spent: list[float | None]) -> tuple[int, bytes]:
        parser, call = self._outside.parser, self._call
        if parser is None or call is None:
            raise ToolFailure("parser", "no OmniParser server")
        key = digest({"kind": parser.kind, "endpoint": parser.connection.url, "body": hashlib.sha256(body).hexdigest()})
        reply: Reply = await call(
            Request(
                key=key, body=body, images=(ledger_entry(image, () if note == "whole" else (note,)),), cost_bound=0.0
            )
        )
        self._parse_calls.setdefault(hashlib.sha256(image).hexdigest(), []).append(reply.call)
        spent.append(reply.call.latency)
        if reply.failure is not None:
            raise ToolFailure(reply.failure.kind, reply.failure.reason)
        return (500 if reply.refused else 200), reply.text.encode()

    async def ask(self, question: Question, calls: list[Call]) -> Answer:
        """Ask the model, or the planner where the question is one of planning."""
        outside = self._outside
        subject = outside.planner if ROLES.get(question.prompt) == "planner" else outside.model
        if subject is None or self._call is None:
            raise ToolFailure("model", "no model to ask")
        via, call = self._via.get(id(subject), 0), self._call

        async def through(request: Request) -> Reply:
            return await call(msgspec.structs.replace(request, via=via))

        prepared = await asyncio.to_thread(subject.prepare, question)
        answer = await subject.answer(question, prepared, through)
        calls += answer.calls
        return answer


class _Tools:
    """One sample's hands on the outside: remembers the calls that were made for it."""

    def __init__(self, subject: MethodSubject) -> None:
        self._subject = subject
        self.calls: list[Call] = []

    async def parse(self, image: bytes, note: str) -> Parse:
        return await self._subject.parse(image, note, self.calls)

    async def ask(self, question: Question) -> Answer:
        return await self._subject.ask(question, self.calls)
