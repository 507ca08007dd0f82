"""Each file that the documents show for data of one's own is read as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from snellen.core.options import Selection
from snellen.exams.d3.check import check as check_pairs
from snellen.exams.d3.data import D3Data
from snellen.exams.grounding.check import check as check_boxes
from snellen.exams.grounding.data import GroundingData

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(r'`([\w.]+)`:\n```(?:jsonl?|csv)(?: title="[^"]+")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def shown(page: str, section: str) -> dict[str, str]:
    text = (DOCS / page).read_text(encoding="utf-8").partition(f"### {section}\n")[2]
    return dict(BLOCK.findall(re.split(r"^##+ ", text, maxsplit=1, flags=re.MULTILINE)[0]))


SCREENS = shown("grounding.md", "Your own screenshots")


def test_no_example_is_overlooked() -> None:
    assert list(SCREENS) == ["boxes.jsonl", "boxes.csv", "playwright.jsonl", "instances.json", "login.json"]


@pytest.mark.parametrize("name", SCREENS)
def test_a_file_of_screenshots_is_read_as_the_document_shows_it(tmp_path: Path, name: str) -> None:
    Image.new("RGB", (1440, 900)).save(tmp_path / "login.png")
    (tmp_path / name).write_text(SCREENS[name], encoding="utf-8")
    assert not list(check_boxes(tmp_path))
    send, help_ = list(GroundingData(tmp_path, Selection()).light())[:2]
    assert send.facts["instruction"].startswith("Send the form")
    assert send.truth["boxes"][0] == [662, 549, 777, 585] and help_.truth["boxes"][0] == [1368, 18, 1397, 45]


def test_a_file_of_pairs_is_read_as_the_document_shows_it(tmp_path: Path) -> None:
    for i, name in enumerate(("shop_old", "shop_new", "home_old", "home_new")):
        Image.new("RGB", (40, 30), (i, 0, 0)).save(tmp_path / f"{name}.png")
    [(name, text)] = shown("d3.md", "Your own pairs").items()
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert not list(check_pairs(tmp_path))
    assert [(s.id, s.tags["kind"]) for s in D3Data(tmp_path, Selection()).light()] == [
        ("d3/shop", "colour"),
        ("d3/home", "place"),
    ]
