"""Only formats of pictures are decoded: EPS bytes start no Ghostscript."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import EpsImagePlugin, Image
from tests.support.sets import png, write_config

import snellen
from snellen.core.errors import SnellenError
from snellen.core.pixels import as_accepted, as_rgb, check_image, decode_problem
from snellen.core.types import Picture
from snellen.exams.illusionbench.solver import _opened
from snellen.exams.salbench.exam import EXAM
from snellen.exams.salbench.solver.segment import load
from snellen.exams.vqa_nle.boxes import _open
from snellen.methods.pictures import opened
from snellen.present.page.image_pool import ImagePool

EPS = b"""%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 0 0 8 8
%%EndComments
(/tmp/started) (w) file closefile
showpage
%%EOF
"""
WEB = frozenset({"png", "jpeg", "webp", "gif"})


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was handed to Ghostscript."""
    found: list[Any] = []

    def ghostscript(*given: Any, **_more: Any) -> Any:
        found.append(given)
        return Image.new("RGB", (8, 8)).im

    monkeypatch.setattr(EpsImagePlugin, "Ghostscript", ghostscript)
    return found


@pytest.mark.parametrize(
    "use",
    [
        decode_problem,
        lambda data: check_image(Picture(data=data, name="x")),
        lambda data: as_accepted(data, WEB),
        as_rgb,
        opened,
        load,
        _opened,
        lambda data: _open(Picture(data=data, name="x")),
        lambda data: ImagePool().add("x", data, 100),
    ],
)
def test_no_reader_of_pictures_hands_postscript_to_ghostscript(use: Any, started: list[Any]) -> None:
    try:
        use(EPS)
    except SnellenError as error:
        assert "does not decode" in str(error)
    assert started == []


def test_data_check_says_what_is_wrong_with_it(tmp_path: Path, started: list[Any]) -> None:
    images = [{"bytes": png(0), "path": None}, {"bytes": EPS, "path": None}]
    write_config(tmp_path, "P3", 2, image=images)
    assert any("does not decode" in problem.what for problem in EXAM.check(tmp_path))
    assert started == []


def test_pictures_are_opened_in_one_place() -> None:
    package = Path(snellen.__file__).parent
    opens = re.compile(r"Image\.open\(|import open as|ImageFile\.Parser")
    found = [p.relative_to(package).as_posix() for p in package.rglob("*.py") if opens.search(p.read_text("utf-8"))]
    assert found == ["core/pixels.py"]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"])
def test_the_formats_that_are_taken(kind: str) -> None:
    out = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(out, kind)
    assert decode_problem(out.getvalue()) is None


@pytest.mark.parametrize("kind", ["PPM", "ICO", "PCX", "TGA"])
def test_others_are_refused_in_words(kind: str) -> None:
    out = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(out, kind)
    said = decode_problem(out.getvalue())
    assert said is not None
    assert "no PNG, JPEG" in said
