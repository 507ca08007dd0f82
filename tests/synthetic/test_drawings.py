"""Drawings are text: a line is read as it says, and every line of every data file can be drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from snellen.synthetic import hidden, sheets
from snellen.synthetic.drawings import Drawings, Painter, read_drawings
from snellen.synthetic.hidden.scenery_base import PAINTINGS as SCENERY
from snellen.synthetic.hidden.scenery_base import Painting, _Panel
from snellen.synthetic.hidden.silhouettes import OutlinePen
from snellen.synthetic.scenes.canvas import Pen
from snellen.synthetic.scenes.render import DRAWINGS as SCENES

HIDDEN, SHEETS = (Path(room.__path__[0]) for room in (hidden, sheets))


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
        (HIDDEN / "silhouettes.toml", {*vars(OutlinePen)}),
        (SHEETS / "marks.toml", {"box", "disc", "ring", "poly"}),
    ],
)
def test_every_form_is_known(path: Path, forms: set[str]) -> None:
    drawings = read_drawings(path)
    assert drawings
    assert {shape.form for shapes in drawings.values() for shape in shapes} <= forms


@pytest.mark.parametrize(
    ("paintings", "forms"),
    [(SCENES, {*vars(Pen), *SCENES}), (SCENERY, {*vars(Painting), *vars(_Panel), *SCENERY})],
    ids=["scenes", "scenery"],
)
def test_every_form_and_every_drawing_within_a_painting_is_known(paintings: Drawings, forms: set[str]) -> None:
    lines = [line for lines in paintings.values() for line in lines]
    assert {line.form for line in lines if hasattr(line, "form")} <= forms
    used = [line for line in lines if hasattr(line, "drawing")]
    assert {name for line in used for name in (line.drawing, line.otherwise) if name} <= paintings.keys()


class Marks:
    """A pen that notes what it is told."""

    def __init__(self) -> None:
        self.noted: list[tuple[Any, ...]] = []

    def box(self, colour: str, *numbers: float) -> None:
        self.noted.append((colour, *numbers))


def painted(tmp_path: Path, **drawings: str) -> list[tuple[Any, ...]]:
    path = tmp_path / "paintings.toml"
    path.write_text("[drawings]\n" + "".join(f"{name} = '''{text}'''\n" for name, text in drawings.items()))
    pen = Marks()
    half = {"half": lambda host, number: number / host}
    Painter(read_drawings(str(path), half), pen, {"wood": "brown"}, 2).draw("one")
    return pen.noted


def test_steps_name_values_and_draw_other_drawings_with_names_of_their_own(tmp_path: Path) -> None:
    one = "x = half(6)\ndraw two times 2\nbox wood x 0\ndraw three if x == 3 else two\ndraw two if x < 3"
    assert painted(tmp_path, one=one, two="x = x + k\nbox wood x 1", three="box wood x 9") == [
        ("brown", 3, 1),
        ("brown", 4, 1),
        ("brown", 3, 0),
        ("brown", 3, 9),
    ]


def test_a_step_calls_only_the_functions_of_its_file(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        painted(tmp_path, one="x = open('y')")
