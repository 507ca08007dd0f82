"""The sets that `golden.py` makes, the runs on them, and the commands about these runs. Renamed commands are renamed here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

MATERIAL = "material"
SEED = 5
SETS: Mapping[str, str] = {
    "salbench": "--count 8",
    "illusionbench": "--count 5",
    "grounding": "--count 2 --absent 0.5 --screen 800x600",
    "d3": "--count 16",
    "vqax": "--count 16",
    "actx": "--count 16",
    "esnlive": "--count 16",
    "vcr": "--count 16",
    "own": "--count 8",
}
"""The options of `snellen data make` for each set."""
FIRST = "constant"
"""The run of each exam whose samples the scripted replies are written for."""


class Case(NamedTuple):
    """A run: its name, its subject, and further arguments of `snellen.evaluate`."""

    name: str
    model: str | None
    options: Mapping[str, Any] = {}


def replies(exam: str, name: str) -> str:
    """Return the subject that gives a file of scripted replies."""
    return f"replay/{MATERIAL}/replies/{exam}-{name}"


def cases(exam: str, constant: str, *more: Case) -> tuple[Case, ...]:
    """Return an exam's runs: a constant answer, scripted replies, and more."""
    first = Case(FIRST, f"baseline/constant:{constant}")
    scripted = (Case(name, replies(exam, f"{name}.json")) for name in ("plain", "varied", "other"))
    return (first, *scripted, *more)


def method(name: str) -> Case:
    """Return the run of a grounding method."""
    return Case(name, None, {"method": name})


CHANCE, PIXELS = "baseline/chance", "baseline/pixels"
TWICE: Mapping[str, Any] = {"repeats": 2}
BLANK: Mapping[str, Any] = {"controls": ["blank"]}
CASES: Mapping[str, tuple[Case, ...]] = {
    "salbench": cases(
        "salbench",
        "Color",
        Case("chance-twice", CHANCE, {**TWICE, "tasks": ["D"]}),
        Case("pixels", PIXELS, {"splits": ["P3"], "tasks": ["D"], **BLANK}),
        Case("shots", CHANCE, {"splits": ["P3"], "tasks": ["D"], "shots": 3}),
    ),
    "illusionbench": cases(
        "illusionbench",
        "Cat",
        Case("chance-twice", CHANCE, {**TWICE, **BLANK, "limit": 1}),
        Case("pixels", PIXELS, {"splits": ["Illusion_ICON"], "limit": 1, "prompt": "original"}),
        Case("shots", CHANCE, {"protocols": ["original-icl"], "prompt": "icl-neither", "shots": 4}),
    ),
    "grounding": cases(
        "grounding",
        "(400, 300)",
        method("center"),
        method("center+screenseeker-heuristic"),
        method("random+narrow"),
        method("ocr"),
    ),
    "d3": cases(
        "d3",
        '{"left_image": "A flag.", "right_image": "Two flags."}',
        Case("reference", f"replay/{MATERIAL}/sets/d3/captions/reference.json", {"controls": ["swapped"]}),
    ),
    "vqax": cases(
        "vqax",
        "yes because it is so",
        Case("twice", replies("vqax", "twice.jsonl"), TWICE),
        Case("3shot", "baseline/constant:no because it is not", {"prompt": "3shot", **BLANK}),
    ),
    "actx": cases("actx", "cleaning because of the broom"),
    "esnlive": cases("esnlive", "neutral because it is so", Case("chance-twice", CHANCE, TWICE)),
    "vcr": cases("vcr", "A because it is so", Case("rationale", CHANCE, {"tasks": ["answer", "rationale"], **BLANK})),
    "own": cases("own", "B", Case("chance-twice", CHANCE, {**TWICE, "controls": ["options", "shuffled"]})),
    "hand": cases("hand", "B", Case("chance", CHANCE, {"controls": ["options"], "tasks": ["choice"]})),
    "eye": (
        Case("varied", PIXELS, {"splits": ["letters", "size"], "limit": 16}),
        Case("other", CHANCE, {"splits": ["letters", "size"], "limit": 16}),
        Case("constant-levels", PIXELS, {"splits": ["size"], "limit": 16, "constant": True}),
    ),
}
"""The runs of each exam. `hand` has own questions from a handwritten table, which is therefore not synthetic."""
OF_AN_EXAM: Mapping[str, str] = {
    "verify.json": "verify VARIED --exports --json",
    "compare.json": "compare VARIED OTHER --json --explain --power 5",
    "ranking.json": "compare ALL --json",
    "ranking.numbers": "compare ALL",
    "explain.json": "explain VARIED --json",
    "explained.json": "explain VARIED 50 --json",
    "gate.json": "gate OTHER --baseline PLAIN --max-drop 1 --json",
    "flips.json": "protocols --run VARIED --all --json",
    "shown.json": "show VARIED SAMPLE --json",
    "marked.json": "show OTHER --flips --json",
    "protocols.json": "protocols EXAM DATA --json",
    "audit.json": "protocols EXAM --blind DATA --json",
    "estimate.json": "run EXAM DATA --dry-run --model openai/gpt-4o --json",
    "estimate-thinking.json": "run EXAM DATA --dry-run --model anthropic/claude-opus-4-1 --reasoning 2000 --json",
    "report.json": "report ALL --json",
    "report.html": "report ALL --samples 0 --out FILE",
    "report-samples.html": "report VARIED --samples 12 --out FILE",
    "scores.json": "export VARIED --format json",
    "scores.csv": "export VARIED --format csv",
    "scores.parquet": "export VARIED --format parquet --out FILE",
    "samples.csv": "export VARIED --format csv --samples",
    "table.tex": "export VARIED OTHER --format latex",
    "table.md": "export VARIED OTHER --format md",
    "paper.md": "export VARIED OTHER --table paper --format md",
    "paper.xlsx": "export VARIED OTHER --table paper --format xlsx --out FILE",
    "paper.tex": "export VARIED OTHER --table paper --format latex",
}
"""The commands about an exam's runs, by the file that holds their output."""
OF_REAL_DATA: Mapping[str, str] = {
    "records": "export PLAIN --format eee --evaluator Lab --model-id lab/model --samples --out FILE",
    "hub": "export PLAIN --format hf --dataset lab/hand --out FILE",
}
"""Commands about the runs of `hand`, whose data is not synthetic."""
NOT_OF: Mapping[str, tuple[str, ...]] = {
    "grounding": ("gate.json",),
    "eye": (
        "compare.json",
        "explain.json",
        "explained.json",
        "gate.json",
        "audit.json",
        "estimate.json",
        "estimate-thinking.json",
    ),
}
"""Commands that refuse these exams: a gate on few screenshots, and comparisons between samples of the eye exam."""
