"""What a reader of a page already has where its examples are tried: data, runs, local servers. All of it is made here; no model is asked.

`BEFORE` says what is made ready before which block. A block without an entry finds what the blocks before it left.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image
from tests.compare.conftest import right, wrong
from tests.compare.test_example import ESCAPE, a, b
from tests.docs import desks_reporting
from tests.docs.blocks import said
from tests.support.endpoint import Endpoint
from tests.support.made_sets import made
from tests.support.probed_endpoint import Manners, endpoint

from snellen.core.options import Selection
from snellen.core.types import Sample
from snellen.exams.salbench.data import SalBenchData

P3 = "--split P3 --task D --protocol paper,robust"


class Desk(NamedTuple):
    """A folder to work in; servers that run meanwhile; addresses in the page with those that they have here; how one server behaves."""

    folder: Path
    servers: ExitStack
    addresses: dict[str, str]
    reader: Manners

    def shell(self, command: str) -> None:
        """A step that has to work."""
        code, printed = said(command, self.folder, self.addresses)
        assert code == 0, printed

    def serve(self, address: str, server: Endpoint) -> None:
        """Let a server stand behind an address of the page."""
        self.addresses[address] = self.servers.enter_context(server).url

    def write(self, name: str, rows: list[dict[str, Any]]) -> None:
        """A file of replies."""
        (self.folder / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    def samples(self, data: str) -> list[Sample]:
        """The samples of P3 in a synthetic set."""
        return list(SalBenchData(self.folder / data, Selection(splits=("P3",), tasks=("D",))).light())

    def replayed(self, name: str, how: str = "") -> None:
        """The run of a file of replies, by the name that the page gives it."""
        self.shell(f"snellen run salbench --data S {P3} {how} --out made --model replay/{name}.jsonl")
        self.shell(f"rm -rf runs/{name.upper()}; mkdir -p runs; mv made/salbench_* runs/{name.upper()}")


def three_models(desk: Desk) -> None:
    """runs/A, B and C: A says much and is hard to read, B is brief, C is right four times in five."""
    made("salbench", desk.folder / "S", count=120, seed=1)
    everyone: dict[str, Callable[[int, Sample], str]] = {
        "a": lambda i, s: a(i, s).removesuffix(ESCAPE),
        "b": b,
        "c": lambda i, s: right(s) if i % 5 else wrong(s),
    }
    for name, says in everyone.items():
        desk.write(f"{name}.jsonl", [{"id": s.id, "text": says(i, s)} for i, s in enumerate(desk.samples("S"))])
        desk.replayed(name)


def unsure_models(desk: Desk) -> None:
    """runs/A and B, asked five times and three times, neither sure of itself: those of tests/compare/test_repeats.py."""
    desk.shell("mv runs sure")
    samples, draw = desk.samples("S"), np.random.default_rng(3)
    ease = draw.beta(2, 2, len(samples))[:, None]
    times = {"a": draw.random((len(samples), 5)) < ease - 0.12, "b": draw.random((len(samples), 3)) < ease + 0.12}
    for name, hits in times.items():
        rows = [
            {"id": s.id, "prompt": f"question#{t + 1}" if t else "question", "text": right(s) if hit else wrong(s)}
            for s, row in zip(samples, hits, strict=True)
            for t, hit in enumerate(row)
        ]
        desk.write(f"{name}.jsonl", rows)
        desk.replayed(name, f"--repeats {hits.shape[1]}")


def sure_models(desk: Desk) -> None:
    """runs/A and B once more as they were."""
    desk.shell("rm -r runs; mv sure runs")


def old_and_new(desk: Desk) -> None:
    """runs/old, and runs/new which is no worse."""
    three_models(desk)
    desk.shell("mv runs/B runs/old; mv runs/C runs/new")


def gateway(desk: Desk) -> None:
    """A gateway with bad manners, and an endpoint with good ones."""
    desk.serve(
        "http://localhost:8000/v1", endpoint(Manners(longest=1024, space="thousand", ignores=frozenset({"seed"})))
    )
    desk.serve("http://localhost:8001/v1", endpoint(desk.reader))


def other_manners(desk: Desk) -> None:
    """The good one has another model by now."""
    desk.reader.space = "thousand"


def one_screenshot(desk: Desk) -> None:
    """shots/, with an empty picture and one target."""
    (desk.folder / "shots").mkdir()
    Image.new("RGB", (1440, 900)).save(desk.folder / "shots" / "login.png")
    target = {"id": "sign-in", "instruction": "Click on the Sign in button", "bbox": [0.46, 0.61, 0.08, 0.04]}
    sample = {"id": "login", "image_path": "login.png", "width": 1440, "height": 900, "elements": [target]}
    document = {"name": "my-app", "version": "1", "samples": [sample]}
    (desk.folder / "shots" / "annotations.json").write_text(json.dumps(document), encoding="utf-8")


BEFORE: dict[str, Callable[[Desk], None]] = {
    **desks_reporting.BEFORE,
    "comparing.md#1": three_models,
    "comparing.md#5": unsure_models,
    "comparing.md#6": sure_models,
    "data.md#1": one_screenshot,
    "explaining.md#1": three_models,
    "gate.md#4": old_and_new,
    "probe.md#1": gateway,
    "probe.md#3": other_manners,
}
