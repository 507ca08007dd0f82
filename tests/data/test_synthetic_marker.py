"""The label inside pictures: it is there, it is found, it changes no pixel, and nothing else is taken for one."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from snellen.data.synthetic_marker import HEAD, MARK, first_label, folder_label, label_from, labelled, picture_label

LABEL = {"generator": "d3", "version": 2, "seed": 1}


def picture(kind: str, **more: object) -> bytes:
    sink = io.BytesIO()
    image = Image.effect_noise((40, 30), 50).convert("RGB")
    image.save(sink, kind, **more)  # type: ignore[arg-type]
    return sink.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_label_is_found_again_and_changes_no_pixel(kind: str) -> None:
    plain = picture(kind)
    data = labelled(plain, LABEL)
    assert picture_label(plain) == {}
    assert picture_label(data) == picture_label(data[:HEAD]) == LABEL
    assert Image.open(io.BytesIO(data)).tobytes() == Image.open(io.BytesIO(plain)).tobytes()
    info = Image.open(io.BytesIO(data)).info
    said = info[MARK] if kind == "PNG" else info["comment"].decode().removeprefix(MARK)
    assert json.loads(said) == LABEL


def test_other_notes_are_no_labels() -> None:
    note = PngInfo()
    note.add_text("Title", "synthetic, made by somebody")
    note.add_text(MARK, "yes")
    assert picture_label(picture("PNG", pnginfo=note)) == {}
    assert picture_label(picture("JPEG", comment=b"snellen")) == {}
    with pytest.raises(ValueError, match="neither"):
        labelled(picture("GIF"), LABEL)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF"])
def test_damaged_pictures_have_none_and_break_nothing(kind: str) -> None:
    data = labelled(picture(kind), LABEL) if kind != "GIF" else picture(kind)
    for end in range(0, len(data), 7):
        assert picture_label(data[:end]) in ({}, LABEL)
    for at in range(0, 200, 3):
        assert picture_label(data[:at] + b"\xff" + data[at + 1 :]) is not None
    assert picture_label(b"\xff\xd8" + b"\xff\xfe\x00\x00" * 2000) == {}


@pytest.mark.parametrize("value", [None, True, "synthetic", b"{", "[" * 100_000, [], {"version": 2}, {"generator": 1}])
def test_what_is_no_label(value: object) -> None:
    assert label_from(value) == {}


def test_a_folder_is_synthetic_by_any_of_its_parts(tmp_path: Path) -> None:
    real, made = tmp_path / "real.png", tmp_path / "made.png"
    real.write_bytes(picture("PNG"))
    made.write_bytes(labelled(picture("PNG"), LABEL))
    assert folder_label([None, {}], [real]) == (False, {})
    assert folder_label([None, LABEL], [real]) == (True, LABEL)
    assert folder_label([], [real, made]) == (True, LABEL)


def test_what_is_no_file_is_passed_over(tmp_path: Path) -> None:
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.png")
    assert first_label([tmp_path / "pipe.png", tmp_path / "none.png", tmp_path]) == {}
