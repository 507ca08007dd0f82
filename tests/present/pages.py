"""Reading a report page in tests: is it well formed, is it inert, and what is on it?"""

from __future__ import annotations

import base64
from html.parser import HTMLParser
from pathlib import Path

import snellen
from snellen.present.page.report import write_report

VOID = {"meta", "img", "br", "input", "link", "hr"}
HOSTILE = '"><img src=x onerror=alert(1)><script>alert(1)</script>\x1b[31m\u202e'


class Page(HTMLParser):
    """Checks that tags are closed in order, and collects what tests ask about."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def images(self) -> list[bytes]:
        """The bytes of every picture, as often as it is shown."""
        held = {f"#{i['id']}": base64.b64decode(str(i["href"]).partition("base64,")[2]) for i in self.all("image")}
        return [held[str(use["href"])] for use in self.all("use") if use["href"] in held]


def inert(page: Page) -> None:
    """No script, no handler, nothing fetched."""
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "iframe", "object", "embed", "link", "form", "base"}
    for _tag, attrs in page.tags:
        assert not any(name.startswith("on") for name in attrs)
        for name in ("src", "href", "action", "srcset", "xlink:href"):
            assert str(attrs.get(name) or "#").startswith(("#", "data:image/")), attrs
    policy = next(m for m in page.all("meta") if m.get("http-equiv"))
    assert policy["content"] == "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def report(*runs: snellen.Run, tmp_path: Path, samples: int | None = None) -> Page:
    page = tmp_path / "new" / "report.html"
    write_report(runs, page, samples)
    assert [p.name for p in page.parent.iterdir()] == ["report.html"]
    return Page(page.read_text("utf-8"))
