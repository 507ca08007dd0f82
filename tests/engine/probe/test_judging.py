"""The pure parts: replies that are read whatever their form, factors that are told apart, probes that are compared."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.core.types import Answer, Call, Failure, Usage
from snellen.engine.probe import parameters
from snellen.engine.probe.judging import judge_part
from snellen.engine.probe.places import CoordinateFit, fitted, space_of
from snellen.engine.probe.questions import charts, questions
from snellen.engine.probe.reading import counted_to, letters_right, places, two_digits, whole_number
from snellen.engine.probe.sizes import scale_of, smallest
from snellen.engine.probe_records.kept import contradicts
from snellen.engine.probe_records.results import NEEDS, PARTS, Probe, ProbeResult, Proposal, differences
from snellen.subjects.families import family_of
from snellen.synthetic.charts import COLOURS, HEIGHTS, LARGE, NARROW, WIDE, disc_chart

ROWS = ["DNHKV", "OSDKR", "OVDNH", "SKRCZ"]
WHOLE = [5, 5, 5, 5]


def reply(text: str, **more: Any) -> Answer:
    return Answer(id="x", prompt="probe", text=text, **more)


@pytest.mark.parametrize(
    "reply",
    [
        "DNHKV\nOSDKR\nOVDNH\nSKRCZ",
        "1. D N H K V\n2. O S D K R\n3. O V D N H\n4. S K R C Z",
        "Row 1: DNHKV\nRow 2: OSDKR\nRow 3: OVDNH\nRow 4: SKRCZ",
        "Here are the rows:\n\n**D N H K V**\n\n**O S D K R**\n\n`OVDNH`\n\n- SKRCZ",
        "<think>The first may be\nCCCCC\n</think>\ndnhkv\nosdkr\novdnh\nskrcz",
        "Sure! I read these letters for you.\n1) DNHKV\n2) OSDKR\n3) OVDNH\n4) SKRCZ\nThat is all that there is.",
    ],
)
def test_rows_are_read_in_any_form(reply: str) -> None:
    assert letters_right(reply, ROWS) == WHOLE


def test_a_row_that_is_left_out_does_not_shift_the_others() -> None:
    assert letters_right("DNHKV\nOVDNH\nSKRCZ", ROWS) == [5, 0, 5, 5]
    assert letters_right("DNHKV\n-----\nOVDNH\nSKR--", ROWS) == [5, 0, 5, 3]
    assert letters_right("", ROWS) == [0, 0, 0, 0]


@given(st.text(alphabet="CDHKNORSVZ-\n ", max_size=120))
def test_no_row_has_more_right_than_it_has_letters(reply: str) -> None:
    found = letters_right(reply, ROWS)
    assert len(found) == len(ROWS) and all(n in (0, 3, 4, 5) for n in found)


@given(st.lists(st.integers(0, 5), min_size=4, max_size=4))
def test_the_best_alignment_is_never_worse_than_line_by_line(lines: list[int]) -> None:
    said = "\n".join(row[:n] + "-" * (5 - n) for row, n in zip(ROWS, lines, strict=True))
    assert sum(letters_right(said, ROWS)) >= sum(n for n in lines if n >= 3)


@pytest.mark.parametrize(
    "reply",
    [
        "red: 12, 34\nblue: 56.5, 78",
        '{"red": [12, 34], "blue": [56.5, 78]}',
        '{"red": {"x": 12, "y": 34}, "blue": {"x": 56.5, "y": 78}}',
        "- **Red**: (12, 34)\n- **Blue**: (56.5, 78)",
        "red: x=12 y=34; blue: x=56.5 y=78",
        "red: [10, 30, 14, 38]\nblue: [56, 77, 57, 79]",
    ],
)
def test_places_are_read_in_any_form(reply: str) -> None:
    assert places(reply, COLOURS) == {"red": (12.0, 34.0), "blue": (56.5, 78.0)}


def test_numbers_are_read() -> None:
    assert two_digits("Picture 1: 37, picture 2: 12 (not 123)") == [37, 12]
    assert (whole_number("482,913"), whole_number("The number is 7."), whole_number("1 or 2")) == (482913, 7, None)
    assert (counted_to("1 2 3 5 6"), counted_to("<think>1 2 3</think>1 2")) == (3, 2)


# ---------------------------------------------------------------- factors


@given(
    st.integers(0, 50),
    st.floats(0.2, 3.0),
    st.floats(0.2, 3.0),
    st.booleans(),
)
def test_any_factors_are_found_again(seed: int, x: float, y: float, swapped: bool) -> None:
    discs = disc_chart(NARROW, seed)
    said = {c: (mx * x, my * y) for c, (mx, my) in discs.middles.items()}
    if swapped:
        said = {c: p[::-1] for c, p in said.items()}
    fit = fitted(discs, said)
    assert fit is not None
    if fit.swapped == swapped:
        assert math.isclose(fit.x, x, rel_tol=1e-6) and math.isclose(fit.y, y, rel_tol=1e-6)


def test_one_disc_that_is_misplaced_does_not_hide_the_factors_and_chance_gives_none() -> None:
    discs = disc_chart(WIDE, 4)
    said = {c: (float(x), float(y)) for c, (x, y) in discs.middles.items()}
    assert fitted(discs, said | {"red": (3.0, 4.0)}) is not None
    assert fitted(discs, said | {"red": (3.0, 4.0), "blue": (900.0, 20.0)}) is None
    assert fitted(discs, {c: (100.0, 100.0) for c in said}) is None


def test_spaces_are_told_by_two_sizes() -> None:
    sizes = [WIDE, NARROW]
    same = [CoordinateFit(1.0, 1.0, False)] * 2
    assert space_of(sizes, same) == "image_pixels"
    assert space_of(sizes, [CoordinateFit(1000 / w, 1000 / h, False) for w, h in sizes]) == "relative_1000"
    assert space_of(sizes, [CoordinateFit(1 / w, 1 / h, False) for w, h in sizes]) == "unit"
    assert space_of(sizes, [CoordinateFit(100 / w, 100 / h, False) for w, h in sizes]) == "percent"
    assert space_of(sizes, [CoordinateFit(0.64, 0.64, False), CoordinateFit(1.0, 1.0, False)]) == "resized_pixels"
    assert space_of(sizes, [CoordinateFit(0.64, 0.9, False), CoordinateFit(1.0, 1.0, False)]) == ""


def test_a_format_is_contradicted_by_another_space_only() -> None:
    thousand, pixels = (
        Proposal(space="relative_1000", format="qwen3-vl"),
        Proposal(space="image_pixels", format="pixels"),
    )
    assert contradicts("pixels", thousand) and contradicts("gpt", thousand) and not contradicts("qwen2-vl", thousand)
    assert contradicts("unit", pixels) and not contradicts("claude", pixels) and not contradicts("a plugin's", pixels)


# ---------------------------------------------------------------- sizes


def test_the_smallest_letters_go_by_letters_read() -> None:
    chart = charts(0).large[0]
    assert smallest(chart, [5] * len(HEIGHTS)) == HEIGHTS[-1]
    assert smallest(chart, [5] * 6 + [0] * 7) == pytest.approx(HEIGHTS[5])
    assert HEIGHTS[6] < smallest(chart, [5] * 6 + [3] + [0] * 6) < HEIGHTS[5]


@given(st.floats(5, 60), st.floats(5, 60), st.one_of(st.none(), st.floats(5, 64)))
def test_a_scale_is_never_over_one_and_falls_with_larger_letters(
    small: float, large: float, reduced: float | None
) -> None:
    scale = scale_of(small, large, reduced)
    assert 0 < scale <= 1
    assert scale_of(small, large * 1.2, reduced) <= scale


def test_large_pictures_that_are_not_read_at_all_are_told_apart_from_failures() -> None:
    drawn = charts(0)
    perfect = {f"small-{n}": [reply("\n".join(r.letters for r in c.rows))] for n, c in enumerate(drawn.small)}
    lost = perfect | {name: [reply("-----")] for name in ("large-0", "large-1", "reduced")}
    assert judge_part("size", drawn, lost).verdict == "found"
    weak = {f"small-{n}": [reply("\n".join(r.letters for r in c.rows[:6]))] for n, c in enumerate(drawn.small)}
    documented = judge_part("size", drawn, lost | weak, family_of("llava-1.5-7b"))
    assert documented.verdict == "cannot tell" and "is documented" in documented.said
    failed = lost | {"large-0": [reply("", failure=Failure(kind="bad-request", reason="status 400: image too large"))]}
    assert judge_part("size", drawn, failed).verdict == "cannot tell"
    assert "image too large" in judge_part("size", drawn, failed).said


# ---------------------------------------------------------------- parameters


def numbers(*values: int) -> list[Answer]:
    return [reply(str(v)) for v in values]


@pytest.mark.parametrize(
    ("cold", "hot", "verdict"),
    [
        ((7, 7, 7), (1, 2, 3), "fine"),
        ((7, 7, 7), (7, 7, 7), "found"),
        ((4, 5, 6), (1, 2, 3), "found"),
        ((4, 4, 4, 4, 5), (1, 2, 3, 8, 9), "fine"),
    ],
)
def test_temperature(cold: tuple[int, ...], hot: tuple[int, ...], verdict: str) -> None:
    heard = {"number-cold": numbers(*cold), "number-hot": numbers(*hot)}
    assert parameters.judge_temperature(heard).verdict == verdict


def test_a_model_that_gives_no_number_or_does_not_count_is_no_finding() -> None:
    chat = [reply("I cannot do that.")] * 5
    assert parameters.judge_temperature({"number-cold": chat, "number-hot": chat}).verdict == "cannot tell"
    assert parameters.judge_stop({"count": chat, "count-stop": chat}).verdict == "cannot tell"
    assert parameters.judge_length({"count": chat, "count-short": chat}).verdict == "cannot tell"


def test_thinking_that_is_billed_over_the_limit_is_found() -> None:
    count = [reply(" ".join(map(str, range(1, 31))))]
    billed = Call(key="k", kind="api", endpoint="e", model="m", usage=Usage(output_tokens=900))
    heard = {"count": count, "count-short": [reply("1 2 3", calls=(billed,))]}
    assert parameters.judge_length(heard).verdict == "found"


def test_what_was_not_asked_is_not_tried() -> None:
    drawn = charts(0)
    assert {judge_part(part, drawn, {}).verdict for part in PARTS} == {"not tried"}


def test_every_part_has_its_questions_and_every_question_a_part() -> None:
    asked = {ask.id for ask in questions(0, PARTS)}
    assert set(NEEDS) == set(PARTS)
    assert {name for names in NEEDS.values() for name in names} == asked
    assert [a.id for a in questions(0, ("stop",))] == ["count", "count-stop"]


# ---------------------------------------------------------------- two probes


def probe(**results: tuple[str, dict[str, object]]) -> Probe:
    made = tuple(ProbeResult(part=p, verdict=v, said=p, measured=m) for p, (v, m) in results.items())  # type: ignore[arg-type]
    return Probe(spec="api/x", at="2026-01-01T00:00:00Z", results=made)


def test_two_probes_differ_where_a_verdict_or_a_measure_moved() -> None:
    one = probe(size=("fine", {"scale": 1.0}), stop=("fine", {}), seed=("cannot tell", {}))
    assert differences(one, probe(size=("fine", {"scale": 0.9}), stop=("fine", {}), seed=("found", {}))) == []
    assert len(differences(one, probe(size=("fine", {"scale": 0.5}), stop=("found", {})))) == 2
    turned = differences(
        probe(coordinates=("found", {"space": "unit"})), probe(coordinates=("found", {"space": "percent"}))
    )
    assert len(turned) == 1


def test_the_charts_questions_show_the_whole_picture_size_only_where_it_is_needed() -> None:
    asks = {a.id: a for a in questions(0, PARTS)}
    assert f"{LARGE[0]}" not in asks["large-0"].text
    assert "1600 pixels wide" in asks["discs-0"].text
