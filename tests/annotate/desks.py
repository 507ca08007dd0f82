"""A folder of pictures and the server of `snellen annotate` on it, for as long as a test needs them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw
from tests.viewer.served import Asked, Reply, running

from snellen.annotate import serving
from snellen.annotate.app import Pages
from snellen.core.options import Selection
from snellen.present.viewer.guard import Guard

WIDTH, HEIGHT = 600, 400
HOSTILE = "<img src=x onerror=alert(1)>'\"&lt;.png"


def draw(folder: Path, *names: str) -> Path:
    """Screens of one button each."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        screen = Image.new("RGB", (WIDTH, HEIGHT), "white")
        ImageDraw.Draw(screen).rectangle((100, 80, 240, 120), fill="navy")
        screen.save(folder / name, "PNG")
    return folder


class Desk(Asked):
    """The server, asked by something other than a browser."""

    def send(self, target: str, what: Any, **headers: str) -> Reply:
        """A request to write as our page makes it, but for the headers that are given; an empty one is left out."""
        body = what if isinstance(what, bytes) else json.dumps(what).encode()
        usual = {
            "origin": self.base,
            "content_type": "application/json",
            "content_length": str(len(body)),
            "x_snellen_token": self.keys.token,
        }
        return self.ask(target, "POST", cookie="Cookie" not in headers, body=body, **(usual | headers))


@contextmanager
def serving_of(pages: Pages) -> Iterator[Desk]:
    with pages.files:
        pages.files.begin()
        with running(lambda keys: Guard(pages.app(keys.token), keys, writes=True), "annotate") as keys:
            yield Desk(keys)


@contextmanager
def boxes(folder: Path, name: str = "ann", correct: bool = False) -> Iterator[Desk]:
    with serving_of(serving.boxes(folder, name, correct)) as desk:
        yield desk


@contextmanager
def answers(
    folder: Path,
    name: str = "ann",
    file: str | None = None,
    exam: str = "",
    correct: bool = False,
) -> Iterator[Desk]:
    with serving_of(serving.answers(folder, name, folder / file if file else None, exam, Selection(), correct)) as desk:
        yield desk


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    """The lines of a file."""
    path = folder / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
