"""Merge the shards of a run (`--shard 2/3`): marks and summary are as one process would have written them.

A shard has every nth sample, in the data set's order, so samples are taken back one from each in turn. Answers are copied unchanged. Marks
and summary are made anew, by the code that a run uses. The shards themselves are not changed.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import msgspec

from snellen import exams
from snellen.core.dataset import Shard
from snellen.core.errors import SnellenError
from snellen.core.extras import traits_of
from snellen.core.figures import listed
from snellen.core.records import Manifest
from snellen.core.subject import DISCOVERED_KEYS
from snellen.core.types import Sample
from snellen.engine.call.trust import differ
from snellen.engine.mark import marking, scoring
from snellen.engine.plan.plan import targets_from_manifest
from snellen.engine.runs.batch_books import has_open
from snellen.engine.runs.folder import RunFolder, raw_lines
from snellen.engine.runs.listing import MERGED, shards_of, states
from snellen.engine.runs.run import Run

NAMED = 5
MOST_SHARDS = 10_000
DIFFERS = ("exam", "subject", "options", "protocols", "scorers", "snellen", "data set")
"""Fields that are equal in all shards."""


class _Part(NamedTuple):
    """A shard on disk."""

    folder: RunFolder
    manifest: Manifest
    shard: Shard
    server: str
    """The mark of the model that a server of one's own said it has."""


def merge_finished(folder: Path) -> Iterator[str]:
    """Merge the shards of each run of a folder that has all of them, finished. Yield what was merged, or why it could not be.

    A folder that is there already is never touched: where it is not the run that these shards make, that is said.
    """
    for first in sorted(folder.glob("*.1of*/summary.json")):
        name, _, of = first.parent.name.rpartition(".1of")
        if not of.isdecimal() or not 0 < int(of) <= MOST_SHARDS:
            continue
        places = [folder / f"{name}.{number}of{of}" for number in range(1, int(of) + 1)]
        if not all((place / "summary.json").is_file() for place in places):
            continue
        whole = folder / name
        try:
            if not whole.exists():
                yield f"merged {len(places)} shards into {merge(places).path}"
            elif shards_of(whole) != states(places):
                yield f"the shards of {whole} are not merged: it holds other answers; move it elsewhere, or delete it, and they are"
        except (SnellenError, OSError) as error:
            if not whole.exists():  # otherwise another process was faster
                yield f"the shards of {whole} are not merged: {error}"


def merge(paths: Sequence[Path]) -> Run:
    """Merge these shards into a run, in a folder of its own beside them."""
    made_of = states(paths)
    parts = _in_order([_part(path) for path in paths])
    first = parts[0]
    exam = exams.load(first.manifest.exam)
    place = first.folder.path.parent / first.folder.path.name.removesuffix(f".1of{first.shard.of}")
    draft = Path(tempfile.mkdtemp(prefix=f".{place.name}.merging-", dir=place.parent))
    try:
        with RunFolder(draft) as folder:
            folder.write_samples(_dealt_back(parts), facts=traits_of(exam).keeps_facts)
            folder.write_chunks(
                "answers.jsonl", (line for part in parts for line in raw_lines(part.folder.answers_path))
            )
            for name in _evidence(parts):
                folder.write_chunks(name, (line for part in parts for line in raw_lines(part.folder.path / name)))
            known = _together(parts)
            folder.write_record(known)
            marking.mark_run(folder, exam, targets_from_manifest(exam, known, place), concurrency=_concurrency(parts))
            folder.write(MERGED, msgspec.json.encode(made_of))
        draft.chmod(first.folder.path.stat().st_mode)
        try:
            draft.rename(place)
        except OSError:
            raise SnellenError(f"{place} is there already: move it elsewhere first") from None
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return Run(place)


# ---------------------------------------------------------------- what fits


def _part(path: Path) -> _Part:
    folder = RunFolder(path)
    known = folder.manifest()
    if known.shard is None:
        raise SnellenError(f"{path} is a whole run, not a part of one (--shard)")
    if has_open(folder):
        raise SnellenError(f"{path} has a batch at the provider: collect it first (--batch-api)")
    if any(wording.since for wording in known.wordings.values()):
        raise SnellenError(f"{path}: a prompt was edited while it was asked; begin that part anew with --fresh")
    scan = folder.scan()
    open_ = sum(known.questions.values()) - scan.answered - scan.failed
    if open_ > 0:
        raise SnellenError(
            f"{path} has {open_} questions without an answer: the command that made it goes on with them"
        )
    return _Part(folder, known, Shard(*known.shard), scan.backends.server)


def _in_order(parts: list[_Part]) -> list[_Part]:
    """Return all shards of one run, each once. Raise a SnellenError that names what does not match."""
    first = parts[0]
    for part in parts:
        for name in DIFFERS:
            if _fixed(part.manifest, name) != _fixed(first.manifest, name):
                raise SnellenError(
                    f"{first.folder.path} and {part.folder.path} are parts of different runs: another {name}"
                )
        if differ(first.server, part.server) == "surely":
            raise SnellenError(
                f"{first.folder.path} and {part.folder.path} have answers of different models: "
                f"'{first.server}' and '{part.server}'; ask one of them anew with --fresh"
            )
    given = Counter(part.shard for part in parts)
    wanted = [Shard(number, first.shard.of) for number in range(1, first.shard.of + 1)]
    missing = listed((str(shard) for shard in wanted if shard not in given), NAMED)
    odd = listed((str(shard) for shard, times in given.items() if times > 1 or shard not in wanted), NAMED)
    if missing or odd:
        raise SnellenError(
            f"a run is put together from each of its {first.shard.of} parts once; "
            + "; ".join([f"missing: {missing}"] * bool(missing) + [f"twice, or of another division: {odd}"] * bool(odd))
        )
    return sorted(parts, key=lambda part: part.shard)


def _fixed(known: Manifest, name: str) -> object:
    """Return a field, without the information that an endpoint gave about itself during the run."""
    if name == "data set":
        return known.data.fingerprint
    if name != "subject":
        return getattr(known, name)
    return known.subject.spec, {k: v for k, v in known.subject.identity.items() if k not in DISCOVERED_KEYS}


# ---------------------------------------------------------------- together


def _dealt_back(parts: Sequence[_Part]) -> Iterator[Sample]:
    """Yield samples in the data set's order: one from each shard in turn."""
    for some in zip_longest(*(part.folder.samples() for part in parts)):
        yield from (sample for sample in some if sample is not None)


def _together(parts: Sequence[_Part]) -> Manifest:
    """Return run.json of the merged run."""
    first = parts[0].manifest
    questions: dict[str, int] = {}
    for part in parts:
        for arm, n in part.manifest.questions.items():
            questions[arm] = questions.get(arm, 0) + n
    samples = sum(part.manifest.data.samples for part in parts)
    data = msgspec.structs.replace(first.data, samples=samples)
    created = min(part.manifest.created for part in parts)
    return msgspec.structs.replace(first, data=data, questions=questions, created=created, shard=None)


def _evidence(parts: Sequence[_Part]) -> list[str]:
    """Return the scorers' evidence files, by name. They are named after the scorer alone."""
    folder, scorers = parts[0].folder, parts[0].manifest.scorers
    return [scoring.path_of(folder, scorer).relative_to(folder.path).as_posix() for scorer in scorers]


def _concurrency(parts: Sequence[_Part]) -> dict[str, object] | None:
    """Return the limiter's record if it is the same in all shards."""
    said = [part.folder.summary().concurrency for part in parts if part.folder.has("summary.json")]
    return said[0] if said and all(one == said[0] for one in said) else None
