"""The terms of the design as frozen types. Data flows: Sample -> Question -> Answer -> Mark.

A Question is everything that a subject ever receives; it does not contain the truth.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

import msgspec


class Struct(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all records: frozen, slotted, written without fields at their defaults."""


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
    """An earlier turn of a conversation: an example's question, or the prefilled answer of the subject."""

    role: Literal["user", "assistant"]
    parts: tuple[Part, ...]


class Question(Struct, frozen=True):
    """A subject's input. `parts` is the last user turn, images and text interleaved in order; `history` comes before it.

    `answer_form` is the form in which the prompt wants an option, such as `Answer: {}`; baselines use it.
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
    """One item of a data set. Results are broken down by `tags`; `truth` is for marking only.

    `pictures` is empty in the light form that marking and run folders use.
    """

    id: str
    tags: dict[str, str]
    truth: Any = None
    facts: dict[str, Any] = {}
    pictures: tuple[Picture, ...] = ()


class Token(Struct, frozen=True):
    """One generated token with its log-probability and the alternatives the endpoint named.

    `entropy` is in nats over the whole vocabulary. If only some alternatives are known it is the lowest that they allow,
    and `entropy_high` the highest.
    """

    text: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()
    entropy: float | None = None
    entropy_high: float | None = None


class Usage(Struct, frozen=True):
    """Tokens as the endpoint counted them; None if it did not report them.

    `input_tokens` and `output_tokens` are all tokens billed as such. Tokens read from a cache or written to it are among the
    input's, and those spent on thinking among the output's, however the provider counts.
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
    """One failed try of a call: HTTP status (None for a network failure), the reason, how long it took, the wait after it."""

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
    """The provider that answered, if a service passes requests on."""
    fingerprint: str | None = None
    """The provider's fingerprint of the system that answered, if it has one."""
    images: tuple[ImageSent, ...] = ()
    usage: Usage = Usage()
    cost: float | None = None
    cost_source: str | None = None
    latency: float | None = None
    tries: int = 0
    failed: tuple[Attempt, ...] = ()
    unsure: int = 0
    """The number of failed tries that may have been billed for an unknown amount: their replies were lost."""
    at_most: float | None = None
    """The most that the call, or a lost try of it, may have cost by the price; None if its cost is known, or the price is not."""
    finish_reason: str | None = None
    response_id: str | None = None
    request_id: str | None = None
    """The provider's own request number, from the response's header: their support asks for it."""
    left_out: tuple[str, ...] = ()
    """Parameters that the user asked for and that were not sent: the endpoint had refused them before."""
    batch: str | None = None
    """The batch that the call was part of, if any."""
    stored: bool = False
    at: int = 0
    """When the reply came, in seconds since 1970; 0 if that was not recorded."""
    server: str = ""
    """A mark of the model that the user's own server reported; another mark is another model."""
    note: str | None = None
    """A change made to the reply before it was stored, if any: the key was taken out of it."""


class Failure(Struct, frozen=True):
    """The reason for a missing answer: a short machine word and a sentence for people."""

    kind: str
    reason: str


class Answer(Struct, frozen=True):
    """The result for one Question, with the calls behind it. Either `failure` is set or `text` is the reply.

    `thinking` is the model's thinking before the reply, as far as the endpoint shows it separately. It is never marked.
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
    """The outcome of one sample. Only the first three are answers; an unmarked sample has no truth to compare with."""

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
