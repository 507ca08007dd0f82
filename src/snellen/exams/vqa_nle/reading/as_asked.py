"""The short way for replies in the very form that the prompts ask for: most of a good model's replies are in it.

It only saves time: the long way reads such a reply alike (tests/exams/vqa_nle/test_strict_forms.py), so anything that could be a turn,
a lead or a negation is left to that.
"""

from __future__ import annotations

import re

_AS_ASKED = re.compile(
    r"(?P<head>[A-Za-z0-9][A-Za-z0-9'-]*(?: [A-Za-z0-9'-]+){0,2}?)(?:,? because (?P<why>(?:[A-Za-z0-9 ,'-]"
    r"|<det\d{1,4}>)*[A-Za-z0-9>]))?\.?"
)
_MORE_TO_IT_WORDS = """
because bc coz course not no or nor and but is are was be it its it's this that the a an i i'd i'm we you he she they there my our
your isn't aren't either both neither whether if person people man men woman women child children kid kids boy boys girl girls guy
lady player players individual individuals someone somebody group since as due given considering seeing owing on based judging for
in from looking after among upon examining to at with answer answers label labels activity action option options choice choices
letter relation relationship prediction verdict classification response conclusion category here here's let let's step part draft
question q so thus hence therefore then finally overall probably likely possibly perhaps maybe very most quite apparently clearly
definitely obviously evidently presumably simply just sure certainly absolutely okay ok alright great good well hm hmm hi hello
sorry instead rather initially originally never hard difficult unable impossible possible cannot can't do available one some these
those his her their all two three several yeah yep yup nope nah cause cuz assistant ai model bot chatbot gpt claude gemini llava
qwen tl tldr um umm uh oh ah got understood ans solution final edit update correct corrected best guess imo must could might may
should would go going doubt doubts please although though except hardly opposite far everything anything unless otherwise assuming
supposing vs versus wrong false incorrect rejected excluded eliminated enough between torn undecided possibility inconclusive
argue nothing nobody without first initial thought had undoubtedly tentatively many others you're i've there's does doesn't did
didn't wasn't couldn't wouldn't won't plausible valid reason explanation wait actually oops correction apologies seem seems appear
appears look looks were has have shows depicts been say said about ask asked instinct want wants says
"""
_MORE_TO_IT = frozenset(_MORE_TO_IT_WORDS.split())
_TURNS_WORDS = """
wait actually rather oops correct correction corrected mistake bad hold sorry apologies mean meant second rephrase revise revised
reconsider fix closer further careful updated scratch strike forget ignore disregard so therefore thus hence consequently
accordingly conclusion overall short summary why means final because answer label activity letter option choice
"""
_TURNS = frozenset(_TURNS_WORDS.split())
_TAKES_BACK = ("it is not ", "it's not ", "it isn't ", "this is not ", "that is not ")


def as_asked(reply: str) -> tuple[str, str | None] | None:
    """Answer and reason of a reply in the very form that was asked for, a few plain words; None where there may be more to it.

    >>> as_asked("Red because of the paint."), as_asked("Not red because of the paint")
    (('Red', 'of the paint.'), None)
    """
    found = _AS_ASKED.fullmatch(reply) if len(reply) < 400 else None
    if found is None:
        return None
    head, why = found["head"], found["why"]
    lowered = head.lower()
    if "'" in head or (lowered not in ("yes", "no", "a") and not _MORE_TO_IT.isdisjoint(lowered.split())):
        return None
    if not why and " " in head and head[0].isdigit():
        return None  # "2 dogs": a number, and what is said beyond
    return (head, reply[found.start("why") :] if why else None) if not why or _is_plain(why) else None


def _is_plain(why: str) -> bool:
    """Whether a reason is nothing but that."""
    lowered = why.lower()
    odd = "  " in why or "- " in why or lowered.startswith(_TAKES_BACK)
    return not odd and _TURNS.isdisjoint(lowered.replace(",", " ").split())
