"""Marking at scale: a finished run of many samples, made without a model, then re-marked and resumed.

python marking.py DATA OUT COUNT     writes a data set of tiny images and an API run over it; prints the run folder
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from processes import SNELLEN, Spent, environment, measure, one_core, say, script

PROTOCOLS = "paper,lmms-eval,plan-v2,robust"
NOWHERE = "http://127.0.0.1:9/v1"  # the discard port: a finished run makes no calls
SHORT = 0.6  # part of the replies that are a bare label or list of labels
SHAPES = (
    "The odd one out is object {n}: it differs from the others in **{a}**.",
    "Looking at the grid of {n} objects, all share the same shape and texture. One of them stands out because of its "
    "{a}, while the {b} is the same everywhere. Therefore, the answer is: {a}.",
    "1. {a}\n2. {b}\n\nI compared {n} regions of the image before I decided.",
    "It is not the {b} that makes it salient (I checked {n} objects). Answer: {a}",
    "The target, about {n} pixels from the left edge, has a different {a} and a slightly different {b} from the "
    "distractors around it, which makes it pop out at first sight.",
    "I'm sorry, but I cannot tell from image {n} which object is different.",
)


def replies(count: int, labels: tuple[str, ...], seed: int) -> Iterator[str]:
    """Yield short and verbose replies, the verbose ones all distinct."""
    draw = random.Random(seed)  # noqa: S311  no secret
    for number in range(count):
        first, second = draw.sample(labels, 2)
        if draw.random() < SHORT:
            yield draw.choice((first, first.capitalize(), f"{first}, {second}", f"{first.capitalize()}."))
        else:
            yield draw.choice(SHAPES).format(n=number, a=first, b=second)


def make(data: Path, out: Path, count: int) -> Path:
    """Write the data set and the run folder exactly as the engine leaves it before marking."""
    import material
    from snellen.core.types import Answer, Call, ImageSent, Usage
    from snellen.engine.plan.plan import make_plan, manifest
    from snellen.engine.plan.request import RunRequest
    from snellen.engine.runs.folder import RunFolder
    from snellen.exams.salbench.names import labels_of

    half = count // 2
    material.write_shard(data / "P3" / "shard.parquet", 0, half, side=2)
    o3 = ("Color, Shape", "Color", "Focus", "Location, Size")
    material.write_shard(data / "O3" / "shard.parquet", half, count - half, side=2, split="O3", labels=o3)
    options = {"base_url": NOWHERE, "max_tokens": 256}
    request = RunRequest("salbench", "api/bench", data, tuple(PROTOCOLS.split(",")), options=options)
    plan = make_plan(request, offline=True)
    with RunFolder(out / plan.folder_name) as folder:
        folder.write_samples(plan.data.light())
        folder.write_record(manifest(plan))
        folder.start_appending()
        texts = {split: replies(count, labels_of(split), seed) for seed, split in enumerate(("P3", "O3"))}
        for sample in plan.data.light():
            key = hashlib.sha256(sample.id.encode()).hexdigest()
            call = Call(
                key=key,
                kind="api",
                endpoint=f"{NOWHERE}/chat/completions",
                model="bench",
                model_returned="bench-1",
                images=(ImageSent(sha256=key[::-1], codec="png", width=173, height=173, bytes=90033),),
                usage=Usage(input_tokens=833, output_tokens=12),
                latency=0.2031,
                tries=1,
                finish_reason="stop",
                response_id=f"chatcmpl-{key[:20]}",
            )
            text = next(texts[sample.tags["split"]])
            folder.append(
                Answer(id=sample.id, prompt=plan.arms[0].text, text=text, finish_reason="stop", calls=(call,))
            )
    return folder.path


def times(work: Path, count: int, repeats: int) -> tuple[Spent, Spent]:
    """Return the best of several times: re-marking under four protocols on one core, and resuming a finished run."""
    data, out = work / "tiny", work / "tiny-runs"
    say(f"making a run of {count:,} stored replies")
    folder = script("marking.py", data, out, count).out.strip()
    env = environment(SNELLEN_CACHE_DIR=str(work / "tiny-cache"))
    run = [SNELLEN, "run", "salbench", "--data", str(data), "--model", "api/bench", "--base-url", NOWHERE]
    run += ["--out", str(out), "--protocol", PROTOCOLS]
    measure(run, env)  # marks it for the first time
    marked: list[Spent] = []
    resumed: list[Spent] = []
    for number in range(repeats):
        say(f"re-marking and resuming, {number + 1} of {repeats}")
        marked.append(measure([*one_core(), SNELLEN, "mark", folder, "--protocol", PROTOCOLS], env))
        resumed.append(measure(run, env))
    return min(marked, key=lambda s: s.wall), min(resumed, key=lambda s: s.wall)


if __name__ == "__main__":
    print(make(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
