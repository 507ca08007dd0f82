"""All replies of a probe to all its results. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from snellen.engine.probe import parameters
from snellen.engine.probe.places import judge_coordinates, judge_order
from snellen.engine.probe.questions import charts
from snellen.engine.probe.results import PARTS, ProbeReply, ProbeResult, Proposal
from snellen.engine.probe.sizes import judge_codec, judge_detail, judge_size
from snellen.subjects.families import Family

Replies = Mapping[str, Sequence[ProbeReply]]


def judge(
    replies: Replies,
    seed: int,
    parts: Sequence[str] = PARTS,
    family: Family | None = None,
    untried: Mapping[str, str] | None = None,
) -> tuple[tuple[ProbeResult, ...], Proposal | None]:
    """The results of the parts, in their order, and how to ask for points. `untried` says why a part was left out."""
    drawn = charts(seed)
    proposals: list[Proposal | None] = []

    def coordinates() -> ProbeResult:
        result, proposal = judge_coordinates(drawn, replies, family)
        proposals.append(proposal)
        return result

    judges: dict[str, Callable[[], ProbeResult]] = {
        "size": lambda: judge_size(drawn, replies, family),
        "detail": lambda: judge_detail(drawn, replies),
        "codec": lambda: judge_codec(drawn, replies),
        "coordinates": coordinates,
        "order": lambda: judge_order(drawn, replies),
        "temperature": lambda: parameters.judge_temperature(replies),
        "seed": lambda: parameters.judge_seed(replies),
        "repeat": lambda: parameters.judge_repeat(replies),
        "stop": lambda: parameters.judge_stop(replies),
        "length": lambda: parameters.judge_length(replies),
        "logprobs": lambda: parameters.judge_logprobs(replies),
    }
    left_out = untried or {}
    results = tuple(
        ProbeResult(part=part, verdict="not tried", said=left_out[part]) if part in left_out else judges[part]()
        for part in PARTS
        if part in parts
    )
    return results, next(iter(proposals), None)
