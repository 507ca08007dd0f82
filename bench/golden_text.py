"""Turn Snellen's output into text that two checkouts can be compared by. Every normalisation of `golden.py` is in this file.

What legitimately varies from one time to the next is replaced:

- points in time; local runs have no other durations than those of grounding methods, see below
- the golden folder's path, the package's version
- in records for others: their UUIDs, ids and checksums, which hold when the run began
- names of run folders, which hold a digest: by the case's own name. `names.json` keeps them once, so that a new digest is one difference
- seconds in the predictions of grounding methods: by 0.25, before the run is marked again (`same_seconds`)
- the digest that summary.json holds of itself: it follows from the rest
- the order of the lines of answers.jsonl, which is that of their arrival
- the order of keys in JSON, and its indentation
- in Excel files: everything but the cells' own XML

Of pages only the numbers are kept: the visible text without drawings (SVG), cut into numbers, each with how often it is there. So
a page may be laid out anew and its sentences may change, while a number that is changed, lost or added is found. Numbers
inside a word (`P3`, `plan-v2`, ids) are not counted. Positions are not kept: to move a number is to change the layout.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

PATTERNS = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r'(_timestamp":\s*")\d{10}(\.\d+)?'), r"\1<time>"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r'(evaluation_id":\s*"[^"]*/)\d{10}-[0-9a-f]{12}'), r"\1<id>"),
    (re.compile(r'(checksum":\s*")[0-9a-f]{64}'), r"\1<of a file with <id>>"),
)
SECONDS = re.compile(r'(\\?"seconds\\?":\s*)\d[\d.e-]*')
NUMBER = re.compile(r"(?<![\w./#])[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w/]|\.\d)")
HIDDEN = ("script", "style", "title", "template", "svg")
BLOCKS = (".xml", ".rels")


class Cleaner:
    """Replace what varies in texts; `names` are run folders and what to call them."""

    def __init__(self, folder: Path, version: str) -> None:
        self._literal = {str(folder): "<folder>", version: "<version>"}
        self.names: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Return a text without what varies."""
        instead = {**self.names, **self._literal}
        longest_first = sorted(instead, key=len, reverse=True)
        text = re.sub("|".join(map(re.escape, longest_first)), lambda found: instead[found[0]], text)
        for pattern, other in PATTERNS:
            text = pattern.sub(other, text)
        return text

    def document(self, document: str, without: str = "") -> str:
        """Return a JSON document, one value a line, without the value of one of its keys."""
        value = json.loads(self.text(document))
        if without:
            value.pop(without, None)
        return json.dumps(value, indent=0, sort_keys=True, ensure_ascii=False) + "\n"

    def lines(self, lines: str) -> list[str]:
        """Return JSON lines."""
        values = [json.loads(line) for line in self.text(lines).splitlines() if line.strip()]
        return [json.dumps(value, sort_keys=True, ensure_ascii=False) for value in values]

    def file(self, path: Path) -> str:
        """Return a file of a run or of an export as text."""
        data = path.read_bytes()
        if path.suffix == ".json":
            return self.document(data.decode(), "digest" if path.name == "summary.json" else "")
        if path.suffix == ".jsonl":
            lines = self.lines(data.decode())
            return "\n".join(sorted(lines) if path.name == "answers.jsonl" else lines) + "\n"
        if path.suffix == ".xlsx":
            return self.text(_cells(data))
        if path.suffix == ".parquet":
            import pyarrow.parquet as pq

            return self.text("".join(f"{row}\n" for row in pq.read_table(path).to_pylist()))
        try:
            return self.text(data.decode())
        except UnicodeDecodeError:
            return f"sha256 {hashlib.sha256(data).hexdigest()}\n"


class _Visible(HTMLParser):
    """Collect the text of a page that people can see."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in HIDDEN

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in HIDDEN

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.found.append(data)


def visible(page: str) -> str:
    """Return the text of an HTML page that people can see, without drawings."""
    parser = _Visible()
    parser.feed(page)
    return " ".join(parser.found)


def numbers(text: str) -> Counter[str]:
    """Count the numbers of a text, minus signs of all kinds alike."""
    return Counter(NUMBER.findall(text.replace("−", "-").replace("–", " ").replace("\u2011", "-")))


def listed(found: Counter[str]) -> str:
    """Return numbers with how often each is there, the smallest first."""

    def place(number: str) -> tuple[float, str]:
        return float(number.replace(",", "")), number

    return "".join(f"{number} x {found[number]}\n" for number in sorted(found, key=place))


def same_seconds(answers: Path) -> None:
    """Give all predictions of a grounding method the same duration."""
    answers.write_text(SECONDS.sub(r"\g<1>0.25", answers.read_text()))


def _cells(data: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        names = sorted(n for n in book.namelist() if n.endswith(BLOCKS) and not n.startswith("docProps/"))
        return "".join(f"{name}\n{book.read(name).decode().replace('><', '>' + chr(10) + '<')}\n" for name in names)
