"""Replies that were cut off: after an answer they are that answer, and inside a thought they are nothing, under every protocol."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.command import snellen
from tests.support.endpoint import Endpoint, completion
from tests.support.sets import write_set

from snellen.core.extras import rows_of
from snellen.core.outcomes import mark_reply
from snellen.core.types import Outcome, Sample
from snellen.exams.eye.protocols import PROTOCOLS as EYE
from snellen.exams.grounding.protocols import PROTOCOLS as GROUNDING
from snellen.exams.illusionbench.protocols import PROTOCOLS as ILLUSIONBENCH
from snellen.exams.own.protocols import PROTOCOLS as OWN
from snellen.exams.salbench.protocols import PROTOCOLS as SALBENCH
from snellen.exams.vqa_nle.exam import VQAX

BOX = {"boxes": [[0, 0, 100, 100]], "absent": False}
ASKED = (
    (SALBENCH, Sample(id="s", tags={"split": "P3"}, truth="Color"), "Color"),
    (OWN, Sample(id="o", tags={"task": "text"}, truth=["Color"]), "Color"),
    (EYE, Sample(id="e", tags={"faculty": "letters"}, truth="K"), "K"),
    (
        ILLUSIONBENCH,
        Sample(
            id="i/1", tags={"split": "Illusion_IN", "task": "shape", "shape": "cat", "scene": "Forest"}, truth="cat"
        ),
        "cat",
    ),
    (GROUNDING, Sample(id="g", tags={}, truth=BOX, facts={"width": 100, "height": 100}), "(50, 50)"),
    (VQAX.protocols, rows_of(VQAX).sample({"id": 1, "answers": ["color"] * 3}), "color because it glows"),
)


@pytest.mark.parametrize("finish", ["stop", "length"])
def test_a_thought_that_was_cut_is_never_read(finish: str) -> None:
    none = Outcome.TRUNCATED if finish == "length" else Outcome.UNPARSABLE
    for protocols, sample, right in ASKED:
        for protocol in protocols.values():
            mark = mark_reply(protocol, sample, f"<think>{right}", finish)
            assert (mark.outcome, mark.reading, mark.metrics) == (none, None, protocol.blank(sample)), protocol.name


def test_a_readable_answer_that_was_cut_is_that_answer() -> None:
    sample = rows_of(VQAX).sample({"id": 1, "answers": ["yes"] * 3})
    for name in ("strict", "e-vil", "multimodal-vqa-eval", "nlxgpt"):
        for word, outcome in (("no", Outcome.WRONG), ("yes", Outcome.CORRECT)):
            mark = mark_reply(VQAX.protocols[name], sample, f"{word} because the man is", "length")
            assert mark.outcome is outcome, name
    number = Sample(id="1", tags={"task": "number"}, truth=3.0)
    assert mark_reply(OWN["robust"], number, "There are several, so let us", "length").outcome is Outcome.TRUNCATED


def test_an_endpoint_that_only_thinks_gives_no_score_and_one_that_was_cut_says_so(tmp_path: Path) -> None:
    data = write_set(tmp_path / "d", 6)

    def run(reply: str, finish: str, *more: str) -> tuple[int, str, str]:
        body = json.dumps(completion(reply, finish=finish)).encode()
        with Endpoint(script=lambda _request, _n: (200, {}, body)) as endpoint:
            words = ("run", "salbench", "--data", data, "--model", "api/m", "--base-url", endpoint.url, "--fresh")
            done = snellen(*words, "--out", tmp_path / "r", *more, cache=tmp_path / reply[:3].strip("<"))
        return done.returncode, " ".join(done.stdout.split()), done.stderr

    code, shown, told = run("<think>It may be color", "stop", "--protocol", "plan-v2")
    assert code == 3, shown
    assert "NO ANSWER: 6 of 6" in shown
    assert "ended inside their thinking" in told
    code, shown, _told = run("Size", "length")
    assert code == 0
    assert "Note: 6 replies were cut off at the token limit after a readable answer; they count as that answer" in shown
    assert "NO ANSWER" not in shown
