"""Records of a log beside the run that it became: imported.json, and imported.jsonl with the tool's result for each sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.figures import part_name
from snellen.core.results import declared
from snellen.core.types import NON_ANSWERS, Mark, Outcome
from snellen.engine.runs.folder import RunFolder
from snellen.importers.prompts import Wording

RECORD, SAMPLES = "imported.json", "imported.jsonl"
Reply = tuple[str, int]
"""A sample's id, and the number of the repeat."""


class FigureEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A score that the log reports, and what its samples give by the tool's own rule, or None if that is not known.

    `agrees` tells whether the two are equal to the last digit.
    """

    name: str
    part: str
    n: int
    logged: float | None
    computed: float | None
    agrees: bool | None


class ImportedSample(msgspec.Struct, frozen=True, kw_only=True):
    """The tool's result for one reply. `right` is None if its score is neither right nor wrong.

    `asked` is the question in the log, if it differs from our prompt.
    """

    id: str
    row: str
    right: bool | None = None
    read: str | None = None
    scores: dict[str, float] = {}
    asked: str | None = None
    repeat: int = 1


class VerdictAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """The tool's verdicts and one of our protocols' in one part of the exam.

    They say on how many samples both agree, and which samples only one of them counts as right. `score` is the protocol's headline, named
    by `label`. It is None if no reply has an answer. `right` of `n` replies are right under it. `unread` counts the replies that only the
    tool counts as right and in which our reader finds no answer. On `undecided` samples the tool gives neither verdict.
    """

    protocol: str
    part: str
    label: str
    score: float | None
    right: int
    n: int
    same: int = 0
    only_theirs: tuple[str, ...] = ()
    only_ours: tuple[str, ...] = ()
    unread: int = 0
    undecided: int = 0


class ImportRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The content of imported.json."""

    tool: str
    version: str
    model: str
    made: str
    task: str
    files: dict[str, str]
    """SHA-256 by name."""
    rows: int
    samples: int
    headline: str
    figures: tuple[FigureEntry, ...]
    matched: dict[str, int]
    left_out: int
    prompt: str
    wording: Wording
    truth: str
    settings: dict[str, Any] = {}
    notes: tuple[str, ...] = ()


def samples_of(folder: RunFolder, name: str) -> list[ImportedSample]:
    """Return the tool's results for one sample of a run, one for each repeat, or none if the run is our own."""
    if not (folder.path / SAMPLES).is_file():
        return []
    return [one for one in read_samples(folder) if one.id == name]


def read_samples(folder: RunFolder) -> Iterator[ImportedSample]:
    """Read imported.jsonl of a run."""
    path = folder.path / SAMPLES
    decoder = msgspec.json.Decoder(ImportedSample)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                yield decoder.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise SnellenError(f"{path} line {number} is damaged ({error}); import the log again") from None


def against(folder: RunFolder, theirs: Mapping[Reply, ImportedSample]) -> tuple[VerdictAgreement, ...]:
    """Compare the tool's verdicts with those of every protocol of the run, part by part."""
    samples = {s.id: s for s in folder.samples()}
    found = []
    for one in folder.summary().plain:
        marks = [(mark, at) for at in range(1, one.repeats + 1) for mark in folder.marks(one.protocol, at)]
        label = declared(one.metrics, one.headline).label_of(one.headline)
        for group in (g for g in one.groups if g.whole):
            own = [(m, at) for m, at in marks if group.by.items() <= samples[m.id].tags.items()]
            answered = any(m.outcome not in NON_ANSWERS for m, _at in own)
            score = group.metrics[one.headline].value if answered and one.headline in group.metrics else None
            facts = {"protocol": one.protocol, "part": part_name(group.by), "label": label, "score": score}
            found.append(_against(facts, own, theirs))
    return tuple(found)


def _against(
    facts: Mapping[str, Any], marks: Sequence[tuple[Mark, int]], theirs: Mapping[Reply, ImportedSample]
) -> VerdictAgreement:
    ours = {(m.id, at): m.outcome for m, at in marks if m.outcome is not Outcome.UNMARKED}
    said = {i: right for i in ours if i in theirs and (right := theirs[i].right) is not None}
    only_theirs = tuple(i for i, right in said.items() if right and ours[i] is not Outcome.CORRECT)
    only_ours = tuple(i for i, right in said.items() if not right and ours[i] is Outcome.CORRECT)
    return VerdictAgreement(
        **facts,
        right=sum(o is Outcome.CORRECT for o in ours.values()),
        n=len(marks),
        same=len(said) - len(only_theirs) - len(only_ours),
        only_theirs=tuple(name for name, _at in only_theirs),
        only_ours=tuple(name for name, _at in only_ours),
        unread=sum(ours[i] is not Outcome.WRONG for i in only_theirs),
        undecided=len(marks) - len(said),
    )
