"""The data sets VQA-X, ACT-X, e-SNLI-VE and VCR, in the folder layout of multimodal-vqa-eval and in any published format.

Annotations are read record by record on every pass, and images only for the samples that are asked about. So a large split takes little
more memory than its file. Samples are joined by their id, never by their image.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from snellen.core.dataset import Dataset, Problem, Shots, no_shots
from snellen.core.digest import rank
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.pixels import check_image
from snellen.core.selection import choose
from snellen.core.text import one_line
from snellen.core.types import Picture, Sample
from snellen.data.files import digest_of, read_picture
from snellen.data.folder import unusable
from snellen.data.synthetic_marker import folder_label
from snellen.exams.vqa_nle.formats.files import readable
from snellen.exams.vqa_nle.formats.find import SPLIT_NAMES, AnnotationFile, Files, find
from snellen.exams.vqa_nle.formats.images import ImageIndex
from snellen.exams.vqa_nle.formats.records import VqaRecord
from snellen.exams.vqa_nle.formats.sample import can_be_reasoned, rationale_id, rationale_of, sample_of
from snellen.exams.vqa_nle.names import EXAMPLES, LABELS, PARTS, RATIONALE, SPLITS

DEFAULT_ORDER = ("val", "test", "train")
_FIRST_FEW = 5
_DRAWN = 500  # number of records from which examples are drawn


class NleData(Dataset):
    """Selected samples of one task. `missing` are selected samples that are left out because their image is missing."""

    def __init__(self, task: str, where: Path, options: Selection) -> None:
        self.task, self.source, self.options = task, str(where), options
        files = find(task, where)
        self._sources = [files.sources[s] for s in _chosen_splits(task, where, files, options)]
        self._train, self._no_train = files.sources.get("train"), files.why_not("train")
        self.files = tuple(s.label for s in self._sources)
        self.index = ImageIndex(task, where)
        self._parts = _chosen_parts(task, options)
        self._ids: set[str] = set()
        missing: dict[str, str] = {}
        problems: list[Problem] = []
        origins: list[object] = []
        pictures: dict[str, int] = {}
        fingerprint = hashlib.sha256()
        for source in self._sources:
            records: dict[str, str | None] = {}
            sizes: dict[str, int] = {}
            for record in source.records():
                if isinstance(record, Problem):
                    problems.append(record)
                    continue
                origins += [record.origin] if record.origin and not origins else []
                records[record.id] = self._add_files(record, sizes)
                if RATIONALE in self._parts and not can_be_reasoned(record):
                    problems.append(Problem(source.label, _NO_REASONS))
            chosen = choose(records, options.limit, options.seed)
            self._ids |= records.keys() if chosen is None else chosen
            missing |= {i: name for i, name in records.items() if name is not None and i in self._ids}
            pictures |= sizes
            fingerprint.update(f"{source.label}\x1e{self._digest(source, sizes)}\x1e".encode())
        if problems:
            raise unusable(problems, task, where)
        self.synthetic, self.origin = folder_label(origins, map(self.index.path, pictures))
        self.fingerprint = fingerprint.hexdigest()
        self.missing = list(missing)
        self._check_images(list(missing.values()))
        self._ids -= missing.keys()

    def _add_files(self, record: VqaRecord, sizes: dict[str, int]) -> str | None:
        """Add the sizes of a record's files. If the image is missing, return its expected place."""
        image = self.index.find(record)
        for file in (image, self.index.metadata(record)):
            if file is not None and file not in sizes:
                with readable(file):
                    sizes[file] = self.index.path(file).stat().st_size
        return self.index.expected(record) if image is None else None

    def _digest(self, source: AnnotationFile, sizes: dict[str, int]) -> str:
        with readable(source.label), source.path.open("rb") as annotations:
            digest = hashlib.file_digest(annotations, "sha256")
        for name in sorted(sizes):
            digest.update(f"\x1e{name}\x1f{sizes[name]}".encode())
        digest.update(digest_of((self.index.path(name), size) for name, size in sizes.items()).encode())
        return digest.hexdigest()

    def _check_images(self, missing: list[str]) -> None:
        if len(missing) > self.options.max_missing:
            few = ", ".join(list(dict.fromkeys(missing))[:_FIRST_FEW])
            more = ", ..." if len(set(missing)) > _FIRST_FEW else ""
            raise SnellenError(
                f"{self.task}: {len(missing)} of {len(self._ids)} samples have no image under {self.index.root} "
                f"({one_line(few)}{more}); put the images there, or let up to N be left out with --max-missing N"
            )
        if len(missing) == len(self._ids):
            raise SnellenError(f"{self.task}: no sample of {', '.join(self.files)} has its image")

    def __len__(self) -> int:
        return len(self._ids) * len(self._parts)

    def _records(self) -> Iterator[VqaRecord]:
        """Yield the selected records."""
        for source in self._sources:
            for record in source.records():
                if isinstance(record, Problem):
                    raise SnellenError(f"{record}: the file has changed since it was opened")
                if record.id in self._ids:
                    yield record

    def light(self) -> Iterator[Sample]:
        for record in self._records():
            yield from self._asked(sample_of(record, self.index), record)

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        def some(record: VqaRecord) -> bool:
            return wanted(record.id) or (RATIONALE in self._parts and wanted(rationale_id(record.id)))

        for sample, record in self._with_pictures(filter(some, self._records())):
            yield from (s for s in self._asked(sample, record) if wanted(s.id))

    def _asked(self, sample: Sample, record: VqaRecord) -> Iterator[Sample]:
        """Yield the samples of a record: for VCR its answer, its rationale, or both. Two that belong together are linked."""
        if len(self._parts) > 1:
            sample = msgspec.structs.replace(sample, facts=sample.facts | {"paired": True})
        if self.task in self._parts:
            yield sample
        if RATIONALE in self._parts:
            yield rationale_of(sample, record)

    def _with_pictures(self, wanted: Iterator[VqaRecord]) -> Iterator[tuple[Sample, VqaRecord]]:
        last: Picture | None = None  # consecutive records often share an image
        for record in wanted:
            image = self.index.find(record)
            if image is None:
                raise SnellenError(f"{self.index.expected(record)}: the image of {record.id} has gone")
            if last is None or last.name != image:
                with readable(image):
                    last = Picture(data=read_picture(self.index.path(image)), name=image)
            yield sample_of(record, self.index, last), record

    # ------------------------------------------------------------ examples

    def shots(self, prompt: str) -> Shots:
        super().shots(prompt)
        count = EXAMPLES.get(prompt)
        if count is None:
            return no_shots
        examples = self.examples(count)
        return lambda sample: _examples_for(sample, examples, count)

    def examples(self, shots: int) -> list[Sample]:
        """Return samples to show before a question, in seeded order, with pictures. Add stand-ins for those that share its image.

        They come from the train split if there is one, else from the first split of the run. All have different images, and e-SNLI-VE's
        labels take turns.
        """
        if self._no_train:
            raise SnellenError(f"{self._no_train}: examples come from the train split, and this is its file")
        source = self._train or self._sources[0]
        # the train file was not checked; an unreadable record is not used as an example
        fit = (r for r in source.records() if isinstance(r, VqaRecord) and self._is_example(r))
        drawn = heapq.nsmallest(_DRAWN, fit, key=lambda record: rank(self.options.seed, f"shots/{record.id}"))
        chosen = self._in_turn(drawn)[: shots + len(LABELS)]
        if len(chosen) <= shots:
            raise SnellenError(
                f"{source.label}: {shots} examples need {shots + 1} samples with different images and explanations, "
                f"and there are {len(chosen)}"
            )
        examples = [sample for sample, _record in self._with_pictures(iter(chosen))]
        for sample in examples:
            check_image(sample.pictures[0])
        return examples

    def _is_example(self, record: VqaRecord) -> bool:
        whole = bool(record.answers and record.explanations) and (self.task != "vcr" or record.label is not None)
        return whole and self.index.find(record) is not None

    def _in_turn(self, records: list[VqaRecord]) -> list[VqaRecord]:
        """Return records with different images; for e-SNLI-VE, one of each label in turn."""
        queues = [deque(records)]
        if self.task == "esnlive":
            queues = [deque(r for r in records if r.answers == (label,)) for label in LABELS]
        taken: set[str | None] = set()
        order: list[VqaRecord] = []
        while any(queues):
            for queue in queues:
                while queue and (image := self.index.find(queue[0])) in taken:
                    queue.popleft()
                if queue:
                    taken.add(image)
                    order.append(queue.popleft())
        return order


_NO_REASONS = (
    "no four rationales to choose from, or no right answer: QA->R needs the official train.jsonl or val.jsonl; "
    "leave out '--task rationale'"
)


def _examples_for(sample: Sample, examples: list[Sample], shots: int) -> list[Sample]:
    """Return the first examples. An example with the query's own image is replaced by a stand-in, with the same label if possible."""

    def same_image(one: Sample) -> bool:
        return Path(one.facts["image_name"]).name == Path(sample.facts["image_name"]).name

    stand_ins = [one for one in examples[shots:] if not same_image(one)]

    def instead_of(one: Sample) -> Sample:
        return min(stand_ins, key=lambda other: other.tags.get("label") != one.tags.get("label"))

    return [instead_of(one) if same_image(one) else one for one in examples[:shots]]


# ---------------------------------------------------------------- the user's choices


def _chosen_parts(task: str, options: Selection) -> tuple[str, ...]:
    """Return the tasks that the options name, as in the samples' tags.

    Only VCR has several. By default only its answers are asked about, so that no sample is paid for twice by accident.
    """
    known = PARTS if task == "vcr" else {task: (task,)}
    wanted: set[str] = set()
    for given in options.tasks:
        if given.lower() not in known:
            choice = "choose from answer, rationale" if task == "vcr" else "it has no tasks to choose from"
            raise SnellenError(f"unknown task '{given}' of {task}: {choice}")
        wanted.update(known[given.lower()])
    return tuple(part for part in (task, RATIONALE) if part in (wanted or {task}))


def _chosen_splits(task: str, where: Path, files: Files, options: Selection) -> list[str]:
    """Return the splits that the options name; for a missing one, raise an error that lists those present."""
    there = list(files.sources)
    if not there:
        raise SnellenError(f"{files.problems[0][1]}; 'snellen data check {task} --data {where}' lists all")
    if not options.splits:
        return [min(there, key=DEFAULT_ORDER.index)]
    wanted = []
    for given in options.splits:
        split = SPLIT_NAMES.get(given.lower())
        if split is None:
            raise SnellenError(f"unknown split '{given}' of {task}: choose from {', '.join(SPLITS)}")
        if split not in there:
            why = files.why_not(split)
            reason = f" ({why})" if why else ""
            raise SnellenError(f"{task} has no split '{given}' here: it has {', '.join(there)}{reason}")
        wanted.append(split)
    return [s for s in SPLITS if s in wanted]
