"""The shipped model on the real path: loading, batching, generating, marking, scoring. And it looks: a blank picture costs it its score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import here, snellen
from tests.support.sets import write_set

from snellen.core.exam import Exam
from snellen.subjects import build

pytest.importorskip("transformers")

OFFLINE = {"HF_HUB_OFFLINE": "1"}
MODEL = ("--model", "hf/snellen-tiny")


def run(home: Path, benchmark: str, *words: object, count: int) -> tuple[dict[str, Any], Path]:
    data = home / benchmark
    made = snellen("data", "make", benchmark, "--count", count, "--seed", 31, "--out", data, cache=home)
    assert made.returncode == 0, made.stderr
    done = here(
        *("run", benchmark, "--data", data, "--out", home / "runs", "--json", *MODEL, *words), cache=home, **OFFLINE
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    return summary, Path(summary["run"])


def test_it_looks_at_scenes(tmp_path: Path) -> None:
    words = ("--task", "scene", "--split", "Illusion_ICON", "--protocol", "original", "--controls", "blank")
    summary, path = run(tmp_path, "illusionbench", *words, count=33)
    control = next(row for row in summary["controls"] if row["control"] == "blank")
    assert control["n"] == 33
    assert control["score"] > 0.6
    assert control["high"] < 0, "the difference to a blank picture is not below zero"
    manifest = json.loads((path / "run.json").read_text())
    assert manifest["subject"]["spec"] == "hf/snellen-tiny"
    assert manifest["subject"]["identity"]["model"] == "snellen-tiny"
    assert "weights" not in json.dumps(manifest["subject"]["identity"]), "it is named by its content, not by its place"


def test_it_answers_with_explanations_and_entropies(tmp_path: Path) -> None:
    summary, path = run(tmp_path, "vqax", "--split", "val", count=10)
    assert summary["complete"]
    rows = [json.loads(line) for line in (path / "answers.jsonl").read_text().splitlines()]
    assert len(rows) == 10
    assert all(" because " in row["text"] for row in rows)
    assert all(token["entropy"] >= 0 for row in rows for token in row["tokens"])


def test_it_describes_pairs_and_the_page_shows_them(tmp_path: Path) -> None:
    summary, path = run(tmp_path, "d3", count=12)
    groups = summary["protocols"][0]["groups"]
    whole = next(g for g in groups if "kind" not in g["by"])
    assert whole["n"] == 12
    assert not {"unparsable", "error"} & {k for k, v in whole["outcomes"].items() if v}
    captions = json.loads(next((path / "exports").rglob("captions/*.json")).read_text())
    assert len(captions) == 12
    page = tmp_path / "page.html"
    assert snellen("report", path, "--out", page, cache=tmp_path).returncode == 0
    assert next(iter(captions.values()))["left"] in page.read_text()


def test_the_eye_exam_measures_it(tmp_path: Path) -> None:
    asked = ("--faculties", "size,hidden", "--seed", 31, "--out", tmp_path / "runs")
    done = here("exam", *MODEL, *asked, cache=tmp_path, **OFFLINE)
    assert done.returncode == 0, done.stderr
    found = json.loads(next(tmp_path.glob("runs/*/exports/prescription.json")).read_text(encoding="utf-8"))
    assert [(one["faculty"], one.get("why_not", "")) for one in found] == [("size", ""), ("hidden", "")]
    assert all(one["threshold"][0] < one["ladder"][-1] for one in found), "far from the easy end of the ladder"


def test_an_eye_for_the_eye_exam_changes_nothing_that_a_model_says_otherwise() -> None:
    torch = pytest.importorskip("torch")
    from training.tiny_eye import put_in, widened
    from training.tiny_look import Look
    from training.tiny_model import END, IMAGE, IMAGE_TOKENS, REPLY, tokenizer_of, untrained

    from snellen.exams.eye.faculties import FACULTIES
    from snellen.synthetic.patterns import wording

    narrow, wide = tokenizer_of(["a dog sits", "5"]), tokenizer_of(["a dog sits", "5", "6"])
    old = untrained(narrow, 0).eval()
    model = widened(old, narrow.get_vocab(), wide)
    look = Look(old, ["5", "6"], 0).eval()
    seen = torch.randn(4, IMAGE_TOKENS, old.config.vision_config.hidden_size)
    put_in(model, look, wide, seen)
    pixels = torch.rand(1, 3, 112, 112) * 2 - 1

    def said(asked: Any, tokenizer: Any, *words: str) -> Any:
        ids = torch.tensor([tokenizer.convert_tokens_to_ids([*[IMAGE] * IMAGE_TOKENS, *words])])
        with torch.no_grad():
            return asked(input_ids=ids, pixel_values=pixels).logits[0, -1]

    asked = {faculty.question for faculty in FACULTIES.values()}
    both = [(place, wide.get_vocab()[word]) for word, place in narrow.get_vocab().items() if word not in asked]
    before, now = zip(*both, strict=True)
    for words in ([wording.question("P3"), REPLY], ["a", " dog", REPLY, "a"]):
        assert torch.allclose(said(old, narrow, *words)[[*before]], said(model, wide, *words)[[*now]], atol=0.01)
    question = FACULTIES["colour"].question
    first = wide.convert_ids_to_tokens(int(said(model, wide, question, REPLY).argmax()))
    assert first in ("5", "6")
    assert wide.convert_ids_to_tokens(int(said(model, wide, question, REPLY, first).argmax())) == END
    eye = model.model.vision_tower
    with torch.no_grad():
        shown = eye(pixels, output_hidden_states=True).hidden_states[model.config.vision_feature_layer[0]]
        _, scores = look(shown, torch.tensor([0]))
    assert first == look.words[int(scores.argmax())]


def test_model_path_is_not_for_it(tmp_path: Path) -> None:
    assert build("hf/snellen-tiny", Exam(), offline=True).spec == "hf/snellen-tiny"
    data = write_set(tmp_path / "set", 2)
    words = ("run", "salbench", "--data", data, "--model", "hf/snellen-tiny", "--model-path", tmp_path)
    done = here(*words, "--out", tmp_path / "runs", cache=tmp_path)
    assert done.returncode == 2
    assert (
        "--model-path has no effect for salbench with hf/snellen-tiny; it is an option of llava/, qwen/ models"
        in done.stderr
    )
