"""Makes synthetic grounding sets in the seed's own format, on all cores, same seed same bytes.

Two styles: `layouts` (believable windows, see layouts.py) and `seed-compat` (the original's annotations bit for bit).
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from snellen.core.errors import SnellenError

STYLES = ("layouts", "seed-compat")
MARKER = "snellen_synthetic.json"
ANNOTATIONS = "annotations.json"
SMALLEST = (640, 480)
_CHUNK = 4
_WORTH_A_POOL = 16

Progress = Callable[[int, int], None]
Record = dict[str, Any]
Worker = Callable[[Path, list[Any]], list[Record]]


def make(
    out: Path,
    *,
    count: int,
    seed: int,
    workers: int | None = None,
    progress: Progress | None = None,
    style: str = "layouts",
    absent: float = 0.0,
    screen: tuple[int, int] | None = None,
) -> list[Path]:
    """Writes `count` screenshots with their annotations; gives the files.

    `absent` is the share of screenshots that also ask for something that is not on them, `screen` fixes the resolution
    (both: layouts only). Screenshot i of `layouts` depends on (seed, i) alone. `seed-compat` writes as many screenshots as
    the original does, which cuts fractions off.
    """
    if style not in STYLES:
        raise SnellenError(f"unknown style '{style}': choose from {', '.join(STYLES)}")
    if count < 1:
        raise SnellenError(f"count must be at least 1, not {count}")
    if seed < 0:
        raise SnellenError(f"seed must not be negative, and {seed} is")
    if not 0 <= absent <= 1:
        raise SnellenError(f"the share of absent targets lies between 0 and 1, and {absent} does not")
    if screen is not None and (screen[0] < SMALLEST[0] or screen[1] < SMALLEST[1]):
        raise SnellenError(f"a screen is at least {SMALLEST[0]}x{SMALLEST[1]}, and {screen[0]}x{screen[1]} is smaller")
    if style == "seed-compat" and (absent or screen):
        raise SnellenError("the original has no absent targets and one resolution: use the style 'layouts' for these")
    origin = _origin(style, count, seed, absent, screen)
    _check(out, origin)
    name, metadata, jobs, worker = _plan(style, count, seed, absent, screen)
    folder = "samples" if style == "seed-compat" else "images"
    (out / folder).mkdir(parents=True, exist_ok=True)
    # the mark comes first: a set that was interrupted is known as ours and made again
    (out / MARKER).write_text(json.dumps(origin, indent=2) + "\n")
    records: list[Record] = []
    for done in _run(worker, out, jobs, workers):
        records.append(done)
        if progress is not None:
            progress(len(records), len(jobs))
    from snellen.exams.grounding.formats.annotations import dumps

    draft = out / f"{ANNOTATIONS}.part"
    draft.write_text(dumps(name, metadata, records), encoding="ascii")
    draft.replace(out / ANNOTATIONS)
    return sorted([out / ANNOTATIONS, out / MARKER, *(out / r["image_path"] for r in records)])


def _origin(style: str, count: int, seed: int, absent: float, screen: tuple[int, int] | None) -> dict[str, Any]:
    """What the marker says of where a set comes from."""
    from snellen.synthetic.screens.layouts import VERSION
    from snellen.synthetic.screens.lettering import FONT

    return {
        "generator": "grounding",
        "version": VERSION,
        "style": style,
        "seed": seed,
        "count": count,
        "absent": absent,
        "screen": list(screen) if screen else None,
        "font": FONT,
    }


def _check(out: Path, origin: dict[str, Any]) -> None:
    """Refuses a folder that holds anything but (part of) the very same set."""
    if out.exists() and not out.is_dir():
        raise SnellenError(f"{out} is not a folder: choose another --out folder")
    if not out.is_dir() or not any(out.iterdir()):
        return
    try:
        found = json.loads((out / MARKER).read_text())
    except (OSError, ValueError):
        raise SnellenError(f"{out} holds something that was not made here: choose another folder") from None
    if found != origin:
        raise SnellenError(
            f"{out} holds a synthetic set of style {found.get('style')} with seed {found.get('seed')} and count "
            f"{found.get('count')}: choose another folder"
        )


def _plan(
    style: str, count: int, seed: int, absent: float, screen: tuple[int, int] | None
) -> tuple[str, dict[str, Any], list[Any], Worker]:
    """Name and metadata of the set, the pieces of work, and who does them."""
    if style == "seed-compat":
        from snellen.synthetic.screens import original as seed_compat

        scenes = seed_compat.plan(count, seed)
        return "synthetic", seed_compat.metadata(len(scenes)), scenes, _draw_scenes
    from snellen.synthetic.screens import layouts

    cells = [layouts.cell(i) for i in range(count)]
    shares = {f"{d}_{t}": cells.count((d, t)) / count for d, t in dict.fromkeys(layouts.ROUND)}
    metadata = {"num_samples": count, "distribution": shares, "generator": "layouts", "version": layouts.VERSION}
    metadata |= {"seed": seed}
    return "layouts", metadata, list(range(count)), partial(_draw_layouts, seed, absent, screen)


def _draw_scenes(out: Path, scenes: list[Any]) -> list[Record]:
    from snellen.synthetic.screens import original as seed_compat

    for scene in scenes:
        (out / scene.record["image_path"]).write_bytes(seed_compat.draw(scene))
    return [scene.record for scene in scenes]


def _draw_layouts(
    seed: int, absent: float, screen: tuple[int, int] | None, out: Path, indices: list[int]
) -> list[Record]:
    from snellen.synthetic.screens.layouts import screenshot

    records = []
    for index in indices:
        made = screenshot(seed, index, absent=absent, screen=screen)
        (out / made.record["image_path"]).write_bytes(made.png)
        records.append(made.record)
    return records


def _run(worker: Worker, out: Path, jobs: list[Any], workers: int | None) -> Iterator[Record]:
    """All records in order; images are written by whoever draws them, with only a few chunks under way at a time."""
    chunks = [jobs[i : i + _CHUNK] for i in range(0, len(jobs), _CHUNK)]
    wanted = max(1, min(workers if workers is not None else _cores(), len(chunks)))
    if wanted == 1 or (workers is None and len(jobs) <= _WORTH_A_POOL):
        for chunk in chunks:
            yield from worker(out, chunk)
        return
    waiting: deque[Future[list[Record]]] = deque()
    with ProcessPoolExecutor(wanted, mp_context=multiprocessing.get_context("spawn")) as pool:
        for chunk in chunks:
            waiting.append(pool.submit(worker, out, chunk))
            if len(waiting) > 2 * wanted:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _cores() -> int:
    """Cores that this process may use (not every system can tell; then all there are)."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
