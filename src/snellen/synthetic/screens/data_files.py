"""Read what stands in data files: icons, words, themes and layouts."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("data")


def load(name: str) -> dict[str, Any]:
    """Return the tables of a data file."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
