"""D3's reader: a caption for each of two pictures."""

from __future__ import annotations

from snellen.exams.d3.reading import read
from tests.support.captions import generate, topic
from tests.support.readers import Reader
from tests.support.wrapping import Topic


def _read(reply: str, _topic: Topic) -> tuple[str, ...] | None:
    found = read(reply)
    return None if found is None else tuple(text.rstrip(".") for text in found)


def _meant(topic: Topic) -> tuple[str, ...]:
    return tuple(text.rstrip(".") for text in topic.answers)


READERS = (Reader("d3", topic, _read, _meant, replies=generate),)
