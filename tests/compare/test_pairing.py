"""What can be compared, what is left out with a word, and what is refused with one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.compare.conftest import Runs, right, wrong
from tests.support.command import snellen as command
from tests.support.sets import write_config, write_set

import snellen
from snellen.core.errors import SnellenError
from snellen.core.records import Wording
from snellen.core.types import Sample
from snellen.engine.runs.folder import RunFolder


def good(i: int, sample: Sample) -> str:
    return right(sample) if i % 4 else wrong(sample)


def bad(i: int, sample: Sample) -> str:
    return wrong(sample) if i % 4 else right(sample)


@pytest.fixture
def real(tmp_path: Path) -> Path:
    return write_set(tmp_path / "real", 40, ("P3", "P3_box"))


@pytest.fixture
def two(subject: Runs, real: Path) -> tuple[Path, Path]:
    return subject("good", good, data=real), subject("bad", bad, data=real)


def rewrite(run: Path, *, summary: dict[str, Any] | None = None, manifest: dict[str, Any] | None = None) -> None:
    """A run whose records say something else, written as Snellen writes them."""
    folder = RunFolder(run)
    for record, changes in ((folder.summary(), summary), (folder.manifest(), manifest)):
        folder.write_record(msgspec.structs.replace(record, **(changes or {})))


def refused(*runs: Path) -> str:
    with pytest.raises(SnellenError) as error:
        snellen.compare(*runs)
    assert error.value.exit_code == 2 and "\n" not in str(error.value)
    return str(error.value)


# ---------------------------------------------------------------- refused


def test_one_run_or_the_same_twice_or_a_folder_of_runs(two: tuple[Path, Path]) -> None:
    assert refused(two[0]) == "a comparison takes at least two runs: snellen compare RUN RUN"
    assert refused(two[0], two[0]).endswith("is named twice: a run does not differ from itself")
    assert "is a folder of runs, not a run" in refused(two[0], two[0].parent)
    assert "is not a run folder: it has no run.json" in refused(two[0], two[0] / "marks")
    assert "is not a run folder: there is no such folder" in refused(two[0], two[0] / "nowhere")


def test_another_exam(two: tuple[Path, Path]) -> None:
    rewrite(two[1], manifest={"exam": "illusionbench"})
    assert refused(*two).endswith("of illusionbench: only runs of one exam can be compared")


def test_synthetic_against_real(two: tuple[Path, Path], subject: Runs) -> None:
    assert refused(two[0], subject("made", good)).endswith("on real data: their scores say nothing of each other")


def test_two_synthetic_sets_under_the_same_names(subject: Runs, two: tuple[Path, Path]) -> None:
    runs = subject("one", good), subject("two", bad)
    known = RunFolder(runs[1]).manifest().data
    rewrite(runs[1], manifest={"data": msgspec.structs.replace(known, origin={**known.origin, "seed": 2})})
    said = refused(*runs)
    assert "are on different synthetic sets" in said and "seed 1" in said and "seed 2" in said


def test_no_common_samples_or_others_under_their_names(subject: Runs, tmp_path: Path, two: tuple[Path, Path]) -> None:
    other = tmp_path / "other"
    write_config(other, "P3", 40, image_id=[f"new{i}" for i in range(40)])
    assert refused(two[0], subject("new", good, data=other)).endswith("have no samples in common")
    write_config(other, "P3", 40, answer=["size"] * 40)
    assert refused(two[0], subject("new", good, data=other)) == (
        "the runs are on different data: 27 of 40 common samples have another truth or other tags"
    )


def test_an_edited_summary(two: tuple[Path, Path]) -> None:
    path = two[1] / "summary.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"correct": 10', '"correct": 40'), encoding="utf-8")
    assert "it was changed after Snellen wrote it" in refused(*two)


def test_edited_marks(two: tuple[Path, Path]) -> None:
    path = two[1] / "marks" / "paper.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"wrong"', '"correct"'), encoding="utf-8")
    assert "the marks of protocol 'paper' do not give its summary" in refused(*two)
    snellen.remark(two[1])
    assert snellen.compare(*two).row("paper").only_first == 30


def test_answers_that_are_not_marked_yet(two: tuple[Path, Path]) -> None:
    with (two[1] / "answers.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n")
    assert "has answers that are not marked yet" in refused(*two)


def test_no_protocol_in_common(subject: Runs, real: Path, two: tuple[Path, Path]) -> None:
    other = subject("plan", good, data=real, protocols=("plan-v2",))
    said = refused(two[0], other)
    assert said.startswith("the runs have no protocol in common. Protocol 'paper' is left out: B was not marked by it.")


def test_many_protocols_of_which_none_is_shared_are_told_in_a_line(subject: Runs, real: Path) -> None:
    first = subject("first", good, data=real, protocols=("paper", "robust"))
    second = subject("second", good, data=real, protocols=("plan-v2", "lmms-eval"))
    said = refused(first, second)
    assert "Marked were A by paper, robust; B by plan-v2, lmms-eval." in said
    assert "left out" not in said and len(said) < 300


def test_a_folder_of_runs_is_no_run(two: tuple[Path, Path]) -> None:
    assert "is a folder of runs, not a run: name the runs" in refused(two[0].parent)


def test_a_protocol_that_is_not_there_on_the_command_line(two: tuple[Path, Path], tmp_path: Path) -> None:
    done = command("compare", *two, "--protocol", "papr", cache=tmp_path)
    assert done.returncode == 2 and done.stderr.startswith(
        "snellen: unknown protocol 'papr' of these runs: did you mean 'paper'?"
    )


# ---------------------------------------------------------------- left out, with a word


def test_a_smaller_selection_is_compared_on_what_both_have(subject: Runs, real: Path, two: tuple[Path, Path]) -> None:
    some = subject("some", bad, data=real, limit=12)
    found = snellen.compare(two[0], some)
    assert found.samples == 12 and found.row("paper").n == 12
    assert found.notes == ("Only the 12 samples that all runs have are compared (A has 40, B has 12).",)


def test_few_changed_truths_are_left_out(subject: Runs, tmp_path: Path, two: tuple[Path, Path]) -> None:
    other = tmp_path / "other"
    labels = ["color", "orientation", "size"]
    write_config(other, "P3", 40, answer=["size", *(labels[i % 3] for i in range(1, 40))])
    found = snellen.compare(two[0], subject("new", bad, data=other))
    assert found.samples == 39 and found.notes == (
        "The data differ: 1 samples with another truth or other tags are left out.",
    )


def test_a_protocol_of_another_version(two: tuple[Path, Path]) -> None:
    marked = RunFolder(two[1]).summary().marked
    old = tuple(msgspec.structs.replace(e, version="1") if e.name == "paper" else e for e in marked)
    rewrite(two[1], summary={"marked": old})
    found = snellen.compare(*two)
    assert found.protocols == ("robust",) and found.notes == (
        "Protocol 'paper' is left out: its versions differ (A has 2, B has 1); 'snellen mark' brings old marks up to date.",
    )


def test_marks_of_an_earlier_version_on_both_sides(two: tuple[Path, Path]) -> None:
    for run in two:
        marked = RunFolder(run).summary().marked
        rewrite(run, summary={"marked": tuple(msgspec.structs.replace(e, version="1") for e in marked)})
    assert snellen.compare(*two).notes == tuple(
        f"Protocol '{name}' is compared as its version 1 marked; 'snellen mark' marks by {version}."
        for name, version in (("paper", 2), ("robust", 3))
    )


def test_a_prompt_that_was_worded_otherwise(two: tuple[Path, Path]) -> None:
    rewrite(two[1], manifest={"wordings": {"question": Wording(digest="other")}})
    assert "the wording of its prompt 'question' was changed between the runs" in refused(*two)


def test_an_unfinished_run_an_oracle_and_examples_are_named(two: tuple[Path, Path]) -> None:
    known = RunFolder(two[1]).manifest()
    subject = msgspec.structs.replace(known.subject, identity={"oracle": "it peeks"})
    options = msgspec.structs.replace(known.options, shots=3)
    rewrite(two[1], summary={"complete": False, "questions": 50}, manifest={"subject": subject, "options": options})
    found = snellen.compare(*two)
    assert found.notes == (
        "B is incomplete: 40 of 50 questions answered.",
        "B is an oracle, which looks at the answers: it peeks",
        "The runs were asked with different numbers of examples (A had 0, B had 3): the difference includes that.",
    )


def test_runs_can_be_given_opened(two: tuple[Path, Path]) -> None:
    opened = [snellen.open_run(run) for run in two]
    assert json.loads(msgspec.json.encode(snellen.compare(*opened))) == json.loads(
        msgspec.json.encode(snellen.compare(*two))
    )
