"""Flags that several commands share, and the flags of an exam's and a subject's own options.

Other spellings (`--dataset`, `--num-samples`, `--n_samples` ...) are those of the original tools, which keep working.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import HubData, Maker, traits_of
from snellen.core.options import COLUMNS, IMAGES, Option, Selection, stored_values

F = TypeVar("F", bound=Callable[..., Any])


class CountOrNone(click.IntRange):
    """A number of samples, or `None` for all of them, as multimodal-vqa-eval writes it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; None for none."""
        return None if str(value).strip().lower() == "none" else super().convert(value, param, ctx)


def words(_ctx: click.Context, _param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Repeated or comma-separated values, each once."""
    return tuple(dict.fromkeys(w.strip() for v in value for w in v.split(",") if w.strip()))


class Flag(click.Option):
    """An option that knows the heading under which the help shows it."""

    group = "Options"


def under(group: str) -> type[Flag]:
    """The class of options with this heading."""
    return type("GroupedFlag", (Flag,), {"group": group})


WHICH, WHO, MARKED, HOW, SHOWN = (
    under(name) for name in ("Which questions", "Who answers", "How it is marked", "How it runs", "What is shown")
)


def several(*names: str, help: str, metavar: str | None = None, cls: type[Flag] = Flag) -> Callable[[F], F]:
    """An option with repeated or comma-separated values."""
    return click.option(*names, multiple=True, callback=words, metavar=metavar, help=help, cls=cls)


def stack(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, in their order."""

    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


selection = stack(
    click.option(
        "--data",
        "--dataset",
        "data",
        metavar="DIR",
        help="Folder of the data set (default: where 'snellen data get' puts it).",
        cls=WHICH,
    ),
    several(
        "--split",
        "--splits",
        "splits",
        help="Splits, comma separated (default: all; vqax, actx, esnlive, vcr: the first of val, test, train that is there).",
        cls=WHICH,
    ),
    several(
        "--task",
        "--tasks",
        "tasks",
        help="Tasks, comma separated (default: all; vcr: answer alone).",
        cls=WHICH,
    ),
    click.option(
        "--limit",
        "--samples",
        "--num-samples",
        "--n_samples",
        "limit",
        type=CountOrNone(min=1),
        metavar="N",
        help="At most N samples of each split and task, drawn by --seed. A smaller limit selects a subset of a larger one.",
        cls=WHICH,
    ),
    click.option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        help="Random seed: which samples and few-shot examples are drawn, and what baseline/chance says.",
        cls=WHICH,
    ),
)

repeats = click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Ask each question N times: scores are then over all repeats, with their spread from one to the next.",
    cls=WHICH,
)

_backend = click.option(
    "--backend",
    metavar="KIND",
    help="Kind of endpoint, put before --model: --backend ollama --model llava:7b is ollama/llava:7b.",
    cls=WHO,
)
_WHO_ANSWERS = "Who answers, such as openai/gpt-4o ('snellen list subjects')"
model = stack(click.option("--model", metavar="SPEC", help=f"{_WHO_ANSWERS}.", cls=WHO), _backend)
models = stack(
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="SPEC",
        help=f"{_WHO_ANSWERS}; given several times, each answers.",
        cls=WHO,
    ),
    _backend,
)

protocols = stack(
    several(
        "--protocol",
        "--protocols",
        "protocols",
        metavar="P,...",
        help="Protocols to mark under: NAME or NAME@PROMPT (default: all).",
        cls=MARKED,
    ),
    click.option(
        "--prompt",
        metavar="NAME",
        help="Ask this prompt in place of the protocols' own ('snellen list protocols').",
        cls=MARKED,
    ),
)

running = stack(
    click.option(
        "--out",
        "--output",
        "out",
        default="runs",
        show_default=True,
        metavar="DIR",
        help="Folder that holds runs.",
        cls=HOW,
    ),
    click.option(
        "--concurrency",
        metavar="N|auto",
        help="Calls in flight (default: auto, which adapts to the endpoint).",
        cls=HOW,
    ),
    click.option(
        "--max-cost",
        type=click.FloatRange(min=0),
        metavar="USD",
        help="Hard cap for the whole run, or for all runs together, calls in flight included.",
        cls=HOW,
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        help="Seconds to wait for one try of a call (default: 300 on a server of your own, 600 elsewhere).",
        cls=HOW,
    ),
    click.option(
        "--tries",
        type=click.IntRange(min=1),
        help="How often a call is tried before it counts as an error (default: 6).",
        cls=HOW,
    ),
    click.option(
        "--max-errors",
        type=click.IntRange(min=1),
        default=50,
        show_default=True,
        metavar="N",
        help="Stop after N errors in a row.",
        cls=HOW,
    ),
    click.option("--fresh", is_flag=True, help="Put the old run aside and ask everything again.", cls=HOW),
    click.option(
        "--no-store",
        is_flag=True,
        help="Do not use the answer store: neither read from it nor write to it.",
        cls=HOW,
    ),
    click.option(
        "--shard",
        metavar="I/N",
        help="Ask only part I of N, here or on another machine; 'snellen merge' puts the parts together.",
        cls=HOW,
    ),
    click.option(
        "--on",
        metavar="ray|ray://HOST:PORT",
        help="Send the questions out from every node of a Ray cluster; hf/ models answer on its GPUs (docs/many_machines.md).",
        cls=HOW,
    ),
    click.option(
        "--serve",
        metavar="PREFIX",
        help="Start the server of the model's prefix for the run (docs/local.md). Further words go to it: --serve 'PREFIX --dtype half'.",
        cls=HOW,
    ),
    click.option(
        "--dry-run",
        is_flag=True,
        help="Only say what it would take: calls, tokens, money and time. Asks nobody.",
        cls=HOW,
    ),
)
"""How a run is carried out; nothing here changes an answer."""


# ---------------------------------------------------------------- declared options as flags


def flag(option: Option, group: str) -> click.Option:
    """A declared option as a flag of the command line. `group` is its heading in the help."""
    more: dict[str, Any] = {"help": option.help, "metavar": option.metavar}
    if option.kind == "flag":
        more |= {"is_flag": True, "default": False}
    elif option.kind in ("words", "pairs"):
        more |= {"multiple": True}
    elif option.default not in (None, ()):
        more["help"] = f"{option.help} [default: {_plain(option.default)}]"
    bounded = option.least is not None or option.most is not None
    if option.kind == "int":
        more["type"] = click.IntRange(_whole(option.least), _whole(option.most)) if bounded else int
    elif option.kind == "float":
        more["type"] = click.FloatRange(option.least, option.most) if bounded else float
    elif option.kind == "bool":
        more["type"] = bool
    return under(group)([*option.spellings, option.name], **more)


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def given_values(options: Iterable[Option], ctx: click.Context) -> dict[str, Any]:
    """The declared options that stand on the command line, by name, with their values."""
    found: dict[str, Any] = {}
    for option in {o.name: o for o in options}.values():
        if ctx.get_parameter_source(option.name) is click.core.ParameterSource.COMMANDLINE:
            found[option.name] = _value(option, ctx.params[option.name])
    return found


def _value(option: Option, value: Any) -> Any:
    if option.kind == "words":
        return tuple(dict.fromkeys(w.strip() for v in value for w in v.split(",") if w.strip()))
    if option.kind == "pairs":
        return dict(_pair(option, text) for text in value)
    return option.parse(value) if option.parse is not None and isinstance(value, str) else value


def _pair(option: Option, text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise SnellenError(f"{option.spellings[0]} {text}: expected {option.metavar or 'NAME=VALUE'}")
    return key.strip(), value.strip()


# ---------------------------------------------------------------- what they mean


def data_options(command: F) -> F:
    """Add the options that say how a data set on disk is read: the parameters `images` and `columns`."""
    add = click.option("--columns", multiple=True, metavar=COLUMNS.metavar, help=COLUMNS.help)
    return click.option("--images", metavar=IMAGES.metavar, help=IMAGES.help)(add(command))


def data_options_of(exam: Exam, images: str | None, columns: Sequence[str]) -> dict[str, Any]:
    """Return --images and --columns as the selection keeps them; an error where the exam has no such option."""
    given = {IMAGES: images, COLUMNS: dict(_pair(COLUMNS, text) for text in columns)}
    found = {option: value for option, value in given.items() if value}
    for option in found:
        if option.name not in {o.name for o in exam.options}:
            raise SnellenError(f"{option.spellings[0]} has no effect for {exam.name}: it finds its data by itself")
    return stored_values({option.name: value for option, value in found.items()})


def selection_of(given: Mapping[str, Any]) -> Selection:
    """The common part of a selection."""
    return Selection(splits=given["splits"], tasks=given["tasks"], limit=given["limit"], seed=given["seed"])


def full_spec(given: Mapping[str, Any]) -> str | None:
    """`--model`, with `--backend` before it."""
    if not given.get("model"):
        return None
    backend = given.get("backend")
    return f"{backend}/{given['model']}" if backend else str(given["model"])


def data_of(exam: str, where: Path | None, given: str | None) -> Path:
    """The data that a command is about: the path that stands in the exam's place, else `--data`."""
    if where is not None and given is not None:
        raise SnellenError(f"--data {given}: the data was named already, {where}; leave out one of them")
    return where if where is not None else data_folder(exam, given)


def data_folder(exam: str, given: str | None) -> Path:
    """`--data`: a folder or a file, or the name that the hub has for the exam's data; else where `snellen data get` puts it.

    An exam that draws its samples itself has none: the working folder stands for it.
    """
    if not _needs_data(exam):
        if given is not None:
            raise SnellenError(f"--data {given}: {exam} draws its own samples from --seed; leave it out")
        return Path()
    if given is not None and Path(given).exists():
        return Path(given)
    home = default_data_folder(exam)
    if given is not None:
        if (fetched := _by_hub_name(exam, given)) is not None:
            return fetched
        ways = [f"'snellen data make {exam} --out {given}' makes a synthetic set there"] if _makes(exam) else []
        raise SnellenError("; ".join([f"--data {given}: no such folder", *ways]))
    if home.is_dir():
        return home
    ways = [f"'snellen data make {exam} --out DIR' makes a synthetic set"] if _makes(exam) else []
    ways += [f"'snellen data get {exam}' {_fetches(exam)}"] if _fetches(exam) else []
    raise SnellenError("no data: give --data DIR" + (f"; {', '.join(ways)}" if ways else ""))


def _needs_data(exam: str) -> bool:
    from snellen import exams

    return not traits_of(exams.load(exam)).drawn


def _makes(exam: str) -> bool:
    """Whether an exam makes synthetic sets."""
    from snellen import exams

    return exams.load(exam).extra(Maker) is not None


def _fetches(exam: str) -> str:
    """Return what `data get` does for an exam; empty where it does nothing."""
    from snellen import exams

    published = exams.load(exam).extra(HubData)
    if published is None:
        return ""
    try:
        published.find(None)
    except SnellenError:
        return "says where the real one is"
    return "fetches the real one"


def _by_hub_name(exam: str, given: str) -> Path | None:
    """Where the set is that the hub calls so; None where the exam has no such set. Another name never stands for it."""
    from snellen import exams

    found = exams.load(exam).extra(HubData)
    if found is None:
        return None
    for name in (None, *found.names):
        try:
            repo = found.find(name).repo
        except SnellenError:  # not on the hub
            continue
        if repo.lower() == given.lower():
            folder = default_data_folder(exam if name is None else f"{exam}-{name}")
            if folder.is_dir():
                return folder
            command = f"snellen data get {exam}" + (f" --set {name}" if name else "")
            raise SnellenError(f"--data {given}: not fetched yet; '{command}' does it")
    return None


def default_data_folder(exam: str) -> Path:
    """`SNELLEN_DATA_DIR/EXAM`, else a folder of the user's."""
    moved = os.environ.get("SNELLEN_DATA_DIR")
    if moved:
        return Path(moved) / exam
    from platformdirs import user_data_path

    return user_data_path("snellen", appauthor=False) / exam


def run_folder(path: Path, command: str) -> Path:
    """A run folder, or an error that says which folders would do."""
    if (path / "run.json").is_file():
        return path
    if path.is_dir() and any(path.glob("*/run.json")):
        several = command in ("export", "compare")
        some = "the runs" if several else "one of its runs"
        such = f"'snellen {command} {path}/*'" if several else f"those that 'snellen runs {path}' lists"
        raise SnellenError(f"{path} is a folder of runs, not a run: name {some}, such as {such}")
    why = "it has no run.json" if path.is_dir() else "there is no such folder"
    raise SnellenError(f"{path} is not a run folder ({why}): name a folder that 'snellen run' made")


def print_json(value: Any) -> None:
    """One JSON document on standard output and nothing else there."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())
