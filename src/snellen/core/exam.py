"""The contract of an exam: one base class for built-in and user exams, with a default for every hook.

An exam needs at least a name, `samples()`, a prompt and a protocol (docs/examples/dots.py). Optional features are in
`core.extras`, asking is in `core.prompt`, marking in `core.protocol`, and answering in `core.subject`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from snellen.core.arm import Arm
from snellen.core.dataset import Dataset, Problem, SampleData
from snellen.core.errors import SnellenError, plugin_failed, unknown
from snellen.core.having import HasExtras
from snellen.core.options import Option, Selection
from snellen.core.prompt import Prompt
from snellen.core.protocol import Protocol, protocol_for
from snellen.core.types import Question, Sample, Text


class Exam(HasExtras):
    """A named exam: data, prompts, protocols, its own options, and in `extras` its optional features."""

    name: str = ""
    title: str = ""
    paper: str = ""
    splits: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    prompts: Mapping[str, Prompt] = {}
    protocols: Mapping[str, Protocol] = {}
    options: tuple[Option, ...] = ()
    """Options of `run` that only this exam (or some exams) has."""
    max_tokens: int = 256
    reply_tokens: int = 8
    """Tokens of a typical reply, for estimates."""
    origin: str = ""
    """The plugin that it, or a part of it, comes from; empty for built-in exams."""

    # ------------------------------------------------------------ data

    def recognises(self, where: Path) -> str | None:
        """Return a few words on a file or folder if it is data of this exam; else None. Look at names and first rows only."""
        return None

    def samples(self, where: Path) -> Iterator[Sample]:
        """Yield all samples of a data folder, with images; raise SnellenError if one cannot be used."""
        raise SnellenError(f"the exam {self.name} has no samples()")

    def open(self, where: Path, options: Selection) -> Dataset:
        """Read a data set; raise SnellenError with file and row if it cannot be used."""
        return SampleData(self.name, self.samples, where, options)

    def check(self, where: Path) -> Iterator[Problem]:
        """Yield every problem of a data set on disk, images decoded too."""
        from snellen.core.pixels import decode_problem

        try:
            for sample in self.samples(where):
                for picture in sample.pictures:
                    broken = decode_problem(picture.data)
                    if broken:
                        yield Problem(picture.name or sample.id, broken)
        except SnellenError as error:
            yield Problem(str(where), str(error))

    # ------------------------------------------------------------ asking

    def ask(self, prompt: str, sample: Sample, shots: Sequence[Sample] = ()) -> Question:
        """Return the question for a subject. `sample.truth` is never in it."""
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

    # ------------------------------------------------------------ looking things up

    def prompt(self, name: str) -> Prompt:
        """Return a prompt by name; an unknown name raises an error that lists the prompts."""
        found = self.prompts.get(name)
        if found is None:
            raise unknown("prompt", name, self.prompts, of=self.name)
        return found

    def protocol(self, spec: str) -> tuple[Protocol, Arm]:
        """Return the protocol that `NAME` or `NAME@ARM` means, and the arm whose answers it marks."""
        name, _, asked = spec.partition("@")
        protocol = self.protocols.get(name)
        if protocol is None:
            raise unknown("protocol", name, self.protocols, of=self.name)
        arm = Arm.parse(asked or protocol.prompt)
        if arm.repeat > 1:
            raise SnellenError(
                f"{spec}: a protocol marks all repeats of '{arm.first}' together; leave out '#{arm.repeat}'"
            )
        self.prompt(arm.prompt)
        return protocol_for(protocol, arm.prompt), arm


def extended(exam: Exam, protocols: Iterable[Protocol]) -> Exam:
    """Return the exam with more protocols, and the prompts that they bring. No part of the exam can be replaced."""
    every, asked = dict(exam.protocols), dict(exam.prompts)
    for protocol in protocols:
        if protocol.name in every:
            raise SnellenError(f"a plugin's protocol '{protocol.name}': {exam.name} has one of that name already")
        every[protocol.name] = protocol
    for protocol in every.values():
        own = protocol.extra(Prompt)
        if own is not None and asked.setdefault(own.name, own) is not own:
            raise SnellenError(
                f"protocol {protocol.name}: {exam.name} has a prompt '{own.name}' already; choose another name"
            )
    for protocol in every.values():
        if protocol.prompt not in asked:
            raise SnellenError(
                f"protocol {protocol.name} asks the prompt '{protocol.prompt}', which {exam.name} does not have: "
                f"choose from {', '.join(asked)}, or give the protocol a Prompt of its own"
            )
    if every == exam.protocols and asked == exam.prompts:
        return exam
    other = copy.copy(exam)
    other.protocols, other.prompts = every, asked
    other.origin = exam.origin or next((p.origin for p in every.values() if p.origin), "")
    return other


def _check_form(prompt: str, form: str) -> None:
    """Refuse a form that cannot be filled in: baselines and floors would notice only after everything was asked."""
    try:
        form.format("x")
    except (IndexError, KeyError, ValueError):
        raise SnellenError(
            f"prompt {prompt}: answer_form {form!r} has one {{}} for the answer; other braces are doubled"
        ) from None
