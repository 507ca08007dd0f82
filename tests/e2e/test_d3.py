"""D3 as a user runs it: reference captions, captions from a file, swapped order, several scorers, a model that runs here."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen
from tests.support.endpoint import Endpoint
from tests.support.tiny_scorers import save_siglip

OFFLINE = {"HF_HUB_OFFLINE": "1"}


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("d3")
    made = snellen("data", "make", "d3", "--count", 200, "--seed", 9, "--out", folder / "set", cache=folder)
    assert made.returncode == 0, made.stderr
    return folder


def run(home: Path, out: Path, *words: object) -> tuple[dict[str, Any], Path]:
    done = snellen(*("run", "d3", "--data", home / "set", "--out", out, "--json"), *words, cache=home, **OFFLINE)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    return summary, Path(summary["run"])


def metric(summary: dict[str, Any], name: str, protocol: str = "original") -> dict[str, Any]:
    found = next(p for p in summary["protocols"] if p["protocol"] == protocol)
    return next(g for g in found["groups"] if "kind" not in g["by"])["metrics"][name]


def reference(home: Path) -> dict[str, dict[str, str]]:
    return json.loads((home / "set" / "captions" / "reference.json").read_text())


def test_reference_captions_are_far_above_chance_and_the_order_changes_nothing(pairs: Path, tmp_path: Path) -> None:
    file = pairs / "set" / "captions" / "reference.json"
    summary, path = run(pairs, tmp_path, "--model", f"replay/{file}", "--controls", "swapped")
    both = metric(summary, "both")
    assert both["low"] > 0.5
    assert both["floor"] == 0.25
    position = next(p for p in summary["position"] if p["protocol"] == "original")
    assert position["order"]["difference"] == 0
    assert position["slot"]["low"] <= 0 <= position["slot"]["high"]
    assert position["flipped"] == 0
    captions = next((path / "exports").rglob("captions/*.json"))
    assert json.loads(captions.read_text()) == reference(pairs)
    page = tmp_path / "page.html"
    shown = snellen("report", path, "--out", page, cache=pairs)
    assert shown.returncode == 0, shown.stderr
    assert "tiny-siglip" in page.read_text()


def test_shuffled_captions_are_at_chance(pairs: Path, tmp_path: Path) -> None:
    captions = reference(pairs)
    flat = [text for both in captions.values() for text in (both["left"], both["right"])]
    random.Random(1).shuffle(flat)  # every caption for itself: two of one pair agree too much to be independent
    dealt = {uid: {"left": flat[2 * i], "right": flat[2 * i + 1]} for i, uid in enumerate(captions)}
    file = tmp_path / "shuffled.json"
    file.write_text(json.dumps(dealt))
    summary, _ = run(pairs, tmp_path, "--model", f"replay/{file}")
    both = metric(summary, "both")
    assert both["low"] <= 0.25
    assert both["value"] > 0.1
    assert metric(summary, "recall")["value"] == pytest.approx(0.5, abs=0.1)


def test_several_scorers_and_what_marking_again_needs(pairs: Path, tmp_path: Path) -> None:
    save_siglip(tmp_path / "other")
    file = pairs / "set" / "captions" / "reference.json"
    words = ("--model", f"replay/{file}", "--limit", 20)
    summary, path = run(pairs, tmp_path / "runs", *words)
    more, _ = run(pairs, tmp_path / "runs", *words, "--scorer", f"tiny-siglip,siglip:{tmp_path / 'other'}")
    assert metric(summary, "both")["value"] == metric(more, "both")["value"], "the first scorer stays the main one"
    names = [s["name"] for s in json.loads((path / "run.json").read_text())["scorers"]]
    assert len(names) == 2
    assert metric(more, f"both.{names[1]}")["n"] == 20
    assert f"agreement.{names[1]}" in next(p for p in more["protocols"])["groups"][0]["metrics"]
    again = snellen("remark", path, "--protocol", "strict", "--json", cache=tmp_path)
    assert again.returncode == 0, again.stderr


def test_an_endpoint_is_shown_both_pictures_and_its_json_is_read(pairs: Path, tmp_path: Path) -> None:
    reply = '```json\n{"left_image": "a red ball", "right_image": "a blue ball"}\n```'
    with Endpoint(answer=reply) as server:
        summary, path = run(
            pairs, tmp_path, "--model", "api/m", "--base-url", server.url, "--limit", 6, "--controls", "swapped"
        )
        urls = [
            [p["image_url"]["url"] for p in r["messages"][0]["content"] if p["type"] == "image_url"]
            for r in server.requests
        ]
    assert all(len(u) == 2 for u in urls)
    assert {tuple(u) for u in urls} == {tuple(u[::-1]) for u in urls}
    assert summary["complete"]
    marks = [json.loads(line) for line in (path / "marks" / "original.jsonl").read_text().splitlines()]
    assert all(m["reading"]["left"] == "a red ball" for m in marks)


def test_what_is_unreadable_is_kept_and_scores_nothing(pairs: Path, tmp_path: Path) -> None:
    with Endpoint(answer="I see two pictures.") as server:
        summary, path = run(pairs, tmp_path, "--model", "api/m", "--base-url", server.url, "--limit", 4)
    outcomes = summary["protocols"][0]["groups"][0]["outcomes"]
    assert outcomes == {"unparsable": 4}
    assert "I see two pictures." in (path / "answers.jsonl").read_text()


def test_without_images_it_says_what_is_needed(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "dataset.json").write_text(
        json.dumps(
            {"0": {"left": "./images/COCO_val2014_000000000001.jpg", "right": "./images/COCO_val2014_000000000002.jpg"}}
        )
    )
    done = snellen("run", "d3", "--data", tmp_path / "set", "--model", "baseline/constant:x", cache=tmp_path)
    assert done.returncode == 2
    assert "val2014" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_model_that_runs_here_is_shown_both_pictures(pairs: Path, tmp_path: Path) -> None:
    from tests.support.tiny_models import save_llava

    save_llava(tmp_path / "llava")
    words = ("--model", f"hf/{tmp_path / 'llava'}", "--limit", 4, "--max-tokens", 12)
    summary, path = run(pairs, tmp_path / "runs", *words)
    assert summary["complete"]
    answers = [json.loads(line) for line in (path / "answers.jsonl").read_text().splitlines()]
    assert all(len(a["calls"][0]["images"]) == 2 for a in answers)
    assert all(a["tokens"][0]["entropy"] is not None for a in answers)
