"""Figures and names of parts for people: a share in percent with one decimal, anything else by its unit."""

from __future__ import annotations

from collections.abc import Iterable


def percent(value: float | str | None) -> str:
    """Format a share in percent with one decimal; a dash for a missing value; a word (such as a bucket) as it is."""
    if isinstance(value, str):
        return value
    return "–" if value is None else f"{100 * value:.1f}"


def number(value: float | str | None, unit: str | None = "") -> str:
    """Format a value for people: a share in percent, anything else with two decimals; as it is if its unit is not known.

    >>> number(0.5), number(2.0, "count"), number(0.1234, "cosine"), number(2.0, None)
    ('50.0', '2.00', '0.1234', '2')
    """
    if unit == "" or value is None or isinstance(value, str):
        return percent(value)
    if unit is None:
        return f"{value:g}"
    return f"{value:.4f}" if unit == "cosine" else f"{value:.2f}"


def between(low: float | None, high: float | None, unit: str | None = "") -> str:
    """Return '[55.1, 67.0]', or an empty text."""
    return "" if low is None or high is None else f"[{number(low, unit)}, {number(high, unit)}]"


def part_name(by: dict[str, str]) -> str:
    """Return 'P3_box · easy'; a part without a name is the whole exam."""
    return " · ".join(by.values()) or "all"


def counted(n: int, noun: str) -> str:
    """Return '1 sample' or '1,080 marks'."""
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def every(n: int, noun: str) -> str:
    """Return 'both parts' or 'all 6 parts'.

    >>> every(2, "part"), every(6, "part")
    ('both parts', 'all 6 parts')
    """
    return f"both {noun}s" if n == 2 else f"all {n} {noun}s"


def on_clusters(n: int, clusters: int, noun: str) -> str:
    """Return '200 on 3 images', or '200' if every sample has its own.

    >>> on_clusters(200, 3, "image"), on_clusters(200, 200, "image"), on_clusters(200, 0, "image")
    ('200 on 3 images', '200', '200')
    """
    return f"{n:,} on {counted(clusters, noun)}" if 0 < clusters < n else f"{n:,}"


def listed(names: Iterable[str], most: int = 0) -> str:
    """Return 'P3, O3 and Q3', or, with a lower maximum, 'P3, O3 and 3 more'.

    >>> listed(["P3", "O3"]), listed(["a", "b", "c", "d", "e", "f"], 4)
    ('P3 and O3', 'a, b, c and 3 more')
    """
    every = list(names)
    shown = every if len(every) <= (most or len(every)) else [*every[: most - 1], f"{len(every) - most + 1} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
