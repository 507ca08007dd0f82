"""The files of a run: captions in the format of the D3 script, recalls by pair as a pickle like the script's (and as JSON), and a table.

The pickle is written because the D3 script writes it. Snellen never reads one. If a format of that script has no field for it, the file's
name says that the data are synthetic.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from pathlib import PurePath

from snellen.core.arm import Arm
from snellen.core.cells import Cell, csv_bytes, json_bytes
from snellen.core.extras import RunFacts
from snellen.exams.d3.names import PAIR, names_of
from snellen.exams.d3.retrieval import printed_score

_COLUMNS_TEXT = "model protocol prompt split task kind n metric unit value low high interval floor scorer"
COLUMNS = tuple(_COLUMNS_TEXT.split())
PICKLE_PROTOCOL = 4
"""Python's default when the original was written; fixed, so that the same run gives the same bytes."""


def exports(run: RunFacts) -> Iterator[tuple[str, bytes]]:
    """Yield all files of one protocol; files with single pairs use the first protocol's records."""
    yield "recalls.csv", _recalls(run)
    if run.records is None:
        return
    made = "-synthetic" if run.manifest.data.synthetic else ""
    name = file_name(run.manifest.subject.spec) + made
    captions: dict[str, dict[str, str]] = {}
    hits: dict[str, list[float]] = {}
    both: list[float] = []  # of every pair, not of larger sets
    missed: list[str] = []
    several = False
    turned = Arm.parse(run.prompt).control == "swapped"  # marks follow the shown order, which the control reverses
    for sample, _answer, mark in run.records():
        uid, names = str(sample.truth["uid"]), names_of(sample)
        shown = names[::-1] if turned else names
        hits[uid] = [v if isinstance(v := mark.metrics.get(slot), float) else 0.0 for slot in shown]
        if names == PAIR:
            both.append(float(mark.metrics.get("both") == 1.0))
        if isinstance(mark.reading, dict):
            captions[uid] = {name: str(mark.reading[slot]) for name, slot in zip(names, shown, strict=True)}
        verdicts = [v for k, v in mark.metrics.items() if k == "both" or k.startswith("both.")]
        several |= len(verdicts) > 1
        if len(verdicts) > 1 and not any(verdicts):
            missed.append(uid)
    yield f"captions/{name}.json", json_bytes(captions)
    yield f"uid2acc/{name}.pkl", pickle.dumps(hits, protocol=PICKLE_PROTOCOL)
    yield f"uid2acc/{name}.json", json_bytes(hits, indent=1)
    if both:
        yield f"score{made}.txt", f"{printed_score(both)}\n".encode()
    if several:
        yield f"no_scorer{made}.json", json_bytes(missed, indent=1)


def file_name(spec: str) -> str:
    """Return the base name of a run's files: the name of a captions file up to the first dot, as in the original; otherwise the model's
    name.

    >>> file_name("replay/captions/gpt4o.json"), file_name("openrouter/qwen/qwen2.5-vl-72b-instruct")
    ('gpt4o', 'openrouter-qwen-qwen2.5-vl-72b-instruct')
    """
    kind, _, rest = spec.partition("/")
    name = PurePath(rest).name.partition(".")[0] if kind == "replay" else spec
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:80] or "captions"


def _recalls(run: RunFacts) -> bytes:
    """Return every metric of every group: shares in percent, other metrics unchanged."""
    model = f"{run.manifest.subject.spec}{run.manifest.data.note}"
    scorers = {s.name: f"{s.name} (padding: {s.identity.get('padding')})" for s in run.manifest.scorers}
    main = next(iter(scorers.values()), "")
    rows: list[tuple[Cell, ...]] = [COLUMNS]
    for group in run.groups:
        by = group.by
        place = (model, run.protocol.name, run.prompt, by["split"], by["task"], by.get("kind", ""))
        for name, m in group.metrics.items():
            value, low, high, floor = (_number(x, m.unit) for x in (m.value, m.low, m.high, m.floor))
            scorer = scorers.get(name.partition(".")[2], main)
            rows.append((*place, m.n, name, m.unit or "percent", value, low, high, m.interval, floor, scorer))
    return csv_bytes(rows)


def _number(value: float | None, unit: str) -> float | None:
    return None if value is None else round(value, 6) if unit else round(100 * value, 2)
