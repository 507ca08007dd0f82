"""A local server that speaks OmniParser's API, its faults included: no text in the picture is a 500, and /parse redirects to /parse/."""

from __future__ import annotations

import asyncio
import base64
import binascii
import io
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from PIL import Image, ImageChops

from snellen.methods import wire_omniparser as wire

READY = "Omniparser API ready"

Item = dict[str, Any]


def text_item(box: tuple[float, float, float, float], content: str) -> Item:
    return {
        "type": "text",
        "bbox": list(box),
        "interactivity": False,
        "content": content,
        "source": "box_ocr_content_ocr",
    }


def icon_item(box: tuple[float, float, float, float], content: str) -> Item:
    return {
        "type": "icon",
        "bbox": list(box),
        "interactivity": True,
        "content": content,
        "source": "box_yolo_content_yolo",
    }


@dataclass
class OmniParserServer:
    """The server. `see` gives the items of a picture, boxes as fractions of it. Without a text item the answer is a 500, as from the original.

    `reads_strip`: the strip of text that a client adds counts as text (its OCR reads it), and is listed as an item of its own.
    `broken`: every answer is a 500.
    """

    see: Callable[[Image.Image], list[Item]]
    reads_strip: bool = True
    broken: bool = False

    def __post_init__(self) -> None:
        self.parsed: list[tuple[int, int]] = []
        self.statuses: list[int] = []
        self.port = 0
        self._started = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> OmniParserServer:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._started.wait(10)
        return self

    def __exit__(self, *_exc: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=1 << 26)
        app.add_routes(
            [
                web.get("/probe/", self._probe),
                web.post("/parse/", self._parse),
                web.post("/parse", self._redirect),
            ]
        )
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        self._started.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _probe(self, _request: web.Request) -> web.Response:
        return web.json_response({"message": READY})

    async def _redirect(self, _request: web.Request) -> web.Response:
        return web.Response(status=307, headers={"Location": "/parse/"})

    async def _parse(self, request: web.Request) -> web.Response:
        answer = self._answer(await request.json())
        self.statuses.append(answer.status)
        return answer

    def _answer(self, body: Any) -> web.Response:
        if not isinstance(body, dict) or not isinstance(body.get("base64_image"), str):
            return web.json_response(
                {"detail": [{"loc": ["body", "base64_image"], "msg": "field required"}]}, status=422
            )
        try:
            image = Image.open(io.BytesIO(base64.b64decode(body["base64_image"], validate=True))).convert("RGB")
        except (binascii.Error, OSError):
            return web.Response(status=500, text="Internal Server Error")
        self.parsed.append(image.size)
        items = self._seen(image)
        if self.broken or not any(i["type"] == "text" for i in items):
            return web.Response(status=500, text="Internal Server Error")
        return web.json_response({"som_image_base64": "", "parsed_content_list": items, "latency": 0.01})

    def _seen(self, image: Image.Image) -> list[Item]:
        strip = wire.strip()
        top = image.height - strip.height
        if top < 0 or image.width < strip.width:
            return self.see(image)
        found = image.crop((0, top, strip.width, image.height))
        if ImageChops.difference(found, strip).getbbox() is not None:
            return self.see(image)
        # the items before the strip was added, in fractions of the larger picture
        above = top / image.height
        inner = image.crop((0, 0, image.width, top))
        items = [
            {**i, "bbox": [i["bbox"][0], i["bbox"][1] * above, i["bbox"][2], i["bbox"][3] * above]}
            for i in self.see(inner)
        ]
        if self.reads_strip:
            items.insert(0, text_item((0.01, above + 0.01, strip.width / image.width - 0.01, 0.99), wire.STRIP_TEXT))
        return items
