"""The stage between answering and marking that some exams need: texts from the replies, held against the pictures.

A scorer gives every caption and every picture a vector; what is kept for each answer is the table of their similarities, in
`evidence/SCORER.jsonl`. Marking then needs neither the scorer nor the pictures. What was scored is not scored again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.exam import Dataset, Scored, Scorer
from snellen.core.types import Picture, Sample, Struct
from snellen.engine.controls import split
from snellen.engine.runfolder import AnswerText, Key, RunFolder, Scan

CHUNK = 32
FOLDER = "evidence"


class Evidence(Struct, frozen=True):
    """What one scorer says of one answer. `matrix` has a row for each caption and a column for each picture, as shown."""

    id: str
    prompt: str
    captions: str
    matrix: tuple[tuple[float, ...], ...]
    truncated: tuple[bool, ...]


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Evidence)
Progress = Callable[[int, int], None]


def path_of(folder: RunFolder, scorer: str) -> Path:
    """Where a scorer's evidence is."""
    return folder.path / FOLDER / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', scorer)}.jsonl"


def read(folder: RunFolder, scorer: str) -> dict[Key, Evidence]:
    """A scorer's evidence by (sample, prompt); a torn last line is passed over."""
    path = path_of(folder, scorer)
    found: dict[Key, Evidence] = {}
    if path.is_file():
        for line in path.read_bytes().splitlines():
            try:
                one = _DECODER.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue
            found[one.id, one.prompt] = one
    return found


def gather(folder: RunFolder, scorers: Iterable[str]) -> Callable[[Key], dict[str, Any] | None]:
    """What protocols are given: for (sample, prompt) the tables of all scorers that have one, the first being the main one."""
    names = tuple(scorers)
    tables = {name: read(folder, name) for name in names}

    def of(key: Key) -> dict[str, Any] | None:
        there = {name: table[key] for name, table in tables.items() if key in table}
        if not names or names[0] not in there:
            return None
        shown = {n: {"matrix": e.matrix, "truncated": e.truncated} for n, e in there.items()}
        return {"scorers": shown, "main": names[0]}

    return of


def score(
    folder: RunFolder,
    benchmark: Scored,
    data: Dataset,
    scorer: Scorer,
    scan: Scan,
    progress: Progress | None = None,
) -> int:
    """Score every answer that this scorer has not scored yet; gives how many. A few pictures are in memory at a time."""
    done = {key: e.captions for key, e in read(folder, scorer.name).items()}
    light = {s.id: s for s in folder.samples()}
    wanted: dict[str, list[tuple[AnswerText, tuple[str, ...]]]] = {}
    count = 0
    for answer in folder.texts(scan):
        sample = light.get(answer.id)
        captions = benchmark.captions_of(answer.text, sample) if sample is not None and answer.failure is None else None
        if captions is not None and done.get((answer.id, answer.prompt)) != digest(captions):
            wanted.setdefault(answer.id, []).append((answer, captions))
            count += 1
    if not wanted:
        return 0
    path = path_of(folder, scorer.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    scored = 0
    with path.open("ab") as out:
        for chunk in _chunks(data.full(wanted.__contains__)):
            work = [(a, c, _shown(s, a.prompt)) for s in chunk for a, c in wanted[s.id]]
            for evidence in _evidence(scorer, work):
                out.write(_ENCODER.encode(evidence) + b"\n")
                scored += 1
            out.flush()
            if progress is not None:
                progress(scored, count)
    return scored


def _chunks(samples: Iterator[Sample]) -> Iterator[list[Sample]]:
    chunk: list[Sample] = []
    for sample in samples:
        chunk.append(sample)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _shown(sample: Sample, prompt: str) -> tuple[Picture, ...]:
    """The pictures in the order in which the arm showed them."""
    return sample.pictures[::-1] if split(prompt)[1] == "swapped" else sample.pictures


Work = list[tuple[AnswerText, tuple[str, ...], tuple[Picture, ...]]]


def _evidence(scorer: Scorer, work: Work) -> Iterator[Evidence]:
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
        yield Evidence(
            id=answer.id,
            prompt=answer.prompt,
            captions=digest(captions),
            matrix=tuple(tuple(float(x) for x in row) for row in table),
            truncated=tuple(embedded.truncated[text_at[t]] for t in captions),
        )
