"""The interface of a wire format: writing a provider's requests and reading its replies. Pure; each provider implements it in one file.

A body is written in pieces, since it holds images and every copy costs. First comes the head, which has all parameters and is the
same for every question; then the question's content. So a refused parameter is left out by changing the head alone, also for
requests that were written before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from snellen.core.secret import Secret
from snellen.core.subject import Parsed
from snellen.subjects.remote.service import Service
from snellen.subjects.remote.settings import Settings


class ParameterVariant(NamedTuple):
    """Another way to ask for a parameter: fields that replace those that carried it, and other fields that go with them.

    `about` describes what is asked for now; `thinking` is the budget in tokens, if this way changes it.
    """

    fields: Mapping[str, Any]
    about: str
    thinking: int | None = None


class Parameters(NamedTuple):
    """Parameters sent with the question. `sent` uses the names of the wire; `not_applied` lists the wishes that are not in it, and why.

    `visible` and `thinking` are the caps in tokens; the provider gets their sum or each. `ways` is for parameters that
    models take in different forms: forms to try in turn if the endpoint refuses one. After the last the parameter is left out.
    """

    sent: Mapping[str, Any]
    not_applied: Mapping[str, str] = {}
    visible: int = 0
    thinking: int = 0
    ways: Mapping[str, tuple[ParameterVariant, ...]] = {}


class ModelListing(NamedTuple):
    """A service's description of one model: facts that tell models apart, and the most tokens that a reply can have."""

    facts: Mapping[str, Any]
    most_output: int | None = None


class ErrorBody(NamedTuple):
    """A parsed error: a sentence, the provider's word for it, and the parameter that it names.

    `kind` is set if the provider tells more than the status does: one of TREATED, `context` or `refused` (by a content filter).
    The error is then treated as one of `status`, by default that of TREATED. `wait` is how many seconds it asks to wait.
    """

    message: str = ""
    code: str = ""
    parameter: str = ""
    kind: str = ""
    status: int | None = None
    wait: float | None = None


TREATED = {"key": 401, "not-allowed": 403, "no-credit": 402, "unknown-model": 404, "no-images": 415, "throttled": 429}
"""The kinds of errors that no status identifies for sure, and the status that they are treated as."""


class WireFormat(ABC):
    """One wire format."""

    droppable: Mapping[str, tuple[str, ...]] = {}
    """Parameters that are optional, by Snellen's names, with the fields of the body that carry each: `a.b` is b inside a.
    When several are refused together, they are given up in this order."""
    envelope: str = ""
    """An object of the body that only holds parameters: an error that names it is not about any of them yet."""
    other_names: Mapping[str, str] = {}
    """Fields that services know by one of two names. A field refused by its name is sent under the other."""

    @abstractmethod
    def path(self, model: str) -> str:
        """Return the path of requests, behind the base address; a query may follow."""

    def models_path(self, model: str) -> str:
        """Return the path where the service lists its models, or describes this one."""
        return "/models"

    @abstractmethod
    def parameters(self, model: str, settings: Settings, service: Service) -> Parameters:
        """Return the parameters of every request to a model."""

    def headers(self, sent: Mapping[str, Any]) -> Mapping[str, str]:
        """Return headers that go with such parameters, in addition to the service's own."""
        return {}

    def fixed(self, model: str, service: Service) -> Mapping[str, Any]:
        """Return fields of every body that are not user settings, such as the model's name. They are not part of a request's key."""
        return {"model": model}

    def head(self, model: str, service: Service, sent: Mapping[str, Any]) -> bytes:
        """Return the beginning of every body, up to the comma behind the parameters."""
        fields = {**self.fixed(model, service), **sent}
        return msgspec.json.encode(fields)[:-1] + (b"," if fields else b"")

    def told(self, listing: Mapping[str, Any]) -> ModelListing | None:
        """Return the model's description from the answer at `models_path`, if it is about that model alone; None if it is a list."""
        return None

    def within(self, sent: Mapping[str, Any], most: int, visible: int) -> Mapping[str, Any]:
        """Return the parameters with the reply capped at the model's maximum."""
        return sent

    # ------------------------------------------------------------ a question

    @abstractmethod
    def opening(self, system: str | None) -> bytes:
        """Return the part before the turns: the system's text, and the opening of the list of turns."""

    def turn(self, role: str) -> tuple[bytes, bytes]:
        """Return the frame around a turn's parts. Parts have commas between them, and so have turns."""
        return f'{{"role":"{role}","content":['.encode(), b"]}"

    def text(self, role: str, text: str) -> bytes:
        """Return a part that is text."""
        return b'{"type":"text","text":' + msgspec.json.encode(text) + b"}"

    @abstractmethod
    def picture(self, mime: str, detail: str | None) -> tuple[bytes, bytes]:
        """Return the frame around an image's base64."""

    closing: bytes = b"]}"

    # ------------------------------------------------------------ replies

    @abstractmethod
    def parse(self, body: bytes, key: Secret) -> Parsed:
        """Parse a 200 response. Raise BrokenReply, with its cost, if it cannot be used."""

    @abstractmethod
    def error(self, status: int, body: bytes, key: Secret) -> ErrorBody:
        """Read the body of a failed response. The key is removed from the result. Exceptions are caught, and the body
        is then read in the common way (`reading.error_body`)."""

    def advice(self, status: int, error: ErrorBody, model: str, elsewhere: bool) -> str:
        """Return advice on an error, if the format knows more than the error's kind tells. `elsewhere` means that the address is
        not the service's own."""
        return ""

    def takes(self, entry: Mapping[str, Any]) -> frozenset[str] | None:
        """Return the fields that a model takes, if its entry in the service's list names them: others have no effect."""
        return None
