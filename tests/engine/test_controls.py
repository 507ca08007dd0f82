"""Arms without the image, with a blank one, with another's, with shuffled options; and audits without a model."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from tests.support.command import snellen as command
from tests.support.endpoint import Endpoint
from tests.support.sets import png, write_set

import snellen
from snellen import exams
from snellen.core.arm import Arm
from snellen.core.dataset import Dataset
from snellen.core.errors import SnellenError
from snellen.core.extras import maker_of, probes_of
from snellen.core.options import Selection
from snellen.core.results import GroupSummary, Score
from snellen.core.types import Question
from snellen.engine.ask.controls import as_asked, partners
from snellen.engine.ask.questions import Applies
from snellen.engine.ask.questions import questions as asked
from snellen.engine.mark.control_comparison import _floor
from snellen.exams.salbench.data import SalBenchData
from snellen.exams.vqa_nle.data import NleData
from snellen.stats.paired import paired_difference

ALL = ("P3", "P3_box", "P3_box_img", "O3", "O3_box", "O3_box_img")


def always(_arm: Arm, _sample: object) -> bool:
    return True


def questions(
    data: Dataset, arms: tuple[str, ...], wanted: Callable[[tuple[str, str]], bool], applies: Applies, seed: int
) -> Iterator[Question]:
    exam = exams.load("esnlive" if isinstance(data, NleData) else "salbench")
    return asked(exam, data, [Arm.parse(a) for a in arms], wanted, applies, seed)


def made(tmp_path: Path, control: str, count: int = 9, configs: tuple[str, ...] = ("P3",)) -> dict[str, Question]:
    data = SalBenchData(write_set(tmp_path, count, configs), Selection())
    return {q.id: q for q in questions(data, (f"question+{control}",), lambda _k: True, always, seed=1)}


def test_none_has_no_picture_and_the_same_text(tmp_path: Path) -> None:
    for question in made(tmp_path, "none").values():
        assert question.pictures == ()
        assert question.prompt == "question+none"
        assert "Orientation, Color, Size" in question.text


def test_blank_has_the_size_of_the_image_and_says_what_it_is(tmp_path: Path) -> None:
    for question in made(tmp_path, "blank").values():
        (picture,) = question.pictures
        with Image.open(io.BytesIO(picture.data)) as image:
            assert image.size == (8, 8)
            assert image.convert("L").getextrema() == (128, 128)
        assert picture.transforms == ("blank image of the same size",)


def test_shuffled_gives_every_sample_another_ones_image(tmp_path: Path) -> None:
    found = made(tmp_path, "shuffled", 20)
    assert len(found) == 20
    images = {f"P3/img{i:05d}": png(i) for i in range(20)}
    donors = set()
    for name, question in found.items():
        (picture,) = question.pictures
        donor = picture.transforms[0].removeprefix("image of ")
        assert donor != name
        assert picture.data == images[donor]
        donors.add(donor)
    assert len(donors) == 20


def test_shuffled_does_not_depend_on_what_is_still_open(tmp_path: Path) -> None:
    data = SalBenchData(write_set(tmp_path, 20), Selection())
    whole = {q.id: q for q in questions(data, ("question+shuffled",), lambda _k: True, always, 1)}
    some = {q.id: q for q in questions(data, ("question+shuffled",), lambda key: key[0].endswith("7"), always, 1)}
    assert some == {k: v for k, v in whole.items() if k.endswith("7")}
    assert dict((s.id, d) for s, d in partners(data, 1)) != dict((s.id, d) for s, d in partners(data, 2))


def test_options_are_in_another_order_and_nothing_else_changes(tmp_path: Path) -> None:
    plain = SalBenchData(write_set(tmp_path, 6, ALL), Selection())
    before = {q.id: q for q in questions(plain, ("question",), lambda _k: True, always, 1)}
    after = {q.id: q for q in questions(plain, ("question+options",), lambda _k: True, always, 1)}
    changed = 0
    for name, question in after.items():
        assert sorted(question.text.lower()) == sorted(before[name].text.lower())
        assert {o.lower() for o in question.options} == {o.lower() for o in before[name].options}
        changed += question.text != before[name].text
    assert changed > len(after) // 2


def test_illusionbench_options_keep_their_odd_comma() -> None:
    from snellen.engine.ask.controls import _other_order

    exam = exams.load("illusionbench")
    for probe in probes_of(exam):
        question = exam.ask("original", probe)
        other = _other_order(question, 3)
        assert sorted(other.options) == sorted(question.options)
        assert other.text.count(",") == question.text.count(",")
        assert other.text != question.text


def test_a_run_with_controls_shows_paired_differences(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 30)
    with Endpoint() as endpoint:
        done = command(
            "run", "salbench", "--data", data, "--model", "api/x", "--base-url", endpoint.url, "--protocol", "paper", "--controls",
            "none,blank,shuffled,options", "--out", tmp_path / "runs", "--json", cache=tmp_path / "cache",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        # without an image all questions are alike, blank ones too, and with another's image they have been asked already
        assert set(endpoint.asked.values()) == {1}
        assert len(endpoint.requests) < 150
    rows = {r["control"]: r for r in json.loads(done.stdout)["controls"]}
    assert set(rows) == {"none", "blank", "shuffled", "options"}
    assert rows["none"]["difference"] == 0  # this endpoint never looks
    assert rows["none"]["chance"] == pytest.approx(1 / 3, abs=1e-6)
    assert rows["none"]["constant"] == pytest.approx(1 / 3, abs=1e-6)
    assert rows["none"]["n"] == 30
    run = next((tmp_path / "runs").iterdir())
    page = command("report", run, "--out", tmp_path / "p.html", cache=tmp_path)
    assert "With altered input" in page.stdout
    assert "Does the score depend on seeing?" in (tmp_path / "p.html").read_text()
    assert [p.protocol for p in snellen.open_run(run).protocols] == ["paper"]


def test_a_control_under_which_hardly_anything_is_answered_has_no_score(tmp_path: Path) -> None:
    def needs_a_picture(body: dict[str, Any], _count: int) -> tuple[int, dict[str, str], bytes] | None:
        shown = "image_url" in json.dumps(body)
        return None if shown else (400, {}, b'{"error": {"message": "This model requires an image"}}')

    with Endpoint(script=needs_a_picture) as endpoint:
        done = command(
            "run", "salbench", "--data", write_set(tmp_path / "set", 12), "--model", "api/x", "--base-url", endpoint.url,
            "--protocol", "paper", "--controls", "none,shuffled", "--out", tmp_path / "runs", "--json", cache=tmp_path / "cache",
        )  # fmt: skip
    summary = json.loads(done.stdout)
    assert [row["control"] for row in summary["controls"]] == ["shuffled"]
    assert any("under the control 'none' 12 of 12 questions in P3 got no answer" in note for note in summary["notes"])


def made_set(exam: str, tmp_path: Path, count: int = 12) -> Path:
    maker_of(exams.load(exam)).make(tmp_path / exam, count=count, seed=3, workers=1, progress=None)
    return tmp_path / exam


def test_the_options_arm_leaves_out_questions_without_options(tmp_path: Path) -> None:
    data = made_set("illusionbench", tmp_path, 6)
    done = command(
        "run", "illusionbench", "--data", data, "--model", "baseline/constant:cat", "--controls", "options", "--out", tmp_path / "runs",
        "--json", cache=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (
        "control 'options': 18 of 36 questions of the prompt 'lmms-first' have no options that can be shuffled"
        in done.stderr
    )
    summary = json.loads(done.stdout)
    assert summary["expected"]["lmms-first+options"] == summary["asked"]["lmms-first+options"] == 18
    assert summary["expected"]["original+options"] == 36
    first = [r for r in summary["controls"] if r["protocol"] == "lmms-first"]
    assert {r["by"]["task"] for r in first} == {"shape"}
    scenes = snellen.evaluate(
        "illusionbench", model="baseline/constant:cat", data=data, tasks=["scene"], controls=["options"], out=tmp_path / "r",
        protocols=["lmms-first", "original"],
    )  # fmt: skip
    assert {r.protocol for r in scenes.controls} == {"original"}, "an arm that fits no sample is left out as a whole"


def test_chance_is_of_the_samples_that_a_prompt_asks_about(tmp_path: Path) -> None:
    data = made_set("illusionbench", tmp_path)
    run = snellen.evaluate(
        "illusionbench", model="baseline/chance", data=data, controls=["none"], out=tmp_path / "r", splits=["Illusion_LOGO"],
        tasks=["shape"], protocols=["original-icl"],
    )  # fmt: skip
    (row,) = run.controls
    assert row.n < 12
    assert row.chance == pytest.approx(1 / 10)


def test_choices_that_cannot_be_shuffled_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="the prompt 'zero' offers no options to shuffle"):
        snellen.evaluate(
            "vqax",
            model="baseline/constant:x",
            data=made_set("vqax", tmp_path, 3),
            controls=["options"],
            out=tmp_path / "r",
        )


def test_lettered_choices_move_and_their_letters_stay_and_the_right_one_moves_along(tmp_path: Path) -> None:
    data = exams.load("vcr").open(made_set("vcr", tmp_path, 6), Selection())
    samples = {s.id: s for s in data.light()}
    exam = exams.load("vcr")
    plain, control = ([Arm.parse(a)] for a in ("zero", "zero+options"))
    given = {q.id: q for q in asked(exam, data, plain, lambda _k: True, always, 1)}
    moved = {q.id: q for q in asked(exam, data, control, lambda _k: True, always, 1)}
    assert given.keys() == moved.keys()
    for name, question in moved.items():
        assert question.options == given[name].options  # the letters
        assert question.text != given[name].text
        shown = as_asked(exam, Arm("zero", "options"), samples[name], 1)
        assert sorted(shown.facts["choices"]) == sorted(samples[name].facts["choices"])
        right = samples[name].facts["choices"][samples[name].truth["label"]]
        assert shown.facts["choices"][shown.truth["label"]] == right
        assert question.text == exam.ask("zero", shown).text


def test_a_letter_under_the_control_options_is_read_in_the_order_that_was_shown(tmp_path: Path) -> None:
    """Who knows the right answer is right in any order; who always says A is right as often as A is shown right."""
    where = made_set("vcr", tmp_path, 12)
    run = snellen.evaluate(
        "vcr", model="baseline/constant:A", data=where, controls=["options"], protocols=["strict"], out=tmp_path / "r"
    )
    samples = {s.id: s for s in exams.load("vcr").open(where, Selection()).light()}
    exam, arm = exams.load("vcr"), Arm("zero", "options")
    right = {i: as_asked(exam, arm, s, 0).truth["label"] == 0 for i, s in samples.items()}
    (name,) = (p.protocol for p in run.summary.protocols if "options" in p.prompt)
    marks = {m.id: m.metrics["accuracy"] == 1.0 for m in run.folder.marks(name)}
    assert marks == right
    assert any(right.values()) and right != {i: s.truth["label"] == 0 for i, s in samples.items()}


def test_shuffled_never_shows_a_samples_own_image_where_several_share_one(tmp_path: Path) -> None:
    data = exams.load("esnlive").open(made_set("esnlive", tmp_path), Selection())
    images = {s.id: s.facts["image_name"] for s in data.light()}
    assert len(set(images.values())) < len(images)
    for seed in range(5):
        pairs = [(s.id, donor) for s, donor in partners(data, seed)]
        assert {i for i, _donor in pairs} == set(images)
        assert all(images[i] != images[donor] for i, donor in pairs)
        assert {images[donor] for _i, donor in pairs} == set(images.values())
    own = {q.id: q.pictures for q in questions(data, ("zero",), lambda _k: True, always, 1)}
    for question in questions(data, ("zero+shuffled",), lambda _k: True, always, 1):
        assert question.pictures[0].data != own[question.id][0].data


def test_a_floor_by_chance_is_no_constant_answer() -> None:
    floors = {"chance": {"chance": 0.25}, "yes": {"constant": 0.25, "constant_answer": "yes"}}
    for answer, shown in floors.items():
        metric = Score(value=0.5, n=4, floor=0.25, floor_answer=answer)
        assert _floor(GroupSummary(by={}, n=4, outcomes={}, metrics={"both": metric}), "both") == shown


def test_unknown_controls_and_prompts_without_options_are_refused(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 3)
    with pytest.raises(SnellenError, match="unknown control 'dark': choose from none, blank"):
        snellen.evaluate("salbench", model="baseline/chance", data=data, controls=["dark"], out=tmp_path / "r")


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 1.0])), min_size=1, max_size=60))
def test_paired_difference_is_the_difference_of_means(pairs: list[tuple[float, float]]) -> None:
    counts = {p: pairs.count(p) for p in pairs}
    found = paired_difference(counts)
    assert found.difference == pytest.approx(sum(b - a for a, b in pairs) / len(pairs))
    assert found.low - 1e-9 <= found.difference <= found.high + 1e-9


def test_the_audit_names_the_protocols_that_can_be_won_blind(tmp_path: Path) -> None:
    done = command("protocols", "illusionbench", "--blind", "--json", cache=tmp_path)
    rows = json.loads(done.stdout)
    won = {r["protocol"] for r in rows if r["won by"]}
    assert won == {"original", "original-icl", "lmms-first", "lmms-head"}
    robust = [r for r in rows if r["protocol"] == "robust"]
    assert all(r["list every option"] == 0 and r["contradict yourself"] == 0 for r in robust)
    head = next(r for r in rows if r["protocol"] == "lmms-head" and r["part"] == "Illusion_IN · shape")
    assert head["list every option"] == 1.0
    said = command("protocols", "illusionbench", "--blind", "--protocol", "lmms-head,robust", cache=tmp_path).stdout
    assert "Can be won without looking: lmms-head" in said


def test_the_audit_of_salbench(tmp_path: Path) -> None:
    rows = json.loads(
        command("protocols", "salbench", "--blind", "--protocol", "paper", "--json", cache=tmp_path).stdout
    )
    p3 = next(r for r in rows if r["part"] == "P3")
    assert p3["list every option"] == pytest.approx(0.5, abs=1e-6)
    assert p3["best constant"] == pytest.approx(1 / 6, abs=1e-6), "one label, as the prompt wants it"
    assert p3["a constant list"] == pytest.approx(0.5, abs=1e-6)
    assert 0.25 < p3["chance"] < 0.42
    assert p3["won by"] is None


def test_chance_is_asked_only_where_there_are_options(tmp_path: Path) -> None:
    data = made_set("illusionbench", tmp_path, 3)
    words = ("run", "illusionbench", "--data", data, "--model", "baseline/chance", "--out", tmp_path / "runs", "--json")
    done = command(*words, "--protocol", "lmms-first,original", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["complete"]
    assert (summary["asked"]["lmms-first"], summary["asked"]["original"]) == (9, 18)
    assert "baseline/chance: 9 questions offer no options and are left out" in done.stderr
    refused = command(*words, "--protocol", "lmms-first", "--task", "scene", cache=tmp_path)
    assert refused.returncode == 2
    assert "the prompt 'lmms-first' offers no options to choose from" in refused.stderr
