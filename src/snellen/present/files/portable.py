"""Shared parts of portable records: whether the run counts as a result, its model, and its data.

A reader of such a record has nothing else from the run. So a run that would need a warning is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from snellen import exams
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.records import Manifest
from snellen.core.results import declared
from snellen.core.text import one_line
from snellen.data.hub import read_lock
from snellen.engine.runs.run import Run
from snellen.engine.runs.tidy import ScoreRow
from snellen.subjects import hosting as hosting_of

REFUSED = {
    "SYNTHETIC": "its data is synthetic, and the record would be taken for a result on the real benchmark",
    "INCOMPLETE": "it is not complete: the command that began it goes on with it",
    "STALE": "answers came after it was marked: 'snellen mark' marks them",
    "ORACLE": "its subject looks at the answers",
    "MOSTLY SILENT": "most questions of a part got no answer, so the score says nothing of the model",
}
UNKNOWN = "unknown"


class PortableModel(NamedTuple):
    """A model as records name it, and how it was run. Values that the run does not state are 'unknown'."""

    id: str
    developer: str
    deployment: str = UNKNOWN
    weights: str = UNKNOWN
    platform: str = ""
    engine: str = ""

    @property
    def name(self) -> str:
        return self.id.partition("/")[2]


class HubSource(NamedTuple):
    """The published data set and the commit that was fetched. Empty if the run does not know them."""

    repo: str = ""
    commit: str = ""


def portable_rows(run: Run, protocol: str | None = None) -> list[ScoreRow]:
    """Return the scores of whole parts for a record, headline first. Refuse a run that does not count as a result."""
    if run.manifest.truth_from_log:
        raise SnellenError(
            f"{run.path} has no portable record: its truths are those of a log, so nobody can say which data set they are of; "
            "'snellen import' with --data DIR takes them from the data set"
        )
    plain = [r for r in run.score_rows() if r.whole and not r.control]
    for word, why in REFUSED.items():
        if any(word in r.status.split(", ") for r in plain):
            raise SnellenError(f"{run.path} has no portable record: {why}")
    metrics = {p.protocol: p.metrics for p in run.protocols}
    wanted = [
        r
        for r in plain
        if r.value is not None
        and protocol in (None, r.protocol)
        and (r.headline or not declared(metrics[r.protocol], r.metric).detail)
    ]
    if not wanted:
        raise SnellenError(f"{run.path} has no scores{f' by protocol {protocol}' if protocol else ''} to export")
    return sorted(wanted, key=lambda r: not r.headline)


def exam_of(run: Run) -> Exam:
    """Return the exam of a run."""
    return exams.load(run.manifest.exam)


def asked_on(manifest: Manifest) -> str:
    """Return the date when the questions were asked. For an imported log, this is when the log was made."""
    return str(manifest.imported.get("made") or "") or manifest.created


# ---------------------------------------------------------------- the model

_OURS = ("baseline", "method")


def model_of(manifest: Manifest, given: str | None = None) -> PortableModel:
    """Return the model of a run as OWNER/NAME: as `given`, else as far as the subject's name contains it."""
    spec, identity = manifest.subject.spec, manifest.subject.identity
    kind = str(identity.get("kind") or spec.partition("/")[0])
    name, hosting = spec.removeprefix(f"{kind}/"), hosting_of(kind)
    if kind == "human":
        raise SnellenError("these are the answers of people, and a portable record is of a model")
    if kind == "replay":
        name = PurePath(name).stem  # the folder of a file of replies is private
    elif kind == "import":
        name = name.partition(":")[2]  # the log's own name for the model
    elif kind in _OURS:
        name = f"snellen/{kind}-{'-'.join(name.replace('/', ' ').split())}"
    model = given or (name if "/" in name else f"{hosting.developer or UNKNOWN}/{name}")
    if not re.fullmatch(r"[^/\s]+/[^\s]*[^/\s]", model):
        raise SnellenError(
            f"a model's name in a record is OWNER/NAME, and '{one_line(model, 80)}' is not: give --model-id"
        )
    developer = model.partition("/")[0]
    if hosting.by == "provider":
        closed = name.startswith(hosting.closed)  # the service may serve open models, too
        return PortableModel(model, developer, "externally_managed", "closed_weights" if closed else UNKNOWN, kind)
    if hosting.by == "self":
        known = "open_weights" if identity.get("commit") else UNKNOWN
        return PortableModel(model, developer, "self_deployed", known, engine=hosting.engine)
    return PortableModel(model, developer)


# ---------------------------------------------------------------- the data


def source_of(manifest: Manifest) -> HubSource:
    """Return the data set on the hub that `snellen data get` fetched, if the folder still exists and records it."""
    lock = read_lock(Path(manifest.data.source))
    return HubSource(lock.repo, lock.commit) if lock is not None else HubSource()


def slug(text: str, instead: str = "_") -> str:
    """Return a text that is safe as part of a file name on any system.

    >>> slug("llava:7b"), slug("../x"), slug("CON"), slug("")
    ('llava_7b', 'x', 'CON_', '_')
    """
    found = re.sub(r"[^A-Za-z0-9._+-]+", instead, text).strip("._ ") or instead
    return f"{found}{instead}" if re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d|data)(\..*)?", found) else found


def one_of_each(names: Iterable[str], what: str) -> None:
    """Refuse to write two files with one name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise SnellenError(
                f"two of these runs would be the same {what} ({name}): export them into different folders"
            )
        seen.add(name)


def part_id(row: ScoreRow) -> str:
    """Return the dotted name of an exam's part under a protocol: 'salbench.P3.paper'."""
    return ".".join(slug(piece, "-") for piece in (row.exam, *row.by.values(), row.protocol))


Files = Sequence[tuple[str, bytes]]
"""Files of a folder as pairs of name and content."""
