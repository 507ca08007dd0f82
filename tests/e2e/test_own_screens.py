"""Own screenshots as a user has them: from `data init` over a browser's own boxes to a report, by the installed command."""

from __future__ import annotations

import json
import math
from pathlib import Path

from PIL import Image
from tests.support.command import snellen
from tests.support.rendered import shoot
from tests.viewer.browser import chromium, needs_a_browser

from snellen.core.options import Selection
from snellen.exams.grounding.data import GroundingData

PAGE = """<!doctype html><title>Shop</title><body style="margin:40px">
<p>Some words before it.</p><a href="#" style="background:rgb(255,0,0);color:rgb(255,0,0)">Buy the tickets</a>
<p style="margin-left:333px"><button style="background:rgb(0,0,255);color:rgb(0,0,255);border:0">Pay later</button></p>"""
COLOURS = {"Click on 'Buy the tickets'": (255, 0, 0), "Click on 'Pay later'": (0, 0, 255)}


def test_from_init_to_a_report_in_three_commands(tmp_path: Path) -> None:
    cache, mine, runs = tmp_path / "cache", tmp_path / "mine", tmp_path / "runs"
    begun = snellen("data", "init", "grounding", "--out", mine, cache=cache)
    assert begun.returncode == 0 and f"{mine / 'boxes.jsonl'} has two rows" in begun.stdout
    assert all(len(line) <= 80 or str(mine) in line for line in begun.stdout.splitlines())
    Image.new("RGB", (300, 200), "white").save(mine / "own.png")
    (mine / "example.png").unlink()
    row = {"image": "own.png", "instruction": "Click on the middle", "box": [140, 90, 160, 110], "box_format": "xyxy"}
    (mine / "boxes.jsonl").write_text(json.dumps(row) + "\n")
    ran = snellen("run", "grounding", "--data", mine, "--model", "method/center", "--out", runs, cache=cache)
    assert ran.returncode == 0 and "100.0" in ran.stdout and "SYNTHETIC" not in ran.stdout
    [run] = runs.glob("grounding_center_*")
    told = snellen("report", run, "--out", tmp_path / "page.html", cache=cache)
    assert told.returncode == 0 and "Click on the middle" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_example_is_called_synthetic_until_it_is_gone(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    snellen("data", "init", "grounding", "--out", mine, cache=tmp_path)
    assert GroundingData(mine, Selection()).synthetic
    again = snellen("data", "init", "grounding", "--out", mine, cache=tmp_path)
    assert again.returncode == 2 and "is there and not empty" in again.stderr
    other = snellen("data", "init", "boxes", "--out", tmp_path / "b", cache=tmp_path)
    assert other.returncode == 2 and "grounding" in other.stderr and "pair" in other.stderr


@needs_a_browser
def test_boxes_that_the_browser_gives_lie_on_what_it_shows(tmp_path: Path) -> None:
    """On a screen with two pixels a CSS pixel: whoever forgets the factor looks at half the place."""
    (tmp_path / "page.html").write_text(PAGE)
    with chromium() as browser:
        rows = shoot(browser, tmp_path / "page.html", tmp_path / "page.png", scale=2)
    (tmp_path / "boxes.jsonl").write_text("\n".join(map(json.dumps, rows)))
    samples = list(GroundingData(tmp_path, Selection()).light())
    assert {s.facts["instruction"] for s in samples} == set(COLOURS)
    with Image.open(tmp_path / "page.png") as picture:
        shown = picture.convert("RGB")
    assert shown.size == (2560, 1600)
    for sample in samples:
        [(x1, y1, x2, y2)] = sample.truth["boxes"]
        colour = COLOURS[sample.facts["instruction"]]
        place = shown.crop((math.floor(x1), math.floor(y1), math.ceil(x2), math.ceil(y2)))
        assert place.getpixel((place.width // 2, place.height // 2)) == colour
        filled = dict((c, n) for n, c in place.getcolors(1 << 20))[colour]
        assert filled == dict((c, n) for n, c in shown.getcolors(1 << 22))[colour], "all of it is inside"
        assert filled > 0.9 * place.width * place.height, "and little else"
