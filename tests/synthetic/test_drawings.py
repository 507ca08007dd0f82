"""Drawings are text: a line is read as it says, and every line of every data file can be drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from snellen.synthetic import hidden, scenes, sheets
from snellen.synthetic.drawings import read_drawings
from snellen.synthetic.hidden.scenery_base import Painting
from snellen.synthetic.hidden.silhouettes import OutlinePen
from snellen.synthetic.scenes.canvas import Pen
from snellen.synthetic.scenes.render import DRAWINGS

HIDDEN, SCENES, SHEETS = (Path(room.__path__[0]) for room in (hidden, scenes, sheets))


def drawn(tmp_path: Path, line: str, **names: float) -> list[list[float]]:
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.toml"  # a file is read once
    path.write_text(f"[drawings]\none = '''{line}'''\n")
    (shape,) = read_drawings(path)["one"]
    return [*shape.numbers(names)]


def test_a_number_may_be_a_sum(tmp_path: Path) -> None:
    assert drawn(tmp_path, "box wood 1 -2.5 .5 x", x=7) == [[1, -2.5, 0.5, 7]]
    assert drawn(tmp_path, "box wood x-.5wide+1 1/4wide", x=7, wide=4) == [[6, 1]]
    assert drawn(tmp_path, "3x flat oval wood 10k+x k*wide", x=1, wide=2) == [[1, 0], [11, 2], [21, 4]]


@pytest.mark.parametrize("line", ["", "box", "box wood x", "box wood 1..2"])
def test_a_line_that_cannot_be_read_is_an_error(tmp_path: Path, line: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        drawn(tmp_path, line)


@pytest.mark.parametrize(
    ("path", "forms"),
    [
        (SCENES / "drawings.toml", {*vars(Pen), *DRAWINGS, "body", "trunk", "arm", "head"}),
        (SCENES / "backdrops.toml", {*vars(Pen), *DRAWINGS}),
        (HIDDEN / "silhouettes.toml", {*vars(OutlinePen)}),
        (HIDDEN / "scenery.toml", {*vars(Painting)}),
        (SHEETS / "marks.toml", {"box", "disc", "ring", "poly"}),
    ],
)
def test_every_form_is_known(path: Path, forms: set[str]) -> None:
    drawings = read_drawings(path)
    assert drawings
    assert {shape.form for shapes in drawings.values() for shape in shapes} <= forms
