"""D3 as a user runs it: reference captions, captions from a file, swapped order, several scorers, a model that runs here."""

from __future__ import annotations

import json
import random
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.command import snellen
from tests.support.endpoint import Endpoint
from tests.support.tiny_scorers import save_siglip
from tests.support.without_torch import needs_local

from snellen import scorers

OFFLINE = {"HF_HUB_OFFLINE": "1"}


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("d3")
    made = snellen("data", "make", "d3", "--count", 200, "--seed", 9, "--out", folder / "set", cache=folder)
    assert made.returncode == 0, made.stderr
    return folder


def run(home: Path, out: Path, *words: object, code: int = 0) -> tuple[dict[str, Any], Path]:
    done = snellen(*("run", "d3", "--data", home / "set", "--out", out, "--json"), *words, cache=home, **OFFLINE)
    assert done.returncode == code, done.stderr
    summary = json.loads(done.stdout)
    return summary, Path(summary["run"])


def metric(summary: dict[str, Any], name: str, protocol: str = "original") -> dict[str, Any]:
    found = next(p for p in summary["protocols"] if p["protocol"] == protocol)
    return next(g for g in found["groups"] if "kind" not in g["by"])["metrics"][name]


def reference(home: Path) -> dict[str, dict[str, str]]:
    found = json.loads((home / "set" / "captions" / "reference.json").read_text())
    return {uid: {side: both[side] for side in ("left", "right")} for uid, both in found.items()}


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
    expected = independent(pairs)
    assert both["value"] == pytest.approx(expected, abs=2.58 * sqrt(expected * (1 - expected) / len(dealt)))
    assert metric(summary, "recall")["value"] == pytest.approx(0.5, abs=2.58 * sqrt(0.25 / len(flat)))


def independent(home: Path) -> float:
    """How often two captions that were drawn from all, each on its own, are both right.

    Where a share q of all captions fits the left picture better, that is q (1 - q): at most a quarter, and less where one picture of a
    pair draws every caption to itself.
    """
    scorer = scorers.build("tiny-siglip", cache=home)
    listed = json.loads((home / "set" / "dataset.json").read_text()).values()
    texts = np.array(scorer.texts([t for c in reference(home).values() for t in c.values()]).vectors)
    left, right = (
        np.array(scorer.images([(home / "set" / pair[side]).read_bytes() for pair in listed]))
        for side in ("left", "right")
    )
    share = (texts @ (left - right).T >= 0).mean(axis=0)
    return float((share * (1 - share)).mean())


@needs_local
def test_several_scorers_and_what_marking_again_needs(pairs: Path, tmp_path: Path) -> None:
    save_siglip(tmp_path / "other")
    file = pairs / "set" / "captions" / "reference.json"
    words = ("--model", f"replay/{file}", "--limit", 20)
    summary, path = run(pairs, tmp_path / "runs", *words)
    other = f"siglip:{tmp_path / 'other'}"
    more, _ = run(pairs, tmp_path / "runs", *words, "--scorer", f"{other},tiny-siglip")
    assert [s["name"] for s in more["scorers"]] == [other, "tiny-siglip"], "the command's order decides"
    assert metric(more, "both.tiny-siglip") == metric(summary, "both")
    assert metric(more, "both")["value"] < metric(summary, "both")["value"]
    back, _ = run(pairs, tmp_path / "runs", *words)
    assert metric(back, "both") == metric(summary, "both"), "the same command gives the same headline"
    assert [s["name"] for s in back["scorers"]] == ["tiny-siglip", other]
    assert metric(back, f"both.{other}") == metric(more, "both")
    assert f"agreement.{other}" in next(p for p in back["protocols"])["groups"][0]["metrics"]
    table = (path / "exports" / "recalls.csv").read_text().splitlines()
    assert "tiny-siglip (padding: to the full length, as trained)" in table[1]
    again = snellen("mark", path, "--protocol", "strict", "--json", cache=tmp_path)
    assert again.returncode == 0, again.stderr


def test_sets_are_made_and_run_and_tell_apart_what_the_tiny_scorer_knows(tmp_path: Path) -> None:
    words = ("--sets", 3, "--count", 24, "--out", tmp_path / "set")
    assert snellen("data", "make", "d3", *words, cache=tmp_path).returncode == 0
    file = tmp_path / "set" / "captions" / "reference.json"
    summary, path = run(tmp_path, tmp_path / "runs", "--sets", "--model", f"replay/{file}")
    (group,) = [g for g in summary["protocols"][0]["groups"] if "kind" not in g["by"]]
    assert group["by"]["task"] == "set of 3"
    assert group["metrics"]["both"]["low"] > 10 * group["metrics"]["both"]["floor"]
    assert group["metrics"]["recall"]["value"] > 0.75
    assert not (path / "exports" / "score.txt").exists()
    assert "a set has 3 to 16" in snellen("data", "make", "d3", *words[:1], 2, *words[2:], cache=tmp_path).stderr
    assert (
        "--sets has no effect for vqax; it is an option of d3"
        in snellen("data", "make", "vqax", *words, cache=tmp_path).stderr
    )
    assert (
        "--style has no effect for d3; it is an option of grounding"
        in snellen("data", "make", "d3", "--style", "x", *words[2:], cache=tmp_path).stderr
    )


def test_rows_without_similarities_are_unmarked_and_cut_ones_keep_their_worth(tmp_path: Path) -> None:
    row = {"id": "0", "response": '{"left_image": "the left photo", "right_image": "a cat"}'}
    table = {"similarities": [[0.3, 0.1], [0.4, 0.2]]}
    rows = [row, row | table | {"finish_reason": "length"}]
    done = snellen("mark", "d3", "--protocol", "original", cache=tmp_path, stdin="\n".join(map(json.dumps, rows)))
    assert done.returncode == 0, done.stderr
    plain, cut = (json.loads(line) for line in done.stdout.splitlines())
    assert (plain["outcome"], plain["metrics"]["words"], plain["metrics"]["both"]) == ("unmarked", 2.5, None)
    assert (cut["outcome"], cut["metrics"]["recall"], cut["metrics"]["words"]) == ("wrong", 0.5, 2.5)
    assert cut["metrics"]["margin"] == pytest.approx(0.0)


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
        summary, path = run(pairs, tmp_path, "--model", "api/m", "--base-url", server.url, "--limit", 4, code=3)
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


@needs_local
def test_a_model_that_runs_here_is_shown_both_pictures(pairs: Path, tmp_path: Path) -> None:
    from tests.support.tiny_models import save_llava

    save_llava(tmp_path / "llava")
    words = ("--model", f"hf/{tmp_path / 'llava'}", "--limit", 4, "--max-tokens", 12)
    summary, path = run(pairs, tmp_path / "runs", *words, code=3)
    assert summary["complete"]
    answers = [json.loads(line) for line in (path / "answers.jsonl").read_text().splitlines()]
    assert all(len(a["calls"][0]["images"]) == 2 for a in answers)
    assert all(a["tokens"][0]["entropy"] is not None for a in answers)
