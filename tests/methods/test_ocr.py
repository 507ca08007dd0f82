"""The embedded parser and the lexical chooser. What needs the extra `ocr` is skipped, and says so, where it is not installed."""

from __future__ import annotations

import asyncio
import io
import re

import pytest
from PIL import Image, ImageDraw, ImageFont
from tests.support.uitars import InProcess

from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.installing import install_command
from snellen.exams.grounding.reading.predictions import Detection
from snellen.methods import catalogue as methods
from snellen.methods import ocr
from snellen.methods.base import MethodView, Parse, ToolFailure
from snellen.methods.lexical import best_words, names_in, similarity, words_in_line

needs_ocr = pytest.mark.skipif(ocr.missing() is not None, reason=f"the extra 'ocr' is not installed ({ocr.missing()})")

# ---------------------------------------------------------------- the lexical chooser


@pytest.mark.parametrize(
    ("instruction", "names"),
    [
        ("Click on the 'Submit' button", ["Submit"]),
        ("Click on the settings icon", ["settings"]),
        ("Click on the Email text field", ["email"]),
        ("Click on the 'Don't save' button", ["Don't save"]),
        ("Click on the 'Delete' button in the row “Alice”", ["Delete", "Alice"]),
        ("importlib.resources.abc", ["importlib resources abc"]),
        ("click on the button", ["click on the button"]),
        ("", [""]),
    ],
)
def test_the_names_in_an_instruction(instruction: str, names: list[str]) -> None:
    assert names_in(instruction) == names


def test_words_are_compared_as_people_do() -> None:
    assert similarity("Log in", "LOGIN") > 0.8
    assert similarity("Submit", "Submlt") > 0.7
    assert similarity("Save", "Save as") > similarity("Save", "Saved games and settings")
    assert similarity("Submit", "S") == 0.0  # the original gives a letter half the credit
    assert similarity("Save", "Open") == 0.0
    assert similarity("+", "+") == 1.0


def best(instruction: str, *detections: Detection) -> Detection | None:
    look = best_words(instruction, detections)
    return look.detections[0] if look.status == "found" else None


def at(x: float, y: float, text: str = "", kind: str = "text", wide: float = 60, high: float = 20) -> Detection:
    return Detection(box=(x, y, x + wide, y + high), text=text, kind=kind)


def test_a_field_is_clicked_around_its_label_or_beside_or_below_it() -> None:
    label, field, other = (
        at(10, 100, "Email"),
        at(120, 98, kind="box", wide=200),
        at(120, 148, kind="box", wide=200),
    )
    assert best("Click on the Email text field", label, other, field) is field
    below = at(10, 125, kind="box", wide=200)
    assert best("Click on the Email text field", label, other, below) is below
    around, bar = at(0, 95, kind="box", wide=200, high=30), at(0, 90, kind="box", wide=900, high=40)
    assert best("Click on the Email text field", label, bar, around, below) is around
    assert best("Click on the Email text field", label) == label  # better than nothing
    assert best("Click on 'Email'", label, field) == label


def test_neighbours_that_are_named_decide_between_the_same_words() -> None:
    rows = [at(100, y, "Edit", "button") for y in (100, 200, 300)]
    names = [at(10, y, name) for y, name in ((100, "Alice"), (200, "Bob"), (300, "Carol"))]
    assert best("Click on the 'Edit' button in the row 'Bob'", *rows, *names) is rows[1]
    assert best("Click on the 'Edit' button", *rows, *names) is rows[0]


def test_other_words_are_a_reason_against() -> None:
    assert best("Click on the 'Save' link", at(10, 10, "Weather")) is None
    assert best("Click on the 'Save' button", at(10, 10, kind="button")) is None
    assert best("Click on the settings icon", at(10, 50, kind="icon", wide=20)) is None


@pytest.mark.parametrize(
    ("text", "kind", "name", "x1", "x2"),
    [
        ("Home | News | Contact us", "text", "News", 70, 110),
        ("Home|News|Contactus", "text", "Contact us", 100, 190),  # blanks that were lost
        ("NewsletterArchive, News", "text", "News", 190, 230),  # whole words go before parts of words
        ("News", "text", "News", 0, 40),
        ("Save News", "button", "Save", 0, 90),  # a button is one target
        ("Home | Mews | Archive", "text", "News", 0, 210),  # misread: the middle of the line
    ],
)
def test_the_click_goes_where_the_words_stand_in_a_line(text: str, kind: str, name: str, x1: float, x2: float) -> None:
    line = Detection(box=(0, 20, 10 * len(text), 40), text=text, kind=kind)
    assert words_in_line(name, line).box == (x1, 20, x2, 40)


# ---------------------------------------------------------------- pure parts of the parser


def test_what_reads_like_an_icon_is_no_word() -> None:
    assert ocr.is_words("Save", 0.6)
    assert ocr.is_words("OK", 0.95)
    assert ocr.is_words("保存", 0.9)
    assert not ocr.is_words("口", 0.6)
    assert not ocr.is_words("Q", 0.7)
    assert not ocr.is_words("Save", 0.3)
    assert not ocr.is_words("  ", 0.9)


def test_large_pictures_are_read_in_overlapping_pieces() -> None:
    for length in (300, 2000, 2001, 3840, 6016):
        starts = ocr.starts(length)
        ends = [min(s + ocr.TILE, length) for s in starts]
        assert starts[0] == 0
        assert ends[-1] == length
        assert all(b - a >= 0 for a, b in zip(starts[1:], ends, strict=False))
    whole, cut = (1700, 10, 2100, 30), (1840, 10, 2100, 30)
    assert ocr.without_repeats([cut, whole, (5, 5, 50, 20)]) == [(5, 5, 50, 20), whole]


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "MODULES", ("no_such_module",))
    assert ocr.missing() == "no_such_module"
    with pytest.raises(MissingExtra, match=re.escape(install_command("ocr"))):
        ocr.OcrParser()


# ---------------------------------------------------------------- with the extra


def screen() -> Image.Image:
    """A small form: a menu, a field with its label, a check box, two buttons, an icon."""
    image = Image.new("RGB", (900, 500), (250, 250, 252))
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(18)
    for x, word in ((20, "File"), (80, "Edit"), (145, "View")):
        draw.text((x, 12), word, fill=(30, 30, 30), font=font)
    draw.text((40, 110), "Email", fill=(30, 30, 30), font=font)
    draw.rounded_rectangle((160, 100, 460, 140), 5, fill=(255, 255, 255), outline=(190, 190, 200))
    draw.rounded_rectangle((40, 180, 60, 200), 3, fill=(255, 255, 255), outline=(90, 90, 90))
    draw.text((75, 178), "Remember me", fill=(30, 30, 30), font=font)
    draw.rounded_rectangle((40, 250, 180, 295), 6, fill=(20, 110, 220))
    draw.text((75, 261), "Submit", fill=(255, 255, 255), font=font)
    draw.rounded_rectangle((210, 250, 350, 295), 6, fill=(255, 255, 255), outline=(170, 170, 180))
    draw.text((247, 261), "Cancel", fill=(30, 30, 30), font=font)
    draw.ellipse((800, 20, 832, 52), outline=(40, 40, 40), width=4)
    draw.line((828, 48, 845, 65), fill=(40, 40, 40), width=5)
    return image


@pytest.fixture(scope="module")
def parsed() -> Parse:
    out = io.BytesIO()
    screen().save(out, "PNG")
    return ocr.OcrParser().parse(out.getvalue())


def near(detection: Detection, box: tuple[float, ...], by: float = 6) -> bool:
    return all(abs(a - b) <= by for a, b in zip(detection.box, box, strict=True))


@needs_ocr
def test_words_boxes_and_icons_are_seen(parsed: Parse) -> None:
    assert (parsed.width, parsed.height) == (900, 500)
    texts = {d.text for d in parsed.detections if d.kind == "text"}
    assert {"File", "Edit", "View", "Email", "Remember me", "Submit", "Cancel"} <= texts
    boxes = [d for d in parsed.detections if d.kind == "box"]
    assert any(near(d, (40, 250, 180, 295)) and d.text == "Submit" for d in boxes)
    assert any(near(d, (210, 250, 350, 295)) and d.text == "Cancel" for d in boxes)
    assert any(near(d, (160, 100, 460, 140)) and not d.text for d in boxes)
    assert any(near(d, (40, 180, 60, 200)) and not d.text for d in boxes)
    assert any(near(d, (800, 20, 847, 67), 8) for d in parsed.detections if d.kind == "icon")


@needs_ocr
@pytest.mark.parametrize(
    ("instruction", "box"),
    [
        ("Click on the 'Submit' button", (40, 250, 180, 295)),
        ("Click on the Email text field", (160, 100, 460, 140)),
        ("Click on the 'Remember me' checkbox", (40, 176, 220, 204)),
        ("Click on the 'Edit' menu", (76, 8, 125, 36)),
    ],
)
def test_the_method_clicks_what_is_asked_for(parsed: Parse, instruction: str, box: tuple[int, ...]) -> None:
    out = io.BytesIO()
    screen().save(out, "PNG")
    view = MethodView(id="a", image=out.getvalue(), width=900, height=500, instruction=instruction)
    prediction = asyncio.run(methods.build("ocr", {}).locate(view, InProcess(see=lambda _image: parsed)))
    assert prediction.point is not None
    x, y = prediction.point
    assert box[0] <= x <= box[2]
    assert box[1] <= y <= box[3]


@needs_ocr
def test_a_model_file_that_is_missing_is_an_error_and_not_a_download(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ocr.MODELS, "Rec", "another.onnx")
    with pytest.raises(SnellenError, match=r"'rapidocr' does not contain another\.onnx"):
        ocr.OcrParser()


@needs_ocr
def test_an_empty_screen_has_nothing_and_a_broken_picture_is_a_failure(capfd: pytest.CaptureFixture[str]) -> None:
    parser = ocr.OcrParser()
    out = io.BytesIO()
    Image.new("RGB", (320, 200), (240, 240, 240)).save(out, "PNG")
    assert parser.parse(out.getvalue()).detections == ()
    with pytest.raises(ToolFailure, match="does not decode"):
        parser.parse(b"no picture")
    assert capfd.readouterr() == ("", "")  # the library's log stays off the terminal


@needs_ocr
def test_small_writing_on_a_large_screen_is_read() -> None:
    picture = Image.new("RGB", (2400, 600), "white")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size=13)
    places = {f"Report {11 + i}": (60 + 400 * (i % 6), 60 + 130 * (i // 6)) for i in range(24)}
    for label, at in places.items():
        draw.text(at, label, fill="black", font=font)
    data = io.BytesIO()
    picture.save(data, "PNG")
    found = {d.text: d.box for d in ocr.OcrParser().parse(data.getvalue()).detections if d.kind == "text"}
    assert found.keys() >= places.keys()
    assert all(abs(found[w][0] - x) < 12 and abs(found[w][1] - y) < 16 for w, (x, y) in places.items())
