"""Files of a run: recalls as a table, and every reply with its mark."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from snellen.core.cells import Cell, csv_bytes
from snellen.core.extras import RunFacts

_COLUMNS_TEXT = "model protocol subset task group value n metric percent low high floor"
COLUMNS = tuple(_COLUMNS_TEXT.split())


def exports(run: RunFacts) -> Iterator[tuple[str, bytes]]:
    """Yield `recalls.csv` with every group and metric, and `responses.jsonl`."""
    data = run.manifest.data
    model, said = f"{run.manifest.subject.spec}{data.note}", {"synthetic_data": True} if data.synthetic else {}
    rows: list[tuple[Cell, ...]] = [COLUMNS]
    for group in run.groups:
        extra = [(k, v) for k, v in group.by.items() if k not in ("split", "task")]
        name, value = extra[0] if extra else ("all", "")
        place = (model, run.protocol.name, group.by["split"], group.by["task"], name, value)
        for metric, m in group.metrics.items():
            numbers = (None if x is None else round(100 * x, 1) for x in (m.value, m.low, m.high, m.floor))
            rows.append((*place, m.n, metric, *numbers))
    yield "recalls.csv", csv_bytes(rows)
    if run.records is not None:
        lines = (
            msgspec.json.encode(
                {
                    "id": s.id,
                    **s.tags,
                    "response": a.text,
                    "reading": m.reading,
                    "outcome": m.outcome,
                    "metrics": m.metrics,
                    **said,
                }
            )
            for s, a, m in run.records()
        )
        yield "responses.jsonl", b"\n".join(lines) + b"\n"
