"""Declarations in TOML files of a package, beside the code that reads them."""

from __future__ import annotations

from importlib.resources import files
from typing import TypeVar

import msgspec

Kind = TypeVar("Kind")


def declared(package: str, name: str, kind: type[Kind]) -> Kind:
    """Read a TOML file of a package as a value of this type."""
    return msgspec.toml.decode((files(package) / name).read_bytes(), type=kind)
