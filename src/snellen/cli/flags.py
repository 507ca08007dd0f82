"""The flags of commands, declared in flags/COMMAND.toml. flags/shared.toml has those that several commands take.

Other spellings (`--dataset`, `--num-samples`, `--n_samples` ...) are those of the original tools, which keep working.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import click

from snellen import exams
from snellen.cli.model_labels import label, label_file
from snellen.core.errors import MissingExtra

F = TypeVar("F", bound=Callable[..., Any])


def exam_names(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of an exam, including those of installed packages."""
    return [name for name in exams.names() if name.startswith(incomplete)]


exam_argument = click.argument("exam", shell_complete=exam_names)
run_argument = click.argument("run", type=click.Path(path_type=Path))
runs_argument = click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
folder_argument = click.argument("folder", type=click.Path(path_type=Path), default=Path("runs"), metavar="[DIR]")
open_in_browser = click.option(
    "--open/--no-open", "open_it", default=None, help="Open a browser, or not (default: where there is a terminal)."
)


def need_server(what: str) -> None:
    """Refuse a command that needs a web server if none is installed."""
    if any(find_spec(name) is None for name in ("starlette", "uvicorn")):
        raise MissingExtra(what, "view")


def show_page(keys: Any, open_it: bool | None) -> None:
    """Open a page that only its user may see, as `--open` requests."""
    if sys.stdout.isatty() if open_it is None else open_it:
        import webbrowser

        webbrowser.open(keys.link_once())


class _CountOrNone(click.IntRange):
    """A number of samples, or `None` for all of them, as multimodal-vqa-eval writes it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or None for `None`."""
        return None if str(value).strip().lower() == "none" else super().convert(value, param, ctx)


def words(_ctx: click.Context, _param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Split repeated or comma-separated values, and keep each once."""
    return tuple(dict.fromkeys(w.strip() for v in value for w in v.split(",") if w.strip()))


class Flag(click.Option):
    """An option that knows the heading under which the help shows it."""

    def __init__(self, *args: Any, group: str = "Options", **more: Any) -> None:
        super().__init__(*args, **more)
        self.group = group


TYPES: dict[str, Callable[..., Any]] = {
    "count": click.IntRange,
    "count or none": _CountOrNone,
    "number": click.FloatRange,
    "path": partial(click.Path, path_type=Path),
    "file": partial(click.File, "rb"),
    "choice": click.Choice,
}
_CALLBACKS = {"words": words, "label": label, "label file": label_file}


def flags(command: str) -> Callable[[F], F]:
    """Add the flags of a command, in the order of its file.

    A flag that the file does not describe is the shared one. One that it describes without `names` is the shared one with changes.
    """
    shared, own = _read("shared"), _read(command)

    def add(function: F) -> F:
        for name in reversed(own["flags"]):
            described = own.get(name, {})
            if "names" not in described:
                described = shared[name] | described
            function = _flag(name, **described)(function)
        return function

    return add


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files("snellen.cli") / "flags" / f"{name}.toml").read_text(encoding="utf-8"))


def _flag(name: str, names: str, **more: Any) -> Callable[[F], F]:
    """Make an option from its description: `type` and `callback` name objects, the rest is click's own."""
    if "type" in more:
        kind = dict(more["type"])
        more["type"] = TYPES[kind.pop("of")](**kind)
    if "callback" in more:
        more["callback"] = _CALLBACKS[more["callback"]]
    return click.option(*names.split(), name, cls=Flag, **more)
