"""The layout of tables in an exam's paper: which figure goes into which column, and under which headings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

PAPER, DETAILS = "paper", "details"
By = Mapping[str, str]


class Column(NamedTuple):
    """A column: one metric of one group of samples. Neighbours of one `group` share a heading above their own."""

    name: str
    by: By
    metric: str
    group: str = ""


class Layout(NamedTuple):
    """A table: `name` is its name for users (`paper`, `details`), `about` describes its figures.

    Columns that no run fills are left out, unless it is always `whole`.
    """

    name: str
    about: str
    columns: Sequence[Column]
    whole: bool = False
