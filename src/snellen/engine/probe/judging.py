"""From all replies of a probe to all its results. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from snellen.engine.probe import parameters, places, sizes
from snellen.engine.probe.questions import Charts, charts
from snellen.engine.probe_records.results import NEEDS, ProbeResult, Proposal, Replies, Verdict
from snellen.subjects.families import Family

OF_CHARTS = {
    "size": sizes.judge_size,
    "detail": sizes.judge_detail,
    "codec": sizes.judge_codec,
    "coordinates": places.judge_coordinates,
    "order": places.judge_order,
}
OF_PARAMETERS = {
    "temperature": parameters.judge_temperature,
    "seed": parameters.judge_seed,
    "repeat": parameters.judge_repeat,
    "stop": parameters.judge_stop,
    "length": parameters.judge_length,
    "logprobs": parameters.judge_logprobs,
}
REFUSABLE = ("detail", *OF_PARAMETERS)
"""Parts about a setting. An endpoint that refuses the setting says so openly."""
MUST = {"repeat": ("small-0", "small-again")}
"""The questions that must be answered, for parts that also use others."""


def judge(
    replies: Replies, seed: int, parts: Sequence[str], family: Family | None, untried: Mapping[str, str]
) -> tuple[tuple[ProbeResult, ...], Proposal | None]:
    """Return the results of the parts, and a proposal for how to ask for points. `untried` gives the reason why a part was left out."""
    drawn = charts(seed)
    results = [
        ProbeResult(part=part, said=untried[part]) if part in untried else judge_part(part, drawn, replies, family)
        for part in parts
    ]
    found = (places.proposal_of(one, drawn, family) for one in results if one.part == "coordinates")
    return tuple(results), next(found, None)


def judge_part(part: str, drawn: Charts, replies: Replies, family: Family | None = None) -> ProbeResult:
    """Return the result of one part. If not all of its questions were answered, the result gives the reason."""
    result = _unanswered(part, replies)
    if result is None and part in OF_CHARTS:
        result = OF_CHARTS[part](drawn, replies, family)
    if result is None:
        result = OF_PARAMETERS[part](replies)
    return msgspec.structs.replace(result, part=part)


def _unanswered(part: str, replies: Replies) -> ProbeResult | None:
    for name in MUST.get(part, NEEDS[part]):
        heard = replies.get(name, ())
        if not heard:
            return ProbeResult(said="its questions were not asked")
        for one in heard:
            if one.failure is not None:
                refused = one.failure.kind == "bad-request" and part in REFUSABLE
                verdict: Verdict = "rejected" if refused else "cannot tell"
                return ProbeResult(verdict=verdict, said=one.failure.reason)
    return None
