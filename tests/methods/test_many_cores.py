"""The embedded parser has work for every core, also where many targets share a screenshot."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from concurrent.futures import Future
from functools import partial
from pathlib import Path

import pytest

import snellen
from snellen.exams.grounding.reading.predictions import Detection
from snellen.methods.base import Parse, ToolFailure
from snellen.methods.ocr import missing
from snellen.methods.parsers import ParseCache
from snellen.synthetic.screens.make import make

SEEN = Parse(width=1920, height=1080, detections=(Detection(box=(0, 0, 9, 9), text="Save"),), seconds=1.0)


class Together:
    """A pool that is done with nothing before so many screenshots are with it at once, or nothing more has come for a while."""

    def __init__(self, wanted: int, patience: float = 60.0) -> None:
        self.wanted, self.patience, self.most = wanted, patience, 0
        self.with_it: dict[str, Future[Parse]] = {}
        self.lock = threading.Lock()

    async def ask(self, image: bytes) -> Parse:
        future: Future[Parse] = Future()
        with self.lock:
            self.with_it[hashlib.sha256(image).hexdigest()] = future
            self.most = max(self.most, len(self.with_it))
            if self.most >= self.wanted:
                self.wanted = 0
                threading.Thread(target=self.done).start()
            elif len(self.with_it) == 1:
                timer = threading.Timer(self.patience, self.done)
                timer.daemon = True
                timer.start()
        return await asyncio.wrap_future(future)

    def done(self) -> None:
        with self.lock:
            ready, self.with_it = list(self.with_it.values()), {}
        for future in ready:
            future.set_result(SEEN)

    def close(self) -> None:
        return


@pytest.mark.skipif(missing() is not None, reason="the extra ocr is not installed")
def test_targets_that_wait_for_the_same_screenshot_take_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "set", count=10, seed=1, style="original")
    pool = Together(wanted=8)
    monkeypatch.setattr("snellen.methods.subject.on_all_cores", lambda _function: pool)
    monkeypatch.setattr("snellen.methods.subject.cores", lambda: 2)
    run = snellen.evaluate("grounding", method="ocr", data=tmp_path / "set", out=tmp_path / "runs", use_store=False)
    asked = len((run.path / "answers.jsonl").read_text().splitlines())
    assert asked > 100  # some 19 targets a screenshot, and 16 questions in work: without it, one or two screenshots
    assert pool.most >= 8


def test_who_waits_for_anothers_parse_is_counted_until_it_is_there() -> None:
    async def run() -> list[int]:
        go = asyncio.Event()

        async def parse(image: bytes) -> Parse:
            await go.wait()
            if image == b"bad":
                raise ToolFailure("network", "no")
            return SEEN

        cache, seen = ParseCache(64), []
        waiting = [
            asyncio.ensure_future(cache(image, partial(parse, image)))
            for image in (b"a", b"a", b"b", b"a", b"bad", b"bad")
        ]
        await asyncio.sleep(0)
        seen.append(cache.waiting)
        go.set()
        await asyncio.gather(*waiting, return_exceptions=True)
        await cache(b"a", partial(parse, b"a"))
        return [*seen, cache.waiting]

    assert asyncio.run(run()) == [3, 0]


def test_a_parse_that_is_under_way_is_never_pushed_out() -> None:
    made: list[bytes] = []

    async def run() -> None:
        go = asyncio.Event()

        async def parse(image: bytes) -> Parse:
            made.append(image)
            await go.wait()
            return SEEN

        cache = ParseCache(keep=2)
        waiting = [
            asyncio.ensure_future(cache(image, partial(parse, image))) for image in (b"a", b"b", b"c", b"d", b"a")
        ]
        await asyncio.sleep(0)
        go.set()
        await asyncio.gather(*waiting)

    asyncio.run(run())
    assert made == [b"a", b"b", b"c", b"d"]
