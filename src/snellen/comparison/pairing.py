"""Selection of the samples and protocols of some runs that can be compared. The rest is left out with a note, or refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from snellen import exams
from snellen.comparison.thresholds import lettered, opened_runs, refuse_thresholds
from snellen.core.arm import Arm
from snellen.core.errors import SnellenError, unknown
from snellen.core.protocol import Protocol
from snellen.core.records import Manifest, ProtocolEntry, Summary
from snellen.core.types import Sample
from snellen.engine.mark.integrity import check_summary
from snellen.engine.runs.run import Run

NAMED = 3
"""The most reasons that are listed one by one."""
_OTHER_DATA = 0.05
"""If more than this share of the common samples have another truth, it is another data set under the same names."""


class OpenedRun(NamedTuple):
    """A run with its records, read once."""

    letter: str
    run: Run
    manifest: Manifest
    summary: Summary
    samples: Mapping[str, Sample]

    @property
    def entries(self) -> dict[str, ProtocolEntry]:
        """The protocols that it was marked by, without control arms."""
        return {e.name: e for e in self.summary.marked or self.manifest.protocols if not e.arm.control}


class Common(NamedTuple):
    """The common ground of some runs: protocols by name, each with its arm, and the samples. `notes` say what is left out, and why."""

    exam: str
    protocols: Mapping[str, tuple[Protocol, Arm]]
    samples: Mapping[str, Sample]
    notes: tuple[str, ...]


def opened(paths: Sequence[str | Path | Run]) -> list[OpenedRun]:
    """Open runs (or those in these folders), each with a letter. Refuse one that is not marked to the end."""
    found = []
    for letter, run in lettered(opened_runs(paths)):
        summary = run.summary
        if summary.answers_bytes and summary.answers_bytes != run.folder.answers_bytes:
            raise SnellenError(f"{run.path} has answers that are not marked yet; 'snellen mark {run.path}' does it")
        found.append(OpenedRun(letter, run, run.manifest, summary, {s.id: s for s in run.samples()}))
    return found


def common(runs: Sequence[OpenedRun], wanted: Sequence[str] = ()) -> Common:
    """Return what these runs share. Refuse runs that share nothing or are of different kinds."""
    first, notes = runs[0], list[str]()
    for other in runs[1:]:
        _same_kind(first, other)
    exam = exams.load(first.manifest.exam)
    refuse_thresholds(exam, "samples cannot be held against each other here")
    ids = _samples(runs, notes)
    entries = _entries(runs, wanted, notes)
    for one in runs:
        compared = tuple(result for result in one.summary.protocols if result.protocol in entries)
        check_summary(one.run, replace(one.summary, protocols=compared), exam)
        notes += _about(one)
    shots = [one.manifest.options.shots for one in runs]
    if len(set(shots)) > 1:
        had = _each(runs, "{} had {}", shots)
        notes.append(f"The runs were asked with different numbers of examples ({had}): the difference includes that.")
    times = [max((p.repeats for p in one.summary.protocols if p.protocol in entries), default=1) for one in runs]
    if len(set(times)) > 1:
        often = _each(runs, "{} {}", ["once" if n == 1 else f"{n} times" for n in times])
        notes.append(f"Questions were asked differently often ({often}): a sample counts with its mean over these.")
    targets = {}
    for name, entry in entries.items():
        protocol, _arm = targets[name] = exam.protocol(f"{entry.base}@{entry.prompt}")
        if entry.version != protocol.version:
            notes.append(
                f"Protocol '{name}' is compared as its version {entry.version} marked; 'snellen mark' marks by {protocol.version}."
            )
    return Common(exam.name, targets, {i: first.samples[i] for i in ids}, tuple(notes))


def _each(runs: Sequence[OpenedRun], form: str, values: Sequence[object]) -> str:
    """Return text such as 'A has 3, B has 4'."""
    return ", ".join(form.format(one.letter, value) for one, value in zip(runs, values, strict=True))


def _same_kind(first: OpenedRun, other: OpenedRun) -> None:
    a, b = first.manifest, other.manifest
    if a.exam != b.exam:
        raise SnellenError(
            f"{first.run.path} is a run of {a.exam} and {other.run.path} of {b.exam}: only runs of one exam can be compared"
        )
    if a.data.synthetic != b.data.synthetic:
        made, real = (first, other) if a.data.synthetic else (other, first)
        raise SnellenError(
            f"{made.run.path} is on synthetic data and {real.run.path} on real data: their scores say nothing of each other"
        )
    if a.data.origin != b.data.origin:
        said = f"{_made(a.data.origin)} and {_made(b.data.origin)}"
        raise SnellenError(
            f"{first.run.path} and {other.run.path} are on different synthetic sets ({said}): run both on one of them"
        )


def _made(origin: Mapping[str, object]) -> str:
    return ", ".join(f"{k} {v}" for k, v in origin.items() if isinstance(v, str | int)) or "not ours"


# ---------------------------------------------------------------- samples


def _samples(runs: Sequence[OpenedRun], notes: list[str]) -> list[str]:
    """Return the ids that all runs have, with the same truth and tags, in the first run's order."""
    first = runs[0]
    ids = [i for i in first.samples if all(i in other.samples for other in runs[1:])]
    if not ids:
        raise SnellenError(f"{first.run.path} and {runs[1].run.path} have no samples in common")
    facts = [{i: (one.samples[i].truth, one.samples[i].tags) for i in ids} for one in runs]
    changed = {i for i in ids if any(other[i] != facts[0][i] for other in facts[1:])}
    if len(changed) > _OTHER_DATA * len(ids):
        raise SnellenError(
            f"the runs are on different data: {len(changed)} of {len(ids)} common samples have another truth or other tags"
        )
    sizes = [len(one.samples) for one in runs]
    if set(sizes) != {len(ids)}:
        own = _each(runs, "{} has {:,}", sizes)
        notes.append(f"Only the {len(ids):,} samples that all runs have are compared ({own}).")
    options = [one.manifest.options for one in runs]
    selected = {(one.splits, one.tasks, one.limit, one.seed) for one in options}
    if changed:
        notes.append(f"The data differ: {len(changed)} samples with another truth or other tags are left out.")
    elif len({one.manifest.data.fingerprint for one in runs}) > 1 and len(selected) == 1:
        notes.append("The data differ, though truths and tags of the common samples do not: pictures may.")
    return [i for i in ids if i not in changed]


# ---------------------------------------------------------------- protocols


def _entries(runs: Sequence[OpenedRun], wanted: Sequence[str], notes: list[str]) -> dict[str, ProtocolEntry]:
    """Return the protocols that all runs have in one version for one wording of a prompt, in the order wanted or of the first run."""
    there = [one.entries for one in runs]
    every = dict.fromkeys(name for entries in there for name in entries)
    for name in wanted:
        if name not in every:
            raise unknown("protocol", name, every, of="these runs")
    found: dict[str, ProtocolEntry] = {}
    for name in wanted or every:
        why = _unlike(name, runs, there)
        if why:
            notes.append(why)
        else:
            found[name] = there[0][name]
    if found:
        return found
    why = " ".join(notes)  # protocol by protocol, or run by run if there are many and none is shared
    if len(notes) > NAMED and not any(name in there[0] for entries in there[1:] for name in entries):
        marked = "; ".join(f"{one.letter} by {', '.join(entries)}" for one, entries in zip(runs, there, strict=True))
        cure = "Name runs that were asked with the same prompts, or mark by more: 'snellen mark RUN --protocol P'."
        why = f"Marked were {marked}. {cure}"
    raise SnellenError(f"the runs have no protocol in common. {why}")


def _unlike(name: str, runs: Sequence[OpenedRun], there: Sequence[Mapping[str, ProtocolEntry]]) -> str:
    """Return why a protocol cannot be compared, or an empty string if it can."""
    lacking = [one.letter for one, entries in zip(runs, there, strict=True) if name not in entries]
    if lacking:
        return f"Protocol '{name}' is left out: {' and '.join(lacking)} {'was' if len(lacking) == 1 else 'were'} not marked by it."
    entries = [e[name] for e in there]
    if len({e.prompt for e in entries}) > 1:
        return f"Protocol '{name}' is left out: it marked answers to different prompts."
    if len({(e.version, e.code) for e in entries}) > 1:
        versions = _each(runs, "{} has {}", [e.version for e in entries])
        return f"Protocol '{name}' is left out: its versions differ ({versions}); 'snellen mark' brings old marks up to date."
    if not _asked_alike(entries[0].arm.prompt, runs):
        return f"Protocol '{name}' is left out: the wording of its prompt '{entries[0].arm.prompt}' was changed between the runs."
    return ""


def _asked_alike(prompt: str, runs: Sequence[OpenedRun]) -> bool:
    """Tell whether a prompt was worded alike. Digests cover the first questions, so only runs on the same questions are comparable."""
    known: dict[object, set[str]] = {}
    for one in runs:
        wording = one.manifest.wordings.get(prompt)
        if wording is not None:
            questions = one.manifest.questions.get(prompt)  # fewer for a subject that only chooses among options
            same = repr((one.manifest.data.fingerprint, one.manifest.options, questions))
            known.setdefault(same, set()).add(wording.digest)
    return all(len(digests) == 1 for digests in known.values())


# ---------------------------------------------------------------- notes


def _about(one: OpenedRun) -> Iterator[str]:
    if not one.summary.complete:
        wanted = one.summary.questions or one.summary.samples
        answered = sum(one.summary.asked.values()) - one.summary.failed
        yield f"{one.letter} is incomplete: {answered:,} of {wanted:,} questions answered."
    yield from imported_notes(one.manifest, one.letter)
    if one.manifest.oracle:
        yield f"{one.letter} is an oracle, which looks at the answers: {one.manifest.oracle}"


def imported_notes(manifest: Manifest, who: str) -> Iterator[str]:
    """Yield notes on what a log leaves open about a run: the wording of the questions, and the origin of the truths."""
    log = manifest.imported
    said = {
        "other": "worded its questions otherwise than our prompt",
        "unknown": "does not say how it worded its questions",
    }
    wording = said.get(str(log.get("wording")))
    if wording:
        yield f"{who[:1].upper()}{who[1:]} was imported from {manifest.imported_from}, which {wording}: the difference may include that."
    if manifest.truth_from_log:
        yield f"The truths of {who} are those of its log, not of a data set."
