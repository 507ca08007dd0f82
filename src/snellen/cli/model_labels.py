"""`--name SPEC=LABEL` and `--names FILE`: models under other names in tables and charts."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import click

from snellen.cli.options import stack
from snellen.core.errors import SnellenError
from snellen.core.model_names import labelled


def _named(ctx: click.Context, _param: click.Parameter, pairs: tuple[str, ...]) -> None:
    ctx.with_resource(labelled(dict(_pair(pair, "--name") for pair in pairs)))


def _of_file(ctx: click.Context, _param: click.Parameter, file: Path | None) -> None:
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


model_labels = stack(
    click.option(
        "--name",
        multiple=True,
        metavar="SPEC=LABEL",
        callback=_named,
        expose_value=False,
        help="Show a model under another name; may be given several times.",
    ),
    click.option(
        "--names",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        callback=_of_file,
        expose_value=False,
        is_eager=True,
        help="The same from a file: TOML, CSV of two columns, or lines of SPEC=LABEL.",
    ),
)
