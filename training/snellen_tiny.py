"""Train snellen-tiny: `python -m training.snellen_tiny --out DIR`, from the root of the repository.

Same seed, same weights (on one machine and one version of torch): data, order and arithmetic depend on nothing else. Two threads
work on two halves of every step, each on one core; their gradients are added in a fixed order.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from training import tiny_data, tiny_eye, tiny_look, tiny_model, tiny_sheets, tiny_start
from training.common import Muon
from training.tiny_data import Row

THREADS = 2
COUNTS = {
    "p3": 6000,
    "illusions": 1000,
    "vqax": 2500,
    "actx": 1500,
    "esnlive": 2000,
    "vcr": 3000,
    "scenes": 5000,
    "pairs": 4000,
}
"""The number of indices of each part."""
LOOK: tuple[dict[str, int], ...] = ({"p3": 32, "illusions": 24, "scenes": 16}, {"pairs": 6})
"""Rows of each part in a step of the first stage, in which only the eye learns, from facts."""
SPEAK: tuple[dict[str, int], ...] = (
    {"p3": 12, "illusions": 10},
    {"scenes": 8, "vqax": 4, "actx": 4, "esnlive": 4, "vcr": 6},
    {"pairs": 8},
)
"""Rows of each part in the second stage, in which the whole model learns to reply; rows of about the same length go together."""
LOOK_STEPS, SPEAK_STEPS = 1000, 800
LOOK_RATE, SPEAK_RATE = 0.01, 0.015
"""Learning rates of matrices, with Muon; all else takes AdamW's 0.001."""
WARM_UP = 80
FACTS = 0.3
"""The weight of facts in the second stage."""
NAMES = 0.5
"""The weight, in the second stage, of placing patches near the words for what they show."""
NEWS = 2.0
"""The weight of patches telling whether they differ from those of the picture before."""
BLANK = 0.03
"""Share of rows whose pictures are grey: the model's blind answers are then its best guesses, and the control is fair."""
GREY = 128
SOME = 32
"""The number of sheets by which the loudness of replies is set."""


class Report(NamedTuple):
    """The cost of training."""

    seconds: float
    cpu_seconds: float
    data_seconds: float


class Shown(NamedTuple):
    """Rows with their pictures and plans as shown in this step."""

    rows: list[Row]
    pictures: Any
    plans: list[Any] | None


def augmented(part: str, row: Row, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return a row's pictures and plan with a change that affects no answer, or now and then grey pictures.

    P3's patterns are turned, mirrored and get their channels exchanged; hidden shapes are moved and, letters apart, mirrored.
    """
    pictures: Any = row.pictures
    plan: Any = row.plan
    if part == "p3":
        turns = int(rng.integers(4))
        pictures, plan = (np.rot90(a, turns, axes=(1, 2)) for a in (pictures[..., rng.permutation(3)], plan))
    elif part == "illusions":
        move = rng.integers(-1, 2, 2)
        step = tiny_data.PATCH // tiny_data.FINE
        pictures, plan = np.roll(pictures, move * step, axis=(1, 2)), np.roll(plan, move, axis=(1, 2))
    if plan is not None and rng.random() < 0.5 and not row.facts[0][0].name.startswith("Illusion_LOGO"):
        pictures, plan = pictures[:, :, ::-1], plan[:, :, ::-1]
    return np.full_like(pictures, GREY) if rng.random() < BLANK else pictures, plan


def draw(data: dict[str, list[Row]], share: dict[str, int], rng: np.random.Generator) -> Shown:
    """Draw rows for half a batch, as they are shown."""
    chosen = [(p, data[p][i]) for p, count in share.items() for i in rng.integers(len(data[p]), size=count // THREADS)]
    shown = [augmented(part, row, rng) for part, row in chosen]
    plans = [None if plan is None else plan[0] for _, plan in shown]
    pictures = np.ascontiguousarray(np.stack([each for each, _ in shown]))
    return Shown([row for _, row in chosen], pictures, plans if pictures.shape[1] == 1 else None)


Drawn = dict[str, Shown]


def half_look(student: Any, coder: Any, drawn: Drawn) -> dict[str, float]:
    """Compute gradients of one half of a step of the first stage; return the losses."""
    told: dict[str, float] = {}
    for shown in drawn.values():
        features = student.look(tiny_model.pixels_of(shown.pictures))
        losses = student.facts_losses(features, shown.rows, shown.plans)
        losses["scene"] = student.naming_loss(features, shown.rows)
        torch.stack([*losses.values()]).sum().backward()
        told |= {name: loss.item() for name, loss in losses.items()}
    return told


def half_speak(student: Any, coder: Any, drawn: Drawn) -> dict[str, float]:
    """Compute gradients of one half of a step of the second stage; return the losses of the replies."""
    told: dict[str, float] = {}
    for name, shown in drawn.items():
        batch = tiny_model.batch_of(shown.rows, coder, shown.pictures)
        features = student.look(batch.pictures)
        loss, news = student.replies_loss(batch, features)
        seen = [FACTS * one for one in student.facts_losses(features, shown.rows, shown.plans).values()]
        named = NAMES * student.naming_loss(features, shown.rows)
        torch.stack([loss, NEWS * news, named, *seen]).sum().backward()
        told[name] = loss.item()
        told |= {f"{name} {what}": one.item() for what, one in (("named", named), ("news", news)) if one}
    return told


class Stage(NamedTuple):
    """A stage of training."""

    name: str
    mixture: tuple[dict[str, int], ...]
    half: Callable[[Any, Any, Drawn], dict[str, float]]
    steps: int
    rate: float


def train(student: Any, coder: Any, data: dict[str, list[Row]], stage: Stage, seed: int) -> None:
    """Train in place."""
    twin = copy.deepcopy(student)
    for own, shared in zip(twin.parameters(), student.parameters(), strict=True):
        own.data = shared.data
    halves = (student, twin)
    named = list(student.named_parameters())
    matrices = [p for name, p in named if name.startswith("model.") and p.dim() == 2 and "embed" not in name]
    rest = [p for _, p in named if not any(p is one for one in matrices)]
    both = (Muon(matrices, lr=stage.rate), torch.optim.AdamW(rest, lr=1e-3, betas=(0.9, 0.98), weight_decay=0.0))
    rates = [torch.optim.lr_scheduler.LambdaLR(one, lambda n: schedule(n, stage.steps)) for one in both]
    rng = np.random.default_rng([seed, 1 + len(stage.mixture)])
    smooth: dict[str, float] = {}
    begin = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as pool:
        for step in range(1, stage.steps + 1):
            drawn = [{"+".join(share): draw(data, share, rng) for share in stage.mixture} for _ in halves]
            losses = list(pool.map(stage.half, halves, (coder,) * THREADS, drawn))
            for own, other in zip(student.parameters(), twin.parameters(), strict=True):
                if own.grad is not None and other.grad is not None:
                    own.grad.add_(other.grad).div_(THREADS)
                other.grad = None
            torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
            for one, rate in zip(both, rates, strict=True):
                one.step()
                one.zero_grad(set_to_none=True)
                rate.step()
            for name, value in (pair for half in losses for pair in half.items()):
                smooth[name] = smooth.get(name, value) * 0.98 + value * 0.02
            if step % 50 == 0:
                told = ", ".join(f"{name} {value:.2f}" for name, value in smooth.items())
                print(f"{stage.name} {step} of {stage.steps}, {time.perf_counter() - begin:.0f} s: {told}", flush=True)


def schedule(step: int, steps: int) -> float:
    """Return the learning rate's factor: warm-up, then half a cosine."""
    if step < WARM_UP:
        return (step + 1) / WARM_UP
    return 0.5 + 0.5 * math.cos(math.pi * (step - WARM_UP) / max(1, steps - WARM_UP))


def run(out: Path, seed: int = 0, steps: float = 1.0, share: float = 1.0, start: Path | None = None) -> Report:
    """Make the data, train and save; `share` and `steps` make less data and fewer steps, for trials.

    `start` is a model of the first two stages, which then learns the eye exam only.
    """
    begin = time.perf_counter()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    data = {} if start else tiny_data.make(_part_of(COUNTS, share), seed, THREADS)
    sheets = tiny_data.make(_part_of(tiny_sheets.COUNTS, share), seed, THREADS, tiny_sheets.PARTS)
    made = time.perf_counter() - begin
    print(f"rows { ({name: len(rows) for name, rows in (data | sheets).items()}) }, data took {made:.0f} s", flush=True)
    model, processor = tiny_model.saved(start) if start else learn(data, seed, steps)
    model.eval().requires_grad_(False)
    seen = {name: tiny_look.looked(model, rows) for name, rows in sheets.items()}
    look = tiny_look.learn(model, sheets, seen, seed, max(1, round(steps * tiny_look.STEPS)))
    model, processor = tiny_eye.taught(model, processor, look, seen[tiny_sheets.TAUGHT[0]][:SOME].float())
    tiny_model.save(model, processor, out)
    return Report(time.perf_counter() - begin, _cpu_seconds(), made)


def _part_of(counts: dict[str, int], share: float) -> dict[str, int]:
    return {part: max(64, round(share * count)) for part, count in counts.items()}


def learn(data: dict[str, list[Row]], seed: int, steps: float) -> tuple[Any, Any]:
    """Return the model after the first two stages, and its processor."""
    tokenizer = tiny_model.tokenizer_of(tiny_model.all_texts(row for rows in data.values() for row in rows))
    processor = tiny_model.processor_of(tokenizer)
    coder = tiny_model.Coder(processor)
    for rows in data.values():
        for row in rows:
            for block in row.blocks:
                coder(block)
    model = tiny_model.untrained(tokenizer, seed)
    tiny_start.see(model)
    tiny_start.compare(model)
    tiny_start.find(model)
    size = sum(p.numel() for p in model.parameters())
    print(f"{size} parameters, {len(tokenizer)} words", flush=True)
    rows = [row for part in data.values() for row in part]
    student = tiny_model.Student(model, tiny_model.facts_of(rows), tiny_model.words_of(rows, tokenizer)).train()
    stages = (
        Stage("look", LOOK, half_look, max(1, round(steps * LOOK_STEPS)), LOOK_RATE),
        Stage("speak", SPEAK, half_speak, max(1, round(steps * SPEAK_STEPS)), SPEAK_RATE),
    )
    for stage in stages:
        train(student, coder, data, stage, seed)
    return model.eval(), processor


def _cpu_seconds() -> float:
    """Return the processor time of this process and its ended children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


# ---------------------------------------------------------------- the exams


class Exam(NamedTuple):
    """A held-out exam: how many samples are made, which of them are asked, and under which protocol."""

    exam: str
    samples: int
    protocol: str
    splits: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()


EXAMS = (
    Exam("salbench", 270, "paper", ("P3",), ("D",)),
    Exam("illusionbench", 130, "original"),
    Exam("vqax", 400, "strict"),
    Exam("actx", 300, "strict"),
    Exam("esnlive", 390, "strict"),
    Exam("vcr", 400, "strict"),
    Exam("d3", 300, "strict"),
)
HELD_OUT = 20_000
"""The seed of the held-out sets; training uses seeds from `tiny_data.RESERVED` on."""
HELD_OUT_FILE = "held_out.json"
STATED = ("exam", "by", "protocol", "metric", "n", "score", "control_score", "difference", "low", "high")
"""The fields that the file beside the weights has for each part that the model takes: those where it is better than without the picture."""


def examine(model: Path, work: Path, exams: Sequence[Exam] = EXAMS, seed: int = HELD_OUT) -> list[dict[str, Any]]:
    """Run the exams in the ordinary way, with the blank control; return the rows of `summary["controls"]`.

    Their `difference` is the control's score minus the score: below zero, the model uses the picture.
    """
    import msgspec

    from snellen.core.extras import maker_of
    from snellen.core.options import Selection
    from snellen.engine.plan.plan import make_plan
    from snellen.engine.plan.request import RunRequest
    from snellen.engine.run import run_plan
    from snellen.exams import load

    found: list[dict[str, Any]] = []
    for exam in exams:
        data = work / "data" / exam.exam
        maker_of(load(exam.exam)).make(data, count=exam.samples, seed=seed, workers=THREADS, progress=None)
        request = RunRequest(
            exam.exam,
            f"hf/{model}",
            data,
            protocols=(exam.protocol,),
            controls=("blank",),
            selection=Selection(splits=exam.splits, tasks=exam.tasks),
            out=work / "runs",
        )
        finished = run_plan(make_plan(request))
        if finished.stopped is not None:
            raise finished.stopped
        found += [{"exam": exam.exam, **msgspec.structs.asdict(row)} for row in finished.run.controls]
    return found


def told(row: dict[str, Any]) -> str:
    """Format a row of `examine` for people."""
    part = "/".join(str(v) for k, v in row["by"].items() if v != row["exam"])
    return (
        f"{row['exam']:14} {part:22} {row['metric']:12} n {row['n']:4}  {row['score']:.3f}  blank {row['control_score']:.3f}  "
        f"difference {row['difference']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}]"
    )


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description="Train snellen-tiny and save it into a folder, or examine a saved one."
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", type=Path, help="train, and save here")
    what.add_argument("--examine", type=Path, metavar="MODEL", help="examine the model in this folder on held-out sets")
    parser.add_argument(
        "--start", type=Path, metavar="MODEL", help="teach the eye exam alone, to a model of the first two stages"
    )
    parser.add_argument("--work", type=Path, default=Path("tiny-exams"), help="where --examine puts data and runs")
    parser.add_argument("--only", nargs="*", default=[e.exam for e in EXAMS], help="the exams for --examine")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=float, default=1.0, help="train only this part of the steps (for trials)")
    parser.add_argument("--share", type=float, default=1.0, help="make only this part of the data (for trials)")
    given = parser.parse_args()
    if given.examine is not None:
        rows: list[dict[str, Any]] = []
        for exam in (e for e in EXAMS if e.exam in given.only):
            rows += examine(given.examine.resolve(), given.work, (exam,))
            print("\n".join(told(row) for row in rows if row["exam"] == exam.exam), flush=True)
        taken = [{key: row[key] for key in STATED} for row in rows if row["high"] < 0]
        (given.examine / HELD_OUT_FILE).write_text(json.dumps(taken, indent=1) + "\n", encoding="utf-8")
        return
    report = run(given.out, given.seed, given.steps, given.share, given.start)
    print(json.dumps(report._asdict(), indent=1))


if __name__ == "__main__":
    main()
