"""ScreenSpot-Pro's report and leaderboard row from marks, with their keys, and their zeros where nothing was counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Row = Mapping[str, str]
Counts = dict[str, float]
CELLS = tuple((platform, kind) for platform in ("mobile", "desktop", "web") for kind in ("text", "icon"))
BLOCKS = {
    "fine_grained": "plat:{platform} app:{application} inst_style:{instruction_style} gt_type:{gt_type}",
    "seeclick_style": "plat:{platform} inst_style:{instruction_style} gt_type:{gt_type}",
    "leaderboard_simple_style": "group:{group}",
    "leaderboard_detailed_style": "app:{application}",
}


def correctness(status: str, right: bool) -> str:
    """Return correct, wrong, or wrong_format (no point to judge)."""
    if right:
        return "correct"
    return "wrong" if status in ("found", "missed") else "wrong_format"


def block(rows: Sequence[Row]) -> Counts:
    """Return the counts and accuracies of some rows, as the report writes them: 0 where there are none."""
    return {
        "num_correct_action": _right(rows),
        "num_total": len(rows),
        "wrong_format_num": sum(r["correctness"] == "wrong_format" for r in rows),
        "action_acc": _share(rows),
        "text_acc": _share([r for r in rows if r["ui_type"] == "text"]),
        "icon_acc": _share([r for r in rows if r["ui_type"] == "icon"]),
    }


def report(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the metrics part of ScreenSpot-Pro's report."""
    blocks = {name: _grouped(rows, label, block) for name, label in BLOCKS.items()}
    return blocks | {"overall": block(rows)}


def leaderboard(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the results part of a leaderboard entry: percent of icon, text and all, by group and application."""
    by = {name: _grouped(rows, f"{{{name}}}", _three) for name in ("group", "application")}
    return by | {"overall": _three(rows)}


def mean_of_cells(cells: Mapping[tuple[str, str], tuple[float, int]]) -> float | None:
    """Return the plain mean of ScreenSpot's six cells (right, total); None unless all six were run."""
    if not all(cell in cells for cell in CELLS):
        return None
    return sum(cells[c][0] / cells[c][1] for c in CELLS) / len(CELLS)


def _three(rows: Sequence[Row]) -> Counts:
    counted = block(rows)
    names = {"icon": "icon_acc", "text": "text_acc", "avg": "action_acc"}
    return {key: round(100 * counted[name], 1) for key, name in names.items()}


def _grouped(rows: Sequence[Row], label: str, counted: Callable[[Sequence[Row]], Counts]) -> dict[str, Counts]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(label.format(**row), []).append(row)
    return {name: counted(members) for name, members in groups.items()}


def _right(rows: Sequence[Row]) -> int:
    return sum(r["correctness"] == "correct" for r in rows)


def _share(rows: Sequence[Row]) -> float:
    return _right(rows) / len(rows) if rows else 0
