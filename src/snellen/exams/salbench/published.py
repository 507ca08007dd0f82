"""The paper's figures (published.txt), for comparison with real data only: overall matching and F1 in percent, by config and shots.

They are taken to be of the protocol `paper` and the data set's own question: its F1 overall is the mean of the F1 of the labels (in
all but 23 of 252 cells), which is that protocol's macro F1, and a paper's author wrote the reading rules that `paper` follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from snellen.core.extras import Published
from snellen.exams.salbench.names import BY_NAME, labels_of

SOURCE = "arXiv 2507.04741 as printed in salbench/salbench, taken to be of this protocol (docs/salbench.md)"


def published(protocol: str, prompt: str) -> Iterator[Published]:
    """The figures that may stand beside a run under this protocol and prompt; none for any other."""
    if (protocol, prompt) == ("paper", "question"):
        yield from _figures()


@cache
def _figures() -> tuple[Published, ...]:
    text = (files("snellen.exams.salbench") / "published.txt").read_text(encoding="utf-8")
    lines = (line.split(" | ") for line in text.splitlines() if not line.startswith("#"))
    return tuple(
        Published(model, {"config": config}, metric, float(value) / 100, SOURCE, int(shots))
        for config, model, shots, values in lines
        for metric, value in zip(_metrics(config), values.split(), strict=True)
    )


def _metrics(config: str) -> tuple[str, ...]:
    return ("exact_match", "macro_f1", *(f"f1.{label}" for label in labels_of(BY_NAME[config].split)))
