"""UI grounding: find it on the screen, without peeking. Methods get a screenshot and an instruction, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from snellen.core.dataset import Dataset, Problem
from snellen.core.errors import SnellenError
from snellen.core.exam import MethodRequest, Published, RunFacts
from snellen.core.options import Selection
from snellen.core.protocol import Protocol
from snellen.core.results import GroupSummary
from snellen.core.subject import Subject
from snellen.core.types import Question, Sample
from snellen.exams.grounding.prompts import PROMPTS, probes, question_of, truths
from snellen.exams.grounding.protocols import PROTOCOLS


class Grounding:
    """The exam object that the entry point names."""

    name = "grounding"
    title = "UI grounding: where on the screen is what the instruction names"
    paper = "ScreenSpot (Cheng et al., 2024), ScreenSpot-v2, ScreenSpot-Pro, OSWorld-G; methods of OmniParser, UI-TARS, ScreenSeekeR"
    splits: tuple[str, ...] = ()
    tasks = ("ground",)
    shots = (0,)
    prompts: Mapping[str, str] = PROMPTS
    partial: frozenset[str] = frozenset()
    protocols: Mapping[str, Protocol] = PROTOCOLS
    solvers: Mapping[str, str] = {}
    demo = ("method/ocr", "method/center")
    demo_count = 12
    max_tokens = 512
    reply_tokens = 24
    marks_facts = True

    def open(self, where: Path, options: Selection) -> Dataset:
        from snellen.exams.grounding.data import GroundingData

        return GroundingData(where, options)

    def check(self, where: Path) -> Iterator[Problem]:
        from snellen.exams.grounding.check import check

        return check(where)

    def make(
        self, out: Path, *, count: int, seed: int, workers: int | None, progress: Callable[[int, int], None] | None
    ) -> list[Path]:
        from snellen.synthetic.screens.make import make

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
        from snellen.synthetic.screens.make import make

        return make(out, count=count, seed=seed, workers=workers, progress=progress, **style)

    def method_subject(self, request: MethodRequest) -> Subject:
        """A method with its hands on what it needs. An oracle also gets the truths, apart from the questions."""
        from snellen.exams.grounding import methods
        from snellen.exams.grounding.methods.omniparser import OmniParserEndpoint
        from snellen.exams.grounding.methods.oracle import target_of
        from snellen.exams.grounding.methods.subject import MethodSubject, Outside

        oracle = methods.is_oracle(request.name)
        drawn = {"seed": request.seed} if methods.takes_seed(request.name) else {}
        given = drawn | dict(request.options)
        method = methods.build_oracle(request.name, given) if oracle else methods.build(request.name, given)
        needs = method.needs
        outside = Outside(
            model=request.model() if request.model is not None and {"model", "planner"} & {*needs} else None,
            planner=request.planner() if request.planner is not None and "planner" in needs else None,
            parser=OmniParserEndpoint(request.omniparser_url) if "parser:omniparser" in needs else None,
            pool=request.pool,
        )
        truths = {s.id: target_of(s) for s in request.data.light()} if oracle else None
        return MethodSubject(method, outside, given, truths)

    def probes(self) -> list[Sample]:
        return probes()

    def truths(self) -> list[Sample]:
        return truths()

    def render(self, prompt: str, sample: Sample) -> Question:
        return question_of(prompt, sample)

    def applies(self, prompt: str, sample: Sample) -> bool:
        return True

    def hub(self) -> tuple[str, tuple[str, ...]]:
        raise SnellenError(
            "grounding reads several data sets: get one with 'snellen data get grounding --set screenspot-v2' "
            "(screenspot, screenspot-v2, screenspot-pro, osworld-g)"
        )

    def hub_of(self, name: str) -> tuple[str, tuple[str, ...]]:
        from snellen.exams.grounding.fetch import hub

        return hub(name)

    def unpack(self, name: str, folder: Path) -> list[Path]:
        from snellen.exams.grounding.fetch import unpack

        return unpack(name, folder)

    def sample_from_row(self, row: Mapping[str, Any]) -> Sample:
        from snellen.exams.grounding.data import sample_from_row

        return sample_from_row(row)

    def published(self, protocol: str, prompt: str) -> tuple[Published, ...]:
        return ()

    def named_groups(self, groups: tuple[GroupSummary, ...], subject: Mapping[str, Any]) -> tuple[GroupSummary, ...]:
        from snellen.exams.grounding.summary import named

        return named(groups, "oracle" in subject.get("identity", {}))

    def exports(self, run: RunFacts) -> Iterator[tuple[str, bytes]]:
        from snellen.exams.grounding.exports import exports

        return exports(run)


EXAM = Grounding()
