"""What the pages say: runs, samples by filter, one sample, two runs side by side, and a run that goes on."""

from __future__ import annotations

import html
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image
from tests.support.endpoint import Endpoint
from tests.support.sets import write_config, write_set
from tests.viewer.served import Served, served

import snellen
from snellen.comparison.comparing import compare_runs
from snellen.comparison.verdict import p_value
from snellen.core.errors import Stopped
from snellen.core.options import Selection
from snellen.engine.runs.run import Run, open_run
from snellen.exams.salbench.data import SalBenchData


def words_of(page: str) -> str:
    """The text of a page on one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def listed(page: str) -> list[str]:
    """The samples of a list."""
    return [html.unescape(name) for name in re.findall(r'<a class="open" href="[^"]*/sample/[^"]*">([^<]*)</a>', page)]


@pytest.fixture
def run(viewer: Served, keys: list[str]) -> Run:
    entry = viewer.viewer.run_index.run(keys[0])
    assert entry is not None
    return open_run(entry.path)


# ---------------------------------------------------------------- runs


def test_the_first_page_lists_all_runs_with_their_scores(viewer: Served, runs: Path) -> None:
    page = words_of(viewer.page("/"))
    assert "2 of 2 runs" in page and "salbench · baseline/chance" in page
    for path in runs.iterdir():
        assert path.name in page
        for score in open_run(path).scores().values():
            assert score.value is not None
        first = open_run(path).scores()[("paper", "P3")]
        assert (
            f"P3 {100 * (first.value or 0):.1f} [{100 * (first.low or 0):.1f}, {100 * (first.high or 0):.1f}]" in page
        )


def test_runs_are_searched_filtered_and_sorted(viewer: Served) -> None:
    def subjects(target: str) -> list[str]:
        return re.findall(r'<a class="open" href="/run/\w+">salbench · baseline/(\w+)', viewer.page(target))

    assert subjects("/?q=CONSTANT") == ["constant"]
    assert subjects("/?q=nothing+like+it") == [] and "No run fits" in viewer.page("/?q=nothing")
    assert subjects("/?sort=subject") == ["chance", "constant"]
    assert len(subjects("/?exam=salbench&state=complete")) == 2
    assert subjects("/?state=going-on") == [] == subjects("/?exam=d3")


def test_what_is_no_run_is_named_and_a_damaged_one_too(runs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    shutil.copytree(runs, folder)
    one, other = sorted(folder.iterdir())
    (folder / "notes.txt").write_text("hello")
    (one / "run.json").write_text("{")
    summary = other / "summary.json"
    summary.write_text(summary.read_text().replace('"complete": true', '"complete": false'))
    with served(folder) as viewer:
        page = words_of(viewer.page("/"))
        assert "Passed over: 2" in page and "notes.txt (no run): a file" in page and "damaged" in page
        assert "summary cannot be used" in page
        (entry,) = viewer.viewer.run_index.found().runs
        assert "it was changed after Snellen wrote it" in words_of(viewer.page(f"/run/{entry.key}"))


def test_of_many_runs_the_latest_are_read_first_and_the_page_does_not_wait_for_the_others(
    runs: Path, tmp_path: Path
) -> None:
    one = next(runs.glob("*chance*"))
    for number in range(5):
        copy = open_run(shutil.copytree(one, tmp_path / "runs" / f"run-{number}"))
        copy.folder.write_record(msgspec.structs.replace(copy.manifest, created=f"2026-01-0{number + 1}T00:00:00Z"))
    with served(tmp_path / "runs") as viewer:
        run_index = viewer.viewer.run_index
        assert [run.pending for run in run_index.found(0.0).runs] == [True] * 5
        assert run_index.run(run_index.found(0.0).runs[3].key) is not None
        assert [run.pending for run in run_index.found(0.0).runs] == [True, True, True, False, True]
        assert [run.path.name for run in run_index.found().runs] == [f"run-{n}" for n in (4, 3, 2, 1, 0)]
        assert not any(run.pending for run in run_index.found(0.0).runs)
        summary = tmp_path / "runs" / "run-2" / "summary.json"
        summary.write_bytes(summary.read_bytes() + b"\n")
        assert [run.pending for run in run_index.found(0.0).runs] == [False, False, True, False, False]


def test_a_run_itself_may_be_named(run: Run) -> None:
    with served(run.path) as viewer:
        assert [entry.path.name for entry in viewer.viewer.run_index.found().runs] == [run.path.name]


def test_a_runs_page_has_every_score_and_leads_to_its_samples(viewer: Served, keys: list[str], run: Run) -> None:
    page = viewer.page(f"/run/{keys[0]}")
    said = words_of(page)
    for protocol in run.protocols:
        for group in protocol.groups:
            score = group.metrics.get(protocol.headline)
            if group.whole and score is not None and score.value is not None:
                assert f"{100 * score.value:.1f}" in said
    wrong = sum(m.outcome == "wrong" for m in run.marks("paper"))
    target = re.findall(r'<td class="number"><a href="([^"]+protocol=paper&amp;outcome=wrong[^"]*)"', page)[0]
    assert f"of {wrong} samples" in words_of(viewer.page(html.unescape(target)))


# ---------------------------------------------------------------- samples


def test_pages_of_samples_have_each_sample_once_and_in_order(viewer: Served, keys: list[str], run: Run) -> None:
    pages = [listed(viewer.page(f"/run/{keys[0]}/samples?page={n}")) for n in (1, 2, 3)]
    assert list(map(len, pages)) == [50, 50, 20]
    assert [name for page in pages for name in page] == [s.id for s in run.samples()]
    assert listed(viewer.page(f"/run/{keys[0]}/samples?page=99")) == pages[2]
    last = viewer.page(f"/run/{keys[0]}/samples?page=3")
    assert 'rel="next"' not in last and 'rel="prev"' in last and "101 to 120 of 120 samples" in words_of(last)


@pytest.mark.parametrize("protocol", ["paper", "robust"])
def test_a_filter_shows_the_samples_that_the_marks_name(
    viewer: Served, keys: list[str], run: Run, protocol: str
) -> None:
    for outcome in ("correct", "not-correct"):
        wanted = [m.id for m in run.marks(protocol) if (m.outcome == "correct") is (outcome == "correct")]
        page = viewer.page(f"/run/{keys[0]}/samples?protocol={protocol}&outcome={outcome}")
        assert listed(page) == wanted[:50] and wanted
        assert f"of {len(wanted)} sample" in words_of(page)


def test_a_text_a_tag_and_what_fits_nothing(viewer: Served, keys: list[str], run: Run) -> None:
    name = [s.id for s in run.samples()][77]
    assert listed(viewer.page(f"/run/{keys[0]}/samples?q={name.upper()}")) == [name]
    replies = {a.id for a in run.answers() if "color" in a.text.casefold()}
    found = words_of(viewer.page(f"/run/{keys[0]}/samples?q=color"))
    truths = {s.id for s in run.samples() if "color" in json.dumps([s.truth, s.facts]).casefold()}
    assert f"of {len(replies | truths)} samples" in found
    assert "No sample fits" in words_of(viewer.page(f"/run/{keys[0]}/samples?q=neverheardof"))
    assert "No sample fits" in words_of(viewer.page(f"/run/{keys[0]}/samples?tag.split=O3"))
    assert "of 120 samples" in words_of(viewer.page(f"/run/{keys[0]}/samples?tag.split=P3"))


def test_previous_and_next_stay_in_the_filter(viewer: Served, keys: list[str], run: Run) -> None:
    wanted = [m.id for m in run.marks("robust") if m.outcome == "correct"]
    page = viewer.page(f"/run/{keys[0]}/samples?protocol=robust&outcome=correct")
    target = html.unescape(re.findall(r'<a class="open" href="([^"]*/sample/[^"]*)"', page)[0])
    seen = []
    for _step in wanted:
        page = viewer.page(target)
        seen.append(html.unescape(re.findall(r"<h1>([^<]*)", page)[0]).strip())
        after = re.search(r'<a rel="next" href="([^"]+)"', page)
        if after is None:
            break
        target = html.unescape(after.group(1))
    assert seen == wanted
    assert f"{len(wanted)} of {len(wanted)}" in words_of(page)


def test_a_sample_shows_question_reply_readings_and_picture(viewer: Served, keys: list[str], run: Run) -> None:
    page = viewer.page(f"/run/{keys[0]}/sample/5")
    said = words_of(page)
    sample, answer = list(run.samples())[5], {a.id: a for a in run.answers()}
    assert sample.id in said and f"truth {sample.truth}" in said and f"reply {answer[sample.id].text}" in said
    for protocol in run.protocols:
        assert protocol.protocol in said
    assert "Context: Given this list of low level visual features" in said
    drawn = re.findall(r'<svg class="query"[^>]*><use href="#([^"]+)"', page)[0]
    source = re.findall(f'<image id="{drawn}" href="([^"]+)" width="8" height="8"', page)[0]
    data = viewer.ask(source)
    assert data.headers["content-type"] == "image/png" and data.headers["x-content-type-options"] == "nosniff"
    with Image.open(io.BytesIO(data.body)) as picture:
        assert picture.size == (8, 8)
    small = viewer.ask(f"/run/{keys[0]}/sample/5/small")
    assert small.headers["content-type"] == "image/webp" and small.status == 200


def test_without_its_data_a_sample_is_shown_without_its_picture(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(next(runs.glob("*chance*")), tmp_path / "runs" / "mine")
    run = open_run(tmp_path / "runs" / "mine")
    data = msgspec.structs.replace(run.manifest.data, source=str(tmp_path / "gone"))
    run.folder.write_record(msgspec.structs.replace(run.manifest, data=data))
    with served(tmp_path / "runs") as viewer:
        (entry,) = viewer.viewer.run_index.found().runs
        assert "gone is not there" in words_of(viewer.page(f"/run/{entry.key}/sample/5"))
        assert b"no picture" in viewer.ask(f"/run/{entry.key}/sample/5/small").body
    with served(tmp_path / "runs", data=runs.parent / "data") as viewer:
        assert '<svg class="query"' in viewer.page(f"/run/{entry.key}/sample/5")


# ---------------------------------------------------------------- two runs


def test_two_runs_side_by_side_say_what_compare_says(viewer: Served, keys: list[str], runs: Path) -> None:
    entries = [viewer.viewer.run_index.run(key) for key in keys]
    found = compare_runs([entry.path for entry in entries if entry is not None])
    page = viewer.page(f"/compare?run={keys[0]}&run={keys[1]}&protocol=robust&only=second")
    said = words_of(page)
    for sentence in found.verdict:
        assert sentence in said
    for row in found.rows:
        assert f'<td class="number">{html.escape(p_value(row.p_holm))}</td>' in page
    only = [flip.id for flip in found.flips if flip.protocol == "robust" and flip.only == "B"]
    names = re.findall(r'<p class="name">([^<]*)</p>', page)
    assert sorted(map(html.unescape, names)) == sorted(only)[: len(names)] or set(names) <= set(only)
    assert f"{len(only)} sample" in said and len(names) == min(50, len(only)) and only


def test_one_run_or_strangers_cannot_be_compared(viewer: Served, keys: list[str]) -> None:
    assert viewer.ask(f"/compare?run={keys[0]}").status == 400
    assert viewer.ask(f"/compare?run={keys[0]}&run={keys[0]}").status == 400
    assert viewer.ask(f"/compare?run={keys[0]}&run=000000000000").status == 404


# ---------------------------------------------------------------- a run that goes on


def test_a_run_that_goes_on_is_shown_while_it_grows(tmp_path: Path) -> None:
    """The endpoint looks at the viewer between its replies."""
    write_set(tmp_path / "data", 8)
    seen: list[str] = []
    samples: list[str] = []
    (tmp_path / "runs").mkdir()
    with served(tmp_path / "runs") as viewer:

        def script(_body: dict[str, Any], _n: int) -> tuple[int, dict[str, str], bytes]:
            seen.append(words_of(viewer.page("/")))
            entries = viewer.viewer.run_index.found().runs
            if len(seen) == 6:
                samples.append(words_of(viewer.page(f"/run/{entries[0].key}/samples?state=answered")))
                samples.append(viewer.page(f"/run/{entries[0].key}"))
            said = {"role": "assistant", "content": "Color", "reasoning_content": "thinking of it"}
            return 200, {}, json.dumps({"id": "x", "model": "m", "choices": [{"message": said}]}).encode()

        with Endpoint(script=script) as server:
            given = {"base_url": server.url, "use_store": False, "concurrency": 1}
            snellen.evaluate("salbench", model="api/m", data=tmp_path / "data", out=tmp_path / "runs", **given)
        growing = [int(n) for page in seen for n in re.findall(r"(\d+) of 8 answers, going on", page)]
        # the next question may be on its way a moment before the answer to the last one is in the file
        assert len(growing) == 8 and all(at - 1 <= n <= at for at, n in enumerate(growing)) and growing[0] == 0
        assert "not marked yet" in seen[-1]
        assert re.search(r"1 to ([45]) of \1 samples \(all: 8\)", samples[0])
        assert 'data-live="2"' in samples[1] and "GOING ON" in samples[1]
        page = words_of(viewer.page("/"))
        assert "answers, going on" not in page and "not marked yet" not in page
        assert "of 8 samples" in words_of(viewer.page(f"/run/{viewer.viewer.run_index.found().runs[0].key}/samples"))
        (entry,) = viewer.viewer.run_index.found().runs
        sample = words_of(viewer.page(f"/run/{entry.key}/sample/0"))
        assert "thinking, kept apart" in sample and "as sent (the SHA-256 is the one in the ledger)" in sample
        assert "request as sent" in sample and "parameter" in sample


# ---------------------------------------------------------------- questions that were asked several times


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    """A cannot be read the first time and is right the second and third, B is right the first time alone."""
    folder = tmp_path_factory.mktemp("again")
    data = write_set(folder / "data", 12)
    unreadable, wrong = lambda _truth: "Nothing", lambda truth: "Size" if truth == "Color" else "Color"
    for name, right_at, other in (("A", (2, 3), unreadable), ("B", (1,), wrong)):
        truths = {s.id: str(s.truth).capitalize() for s in SalBenchData(data, Selection(tasks=("D",))).light()}
        lines = [
            {
                "id": i,
                "prompt": f"question#{t}" if t > 1 else "question",
                "text": truth if t in right_at else other(truth),
            }
            for i, truth in truths.items()
            for t in (1, 2, 3)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        how: dict[str, Any] = {"protocols": ("paper", "robust"), "tasks": ("D",), "repeats": 3}
        snellen.evaluate("salbench", model=f"replay/{folder / f'{name}.jsonl'}", data=data, out=folder / "runs", **how)
    with served(folder / "runs") as found:
        yield found, folder / "runs"


def test_each_time_a_question_was_asked_has_its_answer_and_marks(again: tuple[Served, Path]) -> None:
    viewer, _runs = again
    key = next(r.key for r in viewer.viewer.run_index.found().runs if "A.jsonl" in r.manifest.subject.spec)
    page = words_of(viewer.page(f"/run/{key}"))
    assert "asked 3 times" in page and "these count answers" in page
    assert len(listed(viewer.page(f"/run/{key}/samples?protocol=paper&outcome=correct"))) == 12
    assert len(listed(viewer.page(f"/run/{key}/samples?protocol=paper&outcome=unparsable"))) == 12
    assert "No sample fits" in viewer.page(f"/run/{key}/samples?protocol=paper&outcome=wrong")
    rows = words_of(viewer.page(f"/run/{key}/samples"))
    assert "paper#2" in rows
    assert "protocols disagree" not in rows.partition("1 to 12 of 12")[2]
    sample = viewer.page(f"/run/{key}/sample/0")
    for arm, outcome in (("question", "unparsable"), ("question#2", "correct"), ("question#3", "correct")):
        block = words_of(sample.partition(f"Asked with '{arm}'")[2].partition("Asked with")[0])
        marks = block.partition("Marks of")[2].partition("request as sent")[0]
        assert outcome in marks and ("correct" in marks) == (outcome == "correct"), (arm, marks)


def test_runs_side_by_side_go_by_what_mostly_became_of_a_sample(again: tuple[Served, Path]) -> None:
    viewer, runs = again
    keys = {r.manifest.subject.spec[-7]: r.key for r in viewer.viewer.run_index.found().runs}
    page = viewer.page(f"/compare?run={keys['A']}&run={keys['B']}&protocol=paper&only=first")
    row = compare_runs([next(p for p in runs.iterdir() if p.name == r) for r in names_of(viewer, keys)]).row("paper")
    assert (row.only_first, row.only_second) == (12, 0)
    assert "only A right (12)" in words_of(page) or "only A right 12" in words_of(page)


def names_of(viewer: Served, keys: dict[str, str]) -> list[str]:
    """The folders of runs A and B."""
    by_key = {r.key: r.path.name for r in viewer.viewer.run_index.found().runs}
    return [by_key[keys[letter]] for letter in "AB"]


def test_calls_that_failed_are_no_answers_and_silence_is_one_box(tmp_path: Path) -> None:
    for config in ("P3", "O3"):
        write_config(tmp_path / "data", config, 3)
    how = {"data": tmp_path / "data", "out": tmp_path / "runs", "use_store": False}
    refusing = Endpoint(script=lambda _body, _n: (400, {}, b'{"error":{"message":"no"}}'))
    with refusing as server, pytest.raises(Stopped, match="none of the 6 questions"):
        snellen.evaluate("salbench", model="api/m", base_url=server.url, **how)  # type: ignore[arg-type]
    with served(tmp_path / "runs") as viewer:
        assert "0 of 6 answers, 6 failed, not complete" in words_of(viewer.page("/"))
        shown = viewer.page(f"/run/{viewer.viewer.run_index.found().runs[0].key}")
    assert shown.count('role="note"><strong>NO ANSWER') == 1
    assert "and 1 more part with many non-answers NO ANSWER: 3 of 3 in O3" in words_of(shown)
