"""The contract of a data set on disk: the samples of a run, in a fixed order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.selection import choose
from snellen.core.types import Sample

Shots = Callable[[Sample], Sequence[Sample]]
"""A function that returns the few-shot examples of a sample, with images."""


class Problem(NamedTuple):
    """Something wrong in a data set, with the place."""

    where: str
    what: str
    fatal: bool = True

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class Dataset:
    """Selected samples of a data set on disk. Iterates in a fixed order and holds no image longer than needed."""

    fingerprint: str = ""
    source: str = ""
    synthetic: bool = False
    """True if any part of the data is marked as synthetic; the label of a set that Snellen made is in `origin`, too."""
    origin: Mapping[str, Any] = {}
    missing: Sequence[Any] = ()
    """Samples that were left out because their images are missing."""
    options: Selection = Selection()

    def __len__(self) -> int:
        return sum(1 for _ in self.light())

    def light(self) -> Iterator[Sample]:
        """Return all selected samples without images."""
        for sample in self.full(lambda _id: True):
            yield msgspec.structs.replace(sample, pictures=())

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        """Return the selected samples with a wanted id, with images."""
        yield from ()

    @property
    def whole(self) -> Dataset:
        """The data set that this is a part of; itself if it is not a part."""
        return self

    def has(self, name: str) -> bool:
        """Tell whether a sample of the whole is in this part."""
        return True

    def shots(self, prompt: str) -> Shots:
        """Return the function that finds a prompt's examples; raise SnellenError, before anything is asked, if none are available."""
        if self.options.shots:
            raise SnellenError(f"the prompt '{prompt}' takes no examples: leave out --shots")
        return no_shots


def no_shots(_sample: Sample) -> tuple[Sample, ...]:
    """Return no examples."""
    return ()


class Shard(NamedTuple):
    """One of `of` equal parts of a run, the first being 1.

    >>> Shard.parse("2/3"), str(Shard(2, 3))
    (Shard(number=2, of=3), '2/3')
    """

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Parse `2/3`; anything else is an error."""
        number, slash, of = text.partition("/")
        if slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of):
            return cls(int(number), int(of))
        raise SnellenError(f"--shard {text}: write which part of how many, such as 2/3")

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


class _DatasetPart(Dataset):
    """Some samples of a data set. A sample may need others (examples, another's image); they come from the whole."""

    def __init__(self, whole: Dataset, mine: frozenset[str]) -> None:
        self._whole, self._mine = whole, mine
        self.fingerprint, self.source, self.synthetic = whole.fingerprint, whole.source, whole.synthetic
        self.origin, self.missing, self.options = whole.origin, whole.missing, whole.options

    @property
    def whole(self) -> Dataset:
        return self._whole.whole

    def has(self, name: str) -> bool:
        return name in self._mine

    def __len__(self) -> int:
        return len(self._mine)

    def light(self) -> Iterator[Sample]:
        return (sample for sample in self._whole.light() if sample.id in self._mine)

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        return self._whole.full(lambda name: name in self._mine and wanted(name))

    def shots(self, prompt: str) -> Shots:
        return self._whole.shots(prompt)


def part_of(data: Dataset, shard: Shard | None) -> Dataset:
    """Return the data set, or every nth sample of it."""
    if shard is None:
        return data
    mine = frozenset(s.id for at, s in enumerate(data.light()) if at % shard.of == shard.number - 1)
    if not mine:
        raise SnellenError(f"--shard {shard}: there are only {len(data)} samples, and none is left for this part")
    return _DatasetPart(data, mine)


def only(data: Dataset, names: Collection[str]) -> Dataset:
    """Return the samples of a data set that have one of these names."""
    return _DatasetPart(data, frozenset(s.id for s in data.light() if s.id in names))


class SampleData(Dataset):
    """The samples from a function of the folder, with the selection applied. The folder is read again for each pass."""

    def __init__(self, exam: str, samples: Callable[[Path], Iterator[Sample]], where: Path, options: Selection) -> None:
        self.source, self.options = str(where), options
        self._exam, self._samples, self._where = exam, samples, where
        ids: list[str] = []
        known: list[Any] = []
        seen: set[str] = set()
        for sample in self._all():
            if sample.id in seen:
                raise SnellenError(f"{where}: the sample id '{sample.id}' repeats")
            seen.add(sample.id)
            ids.append(sample.id)
            shown = [hashlib.sha256(p.data).hexdigest() for p in sample.pictures]
            known.append([sample.id, _fixed(sample.truth), sample.tags, _fixed(sample.facts), shown])
        if not known:
            raise SnellenError(f"{where}: no samples of {exam} for this selection")
        chosen = choose(ids, options.limit, options.seed)
        self._chosen = frozenset(seen) if chosen is None else chosen
        self.fingerprint = digest(known)

    def _all(self) -> Iterator[Sample]:
        splits, tasks = self.options.splits, self.options.tasks
        try:
            for sample in self._samples(self._where):
                tags = sample.tags
                if (not splits or tags.get("split") in splits) and (not tasks or tags.get("task") in tasks):
                    yield sample
        except (SnellenError, GeneratorExit):
            raise
        except Exception as error:  # from the user's own samples()
            said = f"{type(error).__name__}: {error}"
            raise SnellenError(f"{self._where}: {self._exam} cannot read its samples: {said}") from error

    def __len__(self) -> int:
        return len(self._chosen)

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        yield from (s for s in self._all() if s.id in self._chosen and wanted(s.id))


def _fixed(value: Any) -> str:
    """Return a value as text that is the same in every process: a set of words has no fixed order."""
    try:
        return msgspec.json.encode(value, order="deterministic").decode()
    except (TypeError, ValueError):
        return repr(value)
