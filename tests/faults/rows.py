"""A good row of `snellen mark` for every exam."""

from __future__ import annotations

from typing import Any

ROWS: dict[str, dict[str, Any]] = {
    "actx": {
        "id": 1,
        "answers": ["riding a bike"],
        "explanation": ["he sits on it"],
        "response": "riding because he sits",
    },
    "d3": {
        **{"id": 1, "response": "Left: a red cup. Right: a blue cup.", "kind": "colour", "scorer": "mine"},
        **{"similarities": [[0.3, 0.1], [0.2, 0.4]], "truncated": [False, True]},
    },
    "esnlive": {
        "id": 1,
        "gold_label": "neutral",
        "explanation": "may be",
        "hypothesis": "a man",
        "response": "neutral",
    },
    "grounding": {
        **{"id": 1, "width": 800, "height": 600, "boxes": [[10, 10, 60, 40]], "element_type": "text", "text": "Save"},
        **{"instruction": "save it", "response": "(30, 20)", "split": "desktop"},
    },
    "illusionbench": {
        **{"id": 1, "subset": "Illusion_IN", "task": "both", "shape": "cat", "scene": "Forest"},
        "response": "cat in a forest",
    },
    "own": {"id": 1, "question": "Which?", "options": ["red", "blue"], "answer": "red", "response": "A"},
    "salbench": {"id": 1, "split": "P3", "answer": "color", "response": "Color.", "finish_reason": "stop"},
    "vcr": {
        **{"id": 1, "question": "Why?", "choices": [["is", [0], "there", "?"]] * 4, "objects": ["person", "cup"]},
        **{"label": 1, "rationale": "so", "response": "B because it rains"},
    },
    "vqax": {
        **{"id": 1, "question": "What?", "answers": [{"answer": "yes"}] * 10, "explanation": ["it is so"]},
        **{"response": "yes because it is so", "finish_reason": "length", "error": None},
    },
}
