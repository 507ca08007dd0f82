"""Figures made by code that knows nothing of Snellen, with choices that it keeps to itself: `explain` finds them, or says none."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.compare.conftest import LABELS, Runs, chatty, right, wrong

import snellen
from snellen import exams
from snellen.core.extras import maker_of
from snellen.core.options import Selection
from snellen.core.types import Sample

Says = Callable[[int, Sample], str]


class Kept(NamedTuple):
    """A run, and what it is made of: every sample with the reply to it."""

    path: Path
    pairs: list[tuple[Sample, str]]


def run_of(exam: str, data: Path, out: Path, says: Says, protocol: str, **how: Any) -> Kept:
    selection = Selection(splits=how.get("splits", ()), tasks=how.get("tasks", ()))
    samples = list(exams.load(exam).open(data, selection).light())
    pairs = [(s, says(i, s)) for i, s in enumerate(samples)]
    replies = out / f"{exam}.jsonl"
    replies.write_text("\n".join(json.dumps({"id": s.id, "text": text}) for s, text in pairs), encoding="utf-8")
    run = snellen.evaluate(
        exam, model=f"replay/{replies}", data=data, out=out / "runs", protocols=[protocol], use_store=False, **how
    )
    return Kept(run.path, pairs)


def made(exam: str, factory: pytest.TempPathFactory, count: int) -> Path:
    folder = factory.mktemp(exam)
    maker_of(exams.load(exam)).make(folder / "set", count=count, seed=3, workers=1)
    return folder / "set"


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def by(pairs: list[tuple[Sample, float]], tag: Callable[[Sample], str]) -> float:
    """The mean of the means of groups."""
    groups: dict[str, list[float]] = {}
    for sample, value in pairs:
        groups.setdefault(tag(sample), []).append(value)
    return mean([mean(some) for some in groups.values()])


def asked(kept: Kept, share: float, **how: Any) -> snellen.Explanation:
    found = snellen.explain(kept.path, f"{100 * share:.2f}", **how)
    (figure,) = found.figures
    end = (figure.hits or figure.nearest)[0]
    assert sum(step.change for step in figure.split) == pytest.approx(end.value - figure.start.value, abs=1e-9)
    return found


def choices(found: snellen.Explanation) -> dict[str, str]:
    best = found.figures[0].hits[0]
    assert best.value == pytest.approx(found.figures[0].value, abs=6e-5)
    return {name: getattr(best, name) for name in ("protocol", "metric", "average", "samples", "non_answers")}


# ---------------------------------------------------------------- SalBench


def sal(i: int, sample: Sample) -> str:
    """Plain, chatty, silent: right in two thirds, more often so in the first samples of each label."""
    draw = random.Random(i)
    said = right(sample) if draw.random() < (0.8 if i % 3 == 0 else 0.55) else wrong(sample)
    return ["No idea.", chatty(said), chatty(said)][i % 3] if draw.random() < 0.4 else said


@pytest.fixture
def salbench_run(salbench: Path, tmp_path: Path) -> Kept:
    return run_of("salbench", salbench, tmp_path, sal, "paper", splits=("P3",), tasks=("D",))


def named(reply: str) -> set[str]:
    """Any label in a reply, wherever it stands."""
    return {label.lower() for label in LABELS if label.lower() in reply.lower()}


def literal(reply: str) -> bool:
    return reply in LABELS


def exact(pair: tuple[Sample, str]) -> float:
    return float(pair[1].lower() == str(pair[0].truth).lower())


def test_a_reader_of_substrings_that_leaves_out_what_it_cannot_read(salbench_run: Kept) -> None:
    answered = [(s, r) for s, r in salbench_run.pairs if named(r)]
    share = mean([float(named(r) == {str(s.truth).lower()}) for s, r in answered])
    chosen = choices(asked(salbench_run, share))
    assert chosen["protocol"] in ("plan-v2", "robust") and chosen["non_answers"] == "left out"
    assert chosen["metric"] in ("exact_match", "f1") and chosen["average"] == "over samples" and not chosen["samples"]


def test_a_literal_reader_that_averages_over_labels(salbench_run: Kept) -> None:
    pairs = [(s, exact((s, r))) for s, r in salbench_run.pairs if literal(r)]
    chosen = choices(asked(salbench_run, by(pairs, lambda s: str(s.truth))))
    assert chosen["protocol"] in ("paper", "lmms-eval") and chosen["metric"] == "exact_match"
    assert chosen["average"] == "over category" and chosen["non_answers"] == "left out"


def test_micro_instead_of_macro(salbench_run: Kept) -> None:
    hits = sum(exact(pair) for pair in salbench_run.pairs)
    said = sum(literal(r) for _s, r in salbench_run.pairs)
    chosen = choices(asked(salbench_run, 2 * hits / (said + len(salbench_run.pairs))))
    assert chosen["metric"] == "micro F1" and chosen["non_answers"] == "count as wrong"


def test_guesses_in_place_of_what_cannot_be_read(salbench_run: Kept) -> None:
    share = mean([exact((s, r)) if literal(r) else 1 / 3 for s, r in salbench_run.pairs])
    chosen = choices(asked(salbench_run, share))
    assert chosen["protocol"] in ("paper", "lmms-eval") and chosen["non_answers"] == "count as random guesses"
    assert chosen["metric"] == "exact_match"


def test_hard_ones_only(salbench_run: Kept) -> None:
    share = mean([exact(pair) for pair in salbench_run.pairs if pair[0].tags["difficulty"] == "hard"])
    chosen = choices(asked(salbench_run, share))
    assert chosen["samples"] == "difficulty hard" and chosen["protocol"] == "paper"


def test_groups_of_few_answers_are_not_tried(subject: Runs) -> None:
    path = subject("chatty", lambda i, s: right(s) if i % 9 == 0 else chatty(right(s)))
    found = snellen.explain(path, "62.5", part="P3")
    assert any(r.samples and r.non_answers == "count as wrong" for r in found.within)
    assert all(r.n >= 10 for r in found.within if r.samples), "14 plain answers are less than ten in most groups"


def test_none_where_no_choice_gives_it(salbench_run: Kept) -> None:
    found = asked(salbench_run, 0.9937)
    (figure,) = found.figures
    assert not figure.hits and figure.nearest[0].value < 0.95 and figure.holds is False
    assert found.verdict[0].startswith("None: no choice gives 99.37. The nearest of ")
    assert "which does not hold it: other answers would be needed" in found.verdict[1]


def test_none_between_two_readings(salbench_run: Kept) -> None:
    """A figure in the widest gap between neighbours: near to many readings, and on none."""
    before = snellen.explain(salbench_run.path, "50")
    values = sorted({r.value for r in (*before.readings, *before.within)})
    gap, low = max((b - a, a) for a, b in pairwise(values))
    found = asked(salbench_run, low + gap / 2)
    assert not found.figures[0].hits and found.verdict[0].startswith("None: ")
    wider = asked(salbench_run, low + gap / 2, tolerance=gap)
    assert wider.figures[0].hits and not wider.verdict[0].startswith("None")


def test_whether_other_samples_could_give_it_is_said(salbench_run: Kept) -> None:
    top = snellen.explain(salbench_run.path).highest
    found = asked(salbench_run, top + 0.01, tolerance=0.0001)
    assert found.figures[0].holds and "holds" in found.verdict[1] and "other samples" in found.verdict[1]


def test_many_readings_make_coincidences(salbench_run: Kept) -> None:
    top = snellen.explain(salbench_run.path).highest
    sure, loose = (asked(salbench_run, top, tolerance=t) for t in (0.00006, 0.02))
    assert sure.figures[0].coincidence < 0.05 and "coincidence" not in " ".join(sure.verdict)
    assert loose.figures[0].coincidence > 0.3 and "That may be a coincidence: " in " ".join(loose.verdict)


def test_the_gap_adds_up_whatever_the_way(salbench_run: Kept) -> None:
    every = snellen.explain(salbench_run.path).readings
    for value in sorted({round(r.value, 4) for r in every})[::4]:
        asked(salbench_run, value)


# ---------------------------------------------------------------- other exams


@pytest.fixture(scope="session")
def illusions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made("illusionbench", tmp_path_factory, 30)


def test_illusionbench_by_class_with_refusals_left_out(illusions: Path, tmp_path: Path) -> None:
    def says(i: int, sample: Sample) -> str:
        shape = sample.tags["shape"]
        said = shape if random.Random(i).random() < 0.6 else "nothing"
        return "I'm sorry, I cannot say." if i % 6 == 5 else f"It looks like a {said}." if i % 4 == 1 else said

    kept = run_of("illusionbench", illusions, tmp_path, says, "robust", splits=("Illusion_IN",), tasks=("shape",))
    pairs = [(s, float(s.tags["shape"] in r)) for s, r in kept.pairs if not r.startswith("I'm sorry")]
    chosen = choices(asked(kept, by(pairs, lambda s: s.tags["shape"])))
    assert chosen["average"] == "over class" and "left out" in chosen["non_answers"]


@pytest.fixture(scope="session")
def explained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made("vqax", tmp_path_factory, 40)


def vqa(i: int, sample: Sample) -> str:
    answers = sample.truth["answers"]
    draw = random.Random(i)
    return f"{draw.choice([*answers, 'nothing', 'nothing'])} because one sees it"


@pytest.fixture
def vqa_run(explained: Path, tmp_path: Path) -> Kept:
    return run_of("vqax", explained, tmp_path, vqa, "multimodal-vqa-eval")


def test_vqax_any_annotators_answer(vqa_run: Kept) -> None:
    share = mean([float(r.partition(" because ")[0] in s.truth["answers"]) for s, r in vqa_run.pairs])
    found = asked(vqa_run, share)
    assert choices(found)["protocol"] in ("nlxgpt", "e-vil") and choices(found)["metric"] == "accuracy"
    assert {step.stage for step in found.figures[0].split if abs(step.change) > 1e-9} == {"protocol"}


def test_vqax_soft_accuracy(vqa_run: Kept) -> None:
    def soft(said: str, answers: list[str]) -> float:
        return mean([min(1.0, (answers[:i] + answers[i + 1 :]).count(said) / 3) for i in range(len(answers))])

    share = mean([soft(r.partition(" because ")[0], s.truth["answers"]) for s, r in vqa_run.pairs])
    assert choices(asked(vqa_run, share))["metric"] == "soft_accuracy"


@pytest.fixture(scope="session")
def screens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made("grounding", tmp_path_factory, 6)


def test_grounding_as_the_mean_of_kinds(screens: Path, tmp_path: Path) -> None:
    def says(i: int, sample: Sample) -> str:
        x1, y1, x2, y2 = sample.truth["boxes"][0]
        off = 0 if sample.tags["kind"] == "text" or i % 2 else 3 * (x2 - x1)
        width, height = sample.facts["width"], sample.facts["height"]
        return f"({min(0.999, ((x1 + x2) / 2 + off) / width):.4f}, {(y1 + y2) / 2 / height:.4f})"

    def inside(sample: Sample, reply: str) -> float:
        x, y = (float(v) for v in reply.strip("()").split(","))
        x1, y1, x2, y2 = sample.truth["boxes"][0]
        return float(x1 <= x * sample.facts["width"] <= x2 and y1 <= y * sample.facts["height"] <= y2)

    kept = run_of("grounding", screens, tmp_path, says, "click")
    pairs = [(s, inside(s, r)) for s, r in kept.pairs]
    assert by(pairs, lambda s: s.tags["kind"]) != pytest.approx(mean([v for _s, v in pairs]), abs=0.01)
    found = asked(kept, by(pairs, lambda s: s.tags["kind"]))
    assert choices(found)["average"] == "over kind" and choices(found)["protocol"] == "screenspot"  # it reads fractions


def test_d3_is_read_with_what_its_scorers_said(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    data = made("d3", tmp_path_factory, 12)
    told = data / "captions" / "reference.json"
    run = snellen.evaluate("d3", model=f"replay/{told}", data=data, out=tmp_path / "runs")
    hits = [mark.metrics["left"] + mark.metrics["right"] for mark in run.marks("original")]  # type: ignore[operator]
    found = snellen.explain(run, f"{50 * mean([float(h or 0) for h in hits]):.2f}")
    assert found.headline.value == pytest.approx(run.scores()["original", found.part].value)
    assert found.figures[0].hits[0].metric in ("recall", "both")


# ---------------------------------------------------------------- the run itself


def runs_of(*kept: Kept) -> Iterator[snellen.Run]:
    return (snellen.open_run(one.path) for one in kept)


def test_the_own_number_is_the_summarys(salbench_run: Kept, vqa_run: Kept) -> None:
    for run in runs_of(salbench_run, vqa_run):
        found = snellen.explain(run)
        own = run.scores()[found.headline.protocol, found.part]
        assert found.headline.value == pytest.approx(own.value, abs=1e-12) and found.headline.n == own.n
        assert not found.headline.changes and found.lowest <= found.headline.value <= found.highest


def test_all_parts_together_are_the_mean_of_parts(subject: Runs) -> None:
    path = subject("all", sal, splits=("P3", "O3"), tasks=("D", "R"))
    run = snellen.open_run(path)
    found = snellen.explain(run)
    parts = [score.value for (protocol, _part), score in run.scores().items() if protocol == "paper"]
    assert found.part == "all parts" and len(parts) == 4
    assert found.headline.value == pytest.approx(mean([float(v or 0) for v in parts]))
    assert "split P3" in found.parts and "task D" in found.parts
    wanted = ("paper", "exact_match", "over samples", "count as wrong")
    pooled = next(r for r in found.readings if (r.protocol, r.metric, r.average, r.non_answers) == wanted)
    assert pooled.value == pytest.approx(mean([float(str(m.metrics["exact_match"])) for m in run.marks("paper")]))


def test_the_run_folder_stays_as_it_is(salbench_run: Kept) -> None:
    def state() -> dict[str, tuple[bytes, int]]:
        files = (p for p in salbench_run.path.rglob("*") if p.is_file())
        return {str(p): (p.read_bytes(), p.stat().st_mtime_ns) for p in files}

    before = state()
    asked(salbench_run, 0.5)
    assert state() == before


def test_a_rerun_says_the_same(salbench_run: Kept) -> None:
    assert snellen.explain(salbench_run.path, "61.7") == snellen.explain(salbench_run.path, "61.7")


def test_what_is_the_same_by_construction_is_there_once(salbench_run: Kept, subject: Runs) -> None:
    everything = subject("plain", lambda i, s: right(s) if i % 3 else wrong(s))
    found = snellen.explain(everything)
    assert {r.non_answers for r in found.readings} == {"count as wrong"}  # nobody was silent
    silent = snellen.explain(salbench_run.path)
    ways = {r.non_answers for r in silent.readings if r.protocol == "paper"}
    assert ways == {"count as wrong", "left out", "count as random guesses"}  # one kind: nothing else to leave out


def test_answers_to_another_prompt_are_a_choice(illusions: Path, tmp_path: Path) -> None:
    """The same subject is better at one prompt: a figure by that prompt's answers is found as such."""
    chosen = Selection(splits=("Illusion_IN",), tasks=("shape",))
    samples = list(exams.load("illusionbench").open(illusions, chosen).light())
    lines = []
    for i, sample in enumerate(samples):
        shape = sample.tags["shape"]
        lines.append({"id": sample.id, "prompt": "original", "text": shape if i % 2 else "nothing"})
        lines.append({"id": sample.id, "prompt": "lmms-strict", "text": f"Answer: {shape if i % 5 else 'nothing'}"})
    replies = tmp_path / "prompts.jsonl"
    replies.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    how = {"splits": ("Illusion_IN",), "tasks": ("shape",), "protocols": ("original", "lmms-strict")}
    run = snellen.evaluate("illusionbench", model=f"replay/{replies}", data=illusions, out=tmp_path / "runs", **how)  # type: ignore[arg-type]
    share = mean([float(i % 5 > 0) for i in range(len(samples))])
    found = snellen.explain(run, f"{100 * share:.2f}")
    best = found.figures[0].hits[0]
    assert (best.protocol, best.prompt) == ("lmms-strict", "lmms-strict") and best.changes == ("prompt", "protocol")
    (step,) = found.figures[0].split
    assert step.stage == "prompt and protocol" and step.change == pytest.approx(share - found.headline.value)


def test_items_that_samples_make_up_are_a_part(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """VCR's Q->AR: right where the answer and its rationale are."""
    data = made("vcr", tmp_path_factory, 24)
    draw = random.Random(5)
    kept = run_of("vcr", data, tmp_path, lambda _i, s: draw.choice("ABCD"), "strict", tasks=("q->ar",))
    scores = snellen.open_run(kept.path).scores()
    found = snellen.explain(kept.path)
    joint = next(part for part in found.parts if ("strict", part) in scores and "Q->AR" in part)
    of_both = snellen.explain(kept.path, part=joint)
    assert of_both.headline.value == pytest.approx(scores["strict", joint].value)
    assert "all parts" in found.parts and found.part == "all parts" and found.headline.n == len(kept.pairs)
