"""A local server that speaks UI-TARS's API (OpenAI chat) and answers in any of the forms that its versions use.

It finds a patch of one colour in the picture that it receives and gives its place: in pixels of the picture as its own image
processor would resize it (1.5), or in thousandths (v1). It needs no model, and it is never wrong about the picture.
"""

from __future__ import annotations

import asyncio
import base64
import io
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from PIL import Image, ImageChops

from snellen.core.resizing import PROCESSOR, PixelLimits, smart_resize
from snellen.core.types import Answer, Question
from snellen.methods.base import Parse

MARK = (255, 0, 255)
Form = Callable[[float, float], str]

# forms of UI-TARS 1.5 and of the prompts around it: pixels of the resized picture
PIXEL_FORMS: dict[str, Form] = {
    "bare": lambda x, y: f"({x:.0f},{y:.0f})",
    "point": lambda x, y: f"Action: click(point='<point>{x:.0f} {y:.0f}</point>')",
    "point with comma": lambda x, y: f"<point>{x:.0f}, {y:.0f}</point>",
    "start_box": lambda x, y: f"Action: click(start_box='({x:.0f},{y:.0f})')",
    "start_box, double quotes": lambda x, y: f'Action: click(start_box="({x:.0f},{y:.0f})")',
    "start_box without quotes": lambda x, y: f"Action: click(start_box=({x:.0f},{y:.0f}))",
    "square brackets": lambda x, y: f"Action: click(start_box='[{x:.0f}, {y:.0f}]')",
    "box tokens": lambda x, y: f"click(start_box='<|box_start|>({x:.0f},{y:.0f})<|box_end|>')",
    "four numbers": lambda x, y: f"Action: click(start_box='({x - 8:.0f},{y - 4:.0f},{x + 8:.0f},{y + 4:.0f})')",
    "bbox": lambda x, y: f"<bbox>{x - 8:.0f} {y - 4:.0f} {x + 8:.0f} {y + 4:.0f}</bbox>",
    "decimals": lambda x, y: f"({x:.3f}, {y:.3f})",
    "after a thought": lambda x, y: f"Thought: not (1,2), but below it.\nAction: click(start_box='({x:.0f},{y:.0f})')",
}
# forms of UI-TARS v1: thousandths
THOUSAND_FORMS: dict[str, Form] = {
    "bare": lambda x, y: f"({x:.0f},{y:.0f})",
    "box tokens": lambda x, y: f"click(start_box='<|box_start|>({x:.0f},{y:.0f})<|box_end|>')",
    "start_box": lambda x, y: f"Action: click(start_box='({x:.0f},{y:.0f})')",
}


def find_mark(image: Image.Image) -> tuple[float, float] | None:
    """Return the middle of the marked patch, in fractions of the picture, or None where there is none."""
    plain = Image.new("RGB", image.size, MARK)
    near = ImageChops.difference(image.convert("RGB"), plain).convert("L").point(lambda v: 255 if v < 40 else 0)
    box = near.getbbox()
    if box is None:
        return None
    return (box[0] + box[2]) / 2 / image.width, (box[1] + box[3]) / 2 / image.height


def decode(request: dict[str, Any]) -> Image.Image:
    """Return the picture of a chat request."""
    for message in request["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else ():
            if part.get("type") == "image_url":
                data = part["image_url"]["url"].partition(",")[2]
                return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
    raise ValueError("no picture in the request")


@dataclass
class UitarsServer:
    """Serves /v1/chat/completions, /v1/models and /health. `thousand`: answers as v1 does. `context`: most image tokens, else 400."""

    form: Form
    thousand: bool = False
    limits: PixelLimits = PROCESSOR
    context: int | None = None
    lost: str = "I cannot find it."

    def __post_init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.sizes: list[tuple[int, int]] = []
        self.port = 0
        self._started = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> UitarsServer:
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
                web.get("/health", self._health),
                web.get("/v1/models", self._models),
                web.post("/v1/chat/completions", self._chat),
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

    async def _health(self, _request: web.Request) -> web.Response:
        return web.Response(status=200)

    async def _models(self, _request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "ui-tars", "object": "model"}]})

    async def _chat(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.requests.append(body)
        image = decode(body)
        self.sizes.append(image.size)
        width, height = smart_resize(*image.size, self.limits)
        if self.context is not None and width * height / 784 > self.context:
            message = "This model's maximum context length is exceeded"
            return web.json_response({"object": "error", "message": message, "code": 400}, status=400)
        return web.json_response(
            {
                "id": "r1",
                "object": "chat.completion",
                "model": body.get("model", "ui-tars"),
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": self.reply(image)},
                        "finish_reason": "stop",
                    }
                ],
                "usage": {"prompt_tokens": width * height // 784, "completion_tokens": 12},
            }
        )

    def reply(self, image: Image.Image) -> str:
        """Return the model's reply to a picture."""
        found = find_mark(image)
        if found is None:
            return self.lost
        width, height = (1000, 1000) if self.thousand else smart_resize(*image.size, self.limits)
        return self.form(found[0] * width, found[1] * height)


class InProcess:
    """Tools without any server: a function that parses, and one that answers a question's picture and text."""

    def __init__(
        self,
        see: Callable[[bytes], Any] | None = None,
        say: Callable[[Image.Image, Question], str | Answer] | None = None,
    ) -> None:
        self.see, self.say = see, say
        self.parses: list[str] = []
        self.questions: list[Question] = []

    async def parse(self, image: bytes, note: str) -> Parse:
        self.parses.append(note)
        assert self.see is not None, "this method was not to parse anything"
        found = self.see(image)
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, Parse)
        return found

    async def ask(self, question: Question) -> Answer:
        self.questions.append(question)
        assert self.say is not None, "this method was not to ask anyone"
        said = self.say(Image.open(io.BytesIO(question.pictures[0].data)), question)
        return said if isinstance(said, Answer) else Answer(id=question.id, prompt=question.prompt, text=said)

    async def compute(self, function: Callable[..., Any], *args: Any) -> Any:
        return function(*args)


def png(width: int, height: int, boxes: dict[tuple[int, int, int, int], tuple[int, int, int]] | None = None) -> bytes:
    """Draw a grey screenshot with filled boxes."""
    image = Image.new("RGB", (width, height), (230, 230, 230))
    for box, colour in (boxes or {}).items():
        image.paste(colour, box)
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()
