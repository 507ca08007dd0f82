"""Whether an endpoint does what a request asks beside its words: temperature, seed, stop, length, log-probabilities. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snellen.engine.probe.questions import FAR, HOT, LAST, SEED, SHORT, STOP
from snellen.engine.probe.reading import counted_to, whole_number
from snellen.engine.probe.results import ProbeReply, ProbeResult, Verdict

Replies = Mapping[str, Sequence[ProbeReply]]
NO_NUMBER = "the model does not reply with a number"
NO_COUNT = "the model does not count when it is asked to"
AS_MUCH = 0.75
"""Share of different replies at the higher temperature from which on those at 0 count as varying as much."""


def judge_temperature(replies: Replies) -> ProbeResult:
    """Whether replies vary at a high temperature and not at 0."""
    if (none := _unanswered("temperature", replies, "number-cold", "number-hot")) is not None:
        return none
    cold, hot = (_numbers(replies[name]) for name in ("number-cold", "number-hot"))
    if cold is None or hot is None:
        return ProbeResult(part="temperature", verdict="cannot tell", said=NO_NUMBER)
    said = f"random numbers: {_values(cold)} at temperature 0, {_values(hot)} at {HOT:g}"
    measured = {"cold": len(set(cold)), "hot": len(set(hot))}
    if len(set(hot)) == 1:
        return ProbeResult(
            part="temperature", verdict="found", said=f"{said}: it is ignored", sure="likely", measured=measured
        )
    if len(set(cold)) > 1 and len(set(cold)) >= AS_MUCH * len(set(hot)):
        told = f"{said}: 0 is ignored, or replies vary by themselves"
        return ProbeResult(part="temperature", verdict="found", said=told, sure="likely", measured=measured)
    return ProbeResult(part="temperature", verdict="fine", said=f"{said}: it is obeyed", measured=measured)


def judge_seed(replies: Replies) -> ProbeResult:
    """Whether the same seed gives the same reply where replies vary without one."""
    if (none := _unanswered("seed", replies, "number-hot", "number-seeded")) is not None:
        return none
    free, seeded = (_numbers(replies[name]) for name in ("number-hot", "number-seeded"))
    if free is None or seeded is None:
        return ProbeResult(part="seed", verdict="cannot tell", said=NO_NUMBER)
    if len(set(free)) == 1:
        return ProbeResult(part="seed", verdict="cannot tell", said="replies do not vary without a seed either")
    said = f"random numbers: {_values(seeded)} with seed {SEED}, {_values(free)} without"
    if len(set(seeded)) > 1:
        return ProbeResult(part="seed", verdict="found", said=f"{said}: it is ignored", sure="sure")
    return ProbeResult(part="seed", verdict="fine", said=f"{said}: it is obeyed")


def judge_repeat(replies: Replies) -> ProbeResult:
    """Whether equal requests get equal replies at temperature 0."""
    if (none := _unanswered("repeat", replies, "small-0", "small-again")) is not None:
        return none
    cold = [] if _unanswered("repeat", replies, "number-cold") else [replies["number-cold"]]
    groups = [[*replies["small-0"], *replies["small-again"]], *cold]
    texts = [[h.text.strip() for h in group] for group in groups]
    different = [len(set(some)) for some in texts]
    said = f"replies to equal requests: {', '.join(map(_values, texts))}"
    if max(different) == 1:
        return ProbeResult(part="repeat", verdict="fine", said=said)
    if different[0] == 1 and judge_temperature(replies).verdict == "found":
        told = "replies vary, which temperature explains (above)"
        return ProbeResult(part="repeat", verdict="cannot tell", said=told)
    return ProbeResult(part="repeat", verdict="found", said=f"{said}: they vary by themselves", sure="sure")


def judge_stop(replies: Replies) -> ProbeResult:
    """Whether a reply ends where it was told to stop."""
    if (none := _unanswered("stop", replies, "count", "count-stop")) is not None:
        return none
    plain, stopped = (counted_to(replies[name][0].text) for name in ("count", "count-stop"))
    if plain < LAST or not stopped:
        return ProbeResult(part="stop", verdict="cannot tell", said=NO_COUNT)
    said = f"told to stop at {STOP}, it counts to {stopped} of {LAST}"
    if stopped > int(STOP):
        return ProbeResult(part="stop", verdict="found", said=f"{said}: it is ignored", sure="sure")
    return ProbeResult(part="stop", verdict="fine", said=f"{said}: it is obeyed")


def judge_length(replies: Replies) -> ProbeResult:
    """Whether a reply is no longer than asked for."""
    if (none := _unanswered("length", replies, "count", "count-short")) is not None:
        return none
    heard = replies["count-short"][0]
    reached, tokens = counted_to(heard.text), heard.output_tokens
    said = f"with {SHORT} tokens it counts to {reached} of {FAR}"
    if reached > 2 * SHORT:
        return ProbeResult(part="length", verdict="found", said=f"{said}: the limit is ignored", sure="sure")
    if tokens is not None and tokens > 2 * SHORT:
        told = f"{said}, and bills {tokens} tokens: the limit does not hold for all that is billed"
        return ProbeResult(part="length", verdict="found", said=told, sure="sure")
    if counted_to(replies["count"][0].text) < LAST:
        return ProbeResult(part="length", verdict="cannot tell", said=NO_COUNT)
    return ProbeResult(part="length", verdict="fine", said=f"{said}: it is obeyed")


def judge_logprobs(replies: Replies) -> ProbeResult:
    """Whether log-probabilities come that were asked for."""
    if (none := _unanswered("logprobs", replies, "count-logprobs")) is not None:
        return none
    heard = replies["count-logprobs"][0]
    if not heard.text.strip():
        return ProbeResult(part="logprobs", verdict="cannot tell", said="the reply is empty")
    if not heard.tokens:
        said = "log-probabilities were asked for, and none came"
        return ProbeResult(part="logprobs", verdict="found", said=said, sure="sure")
    return ProbeResult(part="logprobs", verdict="fine", said=f"{heard.tokens} tokens came with their log-probability")


def _values(some: Sequence[object]) -> str:
    """How many replies there are and how many different ones.

    >>> _values([7, 7, 7]), _values([7, 8, 7])
    ('all 3 alike', '2 different of 3')
    """
    different = len(set(some))
    return f"all {len(some)} alike" if different == 1 else f"{different} different of {len(some)}"


def _numbers(heard: Sequence[ProbeReply]) -> list[int] | None:
    """The numbers of replies; None where some are none."""
    found = [whole_number(h.text) for h in heard]
    return None if None in found else [n for n in found if n is not None]


def _unanswered(part: str, replies: Replies, *names: str) -> ProbeResult | None:
    """The result of a part whose questions were not all answered; an endpoint that says no to a parameter is honest about it."""
    for name in names:
        heard = replies.get(name, ())
        if not heard:
            return ProbeResult(part=part, verdict="not tried", said="this subject has no way to set it")
        for one in heard:
            if one.failure is not None:
                verdict: Verdict = "rejected" if one.rejected else "cannot tell"
                return ProbeResult(part=part, verdict=verdict, said=one.failure.reason)
    return None
