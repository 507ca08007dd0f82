"""Processor time per sample of every provider's own subject, compared with the OpenAI-compatible one, in one run. See README.md.

All answer the same questions about the same pictures at the same endpoint, which replies in each provider's documented form.
Subjects take turns, and each repeat begins with another one.
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import replies
from endpoint import Endpoint
from processes import ChildError, say, script
from throughput import Bench, Load, Measured, Row, machine, show

FEW = 500
"""Enough for Snellen to prepare questions in a second process, so that its start does not count as a sample's time."""
TARGET = 1.3
KEY = "sk-bench-0123456789abcdef"


class Provider(NamedTuple):
    """A subject: its name, where its API begins at the endpoint, and the variable of its key."""

    model: str
    at: str
    key_variable: str


COMPATIBLE = Provider("api/bench", "/v1", "EVAL_API_KEY")
NATIVE = (
    Provider(f"openai/{replies.OPENAI}", "/v1", "OPENAI_API_KEY"),
    Provider(f"anthropic/{replies.ANTHROPIC}", "/v1", "ANTHROPIC_API_KEY"),
    Provider(f"gemini/{replies.GEMINI}", "/v1beta", "GEMINI_API_KEY"),
    Provider(f"azure/{replies.DEPLOYMENT}", "", "AZURE_OPENAI_API_KEY"),
)


class Pair(NamedTuple):
    """One subject in one repeat: many samples, then few."""

    many: Measured
    few: Measured

    @property
    def cpu_us(self) -> float:
        """Microseconds of processor time that one more sample takes."""
        return (self.many.cpu - self.few.cpu) / (self.many.samples - self.few.samples) * 1e6


def measure_all(bench: Bench, load: Load, native: tuple[Provider, ...]) -> dict[str, list[Pair]]:
    """Measure every subject in every repeat."""
    subjects = [COMPATIBLE, *native]
    found: dict[str, list[Pair]] = {s.model: [] for s in subjects}
    for number in range(load.repeats):
        first = number % len(subjects)
        for subject in subjects[first:] + subjects[:first]:
            say(f"{number + 1} of {load.repeats}: {subject.model}")
            found[subject.model].append(Pair(*(_ask(bench, load, n, subject) for n in (load.samples, FEW))))
    return found


def _ask(bench: Bench, load: Load, samples: int, subject: Provider) -> Measured:
    return bench.snellen(load, samples, subject.model, subject.at, **{subject.key_variable: KEY})


def rows(found: dict[str, list[Pair]]) -> list[Row]:
    """Return the table's rows. The verdict uses the median of the ratios within a repeat; the ratio of the best is shown beside it."""
    base = found[COMPATIBLE.model]
    lines = []
    for model, pairs in found.items():
        value = f"{statistics.median(p.cpu_us for p in pairs):,.0f} us CPU a sample, {_best(pairs):,.0f} at best"
        if model == COMPATIBLE.model:
            lines.append(Row(model, value))
            continue
        ratios = sorted(p.cpu_us / b.cpu_us for p, b in zip(pairs, base, strict=True))
        middle = statistics.median(ratios)
        said = f"{middle:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}; best to best {_best(pairs) / _best(base):.2f})"
        lines.append(Row(model, value, said, f"<= {TARGET}", middle <= TARGET))
    return lines


def _best(pairs: list[Pair]) -> float:
    """Return the cost by the least time of many and the least time of few, from any repeats, as `throughput.py` does."""
    return Pair(min((p.many for p in pairs), key=_cpu), min((p.few for p in pairs), key=_cpu)).cpu_us


def _cpu(measured: Measured) -> float:
    return measured.cpu


def main() -> int:
    parser = argparse.ArgumentParser(description="Processor time of the providers' own subjects beside the compatible.")
    parser.add_argument("--quick", action="store_true", help="fewer samples and repeats")
    parser.add_argument("--repeats", type=int, help="how often each subject is measured")
    parser.add_argument("--subjects", metavar="PREFIX,...", help="only these beside the compatible one")
    parser.add_argument("--json", metavar="FILE", help="also write the rows and all raw numbers to a file")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that everything is cleaned up
    wanted = given.subjects.split(",") if given.subjects else [n.model.partition("/")[0] for n in NATIVE]
    native = tuple(n for n in NATIVE if n.model.partition("/")[0] in wanted)
    samples, repeats = (2000, 3) if given.quick else (4000, 5)
    load = Load("256 x 1 ms", 256, 0.001, 0.0, samples, given.repeats or repeats, 0, 0)
    begin = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="snellen-bench-") as folder, Endpoint() as endpoint:
            script("material.py", "images", folder, samples, FEW, samples)
            found = measure_all(Bench(Path(folder), endpoint, None), load, native)
    except ChildError as error:
        say(str(error))
        return 2
    lines, facts = rows(found), machine(False)
    show(lines, f"providers: {samples:,} samples, {load.repeats} repeats, {time.monotonic() - begin:.0f} s")
    if given.json:
        raw = {model: [[m._asdict() for m in pair] for pair in pairs] for model, pairs in found.items()}
        document = {"machine": facts, "rows": [line._asdict() for line in lines], "raw": raw}
        Path(given.json).write_text(json.dumps(document, indent=2) + "\n")
    missed = [line.what for line in lines if line.ok is False]
    if missed:
        say(f"missed: {'; '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
