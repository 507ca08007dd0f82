"""The shipped model on ONNX Runtime beside the same weights through transformers, in one run: 300 questions of all eight exams.

Answers must be equal token for token (exit code 1 where one is not). Times are of answering alone, without loading; processor
time tells more than the clock where the machine has other work.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from processes import HERE, say
from throughput import Row, show

sys.path.insert(0, str(HERE.parent))

EACH = 38
TOKENS = 64


class Side(NamedTuple):
    """The replies of one way to run the model, and their cost."""

    answers: list[Any]
    wall: float
    cpu: float


async def ask_all(subject: Any, asked: list[Any]) -> list[Any]:
    """Ask as the engine does, with as many questions in flight as the subject takes."""
    turn = asyncio.Semaphore(subject.parallel)

    async def one(question: Any) -> Any:
        async with turn:
            return await subject.answer(question, subject.prepare(question), None)

    found = await asyncio.gather(*map(one, asked))
    await subject.close()
    return found


def side(spec: str, asked: list[Any]) -> Side:
    from snellen.core.exam import Exam
    from snellen.subjects import build

    subject: Any = build(spec, Exam(), options={"max_tokens": TOKENS})
    if hasattr(subject, "load"):
        subject.load()
    wall, cpu = time.perf_counter(), time.process_time()
    answers = asyncio.run(ask_all(subject, asked))
    return Side(answers, time.perf_counter() - wall, time.process_time() - cpu)


def said(answer: Any) -> Any:
    return answer.text, [t.text for t in answer.tokens], answer.finish_reason, answer.failure


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--each", type=int, default=EACH, help="questions of each exam")
    given = parser.parse_args()
    from tests.support.every_exam import questions

    with tempfile.TemporaryDirectory() as home:
        say("drawing sets of eight exams")
        asked = questions(Path(home), given.each)
    say(f"{len(asked)} questions on ONNX Runtime, then through transformers")
    onnx, torch = side("onnx/snellen-tiny", asked), side("hf/snellen-tiny", asked)
    different = sum(said(a) != said(b) for a, b in zip(onnx.answers, torch.answers, strict=True))
    tokens = [
        (a, b)
        for x, y in zip(onnx.answers, torch.answers, strict=True)
        for a, b in zip(x.tokens, y.tokens, strict=False)
    ]
    gap = max(abs(a.entropy - b.entropy) for a, b in tokens)
    arms = len({(q.exam, q.prompt) for q in asked})
    title = f"snellen-tiny: {len(asked)} questions, {arms} prompts of 8 exams, {len(tokens)} tokens"
    show(
        [
            Row("answers that differ", str(different), target="0", ok=different == 0),
            Row("largest difference of an entropy, nats", f"{gap:.1e}", target="1e-4", ok=gap < 1e-4),
            Row("seconds by the clock", f"{onnx.wall:.1f} and {torch.wall:.1f}", f"{torch.wall / onnx.wall:.1f}x"),
            Row("seconds of processor time", f"{onnx.cpu:.1f} and {torch.cpu:.1f}", f"{torch.cpu / onnx.cpu:.1f}x"),
        ],
        title,
    )
    return int(different > 0 or gap >= 1e-4)


if __name__ == "__main__":
    sys.exit(main())
