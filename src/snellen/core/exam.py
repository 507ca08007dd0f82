"""The contract of an exam: one base class that ours and a user's share, with a default for every hook.

The least that an exam needs is a name, `samples()`, a prompt and a protocol (docs/examples/dots.py). Everything else is a method to
override when there is something to say. What is asked is in `core.prompt`, how it is marked in `core.protocol`, who answers in
`core.subject`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from snellen.core.arm import Arm
from snellen.core.dataset import Dataset, Problem, SampleData
from snellen.core.errors import SnellenError, plugin_failed, unknown
from snellen.core.finding import Finding
from snellen.core.layout import By, Layout
from snellen.core.options import Option, Selection
from snellen.core.prescription import Compared, Threshold
from snellen.core.prompt import Prompt
from snellen.core.protocol import Protocol
from snellen.core.records import Manifest, Summary, Totals
from snellen.core.results import GroupSummary
from snellen.core.scorer import Evidence
from snellen.core.types import Answer, Mark, Question, Sample, Text

if TYPE_CHECKING:
    from snellen.core.gallery import Gallery, GalleryFacts, Region

Progress = Callable[[int, int], None]


class Published(NamedTuple):
    """A figure from a paper that may stand beside a run on real data, with the same number of examples before the question."""

    model: str
    by: dict[str, str]
    metric: str
    value: float
    source: str
    shots: int = 0


class Recorded(NamedTuple):
    """A reply that was recorded elsewhere. `prompt` is None where it may stand for any."""

    id: str
    prompt: str | None
    text: str


Content = bytes | Iterable[bytes]
"""A file as a whole, or in pieces that come one by one."""


class HubSet(NamedTuple):
    """Where a real data set is: its name on the hub, and patterns of the files that are needed."""

    repo: str
    patterns: tuple[str, ...]


class Wanted(NamedTuple):
    """What a user asks for in an exam's own words, before it is planned. `options` has those that were given, by name."""

    model: str | None
    prompt: str | None
    selection: Selection
    options: Mapping[str, Any]


class RunFacts(NamedTuple):
    """What exports may use of a run. `records` gives every sample with its reply and mark.

    Only the first protocol of a run and those with `own_files` get them.
    """

    manifest: Manifest
    protocol: Protocol
    prompt: str
    groups: tuple[GroupSummary, ...]
    totals: Totals
    records: Callable[[], Iterator[tuple[Sample, Answer, Mark]]] | None


class Exam:
    """A named benchmark: data, prompts, protocols, its own options and what it shows."""

    name: str = ""
    title: str = ""
    paper: str = ""
    splits: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    prompts: Mapping[str, Prompt] = {}
    protocols: Mapping[str, Protocol] = {}
    options: tuple[Option, ...] = ()
    """Options of `run` that only this exam (or some) has."""
    maker: str = ""
    """Who writes its synthetic sets: a `module:function`, by default called by `make`."""
    make_options: tuple[Option, ...] = ()
    """Options of `data make`, handed to `make` by name."""
    sets: tuple[str, ...] = ()
    """Names of the published data sets, where there are several."""
    solvers: Mapping[str, str] = {}
    """Classical solvers by name: `baseline/NAME` runs this `module:function` on questions."""
    scorers: tuple[str, ...] = ()
    """Who compares texts with pictures, for exams whose replies are captions; the first decides the headline."""
    default_model: str = ""
    """Who is asked where the user names nobody."""
    demo: tuple[str, ...] = ()
    """Who takes it in `snellen demo`."""
    demo_parts: Mapping[str, Selection] = {}
    """Which part of the data one of them takes, where it was not made for all."""
    demo_count: int | None = None
    max_tokens: int = 256
    reply_tokens: int = 8
    """Tokens of a typical reply, for estimates."""
    keeps_facts: bool = True
    """Whether the run folder keeps the samples' facts, for marking."""
    old_names: Mapping[str, str] = {}
    """Earlier names of protocols, which still work."""
    origin: str = ""
    """The plugin that it, or a part of it, comes from; empty for ours."""
    prescribes: bool = False
    """Whether it finds thresholds (`prescription`): these have units of their own, and are compared by ratios, not sample by sample."""
    needs_data: bool = True
    """Whether it has a data set on disk; one without draws its samples itself."""
    own_options: bool = False
    """Whether each sample brings options of its own: what chance gets is then computed sample by sample."""
    last_resort: bool = False
    """Whether it takes data that is named by its path only where no other exam recognises it."""
    templates: Mapping[str, str] = {}
    """What `data init` writes for it, by kind: a `module:function` that is given the folder and gives the file to edit and
    a model that answers it as it is."""

    # ------------------------------------------------------------ data

    def recognises(self, where: Path) -> str | None:
        """A few words on what a file or folder is, where it is data of this exam; else None. Looks at names and first rows only."""
        return None

    def samples(self, where: Path) -> Iterator[Sample]:
        """All samples of a data folder, with pictures; raise SnellenError where one cannot be used."""
        raise SnellenError(f"the exam {self.name} has no samples()")

    def open(self, where: Path, options: Selection) -> Dataset:
        """Read a data set; raises SnellenError with file and row where it cannot be used."""
        return SampleData(self.name, self.samples, where, options)

    def check(self, where: Path) -> Iterator[Problem]:
        """Every problem of a data set on disk, images decoded too."""
        from snellen.core.pixels import decode_problem

        try:
            for sample in self.samples(where):
                for picture in sample.pictures:
                    broken = decode_problem(picture.data)
                    if broken:
                        yield Problem(picture.name or sample.id, broken)
        except SnellenError as error:
            yield Problem(str(where), str(error))

    def make(
        self,
        out: Path,
        *,
        count: int,
        seed: int,
        workers: int | None = None,
        progress: Progress | None = None,
        **options: Any,
    ) -> list[Path]:
        """Write a synthetic set in the real format; gives the files."""
        module, _, function = self.maker.partition(":")
        if not module:
            raise SnellenError(f"the exam {self.name} makes no synthetic set")
        maker: Callable[..., list[Path]] = vars(import_module(module))[function]
        return maker(out, count=count, seed=seed, workers=workers, progress=progress, **options)

    def hub(self, name: str | None) -> HubSet:
        """Where the real data is; `name` is one of `sets`."""
        raise SnellenError(f"the exam {self.name} has no data set to download")

    def unpack(self, name: str | None, folder: Path) -> Sequence[Path]:
        """Unpack what was downloaded as archives; gives the files."""
        return ()

    # ------------------------------------------------------------ asking

    def understood(self, wanted: Wanted) -> Wanted:
        """What the exam's own options mean in the common ones; those that are used up are taken out."""
        return wanted

    def ask(self, prompt: str, sample: Sample, shots: Sequence[Sample] = ()) -> Question:
        """The question that a subject is shown. `sample.truth` is never in it."""
        try:
            said = self.prompts[prompt].ask(sample, shots)
        except SnellenError:
            raise
        except Exception as error:
            if not self.origin:
                raise
            raise plugin_failed(f"prompt {prompt}: ask() on sample {sample.id}", error) from error
        if isinstance(said, str):
            return Question(id=sample.id, exam=self.name, prompt=prompt, parts=(*sample.pictures, Text(text=said)))
        if not isinstance(said, Question):
            raise SnellenError(f"prompt {prompt}: ask() gave {type(said).__name__}, not a text or a Question")
        if self.origin:
            _check_form(prompt, said.answer_form)
        if said.id == sample.id and said.prompt == prompt and said.exam == self.name:
            return said
        return msgspec.structs.replace(said, id=sample.id, exam=self.name, prompt=prompt)

    def reordered(self, sample: Sample, draw: Random) -> Sample | None:
        """The sample with its labelled options in another order, which `draw` shuffles: the labels stay, the truth moves along.

        None where its options have no labels. Marking gets the same sample as asking.
        """
        return None

    @property
    def shots(self) -> tuple[int, ...]:
        """The numbers of few-shot examples that any prompt can show."""
        return tuple(sorted({n for p in self.prompts.values() for n in p.shots} | {0}))

    def probes(self) -> Sequence[Sample]:
        """One sample of each split and task without pictures, to show prompts and try protocols without a data set."""
        return ()

    def truths(self) -> Sequence[Sample]:
        """Samples with every truth that there can be, each once, for audits without a data set."""
        return self.probes()

    def guess_from_text(self, prompt: str, known: Sequence[Sample], asked: Sequence[Sample]) -> Sequence[str] | None:
        """Replies to `asked` by whoever reads only their texts and has learnt from `known`, for the text-only floor of `audit`.

        None: an answer is learnt from the words of the question, which is the common way.
        """
        return None

    def recorded(self, document: Any) -> Iterable[Recorded] | None:
        """Replies in a file format of the exam's own; None where the document is something else."""
        return None

    # ------------------------------------------------------------ marking

    def sample_from_row(self, row: Mapping[str, Any]) -> Sample:
        """A light sample from a row of `snellen mark`; raises SnellenError that names the missing field.

        By default `answer` is the truth, and other texts are tags.
        """
        if "answer" not in row:
            raise SnellenError('field "answer" (the truth) is missing')
        tags = {k: v for k, v in row.items() if isinstance(v, str) and k not in ("id", "answer", "response", "error")}
        return Sample(id=str(row["id"]), tags=tags, truth=row["answer"])

    def reply_from_row(self, row: Mapping[str, Any]) -> Any:
        """The reply in a row of `snellen mark`: a text, or None where the row has none."""
        return row.get("response")

    def evidence_from_row(self, row: Mapping[str, Any]) -> Evidence | None:
        """What scorers said, where a row of `snellen mark` brings it."""
        return None

    def captions_of(self, reply: str, sample: Sample) -> tuple[str, ...] | None:
        """For exams with scorers: a text for each picture, in the order of the pictures; None where the reply has none."""
        return None

    # ------------------------------------------------------------ afterwards

    def named_groups(self, groups: tuple[GroupSummary, ...], subject: Mapping[str, Any]) -> tuple[GroupSummary, ...]:
        """The groups of a run, where their names say what kind of subject it had."""
        return groups

    def position_bias(self, given: Iterable[Mark], swapped: Iterable[Mark]) -> Mapping[str, Any] | None:
        """What the order of the pictures does, from the marks of both orders; None where that says nothing."""
        return None

    def unavailable_metrics(self, prompts: Sequence[str]) -> Mapping[str, str]:
        """Metrics that the replies to these prompts should have and cannot get on this machine, and what they need."""
        return {}

    def published(self, protocol: str, prompt: str) -> Iterable[Published]:
        """The paper's figures under this protocol and prompt. They are shown beside real data only."""
        return ()

    def tables(self, protocol: str, parts: Sequence[By]) -> Iterable[Layout]:
        """The tables of the exam's paper, for runs that have these groups of samples. Without one, parts are columns."""
        return ()

    def notes(self, run: RunFacts) -> Iterable[str]:
        """What must be said of a run's results under one protocol, each in a sentence with what to do: answers that look misread."""
        return ()

    def prescription(self, marked: Iterable[tuple[Sample, Mark]]) -> Sequence[Threshold]:
        """For an exam that finds thresholds: those of a run, from its samples and their marks under the first protocol."""
        return ()

    def prescriptions(self, runs: Sequence[Sequence[Threshold]]) -> Sequence[Compared]:
        """The thresholds of several runs beside each other."""
        return ()

    def faculties(self) -> Sequence[Mapping[str, Any]]:
        """For an exam that finds thresholds: what it can examine, a row each, for `snellen list faculties`."""
        return ()

    def close_up(self, sample: Sample, seed: int) -> Region | None:
        """The part of a sample's pictures to see in its own pixels; None where the whole is to be seen, smaller."""
        return None

    def findings(self, summary: Summary) -> Iterable[Finding]:
        """What a person should know of a run that only this exam can tell from its scores: where they were lost, say."""
        return ()

    def exports(self, run: RunFacts) -> Iterator[tuple[str, Content]]:
        """The files that the paper and its original code define, as (relative name, content)."""
        yield from ()

    def collect(self, run: RunFacts, results: Path) -> Iterable[str]:
        """Merge a run into a folder that holds the results of many; gives a line for people on what was kept."""
        raise SnellenError(f"--results: {self.name} has no files that collect several runs")

    def gallery(self, facts: GalleryFacts) -> Gallery:
        """How the page shows the samples of a run."""
        from snellen.core.gallery import Gallery

        return Gallery()

    # ------------------------------------------------------------ looking things up

    def prompt(self, name: str) -> Prompt:
        """A prompt by name; an unknown one is an error that says which there are."""
        found = self.prompts.get(name)
        if found is None:
            raise unknown("prompt", name, self.prompts, of=self.name)
        return found

    def protocol(self, spec: str) -> tuple[Protocol, Arm]:
        """`NAME` or `NAME@ARM` to a protocol and the arm whose answers it marks."""
        name, _, asked = spec.partition("@")
        protocol = self.protocols.get(name) or self.protocols.get(self.old_names.get(name, ""))
        if protocol is None:
            raise unknown("protocol", name, self.protocols, of=self.name)
        arm = Arm.parse(asked or protocol.prompt)
        if arm.repeat > 1:
            raise SnellenError(
                f"{spec}: a protocol marks all repeats of '{arm.first}' together; leave out '#{arm.repeat}'"
            )
        self.prompt(arm.prompt)
        return protocol.for_prompt(arm.prompt), arm

    def extended(self, protocols: Iterable[Protocol]) -> Exam:
        """The exam with more protocols, and the prompts that these bring. Nothing that it has can be replaced."""
        every, asked = dict(self.protocols), dict(self.prompts)
        for protocol in protocols:
            if protocol.name in every:
                raise SnellenError(f"a plugin's protocol '{protocol.name}': {self.name} has one of that name already")
            every[protocol.name] = protocol
        for protocol in every.values():
            own = protocol.own_prompt
            if own is not None and asked.setdefault(own.name, own) is not own:
                raise SnellenError(
                    f"protocol {protocol.name}: {self.name} has a prompt '{own.name}' already; choose another name"
                )
        for protocol in every.values():
            if protocol.prompt not in asked:
                raise SnellenError(
                    f"protocol {protocol.name} asks the prompt '{protocol.prompt}', which {self.name} does not have: "
                    f"choose from {', '.join(asked)}, or give the protocol a Prompt of its own"
                )
        if every == self.protocols and asked == self.prompts:
            return self
        other = copy.copy(self)
        other.protocols, other.prompts = every, asked
        other.origin = self.origin or next((p.origin for p in every.values() if p.origin), "")
        return other


def _check_form(prompt: str, form: str) -> None:
    """The form of an answer is filled in by baselines and floors, after everything was asked: it has to work before."""
    try:
        form.format("x")
    except (IndexError, KeyError, ValueError):
        raise SnellenError(
            f"prompt {prompt}: answer_form {form!r} has one {{}} for the answer; other braces are doubled"
        ) from None
