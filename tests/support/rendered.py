"""Screenshots of pages from elsewhere, with the boxes that the browser gives: what a user with their own test suite would have.

Nothing is drawn here.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

WINDOW = (1280, 800)
KINDS = {"a": "link", "button": "button", "input": "text_field", "select": "dropdown", "summary": "button"}
_LONGEST = 60


def pages(folders: list[Path], count: int) -> list[Path]:
    """Return this many HTML files from the folders in turn: the first of each, then the second of each, and so on."""
    by_folder: dict[Path, list[Path]] = {}
    for path in sorted(p for folder in folders for p in folder.rglob("*.html") if p.stat().st_size > 4096):
        by_folder.setdefault(path.parent, []).append(path)
    ranked = [(i, path) for files in by_folder.values() for i, path in enumerate(files)]
    return [path for _i, path in sorted(ranked)][: 4 * count]


def shoot(browser: Any, page: Path, picture: Path, scale: float = 1, most: int = 5) -> list[dict[str, Any]]:
    """Save a screenshot of a page, and return a row for each of some targets, with the places that Playwright gives.

    A target is wholly in the window, and its words occur in no other target of the page. Scripts do not run and nothing is fetched.
    """
    context = browser.new_context(
        viewport={"width": WINDOW[0], "height": WINDOW[1]},
        device_scale_factor=scale,
        java_script_enabled=False,
        offline=True,
    )
    try:
        tab = context.new_page()
        tab.goto(page.resolve().as_uri())
        found = [(one, " ".join(one.inner_text().split())) for one in tab.locator(", ".join(KINDS)).all()[:400]]
        words = Counter(text.lower() for _one, text in found)
        rows = []
        for one, text in found:
            if not 2 < len(text) <= _LONGEST or words[text.lower()] > 1 or not one.is_visible():
                continue
            box = one.bounding_box()
            if box is None or min(box["width"], box["height"]) < 8 or not _inside(box):
                continue
            tag = one.evaluate("node => node.tagName.toLowerCase()")
            row = {"image": picture.name, "instruction": f"Click on '{text}'", "box": box, "device_scale_factor": scale}
            rows.append(row | {"element_type": KINDS[tag], "platform": "web"})
        tab.screenshot(path=str(picture))
        return rows[:: max(len(rows) // most, 1)][:most]
    finally:
        context.close()


def _inside(box: dict[str, float]) -> bool:
    right, bottom = box["x"] + box["width"], box["y"] + box["height"]
    return box["x"] >= 0 and box["y"] >= 0 and right <= WINDOW[0] and bottom <= WINDOW[1]
