"""The words of the design as frozen types. Data flows: Sample -> Question -> Answer -> Mark.

A Question is all that a subject ever receives, and it has no truth in it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

import msgspec


class Struct(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all records: frozen, slotted, written without the fields that say nothing."""


class Text(Struct, frozen=True, tag="text"):
    """A piece of prompt text."""

    text: str


class Picture(Struct, frozen=True, tag="image"):
    """An image as the data set has it: the original file's bytes."""

    data: bytes
    name: str = ""
    transforms: tuple[str, ...] = ()


Part = Text | Picture
AnswerKind = Literal["one-of", "any-of", "text"]


class Turn(Struct, frozen=True):
    """An earlier turn of a conversation: an example's question, or the answer that is put into the subject's mouth."""

    role: Literal["user", "assistant"]
    parts: tuple[Part, ...]


class Question(Struct, frozen=True):
    """What a subject is shown. `parts` is the last user turn, images and text interleaved in order; `history` comes before it.

    `answer_form` is how the prompt wants an option said, such as `Answer: {}`; baselines use it.
    """

    id: str
    exam: str
    prompt: str
    parts: tuple[Part, ...]
    system: str | None = None
    answer_kind: AnswerKind = "text"
    options: tuple[str, ...] = ()
    answer_form: str = "{}"
    shots: tuple[str, ...] = ()
    history: tuple[Turn, ...] = ()

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(p for p in self.parts if isinstance(p, Picture))

    @property
    def text(self) -> str:
        return "\n".join(p.text for p in self.parts if isinstance(p, Text))


class Sample(Struct, frozen=True):
    """One item of a data set. `tags` are what results are broken down by; `truth` is for marking only.

    `pictures` is empty in the light form that marking and run folders use.
    """

    id: str
    tags: dict[str, str]
    truth: Any = None
    facts: dict[str, Any] = {}
    pictures: tuple[Picture, ...] = ()


class Token(Struct, frozen=True):
    """One generated token with its log-probability and the alternatives the endpoint named.

    `entropy` is in nats over the whole vocabulary. Where only some alternatives are known it is the lowest that they allow,
    and `entropy_high` the highest.
    """

    text: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()
    entropy: float | None = None
    entropy_high: float | None = None


class Usage(Struct, frozen=True):
    """Tokens as the endpoint counted them; None where it said nothing.

    `input_tokens` and `output_tokens` are all that were billed as such: those read from a cache or written to it are among the
    input's, and those spent on thinking among the output's, whatever a provider's own way of counting is.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class ImageSent(Struct, frozen=True):
    """An image exactly as it left this machine."""

    sha256: str
    codec: str
    width: int
    height: int
    bytes: int
    transforms: tuple[str, ...] = ()


class Attempt(Struct, frozen=True):
    """One try of a call that failed: HTTP status (None for a network fault), why, how long, the wait after it."""

    reason: str
    seconds: float
    status: int | None = None
    waited: float = 0.0


class Call(Struct, frozen=True):
    """The ledger of one request to one endpoint."""

    key: str
    kind: str
    endpoint: str
    model: str
    model_returned: str | None = None
    provider: str | None = None
    """Who really answered, where a service passes requests on."""
    fingerprint: str | None = None
    """The provider's own mark of the system that answered, where it has one."""
    images: tuple[ImageSent, ...] = ()
    usage: Usage = Usage()
    cost: float | None = None
    cost_source: str | None = None
    latency: float | None = None
    tries: int = 0
    failed: tuple[Attempt, ...] = ()
    unsure: int = 0
    """How many of the failed tries may have been billed, nobody knows how much: their replies were lost."""
    at_most: float | None = None
    """What the call, or a lost try of it, may have cost by the price; None where its cost is known, or there is no price."""
    finish_reason: str | None = None
    response_id: str | None = None
    request_id: str | None = None
    """The provider's own number of the request, from the response's header: what their support asks for."""
    left_out: tuple[str, ...] = ()
    """Parameters that were asked for and not sent: the endpoint had refused them before."""
    batch: str | None = None
    """The batch that the call was part of, if any."""
    stored: bool = False
    at: int = 0
    """When the reply came, in seconds since 1970; 0 where nobody wrote it down."""
    server: str = ""
    """A mark of the model that a server of one's own said it has, when it was asked; another mark is another model."""
    note: str | None = None
    """What was done to the reply before it was kept, if anything: the key was taken out of it."""


class Failure(Struct, frozen=True):
    """Why there is no answer: a short machine word and a sentence for people."""

    kind: str
    reason: str


class Answer(Struct, frozen=True):
    """What came back for one Question, with the calls behind it. Either `failure` is set or `text` is the reply.

    `thinking` is what the model thought before, as far as the endpoint shows it apart from the reply. It is never marked.
    """

    id: str
    prompt: str
    text: str = ""
    thinking: str = ""
    failure: Failure | None = None
    finish_reason: str | None = None
    refused: bool = False
    tokens: tuple[Token, ...] = ()
    calls: tuple[Call, ...] = ()
    shots: tuple[str, ...] = ()


def failed(question: Question, kind: str, reason: str) -> Answer:
    """Return the answer to a question that could not be answered."""
    failure = Failure(kind=kind, reason=reason)
    return Answer(id=question.id, prompt=question.prompt, failure=failure, shots=question.shots)


class Outcome(StrEnum):
    """What became of one sample. Only the first three are answers; an unmarked one has no truth to be compared with."""

    CORRECT = "correct"
    WRONG = "wrong"
    UNMARKED = "unmarked"
    UNPARSABLE = "unparsable"
    REFUSED = "refused"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    ERROR = "error"


NON_ANSWERS = frozenset(Outcome) - {Outcome.CORRECT, Outcome.WRONG, Outcome.UNMARKED}


Metrics = dict[str, float | str | None]


class Mark(Struct, frozen=True):
    """Outcome and metric values of one sample under one protocol."""

    id: str
    outcome: Outcome
    reading: Any = None
    metrics: Metrics = {}
