"""Write the material of the runs of `golden.py`: a small set of each exam, a table of own questions, and scripted replies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

HAND: tuple[dict[str, Any], ...] = (
    {"question": "Which colour is it?", "options": ["red", "green", "blue"], "answer": "red", "topic": "colour"},
    {"question": "Which colour is it not?", "options": ["red", "green"], "answer": "green", "topic": "colour"},
    {"question": "Which shape is it?", "options": ["circle", "square", "ring"], "answer": "square", "topic": "shape"},
    {"question": "How many squares are there?", "answer": "1", "kind": "number", "topic": "count"},
    {"question": "How many degrees is it turned?", "answer": "-12.5", "tolerance": 0.5, "topic": "count"},
    {"question": "How many thousand?", "answer": "3", "tolerance": 1, "kind": "number", "topic": "count"},
    {"question": "What is it?", "answer": ["square", "a red square"], "kind": "text", "topic": "shape"},
    {"question": "Is it large?", "answer": "yes", "kind": "text", "topic": "size"},
)
COLOURS = ("red", "darkred", "crimson", "tomato")


def write_own_questions(folder: Path) -> None:
    """Write a table of questions without a synthetic label: choices, numbers and texts, each of them twice."""
    folder.mkdir(parents=True)
    rows = []
    for number, row in enumerate((*HAND, *HAND)):
        picture = Image.new("RGB", (64, 64), "white")
        ImageDraw.Draw(picture).rectangle((8 + number, 8, 40 + number, 40), fill=COLOURS[number % len(COLOURS)])
        picture.save(folder / f"{number}.png")
        rows.append({"id": f"q{number:02}", "image": f"{number}.png", **row})
    (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file below a folder."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


# ---------------------------------------------------------------- replies


def _illusion(sample: Any) -> str:
    shape, scene = (str(sample.truth[key]).replace("_", " ") for key in ("shape", "scene"))
    return {"shape": shape, "scene": scene}.get(sample.tags["task"], f"Shape: {shape}. Scene: {scene}")


def _point(sample: Any) -> str:
    if not sample.truth["boxes"]:
        return "none"
    x1, y1, x2, y2 = sample.truth["boxes"][0]
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    forms = (
        f"({x:.0f}, {y:.0f})",
        f"[{x / sample.facts['width']:.3f}, {y / sample.facts['height']:.3f}]",
        json.dumps({"point_2d": [round(x), round(y)]}),
    )
    return forms[int(sample.id[-1]) % len(forms)]


def _captions(sample: Any) -> str:
    found = sample.facts["difference"]
    return json.dumps({"left_image": found["left"], "right_image": found["right"]})


def _explained(sample: Any) -> str:
    return f"{sample.truth['answers'][0]} because {sample.truth['explanations'][0]}"


def _lettered(sample: Any) -> str:
    return f"{'ABCD'[sample.truth['label']]} because {sample.truth['explanations'][0]}"


def _plain(sample: Any) -> str:
    return ", ".join(map(str, sample.truth)) if isinstance(sample.truth, list | tuple) else str(sample.truth)


RIGHT: Mapping[str, Callable[[Any], str]] = {
    "salbench": _plain,
    "illusionbench": _illusion,
    "grounding": _point,
    "d3": _captions,
    "vqax": _explained,
    "actx": _explained,
    "esnlive": _explained,
    "vcr": _lettered,
    "own": _plain,
    "hand": _plain,
}
"""A right reply to a sample, from its truth."""
FORMS: Sequence[Callable[[str, str], str | None]] = (
    lambda right, wrong: right,
    lambda right, wrong: f"The answer is **{right}**.",
    lambda right, wrong: wrong,
    lambda right, wrong: f"<think>Perhaps {wrong}? No.</think>\n{right}",
    lambda right, wrong: "I'm sorry, but I can't help with that.",
    lambda right, wrong: f"{wrong}? No, wait: {right}",
    lambda right, wrong: right.capitalize() + ".",
    lambda right, wrong: None,
    lambda right, wrong: json.dumps({"answer": right}),
    lambda right, wrong: f"<think>It could be {right}, or",
    lambda right, wrong: f"\\boxed{{{right}}}",
    lambda right, wrong: f"{right} or {wrong}",
    lambda right, wrong: "Hmm.",
    lambda right, wrong: f"Not {wrong} but {right}",
    lambda right, wrong: "",
    lambda right, wrong: right,
    lambda right, wrong: wrong.upper(),
)
"""Replies of all sorts; None is a question without a reply."""


def scripted(exam: str, samples: Sequence[Any], shift: int, whole: bool) -> dict[str, str]:
    """Return replies by id, with the forms in turn from number `shift`; a `whole` set leaves no question without a reply."""
    rights = [RIGHT[exam](sample) for sample in samples]
    found = {}
    for number, (sample, right) in enumerate(zip(samples, rights, strict=True)):
        wrong = next((r for r in (*rights[number:], *rights) if r != right), "nothing")
        text = FORMS[(number + shift) % len(FORMS)](right, wrong)
        if text is not None:
            found[sample.id] = text
        elif whole:
            found[sample.id] = right
    return found


def plain(exam: str, samples: Sequence[Any]) -> dict[str, str]:
    """Return replies by id as the prompts ask for them: every third is the right one to the question before."""
    rights = [RIGHT[exam](sample) for sample in samples]
    return {sample.id: rights[number - (number % 3 == 2)] for number, sample in enumerate(samples)}


def write_replies(folder: Path, exam: str, samples: Iterable[Any], prompt: str) -> None:
    """Write the files of an exam's replies: some with one reply to a question, one with two, and a table to import."""
    samples = list(samples)
    folder.mkdir(parents=True, exist_ok=True)
    varied, other = scripted(exam, samples, 0, False), scripted(exam, samples, 5, True)
    (folder / f"{exam}-varied.json").write_text(json.dumps(varied, indent=1))
    (folder / f"{exam}-plain.json").write_text(json.dumps(plain(exam, samples), indent=1))
    (folder / f"{exam}-other.json").write_text(json.dumps(other, indent=1))
    twice = [(name, prompt, text) for name, text in varied.items()]
    twice += [(name, f"{prompt}#2", text) for name, text in other.items()]
    rows = [{"id": name, "prompt": asked, "text": text} for name, asked, text in twice]
    (folder / f"{exam}-twice.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / f"{exam}-logged.jsonl").write_text(
        "".join(_logged(sample.id, varied, i) for i, sample in enumerate(samples))
    )


def _logged(name: str, replies: Mapping[str, str], number: int) -> str:
    """Return a row of another tool's log: every fifth was cut off, every seventh failed."""
    row: dict[str, Any] = {"id": name, "response": replies.get(name, ""), "score": number % 2, "finish_reason": "stop"}
    if number % 5 == 4:
        row["finish_reason"] = "length"
    if number % 7 == 6:
        row["error"] = "timeout"
    return json.dumps(row) + "\n"
