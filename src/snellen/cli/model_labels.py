"""`--name SPEC=LABEL` and `--names FILE`: models under other names in tables and charts."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from snellen.core.errors import SnellenError
from snellen.core.model_names import labelled


def label(ctx: click.Context, _param: click.Parameter, pairs: tuple[str, ...]) -> None:
    """Show models under other names while a command runs."""
    ctx.with_resource(labelled(_labels((pair.split("=", 1) for pair in pairs), "--name")))


def label_file(ctx: click.Context, _param: click.Parameter, file: Path | None) -> None:
    """Show models under the names of a file."""
    if file is not None:
        ctx.with_resource(labelled(read_labels(file)))


def read_labels(file: Path) -> dict[str, str]:
    """Read labels from a TOML file (`"SPEC" = "LABEL"`), from the two columns of a CSV file, or from lines of SPEC=LABEL."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        lines = [line for line in text.splitlines() if line.strip()]
        if file.suffix.lower() == ".toml":
            return _labels(tomllib.loads(text).items(), str(file))
        if file.suffix.lower() == ".csv":
            return _labels(csv.reader(lines), str(file))
        return _labels((line.split("=", 1) for line in lines), str(file))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, csv.Error) as error:
        raise SnellenError(f"{file} cannot be read: {error}") from None


def _labels(pairs: Iterable[Sequence[Any]], where: str) -> dict[str, str]:
    found = {}
    for pair in pairs:
        if len(pair) != 2 or not all(isinstance(text, str) and text.strip() for text in pair):
            line = "=".join(map(str, pair))
            raise SnellenError(
                f"{where}: '{line}' is not SPEC=LABEL (a model and its name), such as openai/gpt-4o=GPT-4o"
            )
        found[pair[0].strip()] = pair[1].strip()
    return found
