"""A stage between answering and marking that some exams need: texts from the replies are compared with the images.

A scorer gives every caption and every image a vector. The table of their similarities is kept for each answer, in
`evidence/SCORER-DIGEST.jsonl`. Marking then needs neither the scorer nor the images. A scored answer is not scored again, unless the
scorer, a caption or an image has changed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from snellen.core.arm import Arm
from snellen.core.dataset import Dataset
from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import CaptionScoring, Progress
from snellen.core.grouping import batched, grouped
from snellen.core.records import ScorerEntry
from snellen.core.scorer import Evidence, Scorer, Similarities
from snellen.core.types import Answer, Picture, Sample, Struct
from snellen.data.line_offsets import Key
from snellen.engine.plan.plan import scorer_entry
from snellen.engine.runs.folder import RunFolder, Scan

CHUNK = 32
FOLDER = "evidence"


class _ScoredAnswer(Struct, frozen=True):
    """A line of evidence: one scorer's result for one answer. `matrix` has a row for each caption and a column for each image, as shown.

    `captions` and `pictures` are digests of the two inputs.
    """

    id: str
    prompt: str
    captions: str
    pictures: str
    matrix: tuple[tuple[float, ...], ...]
    truncated: tuple[bool, ...]


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(_ScoredAnswer)


def path_of(folder: RunFolder, scorer: ScorerEntry) -> Path:
    """Return the path of a scorer's evidence. A scorer with other weights or another mode has another file, even under the same name."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", scorer.name)[-80:]
    mark = digest({"name": scorer.name, "identity": scorer.identity})
    return folder.path / FOLDER / f"{slug}-{mark[:12]}.jsonl"


def read(folder: RunFolder, scorer: ScorerEntry) -> dict[Key, _ScoredAnswer]:
    """Return a scorer's evidence by (sample, prompt). Lines that cannot be read are skipped."""
    path = path_of(folder, scorer)
    found: dict[Key, _ScoredAnswer] = {}
    if path.is_file():
        for line in path.read_bytes().splitlines():
            try:
                one = _DECODER.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue
            found[one.id, one.prompt] = one
    return found


def gather(folder: RunFolder, scorers: Iterable[ScorerEntry]) -> Callable[[Key], Evidence | None]:
    """Return the evidence for protocols: for each (sample, prompt) the results of its scorers, or None if the main one has no result."""
    tables = {scorer.name: read(folder, scorer) for scorer in scorers}
    main = next(iter(tables.values()), {})

    def of(key: Key) -> Evidence | None:
        if key not in main:
            return None
        there = ((name, table[key]) for name, table in tables.items() if key in table)
        return tuple(Similarities(name, line.matrix, line.truncated) for name, line in there)

    return of


def joined(before: Iterable[ScorerEntry], now: Iterable[ScorerEntry]) -> tuple[ScorerEntry, ...]:
    """Return a run's scorers: those of the command first, so that it decides the headline, then those of earlier commands.

    >>> a, b = ScorerEntry(name="a"), ScorerEntry(name="b")
    >>> [s.name for s in joined([a, b], [b])]
    ['b', 'a']
    """
    found: dict[str, ScorerEntry] = {}
    for entry in (*now, *before):
        found.setdefault(entry.name, entry)
    return tuple(found.values())


def size(folder: RunFolder, scorers: Iterable[ScorerEntry]) -> int:
    """Return the size of all evidence in bytes. It grows whenever something is scored."""
    return sum(p.stat().st_size for p in (path_of(folder, scorer) for scorer in scorers) if p.is_file())


def unscored(folder: RunFolder, exam: Exam, scorers: Iterable[ScorerEntry], scan: Scan) -> dict[str, int]:
    """Count the answers with captions that each scorer has not scored."""
    light = {s.id: s for s in folder.samples()}
    tables = {scorer.name: read(folder, scorer) for scorer in scorers}
    counts = dict.fromkeys(tables, 0)
    for answer, _captions in _captioned(folder, exam, light, scan):
        for name, table in tables.items():
            counts[name] += (answer.id, answer.prompt) not in table
    return counts


def score(
    folder: RunFolder,
    exam: Exam,
    data: Dataset,
    scorer: Scorer,
    scan: Scan,
    progress: Progress | None = None,
) -> int:
    """Score every answer that this scorer has not scored yet. Return how many. Only a few images are in memory at a time."""
    entry = scorer_entry(scorer)
    name = path_of(folder, entry).relative_to(folder.path).as_posix()
    known = {key: (e.captions, e.pictures) for key, e in read(folder, entry).items()}
    light = {s.id: s for s in folder.samples()}
    wanted = grouped((answer.id, (answer, captions)) for answer, captions in _captioned(folder, exam, light, scan))
    count = sum(map(len, wanted.values()))
    seen = scored = 0
    for chunk in batched(data.full(wanted.__contains__), CHUNK):
        work = [(a, c, _shown(s, a.prompt)) for s in chunk for a, c in wanted[s.id]]
        new = [(a, c, p) for a, c, p in work if known.get((a.id, a.prompt)) != (digest(c), _digest(p))]
        seen += len(work)
        if new:
            folder.append_lines(name, (_ENCODER.encode(one) + b"\n" for one in _scored(scorer, new)))
            scored += len(new)
            if progress is not None:
                progress(seen, count)
    return scored


def _captioned(
    folder: RunFolder, exam: Exam, light: dict[str, Sample], scan: Scan
) -> Iterator[tuple[Answer, tuple[str, ...]]]:
    """Yield the answers that have captions, with their captions."""
    own = exam.extra(CaptionScoring)
    if own is None:
        return
    for answer in folder.answers(scan):
        sample = light.get(answer.id)
        captions = own.captions(answer.text, sample) if sample is not None and answer.failure is None else None
        if captions is not None:
            yield answer, captions


def _digest(pictures: Iterable[Picture]) -> str:
    whole = hashlib.sha256()
    for picture in pictures:
        whole.update(hashlib.sha256(picture.data).digest())
    return whole.hexdigest()


def _shown(sample: Sample, prompt: str) -> tuple[Picture, ...]:
    """Return the images in the order in which the arm showed them."""
    return sample.pictures[::-1] if Arm.parse(prompt).control == "swapped" else sample.pictures


Work = list[tuple[Answer, tuple[str, ...], tuple[Picture, ...]]]


def _scored(scorer: Scorer, work: Work) -> Iterator[_ScoredAnswer]:
    import numpy as np

    texts = list(dict.fromkeys(t for _a, captions, _p in work for t in captions))
    pictures = {p.data: p for _a, _c, shown in work for p in shown}
    embedded = scorer.texts(texts)
    text_at = {t: i for i, t in enumerate(texts)}
    image_at = {data: i for i, data in enumerate(pictures)}
    try:
        image_vectors = scorer.images(list(pictures))
    except SnellenError as error:
        names = ", ".join(p.name for p in list(pictures.values())[:3])
        raise SnellenError(f"scorer {scorer.name} cannot read a picture near {names}: {error}") from None
    for answer, captions, shown in work:
        rows = np.asarray([embedded.vectors[text_at[t]] for t in captions], dtype=np.float64)
        columns = np.asarray([image_vectors[image_at[p.data]] for p in shown], dtype=np.float64)
        table = rows @ columns.T
        yield _ScoredAnswer(
            id=answer.id,
            prompt=answer.prompt,
            captions=digest(captions),
            pictures=_digest(shown),
            matrix=tuple(tuple(float(x) for x in row) for row in table),
            truncated=tuple(embedded.truncated[text_at[t]] for t in captions),
        )
