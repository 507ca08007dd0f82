"""D3: describe two images so that they can be told apart (Gaur, Singh S, Tapaswi, 2024)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from snellen.core.dataset import Dataset, Problem
from snellen.core.errors import SnellenError
from snellen.core.exam import RunFacts
from snellen.core.options import Selection
from snellen.core.protocol import Protocol
from snellen.core.types import Mark, Question, Sample
from snellen.exams.d3.prompts import PROMPTS, ask, probes, truths
from snellen.exams.d3.protocols import PROTOCOLS
from snellen.exams.d3.reading import read
from snellen.exams.d3.recorded import Recorded
from snellen.exams.d3.slots import names_of


class D3:
    """The exam object that the entry point names."""

    name = "d3"
    title = "D3: describe two images so that they can be told apart"
    paper = (
        "Detect, Describe, Discriminate: Moving Beyond VQA for MLLM Evaluation (Gaur et al., 2024, arXiv 2409.15125)"
    )
    splits = ("all",)
    tasks = ("pair", "set")
    shots = (0,)
    prompts: Mapping[str, str] = PROMPTS
    partial: frozenset[str] = frozenset()
    protocols: Mapping[str, Protocol] = PROTOCOLS
    solvers: Mapping[str, str] = {}
    demo: tuple[str, ...] = ("replay/{data}/captions/reference.json", "hf/snellen-tiny")
    max_tokens = 512
    reply_tokens = 130  # two captions of some 42 words
    marks_facts = True
    scorers = ("siglip",)

    def open(self, where: Path, options: Selection) -> Dataset:
        from snellen.exams.d3.data import D3Data

        return D3Data(where, options)

    def check(self, where: Path) -> Iterator[Problem]:
        from snellen.exams.d3.check import check

        return check(where)

    def make(
        self, out: Path, *, count: int, seed: int, workers: int | None, progress: Callable[[int, int], None] | None
    ) -> list[Path]:
        from snellen.synthetic.pairs.make import make

        return make(out, count=count, seed=seed, workers=workers, progress=progress)

    def make_styled(
        self,
        out: Path,
        *,
        count: int,
        seed: int,
        workers: int | None,
        progress: Callable[[int, int], None] | None,
        **style: Any,
    ) -> list[Path]:
        """As `make`; with `sets` a number of images, sets of so many."""
        from snellen.synthetic.pairs.sets import make_sets

        return make_sets(out, size=style["sets"], count=count, seed=seed, workers=workers, progress=progress)

    def captions_of(self, reply: str, sample: Sample) -> tuple[str, ...] | None:
        """A caption for each picture, in the order in which they were shown; None where the reply cannot be read."""
        found = read(reply, names_of(sample))
        return None if found is None else found.texts

    def recorded(self, document: Any) -> Iterator[Recorded] | None:
        """The seed's captions file as recorded replies; None where the document is something else."""
        from snellen.exams.d3.recorded import recorded

        return recorded(document)

    def position_bias(self, given: Iterable[Mark], swapped: Iterable[Mark]) -> dict[str, Any] | None:
        """What the order of the pictures does."""
        from snellen.exams.d3.position import position_bias

        found = position_bias(given, swapped)
        if found is None:
            return None
        return {"slot": found.slot._asdict(), "order": found.order._asdict(), "flipped": found.flipped, "n": found.n}

    def probes(self) -> list[Sample]:
        return probes()

    def truths(self) -> list[Sample]:
        return truths()

    def render(self, prompt: str, sample: Sample) -> Question:
        return ask(prompt, sample)

    def applies(self, prompt: str, sample: Sample) -> bool:
        return True

    def hub(self) -> tuple[str, tuple[str, ...]]:
        raise SnellenError(
            "D3 is on no hub: its dataset.zip is linked from github.com/manugaurdl/detect-describe-discriminate; unzip it so that "
            "DIR/dataset.json and DIR/images are there. 'snellen data make d3 --out DIR' makes a synthetic set"
        )

    def sample_from_row(self, row: Mapping[str, Any]) -> Sample:
        from snellen.exams.d3.rows import sample_from_row

        return sample_from_row(row)

    def evidence_from_row(self, row: Mapping[str, Any]) -> dict[str, Any] | None:
        """The similarities that a row of `snellen mark` brings, as protocols take them."""
        from snellen.exams.d3.rows import evidence_from_row

        return evidence_from_row(row)

    def published(self, protocol: str, prompt: str) -> tuple[()]:
        """None: no figure of the paper could be verified."""
        return ()

    def exports(self, run: RunFacts) -> Iterator[tuple[str, bytes]]:
        from snellen.exams.d3.exports import exports

        return exports(run)


EXAM = D3()
