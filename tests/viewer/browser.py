"""A real browser, where there is one: Chromium as the system has it, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVEN = find_spec("playwright") is not None and find_spec("axe_playwright_python") is not None
needs_a_browser = pytest.mark.skipif(
    CHROMIUM is None or not DRIVEN,
    reason="needs Chromium on the PATH, and the packages playwright and axe-playwright-python",
)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESKTOP, PHONE = (1280, 900), (390, 844)


@contextmanager
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        try:
            yield found
        finally:
            found.close()


class Watched:
    """A page in a browser of its own, with all that went wrong on it."""

    def __init__(self, browser: Any, link: str, size: tuple[int, int] = DESKTOP, **more: Any) -> None:
        self.base = link.partition("/?")[0]
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **more)
        self.page = self.context.new_page()
        self.dialogs: list[str] = []
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("dialog", self._dialog)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._console)
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(link)

    def _dialog(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def _console(self, message: Any) -> None:
        if message.type == "error" and "status of 404" not in message.text:
            self.errors.append(message.text)

    def go(self, target: str) -> Any:
        """Open a page and wait until it is no longer being read."""
        self.page.goto(self.base + target)
        self.page.wait_for_function("() => !/is being read/.test(document.body.innerText)", timeout=60_000)
        return self.page

    @property
    def foreign(self) -> list[str]:
        """Requests that left the viewer."""
        return [url for url in self.requests if not url.startswith(f"{self.base}/")]


def violations(page: Any) -> list[str]:
    """What axe-core finds on a page, with everything unfolded that can be."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate("() => document.querySelectorAll('details').forEach(d => d.open = true)")
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html']}" for one in found]
