"""The runs that docs/reporting.md looks at."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

from tests.support.endpoint import Endpoint, completion

if TYPE_CHECKING:
    from tests.docs.desks import Desk


def _empty(desk: Desk) -> None:
    """No runs, and a folder that is none."""
    shutil.rmtree(desk.folder / "runs", ignore_errors=True)
    (desk.folder / "runs" / "notes").mkdir(parents=True)


def several_exams(desk: Desk) -> None:
    """Two baselines on SalBench with a control, and a method on screens."""
    _empty(desk)
    desk.shell(
        "snellen data make salbench --count 20 --seed 1 --out S && snellen data make grounding --count 1 --seed 1 --out G"
    )
    for model in ("chance", "pixels"):
        desk.shell(f"snellen run salbench --data S --split P3 --task D --controls blank --model baseline/{model}")
    desk.shell("snellen run grounding --data G --method ocr")


def demo_model(request: dict[str, Any], _asked: int) -> tuple[int, dict[str, str], bytes]:
    """It says "Color" of everything, but for one picture, of which it says more."""
    text = "The answer is **size**." if "x_min=0.33" in json.dumps(request) else "Color"
    said = completion(text, cost=0.0004) | {"model": "demo-2026-11"}
    return 200, {"x-request-id": "req_1"}, json.dumps(said).encode()


def one_called(desk: Desk) -> None:
    """A model behind an endpoint, beside two baselines."""
    _empty(desk)
    desk.serve("http://localhost:8000/v1", Endpoint(script=demo_model))
    desk.shell("snellen data make salbench --count 6 --seed 0 --out T")
    for model in ("baseline/constant:Color", "baseline/chance", "api/demo --base-url http://localhost:8000/v1"):
        desk.shell(f"snellen run salbench --data T --split P3 --model {model}")


def edited(desk: Desk) -> None:
    """A copy of that run, in which somebody made one mark `correct`."""
    (run,) = (desk.folder / "runs").glob("salbench_api-demo_*")
    shutil.copytree(run, desk.folder / "edited")
    path = desk.folder / "edited" / "marks" / "paper.jsonl"
    marks = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    next(m for m in marks if m["outcome"] != "correct")["outcome"] = "correct"
    path.write_text("".join(json.dumps(m) + "\n" for m in marks), encoding="utf-8")


def two_baselines(desk: Desk) -> None:
    """Two complete runs and nothing else."""
    shutil.rmtree(desk.folder / "runs")
    desk.shell("snellen data make salbench --count 12 --seed 1 --out U")
    for model in ("chance", "pixels"):
        desk.shell(f"snellen run salbench --data U --split P3 --model baseline/{model}")


BEFORE = {
    "reporting.md#1": several_exams,
    "reporting.md#3": one_called,
    "reporting.md#7": edited,
    "reporting.md#8": two_baselines,
}
