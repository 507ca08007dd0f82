"""Replies of models on this machine as Answers, with their ledger: the same whichever library runs the model."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from snellen.core.text import one_line
from snellen.core.types import Answer, Attempt, Call, ImageSent, Question, Usage, failed
from snellen.subjects.local.chat import ChatPrompt
from snellen.subjects.local.model import ModelReply, SampleError


class LocalIdentity(NamedTuple):
    """The source of an answer: the kind of subject, the device, the model, the exact weights, and the library."""

    kind: str
    device: str
    model: str
    version: str
    provider: str


def answer_of(
    question: Question, prompt: ChatPrompt, reply: ModelReply, ran: LocalIdentity, before: tuple[Attempt, ...] = ()
) -> Answer:
    """Return a reply as an answer; `before` are the failed tries."""
    images = tuple(_with_transform(entry, word) for entry, word in zip(prompt.sent, reply.seen, strict=True))
    ledger = Call(
        key=prompt.key,
        kind=ran.kind,
        endpoint=ran.device,
        model=ran.model,
        model_returned=ran.version,
        provider=ran.provider,
        images=images,
        usage=Usage(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens),
        cost=0.0,
        cost_source="local",
        latency=reply.seconds,
        tries=1 + len(before),
        failed=before,
        finish_reason=reply.finish_reason,
    )
    return Answer(
        id=question.id,
        prompt=question.prompt,
        text=reply.text,
        finish_reason=reply.finish_reason,
        tokens=reply.tokens,
        calls=(ledger,),
        shots=question.shots,
    )


def failure_of(question: Question, error: Exception, spec: str) -> Answer:
    """Return the answer to a question that failed for any reason."""
    kind, reason = "model", f"{spec} failed ({type(error).__name__}: {one_line(str(error))})"
    if isinstance(error, SampleError):
        kind, reason = error.kind, str(error)
    return failed(question, kind, reason)


def _with_transform(entry: ImageSent, word: str) -> ImageSent:
    return msgspec.structs.replace(entry, transforms=(*entry.transforms, word))
