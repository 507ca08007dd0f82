"""Reads VQA-X, ACT-X, e-SNLI-VE and VCR in the folder layout of multimodal-vqa-eval, whatever published format the files are in.

Annotations are read record by record on every pass and images only for the samples that are asked about, so that a large
split costs no more memory than its file. Samples are joined by their id, never by their image.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from snellen.core.dataset import Dataset, Problem, Shots, no_shots
from snellen.core.digest import rank
from snellen.core.errors import SnellenError, unknown
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
from snellen.exams.vqa_nle.formats.sample import BoxFinder, can_be_reasoned, rationale_id, rationale_of, sample_of
from snellen.exams.vqa_nle.names import EXAMPLES, LABELS, PARTS, RATIONALE, SPLITS, TASKS

DEFAULT_ORDER = ("val", "test", "train")
_FIRST_FEW = 5


class NleData(Dataset):
    """Selected samples of one task. `missing` are the selected samples that are left out because their image is not there."""

    def __init__(self, task: str, where: Path, options: Selection) -> None:
        if task not in TASKS:
            raise unknown("task", task, TASKS)
        self.task, self.source, self.options = task, str(where), options
        files = find(task, where)
        self._sources = [files.sources[s] for s in _chosen_splits(task, where, files, options)]
        self._train, self._no_train = files.sources.get("train"), files.why_not("train")
        self.files = tuple(s.label for s in self._sources)
        self.index = ImageIndex(task, where)
        self._ground = BoxFinder(self.index)
        self.missing: list[str] = []
        self._chosen: dict[str, frozenset[str] | None] = {}
        self._count = 0
        self._parts = _chosen_parts(task, options)
        self._labels: list[dict[str, Any]] = []
        self._problems: list[Problem] = []
        pictures: set[str] = set()
        missing_names: list[str] = []
        fingerprint = hashlib.sha256()
        for source in self._sources:
            ids, missing, digest = self._scan(source, pictures)
            chosen = choose(ids, options.limit, options.seed)
            gone = {i: name for i, name in missing.items() if chosen is None or i in chosen}
            self._chosen[source.split] = chosen
            self._count += (len(ids) if chosen is None else len(chosen)) - len(gone)
            self.missing += gone
            missing_names += gone.values()
            fingerprint.update(f"{source.label}\x1e{digest}\x1e".encode())
        if self._problems:
            raise unusable(self._problems, task, where)
        self.synthetic, self.origin = folder_label(
            self._labels, (where / n for n in pictures if not n.endswith(".json"))
        )
        self._gone = frozenset(self.missing)
        self._check_images(missing_names)
        self._count *= len(self._parts)
        self.fingerprint = fingerprint.hexdigest()

    def _scan(self, source: AnnotationFile, pictures: set[str]) -> tuple[list[str], dict[str, str], str]:
        """Read a file once: every id, where missing images should be, and a digest. Names of its images go to `pictures`."""
        ids: list[str] = []
        missing: dict[str, str] = {}
        sizes: dict[str, int] = {}
        problems = len(self._problems)
        for record in source.records():
            if isinstance(record, Problem):
                self._problems.append(record)
                continue
            ids.append(record.id)
            if record.origin and not self._labels:
                self._labels.append(record.origin)
            image = self.index.find(record)
            if image is None:
                missing[record.id] = self.index.expected(record)
            for file in (image, self.index.metadata(record)):
                if file is not None and file not in sizes:
                    with readable(file):
                        sizes[file] = self.index.path(file).stat().st_size
            if RATIONALE in self._parts and not can_be_reasoned(record) and not self._problems:
                raise SnellenError(
                    f"{source.label}: no four rationales to choose from, or no right answer: QA->R needs the official "
                    "train.jsonl or val.jsonl; leave out '--task rationale'"
                )
        if not ids and len(self._problems) == problems:
            self._problems.append(Problem(source.label, "no records"))
        pictures |= sizes.keys()
        with source.path.open("rb") as annotations:
            digest = hashlib.file_digest(annotations, "sha256")
        for name in sorted(sizes):
            digest.update(f"\x1e{name}\x1f{sizes[name]}".encode())
        digest.update(digest_of((self.index.path(name), size) for name, size in sizes.items()).encode())
        return ids, missing, digest.hexdigest()

    def _check_images(self, names: list[str]) -> None:
        if len(names) > self.options.max_missing:
            few = ", ".join(list(dict.fromkeys(names))[:_FIRST_FEW])
            more = ", ..." if len(set(names)) > _FIRST_FEW else ""
            raise SnellenError(
                f"{self.task}: {len(names)} of {self._count + len(names)} samples have no image under {self.index.root} "
                f"({one_line(few)}{more}); put the images there, or let up to N be left out with --max-missing N"
            )
        if not self._count:
            raise SnellenError(f"{self.task}: no sample of {', '.join(self.files)} has its image")

    def __len__(self) -> int:
        return self._count

    def _records(self) -> Iterator[VqaRecord]:
        """Yield the selected records."""
        for source in self._sources:
            chosen = self._chosen[source.split]
            for record in source.records():
                if isinstance(record, Problem):
                    raise SnellenError(f"{record}: the file has changed since it was opened")
                if (chosen is None or record.id in chosen) and record.id not in self._gone:
                    yield record

    def light(self) -> Iterator[Sample]:
        for record in self._records():
            yield from self._asked(sample_of(record, self.index, self._ground), record)

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        def some(record: VqaRecord) -> bool:
            return wanted(record.id) or (RATIONALE in self._parts and wanted(rationale_id(record.id)))

        for sample, record in self._with_pictures(filter(some, self._records())):
            yield from (s for s in self._asked(sample, record) if wanted(s.id))

    def _asked(self, sample: Sample, record: VqaRecord) -> Iterator[Sample]:
        """Yield what is asked about a record: for VCR its answer, its rationale, or both; two that belong together say so."""
        if len(self._parts) > 1:
            sample = msgspec.structs.replace(sample, facts=sample.facts | {"paired": True})
        if self.task in self._parts:
            yield sample
        if RATIONALE in self._parts:
            yield rationale_of(sample, record)

    def _with_pictures(self, wanted: Iterator[VqaRecord]) -> Iterator[tuple[Sample, VqaRecord]]:
        last: Picture | None = None  # neighbours often share an image
        for record in wanted:
            image = self.index.find(record)
            if image is None:
                raise SnellenError(f"{self.index.expected(record)}: the image of {record.id} has gone")
            if last is None or last.name != image:
                with readable(image):
                    last = Picture(data=read_picture(self.index.path(image)), name=image)
            yield sample_of(record, self.index, self._ground, last), record

    # ------------------------------------------------------------ examples

    def shots(self, prompt: str) -> Shots:
        super().shots(prompt)
        count = EXAMPLES.get(prompt)
        if count is None:
            return no_shots
        examples = self.examples(count)
        return lambda sample: _examples_for(sample, examples, count)

    def examples(self, shots: int) -> list[Sample]:
        """Return samples to show before a question, and stand-ins for those that share its image, in seeded order, with pictures.

        They come from the train split where there is one, else from the (first) split that is asked about. All have
        different images; e-SNLI-VE's labels take turns.
        """
        if self._no_train:
            raise SnellenError(f"{self._no_train}: examples come from the train split, and this is its file")
        source = self._train or self._sources[0]
        best: dict[str, dict[str, tuple[bytes, str]]] = {label: {} for label in (*LABELS, "")}
        for record in source.records():
            if isinstance(record, Problem):  # the train file was not checked; what cannot be read is not an example
                continue
            truth = record.truth
            image = self.index.find(record) if truth and truth["explanations"] else None
            if truth is None or image is None or (self.task == "vcr" and record.label is None):
                continue
            images = best[truth["answers"][0] if self.task == "esnlive" else ""]
            place = (rank(self.options.seed, f"shots/{record.id}"), record.id)
            images[image] = min(place, images.get(image, place))
        order = _in_turn(list(best.values()))
        names = order[: shots + len(LABELS)]
        if len(names) <= shots:
            raise SnellenError(
                f"{source.label}: {shots} examples need {shots + 1} samples with different images and explanations, "
                f"and there are {len(names)}"
            )
        wanted = (r for r in source.records() if isinstance(r, VqaRecord) and r.id in names)
        loaded = {sample.id: sample for sample, _record in self._with_pictures(wanted)}
        for sample in loaded.values():
            check_image(sample.pictures[0])
        return [loaded[name] for name in names]


def _in_turn(classes: list[dict[str, tuple[bytes, str]]]) -> list[str]:
    """Return the ids of candidates (image -> (rank, id)), classes taking turns, no image twice."""
    queues = [deque(sorted((place, image) for image, place in c.items())) for c in classes]
    taken: set[str] = set()
    order: list[str] = []
    while any(queues):
        for queue in queues:
            while queue:
                (_rank, name), image = queue.popleft()
                if image not in taken:
                    taken.add(image)
                    order.append(name)
                    break
    return order


def _examples_for(sample: Sample, examples: list[Sample], shots: int) -> list[Sample]:
    """Return the first examples; one that shows the query's own image gives way to a stand-in, of its own label if there is one."""

    def base(one: Sample) -> str:
        return str(one.facts["image_name"]).rpartition("/")[2]

    chosen = list(examples[:shots])
    stand_ins = [one for one in examples[shots:] if base(one) != base(sample)]
    for at, example in enumerate(chosen):
        if base(example) == base(sample):
            same = [one for one in stand_ins if one.tags.get("label") == example.tags.get("label")]
            chosen[at] = (same or stand_ins)[0]
    return chosen


# ---------------------------------------------------------------- what the user chose


def _chosen_parts(task: str, options: Selection) -> tuple[str, ...]:
    """Return the tasks that the options name, as the samples' tags do. Only VCR has several: its answers are asked about unless others
    are named, so that nothing is paid twice by accident.
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
    """Return the splits that the options name; what is not there is an error that says what is."""
    if not files.sources:
        raise SnellenError(f"{files.problems[0]}; 'snellen data check {task} --data {where}' lists all")
    if not options.splits:
        return [next(s for s in DEFAULT_ORDER if s in files.sources)]
    wanted = []
    for given in options.splits:
        split = SPLIT_NAMES.get(given.lower()) if given.lower() != "valtest" else None
        if split is None:
            raise SnellenError(f"unknown split '{given}' of {task}: choose from {', '.join(SPLITS)}")
        if split not in files.sources:
            why = files.why_not(split)
            reason = f" ({why})" if why else ""
            raise SnellenError(f"{task} has no split '{given}' here: it has {', '.join(files.splits)}{reason}")
        wanted.append(split)
    return [s for s in SPLITS if s in wanted]
