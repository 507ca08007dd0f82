"""The index says what the run's files say, keeps up with a run that goes on, and counts the answers that the engine counts."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest

from snellen.core.records import Wording
from snellen.core.types import Answer, Call, Failure, Outcome
from snellen.data.line_offsets import NOWHERE
from snellen.engine.mark.flips import compare
from snellen.engine.runs.run import Run, open_run
from snellen.engine.runs.sample_index import CODES, SampleIndex
from snellen.present.viewer.sample_filter import SampleFilter, page_of, rows_of, wanted_from

FAILED = Failure(kind="error", reason="503")


@pytest.fixture
def run(runs: Path, tmp_path: Path) -> Run:
    """A copy of a run, to write to."""
    return open_run(shutil.copytree(next(runs.glob("*chance*")), tmp_path / "runs" / "mine"))


def indexed(run: Run) -> SampleIndex:
    return open_run(run.path).index


def answered(index: SampleIndex) -> dict[str, tuple[int, int]]:
    """How many answers each arm has, and how many of them are failures."""
    places = {name: arm.place != NOWHERE for name, arm in index.arms.items()}
    return {name: (int(there.sum()), int((index.arms[name].failed & there).sum())) for name, there in places.items()}


def ids(run: Run) -> list[str]:
    return [sample.id for sample in run.samples()]


def added(run: Run, *answers: Answer) -> None:
    with run.folder.answers_path.open("ab") as file:
        file.write(b"".join(msgspec.json.encode(a) + b"\n" for a in answers))


def test_every_sample_answer_and_mark_is_found_where_it_is(run: Run) -> None:
    index = indexed(run)
    found = index.read(range(len(index)))
    answers = {(a.id, a.prompt): a for a in run.answers()}
    assert [r.sample.id for r in found] == ids(run) and len(found) == 120
    assert {(r.sample.id, arm): a for r in found for arm, a in r.answers.items()} == answers
    for protocol in run.protocols:
        marks = {m.id: m for m in run.marks(protocol.protocol)}
        assert {r.sample.id: r.marks[protocol.protocol] for r in found} == marks


def test_outcomes_tags_and_flips_are_those_of_the_marks(run: Run) -> None:
    index = indexed(run)
    names = [p.protocol for p in run.protocols]
    every = ids(run)
    for name in names:
        wrong = {m.id for m in run.marks(name) if m.outcome is Outcome.WRONG}
        rows = rows_of(index, SampleFilter(protocol=name, outcome="wrong"), names)
        assert {every[row] for row in rows} == wrong and wrong
    assert {every[row] for row in rows_of(index, SampleFilter(flips=True), names)} == {f.id for f in compare(run).flips}
    for sample in run.samples():
        for key, value in sample.tags.items():
            column = index.tags[key]
            assert column.values[column.codes[every.index(sample.id)]] == value


def test_the_answers_that_count_are_those_of_the_engine(run: Run) -> None:
    """Repeated, failed and failed after an answer, in any order: the last answer counts, a failure only where there is none."""
    draw = random.Random(7)
    run.folder.answers_path.write_bytes(b"")
    for _ in range(600):
        failure = FAILED if draw.random() < 0.5 else None
        added(run, Answer(id=draw.choice(ids(run)), prompt="question", text=str(draw.random()), failure=failure))
    added(run, Answer(id="not in this run", prompt="question", text="x"))
    index, scan = indexed(run), run.folder.scan()
    arm = index.arms["question"]
    for row, name in enumerate(ids(run)):
        key = (name, "question")
        assert arm.place[row] == (scan.last.get(key) if key in scan.last else NOWHERE)
        assert bool(arm.failed[row]) == (key in scan.last and not scan.last.answered(key))


def test_a_failure_after_an_answer_does_not_count_when_it_comes_later(run: Run) -> None:
    index = indexed(run)
    before = index.arms["question"].place.copy()
    added(run, Answer(id=ids(run)[4], prompt="question", failure=FAILED))
    assert index.refreshed() is index
    assert np.array_equal(index.arms["question"].place, before) and answered(index) == {"question": (120, 0)}


def test_answers_to_an_earlier_wording_do_not_count(run: Run) -> None:
    since = run.folder.answers_bytes // 2
    manifest = msgspec.structs.replace(run.manifest, wordings={"question": Wording(digest="x", since=since)})
    run.folder.write_record(manifest)
    index, scan = indexed(run), run.folder.scan()
    assert 0 < answered(index)["question"][0] == len(scan.last) < 120


def test_it_keeps_up_with_a_run_that_goes_on(run: Run) -> None:
    whole = run.folder.answers_path.read_bytes()
    lines = whole.splitlines(keepends=True)
    run.folder.answers_path.write_bytes(b"".join(lines[:50]))
    index = indexed(run)
    assert answered(index) == {"question": (50, 0)}
    before = index.version
    with run.folder.answers_path.open("ab") as file:
        file.write(lines[50] + lines[51][:20])  # the second one is being written
    assert index.refreshed() is index
    assert answered(index) == {"question": (51, 0)} and index.version != before
    with run.folder.answers_path.open("ab") as file:
        file.write(lines[51][20:] + b"".join(lines[52:]))
    assert index.refreshed() is index
    assert answered(index) == {"question": (120, 0)}
    assert np.array_equal(index.arms["question"].place, indexed(run).arms["question"].place)
    unchanged = index.version
    assert index.refreshed().version == unchanged


def test_a_file_that_shrank_or_other_samples_need_a_new_index(run: Run) -> None:
    index = indexed(run)
    assert index.refreshed() is index
    kept = run.folder.samples_path.read_bytes()
    run.folder.samples_path.write_bytes(kept + b'{"id":"one more","tags":{}}\n')
    index, before = index.refreshed(), index
    assert index is not before and index.named(["one more"])["one more"].row == 120
    with run.folder.answers_path.open("r+b") as file:
        file.truncate(100)
    assert index.refreshed() is not index


def test_marks_made_again_are_read_again(run: Run) -> None:
    index = indexed(run)
    path = run.folder.marks_path("robust")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(line | {"outcome": "refused"}) + "\n" for line in lines))
    index.refreshed()
    assert set(index.marks["robust"].outcome) == {CODES[Outcome.REFUSED]}


def test_damaged_lines_are_passed_over(run: Run) -> None:
    with run.folder.answers_path.open("ab") as file:
        file.write(b'{"id": 1}\nnot json\n\xff\xfe\n{"id":"torn')
    assert answered(indexed(run)) == {"question": (120, 0)}


def test_sorting_is_by_the_reply(run: Run) -> None:
    run.folder.answers_path.write_bytes(b"")
    for number, name in enumerate(ids(run)[:3]):
        call = Call(key="k", kind="api", endpoint="", model="", latency=float(number))
        added(run, Answer(id=name, prompt="question", text="x" * (3 - number), calls=(call,)))
    index = indexed(run)
    assert rows_of(index, SampleFilter(sort="longest"), [])[:3].tolist() == [0, 1, 2]
    assert rows_of(index, SampleFilter(sort="shortest"), [])[:3].tolist() == [2, 1, 0]
    assert rows_of(index, SampleFilter(sort="slowest"), [])[:3].tolist() == [2, 1, 0]
    assert rows_of(index, SampleFilter(state="answered"), []).tolist() == [0, 1, 2]
    assert len(rows_of(index, SampleFilter(state="open"), [])) == 117


@pytest.mark.parametrize("text", ["straße", "STRASSE", 'quo"te', "back\\slash", "new\nline", "plain words", "PLAIN"])
def test_a_search_finds_a_text_whatever_its_case_and_characters(run: Run, text: str) -> None:
    run.folder.answers_path.write_bytes(b"")
    said = 'on the Straße: quo"te, back\\slash, new\nline and Plain Words'
    added(
        run,
        *(Answer(id=name, prompt="question", text=said if i == 60 else "nothing") for i, name in enumerate(ids(run))),
    )
    assert rows_of(indexed(run), SampleFilter(text=text), []).tolist() == [60]


def test_a_search_looks_at_ids_but_not_at_the_ledger(run: Run) -> None:
    name = ids(run)[3]
    call = Call(key="needle", kind="api", endpoint="needle", model="needle")
    added(run, Answer(id=ids(run)[9], prompt="question", text="x", calls=(call,)))
    index = indexed(run)
    assert rows_of(index, SampleFilter(text=name.upper()), []).tolist() == [3]
    assert not len(rows_of(index, SampleFilter(text="needle"), []))


def test_an_address_gives_back_its_filter() -> None:
    from urllib.parse import parse_qsl

    wanted = SampleFilter(
        "robust", "wrong", True, "answered", "a&b=c é", "longest", (("split", "P3 & more"), ("x", "=")), 7
    )
    assert wanted_from(parse_qsl(wanted.query()[1:]), ["robust"]) == wanted
    assert SampleFilter().query() == ""


def test_nonsense_in_an_address_is_left_out() -> None:
    given = [("protocol", "no"), ("outcome", "no"), ("page", "-1"), ("sort", "no"), ("state", "no"), ("flips", "2")]
    assert wanted_from(given, ["robust"]) == SampleFilter()
    for page in ("0", "x", "٣", "9" * 5000, "1e3", ""):
        assert wanted_from([("page", page)], []).page == 1


@pytest.mark.parametrize(
    ("n", "page", "first", "count", "pages"),
    [
        (0, 1, 0, 0, 1),
        (50, 1, 0, 50, 1),
        (50, 2, 0, 50, 1),
        (51, 2, 50, 1, 2),
        (120, 3, 100, 20, 3),
        (120, 10**9, 100, 20, 3),
    ],
)
def test_pages_at_the_edges(n: int, page: int, first: int, count: int, pages: int) -> None:
    some, at, of = page_of(np.arange(n), page)
    assert some.tolist() == list(range(first, first + count)) and of == pages and at == (min(page, pages))
