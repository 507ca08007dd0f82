"""VLMEvalKit's files: `MODEL_DATASET.xlsx` (or .tsv, .json) with a prediction in each row, and `..._acc.csv` beside it.

Its scored copies (`..._result.xlsx`) have a column `hit`. Its pickles are never opened.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from snellen.core.errors import SnellenError
from snellen.importers import tables
from snellen.importers.log import Log, LogRow, LogScore, replied
from snellen.importers.plain import mean_of_all

TOOL = "vlmevalkit"
FAILED = "Failed to obtain answer via API."
"""VLMEvalKit's text for a missing reply."""
TOTALS = ("_acc.csv", "_score.csv")
SCORED = re.compile(r"_(exact_matching|[^_]+)_result$")
"""The ending of a scored copy's name, with the judge's name."""
SCORES = ("hit", "score")


def read(paths: Sequence[Path]) -> Log:
    """Read one file of predictions, with the totals beside it if there are any."""
    if len(paths) > 1:
        raise SnellenError("VLMEvalKit's predictions are one file for each data set: import one at a time")
    path = paths[0]
    table = tables.rows(path)
    scores = tables.first_column([cells for _where, cells in table], SCORES)
    rows = [_row(where, number, cells, scores) for number, (where, cells) in enumerate(table)]
    totals = _totals(path)
    figures = _reported(totals, rows) if totals is not None else mean_of_all(rows, "hit", "mean hit")
    notes = () if totals is not None else ("no _acc.csv beside it: the log has no totals of its own",)
    return Log(
        tool=TOOL,
        model=_model(path),
        files=(str(path), *([str(totals)] if totals else [])),
        task=path.stem,
        rows=tuple(rows),
        headline="hit" if any("hit" in row.scores for row in rows) else "",
        figures=tuple(figures),
        notes=notes,
    )


def _row(where: str, number: int, cells: dict[str, Any], score_column: str) -> LogRow:
    if "prediction" not in cells:
        raise SnellenError(
            f"{where}: no column 'prediction', so it is no file of VLMEvalKit's; it has {', '.join(cells)}"
        )
    said = tables.text_of(cells["prediction"])
    failed = said.strip().startswith(FAILED)
    score = tables.number_of(cells.get(score_column))
    return LogRow(
        where=where,
        id=tables.text_of(cells.get("index")) or None,
        number=number,
        part=tables.text_of(cells.get("split")),
        asked=None,  # the column `question` is the data set's, not the text made from it by the model's own prompt
        target=tables.text_of(cells.get("answer")) or None,
        scores={} if score is None else {"hit": score},
        fields={name: cell for name, cell in cells.items() if name not in ("prediction", "log")},
        **(replied("", error=FAILED) if failed else replied(said)),
    )


def _totals(path: Path) -> Path | None:
    """Return the file of totals with the name of the predictions, or of the file that a judge scored. The longest such name wins."""
    names = {path.stem, path.stem.removesuffix("_result"), SCORED.sub("", path.stem)}
    near = [p for end in TOTALS for p in path.parent.glob(f"*{end}") if p.name.removesuffix(end) in names]
    return max(near, key=lambda p: len(p.name), default=None)


def _reported(path: Path, rows: Sequence[LogRow]) -> list[LogScore]:
    """Return its totals: the column Overall, with a row for each split."""
    found = []
    table = [cells for _where, cells in tables.rows(path)]
    for cells in table:
        value = tables.number_of(cells.get("Overall"))
        part = tables.text_of(cells.get("split"))
        if value is not None:
            own = [r for r in rows if len(table) == 1 or r.part == part]
            whole = own and all("hit" in r.scores for r in own)
            values = tuple(r.scores["hit"] for r in own) if whole else ()
            one = LogScore(
                name="Overall", value=value, part=part, score="hit", how="numpy" if whole else "", values=values
            )
            found.append(one if one.agrees is not False else _in_percent(one))
    return found


def _in_percent(figure: LogScore) -> LogScore:
    """Return a figure in percent, as some data sets give it, if that agrees."""
    hundredfold = msgspec.structs.replace(figure, values=tuple(v * 100 for v in figure.values))
    return hundredfold if hundredfold.agrees else figure


def _model(path: Path) -> str:
    """Return the model's name. Predictions lie in a folder with that name, or one below it. Otherwise, return the file's name."""
    near = [folder.name for folder in list(path.resolve().parents)[:2]]
    return next((name for name in near if name and path.stem.startswith(f"{name}_")), path.stem)
