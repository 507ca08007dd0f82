"""The result of each part of a probe, in words and numbers, and the stored record of a probe."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Literal

import msgspec

from snellen.core.digest import digest
from snellen.core.types import Answer, Struct

FORMAT = 1
NEEDS: Mapping[str, list[str]] = tomllib.loads(
    files("snellen.engine.probe_records").joinpath("parts.toml").read_text("utf-8")
)
"""The questions on which each part is judged."""
PARTS = tuple(NEEDS)
Verdict = Literal["fine", "found", "cannot tell", "rejected", "not tried"]
TOLD: tuple[Verdict, ...] = ("fine", "found", "rejected")
"""Verdicts that are evidence about the endpoint."""
Sure = Literal["sure", "likely", ""]
Replies = Mapping[str, Sequence[Answer]]
"""The answers to each question, by its id."""
NOTABLE = 1.3
"""Sizes of two probes that differ by less than this factor count as the same: it is about a row of letters."""


class ProbeResult(Struct, frozen=True):
    """The result of one part: the verdict, a sentence with its numbers, and its certainty if something was found."""

    part: str = ""
    verdict: Verdict = "not tried"
    said: str = ""
    sure: Sure = ""
    measured: dict[str, Any] = msgspec.field(default_factory=dict)


def answered(heard: Sequence[Answer]) -> bool:
    """Tell whether a question was asked, and answered each time."""
    return bool(heard) and not any(one.failure for one in heard)


def fine(said: str, measured: Mapping[str, Any] | None = None) -> ProbeResult:
    """Return the result of a part in which nothing was found."""
    return ProbeResult(verdict="fine", said=said, measured=dict(measured or {}))


def found(said: str, sure: Sure = "sure", measured: Mapping[str, Any] | None = None) -> ProbeResult:
    """Return the result of a part in which the endpoint does not do what it was asked."""
    return ProbeResult(verdict="found", said=said, sure=sure, measured=dict(measured or {}))


def obeyed(said: str, is_so: bool, measured: Mapping[str, Any] | None = None) -> ProbeResult:
    """Return the result of a part about a setting. `is_so` says whether replies show that it is obeyed."""
    if is_so:
        return fine(f"{said}: it is obeyed", measured)
    return found(f"{said}: it is ignored", measured=measured)


def cannot_tell(said: str, measured: Mapping[str, Any] | None = None) -> ProbeResult:
    """Return the result of a part whose replies leave the question open."""
    return ProbeResult(verdict="cannot tell", said=said, measured=dict(measured or {}))


class Proposal(Struct, frozen=True):
    """A proposal for asking for points: the coordinate space of the replies' numbers, and the grounding format that fits, if one does."""

    space: str
    format: str
    note: str = ""


class Probe(Struct, frozen=True):
    """One probe of one endpoint. `endpoint`, `kind` and `model` identify the endpoint. The other fields are the findings."""

    format: int = FORMAT
    snellen: str = ""
    at: str = ""
    spec: str = ""
    kind: str = ""
    endpoint: str = ""
    model: str = ""
    model_returned: str = ""
    family: str = ""
    family_looked_up: str = ""
    seed: int = 0
    calls: int = 0
    stored: int = 0
    cost: float | None = None
    results: tuple[ProbeResult, ...] = ()
    proposal: Proposal | None = None

    @property
    def found(self) -> tuple[ProbeResult, ...]:
        """The parts in which something was found."""
        return tuple(r for r in self.results if r.verdict == "found")

    @property
    def digest(self) -> str:
        """A digest that identifies this probe."""
        return digest(msgspec.to_builtins(self))[:16]


def differences(before: Probe, now: Probe) -> list[str]:
    """Return the differences between two probes of one endpoint, one sentence each. Parts that either of them left open are not
    compared.
    """
    old = {r.part: r for r in before.results if r.verdict in TOLD}
    said = []
    for result in (r for r in now.results if r.verdict in TOLD and r.part in old):
        was = old[result.part]
        if was.verdict != result.verdict:
            said.append(f"{result.part}: {was.verdict} before, {result.verdict} now ({result.said})")
        elif _moved(was, result):
            said.append(f"{result.part}: {was.said}; now {result.said}")
    if before.model_returned and now.model_returned and before.model_returned != now.model_returned:
        said.append(f"the endpoint called its model {before.model_returned} before, {now.model_returned} now")
    return said


def _moved(was: ProbeResult, now: ProbeResult) -> bool:
    """Tell whether a measure changed by more than it would between two measurements."""
    if was.measured.get("space") != now.measured.get("space"):
        return True
    one, other = was.measured.get("scale"), now.measured.get("scale")
    return bool(one and other and max(one, other) / min(one, other) > NOTABLE)
