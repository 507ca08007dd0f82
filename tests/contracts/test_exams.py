"""One contract for every exam, ours and a plugin's: what the engine, the page and the command line rely on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from snellen.core.arm import Arm
from snellen.core.errors import MostlyUnanswered, SnellenError
from snellen.core.exam import Exam, extended
from snellen.core.extras import CaptionScoring, ExamRequest, Maker, OptionMeaning, probes_of
from snellen.core.options import Selection
from snellen.core.outcomes import mark_reply
from snellen.core.protocol import Protocol, protocol_for, roles
from snellen.core.results import Metric
from snellen.core.types import NON_ANSWERS, Outcome, Question, Sample
from snellen.engine.mark.marking import mark_run
from snellen.engine.plan.plan import choose, make_plan
from snellen.engine.plan.request import RunRequest
from snellen.engine.remark import remark
from snellen.engine.run import run_plan
from snellen.engine.runs.folder import RunFolder
from snellen.stats.tally import summarised

REPLIES = (
    "",
    "x",
    "I'm sorry, I can't help with that.",
    "yes because it is so",
    "Answer: A",
    '{"a": 1}',
    "(12, 34)",
    "🙂" * 50,
)
NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*")


def samples_of(exam: Exam, sets: dict[str, Path], limit: int | None = None) -> list[Sample]:
    return list(exam.open(sets[exam.name], Selection(limit=limit)).light())


def fits(metrics: tuple[Metric, ...], key: str) -> bool:
    return any(m.fits(key) for m in metrics)


# ---------------------------------------------------------------- what it says of itself


def test_it_says_what_it_is(exam: Exam) -> None:
    assert NAME.fullmatch(exam.name)
    assert exam.title.strip()
    assert exam.protocols
    assert exam.prompts
    assert exam.max_tokens > 0 and exam.reply_tokens > 0


def test_prompts_are_declared(exam: Exam) -> None:
    for name, prompt in exam.prompts.items():
        assert name == prompt.name
        assert "+" not in name and "@" not in name
        assert prompt.about.strip()
        assert prompt.shots and all(n >= 0 for n in prompt.shots)


def test_protocols_are_declared(exam: Exam) -> None:
    for name, protocol in exam.protocols.items():
        assert isinstance(protocol, Protocol)
        assert name == protocol.name
        assert "+" not in name and "@" not in name
        assert protocol.version and protocol.about.strip()
        assert protocol.prompt in exam.prompts
        for metric in (protocol.headline, roles(protocol).bounded, roles(protocol).breakdown):
            assert fits(protocol.metrics, metric), f"{name} does not declare {metric}"
        names = [m.name for m in protocol.metrics]
        assert len(names) == len(set(names)), f"{name} declares a metric twice"
        assert all(protocol_for(protocol, p) is protocol_for(protocol, p) for p in exam.prompts)


def test_options_are_declared_once_and_explained(exam: Exam) -> None:
    maker = exam.extra(Maker)
    for some in (exam.options, maker.options if maker is not None else ()):
        assert len({o.name for o in some}) == len(some)
        for option in some:
            assert option.name.isidentifier()
            assert option.help.strip()
            assert all(flag.startswith("--") for flag in option.spellings)


def test_an_exam_that_is_asked_for_nothing_of_its_own_changes_nothing(exam: Exam) -> None:
    wanted = ExamRequest("baseline/chance", next(iter(exam.prompts)), Selection(limit=3), {})
    meaning = exam.extra(OptionMeaning)
    assert meaning is None or meaning.applied(wanted) == wanted
    assert extended(exam, []) is exam


# ---------------------------------------------------------------- data


def test_its_data_opens_in_a_fixed_order(exam: Exam, sets: dict[str, Path]) -> None:
    data = exam.open(sets[exam.name], Selection())
    light = list(data.light())
    assert len(data) == len(light) > 0
    assert len({s.id for s in light}) == len(light)
    assert all(not s.pictures for s in light)
    assert data.source == str(sets[exam.name])
    again = exam.open(sets[exam.name], Selection())
    assert (again.fingerprint, [s.id for s in again.light()]) == (data.fingerprint, [s.id for s in light])
    assert data.synthetic is (exam.name not in ("dots", "blink"))
    wanted = {light[0].id, light[-1].id}
    full = list(data.full(wanted.__contains__))
    assert {s.id for s in full} == wanted
    assert all(s.pictures and s.truth == next(x for x in light if x.id == s.id).truth for s in full)


def test_its_data_has_no_problems(exam: Exam, sets: dict[str, Path]) -> None:
    assert [p for p in exam.check(sets[exam.name]) if p.fatal] == []


def test_a_smaller_limit_selects_a_subset(exam: Exam, sets: dict[str, Path]) -> None:
    one, two = ({s.id for s in samples_of(exam, sets, n)} for n in (1, 2))
    assert one and one <= two


def test_a_folder_that_is_none_gets_one_line(exam: Exam, tmp_path: Path) -> None:
    for where in (tmp_path / "none", tmp_path):
        with pytest.raises(SnellenError) as said:
            exam.open(where, Selection())
        assert "\n" not in str(said.value)


# ---------------------------------------------------------------- asking


def test_every_prompt_asks_without_a_truth(exam: Exam, sets: dict[str, Path]) -> None:
    for sample in (*probes_of(exam), *samples_of(exam, sets)[:4]):
        for name, prompt in exam.prompts.items():
            if not prompt.asked_about(sample):
                continue
            question = exam.ask(name, sample)
            assert isinstance(question, Question)
            assert (question.id, question.exam, question.prompt) == (sample.id, exam.name, name)
            assert question.text.strip()
            assert not hasattr(question, "truth")


def test_every_prompt_shows_the_samples_pictures(exam: Exam, sets: dict[str, Path]) -> None:
    data = exam.open(sets[exam.name], Selection())
    sample = next(data.full(lambda _id: True))
    for name, prompt in exam.prompts.items():
        if prompt.asked_about(sample):
            assert len(exam.ask(name, sample).pictures) >= len(sample.pictures) > 0


# ---------------------------------------------------------------- marking


def test_any_reply_can_be_marked_and_every_value_is_declared(exam: Exam, sets: dict[str, Path]) -> None:
    for protocol in exam.protocols.values():
        for sample in (*probes_of(exam), *samples_of(exam, sets)[:6]):
            blank = protocol.blank(sample)
            for reply in REPLIES:
                mark = mark_reply(protocol, sample, reply)
                assert mark.id == sample.id
                assert (mark.outcome in NON_ANSWERS) or mark.reading is not None
                for key, value in (mark.metrics | blank).items():
                    if isinstance(value, float):
                        assert fits(protocol.metrics, key), f"{protocol.name} does not declare {key}"
            assert mark_reply(protocol, sample, "", None).outcome is Outcome.EMPTY


def test_groups_count_every_sample_once_in_a_whole_part(exam: Exam, sets: dict[str, Path]) -> None:
    samples = samples_of(exam, sets)
    for protocol in exam.protocols.values():
        groups = summarised(protocol, ((s, mark_reply(protocol, s, "x")) for s in samples))
        whole = [g for g in groups if g.whole]
        assert sum(g.n for g in whole) == len(samples)
        for group in groups:
            assert sum(group.outcomes.values()) == group.n
            assert list(group.outcomes) == [o.value for o in Outcome if o.value in group.outcomes]
            assert all(fits(protocol.metrics, key) for key in group.metrics)
            assert protocol.headline in group.metrics
            for score in group.metrics.values():
                if score.value is not None and score.low is not None and score.high is not None:
                    assert score.low - 1e-9 <= score.value <= score.high + 1e-9
                if score.floor is not None:
                    assert score.floor_answer is not None


# ---------------------------------------------------------------- a whole run


def test_a_run_is_carried_out_marked_again_and_exported(exam: Exam, sets: dict[str, Path], tmp_path: Path) -> None:
    scored = exam.extra(CaptionScoring) is not None
    options = {"scorers": ()} if scored else {}
    if scored:
        pytest.importorskip("torch")
    plan = make_plan(RunRequest(exam.name, "baseline/constant:A", sets[exam.name], options=options, out=tmp_path))
    finished = run_plan(plan)
    assert finished.stopped is None or isinstance(finished.stopped, MostlyUnanswered)  # "A" is no answer to some exams
    run = finished.run
    assert run.summary.complete
    assert {p.protocol for p in run.protocols} == {t.name for t in plan.targets}
    assert sum(run.summary.asked.values()) == sum(plan.questions.values())
    before = {
        p: p.read_bytes()
        for p in run.path.rglob("*")
        if p.is_file() and p.relative_to(run.path).parts[0] in ("exports", "marks")
    }
    assert remark(run.path).changes == []
    assert all(p.read_bytes() == content for p, content in before.items() if p.suffix != ".xlsx")
    assert run.folder.marks_path(plan.targets[0].name) in before
    assert json.loads((run.path / "run.json").read_text())["format"] == 2


def test_marks_are_written_though_the_summary_is_broken(
    exam: Exam, sets: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if exam.extra(CaptionScoring) is not None:
        pytest.importorskip("torch")
    plan = make_plan(RunRequest(exam.name, "baseline/constant:A", sets[exam.name], out=tmp_path))
    run = run_plan(plan).run
    target = choose(exam, (next(iter(exam.protocols)),))[0]
    marks = run.folder.marks_path(target.name)
    whole = marks.read_bytes()
    marks.unlink()
    calls = 0
    seen = type(target.protocol).seen

    def broken(self: Protocol, sample: Sample, mark: object) -> object:
        nonlocal calls
        calls += 1
        if calls > 2:
            raise ValueError("stops early")
        return seen(self, sample, mark)  # type: ignore[arg-type]

    monkeypatch.setattr(type(target.protocol), "seen", broken)
    with RunFolder(run.path) as folder, pytest.raises((ValueError, SnellenError), match="stops early"):
        mark_run(folder, exam, (target,))
    assert marks.read_bytes() == whole


def test_an_unknown_name_is_met_with_what_may_have_been_meant(exam: Exam) -> None:
    name = next(iter(exam.protocols))
    with pytest.raises(SnellenError, match=f"did you mean '{re.escape(name)}'"):
        exam.protocol(name + "x")
    with pytest.raises(SnellenError, match="unknown prompt"):
        exam.protocol(f"{name}@nothing-like-it")
    assert exam.protocol(f"{name}@{exam.protocols[name].prompt}+blank")[1] == Arm(exam.protocols[name].prompt, "blank")
