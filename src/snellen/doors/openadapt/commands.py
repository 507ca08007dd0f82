"""The four commands of openadapt-grounding, with its flags and files, on Snellen's own engine: resumable, blind, honest exit codes.

`annotate`, which is in that project's plan, is a fifth.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import msgspec

from snellen.core.errors import MostlyUnanswered, SnellenError
from snellen.doors.openadapt.settings import IOU_THRESHOLD, SCREEN, settings

if TYPE_CHECKING:
    from snellen.core.results import Score
    from snellen.doors.openadapt.results import MethodResult
    from snellen.engine.plan.plan import Plan, ProtocolRun
    from snellen.engine.runs.run import Run

PROGRAM = "snellen.grounding"
TYPES = {"synthetic": "original", "layouts": "layouts"}
ORIGINALS = tuple(f"{base}{crop}" for base in ("omniparser", "uitars") for crop in ("", "-fixed", "-screenseeker"))
F = TypeVar("F", bound=Callable[..., Any])


def _flag(name: str, **more: Any) -> Callable[[F], F]:
    """Return an option in both spellings: --output_dir as the original writes it, and --output-dir."""
    return click.option(*dict.fromkeys((f"--{name}", f"--{name.replace('_', '-')}")), name, **more)


@click.group(
    invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120}
)
@click.pass_context
def app(context: click.Context) -> None:
    """Compare grounding methods with the commands of openadapt-grounding. Methods are blind; oracle/NAME is the original's rule, marked."""
    if context.invoked_subcommand is None:
        raise SnellenError(f"which command? {', '.join(app.commands)} ('--help' tells more)")


@app.command()
@_flag("type", default="synthetic", show_default=True, help="synthetic (the original's own set) or layouts (ours).")
@_flag("count", type=int, default=500, show_default=True, help="Screenshots; the original cuts fractions off.")
@_flag("output_dir", metavar="DIR", help="Folder that gets a folder named after the type (EVAL_DATASETS_DIR).")
@_flag("seed", type=int, help="Seed (EVAL_SYNTHETIC_SEED, else 42).")
@_flag("style", metavar="original|layouts", help="Generator, where it is not the type's own.")
def generate(type: str, count: int, output_dir: str | None, seed: int | None, style: str | None) -> int:
    """Make a synthetic data set in the format of openadapt-grounding."""
    from snellen.cli.progress import show_count
    from snellen.synthetic.screens.make import make

    known = settings(os.environ, Path())
    if type not in TYPES:
        raise SnellenError(f"unknown dataset type '{type}': choose from {', '.join(TYPES)}")
    style = style or TYPES[type]
    if style == "original" and known.screen not in (None, SCREEN):
        raise SnellenError(
            "EVAL_SYNTHETIC_WIDTH and EVAL_SYNTHETIC_HEIGHT have no effect on the original's set, which is 1920x1080: "
            "use --style layouts"
        )
    screen = None if style == "original" else known.screen
    folder = Path(output_dir or known.datasets_dir) / type
    seed = known.synthetic_seed if seed is None else seed
    with show_count(f"generating {type}") as progress:
        make(folder, count=count, seed=seed, progress=progress, style=style, screen=screen)
    samples = msgspec.json.decode((folder / "annotations.json").read_bytes())["samples"]
    click.echo(f"Generator: {style}" + (" (the original's annotations bit for bit)" if style == "original" else ""))
    fewer = f" of {count} asked for: the original cuts fractions off" if len(samples) != count else ""
    click.echo(f"Generated {len(samples)} samples{fewer}")
    click.echo(f"Total elements: {sum(len(sample['elements']) for sample in samples)}")
    click.echo(f"Saved to: {folder}")
    return 0


@app.command()
@_flag(
    "method",
    required=True,
    metavar="M",
    help="Method ('list' shows them); the six names of openadapt-grounding run blind.",
)
@_flag("dataset", required=True, metavar="D", help="Folder of the data set below --dataset_dir, such as synthetic.")
@_flag("dataset_dir", metavar="DIR", help="Folder of data sets (EVAL_DATASETS_DIR).")
@_flag("output_dir", metavar="DIR", help="Folder of result files (EVAL_RESULTS_DIR); runs go to its folder runs.")
@_flag("omniparser_url", metavar="URL", help="OmniParser's server (EVAL_OMNIPARSER_URL).")
@_flag("uitars_url", metavar="URL", help="UI-TARS's server (EVAL_UITARS_URL).")
@_flag("limit", type=click.IntRange(min=0), default=0, metavar="N", help="Only the first N screenshots; 0: all.")
@_flag("protocol", default="click", show_default=True, metavar="P", help="click, or openadapt for the original's rule.")
@_flag("model", metavar="SPEC", help="Model of methods that ask one: vllm/NAME.")
def run(method: str, dataset: str, limit: int, protocol: str, model: str | None, **given: str | None) -> int:
    """Run a method on a data set, or go on with a run that was interrupted; write the original's result file."""
    from snellen.cli.progress import show_progress
    from snellen.engine.run import run_plan
    from snellen.exams.grounding.exports import json_file, safe_name
    from snellen.exams.grounding.tables import console_table

    known = settings(os.environ, Path())
    out = Path(given["output_dir"] or known.results_dir)
    where = _dataset(Path(given["dataset_dir"] or known.datasets_dir), dataset)
    plan = _plan(method, where, protocol, model, limit, out / "runs", given)
    click.echo(f"Loaded {len(plan.data)} elements from {dataset}")
    click.echo(f"Running evaluation: {plan.subject.spec} on {dataset}")
    with show_progress(f"{method} on {dataset}") as shown:
        finished = run_plan(plan, shown.asking, shown.scoring)
    _note(*finished.notes)
    silent = finished.stopped if isinstance(finished.stopped, MostlyUnanswered) else None
    if finished.stopped is not None and silent is None:
        raise finished.stopped
    result = _result_of(finished.run, plan.targets[0], dataset, limit, model)
    path = out / f"{safe_name(method)}{'-' + safe_name(model) if model else ''}_{safe_name(dataset)}.json"
    _write(path, json_file(result), "--output_dir")
    click.echo(console_table([result]))
    _note(*finished.run.summary.notes, *(() if silent is None else (str(silent),)))
    failed = result["outcomes"].get("error", 0)
    if failed:
        _note(f"{failed} elements ended in an error and count as not found; run again to ask them")
    click.echo(f"Run folder: {finished.run.path}")
    click.echo(f"Results saved to: {path}")
    # a refusal is a result, even if most replies are refusals; an unparsable reply is not
    unread = any(2 * (row.missing - row.outcomes.get("refused", 0)) > row.n for row in finished.run.summary.lost)
    return MostlyUnanswered.exit_code if silent is not None and unread else 0


@app.command()
@_flag("results_dir", metavar="DIR", help="Folder of result files (EVAL_RESULTS_DIR).")
@_flag("output", metavar="FILE", help="Comparison to write (default: comparison.json beside the results).")
@_flag("charts_dir", metavar="DIR", help="Folder of charts (EVAL_CHARTS_DIR).")
def compare(results_dir: str | None, output: str | None, charts_dir: str | None) -> int:
    """Compare all result files of a folder: tables, comparison.json, and charts as SVG and PNG."""
    from snellen.doors.openadapt import charts
    from snellen.doors.openadapt.results import read_folder, unlike
    from snellen.exams.grounding.exports import json_file
    from snellen.exams.grounding.tables import console_table, markdown_table

    known = settings(os.environ, Path())
    folder = Path(results_dir or known.results_dir)
    target = Path(output or folder / "comparison.json")
    found, problems = read_folder(folder)
    found = {name: result for name, result in found.items() if (folder / name).resolve() != target.resolve()}
    for problem in problems:
        click.echo(f"{PROGRAM}: {_shown(problem)}", err=True)
    if not found:
        raise SnellenError(f"no results in {folder}: 'run --method M --dataset D' writes one")
    click.echo(f"Found {len(found)} result files")
    metrics = [result.metrics() for result in found.values()]
    click.echo(console_table(metrics))
    notes = unlike(found.values())
    _note(*notes)
    _write(target, json_file(_compared(found)), "--output")
    table = target.with_suffix(".md")
    said = "".join(f"\nNote: {_shown(note)}.\n" for note in notes)
    _write(table, (markdown_table(metrics) + "\n" + said).encode(), "--output")
    click.echo(f"Comparison saved to: {target} and {table.name}")
    folder_of_charts = Path(charts_dir or known.charts_dir)
    drawn = charts.write(found.values(), folder_of_charts)
    click.echo(f"Charts saved to: {folder_of_charts} ({len(drawn)} files)")
    if problems:
        raise SnellenError(f"{len(problems)} files of {folder} are not results and were left out; see above")
    return 0


@app.command("list")
@click.option("-v", "--verbose", is_flag=True, help="Also the oracles: methods that look at the answer.")
def list_(verbose: bool) -> int:
    """Show methods, the original's six first, and data sets."""
    from snellen.exams.grounding.fetch import SOURCES
    from snellen.methods.catalogue import catalogue

    known = settings(os.environ, Path())
    entries = sorted(catalogue(), key=lambda entry: entry.name not in ORIGINALS)
    methods = {e.name: e.about + (f" [needs {', '.join(e.needs)}]" if e.needs else "") for e in entries}
    blind, oracles = ({e.name: methods[e.name] for e in entries if e.oracle is oracle} for oracle in (False, True))
    _list("Available Methods", blind)
    if verbose:
        _list("ORACLE methods: look at the answer, for comparison only", oracles)
    _list(f"Datasets in {known.datasets_dir}", dict(sorted(_there(Path(known.datasets_dir)).items())))
    made = {name: f"'generate --type {name}' makes it (style {style})" for name, style in TYPES.items()}
    got = {
        name: f"{one.title}: " + (f"'snellen data get grounding --set {name}'" if one.repo else one.instead)
        for name, one in SOURCES.items()
    }
    _list("Dataset Types", made | got)
    click.echo(f"\nDefault Directories:\n  Datasets: {known.datasets_dir}\n  Results:  {known.results_dir}")
    click.echo(f"  Charts:   {known.charts_dir}")
    return 0


def _list(title: str, lines: dict[str, str]) -> None:
    click.echo(f"\n{title}:\n{'-' * 40}")
    for name, about in lines.items():
        click.echo(f"  {_shown(name):<34} {about}")


@app.command()
@click.argument("folder", type=click.Path(path_type=Path))
def annotate(folder: Path) -> int:
    """Write a page into a folder of screenshots: draw boxes in a browser, and save annotations.json.

    It needs no server. Where every change is to be saved at once, or two people annotate, 'snellen annotate' is the better one.
    """
    from snellen.doors.openadapt.annotating import PAGE, page

    if not folder.is_dir():
        raise SnellenError(f"no folder {folder}")
    _write(folder / PAGE, page(folder).encode(), "folder")
    click.echo(f"Open {folder / PAGE} in a browser; what it saves belongs into {folder}")
    click.echo("'snellen annotate' saves every change by itself, and tells how far two people agree.")
    return 0


# ---------------------------------------------------------------- the work of the commands


def _result_of(run: Run, target: ProtocolRun, dataset: str, limit: int, model: str | None) -> dict[str, Any]:
    """Return a run's result file under one protocol in the original's format and with its names."""
    from snellen.core.extras import RunFacts
    from snellen.exams.grounding.exports import result_of

    samples, answers = {s.id: s for s in run.samples()}, {a.id: a for a in run.answers() if a.prompt == target.arm.text}
    groups = next(p.groups for p in run.protocols if p.protocol == target.name)
    marked = [(samples[m.id], answers[m.id], m) for m in run.marks(target.name) if m.id in answers]
    facts = RunFacts(run.manifest, target.protocol, target.arm.prompt, groups, run.summary.totals, None)
    result = result_of(facts, marked)
    name = f"{result['method_name']} ({model})" if model else result["method_name"]
    return result | {"method_name": name, "dataset_name": dataset, "limit": limit or None, "run": run.path.name}


def _compared(found: dict[str, MethodResult]) -> dict[str, Any]:
    """Return the original's comparison, followed by every result with its interval, n, protocol and file."""
    from snellen import __version__
    from snellen.doors.openadapt.results import rows_of, unlike
    from snellen.exams.grounding.tables import comparison

    files = [
        {
            "file": name,
            "method": row.method,
            "dataset": result.dataset_name,
            "oracle": result.peeks,
            "protocol": result.rule,
            "rate": row.overall.value,
            "interval": [row.overall.low, row.overall.high],
            "n": row.overall.n,
            "by_size": {size: _rate(score) for size, score in row.sizes.items()},
            "size_basis": row.size_basis,
            "by_type": {kind: _rate(score) for kind, score in row.types.items()},
            "latency_ms": row.latency_ms.value,
        }
        for name, result in found.items()
        for row in rows_of([result])
    ]
    theirs = comparison([result.metrics() for result in found.values()])
    return theirs | {"files": files, "notes": unlike(found.values()), "versions": {"snellen": __version__}}


def _rate(score: Score) -> dict[str, Any]:
    return {"value": score.value, "n": score.n, "low": score.low, "high": score.high}


def _plan(
    method: str, where: Path, protocol: str, model: str | None, limit: int, out: Path, given: dict[str, str | None]
) -> Plan:
    """Return the plan that flags and variables describe. The original's --limit counts screenshots, so they are limited here."""
    from snellen.engine.plan.plan import counted, make_plan
    from snellen.engine.plan.request import RunRequest
    from snellen.exams.grounding.data import GroundingData
    from snellen.methods.catalogue import BASELINES, is_oracle

    known = settings(os.environ, Path())
    options: dict[str, Any] = {"method": method}
    options |= {name: given[name] for name in ("omniparser_url", "uitars_url") if given[name]}
    if known.uitars_url and method.removeprefix("oracle/").startswith("uitars"):
        options.setdefault("uitars_url", known.uitars_url)
    if known.default_confidence_threshold is not None and not is_oracle(method) and method not in BASELINES:
        options["method_options"] = {"confidence": str(known.default_confidence_threshold)}
        _note("EVAL_DEFAULT_CONFIDENCE_THRESHOLD is set: less sure answers count as refused")
    if known.default_iou_threshold not in (None, IOU_THRESHOLD):
        _note("EVAL_DEFAULT_IOU_THRESHOLD has no effect: the original's rule has 0.3, always")
    plan = make_plan(RunRequest("grounding", model, where, (protocol,), options=options, out=out))
    if limit and isinstance(plan.data, GroundingData):
        plan = plan._replace(data=plan.data.first(limit))
        plan = plan._replace(questions=counted(plan, plan.subject.chooses_only))
    return plan


def _dataset(base: Path, name: str) -> Path:
    if (base / name).is_dir():
        return base / name
    there = ", ".join(sorted(_there(base))) or "none"
    raise SnellenError(
        f"no data set '{name}' in {base} (there: {there}); 'generate --type synthetic' makes one, --dataset_dir names another place"
    )


def _there(base: Path) -> dict[str, str]:
    """Return the data sets of a folder and the format of each."""
    from snellen.exams.grounding.data import recognise

    found: dict[str, str] = {}
    for path in base.iterdir() if base.is_dir() else ():
        try:
            found[path.name] = recognise(path)[0].title
        except SnellenError:
            continue
    return found


def _write(path: Path, content: bytes, option: str) -> None:
    from snellen.synthetic.writing import write_bytes

    try:
        write_bytes(path, content)
    except OSError as error:
        raise SnellenError(f"cannot write {path} ({error.strerror}): choose another {option}") from None


def _note(*notes: str) -> None:
    for note in notes:
        click.echo(f"note: {_shown(note)}", err=True)


def _shown(text: str) -> str:
    from snellen.core.secret import redact_all
    from snellen.core.text import for_terminal

    return for_terminal(redact_all(text))


def main(words: Sequence[str] | None = None) -> None:
    """Run the commands.

    Errors are one clear line, with exit code 2 for bad usage or data, 3 for a run that stopped early, 130 for Ctrl-C.
    """
    code = 1
    try:
        done = app.main(args=words, standalone_mode=False, prog_name=f"python -m {PROGRAM}")
        code = done if isinstance(done, int) else 0
    except click.exceptions.Exit as error:
        code = error.exit_code
    except click.ClickException as error:
        asked = f" (one of {', '.join(app.commands)})" if "No such command" in error.format_message() else ""
        click.echo(f"{PROGRAM}: {_shown(error.format_message())}{asked}", err=True)
        code = 2
    except SnellenError as error:
        click.echo(f"{PROGRAM}: {_shown(str(error))}", err=True)
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo(f"{PROGRAM}: interrupted", err=True)
        code = 130
    except BrokenPipeError:
        sys.stderr.close()
        code = 0
    sys.exit(code)
