"""Recorded human answers as a subject: the human row of a table. `snellen annotate` writes such files; files from elsewhere work, too.

A file is like one for `replay/FILE`, with the annotator (`annotator`) and the time (`time`) in each row. Both are part of the run's
identity, so that it is never taken for a model's.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.subject import BuildContext, Caller, Subject, SubjectKind
from snellen.core.types import Answer, Question, failed
from snellen.subjects.baselines import said
from snellen.subjects.replay import reply_of, rows_of

MAJORITY = "majority"
TIED = "the people in the file did not agree, and no answer has most voices"


class _HumanAnswer(NamedTuple):
    """One answer of one person."""

    id: str
    text: str
    who: str
    when: str


class _Human(Subject):
    """A subject that gives a person's recorded answer. A question without one is an error, not a wrong answer."""

    def __init__(self, path: Path, wanted: str = "") -> None:
        if not path.is_file():
            raise SnellenError(f"human/{path}: no such file; 'snellen annotate DIR --as NAME --exam EXAM' makes one")
        raw = path.read_bytes()
        every = _read_said(path, raw)
        people = sorted({one.who for one in every})
        chosen = _chosen(path, every, people, wanted)
        self.spec = f"human/{path}" + (f":{wanted}" if wanted else "")
        self._people = sorted({one.who for one in chosen})
        times = sorted(one.when for one in chosen if one.when)
        self.identity: dict[str, Any] = {
            "kind": "human",
            "sha256": hashlib.sha256(raw).hexdigest(),
            "people": self._people,
            "answered": [times[0], times[-1]] if times else [],
        } | ({"rule": MAJORITY} if wanted == MAJORITY else {})
        self._texts = _voted(chosen)
        self.recorded_ids = frozenset(self._texts)

    def about(self) -> str:
        when = self.identity["answered"]
        days = f", {when[0][:10]}" + (f" to {when[1][:10]}" if when[1][:10] != when[0][:10] else "") if when else ""
        return f"Answers of {len(self._people)} {'person' if len(self._people) == 1 else 'people'}: {', '.join(self._people)}{days}"

    def why_same(self, repeats: int) -> str:
        return f"{self.spec} has one answer to a question, whatever it is asked again"

    async def answer(self, question: Question, prepared: Any, call: Caller) -> Answer:
        if question.id not in self._texts:
            return failed(question, "not-recorded", f"{self.spec} has no answer for this id")
        text = self._texts[question.id]
        return said(question, text) if text is not None else failed(question, "tie", TIED)


def _read_said(path: Path, raw: bytes) -> list[_HumanAnswer]:
    """Return the answers of a file, each with its annotator and time. A row without an annotator is an error."""
    found: list[_HumanAnswer] = []
    for number, row in enumerate(rows_of(path, raw, "human"), 1):
        where = f"human/{path} record {number}"
        reply = reply_of(row, where)
        if reply is None:
            continue
        who = row.get("annotator")
        if not isinstance(who, str) or not who.strip():
            raise SnellenError(f"{where}: needs 'annotator', who said it; for a model's replies there is replay/FILE")
        found.append(_HumanAnswer(reply.id, reply.text, who.strip(), str(row.get("time") or "")))
    if not found:
        raise SnellenError(f"human/{path}: no answers in it")
    return found


def _voted(every: list[_HumanAnswer]) -> dict[str, str | None]:
    """Return the answer to each question: one person's, or the most frequent one; None for a tie.

    >>> _voted([_HumanAnswer("1", "Red", "a", ""), _HumanAnswer("1", "red ", "b", ""), _HumanAnswer("1", "blue", "c", "")])
    {'1': 'Red'}
    >>> _voted([_HumanAnswer("2", "x", "a", ""), _HumanAnswer("2", "y", "b", "")])
    {'2': None}
    """
    by_id: dict[str, list[_HumanAnswer]] = {}
    for one in every:
        by_id.setdefault(one.id, []).append(one)
    found: dict[str, str | None] = {}
    for name, some in by_id.items():
        counts = Counter(_plain(one.text) for one in some).most_common(2)
        tied = len(counts) > 1 and counts[0][1] == counts[1][1]
        found[name] = None if tied else next(one.text for one in some if _plain(one.text) == counts[0][0])
    return found


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _chosen(path: Path, every: list[_HumanAnswer], people: list[str], wanted: str) -> list[_HumanAnswer]:
    """Return the answers that count: those of the only person, of the named person, or of all people for the majority."""
    if not wanted and len(people) > 1:
        raise SnellenError(
            f"human/{path} has answers of {', '.join(people)}: choose one with human/{path}:NAME, or what most said "
            f"with human/{path}:{MAJORITY}"
        )
    if wanted == MAJORITY or not wanted:
        some = every
    elif wanted in people:
        some = [one for one in every if one.who == wanted]
    else:
        raise SnellenError(f"human/{path} has no answers of '{wanted}'; it has {', '.join(people)}")
    twice = [key for key, count in Counter((one.id, one.who) for one in some).items() if count > 1]
    if twice:
        raise SnellenError(f"human/{path}: {twice[0][1]} answered '{twice[0][0]}' twice")
    return some


class _HumanKind(SubjectKind):
    """The kinds `human/FILE`, `human/FILE:NAME` and `human/FILE:majority`."""

    prefix = "human"
    forms = MappingProxyType(
        {
            "human/FILE": "answers of a person, as 'snellen annotate' writes them: id, text, annotator, time",
            "human/FILE:NAME": "those of one of several people in the file, or of their majority (:majority)",
        }
    )

    def build(self, name: str, given: BuildContext) -> Subject:
        file, colon, wanted = name.rpartition(":")
        if colon and not Path(name).is_file():
            return _Human(Path(file), wanted)
        return _Human(Path(name))


KIND = _HumanKind()
