"""In-context modes: which examples are shown, what is sent, and which classes take part."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.exams.illusionbench.test_exam import parquet
from tests.support.command import snellen
from tests.support.endpoint import Endpoint

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.outcomes import mark_reply
from snellen.core.types import Outcome, Picture, Text
from snellen.exams.illusionbench import shots as icl
from snellen.exams.illusionbench.data import IllusionData
from snellen.exams.illusionbench.exam import EXAM
from snellen.exams.illusionbench.names import KEPT, SCENES, SHAPES
from snellen.exams.illusionbench.prompts import text_of

WORLD: icl.Support = {
    scene: {shape: [f"{shape}-{scene}-{i}" for i in range(2)] for shape in KEPT["Illusion_ICON"]} for scene in SCENES
}


def parts(image: str) -> tuple[str, str]:
    shape, scene, _ = image.split("-")
    return shape, scene


@given(st.sampled_from(icl.MODES), st.sampled_from([1, 2, 4, 5]), st.integers(0, 999))
def test_examples_share_with_the_query_what_the_mode_says(mode: str, count: int, seed: int) -> None:
    own = "music-Ocean-0"
    ids = icl.pick(mode, own, "music", "Ocean", count, WORLD, random.Random(seed))
    assert len(set(ids)) == count
    assert own not in ids
    same_shape = sum(parts(i)[0] == "music" for i in ids)
    same_scene = sum(parts(i)[1] == "Ocean" for i in ids)
    expected = {"icl-neither": (0, 0), "icl-object": (1, 0), "icl-scene": (0, 1), "icl-both": (1, 1)}[mode]
    assert (same_shape, same_scene) == expected
    others = [parts(i)[0] for i in ids if parts(i)[0] != "music"]
    assert len(set(others)) == len(others)


def test_too_few_images_are_an_error_and_not_a_repeat() -> None:
    poor = {"Ocean": {"music": ["music-Ocean-0"]}, "City": {"sport": ["sport-City-0"]}}
    with pytest.raises(SnellenError, match="icl-neither with --shots 2: too few images for a query of music in Ocean"):
        icl.pick("icl-neither", "music-Ocean-0", "music", "Ocean", 2, poor, random.Random(0))


CELLS = st.sets(
    st.tuples(st.sampled_from(KEPT["Illusion_ICON"]), st.sampled_from(SCENES[:4]), st.integers(0, 2)), max_size=14
)


@given(CELLS, st.sampled_from(icl.MODES), st.sampled_from([1, 2, 4]), st.integers(0, 99))
def test_with_few_images_the_mode_is_kept_or_the_query_does_not_fit(
    cells: set[tuple[str, str, int]], mode: str, count: int, seed: int
) -> None:
    support: icl.Support = {scene: {} for scene in SCENES}
    for shape, scene, i in sorted(cells | {("music", "Ocean", 0)}):
        support[scene].setdefault(shape, []).append(f"{shape}-{scene}-{i}")
    images = [i for shapes in support.values() for ids in shapes.values() for i in ids if i != "music-Ocean-0"]
    shape_only = [i for i in images if parts(i)[0] == "music" and parts(i)[1] != "Ocean"]
    scene_only = {parts(i)[0] for i in images if parts(i)[1] == "Ocean"} - {"music"}
    free = {parts(i)[0] for i in images if parts(i)[1] != "Ocean"} - {"music"}
    if not icl.fits(mode, "music", "Ocean", count, support):
        if mode == "icl-neither":
            assert len(free) < count
        if mode == "icl-object":
            assert not shape_only or len(free) < count - 1
        if mode == "icl-scene":
            assert not scene_only or len(free) < count  # one of these shapes may be used up by the scene's example
        if mode == "icl-both" and count == 1:
            assert all(parts(i) != ("music", "Ocean") for i in images)
        return
    ids = icl.pick(mode, "music-Ocean-0", "music", "Ocean", count, support, random.Random(seed))
    shared = [(parts(i)[0] == "music", parts(i)[1] == "Ocean") for i in ids]
    assert len(set(ids)) == count
    both = {(True, True): 1} if count == 1 else {(True, False): 1, (False, True): 1}
    expected = {"icl-neither": {}, "icl-object": {(True, False): 1}, "icl-scene": {(False, True): 1}, "icl-both": both}
    assert Counter(s for s in shared if any(s)) == expected[mode]


def test_queries_without_fitting_examples_are_not_asked(tmp_path: Path) -> None:
    names = ["music-1-Ocean", "music-2-Ocean", "sport-1-Ocean", "animal-1-City", "animal-2-City", "vehicle-1-Museum"]
    data = parquet(tmp_path, "Illusion_ICON", [f"{n}-Easy-1.5-1.png" for n in names])
    words = ("run", "illusionbench", "--data", data, "--task", "shape", "--shots", 1, "--out", tmp_path / "runs")
    words = (*words, "--protocol", "original-icl", "--model", "baseline/chance", "--json")
    both = snellen(*words, "--prompt", "icl-both", cache=tmp_path)
    assert both.returncode == 0, both.stderr
    summary = json.loads(both.stdout)
    assert summary["complete"]
    assert summary["asked"] == {"icl-both": 4}, "only music in the ocean and animals in the city have a second image"
    run = next((tmp_path / "runs").iterdir())
    answers = [json.loads(line) for line in (run / "answers.jsonl").read_text().splitlines()]
    pairs = {a["id"].split("/")[1].rsplit("-", 3)[0]: a["shots"][0].split("/")[1].rsplit("-", 3)[0] for a in answers}
    assert pairs == {
        "music-1-Ocean": "music-2-Ocean",
        "music-2-Ocean": "music-1-Ocean",
        "animal-1-City": "animal-2-City",
        "animal-2-City": "animal-1-City",
    }
    none = snellen(*words, "--prompt", "icl-object", cache=tmp_path)
    assert none.returncode == 2
    assert "its prompt 'icl-object' fits no sample of this selection" in none.stderr
    lacking = snellen("mark", run, "--protocol", "original-icl@icl-scene", "--json", cache=tmp_path)
    assert len(json.loads(lacking.stdout)[0]["unasked"][0]["questions"]) == 3, (
        "the run knows which queries have examples"
    )


def test_a_prompt_knows_which_samples_have_no_examples(tmp_path: Path) -> None:
    names = ["music-1-Ocean", "music-2-Ocean", "sport-1-Ocean", "animal-1-City", "animal-2-City", "vehicle-1-Museum"]
    data = IllusionData(
        parquet(tmp_path, "Illusion_ICON", [f"{n}-Easy-1.5-1.png" for n in names]), Selection(shots=1, tasks=("shape",))
    )
    asked = {p: [s.id.split("/")[1][:7] for s in data.light() if EXAM.prompt(p).asked_about(s)] for p in icl.MODES}
    assert asked["icl-both"] == ["music-1", "music-2", "animal-", "animal-"]
    assert asked["icl-object"] == []
    assert len(asked["icl-scene"]) == 3


def full_set(folder: Path, subset: str = "Illusion_LOGO") -> Path:
    names = [f"{shape}-{scene}-Easy-1.5-1.png" for shape in SHAPES[subset] for scene in SCENES[:10]]
    return parquet(folder, subset, names)


def test_the_question_is_instruction_examples_query(tmp_path: Path) -> None:
    data = IllusionData(full_set(tmp_path), Selection(shots=2, tasks=("shape", "scene", "both")))
    shots = data.shots("icl-scene")
    pictures = {s.pictures[0].name: s for s in data.full(lambda _i: True) if s.tags["task"] == "shape"}
    for sample in data.full(lambda i: i.startswith("Illusion_LOGO/tesla-Ocean")):
        task = sample.tags["task"]
        question = EXAM.ask("icl-scene", sample, shots(sample))
        assert question.shots == tuple(s.id for s in shots(sample))
        kinds = [type(p) for p in question.parts]
        assert kinds == [Text, Picture, Text, Picture, Text, Picture, Text]
        assert question.parts[0] == Text(text=text_of("icl", "Illusion_LOGO", task) + "\n")
        assert question.parts[-2:] == (*sample.pictures, Text(text="\nAnswer: "))
        shown = [pictures[p.name].tags for p in question.parts[:-2] if isinstance(p, Picture)]
        said = [p.text for p in question.parts[1:-2] if isinstance(p, Text)]
        want = {"shape": "{shape}", "scene": "{scene}", "both": "{scene}, {shape}"}[task]
        assert said == [f"\nAnswer: {want.format(**tags)}\n" for tags in shown], (
            "an example is labelled with its own names"
        )
        assert "Ocean" in {t["scene"] for t in shown}
        assert len(question.shots) == 2
    assert shots(sample) == shots(sample), "the same query gets the same examples"


@pytest.mark.parametrize(
    ("prompt", "shots", "message"),
    [
        ("original", 2, "the prompt 'original' takes no examples"),
        ("icl", 2, "--shots 2: say which examples with --prompt icl-neither"),
        ("icl-both", 0, "the prompt 'icl-both' shows examples: give --shots 1, 2"),
    ],
)
def test_prompts_and_shots_that_do_not_fit(tmp_path: Path, prompt: str, shots: int, message: str) -> None:
    with pytest.raises(SnellenError, match=message):
        IllusionData(full_set(tmp_path), Selection(shots=shots)).shots(prompt)


def test_icons_take_five_examples_at_most(tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="--shots 8: Illusion_ICON has 6 classes, so at most 5 examples differ"):
        IllusionData(full_set(tmp_path, "Illusion_ICON"), Selection(shots=8))


def test_both_names_count_only_together() -> None:
    from snellen.exams.illusionbench.prompts import probes
    from snellen.exams.illusionbench.protocols import PROTOCOLS

    probe = probes()[0]
    tags = probe.tags | {"task": "both", "shape": "cat", "scene": "Sand_dune"}
    sample = type(probe)(id="x", tags=tags, truth={"shape": "cat", "scene": "Sand_dune"})
    said = {
        "sand dune, cat": (Outcome.CORRECT, Outcome.CORRECT),
        "cat": (Outcome.WRONG, Outcome.UNPARSABLE),
        "sand_dune and a dog": (Outcome.WRONG, Outcome.WRONG),
    }
    for reply, (in_context, robust) in said.items():
        assert mark_reply(PROTOCOLS["original-icl"], sample, reply).outcome == in_context
        assert mark_reply(PROTOCOLS["robust"], sample, reply).outcome == robust
    lines = mark_reply(PROTOCOLS["lmms-first"], sample, "Shape: cat\nScene: sand dune")
    assert lines.outcome == Outcome.CORRECT


def test_six_protocols_send_each_distinct_request_once_and_leave_out_what_the_original_left_out(tmp_path: Path) -> None:
    data = full_set(tmp_path / "data")
    words = ("run", "illusionbench", "--data", data, "--limit", 40, "--out", tmp_path / "runs", "--json")
    with Endpoint(answer="tesla") as server:
        done = snellen(*words, "--model", "api/m", "--base-url", server.url, cache=tmp_path)
        assert done.returncode == 0, done.stderr
        bodies = [json.dumps(r, sort_keys=True) for r in server.requests]
        assert len(bodies) == len(set(bodies))
        summary = json.loads(done.stdout)
        assert [p["protocol"] for p in summary["protocols"]] == [
            *("original", "original-icl", "lmms-first", "lmms-strict", "lmms-head", "robust")
        ]
        asked = summary["asked"]
        assert asked["original"] == asked["lmms-strict"] == asked["lmms-first"] == 80
        assert 0 < asked["icl"] < 80, "eleven of the logos take no part in the in-context exam"
        assert summary["complete"]
        assert len(bodies) == sum(asked.values())
        again = snellen(*words, "--model", "api/m", "--base-url", server.url, cache=tmp_path)
        assert again.returncode == 0
        assert len(server.requests) == len(bodies)


def test_an_in_context_run_with_examples(tmp_path: Path) -> None:
    data = full_set(tmp_path / "data")
    with Endpoint(answer="tesla") as server:
        done = snellen(
            *("run", "illusionbench", "--data", data, "--limit", 20, "--task", "both", "--shots", 4, "--json"),
            *("--protocol", "original-icl", "--prompt", "icl-both", "--out", tmp_path / "runs"),
            *("--model", "api/m", "--base-url", server.url),
            cache=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["complete"]
        for request in server.requests:
            content = request["messages"][0]["content"]
            assert sum(part["type"] == "image_url" for part in content) == 5
    named = snellen(
        *(
            "run",
            "illusionbench",
            "--data",
            data,
            "--task",
            "both",
            "--protocol",
            "original",
            "--model",
            "baseline/chance",
        ),
        cache=tmp_path,
    )
    assert named.returncode == 2
    assert "protocol original: its prompt 'original' fits no sample of this selection" in named.stderr
