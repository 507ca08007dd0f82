"""Read what stands in data files: icons, words, themes and layouts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from snellen.synthetic.drawings import read_table

FOLDER = Path(__file__).with_name("data")


def load(name: str) -> dict[str, Any]:
    """Return the tables of a data file."""
    return read_table(FOLDER / f"{name}.toml")
