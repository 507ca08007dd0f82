"""One million replayed answers through run, resume, remark, report and view: processor time and peak memory, at several sizes.

python million.py [COUNT...]     100,000 300,000 and 1,000,000 by default; --work DIR keeps what is made

Time is processor time of the command and its children, since other work on the machine distorts wall time. Memory is the peak of the
command and its children together, sampled twenty times a second. Linear means that time per answer does not grow; flat means that the
peak stays below the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from marking import PROTOCOLS, replies
from processes import SNELLEN, environment, measure, say, script
from view import Client, memory, viewer

MOST_MB = 400
SIZES = (100_000, 300_000, 1_000_000)
O3 = ("Color, Shape", "Color", "Focus", "Location, Size")


class Step(NamedTuple):
    """The cost of one command."""

    name: str
    cpu: float
    wall: float
    peak_mb: float


def make(folder: Path, count: int) -> None:
    """Write two configs of tiny pictures, 50 rows a row group, and one recorded reply to each sample."""
    import material
    from snellen.exams.salbench.names import labels_of

    half = count // 2
    material.write_shard(folder / "data" / "P3" / "shard.parquet", 0, half, side=2, group=50)
    rest = count - half
    material.write_shard(folder / "data" / "O3" / "shard.parquet", half, rest, side=2, split="O3", labels=O3, group=50)
    with (folder / "replies.jsonl").open("w") as out:
        for seed, (split, first, n) in enumerate((("P3", 0, half), ("O3", half, rest))):
            texts = replies(n, labels_of(split), seed)
            out.writelines(
                json.dumps({"id": f"{split}/noise{i:06d}", "text": next(texts)}) + "\n" for i in range(first, first + n)
            )


# ---------------------------------------------------------------- memory of a process and its children


def _tree(pid: int) -> Iterator[int]:
    yield pid
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from _tree(int(child))
    except OSError:  # it has ended meanwhile
        return


def _resident_mb(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except OSError:
        return 0.0


@contextmanager
def watched() -> Iterator[Callable[[], float]]:
    """Measure the peak memory of this process's children together, in MB."""
    most, over = [0.0], threading.Event()

    def look() -> None:
        while not over.wait(0.05):
            most.append(max(most.pop(), sum(map(_resident_mb, list(_tree(os.getpid()))[1:]))))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield lambda: most[-1]
    finally:
        over.set()
        thread.join()


# ---------------------------------------------------------------- the commands


def step(name: str, command: list[str], env: dict[str, str]) -> Step:
    say(name)
    with watched() as most:
        spent = measure(command, env)
    return Step(name, spent.cpu, spent.wall, max(most(), spent.peak_mb))


def look(runs: Path, count: int, env: dict[str, str]) -> Iterator[Step]:
    """Measure the viewer: until a run is read, then pages of it. The peak is that of the whole time."""
    say("view")
    with viewer(runs, env) as (pid, link):
        client = Client(link)
        key = re.findall(rb"/run/(\w+)", client.get(f"{client.base}/"))[0].decode()
        here = f"{client.base}/run/{key}"
        begin, used = time.perf_counter(), _cpu(pid)
        client.get(f"{here}/samples")
        yield Step("view: until all is read", _cpu(pid) - used, time.perf_counter() - begin, memory(pid))
        pages = -(-count // 50)
        for name, end in (
            ("view: first page", "/samples"),
            ("view: middle page", f"/samples?page={pages // 2}"),
            ("view: last page", f"/samples?page={pages}"),
            ("view: wrong under 'robust'", f"/samples?protocol=robust&outcome=wrong&page={pages // 8}"),
            ("view: longest reply first", "/samples?sort=longest"),
        ):
            used = _cpu(pid)
            wall = client.seconds(here + end)
            yield Step(name, _cpu(pid) - used, wall, memory(pid))


def _cpu(pid: int) -> float:
    """Return the processor seconds of a running process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(work: Path, count: int) -> Iterator[Step]:
    env = environment(SNELLEN_CACHE_DIR=str(work / "cache"))
    if not (work / "replies.jsonl").exists():
        say(f"making {count:,} samples and replies")
        script("million.py", "--make", work, count)
    runs = work / "runs"
    run = [SNELLEN, "run", "salbench", "--data", str(work / "data"), "--model", f"replay/{work / 'replies.jsonl'}"]
    run += ["--out", str(runs)]
    yield step("run --limit 100", [*run, "--limit", "100"], env)
    before = set(runs.iterdir())
    yield step("run", [*run, "--protocol", "robust"], env)
    (folder,) = set(runs.iterdir()) - before
    yield step("the same again", [*run, "--protocol", "robust"], env)
    _halve(folder)
    yield step("going on with half of it", [*run, "--protocol", "robust"], env)
    yield step("remark, four protocols", [SNELLEN, "mark", str(folder), "--protocol", PROTOCOLS], env)
    yield step("report", [SNELLEN, "report", str(folder), "--out", str(work / "page.html")], env)
    yield from look(folder, count, env)


def _halve(folder: Path) -> None:
    """Make a run look as if it was killed: half of the answers, and no summary."""
    answers = folder / "answers.jsonl"
    with answers.open("r+b") as file:
        file.seek(answers.stat().st_size // 2)
        file.readline()
        file.truncate(file.tell())
    (folder / "summary.json").unlink()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("counts", nargs="*", type=int, default=SIZES)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--make", nargs=2)
    given = parser.parse_args()
    if given.make:
        make(Path(given.make[0]), int(given.make[1]))
        return
    with tempfile.TemporaryDirectory() as temporary:
        for count in given.counts:
            work = (given.work or Path(temporary)) / str(count)
            print(f"\n{count:,} answers")
            print(f"{'':28} {'CPU s':>8} {'us each':>8} {'clock s':>8} {'peak MB':>8} {'load':>8}")
            for one in measured(work, count):
                each, load = one.cpu / count * 1e6, os.getloadavg()[0]
                said = f"{one.name:28} {one.cpu:8.1f} {each:8.1f} {one.wall:8.1f} {one.peak_mb:8.0f} {load:8.1f}"
                print(said + " over" * (one.peak_mb > MOST_MB), flush=True)


if __name__ == "__main__":
    main()
