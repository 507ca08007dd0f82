"""Endpoints to probe: one that reads its pictures, and ones that change the pictures or the request, each in its own way."""

from __future__ import annotations

import base64
import io
import json
import random
import re
import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from PIL import Image

from snellen.synthetic.charts import LARGE, SMALL, contrast_rows, size_rows
from tests.support.chart_eye import BLUR, FAINTEST, find_discs, read_number, read_rows
from tests.support.endpoint import Endpoint

LOW = 512
FORMS = {
    11: (size_rows(*SMALL), SMALL[0]),
    13: (size_rows(*LARGE), LARGE[0]),
    10: (contrast_rows(False), SMALL[0]),
    4: (contrast_rows(True), SMALL[0]),
}
"""The empty forms of the letter charts by their number of rows, with their original width."""


@dataclass
class Manners:
    """The changes that an endpoint makes to pictures and requests; the default is an honest one."""

    longest: int = 0
    quality: int = 0
    space: str = "pixels"
    order: str = "as sent"
    ignores: frozenset[str] = frozenset()
    rejects: frozenset[str] = frozenset()
    varies: bool = False
    blind: bool = False
    blur: float = BLUR
    faintest: float = FAINTEST
    chance: random.Random = field(default_factory=lambda: random.Random(5))


def endpoint(manners: Manners | None = None, cost: float | None = None) -> Endpoint:
    """Make a server with these manners."""
    serving = _Serving(manners or Manners(), cost)
    return Endpoint(script=serving.respond)


class _Serving:
    def __init__(self, manners: Manners, cost: float | None) -> None:
        self._manners, self._cost = manners, cost
        self._served = 0

    def respond(self, request: dict[str, Any], _asked: int) -> tuple[int, dict[str, str], bytes]:
        ways = self._manners
        for name in ways.rejects:
            if name in request:
                said = {"error": {"message": f"Unsupported parameter: '{name}' is not supported with this model."}}
                return 400, {}, json.dumps(said).encode()
        self._served += 1
        text = self._said(request)
        words, finish = re.findall(r"\S+\s*", text), "stop"
        if "max_tokens" in request and "max_tokens" not in ways.ignores and len(words) > request["max_tokens"]:
            words, finish = words[: request["max_tokens"]], "length"
        text = "".join(words)
        for stop in request.get("stop", []) if "stop" not in ways.ignores else []:
            text = text.partition(stop)[0]
        if ways.varies and self._served % 2:
            text += "."
        choice: dict[str, Any] = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
        if request.get("logprobs") and "logprobs" not in ways.ignores:
            choice["logprobs"] = {"content": [{"token": w, "logprob": -0.1, "top_logprobs": []} for w in words]}
        usage: dict[str, Any] = {"prompt_tokens": 100, "completion_tokens": len(words)}
        if self._cost is not None:
            usage["cost"] = self._cost
        body = {"id": "r", "model": "reader-1", "choices": [choice], "usage": usage}
        return 200, {}, json.dumps(body).encode()

    def _said(self, request: dict[str, Any]) -> str:
        parts = request["messages"][-1]["content"]
        prompt = "\n".join(p["text"] for p in parts if p["type"] == "text")
        pictures = [p["image_url"] for p in parts if p["type"] == "image_url"]
        if not pictures:
            return self._about_words(request, prompt)
        if self._manners.blind:
            return self._guess(prompt)
        seen = [self._seen(p) for p in pictures]
        if "rows of" in prompt:
            rows, width = FORMS[int(re.findall(r"shows (\d+) rows", prompt)[0])]
            return "\n".join(_rows(seen[0][0], len(rows), width, self._manners.blur, self._manners.faintest))
        if "discs" in prompt:
            return self._places(*seen[0])
        numbers = [_number(data) for data, _size in seen]
        shown = {"as sent": numbers, "reversed": numbers[::-1], "the last": numbers[-1:]}[self._manners.order]
        return ", ".join(shown)

    def _seen(self, picture: dict[str, Any]) -> tuple[bytes, tuple[int, int]]:
        """Return a picture as this endpoint's model sees it, and the size at which it was sent."""
        ways = self._manners
        low = picture.get("detail") == "low" and "detail" not in ways.ignores
        longest = min(n for n in (ways.longest or 10**6, LOW if low else 10**6))
        return _handled(base64.b64decode(picture["url"].partition(",")[2]), longest, ways.quality)

    def _places(self, data: bytes, sent: tuple[int, int]) -> str:
        """Return the middles of discs. A well-behaved endpoint uses coordinates of the picture as it was sent, however it changed it."""
        found, (wide, high) = _discs(data)
        factors = {
            "pixels": (sent[0] / wide, sent[1] / high),
            "thousand": (1000 / wide, 1000 / high),
            "unit": (1 / wide, 1 / high),
            "768": (min(1.0, 768 / min(sent)) * sent[0] / wide,) * 2,
            "900": (min(1.0, 900 / max(sent)) * sent[0] / wide,) * 2,
            "y first": (sent[0] / wide, sent[1] / high),
        }[self._manners.space]
        lines = []
        for colour, place in found.items():
            x, y = (f"{v * f:.4g}" for v, f in zip(place, factors, strict=True))
            lines.append(f"{colour}: {y}, {x}" if self._manners.space == "y first" else f"{colour}: {x}, {y}")
        return "\n".join(lines)

    def _about_words(self, request: dict[str, Any], prompt: str) -> str:
        ways = self._manners
        if "Count from" in prompt:
            last = int(re.findall(r"1 to (\d+)", prompt)[0])
            return " ".join(map(str, range(1, last + 1)))
        hot = request.get("temperature", 1.0) > 0 and "temperature" not in ways.ignores
        if not hot:
            return str(zlib.crc32(prompt.encode()) % 10**6)
        seeded = "seed" in request and "seed" not in ways.ignores
        return str((random.Random(request["seed"]) if seeded else ways.chance).randint(1, 10**6))

    def _guess(self, prompt: str) -> str:
        """Return the reply of a model that sees nothing and likes to please."""
        chance = random.Random(prompt)
        if "rows of" in prompt:
            return "\n".join("".join(chance.sample("CDHKNORSVZ", 5)) for _ in range(11))
        if "discs" in prompt:
            names = ("red", "green", "blue", "orange", "purple", "black")
            return "\n".join(f"{c}: {chance.randint(0, 600)}, {chance.randint(0, 400)}" for c in names)
        return ", ".join(str(chance.randint(10, 99)) for _ in range(4))


@lru_cache(maxsize=256)
def _handled(data: bytes, longest: int, quality: int) -> tuple[bytes, tuple[int, int]]:
    with Image.open(io.BytesIO(data)) as opened:
        image = opened.convert("RGB")
    sent = image.size
    scale = min(1.0, longest / max(sent))
    if scale < 1:
        image = image.resize((round(sent[0] * scale), round(sent[1] * scale)), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    if quality:
        image.save(out, "JPEG", quality=quality)
    else:
        image.save(out, "PNG", compress_level=1)
    return out.getvalue(), sent


@lru_cache(maxsize=256)
def _rows(data: bytes, count: int, width: int, blur: float, faintest: float) -> list[str]:
    with Image.open(io.BytesIO(data)) as image:
        return read_rows(image, FORMS[count][0], width, blur, faintest)


@lru_cache(maxsize=64)
def _discs(data: bytes) -> tuple[dict[str, tuple[float, float]], tuple[int, int]]:
    with Image.open(io.BytesIO(data)) as image:
        return find_discs(image), image.size


@lru_cache(maxsize=64)
def _number(data: bytes) -> str:
    with Image.open(io.BytesIO(data)) as image:
        return read_number(image)
