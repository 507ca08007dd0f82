"""The upper limit: an aiohttp client that only posts request bodies prepared by Snellen beforehand.

python bare.py DATA URL CONCURRENCY     prints the processor time of the posting alone, in seconds
"""

from __future__ import annotations

import asyncio
import resource
import sys
from pathlib import Path

import aiohttp

from snellen import exams
from snellen.core.options import Selection
from snellen.engine.ask.questions import asker
from snellen.subjects.chat_kinds import API
from snellen.subjects.remote.settings import Settings


def bodies(data: Path, url: str) -> list[bytes]:
    """Return the exact bodies that `snellen run` sends."""
    exam = exams.load("salbench")
    subject = API.subject("bench", Settings(base_url=url, max_tokens=exam.max_tokens), offline=True)
    dataset = exam.open(data, Selection())
    ask = asker(exam, dataset, exam.protocols["paper"].prompt)
    return [subject.prepare(ask(sample)).body for sample in dataset.full(lambda _id: True)]


async def post_all(ready: list[bytes], url: str, concurrency: int) -> None:
    """Keep `concurrency` posts in flight until all are answered."""
    left = iter(ready)
    headers = {"Content-Type": "application/json"}
    connector = aiohttp.TCPConnector(limit=0)
    jar = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(connector=connector, headers=headers, cookie_jar=jar) as session:

        async def worker() -> None:
            for body in left:
                async with session.post(f"{url}/chat/completions", data=body) as response:
                    await response.read()
                    if response.status != 200:
                        raise RuntimeError(f"status {response.status}")

        await asyncio.gather(*(worker() for _ in range(concurrency)))


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    data, url, concurrency = sys.argv[1:4]
    ready = bodies(Path(data), url)
    before = _cpu()
    asyncio.run(post_all(ready, url, int(concurrency)))
    print(_cpu() - before)


if __name__ == "__main__":
    main()
