"""Reads VQA-X, ACT-X, e-SNLI-VE and VCR in the folder layout of multimodal-vqa-eval, whatever published format the files are in.

Annotations are read record by record on every pass and images only for the samples that are asked about, so that a large
split costs no more memory than its file. Samples are joined by their id, never by their image.
"""

from __future__ import annotations

import hashlib
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
from snellen.exams.vqa_nle.formats.sample import (
    BoxFinder,
    PlacedRecord,
    can_be_reasoned,
    rationale_id,
    rationale_of,
    rows,
    sample_of,
    truth_of,
)
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
        self._sources = [files.sources[s] for s in choose_splits(task, where, files, options)]
        self._train, self._no_train = files.sources.get("train"), files.why_not("train")
        self.files = tuple(s.label for s in self._sources)
        self.index = ImageIndex(task, where)
        self._ground = BoxFinder(self.index)
        self.missing: list[str] = []
        self._chosen: dict[str, frozenset[str] | None] = {}
        self._count = 0
        self._parts = choose_parts(task, options)
        self._reasonless = ""
        fingerprint = hashlib.sha256()
        problems: list[Problem] = []
        missing_names: list[str] = []
        labels: list[dict[str, Any]] = []
        pictures: dict[str, int] = {}
        for source in self._sources:
            ids, missing, wrong, digest = self._scan(source, labels, pictures)
            problems += wrong or ([] if ids else [Problem(source.label, "no records")])
            chosen = choose(ids, options.limit, options.seed)
            gone = {i: name for i, name in missing.items() if chosen is None or i in chosen}
            self._chosen[source.split] = chosen
            self._count += (len(ids) if chosen is None else len(chosen)) - len(gone)
            self.missing += gone
            missing_names += gone.values()
            fingerprint.update(f"{source.label}\x1e{digest}\x1e".encode())
        if problems:
            raise unusable(problems, task, where)
        images = (where / name for name in pictures if not name.endswith(".json"))
        self.synthetic, self.origin = folder_label(labels, images)
        self._gone = frozenset(self.missing)
        if self._reasonless and RATIONALE in self._parts:
            raise SnellenError(
                f"{self._reasonless}: no four rationales to choose from, or no right answer: QA->R needs the official "
                "train.jsonl or val.jsonl; leave out '--task rationale'"
            )
        self._allow(missing_names)
        self._count *= len(self._parts)
        self.fingerprint = fingerprint.hexdigest()

    def _scan(
        self, source: AnnotationFile, labels: list[dict[str, Any]], pictures: dict[str, int]
    ) -> tuple[list[str], dict[str, str], list[Problem], str]:
        """One pass: every id, whose image is missing (and where it should be), what is wrong, and a digest of the file and the
        sizes of its images. The first label found goes to `labels`, the names of the files to `pictures`.
        """
        ids: list[str] = []
        missing: dict[str, str] = {}
        problems: list[Problem] = []
        sizes: dict[str, int] = {}
        places: list[tuple[Path, int]] = []
        for row in rows(self.task, source):
            if isinstance(row, Problem):
                problems.append(row)
                continue
            ids.append(row.id)
            if row.record.origin and not labels:
                labels.append(row.record.origin)
            image = self.index.find(row.record, row.split)
            if image is None:
                missing[row.id] = self.index.expected(row.record, row.split)
            for file in (image, self.index.metadata(row.record, row.split) if self.task == "vcr" else None):
                if file is not None and file not in sizes:
                    with readable(file):
                        sizes[file] = (self.index.path(file)).stat().st_size
                        places.append((self.index.path(file), sizes[file]))
            if self.task == "vcr" and not can_be_reasoned(row.record):
                self._reasonless = self._reasonless or source.label
        with source.path.open("rb") as annotations:
            digest = hashlib.file_digest(annotations, "sha256")
        pictures |= sizes
        for name in sorted(sizes):
            digest.update(f"\x1e{name}\x1f{sizes[name]}".encode())
        digest.update(digest_of(places).encode())
        return ids, missing, problems, digest.hexdigest()

    def _allow(self, names: list[str]) -> None:
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

    def _rows(self, source: AnnotationFile, selected: bool = True) -> Iterator[PlacedRecord]:
        chosen = self._chosen.get(source.split) if selected else None
        for row in rows(self.task, source):
            if isinstance(row, Problem):
                if selected:
                    raise SnellenError(f"{row}: the file has changed since it was opened")
                continue  # the train file that examples come from was not checked; what cannot be read is no example
            if not selected or ((chosen is None or row.id in chosen) and row.id not in self._gone):
                yield row

    def light(self) -> Iterator[Sample]:
        for source in self._sources:
            for row in self._rows(source):
                yield from self._asked(sample_of(self.task, row, self.index, self._ground), row)

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        def some(row: PlacedRecord) -> bool:
            return wanted(row.id) or (RATIONALE in self._parts and wanted(rationale_id(row.id)))

        for source in self._sources:
            for sample, row in self._with_pictures(row for row in self._rows(source) if some(row)):
                yield from (s for s in self._asked(sample, row) if wanted(s.id))

    def _asked(self, sample: Sample, row: PlacedRecord) -> Iterator[Sample]:
        """What is asked about a row: for VCR its answer, its rationale, or both; two that belong together say so."""
        if self._parts != (self.task,):
            if len(self._parts) > 1:
                sample = msgspec.structs.replace(sample, facts=sample.facts | {"paired": True})
            if self.task in self._parts:
                yield sample
            yield rationale_of(sample, row.record)
        else:
            yield sample

    def _with_pictures(self, wanted: Iterator[PlacedRecord]) -> Iterator[tuple[Sample, PlacedRecord]]:
        last: Picture | None = None  # neighbours often share an image
        for row in wanted:
            image = self.index.find(row.record, row.split)
            if image is None:
                raise SnellenError(f"{self.index.expected(row.record, row.split)}: the image of {row.id} has gone")
            if last is None or last.name != image:
                with readable(image):
                    last = Picture(data=read_picture(self.index.path(image)), name=image)
            yield sample_of(self.task, row, self.index, self._ground, last), row

    # ------------------------------------------------------------ examples

    def shots(self, prompt: str) -> Shots:
        super().shots(prompt)
        count = EXAMPLES.get(prompt)
        if count is None:
            return no_shots
        examples = self.examples(count)
        return lambda sample: pick_examples(examples, sample, count)

    def examples(self, shots: int) -> list[Sample]:
        """Samples to show before a question, and stand-ins for those that share its image, in seeded order, with pictures.

        They come from the train split where there is one, else from the (first) split that is asked about. All have
        different images; e-SNLI-VE's labels take turns.
        """
        if self._no_train:
            raise SnellenError(f"{self._no_train}: examples come from the train split, and this is its file")
        source = self._train or self._sources[0]
        best: dict[str, dict[str, tuple[bytes, str]]] = {}
        for row in self._rows(source, selected=False):
            truth = truth_of(self.task, row.record)
            image = self.index.find(row.record, row.split) if truth and truth["explanations"] else None
            if truth is None or image is None or (self.task == "vcr" and row.record.label is None):
                continue
            kind = truth["answers"][0] if self.task == "esnlive" else ""
            place = (rank(self.options.seed, f"shots/{row.id}"), row.id)
            known = best.setdefault(kind, {}).get(image)
            if known is None or place < known:
                best[kind][image] = place
        order = in_turn([best.get(kind, {}) for kind in (LABELS if self.task == "esnlive" else ("",))])
        names = order[: shots + len(LABELS)]
        if len(names) <= shots:
            raise SnellenError(
                f"{source.label}: {shots} examples need {shots + 1} samples with different images and explanations, "
                f"and there are {len(names)}"
            )
        wanted = set(names)
        rows_ = (r for r in self._rows(source, selected=False) if r.id in wanted)
        loaded = {s.id: s for s, _row in self._with_pictures(rows_)}
        for sample in loaded.values():
            check_image(sample.pictures[0])
        return [loaded[name] for name in names]


def in_turn(classes: list[dict[str, tuple[bytes, str]]]) -> list[str]:
    """Ids of the candidates (image -> (rank, id)), classes taking turns, no image twice."""
    queues = [sorted((place, image) for image, place in c.items()) for c in classes]
    taken: set[str] = set()
    order: list[str] = []
    while any(queues):
        for queue in queues:
            while queue and queue[0][1] in taken:
                queue.pop(0)
            if queue:
                (_rank, name), image = queue.pop(0)
                taken.add(image)
                order.append(name)
    return order


def pick_examples(examples: list[Sample], sample: Sample, shots: int) -> list[Sample]:
    """The first examples; one that shows the query's own image gives way to a stand-in, of its own label if there is one."""
    name = _base(sample)
    chosen, spare = list(examples[:shots]), list(examples[shots:])
    for at, example in enumerate(chosen):
        if _base(example) == name:
            stand_ins = [s for s in spare if _base(s) != name]
            same = [s for s in stand_ins if s.tags.get("label") == example.tags.get("label")]
            chosen[at] = (same or stand_ins)[0]
    return chosen


def _base(sample: Sample) -> str:
    return str(sample.facts["image_name"]).rpartition("/")[2]


# ---------------------------------------------------------------- what the user chose


def choose_parts(task: str, options: Selection) -> tuple[str, ...]:
    """The tasks that the options name, as the samples' tags do. Only VCR has several: its answers are asked about unless others
    are named, so that nobody pays twice unasked.
    """
    known = PARTS if task == "vcr" else {task: (task,)}
    wanted: set[str] = set()
    for given in options.tasks:
        if given.lower() not in known:
            choice = "choose from answer, rationale" if task == "vcr" else "it has no tasks to choose from"
            raise SnellenError(f"unknown task '{given}' of {task}: {choice}")
        wanted.update(known[given.lower()])
    return tuple(part for part in (task, RATIONALE) if part in (wanted or {task}))


def choose_splits(task: str, where: Path, files: Files, options: Selection) -> list[str]:
    """The splits that the options name; what is not there is an error that says what is, and nothing stands in for it."""
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
