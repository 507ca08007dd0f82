"""Annotating in a real browser: boxes drawn, changed, saved and reopened, questions answered, hostile names inert."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.annotate.desks import HOSTILE, WIDTH, Desk, answers, boxes, draw, rows
from tests.viewer.browser import PHONE, Watched, chromium, needs_a_browser, violations

from snellen.annotate.annotator_files import AnnotatorBoxes, agreements

pytestmark = needs_a_browser
BUTTON = (100, 80, 240, 120)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


class Easel(Watched):
    """A page of `snellen annotate`."""

    def __init__(self, browser: Any, desk: Desk, **more: Any) -> None:
        super().__init__(browser, desk.keys.link(), **more)

    def open(self, target: str) -> None:
        self.page.goto(self.base + target)
        self.saved()

    def saved(self) -> None:
        """Wait until all is saved."""
        self.page.wait_for_function("() => document.getElementById('state').textContent === 'Saved'")

    def drag(self, *way: tuple[float, float]) -> None:
        """Press, move and let go, by pixels of the picture."""
        stage = self.page.locator("#stage svg").bounding_box()
        scale = stage["width"] / WIDTH
        for i, (x, y) in enumerate(way):
            self.page.mouse.move(stage["x"] + x * scale, stage["y"] + y * scale, steps=3)
            if i == 0:
                self.page.mouse.down()
        self.page.mouse.up()

    def draw(self, x1: float, y1: float, x2: float, y2: float, said: str = "") -> None:
        self.drag((x1, y1), (x2, y2))
        self.page.keyboard.type(said)
        self.saved()

    @property
    def boxes(self) -> list[list[float]]:
        """The boxes as the number fields show them."""
        fields = [self.page.locator(f"#list [name={side}]").all() for side in ("x1", "y1", "x2", "y2")]
        return [[float(field.input_value()) for field in four] for four in zip(*fields, strict=True)]

    def close(self) -> None:
        assert self.errors == [] and self.dialogs == [] and self.foreign == []
        self.context.close()


def near(found: list[float], wanted: tuple[float, ...]) -> bool:
    return all(abs(a - b) <= 2 for a, b in zip(found, wanted, strict=True))


def test_boxes_are_drawn_saved_and_reopened_and_two_people_agree(browser: Any, tmp_path: Path) -> None:
    draw(tmp_path, "a.png", "b.png")
    with boxes(tmp_path, "ann") as desk:
        easel = Easel(browser, desk)
        easel.open("/shot/0")
        easel.draw(*BUTTON, "Press the blue button")
        easel.page.locator("[name=element_type]").select_option("button")
        easel.draw(300, 300, 420, 380, "Something else")
        easel.close()
    (first, second) = rows(tmp_path, "annotations.ann.jsonl")
    assert near(first["box"], BUTTON) and first["box_format"] == "xyxy-pixels"
    assert (first["instruction"], first["element_type"], first["image"]) == ("Press the blue button", "button", "a.png")
    assert second["instruction"] == "Something else" and {first["annotator"], second["annotator"]} == {"ann"}

    with boxes(tmp_path, "ann") as desk:  # another day
        easel = Easel(browser, desk)
        easel.page.get_by_role("link", name="a.png").click()
        easel.saved()
        assert [near(found, tuple(row["box"])) for found, row in zip(easel.boxes, (first, second), strict=True)]
        assert easel.page.locator("[name=instruction]").first.input_value() == "Press the blue button"
        assert easel.page.locator("[name=element_type]").first.input_value() == "button"
        assert easel.page.locator("#stage g").count() == 2
        easel.close()
    assert rows(tmp_path, "annotations.ann.jsonl") == [first, second]  # looking changes nothing

    with boxes(tmp_path, "bob") as desk:
        easel = Easel(browser, desk)
        easel.open("/shot/0")
        assert easel.boxes == []  # bob does not see what ann drew
        easel.draw(100, 80, 240, 110, "The button")
        easel.close()
    (found,) = agreements(tmp_path)
    share, same, *_ = found.figures
    assert share.value == pytest.approx(2 / 3) and share.n == 3  # two of three boxes are of both
    assert same.value == pytest.approx(0.75, abs=0.05)


def test_a_box_is_moved_resized_and_removed_by_pointer(browser: Any, tmp_path: Path) -> None:
    draw(tmp_path, "a.png")
    with boxes(tmp_path) as desk:
        easel = Easel(browser, desk)
        easel.open("/shot/0")
        easel.draw(100, 100, 200, 150)
        easel.drag((150, 125), (250, 225))
        easel.saved()
        assert near(easel.boxes[0], (200, 200, 300, 250))
        easel.drag((300, 250), (350, 300))
        easel.saved()
        assert near(easel.boxes[0], (200, 200, 350, 300))
        easel.drag((275, 250), (900, 900))  # a box stays on its picture
        easel.saved()
        assert near(easel.boxes[0], (450, 300, 600, 400))
        assert rows(tmp_path, "annotations.ann.jsonl")[0]["box"] == easel.boxes[0]
        easel.drag((10, 10), (11, 10))  # a click draws nothing
        assert len(easel.boxes) == 1
        easel.page.get_by_role("button", name="Remove").click()
        easel.saved()
        assert rows(tmp_path, "annotations.ann.jsonl") == []
        easel.close()


def test_everything_can_be_done_by_keyboard(browser: Any, tmp_path: Path) -> None:
    draw(tmp_path, "a.png")
    with boxes(tmp_path) as desk:
        easel = Easel(browser, desk)
        easel.open("/shot/0")
        easel.page.get_by_role("button", name="Add a box").focus()
        easel.page.keyboard.press("Enter")
        easel.page.keyboard.type("By keyboard\n")
        assert easel.page.locator("[name=instruction]").input_value() == "By keyboard"  # Enter ends it
        for name, value in (("x1", "10"), ("y1", "20"), ("x2", "110"), ("y2", "60")):
            field = easel.page.locator(f"[name={name}]")
            field.focus()
            field.fill(value)
            easel.page.keyboard.press("Tab")
        easel.saved()
        assert easel.boxes == [[10, 20, 110, 60]]
        easel.page.get_by_role("button", name="Box 1: By keyboard").focus()
        for key in ("ArrowRight", "Shift+ArrowDown", "Alt+ArrowRight", "Alt+Shift+ArrowDown"):
            easel.page.keyboard.press(key)
        easel.page.wait_for_timeout(400)
        easel.saved()
        assert easel.boxes == [[11, 30, 112, 80]]
        assert rows(tmp_path, "annotations.ann.jsonl")[0]["box"] == [11, 30, 112, 80]
        x2 = easel.page.locator("[name=x2]")
        x2.fill("11")  # no width: it is put back, and the page says so
        x2.press("Tab")
        assert easel.boxes == [[11, 30, 112, 80]] and "width" in easel.page.locator("#state").inner_text()
        easel.page.get_by_role("button", name="Add a thing that is not there").press("Enter")
        easel.page.keyboard.type("Log out")
        easel.page.wait_for_timeout(500)
        easel.saved()
        assert [(row["absent"], row["box"]) for row in rows(tmp_path, "annotations.ann.jsonl")][1] == (True, [])
        easel.page.get_by_role("button", name="Box 1: By keyboard").focus()
        easel.page.keyboard.press("Delete")
        easel.saved()
        assert [row["instruction"] for row in rows(tmp_path, "annotations.ann.jsonl")] == ["Log out"]
        easel.close()


def test_the_picture_stays_where_it_is_however_many_boxes_there_are(browser: Any, tmp_path: Path) -> None:
    draw(tmp_path, "a.png")
    with boxes(tmp_path) as desk:
        easel = Easel(browser, desk)
        easel.open("/shot/0")
        for i in range(6):
            easel.draw(10 + 80 * i, 10, 80 + 80 * i, 60, f"Number {i}")
            assert easel.page.evaluate("() => scrollY") == 0
        easel.close()
    assert [row["instruction"] for row in rows(tmp_path, "annotations.ann.jsonl")] == [f"Number {i}" for i in range(6)]


def test_nothing_is_lost_by_going_on_at_once(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw(tmp_path, "a.png", "b.png")
    save = AnnotatorBoxes.save

    def slow(*given: Any) -> Any:
        time.sleep(0.7)  # the box is still being saved while its instruction is typed
        return save(*given)

    monkeypatch.setattr(AnnotatorBoxes, "save", slow)
    with boxes(tmp_path) as desk:
        easel = Easel(browser, desk)
        easel.open("/shot/0")
        easel.drag((100, 80), (240, 120))
        easel.page.keyboard.type("Typed and gone")
        easel.page.get_by_role("link", name="Next").click()
        easel.page.wait_for_url("**/shot/1")
        easel.saved()
        assert [row["instruction"] for row in rows(tmp_path, "annotations.ann.jsonl")] == ["Typed and gone"]
        easel.close()


def test_two_windows_do_not_undo_each_other(browser: Any, tmp_path: Path) -> None:
    draw(tmp_path, "a.png")
    with boxes(tmp_path) as desk:
        one, other = Easel(browser, desk), Easel(browser, desk)
        one.open("/shot/0")
        other.open("/shot/0")
        one.draw(*BUTTON, "Mine")
        other.drag((300, 300), (400, 380))
        other.page.wait_for_function("() => /another window/.test(document.getElementById('state').textContent)")
        assert [row["instruction"] for row in rows(tmp_path, "annotations.ann.jsonl")] == ["Mine"]
        one.close()
        other.context.close()


def test_a_server_that_is_gone_is_said_and_what_was_drawn_is_saved_when_it_is_not(browser: Any, tmp_path: Path) -> None:
    draw(tmp_path, "a.png")
    with boxes(tmp_path) as desk:
        easel = Easel(browser, desk)
        easel.open("/shot/0")
        easel.page.route("**/save", lambda route: route.abort())
        easel.drag((100, 80), (240, 120))
        easel.page.wait_for_function("() => /still running/.test(document.getElementById('state').textContent)")
        easel.page.unroute("**/save")
        easel.saved()
        assert len(rows(tmp_path, "annotations.ann.jsonl")) == 1
        easel.context.close()


def test_hostile_names_and_texts_are_only_text(browser: Any, tmp_path: Path) -> None:
    names = HOSTILE, "</script><script>alert(2)</script>.png".replace("/", "\u2215"), "a\u202egnp.png"
    draw(tmp_path, *names)
    said = "</textarea><script>alert(3)</script><img src=x onerror=alert(4)>"
    with boxes(tmp_path) as desk:
        easel = Easel(browser, desk)
        shown = easel.page.inner_text("main")
        assert "<img src=x onerror=alert(1)>" in shown and "\u202e" not in shown
        for number in range(3):
            easel.open(f"/shot/{number}")
            easel.draw(*BUTTON, said)
            easel.open(f"/shot/{number}")
            assert easel.page.locator("[name=instruction]").input_value() == said
            assert easel.page.locator("main img").count() == 1 and easel.page.locator("main script").count() == 0
        assert {row["image"] for row in rows(tmp_path, "annotations.ann.jsonl")} == set(names)
        easel.close()


def test_questions_are_answered_by_choice_and_in_words(browser: Any, tmp_path: Path) -> None:
    draw(tmp_path, "a.png")
    nasty = "<b onmouseover=alert(1)>red\u202e</b>"
    asked = [
        {"id": "q1", "image": "a.png", "question": "Which <colour>?", "options": ["navy", nasty], "answer": "navy"},
        {"id": "q2", "image": "a.png", "question": "What is it?", "answer": "a secret answer"},
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, asked)))
    with answers(tmp_path, file="q.jsonl") as desk:
        easel = Easel(browser, desk)
        easel.open("/question/0")
        assert "Which <colour>?" in easel.page.inner_text("main")
        easel.page.get_by_role("radio").nth(1).check()
        easel.saved()
        easel.page.get_by_role("link", name="Next").click()
        easel.saved()
        assert "secret answer" not in easel.page.content()
        easel.page.get_by_label("The answer in words").fill("a button")
        easel.page.wait_for_timeout(500)
        easel.saved()
        easel.open("/question/0")
        assert easel.page.get_by_role("radio").nth(1).is_checked()
        assert violations(easel.page) == []
        easel.close()
    assert [row["text"] for row in rows(tmp_path, "answers.ann.jsonl")] == [nasty, "a button"]

    with answers(tmp_path, file="q.jsonl", correct=True) as desk:
        easel = Easel(browser, desk)
        easel.open("/question/1")
        assert "a secret answer" in easel.page.inner_text("main")
        easel.page.get_by_label("The answer in words").fill("a blue button")
        easel.page.wait_for_timeout(500)
        easel.saved()
        easel.close()
    assert [row["answer"] for row in rows(tmp_path, "corrected.ann.jsonl")] == ["navy", "a blue button"]


def test_a_place_is_answered_by_a_click(browser: Any, tmp_path: Path) -> None:
    draw(tmp_path, "a.png")
    element = {"id": "e", "instruction": "Press the button", "bbox": [1 / 6, 0.2, 0.25, 0.1], "element_type": "button"}
    sample = {"id": "a", "image_path": "a.png", "width": WIDTH, "height": 400, "elements": [element]}
    (tmp_path / "annotations.json").write_text(json.dumps({"name": "mine", "version": "1", "samples": [sample]}))
    with answers(tmp_path, exam="grounding") as desk:
        easel = Easel(browser, desk)
        easel.open("/question/0")
        assert "Press the button" in easel.page.inner_text("main")
        picture = easel.page.locator(".stage img")
        scale = picture.bounding_box()["width"] / WIDTH
        picture.click(position={"x": 150 * scale, "y": 100 * scale})
        easel.saved()
        assert easel.page.locator(".stage circle").count() == 1
        easel.close()
    (row,) = rows(tmp_path, "answers.ann.jsonl")
    assert row["text"] in {f"({x}, {y})" for x in (149, 150, 151) for y in (99, 100, 101)}

    import snellen

    run = snellen.evaluate(
        "grounding", model=f"human/{tmp_path}/answers.ann.jsonl", data=tmp_path, out=tmp_path / "runs", use_store=False
    )
    assert run.summary.protocols[0].groups[0].outcomes["correct"] == 1


@pytest.mark.parametrize("dark", [False, True])
def test_pages_are_accessible_and_fit_a_phone(browser: Any, tmp_path: Path, dark: bool) -> None:
    draw(tmp_path, "a.png", HOSTILE)
    scheme = "dark" if dark else "light"
    with boxes(tmp_path) as desk:
        easel = Easel(browser, desk, size=PHONE, color_scheme=scheme)
        assert violations(easel.page) == []
        easel.open("/shot/1")
        easel.draw(*BUTTON, "Go")
        easel.draw(300, 300, 400, 350, "There")
        assert violations(easel.page) == []
        assert easel.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        easel.close()
