"""Calls of a function in another process: messages in msgpack, arguments and results by the function's own annotations.

Pickle is not used: a message holds data alone. Functions are named `module:function`, also if one is the argument of another.
"""

from __future__ import annotations

import importlib
import inspect
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar, get_origin, get_type_hints

import msgspec

from snellen.core.errors import SnellenError, said_by
from snellen.core.text import one_line
from snellen.core.types import Struct

T = TypeVar("T")
Named = Callable[..., Any] | str
"""A function of a module, a `partial` of one, or a `module:function`. For a class, the worker makes one object and calls that."""


class WorkFailed(RuntimeError):
    """The function raised an error that is not one of Snellen's. It has the worker's traceback as a note."""


class _Bound(Struct, frozen=True):
    """A function and its first arguments."""

    path: str
    first: list[msgspec.Raw]
    named: dict[str, msgspec.Raw]


class _CallResults(Struct, frozen=True):
    """The results of the calls in a message, or the first error: one of Snellen's, or one of the code (with its traceback)."""

    results: msgspec.Raw = msgspec.Raw()
    error: str = ""
    trace: str = ""


# ---------------------------------------------------------------- here


class Calls(Generic[T]):
    """The messages for workers that call a function, and the parsing of their replies."""

    def __init__(self, function: Named) -> None:
        target = None if isinstance(function, str) else _target(function)
        returned = _hints(target.__call__ if inspect.isclass(target) else target).get("return", Any)
        self._results = msgspec.msgpack.Decoder(list[returned], dec_hook=_decode)  # type: ignore[valid-type]

    def message(self, calls: Sequence[Sequence[Any]]) -> bytes:
        """Encode the arguments of some calls."""
        return _PACK.encode(calls)

    def results(self, reply: bytes) -> list[T]:
        """Decode the results of the calls in a message. Raise SnellenError or WorkFailed if one of them failed."""
        told = _REPLIES.decode(reply)
        if told.trace:
            failed = WorkFailed(told.error)
            failed.add_note(told.trace)
            raise failed
        if told.error:
            raise SnellenError(told.error)
        results: list[T] = self._results.decode(told.results)
        return results


def job_of(function: Named) -> bytes:
    """Return the bytes from which a worker knows which function to call."""
    return _PACK.encode(_bound(function))


def _bound(function: Named) -> _Bound:
    if isinstance(function, str):
        return _Bound(path=function, first=[], named={})
    target = _target(function)
    path = f"{target.__module__}:{target.__qualname__}"
    if target.__module__ == "__main__" or "<" in path:
        raise TypeError(f"{path} cannot be called in another process: it is not a function of a module")
    first, named = (function.args, function.keywords) if isinstance(function, partial) else ((), {})
    return _Bound(path=path, first=[_raw(v) for v in first], named={name: _raw(v) for name, v in named.items()})


def _target(function: Callable[..., Any]) -> Any:
    return function.func if isinstance(function, partial) else function


def _raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(_PACK.encode(value))


# ---------------------------------------------------------------- in a worker


class WorkerFunction:
    """The function in a worker. If it cannot be imported, every reply says why."""

    def __init__(self, job: bytes) -> None:
        """Import the function and make the object of a class, which takes time."""
        self._problem = b""
        try:
            function = _unbound(_BOUND.decode(job))
            self._function = function().__call__ if inspect.isclass(_target(function)) else function
            hints = _hints(_target(self._function))
            given = tuple(hints.get(name, Any) for name in _parameters(self._function))
            self._calls = msgspec.msgpack.Decoder(list[tuple[*given]], dec_hook=_decode)  # type: ignore[valid-type]
        except Exception as error:
            self._problem = _failed(error)

    async def reply(self, message: bytes) -> bytes:
        """Make the calls of a message. Never raises."""
        if self._problem:
            return self._problem
        try:
            results = []
            for arguments in self._calls.decode(message):
                result = self._function(*arguments)
                results.append(await result if inspect.isawaitable(result) else result)
            return _PACK.encode(_CallResults(results=_raw(results)))
        except Exception as error:
            return _failed(error)


def _failed(error: Exception) -> bytes:
    if isinstance(error, SnellenError):
        return _PACK.encode(_CallResults(error=str(error)))
    return _PACK.encode(_CallResults(error=one_line(said_by(error)), trace=traceback.format_exc()))


def _unbound(told: _Bound) -> Callable[..., Any]:
    """Return a function with its first arguments."""
    module, _, name = told.path.partition(":")
    target = getattr(importlib.import_module(module), name)
    hints = _hints(target.__init__ if inspect.isclass(target) else target)
    names = inspect.signature(target).parameters if told.first else ()
    first = [_decoded(raw, hints.get(name, Any)) for raw, name in zip(told.first, names, strict=False)]
    named = {name: _decoded(raw, hints.get(name, Any)) for name, raw in told.named.items()}
    return partial(target, *first, **named) if first or named else target


def _parameters(function: Any) -> list[str]:
    """Return the parameters that a call has to give, in order: those that are neither bound nor have a default."""
    found = inspect.signature(function).parameters.values()
    return [one.name for one in found if one.default is one.empty and one.kind is not one.KEYWORD_ONLY]


def _hints(function: Any) -> dict[str, Any]:
    return get_type_hints(function) if hasattr(function, "__annotations__") else {}


def _decoded(raw: msgspec.Raw, kind: Any) -> Any:
    return msgspec.msgpack.decode(raw, type=kind, dec_hook=_decode)


# ---------------------------------------------------------------- types that msgpack lacks


def _encode(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, range):
        return value.start, value.stop, value.step
    if callable(value):
        return job_of(value)
    raise TypeError(f"a {type(value).__name__} cannot be told to another process")


def _decode(kind: Any, value: Any) -> Any:
    if kind is range:
        return range(*value)
    if isinstance(kind, type) and issubclass(kind, Path):
        return Path(value)
    if (get_origin(kind) or kind) is Callable:
        return _unbound(_BOUND.decode(value))
    return value


_PACK = msgspec.msgpack.Encoder(enc_hook=_encode)
_BOUND, _REPLIES = msgspec.msgpack.Decoder(_Bound), msgspec.msgpack.Decoder(_CallResults)
