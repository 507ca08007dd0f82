"""The embedded parser and the lexical chooser. What needs the extra `ocr` is skipped, and says so, where it is not installed."""

from __future__ import annotations

import asyncio
import io
import re

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from tests.support.uitars import InProcess

from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.installing import install_command
from snellen.exams.grounding.methods import catalogue as methods
from snellen.exams.grounding.methods import ocr
from snellen.exams.grounding.methods.base import MethodView, Parse, ToolFailure
from snellen.exams.grounding.methods.instruction_parser import ParsedInstruction, plain, read_wish
from snellen.exams.grounding.methods.lexical import match, score_all, similarity, where_the_words_stand
from snellen.exams.grounding.reading.predictions import Detection

needs_ocr = pytest.mark.skipif(ocr.missing() is not None, reason=f"the extra 'ocr' is not installed ({ocr.missing()})")

# ---------------------------------------------------------------- wishes


@pytest.mark.parametrize(
    ("instruction", "wish"),
    [
        ("Click on the 'Submit' button", ParsedInstruction("Submit", True, "button")),
        ("Click on the settings icon", ParsedInstruction("settings", False, "icon")),
        ("Click on the text 'Password'", ParsedInstruction("Password", True, "text")),
        ("Click on the Email text field", ParsedInstruction("Email", False, "text_field")),
        ("Click on the Title text field", ParsedInstruction("Title", False, "text_field")),
        ("Click on the 'Email' text_field", ParsedInstruction("Email", True, "text_field")),
        ("Click on the 'Don't save' button", ParsedInstruction("Don't save", True, "button")),
        ("Click on 'Login'", ParsedInstruction("Login", True)),
        ("Check the 'Remember me' checkbox", ParsedInstruction("Remember me", True, "checkbox")),
        ("Open the Country dropdown", ParsedInstruction("Country", False, "dropdown")),
        (
            "Click on the second 'Save' button from the top",
            ParsedInstruction("Save", True, "button", None, None, 2, "top"),
        ),
        ("Click on the last 'Edit' link", ParsedInstruction("Edit", True, "link", None, None, -1)),
        (
            "Click on the 'Delete' button in the row 'Alice'",
            ParsedInstruction("Delete", True, "button", anchor="Alice", relation="row"),
        ),
        (
            "Click on the 'OK' button below 'Name'",
            ParsedInstruction("OK", True, "button", anchor="Name", relation="below"),
        ),
        (
            "Click on the 'Add' button on the 'Desk lamp' card",
            ParsedInstruction("Add", True, "button", anchor="Desk lamp", relation="near"),
        ),
        ("Click on the search icon in the toolbar", ParsedInstruction("search", False, "icon", None, 0.05)),
        ("Click on the menu icon at the top right", ParsedInstruction("menu", False, "icon", 0.9, 0.1)),
        ("", ParsedInstruction()),
    ],
)
def test_an_instruction_is_taken_apart(instruction: str, wish: ParsedInstruction) -> None:
    assert read_wish(instruction) == wish


def test_words_are_compared_as_people_do() -> None:
    assert plain("  Forgot   PASSWORD? ") == "forgot password"
    assert similarity("Log in", "LOGIN") == pytest.approx(0.98)
    assert similarity("Submit", "Submlt") > 0.7
    assert similarity("Save", "Save as") > similarity("Save", "Saved games and settings")
    assert similarity("Submit", "S") == 0.0  # the original gives a letter half the credit
    assert similarity("Save", "Open") == 0.0
    assert match(ParsedInstruction("Email", False, "text_field"), "Enter email...") == pytest.approx(0.97)
    assert similarity("+", "+") == 1.0


def best(instruction: str, *detections: Detection, size: tuple[int, int] = (1000, 800)) -> Detection | None:
    scores = score_all(read_wish(instruction), detections, *size)
    top = max(range(len(scores)), key=lambda i: scores[i])
    return detections[top] if scores[top] > 0.05 else None


def at(x: float, y: float, text: str = "", kind: str = "text", wide: float = 60, high: float = 20) -> Detection:
    return Detection(box=(x, y, x + wide, y + high), text=text, kind=kind)


def test_a_label_lends_its_name_to_the_control_beside_or_below_it() -> None:
    label, field, other = (
        at(10, 100, "Email"),
        at(120, 98, kind="field", wide=200),
        at(120, 148, kind="field", wide=200),
    )
    assert best("Click on the Email text field", label, other, field) is field
    below = at(10, 125, kind="field", wide=200)
    assert best("Click on the Email text field", label, other, below) is below
    tick = at(10, 200, kind="checkbox", wide=16, high=16)
    words = at(34, 198, "Remember me")
    assert (
        best("Click on the 'Remember me' checkbox", at(10, 240, kind="checkbox", wide=16, high=16), words, tick) is tick
    )
    assert best("Click on the Email text field", label) is label  # better than nothing


def test_kind_place_order_and_neighbours_decide_between_the_same_words() -> None:
    text, button = at(10, 10, "Save"), at(300, 10, "Save", "button")
    assert best("Click on the 'Save' button", text, button) is button
    assert best("Click on the text 'Save'", button, text) is text
    left, right = at(10, 400, "Edit", "button"), at(900, 400, "Edit", "button")
    assert best("Click on the 'Edit' button on the right", left, right) is right
    rows = [at(100, y, "Edit", "button") for y in (100, 200, 300)]
    assert best("Click on the second 'Edit' button from the top", *rows) is rows[1]
    assert best("Click on the last 'Edit' button", *rows) is rows[2]
    names = [at(10, y, name) for y, name in ((100, "Alice"), (200, "Bob"), (300, "Carol"))]
    assert best("Click on the 'Edit' button in the row 'Bob'", *rows, *names) is rows[1]


def test_other_words_are_a_reason_against() -> None:
    assert best("Click on the 'Save' link", at(10, 10, "Weather")) is None
    assert (
        best("Click on the 'Save' button", at(10, 10, kind="button")) is None
    )  # a button without words is not the one
    icon = at(10, 50, kind="icon", wide=20)
    assert best("Click on the settings icon", at(10, 10, "Weather", "icon"), icon) is icon


@pytest.mark.parametrize(
    ("text", "kind", "instruction", "x1", "x2"),
    [
        ("Home | News | Contact us", "text", "Click on the 'News' link", 70, 110),
        ("Home|News|Contactus", "text", "Contact us", 100, 190),  # blanks that were lost, a name without a verb
        ("NewsletterArchive, News", "text", "News", 190, 230),  # whole words go before parts of words
        ("News", "text", "News", 0, 40),
        ("Save News", "button", "Save", 0, 90),  # a button is one target
        ("Home | Mews | Archive", "text", "Click on 'News'", 0, 210),  # misread: the middle of the line, as ever
    ],
)
def test_the_click_goes_where_the_words_stand_in_a_line(
    text: str, kind: str, instruction: str, x1: float, x2: float
) -> None:
    line = Detection(box=(0, 20, 10 * len(text), 40), text=text, kind=kind)
    assert where_the_words_stand(instruction, line).box == (x1, 20, x2, 40)


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
        starts = ocr.starts(length, ocr.TILE, ocr.TILE_OVERLAP)
        ends = [min(s + ocr.TILE, length) for s in starts]
        assert starts[0] == 0
        assert ends[-1] == length
        assert all(b - a >= 0 for a, b in zip(starts[1:], ends, strict=False))
    assert len(ocr.tiles(np.zeros((2160, 3840, 3), dtype=np.uint8))) == 4
    whole, cut = (1700, 10, 2100, 30), (1840, 10, 2100, 30)
    assert ocr.without_repeats([cut, whole, (5, 5, 50, 20)]) == [(5, 5, 50, 20), whole]


def test_a_line_is_cut_at_wide_blanks_only() -> None:
    pixels = np.full((20, 200, 3), 255, dtype=np.uint8)
    for start in (10, 16, 22, 100, 106):
        pixels[4:16, start : start + 4] = 0
    assert ocr.split_line(pixels, (0, 0, 200, 20)) == [(7, 0, 29, 20), (97, 0, 113, 20)]
    assert ocr.split_line(np.full((20, 50, 3), 99, dtype=np.uint8), (0, 0, 50, 20)) == [(0, 0, 50, 20)]


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
    kinds = {kind: [d for d in parsed.detections if d.kind == kind] for kind in ("button", "field", "checkbox", "icon")}
    assert any(near(d, (40, 250, 180, 295)) and d.text == "Submit" for d in kinds["button"])
    assert any(near(d, (210, 250, 350, 295)) and d.text == "Cancel" for d in kinds["button"])
    assert any(near(d, (160, 100, 460, 140)) and not d.text for d in kinds["field"])
    assert any(near(d, (40, 180, 60, 200)) for d in kinds["checkbox"])
    assert any(near(d, (800, 20, 847, 67), 8) for d in kinds["icon"])


@needs_ocr
@pytest.mark.parametrize(
    ("instruction", "box"),
    [
        ("Click on the 'Submit' button", (40, 250, 180, 295)),
        ("Click on the Email text field", (160, 100, 460, 140)),
        ("Click on the 'Remember me' checkbox", (40, 176, 220, 204)),
        ("Click on the 'Edit' menu", (76, 8, 125, 36)),
        ("Click on the search icon", (800, 20, 847, 67)),
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
@pytest.mark.parametrize(("scale", "pieces"), [(2, 1), (1, 3)])
def test_large_writing_is_looked_for_at_half_the_size_and_small_writing_in_pieces(
    scale: int, pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A display with twice the pixels costs one look at the size of a usual one; small writing is not lost for it."""
    parser = ocr.OcrParser()
    looked: list[tuple[int, ...]] = []
    really = parser._lines

    def look(piece: NDArray[np.uint8]) -> list[tuple[int, int, int, int]]:
        looked.append(piece.shape[:2])
        return really(piece)

    monkeypatch.setattr(parser, "_lines", look)
    picture = Image.new("RGB", (2400, 600), "white")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size=13 * scale)
    places = {f"Report {11 + i}": (60 + 400 * (i % 6), 60 + 130 * (i // 6)) for i in range(24)}
    for label, at in places.items():
        draw.text(at, label, fill="black", font=font)
    data = io.BytesIO()
    picture.save(data, "PNG")
    found = {d.text: d.box for d in parser.parse(data.getvalue()).detections if d.kind == "text"}
    assert found.keys() >= places.keys()
    assert len(looked) == pieces and looked[0] == (300, 1200)
    assert all(abs(found[w][0] - x) < 12 and abs(found[w][1] - y) < 16 for w, (x, y) in places.items())
