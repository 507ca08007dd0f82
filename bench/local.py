"""A local model with batches and entropies, compared with one-at-a-time generation that keeps all scores, in one run.

The other side is what the original of the explanation exams does: `generate` for each sample with `output_scores`, entropies
computed from the scores afterwards. Both sides get the same tiny LLaVA, images and prompts, on one thread. Repeats are
interleaved and the best of each side is kept: other work on the machine can only slow a side down.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import platform
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from processes import HERE, ChildError, Spent, environment, say, script
from throughput import Row, show

sys.path.insert(0, str(HERE.parent))

VOCABULARY = 32_000
IMAGE = 112
RATE_TOKENS = 40
MEMORY_TOKENS = 256
TOGETHER = 8
FASTER = 3.0
SMALLER = 5.0


class Size(NamedTuple):
    """The amount of measurement. One at a time, each sample takes equally long, so fewer are enough; batches have to grow first."""

    samples: int
    one_by_one: int
    repeats: int


FULL = Size(samples=240, one_by_one=60, repeats=3)
QUICK = Size(samples=160, one_by_one=30, repeats=2)

# ---------------------------------------------------------------- the sides, each in a process of its own


def questions(count: int) -> list[Any]:
    """Return prompts of different lengths, each with its own image."""
    from tests.support.tiny_models import png

    from snellen.core.types import Picture, Question, Text

    ask = (
        "Given an IMAGE and a QUESTION, answer and explain in this format:\n<answer> because <explanation>\nQuestion: "
    )
    texts = [ask + "What color is the bus? " * (1 + i % 4) for i in range(count)]
    return [
        Question(
            id=str(i),
            exam="bench",
            prompt="bench",
            parts=(Text(text=text), Picture(data=png(i, (160, 120)), name=f"{i}.png")),
        )
        for i, text in enumerate(texts)
    ]


class Kept:
    """The other side: one sample (or one fixed batch) at a time, keeping all scores until the end of each."""

    def __init__(self, folder: str) -> None:
        from snellen.subjects.local.stack import load_stack

        self.torch, hf = load_stack()
        self.model = hf.AutoModelForImageTextToText.from_pretrained(folder, dtype=self.torch.float32).eval()
        self.processor = hf.AutoProcessor.from_pretrained(folder)
        self.processor.tokenizer.padding_side = "left"

    def answer(self, group: list[Any], tokens: int) -> list[tuple[str, list[float]]]:
        import io

        from PIL import Image

        turns = [[{"role": "user", "content": [{"type": "text", "text": q.text}, {"type": "image"}]}] for q in group]
        texts = [self.processor.apply_chat_template(t, add_generation_prompt=True, tokenize=False) for t in turns]
        images = [[Image.open(io.BytesIO(q.pictures[0].data)).convert("RGB")] for q in group]
        inputs = self.processor(text=texts, images=images, padding=True, return_tensors="pt")
        with self.torch.inference_mode():
            out = self.model.generate(
                **inputs, max_new_tokens=tokens, do_sample=False, output_scores=True, return_dict_in_generate=True
            )
        found = []
        for row in range(len(group)):
            new = out.sequences[row, inputs["input_ids"].shape[1] :]
            entropies = [self._entropy(scores[row]) for scores in out.scores[: len(new)]]
            found.append((self.processor.tokenizer.decode(new, skip_special_tokens=True), entropies))
        return found

    def _entropy(self, scores: Any) -> float:
        shares = self.torch.softmax(scores, dim=-1)
        return float(-(shares * self.torch.log(shares + 1e-12)).sum())


def ours(folder: str, tokens: int, batch: Any) -> Any:
    from snellen.subjects.local.settings import LocalSettings
    from snellen.subjects.local.subject import LocalSubject

    return LocalSubject(folder, LocalSettings(max_tokens=tokens, batch=batch))


async def ask_all(subject: Any, asked: list[Any]) -> list[Any]:
    """Ask as the engine does, with as many questions in flight as the subject takes."""
    answers: list[Any] = []
    running: set[asyncio.Task[Any]] = set()
    for question in asked:
        while len(running) >= subject.parallel:
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            answers += [task.result() for task in done]
        running.add(asyncio.create_task(subject.answer(question, subject.prepare(question), _nobody)))
    answers += await asyncio.gather(*running)
    return answers


async def _nobody(request: Any) -> Any:
    raise RuntimeError("a local model calls nobody")


def child_rate(side: str, folder: str, count: int) -> dict[str, Any]:
    """Return samples per second, from encoded image to reply and entropies, without loading and a warm-up."""
    asked = questions(count + 1)
    if side == "kept":
        model = Kept(folder)
        model.answer(asked[:1], 4)
        begin = time.perf_counter()
        replies = {q.id: model.answer([q], RATE_TOKENS)[0] for q in asked[1:]}
        seconds = time.perf_counter() - begin
        return {"rate": count / seconds, "batch": 1, "replies": replies}
    subject = ours(folder, RATE_TOKENS, "auto")
    subject.answer_all(asked[:1], 1)
    begin = time.perf_counter()
    answers = asyncio.run(ask_all(subject, asked[1:]))
    seconds = time.perf_counter() - begin
    replies = {a.id: (a.text, [t.entropy for t in a.tokens]) for a in answers}
    largest = max(int(a.calls[0].provider.rpartition(" ")[2]) for a in answers)
    return {"rate": count / seconds, "batch": largest, "replies": replies}


def child_memory(side: str, folder: str, batch: int) -> dict[str, Any]:
    """Return how far memory grows for replies of full length, above the loaded and warmed-up model."""
    asked = questions(batch)
    act: Callable[[int], object]
    if side == "kept":
        model = Kept(folder)

        def act(tokens: int) -> object:
            return model.answer(asked, tokens)
    else:

        def act(tokens: int) -> object:
            made = subjects[tokens].answer_all(asked, batch)
            assert all(len(a.tokens) == tokens for a in made)  # noqa: S101 (a model that ends early measures nothing)
            return made

        subjects = {n: ours(folder, n, batch) for n in (2, MEMORY_TOKENS)}
        for weight in subjects[MEMORY_TOKENS].load().parameters():  # they lie in a file until they are touched
            weight.sum()
    act(2)
    before = _start_watching()
    act(MEMORY_TOKENS)
    return {"mb": _peak() - before}


def child_make(side: str, folder: str, _number: int) -> dict[str, Any]:
    """Save the model that both sides load. It has the usual end token, which random weights hardly ever choose."""
    from tests.support.tiny_models import save_llava

    save_llava(Path(folder), vocabulary=VOCABULARY, hidden=64, layers=4, image=IMAGE)
    return {}


CHILDREN: dict[str, Callable[[str, str, int], dict[str, Any]]] = {
    "rate": child_rate,
    "memory": child_memory,
    "make": child_make,
}


def _start_watching() -> float:
    """Return the memory in use, in MB, and reset the peak where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return _peak()


def _peak() -> float:
    try:
        return _status("VmHWM")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)


def _status(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


# ---------------------------------------------------------------- the run


def child(*arguments: object) -> dict[str, Any]:
    here = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    spent: Spent = script("local.py", "--child", *arguments, env=environment(**here))
    found: dict[str, Any] = json.loads(spent.out.splitlines()[-1])
    return found


def rate_rows(folder: Path, size: Size) -> tuple[list[Row], dict[str, Any]]:
    """Measure samples per second, and compare the replies of the two sides."""
    found: dict[str, list[dict[str, Any]]] = {"kept": [], "ours": []}
    for number in range(size.repeats):
        for side, each in found.items():
            say(f"{RATE_TOKENS} tokens, {number + 1} of {size.repeats}: {side}")
            each.append(child("rate", side, folder, size.samples if side == "ours" else size.one_by_one))
    kept, own = (max(found[side], key=lambda f: float(f["rate"])) for side in ("kept", "ours"))
    different, gap = _compared(kept["replies"], own["replies"])
    ratio = own["rate"] / kept["rate"]
    pairs = statistics.median(o["rate"] / k["rate"] for o, k in zip(found["ours"], found["kept"], strict=True))
    rows = [
        Row(f"{RATE_TOKENS} tokens: one at a time, scores kept", f"{kept['rate']:.1f} samples/s"),
        Row(
            f"{RATE_TOKENS} tokens: Snellen, batches up to {own['batch']}",
            f"{own['rate']:.1f} samples/s",
            f"{ratio:.1f}x (pairs {pairs:.1f}x)",
            f">= {FASTER:g}x",
            ratio >= FASTER,
        ),
        Row(
            "the same replies and entropies",
            f"{different} of {size.one_by_one} replies differ",
            f"entropies within {gap:.0e} nats",
            "0; 1e-3",
            different == 0 and gap <= 1e-3,
        ),
    ]
    raw = {side: [f["rate"] for f in each] for side, each in found.items()}
    return rows, raw | {"batch": own["batch"], "different": different, "entropy_gap": gap}


def _compared(kept: dict[str, Any], own: dict[str, Any]) -> tuple[int, float]:
    different, gap = 0, 0.0
    for number, (text, entropies) in kept.items():
        said, with_entropies = own[number]
        if said != text:
            different += 1
            continue
        gap = max(gap, *(abs(a - b) for a, b in zip(entropies, with_entropies, strict=False)))
    return different, gap


def memory_rows(folder: Path) -> tuple[list[Row], dict[str, Any]]:
    """Measure growth of memory at 256 new tokens, alone and for a batch."""
    rows: list[Row] = []
    raw: dict[str, Any] = {}
    for batch in (1, TOGETHER):
        say(f"memory at {MEMORY_TOKENS} tokens, batch of {batch}")
        kept, own = (child("memory", side, folder, batch)["mb"] for side in ("kept", "ours"))
        raw[str(batch)] = {"kept": kept, "ours": own}
        ratio = kept / own if own > 0 else math.inf
        what = f"peak memory, {MEMORY_TOKENS} tokens x {VOCABULARY:,} words, batch of {batch}"
        value = f"{kept:.1f} MB with scores, Snellen {own:.1f} MB"
        rows.append(Row(what, value, f"{ratio:.1f}x lower", f">= {SMALLER:g}x", ratio >= SMALLER))
    return rows, raw


def main() -> int:
    parser = argparse.ArgumentParser(description="Local models: batches with entropies beside one at a time.")
    parser.add_argument("--quick", action="store_true", help="fewer samples and repeats")
    parser.add_argument("--json", metavar="FILE", help="also write the rows and all raw numbers to a file")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        what, side, folder, number = given.child
        print(json.dumps(CHILDREN[what](side, folder, int(number))))
        return 0
    size = QUICK if given.quick else FULL
    begin = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="snellen-bench-") as work:
            folder = Path(work) / "tiny-llava"
            say(f"making a tiny LLaVA with {VOCABULARY:,} words")
            child("make", "-", folder, 0)
            rates, raw_rates = rate_rows(folder, size)
            memory, raw_memory = memory_rows(folder)
    except ChildError as error:
        say(str(error))
        return 2
    rows, seconds = rates + memory, time.monotonic() - begin
    facts: dict[str, Any] = {"cores": os.cpu_count(), "python": platform.python_version()}
    facts |= {name: version(name) for name in ("snellen", "torch", "transformers")}
    show(rows, f"local models: one thread, torch {facts['torch']}, {seconds:.0f} s")
    if given.json:
        document = {"machine": facts, "seconds": seconds, "rows": [r._asdict() for r in rows]}
        Path(given.json).write_text(json.dumps(document | {"raw": [raw_rates, raw_memory]}, indent=2) + "\n")
    missed = [row.what for row in rows if row.ok is False]
    if missed:
        say(f"missed: {'; '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
