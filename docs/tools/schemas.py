"""The JSON Schemas of docs/schemas, made from the records that Snellen itself reads and writes with.

    python docs/tools/schemas.py        write them again, after a record has changed

A test fails where the folder holds anything else than this writes.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.comparison.explained import Explanation
from snellen.comparison.gating import Gate
from snellen.comparison.results import Comparison
from snellen.core.records import Manifest, Summary
from snellen.core.types import Answer, Mark, Metrics, Outcome, Sample
from snellen.engine.runs.batch_books import BatchEntry
from snellen.engine.runs.tidy import SampleRow, ScoreRow
from snellen.exams.grounding.formats.annotations import Element
from snellen.importers.record import ImportedSample, ImportRecord
from snellen.subjects.prices import PriceEntry

FOLDER = Path(__file__).resolve().parents[1] / "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Screenshot(msgspec.Struct, frozen=True):
    """A screenshot of a folder for the exam 'grounding'."""

    id: str
    image_path: str
    width: int
    height: int
    elements: list[Element] = []
    metadata: dict[str, Any] = {}


class Screenshots(msgspec.Struct, frozen=True):
    """annotations.json: screenshots with the elements to find on them. Boxes are x, y, width and height as shares of the picture."""

    name: str
    version: str
    samples: list[Screenshot] = []
    metadata: dict[str, Any] = {}


class Reply(msgspec.Struct, frozen=True):
    """A line of a file for `--model replay/FILE.jsonl`. `prompt` is the name of the prompt that it answers, where there are several."""

    id: str | int
    text: str
    prompt: str | None = None


class Marked(msgspec.Struct, frozen=True):
    """A line that `snellen mark` prints."""

    id: str | int
    protocol: str
    outcome: Outcome
    reading: Any
    metrics: Metrics


class Described(NamedTuple):
    """A schema: the type that it is made from, and the file or command that it describes."""

    type: Any
    of: str


SCHEMAS = {
    "run": Described(Manifest, "RUN/run.json"),
    "sample": Described(Sample, "a line of RUN/samples.jsonl"),
    "answer": Described(Answer, "a line of RUN/answers.jsonl"),
    "mark": Described(Mark, "a line of RUN/marks/PROTOCOL.jsonl"),
    "summary": Described(Summary, "RUN/summary.json"),
    "batches": Described(tuple[BatchEntry, ...], "RUN/batches.json"),
    "imported": Described(ImportRecord, "RUN/imported.json"),
    "imported-sample": Described(ImportedSample, "a line of RUN/imported.jsonl"),
    "compare": Described(Comparison, "what `snellen compare --json` prints"),
    "explain": Described(Explanation, "what `snellen explain --json` prints"),
    "gate": Described(Gate, "what `snellen gate --json` prints"),
    "marked": Described(Marked, "a line that `snellen mark` prints"),
    "score-row": Described(ScoreRow, "a row of `snellen export --format json`"),
    "sample-row": Described(SampleRow, "a row of `snellen export --samples --format json`"),
    "annotations": Described(Screenshots, "annotations.json of a folder of screenshots"),
    "reply": Described(Reply, "a line of a file of replies, `--model replay/FILE.jsonl`"),
    "prices": Described(dict[str, dict[str, PriceEntry | str]], "a file of prices, `--price FILE.toml`"),
}


def anything(kind: type) -> dict[str, Any]:
    """`object` in a record means any JSON value."""
    if kind is object:
        return {"description": "any JSON value"}
    raise NotImplementedError(kind)


def one_line(value: Any) -> Any:
    """Descriptions come from docstrings, which are wrapped and indented."""
    if isinstance(value, dict):
        return {
            k: " ".join(v.split()) if k == "description" and isinstance(v, str) else one_line(v)
            for k, v in value.items()
        }
    return [one_line(v) for v in value] if isinstance(value, list) else value


def schemas() -> dict[str, str]:
    """The text of every file of the folder, by name."""
    found = {}
    for name, (kind, of) in SCHEMAS.items():
        made = msgspec.json.schema(kind, schema_hook=anything)
        document = {"$schema": DIALECT, "title": f"{name}: {of}".replace("`", ""), **one_line(made)}
        found[f"{name}.json"] = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    return found


def main() -> None:
    """Write the folder as it is to be; a schema that is no more goes."""
    texts = schemas()
    for old in FOLDER.glob("*.json"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
