"""Import of a log as a run: rows are matched with samples, replies are kept as answers and marked, scores are kept beside them."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from snellen import exams
from snellen.core.dataset import Dataset
from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import Thresholds, rows_of, traits_of
from snellen.core.options import Selection
from snellen.core.records import Wording
from snellen.core.subject import Subject
from snellen.core.types import Answer, Failure, Sample
from snellen.engine.mark import marking
from snellen.engine.plan.edits import wordings
from snellen.engine.plan.plan import Plan, choose, manifest, targets_from_manifest
from snellen.engine.runs.folder import RunFolder
from snellen.engine.runs.run import Run
from snellen.importers.log import Log, LogRow
from snellen.importers.matching import MatchedRows, match, refusal
from snellen.importers.prompts import MatchedPrompt, asked_as
from snellen.importers.reading import read_log
from snellen.importers.record import (
    RECORD,
    SAMPLES,
    FigureEntry,
    ImportedSample,
    ImportRecord,
    VerdictAgreement,
    against,
)

FROM_LOG = "log"
_ENCODER = msgspec.json.Encoder()


class ImportRequest(NamedTuple):
    """A user's request. Without `data`, the truths come from the log."""

    tool: str
    files: tuple[Path, ...]
    exam: str
    data: Path | None = None
    protocols: tuple[str, ...] = ()
    prompt: str | None = None
    selection: Selection = Selection()
    model: str | None = None
    epoch: int | None = None
    skip_unmatched: bool = False
    out: Path = Path("runs")


class ImportedRun(NamedTuple):
    """A log that became a run. `again` means that it had been imported before."""

    run: Run
    record: ImportRecord
    against: tuple[VerdictAgreement, ...]
    again: bool


class _LogSamples(Dataset):
    """The samples that a log has replies to, as a data set."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self._samples = samples

    def __len__(self) -> int:
        return len(self._samples)

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        yield from (s for s in self._samples if wanted(s.id))


def import_log(request: ImportRequest) -> ImportedRun:
    """Read a log and make a run of it, or find the run that was made before. Nothing in the log is executed."""
    exam = exams.load(request.exam)
    if exam.extra(Thresholds) is not None:
        raise SnellenError(
            f"{exam.name} chooses each question by the answers before, so a log of it cannot be imported"
        )
    for name in (*map(str, request.files), request.model or ""):
        if name.encode(errors="ignore").decode() != name:
            raise SnellenError(f"{name!a}: a name that is not UTF-8; rename it")
    log = read_log(request.tool, request.files, request.epoch)
    every = (log.rows, *log.again)
    if request.data is not None:
        whole = exam.open(request.data, request.selection)
        samples = list(whole.light())
    else:
        whole = Dataset()
        samples = [_sample(exam, row, request.selection) for row in log.rows]
        whole.source, whole.options = request.files[0].name, request.selection
        whole.fingerprint = digest([msgspec.to_builtins(s) for s in samples])
    matches = [match(rows, samples, lambda: _pictures(whole)) for rows in every]
    for matched, rows in zip(matches, every, strict=True):
        if matched.left and (not request.skip_unmatched or not matched.pairs):
            raise refusal(matched.left, len(rows), whole.source)
    asked = asked_as(exam, matches[0].pairs, request.prompt)
    kept = {sample.id for matched in matches for _row, sample in matched.pairs}
    data = _LogSamples([s for s in samples if s.id in kept])
    data.fingerprint, data.source, data.options = whole.fingerprint, whole.source, whole.options
    data.synthetic, data.origin = whole.synthetic, whole.origin
    return _written(request, _plan(request, exam, log, data, asked, matches), log, matches, asked)


# ---------------------------------------------------------------- samples


def _sample(exam: Exam, row: LogRow, selection: Selection) -> Sample:
    """Make a sample as the log describes it, from the fields that `snellen mark` takes."""
    name = row.id if row.id is not None else str(row.number)
    known = {"split": row.part, "config": row.part, **row.fields, "id": f"{row.part}/{name}" if row.part else name}
    if len(selection.splits) == 1:
        known["split"] = selection.splits[0]
    if row.target is not None:
        known["answer"] = row.target
    try:
        sample = rows_of(exam).sample({k: v for k, v in known.items() if v != "" or k == "id"})
    except SnellenError as error:
        raise SnellenError(
            f"{row.where}: the log has too little to mark it by ({error}); --data DIR has the truths"
        ) from None
    try:  # fields that are enough to mark a reply may be too few for a table by parts
        for protocol in exam.protocols.values():
            protocol.groups(sample)
    except KeyError as error:
        raise SnellenError(
            f"{row.where}: the log does not say which part of the exam it is from ({error} is missing); --data DIR has it"
        ) from None
    return sample


def _pictures(data: Dataset) -> Mapping[str, Sequence[str]]:
    """Return the ids of the samples that show each image, by its digest."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for sample in data.full(lambda _id: True):
        for picture in sample.pictures:
            found[hashlib.sha256(picture.data).hexdigest()].append(sample.id)
    return found


# ---------------------------------------------------------------- the run


def _plan(
    request: ImportRequest,
    exam: Exam,
    log: Log,
    data: Dataset,
    asked: MatchedPrompt,
    matches: Sequence[MatchedRows],
) -> Plan:
    """Plan the run, with the log in place of the model."""
    every = choose(exam, request.protocols, asked.prompt)
    targets = tuple(t for t in every if "evidence" not in t.protocol.needs)
    if not targets:
        raise SnellenError(
            f"the protocols of {exam.name} need the pictures: 'snellen run {exam.name} --model replay/FILE' takes recorded replies"
        )
    imported = {  # everything that decides the answers: the files, and how their content was used
        "tool": log.tool,
        "version": log.version,
        "model": log.model,
        "made": log.made,
        "files": sorted(_digests(log.files).values()),
        "epoch": request.epoch or ("all" if log.again else 1),
        "prompt": asked.prompt,
        "wording": asked.wording,
        "truth": FROM_LOG if request.data is None else "data set",
    }
    subject = Subject()
    subject.spec = f"import/{log.tool}:{request.model or log.model or 'unknown'}"
    subject.identity = {"kind": "import", "imported": imported}
    arms = targets[0].arm.times(len(matches))
    questions = {arm: len(matched.pairs) for arm, matched in zip(arms, matches, strict=True)}
    plan = Plan(exam, data, subject, targets, request.selection, out=request.out)
    return plan._replace(questions=questions, repeats=len(matches))


def _digests(paths: Sequence[str]) -> dict[str, str]:
    """Return the digests of files by name. Their folders do not matter."""
    found = {}
    for path in map(Path, paths):
        with path.open("rb") as file:
            found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def _written(
    request: ImportRequest, plan: Plan, log: Log, every: Sequence[MatchedRows], asked: MatchedPrompt
) -> ImportedRun:
    """Write the run folder. An existing one is completed and marked, never rewritten."""
    graded = any(row.scores.get(log.headline, 0.0) > 1 for matched in every for row, _sample in matched.pairs)
    verdict = "" if graded else log.headline  # points and percent do not say right or wrong
    theirs = {
        (sample.id, at): _theirs(verdict, row, sample, asked, at)
        for at, matched in enumerate(every, 1)
        for row, sample in matched.pairs
    }
    with RunFolder(plan.folder) as folder:
        again = folder.has("run.json")
        targets = plan.targets
        if again:
            known = folder.manifest()
            targets = tuple(dict.fromkeys(targets_from_manifest(plan.exam, known, folder.path) + targets))
        else:
            known = manifest(plan)
            if asked.wording == "same":  # a wording is kept only if it is known to have been asked
                said = {name: Wording(digest=mark) for name, mark in wordings(plan).items()}
                known = msgspec.structs.replace(known, wordings=said)
        if not folder.has("samples.jsonl"):
            folder.write_samples(plan.data.light(), facts=traits_of(plan.exam).keeps_facts)
        folder.write_record(msgspec.structs.replace(known, protocols=tuple(t.entry for t in targets)))
        folder.start_appending()
        last = folder.scan().last
        for arm, matched in zip(plan.questions, every, strict=True):
            folder.append(*(_answer(row, s, arm.text) for row, s in matched.pairs if (s.id, arm.text) not in last))
        marking.mark_run(folder, plan.exam, targets)
        record = _record(request, log, every, asked)
        folder.write(RECORD, msgspec.json.format(_ENCODER.encode(record), indent=2) + b"\n")
        folder.write_chunks(SAMPLES, (_ENCODER.encode(one) + b"\n" for one in theirs.values()))
        verdicts = against(folder, theirs)
    return ImportedRun(Run(plan.folder), record, verdicts, again)


def _answer(row: LogRow, sample: Sample, arm: str) -> Answer:
    failure = Failure(kind="imported", reason=row.error) if row.error else None
    return Answer(
        id=sample.id,
        prompt=arm,
        text="" if failure else row.text,
        thinking=row.thinking,
        failure=failure,
        finish_reason=row.finish_reason,
        refused=row.refused,
    )


# ---------------------------------------------------------------- the tool's own results


def _theirs(verdict: str, row: LogRow, sample: Sample, asked: MatchedPrompt, repeat: int) -> ImportedSample:
    value = row.scores.get(verdict)
    decided = value is not None and (value <= 0 or value >= 1)  # false for NaN
    right = value >= 1 if value is not None and decided else None
    said = row.asked if asked.wording == "other" else None
    return ImportedSample(
        id=sample.id, row=row.where, right=right, read=row.read, scores=row.scores, asked=said, repeat=repeat
    )


def _record(request: ImportRequest, log: Log, every: Sequence[MatchedRows], asked: MatchedPrompt) -> ImportRecord:
    notes = list(log.notes)
    rows = sum(map(len, (log.rows, *log.again)))
    left, unsure = sum(len(one.left) for one in every), sum(one.unsure for one in every)
    if left:
        notes.append(f"{left} of {rows} rows fit no sample and are left out of our scores, not of theirs")
    if unsure:
        notes.append(
            f"{unsure} row{' was' if unsure == 1 else 's were'} matched by {'its' if unsure == 1 else 'their'} place alone: "
            "nothing in the log confirms that the order is the data set's"
        )
    figures = (
        FigureEntry(name=f.name, part=f.part, n=len(f.values), logged=f.value, computed=f.again, agrees=f.agrees)
        for f in log.figures
    )
    return ImportRecord(
        tool=log.tool,
        version=log.version,
        model=log.model,
        made=log.made,
        task=log.task,
        files=_digests(log.files),
        rows=rows,
        samples=len({sample.id for one in every for _row, sample in one.pairs}),
        headline=log.headline,
        figures=tuple(figures),
        matched=dict(sum((Counter(one.ways) for one in every), Counter())),
        left_out=left,
        prompt=asked.prompt,
        wording=asked.wording,
        truth=FROM_LOG if request.data is None else "data set",
        settings=log.settings,
        notes=tuple(notes),
    )
