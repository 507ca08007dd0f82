"""An observer for eye exams behind a local endpoint: right at or above its threshold on the dial, and wrong below it.

It identifies a sheet by the digest of the picture that it receives, from the record that the run keeps before it asks.
"""

from __future__ import annotations

import base64
import hashlib
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import snellen
from tests.support.endpoint import Endpoint, completion

LETTERS, CELLS = "CDHKNORSVZ", "123456789"


class Observer:
    """An observer. `sees` has the finest level of each faculty; `says` its fixed reply to a faculty, whatever is shown."""

    def __init__(self, runs: Path, sees: Mapping[str, float], says: Mapping[str, str] | None = None) -> None:
        self.runs, self.sees, self.says = runs, sees, says or {}
        self._known: dict[str, dict[str, Any]] = {}

    def __call__(self, body: dict[str, Any], _times: int) -> tuple[int, dict[str, str], bytes]:
        return 200, {}, json.dumps(completion(self.reply(body), body["model"], 0.0001)).encode()

    def reply(self, body: dict[str, Any]) -> str:
        urls = [p["image_url"]["url"] for m in body["messages"] for p in m["content"] if p["type"] == "image_url"]
        sheet = self._sheet(hashlib.sha256(base64.b64decode(urls[0].partition(",")[2])).hexdigest())
        faculty, truth = sheet["tags"]["faculty"], sheet["truth"]
        if faculty in self.says:
            return self.says[faculty]
        seen = sheet["tags"]["sheet"] != "blank" and sheet["facts"]["level"] >= self.sees[faculty]
        options = LETTERS if truth in LETTERS else CELLS
        return truth if seen else options[(options.index(truth) + 1) % len(options)]

    def _sheet(self, sha: str) -> dict[str, Any]:
        if sha not in self._known:
            for file in self.runs.glob("*/samples.jsonl"):
                for line in file.read_text("utf-8").splitlines():
                    sheet = json.loads(line)
                    self._known.update(dict.fromkeys(sheet["facts"]["sha256"], sheet))
        return self._known[sha]


def examined_run(
    out: Path, model: str, sees: Mapping[str, float], says: Mapping[str, str] | None = None, **more: Any
) -> snellen.Run:
    """Run the eye exam with such an observer, in the faculties that it has replies for."""
    with Endpoint(script=Observer(out, sees, says)) as endpoint, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a faculty without answers
        return snellen.evaluate(
            "eye",
            model=f"api/{model}",
            base_url=endpoint.url,
            splits=(*sees, *(says or {})),
            limit=more.pop("limit", 40),
            out=out,
            use_store=False,
            max_errors=1000,
            **more,
        )
