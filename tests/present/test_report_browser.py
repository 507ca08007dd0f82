"""The report in a real browser: what the first screen says, that its links lead somewhere, and that nothing on it runs or overflows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.present.pages import HOSTILE

import snellen
from snellen import exams
from snellen.core.extras import maker_of
from snellen.present.page.report import write_report

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ("--no-sandbox", "--disable-gpu")
MOST_PIXELS = 16_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM.exists():
        pytest.skip("there is no Chromium")
    with driver.sync_playwright() as started:
        found = started.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        yield found
        found.close()


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of one exam, a screen exam, and replies that are hostile."""
    folder = tmp_path_factory.mktemp("report")
    out = folder / "runs"
    runs = []
    for name, models in (
        ("salbench", ("baseline/pixels", "baseline/chance", f"baseline/constant:{HOSTILE}")),
        ("grounding", ("method/center", "method/random")),
    ):
        maker_of(exams.load(name)).make(folder / name, count=9, seed=1, workers=1)
        runs += [snellen.evaluate(name, model=model, data=folder / name, out=out) for model in models]
    page = folder / "report.html"
    write_report(runs, page)
    return page


@pytest.fixture(params=[(1280, 900, "light"), (390, 844, "dark")], ids=["desktop", "phone"])
def tab(request: pytest.FixtureRequest, browser: Any, page_file: Path) -> Iterator[Any]:
    width, height, scheme = request.param
    made = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    made.said = []
    made.on("console", lambda message: made.said.append(message.text))
    made.on("pageerror", lambda error: made.said.append(str(error)))
    made.on("dialog", lambda dialog: (made.said.append("a dialog"), dialog.dismiss()))
    made.goto(page_file.as_uri())
    yield made
    made.close()


def test_the_first_screen_says_what_to_know(tab: Any) -> None:
    first = tab.locator(".finding").first
    box = first.bounding_box()
    assert box["y"] + box["height"] < tab.viewport_size["height"]
    seen = tab.locator("section.to-know").inner_text()
    assert "No sign of seeing" in seen
    assert "clearly above the floor in all" in seen
    assert "leads with" in seen


def test_nothing_runs_nothing_is_fetched_and_nothing_overflows(tab: Any) -> None:
    assert tab.said == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= tab.viewport_size["width"]
    assert tab.evaluate("document.documentElement.scrollHeight") < MOST_PIXELS
    assert tab.evaluate("document.scripts.length") == 0
    assert tab.evaluate("performance.getEntriesByType('resource').filter(r => !r.name.startsWith('data:')).length") == 0


def test_every_link_leads_somewhere_and_opens_what_is_folded(tab: Any) -> None:
    targets = tab.evaluate("[...document.querySelectorAll('a')].map(a => a.getAttribute('href'))")
    assert targets
    assert all(target.startswith("#") for target in targets)
    assert all(tab.locator(f"[id='{target[1:]}']").count() == 1 for target in set(targets))
    tab.locator("nav a[href='#gallery-1']").click()
    assert (
        tab.evaluate("document.querySelector('#gallery-1').getBoundingClientRect().top") < tab.viewport_size["height"]
    )


def test_pictures_are_drawn_where_they_are_used(tab: Any) -> None:
    tab.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    picture = tab.locator(".gallery svg.query").first
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    assert box["width"] >= 90
    assert box["height"] >= 90
    assert len(set(picture.screenshot())) > 50, "more than an empty frame"
    used = tab.evaluate("[...document.querySelectorAll('use')].map(u => u.getAttribute('href').slice(1))")
    assert all(tab.evaluate("ids => ids.map(i => !!document.getElementById(i))", sorted(set(used))))


def test_layers_can_be_taken_off_a_screenshot_without_script(tab: Any) -> None:
    tab.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    gallery = tab.locator(".gallery", has=tab.locator(".d-target")).first
    shot = gallery.locator(".shot svg.whole").first
    shot.scroll_into_view_if_needed()
    before = shot.screenshot()
    gallery.locator(".d-target").uncheck()
    gallery.locator(".d-prediction").uncheck()
    shot.scroll_into_view_if_needed()
    assert shot.screenshot() != before
