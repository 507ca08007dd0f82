"""ScreenSpot-Pro's report and leaderboard row from marks: their keys, their zeros where nothing was counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Row = Mapping[str, str]
CELLS = tuple((platform, kind) for platform in ("mobile", "desktop", "web") for kind in ("text", "icon"))
BLOCKS = {
    "fine_grained": "plat:{platform} app:{application} inst_style:{instruction_style} gt_type:{gt_type}",
    "seeclick_style": "plat:{platform} inst_style:{instruction_style} gt_type:{gt_type}",
    "leaderboard_simple_style": "group:{group}",
    "leaderboard_detailed_style": "app:{application}",
}


def correctness(status: str, right: bool) -> str:
    """correct, wrong or wrong_format (no point to judge)."""
    if right:
        return "correct"
    return "wrong" if status in ("found", "missed") else "wrong_format"


def negative_correctness(result: str) -> str:
    """As ScreenSpot-Pro's script marks a target that is not there, by its own words. Only the parity test uses it."""
    if result == "negative":
        return "correct"
    return "wrong_format" if result == "wrong_format" else "wrong"


def block(rows: Sequence[Row]) -> dict[str, float | int]:
    """The counts and accuracies of some rows, as the report writes them: 0 where there are none."""
    return {
        "num_correct_action": _right(rows),
        "num_total": len(rows),
        "wrong_format_num": sum(r["correctness"] == "wrong_format" for r in rows),
        "action_acc": _share(rows),
        "text_acc": _share([r for r in rows if r["ui_type"] == "text"]),
        "icon_acc": _share([r for r in rows if r["ui_type"] == "icon"]),
    }


def report(rows: Sequence[Row]) -> dict[str, Any]:
    """The metrics part of ScreenSpot-Pro's report."""
    found: dict[str, Any] = {}
    for name, label in BLOCKS.items():
        named = [(label.format(**row), row) for row in rows]
        found[name] = {key: block(members) for key, members in _grouped(named)}
    found["overall"] = block(rows)
    return found


def leaderboard(rows: Sequence[Row]) -> dict[str, Any]:
    """The results part of a leaderboard entry: percent of icon, text and all, by group and application."""
    return {
        "group": {name: _three(members) for name, members in _grouped([(r["group"], r) for r in rows])},
        "application": {name: _three(members) for name, members in _grouped([(r["application"], r) for r in rows])},
        "overall": _three(rows),
    }


def averages(shares: Mapping[tuple[str, str], tuple[int, int]]) -> tuple[float | None, float | None]:
    """Both averages of ScreenSpot's six cells (right, total): over samples, and over cells (only where all six were run)."""
    right, total = (sum(cell[i] for cell in shares.values()) for i in (0, 1))
    cells = [shares[c][0] / shares[c][1] for c in CELLS if c in shares and shares[c][1]]
    return right / total if total else None, sum(cells) / len(CELLS) if len(cells) == len(CELLS) else None


def _three(rows: Sequence[Row]) -> dict[str, float]:
    counted = block(rows)
    return {
        key: round(100 * counted[f"{name}_acc"], 1)
        for key, name in (("icon", "icon"), ("text", "text"), ("avg", "action"))
    }


def _grouped(named: Iterable[tuple[str, Row]]) -> list[tuple[str, list[Row]]]:
    groups: dict[str, list[Row]] = {}
    for name, row in named:
        groups.setdefault(name, []).append(row)
    return list(groups.items())


def _right(rows: Sequence[Row]) -> int:
    return sum(r["correctness"] == "correct" for r in rows)


def _share(rows: Sequence[Row]) -> float:
    return _right(rows) / len(rows) if rows else 0
