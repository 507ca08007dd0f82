"""Turn a Question into the input of a chat template, and hold the one template that is known without the model's help."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.images import ledger_entry
from snellen.core.pixels import BadPicture, open_picture
from snellen.core.types import ImageSent, Part, Picture, Question, Text

# LLaVA-1.5 as its hub repository renders it: per turn the role, all images, then each text and a space. Early exports lack it.
LLAVA = (
    "{% for m in messages %}{% if m.role != 'system' %}{{ m.role | upper }}: {% endif %}"
    "{% for c in m.content if c.type == 'image' %}{{ '<image>\n' }}{% endfor %}"
    "{% for c in m.content if c.type == 'text' %}{{ c.text }} {% endfor %}{% endfor %}"
    "{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)

Message = dict[str, Any]
LARGEST = 1 << 20
"""Bytes of a chat template; those of known models have some thousands."""


def check_template(folder: Path) -> None:
    """Refuse a model whose chat template is absurdly large: libraries read and compile all of it before anything else."""
    for name in ("chat_template.jinja", "chat_template.json"):
        path = folder / name
        if path.is_file() and path.stat().st_size > LARGEST:
            raise SnellenError(f"{path}: a chat template of more than {LARGEST >> 20} MiB, which no model needs")


class ChatPrompt(NamedTuple):
    """A question as the model gets it: turns for the chat template, image files in order, and their ledger.

    `key` identifies the request by its content; `draw` makes a sample's random numbers its own.
    """

    messages: list[Message]
    images: tuple[bytes, ...]
    sent: tuple[ImageSent, ...]
    key: str
    draw: str


def to_prompt(question: Question, identity: dict[str, Any]) -> ChatPrompt:
    """Return turns in order, text and images interleaved as in the question. Raise SnellenError for a file that is not an image."""
    pictures: list[Picture] = []
    messages: list[Message] = []
    if question.system is not None:
        messages.append(_message("system", (Text(text=question.system),), pictures))
    messages += [_message(turn.role, turn.parts, pictures) for turn in question.history]
    messages.append(_message("user", question.parts, pictures))
    sent = tuple(_entry(p) for p in pictures)
    key = digest({"subject": identity, "messages": messages, "images": [s.sha256 for s in sent]})
    return ChatPrompt(messages, tuple(p.data for p in pictures), sent, key, f"{question.prompt}/{question.id}")


def _message(role: str, parts: tuple[Part, ...], pictures: list[Picture]) -> Message:
    content: list[dict[str, str]] = []
    for part in parts:
        if isinstance(part, Text):
            content.append({"type": "text", "text": part.text})
        else:
            content.append({"type": "image"})
            pictures.append(part)
    return {"role": role, "content": content}


def _entry(picture: Picture) -> ImageSent:
    """Return the ledger's entry. Only the header is read here: images are decoded when their batch is made."""
    try:
        with open_picture(picture.data) as image:
            mode = image.mode
    except BadPicture as error:
        raise BadPicture(f"{picture.name}: {error}") from None
    done = () if mode == "RGB" else (f"mode {mode} to RGB",)
    return ledger_entry(picture.data, picture.transforms + done)
