"""OSWorld-G is broken down by its capability classes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image
from tests.support.command import snellen

import snellen as api
from snellen.core.errors import SnellenError

TARGETS = {
    "q-0": ("bbox", [100, 200, 50, 20], ("text_matching", "element_recognition")),
    "q-1": ("bbox", [600, 300, 80, 80], ("element_recognition", "fine_grained_manipulation")),
    "q-2": ("polygon", [0, 0, 100, 0, 0, 100], ("layout_understanding",)),
    "q-3": ("refusal", [0, 0, 0, 0], ("refusal", "text_matching")),
}
REPLIES = {"q-0": "[120, 210]", "q-1": "[1, 1]", "q-2": "[10, 10]", "q-3": "[-1, -1]"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """OSWorld-G in its repository's own files: the list, and the classes of its targets with a whole row each."""
    folder = tmp_path / "OSWorld-G" / "benchmark"
    (folder / "images").mkdir(parents=True)
    Image.new("RGB", (1280, 720), "white").save(folder / "images" / "q.png")
    base = {"image_path": "q.png", "image_size": [1280, 720], "instruction": "Click it", "GUI_types": ["Icon"]}
    rows = {name: base | {"id": name, "box_type": t, "box_coordinates": c} for name, (t, c, _) in TARGETS.items()}
    (folder / "OSWorld-G.json").write_text(json.dumps(list(rows.values())))
    classes: dict[str, list[object]] = {}
    for name, (_type, _box, capabilities) in TARGETS.items():
        for capability in capabilities:
            classes.setdefault(capability, []).append(rows[name])
    (folder / "classification_result.json").write_text(json.dumps({"classified": classes, "unclassified": []}))
    return folder.parent


def replay(tmp_path: Path) -> str:
    path = tmp_path / "replies.jsonl"
    rows = ({"id": f"OSWorld-G/q.png/{name}", "text": text} for name, text in REPLIES.items())
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"replay/{path}"


def test_a_target_counts_in_each_of_its_classes(tmp_path: Path, data: Path) -> None:
    run = api.evaluate("grounding", model=replay(tmp_path), data=data, protocols=["osworld-g"], out=tmp_path / "runs")
    groups = {g.by["capability"]: g for g in run.protocols[0].groups if "capability" in g.by}
    scores = {name: (g.metrics["click_accuracy"].value, g.n) for name, g in groups.items()}
    assert scores == {
        "text_matching": (1.0, 2),
        "element_recognition": (0.5, 2),
        "layout_understanding": (1.0, 1),
        "fine_grained_manipulation": (0.0, 1),
        "refusal": (1.0, 1),
    }
    assert list(scores) == [
        *("text_matching", "element_recognition", "layout_understanding", "fine_grained_manipulation", "refusal")
    ]
    told = snellen("mark", run.path, cache=tmp_path)  # without the data
    assert told.returncode == 0
    assert any("capability" in g.by for g in api.Run(run.path).protocols[0].groups)


def test_without_the_file_there_is_no_such_breakdown_and_a_broken_one_is_named(tmp_path: Path, data: Path) -> None:
    classes = data / "benchmark" / "classification_result.json"
    classes.write_text('{"classified": [1]}')
    with pytest.raises(SnellenError, match=r"benchmark/classification_result\.json: .*\$\.classified"):
        api.evaluate("grounding", model=replay(tmp_path), data=data, out=tmp_path / "runs")
    classes.unlink()
    run = api.evaluate("grounding", model=replay(tmp_path), data=data, protocols=["osworld-g"], out=tmp_path / "runs")
    assert not any("capability" in g.by for g in run.protocols[0].groups)
