"""Inspect AI on the same questions, in its own virtual environment and with its own defaults.

python inspect_side.py QUESTIONS.jsonl LOGS CONNECTIONS     the endpoint comes from BENCH_BASE_URL and BENCH_API_KEY
"""

from __future__ import annotations

import sys
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.dataset import Sample, json_dataset
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import includes
from inspect_ai.solver import generate


def to_sample(record: dict[str, Any]) -> Sample:
    """Convert a record to an image file and the question, as in Inspect's own image data sets."""
    content = [ContentImage(image=record["image"]), ContentText(text=record["question"])]
    return Sample(id=record["id"], input=[ChatMessageUser(content=content)], target=record["target"])


def main() -> None:
    questions, logs, connections = sys.argv[1:4]
    task = Task(dataset=json_dataset(questions, to_sample), solver=generate(), scorer=includes())
    log = run_eval(
        task,
        model="openai-api/bench/bench",
        max_connections=int(connections),
        max_tokens=256,
        temperature=0,
        log_dir=logs,
        display="none",
    )[0]
    if log.status != "success":
        sys.exit(f"Inspect ended with {log.status}: {log.error}")
    print(log.results.completed_samples if log.results else 0)


if __name__ == "__main__":
    main()
