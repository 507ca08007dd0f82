"""The flags that exams and subjects declare, and the data and run folders that a command line names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from snellen import exams
from snellen.cli.flags import Flag, words
from snellen.comparison.thresholds import is_folder_of_runs
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import HubData, Maker, traits_of
from snellen.core.options import BOX_FORMAT, COLUMNS, IMAGES, Option, stored_values
from snellen.engine.merging import merge_finished
from snellen.engine.runs.run import Run

# ---------------------------------------------------------------- declared options as flags


KINDS: dict[str, dict[str, Any]] = {
    "flag": {"is_flag": True, "default": False},
    "words": {"multiple": True, "callback": words},
    "pairs": {"multiple": True},
    "bool": {"type": bool},
    "int": {"type": int},
    "float": {"type": float},
}


def flag(option: Option, group: str) -> click.Option:
    """Return a declared option as a command-line flag. `group` is its heading in the help."""
    more: dict[str, Any] = {"help": option.help, "metavar": option.metavar} | KINDS.get(option.kind, {})
    if "is_flag" not in more and "multiple" not in more and option.default not in (None, ()):
        default = f"{option.default:g}" if isinstance(option.default, float) else option.default
        more["help"] = f"{option.help} [default: {default}]"
    if (option.least, option.most) != (None, None):
        within: Callable[..., Any] = click.IntRange if option.kind == "int" else click.FloatRange
        number = int if option.kind == "int" else float
        more["type"] = within(*(None if end is None else number(end) for end in (option.least, option.most)))
    return Flag([*option.spellings, option.name], group=group, **more)


def given_values(options: Iterable[Option], ctx: click.Context) -> dict[str, Any]:
    """Return the declared options that are on the command line, with their values by name."""
    found: dict[str, Any] = {}
    for option in {o.name: o for o in options}.values():
        if ctx.get_parameter_source(option.name) is click.core.ParameterSource.COMMANDLINE:
            found[option.name] = _value(option, ctx.params[option.name])
    return found


def _value(option: Option, value: Any) -> Any:
    if option.kind == "pairs":
        return dict(_pair(option, text) for text in value)
    return option.parse(value) if option.parse is not None and isinstance(value, str) else value


def _pair(option: Option, text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise SnellenError(f"{option.spellings[0]} {text}: expected {option.metavar or 'NAME=VALUE'}")
    return key.strip(), value.strip()


# ---------------------------------------------------------------- the values of flags


def data_options_of(
    exam: Exam, images: str | None, columns: Sequence[str], box_format: str | None = None
) -> dict[str, Any]:
    """Return --images, --columns and --box-format as the selection keeps them. It is an error if the exam has no such option."""
    given = {IMAGES: images, COLUMNS: dict(_pair(COLUMNS, text) for text in columns), BOX_FORMAT: box_format}
    found = {option: value for option, value in given.items() if value}
    for option in found:
        if option.name not in {o.name for o in exam.options}:
            raise SnellenError(
                f"{option.spellings[0]} has no effect for {exam.name}: it finds its data by itself. "
                "For a table of your own questions name the exam 'own' and --data PATH"
            )
    return stored_values({option.name: value for option, value in found.items()})


def full_spec(given: Mapping[str, Any]) -> str | None:
    """Return `--model`, with `--backend` before it."""
    if not given.get("model"):
        return None
    backend = given.get("backend")
    return f"{backend}/{given['model']}" if backend else str(given["model"])


def resolve(word: str, data: str | None) -> tuple[str, Path]:
    """Return the exam that a word names, and its data: the path given in place of the exam, else `--data`."""
    name, where = exams.resolve(word)
    return name, data_of(name, where, data)


def data_of(exam: str, where: Path | None, given: str | None) -> Path:
    """Return the data of a command: the path given in place of the exam, else `--data`."""
    if where is not None and given is not None:
        raise SnellenError(f"--data {given}: the data was named already, {where}; leave out one of them")
    return where if where is not None else data_folder(exam, given)


def data_folder(name: str, given: str | None) -> Path:
    """Return `--data`: a folder or a file, or the hub's name of the exam's data. By default, it is where `snellen data get` puts the data.

    An exam that draws its own samples has no data, so the working folder is returned.
    """
    exam = exams.load(name)
    if traits_of(exam).drawn:
        if given is not None:
            raise SnellenError(f"--data {given}: {name} draws its own samples from --seed; leave it out")
        return Path()
    if given is not None and Path(given).exists():
        return Path(given)
    home, hub = default_data_folder(name), exam.extra(HubData)
    if given is None and home.is_dir():
        return home
    if given is not None and hub is not None and (fetched := _by_hub_name(name, hub, given)) is not None:
        return fetched
    ways = []
    if exam.extra(Maker) is not None:
        there = "there" if given is not None else ""
        ways.append(f"'snellen data make {name} --out {given or 'DIR'}' makes a synthetic set {there}".rstrip())
    if given is not None:
        raise SnellenError("; ".join([f"--data {given}: no such folder", *ways]))
    if hub is not None:
        does = "fetches the real one" if _repository(hub, None) is not None else "says where the real one is"
        ways.append(f"'snellen data get {name}' {does}")
    raise SnellenError("no data: give --data DIR" + (f"; {', '.join(ways)}" if ways else ""))


def _repository(hub: HubData, name: str | None) -> str | None:
    """Return the repository of a data set, or None if the hub does not have it."""
    try:
        return hub.find(name).repo
    except SnellenError:
        return None


def _by_hub_name(exam: str, hub: HubData, given: str) -> Path | None:
    """Return the place of the data set with this name on the hub, or None if the exam has none. Other names are never substituted."""
    for name in (None, *hub.names):
        if (_repository(hub, name) or "").lower() == given.lower():
            folder = default_data_folder(exam if name is None else f"{exam}-{name}")
            if folder.is_dir():
                return folder
            command = f"snellen data get {exam}" + (f" --set {name}" if name else "")
            raise SnellenError(f"--data {given}: not fetched yet; '{command}' does it")
    return None


def default_data_folder(exam: str) -> Path:
    """Return `SNELLEN_DATA_DIR/EXAM`, else a folder of the user's."""
    moved = os.environ.get("SNELLEN_DATA_DIR")
    if moved:
        return Path(moved) / exam
    from platformdirs import user_data_path

    return user_data_path("snellen", appauthor=False) / exam


def run_folder(path: Path, command: str) -> Path:
    """Return a run folder. Refuse other folders and suggest one that works."""
    if (path / "run.json").is_file():
        return path
    if is_folder_of_runs(path):
        several = command in ("export", "compare")
        some = "the runs" if several else "one of its runs"
        such = f"'snellen {command} {path}/*'" if several else f"those that 'snellen show {path}' lists"
        raise SnellenError(f"{path} is a folder of runs, not a run: name {some}, such as {such}")
    why = "it has no run.json" if path.is_dir() else "there is no such folder"
    raise SnellenError(f"{path} is not a run folder ({why}): name a folder that 'snellen run' made")


def merge_shards(folder: Path) -> None:
    """Merge the shards in a folder if they are complete, and report it."""
    for line in merge_finished(folder):
        click.echo(f"note: {line}", err=True)


def summary_of(run: Run) -> dict[str, Any]:
    """Return a run's summary as plain values, with its path."""
    summary: dict[str, Any] = msgspec.to_builtins(run.summary)
    return {"run": str(run.path)} | summary


def print_json(value: Any) -> None:
    """Print one JSON document, and nothing else on standard output."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())
