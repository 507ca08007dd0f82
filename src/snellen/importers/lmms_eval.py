"""lmms-eval's logs: `DATE_samples_TASK.jsonl`, one line for each sample, and `DATE_results.json` beside them with the totals."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from snellen.core.errors import SnellenError
from snellen.importers.files import checked, decoded, objects
from snellen.importers.log import Log, LogRow, LogScore, replied, to_number

TOOL = "lmms-eval"
NAME = re.compile(r"(?P<date>.*?)_?samples_(?P<task>.+)\.jsonl$")
NO_METRICS = frozenset(
    [
        "doc_id",
        "doc_hash",
        "prompt_hash",
        "target_hash",
        "target",
        "doc",
        "arguments",
        "input",
        "input_media",
        "resps",
        "filtered_resps",
        "filter",
        "token_counts",
    ]
)
"""The fields of a line that are not scores."""
IDS = ("id", "image_id", "question_id", "sample_id")


class _Results(msgspec.Struct, frozen=True, kw_only=True):
    """The totals of an evaluation that are used."""

    results: dict[str, dict[str, Any]] = {}
    configs: dict[str, dict[str, Any]] = {}
    config: dict[str, Any] = {}
    model_name: str = ""
    lmms_eval_version: str = ""
    date: Any = ""


def read(paths: Sequence[Path]) -> Log:
    """Read the lines of one or several tasks of one evaluation, with its totals if there are any."""
    files, totals = _files(paths)
    found = decoded(totals.read_bytes(), _Results, str(totals)) if totals is not None else _Results()
    rows: list[LogRow] = []
    figures: list[LogScore] = []
    notes = [] if totals is not None else ["no results.json beside the samples: the log has no totals of its own"]
    for task, path in files:
        own = _rows(path, task, notes)
        rows += own
        figures += _figures(task, own, found)
    tasks = [task for task, _path in files]
    lacking = sorted(set(found.results) - set(tasks))
    if lacking:
        notes.append(f"the results also have {', '.join(lacking)}, whose samples were not named")
    return Log(
        tool=TOOL,
        version="" if "unknown" in found.lmms_eval_version else found.lmms_eval_version,
        model=found.model_name or paths[0].resolve().parent.name,
        files=tuple(str(p) for p in (*(p for _task, p in files), *([totals] if totals else []))),
        made=str(found.date),
        task=", ".join(tasks),
        rows=tuple(rows),
        headline=next((f.score for f in figures if f.how), ""),
        figures=tuple(figures),
        settings={"model": found.config.get("model"), "generate": found.config.get("gen_kwargs")},
        notes=tuple(notes),
    )


def _files(paths: Sequence[Path]) -> tuple[list[tuple[str, Path]], Path | None]:
    """Return the files of samples by task, and the one with the totals. Naming the totals selects all of their tasks."""
    samples: list[tuple[str, Path]] = []
    totals: list[Path] = []
    for path in map(checked, paths):
        matched = NAME.match(path.name)
        if matched is not None:
            samples.append((matched["task"], path))
            beside = path.with_name(f"{matched['date']}_results.json" if matched["date"] else "results.json")
            totals += [beside] if beside.is_file() else []
        elif path.name.endswith("results.json"):
            totals.append(path)
            date = path.name.removesuffix("results.json")
            every = sorted(path.parent.glob("*samples_*.jsonl"))
            samples += [(m["task"], p) for p in every if (m := NAME.match(p.name)) and p.name.startswith(date)]
        else:
            raise SnellenError(
                f"{path}: lmms-eval writes DATE_samples_TASK.jsonl (with --log_samples) and DATE_results.json; name one of these"
            )
    unique = dict.fromkeys(samples)
    if not unique:
        raise SnellenError(f"{paths[0]}: no samples beside it: lmms-eval writes them with --log_samples")
    if len(set(totals)) > 1:
        raise SnellenError(f"{', '.join(str(p) for p in paths)}: files of several evaluations; import one at a time")
    if len({task for task, _ in unique}) < len(unique):
        raise SnellenError("two files of one task: import one at a time")
    return list(unique), (checked(totals[0]) if totals else None)


def _rows(path: Path, task: str, notes: list[str]) -> list[LogRow]:
    lines = list(objects(path))
    filters = list(dict.fromkeys(str(line["filter"]) for _n, line in lines if "filter" in line))
    if len(filters) > 1:
        notes.append(f"{path.name}: of the filters {', '.join(filters)} the first is taken")
        lines = [(n, line) for n, line in lines if line.get("filter") == filters[0]]
    if not lines:
        raise SnellenError(f"{path}: it has no samples")
    return [_row(f"{path.name} line {number}", task, line) for number, line in lines]


def _row(where: str, task: str, line: Mapping[str, Any]) -> LogRow:
    filtered = line.get("filtered_resps")
    said = _first_text(line.get("resps", filtered))
    number, document = line.get("doc_id"), line.get("doc")
    if said is None or not isinstance(number, int):
        raise SnellenError(f"{where}: no line of lmms-eval's samples (doc_id, filtered_resps)")
    fields = document if isinstance(document, dict) else {}
    scores = {
        name: value for name, one in line.items() if name not in NO_METRICS and (value := _number(one)) is not None
    }
    return LogRow(
        where=where,
        id=next((str(fields[k]) for k in IDS if k in fields), None),
        number=number,
        numbered=True,
        part=task,
        asked=line["input"] if isinstance(line.get("input"), str) else None,
        target=line["target"] if isinstance(line.get("target"), str) else None,
        read=_first_text(filtered),
        scores=scores,
        fields=fields,
        **replied(said),
    )


def _first_text(value: Any) -> str | None:
    """Return the first text of nested lists. Several replies to one question are rare, and the first is the one that is scored."""
    while isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, str) else None


def _number(value: Any) -> float | None:
    """Return a score of a sample: a number, or a record with a number under `score`."""
    inner = value.get("score") if isinstance(value, dict) else value
    number = to_number(inner) if isinstance(inner, bool | int | float) else math.nan
    return None if math.isnan(number) else number


def _figures(task: str, rows: Sequence[LogRow], found: _Results) -> list[LogScore]:
    """Return the totals of a task, in the order in which its metrics are declared."""
    names = dict.fromkeys(name for row in rows for name in row.scores)
    whole = {n: tuple(r.scores[n] for r in rows) for n in names if all(n in r.scores for r in rows)}
    totals = found.results.get(task, {})
    if not totals:
        return [LogScore(name=n, value=None, part=task, score=n, how="sum", values=v) for n, v in whole.items()]
    figures = []
    rules = _rules(found.configs.get(task, {}))
    for key, value in totals.items():
        metric = key.partition(",")[0]
        if isinstance(value, int | float) and not isinstance(value, bool) and "_stderr" not in metric:
            own = whole.get(metric, ())
            one = LogScore(
                name=metric, value=to_number(value), part=task, score=metric, how="sum" if own else "", values=own
            )
            # a task's own function is mostly a mean; if it is not, we cannot reproduce its total
            is_mean = one.agrees or rules.get(metric, "mean") == "mean"
            figures.append(one if is_mean else msgspec.structs.replace(one, how=""))
    return figures


def _rules(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the task aggregates each metric: `mean`, or the name of its own function."""
    declared = config.get("metric_list")
    every = declared if isinstance(declared, list) else []
    return {str(m["metric"]): m.get("aggregation", "mean") for m in every if isinstance(m, dict) and "metric" in m}
