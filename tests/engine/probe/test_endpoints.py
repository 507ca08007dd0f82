"""Real local endpoints that read pictures: an honest one is left in peace, and what each other one does is found, and nothing else."""

from __future__ import annotations

import pytest
from tests.support.probed_endpoint import Manners, endpoint

from snellen.engine.plan.request import Limits
from snellen.engine.probe.probing import ProbeOutcome, plan_probe, run_probe
from snellen.engine.probe_records.results import PARTS
from snellen.present.terminal.probe import headline


def probed(manners: Manners, parts: tuple[str, ...] = (), model: str = "reader", seed: int = 0) -> ProbeOutcome:
    with endpoint(manners) as server:
        return run_probe(plan_probe(f"api/{model}", {"base_url": server.url}, parts, seed), Limits())


def verdicts(done: ProbeOutcome, verdict: str) -> list[str]:
    return [r.part for r in done.probe.results if r.verdict == verdict]


def said(done: ProbeOutcome, part: str) -> str:
    return next(r.said for r in done.probe.results if r.part == part)


def test_of_an_honest_endpoint_nothing_is_found_and_everything_is_told() -> None:
    done = probed(Manners())
    assert verdicts(done, "fine") == list(PARTS)
    assert headline(done.probe) == "api/reader: nothing found"
    assert done.probe.proposal is not None and done.probe.proposal.format == "pixels"
    assert (done.probe.model, done.probe.model_returned) == ("reader", "reader-1")


def ignores(*names: str) -> Manners:
    return Manners(ignores=frozenset(names))


BAD = {
    "makes pictures smaller": (Manners(longest=1024), "size", "0.4"),
    "re-encodes pictures": (Manners(quality=30), "codec", "re-encoded"),
    "answers in thousandths": (Manners(space="thousand"), "coordinates", "thousandths"),
    "answers in fractions": (Manners(space="unit"), "coordinates", "fractions"),
    "answers in pixels of a resized picture": (Manners(space="900"), "coordinates", "another size"),
    "answers y first": (Manners(space="y first"), "coordinates", "y before x"),
    "turns pictures round": (Manners(order="reversed"), "order", "another order"),
    "drops pictures": (Manners(order="the last"), "order", "1 of 4 pictures"),
    "ignores temperature": (ignores("temperature"), "temperature", "ignored"),
    "ignores the seed": (ignores("seed"), "seed", "ignored"),
    "ignores stop": (ignores("stop"), "stop", "counts to 30"),
    "ignores the length": (ignores("max_tokens"), "length", "counts to 300"),
    "ignores detail": (ignores("detail"), "detail", "ignored"),
    "gives no log-probabilities": (ignores("logprobs"), "logprobs", "none came"),
    "varies by itself": (Manners(varies=True), "repeat", "vary"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_an_endpoint_does_is_found_and_nothing_else(name: str) -> None:
    manners, part, words = BAD[name]
    done = probed(manners)
    assert verdicts(done, "found") == [part], [r for r in done.probe.results if r.verdict == "found"]
    assert words in said(done, part)
    assert set(verdicts(done, "cannot tell")) <= ({"seed"} if part == "temperature" else set())


def test_two_misdeeds_are_two_findings() -> None:
    done = probed(Manners(longest=900, space="900", ignores=frozenset({"stop"})))
    assert verdicts(done, "found") == ["size", "coordinates", "stop"]


@pytest.mark.parametrize(("longest", "scale"), [(1400, 0.68), (1024, 0.5), (768, 0.375)])
def test_the_size_at_which_pictures_are_seen_is_about_right(longest: int, scale: float) -> None:
    done = probed(Manners(longest=longest), ("size",), seed=3)
    assert done.probe.results[0].measured["scale"] == pytest.approx(scale, rel=0.2)


@pytest.mark.parametrize(
    ("space", "format"),
    [("thousand", "qwen3-vl"), ("unit", "unit"), ("768", "gpt"), ("900", ""), ("pixels", "pixels")],
)
def test_the_grounding_format_that_fits_is_proposed(space: str, format: str) -> None:
    proposal = probed(Manners(space=space), ("coordinates",)).probe.proposal
    assert proposal is not None and proposal.format == format
    if space == "900":
        assert "no side over 90" in proposal.note


# ---------------------------------------------------------------- weak eyes are no misdeed


def test_of_a_model_that_sees_nothing_nothing_is_claimed() -> None:
    done = probed(Manners(blind=True))
    assert not done.probe.found
    assert verdicts(done, "cannot tell") == ["size", "detail", "codec", "coordinates", "order"]
    assert said(done, "size") == "the model does not read the chart"
    assert done.probe.proposal is None
    assert headline(done.probe).startswith("api/reader: cannot tell: size, detail, codec, coordinates, order")


def test_a_short_sighted_model_is_not_an_endpoint_that_makes_pictures_smaller() -> None:
    done = probed(Manners(blur=1.6), ("size", "codec", "coordinates", "order"))
    assert not done.probe.found
    assert done.probe.results[0].measured["small"] > 8


@pytest.mark.parametrize("faintest", [2.0, 4.0, 8.0])
def test_a_model_that_sees_no_faint_letters_is_not_an_endpoint_that_re_encodes(faintest: float) -> None:
    done = probed(Manners(faintest=faintest), ("codec", "size"))
    assert not done.probe.found


# ---------------------------------------------------------------- what is known of a family


def test_a_size_that_the_family_documents_is_no_finding() -> None:
    small = probed(Manners(longest=1024), ("size",), model="gpt-4o").probe
    assert small.family == "gpt-4o"
    assert small.results[0].verdict == "fine" and "gpt-4o documents 0.50" in small.results[0].said
    whole = probed(Manners(), ("size",), model="gpt-4o").probe.results[0]
    assert whole.verdict == "fine" and "more than the 0.50 that gpt-4o documents" in whole.said
    smaller = probed(Manners(longest=512), ("size",), model="gpt-4o").probe
    assert smaller.results[0].verdict == "found" and "documents 0.50" in smaller.results[0].said


def test_a_space_that_the_family_documents_is_no_finding() -> None:
    known = probed(Manners(space="thousand"), ("coordinates",), model="qwen3-vl-8b-instruct").probe
    assert known.results[0].verdict == "fine" and "as qwen3-vl documents" in known.results[0].said
    other = probed(Manners(space="thousand"), ("coordinates",), model="qwen2.5-vl-7b-instruct").probe
    assert other.results[0].verdict == "found"


def test_detail_is_not_tried_where_the_family_has_none() -> None:
    done = probed(Manners(), ("detail", "stop"), model="qwen3-vl-8b-instruct")
    assert [(r.part, r.verdict) for r in done.probe.results] == [("detail", "not tried"), ("stop", "fine")]


# ---------------------------------------------------------------- endpoints that say no


def test_a_parameter_that_is_refused_openly_is_no_finding() -> None:
    done = probed(Manners(rejects=frozenset({"logprobs", "seed"})))
    assert not done.probe.found
    assert verdicts(done, "rejected") == ["seed", "logprobs"]
    assert "Unsupported parameter" in said(done, "seed")


def test_equal_requests_are_really_asked_again() -> None:
    with endpoint() as server:
        done = run_probe(plan_probe("api/reader", {"base_url": server.url}), Limits())
        assert (done.probe.calls, done.probe.stored) == (len(server.requests), 0)
        again = run_probe(plan_probe("api/reader", {"base_url": server.url}), Limits())
        assert (again.probe.calls, again.probe.stored) == (done.probe.calls, 0)
        assert len(server.requests) == 2 * done.probe.calls
        assert again.changes == ()
