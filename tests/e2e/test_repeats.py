"""`--repeats` against an endpoint that answers at random: every time is really asked, kept apart, resumed, and never paid twice."""

from __future__ import annotations

import contextlib
import json
import random
import signal
import time
from collections import Counter
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest
from tests.support.batch_server import OpenAIBatchServer
from tests.support.command import snellen as command
from tests.support.command import start
from tests.support.endpoint import Endpoint, completion
from tests.support.sets import write_set

import snellen
from snellen.core.arm import Arm
from snellen.core.errors import SnellenError, Stopped
from snellen.engine.mark.verify import verify

COUNT, TIMES = 12, 3
PLACES = (("D", "--out"), ("D", "--data"))
LABELS = ("Color", "Orientation", "Size", "Nothing at all")


def at_random(seed: int = 4) -> Endpoint:
    """Says anything to anyone, at a price: what is paid for is taken from the store as it is."""
    draw = random.Random(seed)

    def script(request: dict[str, Any], _time: int) -> tuple[int, dict[str, str], bytes]:
        return 200, {}, json.dumps(completion(draw.choice(LABELS), request["model"], 0.001)).encode()

    return Endpoint(script=script)


def evaluate(data: Path, endpoint: Endpoint, out: Path, *, warns: bool = False, **how: Any) -> snellen.Run:
    with pytest.warns(UserWarning) if warns else contextlib.nullcontext():
        return snellen.evaluate("salbench", model="api/fake", base_url=endpoint.url, data=data, out=out, **how)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_set(tmp_path / "set", COUNT)


def said(run: snellen.Run) -> dict[tuple[str, str], str]:
    return {(a.id, a.prompt): a.text for a in run.answers()}


def test_every_question_is_asked_so_often_and_the_answers_are_kept_apart(data: Path, tmp_path: Path) -> None:
    with at_random() as endpoint:
        run = evaluate(data, endpoint, tmp_path / "runs", repeats=TIMES)
        assert set(endpoint.asked.values()) == {TIMES}
        assert len(endpoint.requests) == COUNT * TIMES
    replies = said(run)
    assert {Arm.parse(prompt).repeat for _id, prompt in replies} == {1, 2, 3}
    assert len(replies) == COUNT * TIMES
    assert any(len({replies[i, p] for p in ("question", "question#2", "question#3")}) > 1 for i, _p in replies)
    assert len({a.calls[0].key for a in run.answers()}) == COUNT * TIMES
    assert run.summary.complete
    assert run.summary.asked == {"question": COUNT, "question#2": COUNT, "question#3": COUNT}
    assert run.summary.totals.cost == pytest.approx(COUNT * TIMES * 0.001)


def test_more_repeats_ask_those_that_are_missing_and_fewer_lose_nothing(data: Path, tmp_path: Path) -> None:
    with at_random() as endpoint:
        first = evaluate(data, endpoint, tmp_path / "runs")
        before = said(first)
        grown = evaluate(data, endpoint, tmp_path / "runs", repeats=TIMES)
        assert grown.path == first.path
        assert len(endpoint.requests) == COUNT * TIMES
        assert before.items() <= said(grown).items()
        assert grown.manifest.questions == {"question": COUNT, "question#2": COUNT, "question#3": COUNT}
        assert (list(verify(grown.path).differences), verify(grown.path).total) == ([], 0)
        assert not [said for said in verify(grown.path).unchecked if "#" in said]
        again = evaluate(data, endpoint, tmp_path / "runs", repeats=1, warns=True)
        assert len(endpoint.requests) == COUNT * TIMES
    assert said(again) == said(grown)
    assert again.summary.protocols[0].repeats == TIMES
    assert again.summary.complete


def test_another_run_takes_each_repeat_from_the_store_by_its_number(data: Path, tmp_path: Path) -> None:
    with at_random() as endpoint:
        first = evaluate(data, endpoint, tmp_path / "runs", repeats=2)
        other = evaluate(data, endpoint, tmp_path / "others", repeats=TIMES)
        assert len(endpoint.requests) == COUNT * TIMES
    assert said(first).items() <= said(other).items()
    assert other.summary.totals.stored == 2 * COUNT


def test_a_run_that_the_cap_stopped_goes_on_without_asking_again(data: Path, tmp_path: Path) -> None:
    with at_random() as endpoint:
        with pytest.raises(Stopped):
            evaluate(data, endpoint, tmp_path / "runs", repeats=TIMES, max_cost=0.0101, concurrency=1)
        run = evaluate(data, endpoint, tmp_path / "runs", repeats=TIMES)
        assert set(endpoint.asked.values()) == {TIMES}
    assert run.summary.complete


def test_killed_in_the_middle_it_is_resumed_and_nothing_answered_is_asked_again(tmp_path: Path) -> None:
    data, out, cache = write_set(tmp_path / "set", 40), tmp_path / "runs", tmp_path / "cache"
    with at_random() as endpoint:
        endpoint.delay = 0.05
        words = ("run", "salbench", "--data", data, "--model", "api/fake", "--base-url", endpoint.url, "--out", out)
        words += ("--repeats", TIMES, "--concurrency", 4)
        process = start(*words, cache=cache)
        while process.poll() is None and sum(f.read_bytes().count(b"\n") for f in out.glob("*/answers.jsonl")) < 30:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        (answers,) = out.glob("*/answers.jsonl")
        lines = answers.read_bytes().split(b"\n")[:-1]
        before = {(a["id"], a["prompt"]): a["text"] for a in map(json.loads, lines)}
        assert 30 <= len(before) < 40 * TIMES
        asked = len(endpoint.requests)
        done = command(*words, cache=cache)
        assert done.returncode == 0, done.stderr
        assert len(endpoint.requests) - asked <= 40 * TIMES - len(before)
    run = snellen.open_run(answers.parent)
    assert before.items() <= said(run).items()
    assert run.summary.complete


def test_a_batch_holds_every_repeat_as_a_request_of_its_own(tmp_path: Path) -> None:
    data, draw = write_set(tmp_path / "set", COUNT), random.Random(2)

    def respond(request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return 200, completion(draw.choice(LABELS), request["model"])

    with OpenAIBatchServer(respond) as server:
        words = (
            "run",
            "salbench",
            "--data",
            data,
            "--model",
            "openai-chat/gpt-4o",
            "--base-url",
            f"{server.origin}/v1",
        )
        words += ("--api-key", "sk-test-0123456789abcdef", "--out", tmp_path / "runs", "--price", "2/8", "--batch-api")
        done = command(*words, "--repeats", 2, cache=tmp_path / "c")
        assert done.returncode == 0, done.stderr
        assert len(server.paid()) == len(set(server.paid())) == 2 * COUNT
    run = snellen.open_run(next((tmp_path / "runs").iterdir()))
    assert Counter(a.prompt for a in run.answers()) == {"question": COUNT, "question#2": COUNT}


def test_a_seed_that_is_sent_grows_with_the_repeat(data: Path, tmp_path: Path) -> None:
    with at_random() as endpoint:
        evaluate(data, endpoint, tmp_path / "runs", repeats=TIMES, model_seed=7)
        assert Counter(r["seed"] for r in endpoint.requests) == {7: COUNT, 8: COUNT, 9: COUNT}


# ---------------------------------------------------------------- what is made of them


def right(run: snellen.Run, protocol: str, repeat: int) -> dict[str, float]:
    return {m.id: float(m.outcome.value == "correct") for m in run.marks(protocol, repeat)}


def test_scores_are_over_all_repeats_with_their_spread_and_the_run_verifies(data: Path, tmp_path: Path) -> None:
    with at_random() as endpoint:
        run = evaluate(data, endpoint, tmp_path / "runs", repeats=TIMES)
    each = [fmean(right(run, "robust", t).values()) for t in (1, 2, 3)]
    robust = next(p for p in run.summary.protocols if p.protocol == "robust")
    group = next(g for g in robust.groups if g.whole)
    score = group.metrics["exact_match"]
    assert score.value == pytest.approx(fmean(each))
    assert (group.n, score.n, group.answers) == (COUNT, COUNT, COUNT * TIMES)
    assert score.spread is not None
    assert score.spread.sd == pytest.approx(stdev(each))
    macro = group.metrics["macro_f1"]
    assert macro.spread is not None
    assert macro.value == pytest.approx(fmean(macro.spread.each))
    rows = [r for r in run.score_rows() if r.protocol == "robust" and r.metric == "exact_match" and r.whole]
    assert [(r.repeats, r.n, r.spread_sd) for r in rows] == [(TIMES, COUNT, score.spread.sd)]
    samples = [r for r in run.sample_rows() if r.protocol == "robust"]
    assert Counter(r.repeat for r in samples) == {1: COUNT, 2: COUNT, 3: COUNT}
    told = said(run)
    assert all(r.reply == told[r.id, Arm("question", repeat=r.repeat).text] for r in samples)
    assert verify(run.path).total == 0


def test_a_changed_mark_of_a_later_repeat_is_found_and_made_again(data: Path, tmp_path: Path) -> None:
    with at_random() as endpoint:
        run = evaluate(data, endpoint, tmp_path / "runs", repeats=2)
        path = run.path / "marks" / "paper#2.jsonl"
        whole = path.read_bytes()
        path.write_bytes(whole.replace(b'"wrong"', b'"correct"', 1))
        found = verify(run.path)
        assert {d.file for d in found.differences} == {"marks/paper#2.jsonl"}
        path.unlink()
        evaluate(data, endpoint, tmp_path / "runs", repeats=2, warns=True)
    assert path.read_bytes() == whole


def test_controls_are_compared_by_the_means_over_repeats(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 30)
    with at_random() as endpoint:
        run = evaluate(data, endpoint, tmp_path / "runs", repeats=2, controls=("shuffled",))
    row = next(r for r in run.summary.controls if r.protocol == "paper")
    plain, shuffled = (
        fmean(fmean(right(run, name, t).values()) for t in (1, 2)) for name in ("paper", "paper@question+shuffled")
    )
    assert (row.score, row.control_score, row.n) == (pytest.approx(plain), pytest.approx(shuffled), 30)


def test_papers_files_are_of_the_first_time(data: Path, tmp_path: Path) -> None:
    with at_random() as endpoint:
        once = evaluate(data, endpoint, tmp_path / "runs")
        before = {p.name: p.read_bytes() for p in (once.path / "exports").iterdir() if p.is_file()}
        grown = evaluate(data, endpoint, tmp_path / "runs", repeats=TIMES)
    after = {p.name: p.read_bytes() for p in (grown.path / "exports").iterdir() if p.is_file()}
    assert before.keys() == after.keys()
    rows = {n for n in before if b"cost" not in before[n].lower() and b"usd" not in before[n].lower()}
    assert rows
    assert all(before[n] == after[n] for n in rows)


def test_the_terminal_says_how_often_was_asked_and_how_alike_the_answers_are(data: Path, tmp_path: Path) -> None:
    with at_random() as endpoint:
        words = ("run", "salbench", "--data", data, "--model", "api/fake", "--base-url", endpoint.url)
        done = command(*words, "--out", tmp_path / "runs", "--repeats", TIMES, cache=tmp_path / "c", COLUMNS="80")
    assert done.returncode == 0, done.stderr
    assert f"{COUNT} samples · asked {TIMES} times" in done.stdout
    shown = " ".join(done.stdout.split())
    assert f"Of {COUNT} samples asked {TIMES} times, right each time: " in shown
    assert "] ±" in shown
    assert max(map(len, done.stdout.splitlines()[:-3])) <= 80


# ---------------------------------------------------------------- without repeats, and where there are none


def test_without_repeats_nothing_in_the_folder_speaks_of_them(data: Path, tmp_path: Path) -> None:
    with at_random() as endpoint:
        run = evaluate(data, endpoint, tmp_path / "runs", repeats=1)
    files = [p for p in run.path.rglob("*") if p.is_file()]
    assert not [p for p in files if "#" in p.name]
    for word in (b'"repeat', b'"spread', b'"consistency', b"question#"):
        assert not [p.name for p in files if word in p.read_bytes()]


@pytest.mark.parametrize("model", ["baseline/pixels", "baseline/constant:Color"])
def test_who_always_says_the_same_is_not_asked_twice(model: str, data: Path, tmp_path: Path) -> None:
    done = command("run", "salbench", "--data", data, "--model", model, "--repeats", 3, cache=tmp_path / "c")
    assert done.returncode == 2
    assert "--repeats 3 would measure nothing: " in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_recorded_replies_have_as_many_repeats_as_were_recorded(data: Path, tmp_path: Path) -> None:
    with at_random() as endpoint:
        run = evaluate(data, endpoint, tmp_path / "runs", repeats=2)
    again = snellen.evaluate(
        "salbench", model=f"replay/{run.path / 'answers.jsonl'}", data=data, repeats=2, out=tmp_path / "others"
    )
    assert said(again) == said(run)
    with pytest.raises(SnellenError, match="has 2 replies to a question"):
        snellen.evaluate("salbench", model=f"replay/{run.path / 'answers.jsonl'}", data=data, repeats=3, out=tmp_path)


def test_chance_draws_anew_each_time(data: Path, tmp_path: Path) -> None:
    run = snellen.evaluate("salbench", model="baseline/chance", data=data, repeats=2, out=tmp_path / "runs")
    replies = said(run)
    assert any(replies[i, "question"] != replies[i, "question#2"] for i, _p in replies)


@pytest.mark.parametrize("repeats", [0, -1, 101])
def test_a_number_that_makes_no_sense_is_refused(repeats: int, data: Path, tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match=f"--repeats {repeats}: a number from 1 to 100"):
        snellen.evaluate("salbench", model="baseline/chance", data=data, repeats=repeats, out=tmp_path / "runs")


def test_a_protocol_cannot_be_asked_for_one_repeat(data: Path, tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="marks all repeats of 'question' together"):
        snellen.evaluate("salbench", model="baseline/chance", data=data, protocols=("paper@question#2",), out=tmp_path)


def test_an_estimate_counts_every_repeat(data: Path, tmp_path: Path) -> None:
    words = ("run", "salbench", "--dry-run", "--data", data, "--model", "openai/gpt-4o", "--json")
    once, thrice = (
        json.loads(command(*words, *more, cache=tmp_path / "c").stdout)["runs"][0]
        for more in ((), ("--repeats", TIMES))
    )
    assert thrice["repeats"] == TIMES
    assert thrice["calls"] == TIMES * once["calls"]
    assert thrice["money_usd"] == pytest.approx(TIMES * once["money_usd"])


def test_the_documented_example_is_what_the_command_prints(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "running.md").read_text(encoding="utf-8")
    block = next(b for b in page.split("```") if "--repeats 5\n" in b)
    made, ran, *lines = block.strip().splitlines()
    for line in (made, ran):
        every = line.removeprefix("$ snellen ").split()
        pairs = zip(["", *every], every, strict=False)
        given = [tmp_path / "D" if (word, before) in PLACES else word for before, word in pairs]
        done = command(
            *given, *(("--out", tmp_path / "runs") if line is ran else ()), cache=tmp_path / "c", COLUMNS="80"
        )
        assert done.returncode == 0, done.stderr
    printed = [line.rstrip() for line in done.stdout.splitlines()]
    assert [line for line in lines if line not in (*printed, "...")] == []
