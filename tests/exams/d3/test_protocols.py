"""Marking: ties, both captions or one, several scorers, sets, and replies that have no captions."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from tests.support.extras import of

from snellen.core.errors import SnellenError
from snellen.core.extras import CaptionScoring, probes_of
from snellen.core.outcomes import mark_answer, mark_reply
from snellen.core.protocol import ReplyContext
from snellen.core.results import declared
from snellen.core.scorer import Similarities
from snellen.core.types import Answer, Failure, Mark, Outcome, Picture
from snellen.exams.d3.exam import EXAM as BENCHMARK
from snellen.exams.d3.names import PAIR, set_names
from snellen.exams.d3.position import position_bias
from snellen.exams.d3.prompts import TEXT, probe, text_of
from snellen.exams.d3.retrieval import retrieve
from snellen.stats.tally import summarised

ORIGINAL, STRICT = BENCHMARK.protocols["original"], BENCHMARK.protocols["strict"]
PROBE = probes_of(BENCHMARK)[0]
REPLY = json.dumps({"left_image": "Darker than the right image.", "right_image": "A dog"})


def evidence(
    table: list[list[float]], truncated: list[bool] | None = None, **more: list[list[float]]
) -> list[Similarities]:
    main = Similarities("main", table, truncated or [False] * len(table))
    return [main, *(Similarities(name, t, [False] * len(t)) for name, t in more.items())]


def test_all_metrics_of_a_pair() -> None:
    verdict = ORIGINAL.judge(REPLY, PROBE, ReplyContext(evidence=evidence([[0.3, 0.1], [0.25, 0.2]], [True, False])))
    assert verdict.reading == {"left": "Darker than the right image.", "right": "A dog"}
    assert (verdict.readable, verdict.correct) == (True, False)
    assert verdict.metrics == pytest.approx(
        {
            "both": 0.0,
            "recall": 0.5,
            "left": 1.0,
            "right": 0.0,
            "image_to_text": 1.0,
            "margin": (0.2 - 0.05) / 2,
            "words": 3.5,
            "position_words": 1.0,
            "position_captions": 1.0,
            "position_wide": 1.0,
            "truncated": 1.0,
        }
    )
    assert all(isinstance(v, float) for v in verdict.metrics.values())


def test_a_tie_is_right_as_in_the_original_and_wrong_under_strict() -> None:
    tied = evidence([[0.5, 0.5], [0.5, 0.5]])
    lenient, strict = (p.judge(REPLY, PROBE, ReplyContext(evidence=tied)) for p in (ORIGINAL, STRICT))
    assert (lenient.correct, lenient.metrics["both"], lenient.metrics["image_to_text"]) == (True, 1.0, 1.0)
    assert (strict.correct, strict.metrics["both"], strict.metrics["recall"], strict.metrics["image_to_text"]) == (
        False,
        0.0,
        0.0,
        0.0,
    )
    assert strict.metrics["margin"] == 0.0
    clear = evidence([[0.5, 0.4], [0.1, 0.2]])
    assert all(p.judge(REPLY, PROBE, ReplyContext(evidence=clear)).correct for p in (ORIGINAL, STRICT))


def test_further_scorers_have_metrics_of_their_own_and_do_not_decide() -> None:
    right, wrong = [[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.8, 0.9]]
    verdict = ORIGINAL.judge(REPLY, PROBE, ReplyContext(evidence=evidence(right, clip=wrong)))
    assert verdict.correct
    assert (verdict.metrics["both.clip"], verdict.metrics["recall.clip"]) == (0.0, 0.5)
    assert verdict.metrics["margin.clip"] == pytest.approx((-0.8 + 0.1) / 2)


def test_without_a_scorer_captions_are_read_and_nothing_is_marked() -> None:
    verdict = ORIGINAL.judge(REPLY, PROBE)
    assert verdict.reading["left"].startswith("Darker")
    assert (verdict.readable, verdict.correct) == (True, False)
    assert verdict.outcome is Outcome.UNMARKED
    known = {k: v for k, v in verdict.metrics.items() if v is not None}
    assert known == {"words": 3.5, "position_words": 1.0, "position_captions": 1.0, "position_wide": 1.0}


def test_a_cut_reply_with_all_its_captions_keeps_what_they_are_worth() -> None:
    table = evidence([[0.3, 0.1], [0.25, 0.2]])
    whole = mark_reply(ORIGINAL, PROBE, REPLY, "stop", evidence=table)
    cut = mark_reply(ORIGINAL, PROBE, REPLY + "\nThe ", "length", evidence=table)
    assert cut.outcome is Outcome.WRONG
    assert cut.metrics == whole.metrics
    assert cut.metrics["recall"] == 0.5
    assert cut.metrics["words"] == 3.5


@pytest.mark.parametrize("protocol", [ORIGINAL, STRICT])
def test_non_answers_are_no_hits_and_have_no_length(protocol: Any) -> None:
    marks = {
        Outcome.UNPARSABLE: mark_answer(protocol, PROBE, Answer(id="x", prompt="pair", text="Both show a dog.")),
        Outcome.EMPTY: mark_answer(protocol, PROBE, Answer(id="x", prompt="pair", text="")),
        Outcome.ERROR: mark_answer(
            protocol, PROBE, Answer(id="x", prompt="pair", failure=Failure(kind="k", reason="r"))
        ),
        Outcome.REFUSED: mark_answer(protocol, PROBE, Answer(id="x", prompt="pair", text="I'm sorry, no.")),
    }
    for outcome, mark in marks.items():
        assert mark.outcome is outcome
        assert (mark.metrics["both"], mark.metrics["left"], mark.metrics["recall"]) == (0.0, 0.0, 0.0)
        assert mark.metrics["words"] is None
        assert mark.metrics["margin"] is None


def test_sets_of_more_than_two() -> None:
    sample = probe(set_names(3))
    reply = json.dumps({"image1": "a", "image2": "b", "image3": "c"})
    one_wrong = evidence([[0.9, 0.1, 0.2], [0.3, 0.4, 0.1], [0.6, 0.1, 0.5]])
    verdict = ORIGINAL.judge(reply, sample, ReplyContext(evidence=one_wrong))
    assert (verdict.metrics["both"], verdict.metrics["recall"]) == (0.0, pytest.approx(2 / 3))
    assert [verdict.metrics[n] for n in set_names(3)] == [1.0, 1.0, 0.0]
    assert verdict.metrics["margin"] == pytest.approx((0.7 + 0.1 - 0.1) / 3)
    assert verdict.reading == {"image1": "a", "image2": "b", "image3": "c"}
    assert of(BENCHMARK, CaptionScoring).captions(reply, sample) == ("a", "b", "c")
    with pytest.raises(SnellenError, match="not a table of 3 x 3"):
        ORIGINAL.judge(reply, sample, ReplyContext(evidence=evidence([[1.0, 0.0], [0.0, 1.0]])))


def test_chance_is_what_captions_that_know_nothing_get() -> None:
    import random

    draw = random.Random(5)
    for count in (2, 3):
        tables = [[[draw.random() for _ in range(count)] for _ in range(count)] for _ in range(8000)]
        found = [retrieve(t, ties=False) for t in tables]
        assert sum(f.both for f in found) / 8000 == pytest.approx((1 / count) ** count, abs=0.015)
        assert sum(f.recall for f in found) / 8000 == pytest.approx(1 / count, abs=0.015)
        assert sum(f.image_to_text for f in found) / 8000 == pytest.approx(1 / count, abs=0.015)


def test_a_similarity_that_is_no_number_is_no_hit() -> None:
    nan = float("nan")
    verdict = ORIGINAL.judge(REPLY, PROBE, ReplyContext(evidence=evidence([[nan, 0.1], [0.1, 0.9]])))
    assert (verdict.metrics["left"], verdict.metrics["both"], verdict.metrics["margin"]) == (0.0, 0.0, None)


def test_every_metric_is_declared_with_its_unit_and_a_sample_has_counts_where_a_group_has_shares() -> None:
    verdict = ORIGINAL.judge(
        REPLY, PROBE, ReplyContext(evidence=evidence([[0.9, 0.1], [0.1, 0.9]], clip=[[0.9, 0.1], [0.1, 0.9]]))
    )
    mark = Mark(id=PROBE.id, outcome=Outcome.CORRECT, metrics=verdict.metrics)
    (group,) = summarised(ORIGINAL, [(PROBE, mark)])
    assert all(any(m.fits(name) for m in ORIGINAL.metrics) for name in (*verdict.metrics, *group.metrics))
    units = {name: declared(ORIGINAL.metrics, name).unit for name in verdict.metrics}
    assert {k: u for k, u in units.items() if u} == {
        "margin": "cosine",
        "margin.clip": "cosine",
        "words": "words",
        "position_captions": "count",
        "position_wide": "count",
    }
    assert verdict.metrics["position_captions"] == 1.0
    share = group.metrics["position_captions"]
    assert (share.value, share.n, share.unit) == (0.5, 2, "")
    assert declared(ORIGINAL.metrics, "margin_p50.clip").label_of("margin_p50.clip") == "margin p50 by clip"


# ---------------------------------------------------------------- asking


def test_the_question_has_both_pictures_then_the_originals_words_and_no_truth() -> None:
    sample = msgspec.structs.replace(
        PROBE, pictures=(Picture(data=b"L"), Picture(data=b"R")), facts=PROBE.facts | {"secret": "s"}
    )
    question = BENCHMARK.ask("pair", sample)
    assert [getattr(p, "data", None) for p in question.parts] == [b"L", b"R", None]
    assert question.text == TEXT
    assert question.text == (
        "Identify finegrained visual differences between both images and use them to generate a discriminant caption for each image. "
        "Each caption should uniquely describe the image and highlight the distinct features that set the image apart from the other. "
        "Output JSON format with 'left_image' and 'right_image' as keys, and their captions as string values."
    )
    assert b"secret" not in msgspec.json.encode(question)


def test_a_set_is_asked_with_its_own_keys() -> None:
    assert text_of(PAIR) == TEXT
    text = text_of(set_names(4))
    assert "all 4 images" in text
    assert "'image1', 'image2', 'image3' and 'image4' as keys" in text
    assert "left" not in text


# ---------------------------------------------------------------- swapped


def mark(name: str, left: float | None, right: float | None) -> Mark:
    if left is None or right is None:
        return Mark(id=name, outcome=Outcome.UNPARSABLE, metrics=ORIGINAL.blank(PROBE))
    both = float(left == right == 1.0)
    metrics = {"both": both, "recall": (left + right) / 2, "left": left, "right": right, "words": 9.0}
    return Mark(id=name, outcome=Outcome.CORRECT if both else Outcome.WRONG, metrics=dict(metrics))


def test_position_bias_is_the_place_and_not_the_picture() -> None:
    # whoever describes only what is shown first: the left slot hits in both orders
    given, turned = [mark(str(i), 1.0, 0.0) for i in range(20)], [mark(str(i), 1.0, 0.0) for i in range(20)]
    bias = position_bias(given, turned)
    assert bias is not None
    assert (bias.slot.difference, bias.order.difference, bias.flipped, bias.n) == (1.0, 0.0, 0, 20)
    # the left picture is the easier one: its caption hits wherever it stands, and no bias is seen
    bias = position_bias(given, [mark(str(i), 0.0, 1.0) for i in range(20)])
    assert bias is not None
    assert bias.slot.difference == 0.0


def test_position_bias_leaves_out_pairs_without_captions_and_counts_flips() -> None:
    given = [mark("a", 1.0, 1.0), mark("b", 1.0, 1.0), mark("c", None, None), mark("d", 0.0, 1.0)]
    turned = [mark("d", 1.0, 1.0), mark("a", 1.0, 1.0), mark("b", None, None), mark("c", 1.0, 1.0)]
    bias = position_bias(given, turned)
    assert bias is not None
    assert (bias.n, bias.flipped, bias.order.difference) == (2, 1, 0.5)
    assert bias.slot.difference == pytest.approx(-0.25)
    assert position_bias(given, []) is None
