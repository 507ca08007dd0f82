"""Inspect AI's log of SalBench, written by Inspect AI itself: its own task, solver, scorers and log writer.

python inspect_log.py SALBENCH LOGS     the endpoint comes from RIVAL_BASE_URL and RIVAL_API_KEY

SALBENCH is a folder as `snellen data make salbench` writes it. Sample ids are the images' own names, as an author would have them.
"""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import pyarrow.parquet as pq
from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import exact, includes
from inspect_ai.solver import generate


def samples(folder: Path, config: str) -> MemoryDataset:
    """Return one config of the set, image first and then the question, as SalBench asks."""
    found = []
    for row in pq.read_table(folder / config).to_pylist():
        image = "data:image/png;base64," + base64.b64encode(row["image"]["bytes"]).decode()
        content = [ContentImage(image=image), ContentText(text=row["question"])]
        found.append(
            Sample(
                id=row["image_id"],
                input=[ChatMessageUser(content=content)],
                target=row["answer"],
                metadata={"config": config},
            )
        )
    return MemoryDataset(found, name=config)


LOGS = (("eval", None, 1), ("json", 1, 1), ("eval", 2, 2))
"""Form of the log, how many samples, how many epochs."""


def main() -> None:
    folder, logs = Path(sys.argv[1]), sys.argv[2]
    for form, limit, epochs in LOGS:
        task = Task(dataset=samples(folder, "P3"), solver=generate(), scorer=[includes(), exact()], name="salbench_p3")
        run_eval(
            task,
            model="openai-api/rival/easily-fooled",
            limit=limit,
            epochs=epochs,
            max_tokens=64,
            temperature=0,
            log_dir=logs,
            log_format=form,
            display="none",
        )


if __name__ == "__main__":
    main()
