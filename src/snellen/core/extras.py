"""The typed extras of an exam: optional features beyond a name, data, prompts and protocols.

Each extra is one idea that generic code looks up by its type: `exam.extra(Solvers)` gives the exam's solvers, or None. An exam lists
them in `extras`. Fields are functions or plain values; those with a default may be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.finding import Finding
from snellen.core.gallery import Gallery, GalleryFacts, Region
from snellen.core.layout import By, Layout
from snellen.core.options import Option, Selection
from snellen.core.prescription import FacultyComparison, Threshold
from snellen.core.protocol import Protocol
from snellen.core.records import Manifest, PositionRow, Summary, Totals
from snellen.core.results import GroupSummary
from snellen.core.scorer import Evidence
from snellen.core.types import Answer, Mark, Sample

if TYPE_CHECKING:
    from snellen.core.exam import Exam

Progress = Callable[[int, int], None]
Content = bytes | Iterable[bytes]
"""A file as a whole, or in consecutive pieces."""


class Published(NamedTuple):
    """A figure from a paper to show beside a run on real data, with the same number of examples before the question."""

    model: str
    by: dict[str, str]
    metric: str
    value: float
    source: str
    shots: int = 0


class RecordedReply(NamedTuple):
    """A reply that was recorded elsewhere. `prompt` is None if it fits any prompt."""

    id: str
    prompt: str | None
    text: str


class HubSet(NamedTuple):
    """The location of a real data set: its name on the hub, and patterns of the files that are needed."""

    repo: str
    patterns: tuple[str, ...]


class ExamRequest(NamedTuple):
    """A user's request in an exam's own terms, before it is planned. `options` has the options that were given, by name."""

    model: str | None
    prompt: str | None
    selection: Selection
    options: Mapping[str, Any]


class RunFacts(NamedTuple):
    """The facts of a run for exports. `records` gives every sample with its reply and mark.

    Only the first protocol of a run and protocols that need `records` get them.
    """

    manifest: Manifest
    protocol: Protocol
    prompt: str
    groups: tuple[GroupSummary, ...]
    totals: Totals
    records: Callable[[], Iterator[tuple[Sample, Answer, Mark]]] | None


def _no_rows(*_given: Any) -> Sequence[Any]:
    """Return nothing: the default for an optional function of an extra."""
    return ()


def later(named: str) -> Callable[..., Any]:
    """Return the function that `module:function` names; its module is imported only when it is called."""

    def call(*values: Any, **options: Any) -> Any:
        module, _, name = named.partition(":")
        return vars(import_module(module))[name](*values, **options)

    return call


# ---------------------------------------------------------------- data


class Maker(NamedTuple):
    """A maker of synthetic sets in the format of the real data."""

    make: Callable[..., list[Path]]
    """Write a set into a folder and return its files. Takes the folder, and by name `count`, `seed`, `workers` and `progress`."""
    options: tuple[Option, ...] = ()
    """Options of `data make`, handed to the function by name."""


class DataTemplates(NamedTuple):
    """Templates for a user's own data set, for `data init`, by kind.

    Each function gets the folder, and returns the file to edit and a model that answers the template.
    """

    kinds: Mapping[str, Callable[[Path], tuple[Path, str]]]


class HubData(NamedTuple):
    """The location of the real data.

    `find` takes one of `names`, or None for the only set, and raises SnellenError if that is not on the hub.
    """

    find: Callable[[str | None], HubSet]
    names: tuple[str, ...] = ()
    unpack: Callable[[str | None, Path], Sequence[Path]] = _no_rows
    """Unpack downloaded archives; return the new files."""


class DataTraits(NamedTuple):
    """The differences of an exam's data from a folder that is read as it is."""

    drawn: bool = False
    """It has no data set on disk and draws its samples itself."""
    last_resort: bool = False
    """It takes data named by its path only if no other exam recognises the data."""
    keeps_facts: bool = True
    """The run folder keeps the samples' facts, for marking."""


# ---------------------------------------------------------------- asking


class OptionMeaning(NamedTuple):
    """A translation of the exam's own options into the common ones; options that were translated are taken out."""

    applied: Callable[[ExamRequest], ExamRequest]


class DefaultModel(NamedTuple):
    """The model to use if the user does not name one."""

    spec: str


class Probes(NamedTuple):
    """Samples without images, to show prompts and audit protocols without a data set."""

    samples: Callable[[], Sequence[Sample]] = _no_rows
    """One sample of each split and task."""
    every_truth: Callable[[], Sequence[Sample]] | None = None
    """Samples with every possible truth, each once; None if `samples` has them."""


class SampleOptions(NamedTuple):
    """A reordering of a sample's labelled options, for the control `options`.

    `reordered` gives the sample in an order drawn from the random numbers: the labels stay, the truth moves along. It gives None if the
    sample has no labelled options. Marking gets the same sample as asking.
    """

    reordered: Callable[[Sample, Random], Sample | None]
    each_differs: bool = False
    """Each sample brings its own options: the chance level is computed sample by sample."""


class TextGuess(NamedTuple):
    """A guess from the text alone, for the text-only floor of `protocols --blind`, if the common way (an answer
    learnt from words) does not fit.

    `replies` gets the exam, a prompt, samples whose truth is known and samples to guess. None selects the common way.
    """

    replies: Callable[[Exam, str, Sequence[Sample], Sequence[Sample]], Sequence[str] | None]


class Solvers(NamedTuple):
    """Classical solvers by name: `baseline/NAME` runs this `module:function` on questions."""

    functions: Mapping[str, str]


class Demo(NamedTuple):
    """The exam's part in `snellen demo`: the subjects, the part of the data that some of them take, and the most samples."""

    subjects: tuple[str, ...]
    parts: Mapping[str, Selection] = {}
    most: int | None = None


# ---------------------------------------------------------------- marking


def _sample_from_row(row: Mapping[str, Any]) -> Sample:
    if "answer" not in row:
        raise SnellenError('field "answer" (the truth) is missing')
    tags = {k: v for k, v in row.items() if isinstance(v, str) and k not in ("id", "answer", "response", "error")}
    return Sample(id=str(row["id"]), tags=tags, truth=row["answer"])


def _reply_from_row(row: Mapping[str, Any]) -> Any:
    return row.get("response")


def _no_evidence(_row: Mapping[str, Any]) -> None:
    return None


class RowFormat(NamedTuple):
    """Readers for rows of `snellen mark`. Functions raise SnellenError that names the missing or wrong field."""

    sample: Callable[[Mapping[str, Any]], Sample] = _sample_from_row
    """A light sample. By default `answer` is the truth, and other texts are tags."""
    reply: Callable[[Mapping[str, Any]], Any] = _reply_from_row
    """The reply, a text; None if the row has none."""
    evidence: Callable[[Mapping[str, Any]], Evidence | None] = _no_evidence
    """The scorers' evidence, if the row has it."""


class ReplayFormat(NamedTuple):
    """A reader for replies in a file format of the exam's own; it gives None if the document is something else."""

    read: Callable[[Any], Iterable[RecordedReply] | None]


class CaptionScoring(NamedTuple):
    """A comparison of captions with images by scorers. The first of `scorers` decides the headline.

    `captions` gives a text for each image, in the order of the images; None if the reply has none.
    """

    scorers: tuple[str, ...]
    captions: Callable[[str, Sample], tuple[str, ...] | None]


class SwappedPictures(NamedTuple):
    """The effect of the image order, from the marks of both orders; None if the marks do not tell.

    The run fills in the protocol.
    """

    bias: Callable[[Iterable[Mark], Iterable[Mark]], PositionRow | None]


class Thresholds(NamedTuple):
    """Thresholds instead of scores: they have their own units, and are compared by ratios, not sample by sample."""

    found: Callable[[Iterable[tuple[Sample, Mark]]], Sequence[Threshold]]
    """Return the thresholds of a run, from its samples and their marks under the first protocol."""
    compared: Callable[[Sequence[Sequence[Threshold]]], Sequence[FacultyComparison]]
    """Return the thresholds of several runs side by side."""
    faculties: Callable[[], Sequence[Mapping[str, Any]]]
    """Return the faculties that can be examined, a row each, for `snellen list faculties`."""
    close_up: Callable[[Sample, int], Region | None]
    """Return the part of a sample's images to show in its own pixels; None to show the whole, smaller."""


# ---------------------------------------------------------------- afterwards


class PaperTables(NamedTuple):
    """The table layouts of the exam's paper, for runs that have these groups of samples."""

    layouts: Callable[[str, Sequence[By]], Iterable[Layout]]
    published: Callable[[str, str], Iterable[Published]] = _no_rows
    """The paper's figures under a protocol and prompt. They are shown beside real data only."""


def _all_available(_prompts: Sequence[str]) -> Mapping[str, str]:
    return {}


class Remarks(NamedTuple):
    """Remarks on a run, in sentences, that need knowledge of this exam."""

    notes: Callable[[RunFacts], Iterable[str]] = _no_rows
    """Remarks on the results under one protocol, with advice: answers that look misread."""
    findings: Callable[[Summary], Iterable[Finding]] = _no_rows
    """Remarks on the scores: for example, where points were lost."""
    unavailable: Callable[[Sequence[str]], Mapping[str, str]] = _all_available
    """Metrics that the replies to these prompts should have but cannot get on this machine, and their requirements."""


class GroupLabels(NamedTuple):
    """New labels for the groups of a run whose names tell the kind of subject."""

    labelled: Callable[[tuple[GroupSummary, ...], Mapping[str, Any]], tuple[GroupSummary, ...]]


class Exports(NamedTuple):
    """The files that the paper and its original code define, as (relative name, content)."""

    files: Callable[[RunFacts], Iterable[tuple[str, Content]]]
    collect: Callable[[RunFacts, Path], Iterable[str]] | None = None
    """Merge a run into a folder with the results of many; return a line for people on what was kept."""


class PageGallery(NamedTuple):
    """The exam's own way to show the samples of a run on the page."""

    of: Callable[[Exam, GalleryFacts], Gallery]


def gallery_of(exam: Exam | None, facts: GalleryFacts) -> Gallery:
    """Return how an exam shows the samples of a run: plainly if it has no gallery, or is not available."""
    own = exam.extra(PageGallery) if exam is not None else None
    return own.of(exam, facts) if exam is not None and own is not None else Gallery()


def probes_of(exam: Exam) -> Sequence[Sample]:
    """Return one sample of each split and task without images; none if the exam has no probes."""
    return (exam.extra(Probes) or Probes()).samples()


def maker_of(exam: Exam) -> Maker:
    """Return the maker of an exam's synthetic sets; raise SnellenError if it has none."""
    own = exam.extra(Maker)
    if own is None:
        raise SnellenError(f"the exam {exam.name} makes no synthetic set")
    return own


def hub_data_of(exam: Exam) -> HubData:
    """Return the location of an exam's real data; raise SnellenError if it has none."""
    own = exam.extra(HubData)
    if own is None:
        raise SnellenError(f"the exam {exam.name} has no data set to download")
    return own


def truths_of(exam: Exam) -> Sequence[Sample]:
    """Return samples with every possible truth, each once; none if the exam has no probes."""
    own = exam.extra(Probes) or Probes()
    return (own.every_truth or own.samples)()


def rows_of(exam: Exam) -> RowFormat:
    """Return how to read an exam's rows of `snellen mark`."""
    return exam.extra(RowFormat) or RowFormat()


def traits_of(exam: Exam) -> DataTraits:
    """Return how an exam's data differs from a folder that is read as it is."""
    return exam.extra(DataTraits) or DataTraits()
