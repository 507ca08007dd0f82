"""VQA-X, ACT-X, e-SNLI-VE and VCR: answer, and say why (Park et al. 2018; Zellers et al. 2019; Kayser et al. 2021)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from snellen.core.dataset import Dataset, Problem
from snellen.core.errors import SnellenError
from snellen.core.exam import Published, RunFacts
from snellen.core.options import Selection
from snellen.core.protocol import Protocol
from snellen.core.types import Question, Sample
from snellen.exams.vqa_nle.names import MAX_TOKENS, PROMPTS, SPLITS, TITLES, wants_explanation
from snellen.exams.vqa_nle.prompts import ask, probes, truths
from snellen.exams.vqa_nle.protocols import PROTOCOLS

WHAT = {
    "vqax": "a question about an image, answered and explained",
    "actx": "what a person does in an image, and why one sees that",
    "esnlive": "whether an image entails a sentence, and why",
    "vcr": "which of four answers is right in a film scene, and why",
}
PAPERS = {
    "vqax": "Multimodal Explanations: Justifying Decisions and Pointing to the Evidence (Park et al., CVPR 2018)",
    "actx": "Multimodal Explanations: Justifying Decisions and Pointing to the Evidence (Park et al., CVPR 2018)",
    "esnlive": (
        "e-ViL: A Dataset and Benchmark for Natural Language Explanations in Vision-Language Tasks (Kayser et al., ICCV 2021)"
    ),
    "vcr": "From Recognition to Cognition: Visual Commonsense Reasoning (Zellers et al., CVPR 2019)",
}
# one that looks, where torch is, and one that never does; chance needs options, which free-text answers have not
TINY = "hf/snellen-tiny"
DEMO = {
    "vqax": (TINY, "baseline/constant:yes because it is visible"),
    "actx": (TINY, "baseline/constant:walking because it is visible"),
    "esnlive": ("baseline/chance",),  # on these two snellen-tiny does no better than without the picture
    "vcr": ("baseline/chance",),
}


class VqaNle:
    """The exam object of one task, which an entry point names."""

    splits = SPLITS
    shots = (0,)
    protocols: Mapping[str, Protocol] = PROTOCOLS
    solvers: Mapping[str, str] = {}
    max_tokens = MAX_TOKENS
    reply_tokens = 40
    partial: frozenset[str] = frozenset()
    marks_facts = True

    def __init__(self, task: str) -> None:
        self.name = task
        self.title = f"{TITLES[task]}: {WHAT[task]}"
        self.paper = PAPERS[task]
        self.tasks = (task,)
        self.prompts: Mapping[str, str] = PROMPTS[task]
        self.demo = DEMO[task]

    def open(self, where: Path, options: Selection) -> Dataset:
        from snellen.exams.vqa_nle.data import open_data

        return open_data(self.name, where, options)

    def check(self, where: Path) -> Iterator[Problem]:
        from snellen.exams.vqa_nle.data import check

        return check(self.name, where)

    def make(
        self, out: Path, *, count: int, seed: int, workers: int | None, progress: Callable[[int, int], None] | None
    ) -> list[Path]:
        from snellen.synthetic.explained.make import make

        return make(self.name, out, count=count, seed=seed, workers=workers, progress=progress)

    def probes(self) -> list[Sample]:
        return probes(self.name)

    def truths(self) -> list[Sample]:
        return truths(self.name)

    def render(self, prompt: str, sample: Sample) -> Question:
        return ask(prompt, sample)

    def hub(self) -> tuple[str, tuple[str, ...]]:
        raise SnellenError(
            f"{TITLES[self.name]} is on no hub as one data set: docs/vqa_nle_data.md says where its files come from and how "
            f"to lay them out; 'snellen data make {self.name} --out DIR' makes a synthetic set"
        )

    def sample_from_row(self, row: Mapping[str, Any]) -> Sample:
        from snellen.exams.vqa_nle.rows import sample_from_row

        return sample_from_row(self.name, row)

    def applies(self, prompt: str, sample: Sample) -> bool:
        return True

    def published(self, protocol: str, prompt: str) -> tuple[Published, ...]:
        return ()

    def lacks(self, prompts: Sequence[str]) -> dict[str, str]:
        """METEOR, SPICE and BERTScore of explanations, as far as they are not here, and e-ViL's scores, which need all three."""
        from snellen.stats.nlg import AVAILABLE, available

        if not any(map(wants_explanation, prompts)):
            return {}
        missing = {name: what.partition(": ")[2] for name, what in available().items() if what != AVAILABLE}
        return missing | ({"e-ViL's scores": f"need {', '.join(missing)}"} if missing else {})

    def collect(self, run: RunFacts, results: Path) -> Iterator[str]:
        from snellen.exams.vqa_nle.exports.tables import publish

        for update in publish(self.name, run, results):
            yield " ".join((update.why, *update.notes))

    def exports(self, run: RunFacts) -> Iterator[tuple[str, bytes]]:
        from snellen.exams.vqa_nle.exports.tables import exports

        return exports(self.name, run)


VQAX = VqaNle("vqax")
ACTX = VqaNle("actx")
ESNLIVE = VqaNle("esnlive")
VCR = VqaNle("vcr")
