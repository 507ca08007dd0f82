"""Subjects behind an API, made from settings."""

from __future__ import annotations

from typing import Any

from snellen import subjects
from snellen.subjects.remote.service import base_address as address_of
from snellen.subjects.remote.settings import Settings


def remote(kind: str, model: str, settings: Settings, *, offline: bool = False) -> Any:
    """Make the subject `KIND/MODEL`."""
    return subjects.kinds()[kind].subject(model, settings, offline=offline)  # type: ignore[attr-defined]


def base_address(kind: str, given: str | None) -> str:
    """Return the address that a kind of subject would call."""
    return address_of(subjects.kinds()[kind].service, given)  # type: ignore[attr-defined]
