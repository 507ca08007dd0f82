"""`--name SPEC=LABEL` and `--names FILE`: models under other names in tables and charts."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import click

from snellen.core.errors import SnellenError
from snellen.core.model_names import labelled


def label(ctx: click.Context, _param: click.Parameter, pairs: tuple[str, ...]) -> None:
    """Show models under other names for the length of a command."""
    ctx.with_resource(labelled(dict(_pair(pair, "--name") for pair in pairs)))


def label_file(ctx: click.Context, _param: click.Parameter, file: Path | None) -> None:
    """Show models under the names of a file."""
    if file is not None:
        ctx.with_resource(labelled(read_labels(file)))


def read_labels(file: Path) -> dict[str, str]:
    """Read labels from a TOML file (`"SPEC" = "LABEL"`), from the two columns of a CSV file, or from lines of SPEC=LABEL."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        if file.suffix.lower() == ".toml":
            return {spec: _label(spec, label, str(file)) for spec, label in tomllib.loads(text).items()}
        lines = [line for line in text.splitlines() if line.strip()]
        if file.suffix.lower() == ".csv":
            return dict(_cells(row, str(file)) for row in csv.reader(lines))
        return dict(_pair(line, str(file)) for line in lines)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, csv.Error) as error:
        raise SnellenError(f"{file} cannot be read: {error}") from None


def _label(spec: str, label: object, where: str) -> str:
    if not isinstance(label, str):
        raise SnellenError(f"{where}: the label of {spec} is not a text")
    return label


def _cells(row: list[str], where: str) -> tuple[str, str]:
    if len(row) != 2 or not all(cell.strip() for cell in row):
        raise SnellenError(f"{where}: '{','.join(row)}' is not a line of two columns, SPEC and LABEL")
    return row[0].strip(), row[1].strip()


def _pair(text: str, where: str) -> tuple[str, str]:
    spec, equals, label = (piece.strip() for piece in text.partition("="))
    if not (spec and equals and label):
        raise SnellenError(f"{where}: '{text}' is not SPEC=LABEL, such as openai/gpt-4o=GPT-4o")
    return spec, label
