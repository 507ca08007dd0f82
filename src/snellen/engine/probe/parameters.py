"""Tests of the parameters of a request: temperature, seed, stop, length, log-probabilities. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.core.types import Answer
from snellen.engine.probe.questions import FAR, HOT, LAST, SEED, SHORT, STOP
from snellen.engine.probe.reading import counted_to, whole_number
from snellen.engine.probe_records.results import ProbeResult, Replies, answered, cannot_tell, fine, found, obeyed

NO_NUMBER = "the model does not reply with a number"
NO_COUNT = "the model does not count when it is asked to"
AS_MUCH = 0.75
"""Replies at temperature 0 count as varying as much if they have at least this share of the different replies at the higher one."""


def judge_temperature(replies: Replies) -> ProbeResult:
    """Tell whether replies vary at a high temperature and not at 0."""
    cold, hot = (_numbers(replies[name]) for name in ("number-cold", "number-hot"))
    if cold is None or hot is None:
        return cannot_tell(NO_NUMBER)
    said = f"random numbers: {_values(cold)} at temperature 0, {_values(hot)} at {HOT:g}"
    measured = {"cold": len(set(cold)), "hot": len(set(hot))}
    if len(set(hot)) == 1:
        return found(f"{said}: it is ignored", "likely", measured)
    if len(set(cold)) > 1 and len(set(cold)) >= AS_MUCH * len(set(hot)):
        return found(f"{said}: 0 is ignored, or replies vary by themselves", "likely", measured)
    return obeyed(said, True, measured)


def judge_seed(replies: Replies) -> ProbeResult:
    """Tell whether the same seed gives the same reply, if replies vary without one."""
    free, seeded = (_numbers(replies[name]) for name in ("number-hot", "number-seeded"))
    if free is None or seeded is None:
        return cannot_tell(NO_NUMBER)
    if len(set(free)) == 1:
        return cannot_tell("replies do not vary without a seed either")
    said = f"random numbers: {_values(seeded)} with seed {SEED}, {_values(free)} without"
    return obeyed(said, len(set(seeded)) == 1)


def judge_repeat(replies: Replies) -> ProbeResult:
    """Tell whether equal requests get equal replies at temperature 0."""
    cold = replies.get("number-cold", ())
    groups = [[*replies["small-0"], *replies["small-again"]]]
    if answered(cold):
        groups.append([*cold])
    texts = [[h.text.strip() for h in group] for group in groups]
    different = [len(set(some)) for some in texts]
    said = f"replies to equal requests: {', '.join(map(_values, texts))}"
    if max(different) == 1:
        return fine(said)
    hot = replies.get("number-hot", ())
    if different[0] == 1 and answered(hot) and judge_temperature(replies).verdict == "found":
        return cannot_tell("replies vary, which temperature explains (above)")
    return found(f"{said}: they vary by themselves")


def judge_stop(replies: Replies) -> ProbeResult:
    """Tell whether a reply ends at the stop sequence."""
    plain, stopped = (counted_to(replies[name][0].text) for name in ("count", "count-stop"))
    if plain < LAST or not stopped:
        return cannot_tell(NO_COUNT)
    said = f"told to stop at {STOP}, it counts to {stopped} of {LAST}"
    return obeyed(said, stopped <= int(STOP))


def judge_length(replies: Replies) -> ProbeResult:
    """Tell whether a reply is no longer than asked for."""
    heard = replies["count-short"][0]
    reached = counted_to(heard.text)
    tokens = heard.calls[-1].usage.output_tokens if heard.calls else None
    said = f"with {SHORT} tokens it counts to {reached} of {FAR}"
    if reached > 2 * SHORT:
        return found(f"{said}: the limit is ignored")
    if tokens is not None and tokens > 2 * SHORT:
        return found(f"{said}, and bills {tokens} tokens: the limit does not hold for all that is billed")
    if counted_to(replies["count"][0].text) < LAST:
        return cannot_tell(NO_COUNT)
    return obeyed(said, True)


def judge_logprobs(replies: Replies) -> ProbeResult:
    """Tell whether the requested log-probabilities are returned."""
    heard = replies["count-logprobs"][0]
    if not heard.text.strip():
        return cannot_tell("the reply is empty")
    if not heard.tokens:
        return found("log-probabilities were asked for, and none came")
    return fine(f"{len(heard.tokens)} tokens came with their log-probability")


def _values(some: Sequence[object]) -> str:
    """Return the number of replies and the number of different ones, as text.

    >>> _values([7, 7, 7]), _values([7, 8, 7])
    ('all 3 alike', '2 different of 3')
    """
    different = len(set(some))
    return f"all {len(some)} alike" if different == 1 else f"{different} different of {len(some)}"


def _numbers(heard: Sequence[Answer]) -> list[int] | None:
    """Return the numbers of replies, or None if some replies are not numbers."""
    found = [whole_number(h.text) for h in heard]
    return None if None in found else [n for n in found if n is not None]
