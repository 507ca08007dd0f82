"""Many non-answers are loud: in the terminal, the page, `--json` and the exit code. A zero must not pass for a measurement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen
from tests.support.endpoint import Endpoint, completion
from tests.support.sets import write_set

from snellen import evaluate, exams
from snellen.core.results import GroupSummary, ProtocolSummary, Score
from snellen.core.unanswered import lost_parts, silent_parts


def _group(by: str, **outcomes: int) -> GroupSummary:
    return GroupSummary(by={"config": by}, n=sum(outcomes.values()), outcomes=outcomes, metrics={}, whole=True)


def _protocol(name: str, *groups: GroupSummary) -> ProtocolSummary:
    return ProtocolSummary(protocol=name, version="1", prompt="question", headline="f1", groups=groups)


def test_a_part_is_silent_above_one_in_twenty() -> None:
    quiet, loud = _group("P3", correct=19, unparsable=1), _group("O3", correct=18, wrong=0, truncated=2)
    found = silent_parts([_protocol("paper", quiet, loud)])
    assert [(row.by["config"], row.missing, row.n, row.outcomes) for row in found] == [("O3", 2, 20, {"truncated": 2})]


def test_a_part_is_lost_only_if_no_protocol_reads_it() -> None:
    unread, read = _group("P3", unparsable=9, correct=1), _group("P3", wrong=9, correct=1)
    assert lost_parts([_protocol("paper", unread), _protocol("robust", read)]) == ()
    assert [row.by for row in lost_parts([_protocol("paper", unread), _protocol("strict", unread)])] == [
        {"config": "P3"}
    ]


def test_a_refusal_is_an_answer_where_it_can_be_right() -> None:
    """OSWorld-G asks for things that are not on the screen: who wrongly says so of all was wrong, not silent."""

    def part(accuracy: float, **outcomes: int) -> ProtocolSummary:
        metrics = {"refusal_accuracy": Score(value=accuracy, n=2)}
        return _protocol("click", GroupSummary(by={}, n=20, outcomes=outcomes, metrics=metrics, whole=True))

    assert silent_parts([part(1.0, correct=2, refused=18)]) == lost_parts([part(1.0, correct=2, refused=18)]) == ()
    assert lost_parts([part(0.0, refused=20)])  # a filter's
    assert lost_parts([part(1.0, correct=2, truncated=18)])


def test_no_filter_is_blamed_where_no_provider_answered(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Refusals come from the model: their words"):
        evaluate(write_set(tmp_path / "d", 2), model="baseline/constant:I cannot help with that", out=tmp_path / "r")


def thinks_the_cap_away(request: dict[str, Any], _nth: int) -> tuple[int, dict[str, str], bytes] | None:
    """Like a model that thinks 2,000 tokens before it speaks, and is not told how much it may think."""
    cap = request.get("max_tokens", 0)
    reply = completion("Size" if cap > 2000 else "", finish="stop" if cap > 2000 else "length")
    reply["choices"][0]["message"]["reasoning_content"] = "Is it color? " * 20
    reply["usage"] |= {
        "completion_tokens": min(cap, 2001),
        "completion_tokens_details": {"reasoning_tokens": min(cap, 2000)},
    }
    return 200, {}, json.dumps(reply).encode()


def test_an_endpoint_that_thinks_the_cap_away(tmp_path: Path) -> None:
    data = write_set(tmp_path / "d", 6)
    with Endpoint(script=thinks_the_cap_away) as endpoint:
        words = (
            "run",
            "salbench",
            "--data",
            data,
            "--model",
            "api/m",
            "--base-url",
            endpoint.url,
            "--out",
            tmp_path / "r",
        )
        done = snellen(*words, cache=tmp_path / "c")
        assert done.returncode == 3
        assert "NO ANSWER: 6 of 6 in P3 (6 truncated), counted as wrong." in done.stdout
        assert "counted as wrong. Its exact match could be 0.0 to 100.0." in " ".join(done.stdout.split())
        assert "100 % no answer" in done.stdout
        assert "--max-thinking 8192" in done.stderr
        again = snellen(*words, "--json", cache=tmp_path / "c")
        assert again.returncode == 3
        told = json.loads(again.stdout)
        assert told["lost"][0]["outcomes"] == {"truncated": 6}
        assert "--reasoning low" in told["advice"][0]
        right = snellen(*words, "--reasoning", "medium", cache=tmp_path / "c")
        assert right.returncode == 0, right.stderr
        assert "NO ANSWER" not in right.stdout
    page = tmp_path / "report.html"
    runs = sorted((tmp_path / "r").glob("salbench_*"))
    assert snellen("report", *runs, "--out", page, cache=tmp_path / "c").returncode == 0
    shown = page.read_text()
    assert "NO ANSWER: 6 of 6 in P3" in shown
    assert "100 % no answer" in shown
    assert "thinking, kept apart from the reply and never marked" in shown


def test_unreadable_replies_under_one_protocol_are_told_but_are_no_stop(tmp_path: Path) -> None:
    data = write_set(tmp_path / "d", 6)
    with Endpoint(answer="The **Colour**.") as endpoint:
        done = snellen(
            *(
                "run",
                "salbench",
                "--data",
                data,
                "--model",
                "api/m",
                "--base-url",
                endpoint.url,
                "--out",
                tmp_path / "r",
            ),
            cache=tmp_path / "c",
        )
    assert done.returncode == 0, done.stderr
    assert "NO ANSWER: 6 of 6 in P3 (6 unparsable)" in done.stdout
    said = " ".join(done.stdout.split())
    assert "'paper' cannot read 100 % of the replies, and 'robust' reads 100 % of them" in said


def test_advice_names_the_protocol_that_reads_most_even_where_it_misses_some() -> None:
    from snellen.engine.mark.advice import _unread

    paper = _protocol("paper", _group("P3", correct=52, unparsable=48), _group("O3", correct=50, unparsable=50))
    robust = _protocol("robust", _group("P3", correct=92, unparsable=8), _group("O3", correct=100))
    said = _unread(exams.load("salbench"), [paper, robust])
    assert said.startswith("'paper' cannot read 49 % of the replies, and 'robust' reads 96 % of them")
    assert "snellen mark RUN --protocol robust" in _unread(exams.load("salbench"), [paper])
    nobody = _unread(exams.load("salbench"), [paper, _protocol("robust", *paper.groups)])
    assert "the prompt may ask for a form" in nobody and "snellen report" not in nobody, "the page shows it, too"
