"""What a benchmark of the user's own starts from: give it samples and a question, and a protocol a reader.

    class Dots(SimpleBenchmark):      samples() and ask()
    SimpleProtocol(..., read, mark)   reply -> reading or None, (reading, sample) -> score from 0 to 1
docs/examples/dots.py is a whole one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from snellen.core.dataset import Dataset, Problem
from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.exam import Published, RunFacts
from snellen.core.options import Selection
from snellen.core.protocol import Protocol, Verdict
from snellen.core.results import GroupSummary, Score
from snellen.core.selection import choose
from snellen.core.types import NON_ANSWERS, Mark, Metrics, Question, Sample

Key = tuple[tuple[str, str], ...]


class SimpleProtocol:
    """A protocol made of two functions. Scores are averaged over all samples and over each tag."""

    headline = "score"

    def __init__(
        self,
        name: str,
        about: str,
        read: Callable[[str, Sample], Any],
        mark: Callable[[Any, Sample], float],
        *,
        version: str = "1",
        prompt: str = "question",
        ask: Callable[[Sample], str | Question] | None = None,
    ) -> None:
        """`ask` brings a prompt of the protocol's own, which `prompt` names: a text that follows the pictures, or a Question."""
        self.name, self.version, self.prompt, self.about = name, version, prompt, about
        self._read, self._mark, self.ask = read, mark, ask

    def judge(self, reply: str, sample: Sample) -> Verdict:
        reading = self._read(reply, sample)
        score = 0.0 if reading is None else float(self._mark(reading, sample))
        if not 0 <= score <= 1:
            raise SnellenError(
                f"protocol {self.name}: mark() gave {score:g} for sample {sample.id}; a score is from 0 to 1"
            )
        return Verdict(reading, reading is not None, score >= 1.0, {"score": score})

    def blank(self, sample: Sample) -> Metrics:
        return {"score": 0.0}

    def summarise(self, marked: Iterable[tuple[Sample, Mark]]) -> tuple[GroupSummary, ...]:
        """The mean score of each split and task, and within it of each other tag."""
        scores: dict[Key, Counter[float]] = {}
        outcomes: dict[Key, Counter[str]] = {}
        for sample, mark in marked:
            value = mark.metrics.get("score")
            for key in _groups(sample.tags):
                scores.setdefault(key, Counter())[value if isinstance(value, float) else 0.0] += 1
                outcomes.setdefault(key, Counter())[mark.outcome.value] += 1
        return tuple(_group(key, scores[key], outcomes[key]) for key in sorted(scores, key=lambda k: (len(k), k)))


def _groups(tags: Mapping[str, str]) -> Iterator[Key]:
    base = tuple((k, tags[k]) for k in ("split", "task") if k in tags)
    yield base
    yield from ((*base, (k, v)) for k, v in tags.items() if k not in ("split", "task"))


def _group(key: Key, scores: Counter[float], outcomes: Counter[str]) -> GroupSummary:
    from snellen.stats.means import mean_interval

    n = sum(scores.values())
    found = mean_interval(scores)
    missing = sum(outcomes[o.value] for o in NON_ANSWERS)
    return GroupSummary(
        by=dict(key),
        n=n,
        outcomes=dict(outcomes),
        metrics={"score": Score(value=found.mean, n=n, low=found.low, high=found.high, interval=found.kind)},
        bounds=(found.mean, min(1.0, found.mean + missing / n)) if missing else None,
    )


class SimpleBenchmark:
    """Everything but samples and the question, with defaults that may be overridden."""

    name = ""
    title = ""
    paper = ""
    splits: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    shots: tuple[int, ...] = (0,)
    prompts: Mapping[str, str] = {"question": "the benchmark's own question"}
    partial: frozenset[str] = frozenset()
    protocols: Mapping[str, Protocol] = {}
    solvers: Mapping[str, str] = {}
    demo: tuple[str, ...] = ()
    max_tokens = 256
    marks_facts = True

    def samples(self, where: Path) -> Iterator[Sample]:
        """All samples of a data folder, with pictures; raise SnellenError where one cannot be used."""
        raise SnellenError(f"the benchmark {self.name} has no samples()")

    def ask(self, prompt: str, sample: Sample) -> Question:
        """The question that a subject is shown; `sample.truth` must not be in it."""
        raise SnellenError(f"the benchmark {self.name} has no ask()")

    def open(self, where: Path, options: Selection) -> Dataset:
        return SimpleData(self, where, options)

    def check(self, where: Path) -> Iterator[Problem]:
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
        self, out: Path, *, count: int, seed: int, workers: int | None, progress: Callable[[int, int], None] | None
    ) -> list[Path]:
        raise SnellenError(f"the benchmark {self.name} makes no synthetic set")

    def probes(self) -> Sequence[Sample]:
        """Samples to show prompts and try protocols on without a data set; none unless overridden."""
        return ()

    def truths(self) -> Sequence[Sample]:
        return self.probes()

    def render(self, prompt: str, sample: Sample) -> Question:
        return self.ask(prompt, sample)

    def applies(self, prompt: str, sample: Sample) -> bool:
        return True

    def hub(self) -> tuple[str, tuple[str, ...]]:
        raise SnellenError(f"the benchmark {self.name} has no data set to download")

    def sample_from_row(self, row: Mapping[str, Any]) -> Sample:
        """`answer` is the truth; other texts are tags."""
        if "answer" not in row:
            raise SnellenError('field "answer" (the truth) is missing')
        tags = {k: v for k, v in row.items() if isinstance(v, str) and k not in ("id", "answer", "response", "error")}
        return Sample(id=str(row["id"]), tags=tags, truth=row["answer"])

    def published(self, protocol: str, prompt: str) -> Sequence[Published]:
        return ()

    def exports(self, run: RunFacts) -> Iterator[tuple[str, bytes]]:
        yield from ()


class SimpleData:
    """The samples of a SimpleBenchmark that the options select. Reads the folder again for each pass."""

    synthetic = False

    def __init__(self, benchmark: SimpleBenchmark, where: Path, options: Selection) -> None:
        self.source, self._benchmark, self._where = str(where), benchmark, where
        ids: list[str] = []
        known: list[Any] = []
        seen: set[str] = set()
        for sample in self._all(options):
            if sample.id in seen:
                raise SnellenError(f"{where}: the sample id '{sample.id}' repeats")
            seen.add(sample.id)
            ids.append(sample.id)
            known.append([sample.id, repr(sample.truth), [len(p.data) for p in sample.pictures]])
        if not known:
            raise SnellenError(f"{where}: no samples of {benchmark.name} for this selection")
        chosen = choose(ids, options.limit, options.seed)
        self._chosen = frozenset(seen) if chosen is None else chosen
        self._options = options
        self.fingerprint = digest(known)

    def _every(self) -> Iterator[Sample]:
        try:
            yield from self._benchmark.samples(self._where)
        except (SnellenError, GeneratorExit):
            raise
        except Exception as error:  # of the user's own samples()
            said = f"{type(error).__name__}: {error}"
            raise SnellenError(f"{self._where}: {self._benchmark.name} cannot read its samples: {said}") from error

    def _all(self, options: Selection) -> Iterator[Sample]:
        for sample in self._every():
            tags = sample.tags
            if (not options.splits or tags.get("split") in options.splits) and (
                not options.tasks or tags.get("task") in options.tasks
            ):
                yield sample

    def __len__(self) -> int:
        return len(self._chosen)

    def light(self) -> Iterator[Sample]:
        for sample in self.full(lambda _id: True):
            yield msgspec.structs.replace(sample, pictures=())

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        yield from (s for s in self._all(self._options) if s.id in self._chosen and wanted(s.id))

    def asker(self, prompt: str) -> Callable[[Sample], Question]:
        return lambda sample: self._benchmark.ask(prompt, sample)
