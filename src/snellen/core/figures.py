"""Figures and names of parts for people: a share in percent with one decimal, anything else by its unit."""

from __future__ import annotations


def percent(value: float | str | None) -> str:
    """One decimal, in percent; a dash where there is no value; a word (such as a bucket) as it is."""
    if isinstance(value, str):
        return value
    return "–" if value is None else f"{100 * value:.1f}"


def number(value: float | str | None, unit: str | None = "") -> str:
    """A value for people: a share in percent, anything else with two decimals; as it is where its unit is not known.

    >>> number(0.5), number(2.0, "count"), number(0.1234, "cosine"), number(2.0, None)
    ('50.0', '2.00', '0.1234', '2')
    """
    if unit == "" or value is None or isinstance(value, str):
        return percent(value)
    if unit is None:
        return f"{value:g}"
    return f"{value:.4f}" if unit == "cosine" else f"{value:.2f}"


def between(low: float | None, high: float | None, unit: str | None = "") -> str:
    """'[55.1, 67.0]', or nothing."""
    return "" if low is None or high is None else f"[{number(low, unit)}, {number(high, unit)}]"


def part_name(by: dict[str, str]) -> str:
    """'P3_box · easy'; a part without a name is all there is."""
    return " · ".join(by.values()) or "all"
