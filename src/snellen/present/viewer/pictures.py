"""Questions and images of samples from a run's data set, loaded a page at a time by one thread, within memory limits.

A data set is read from front to back, so loading one sample takes as long as loading fifty. A page therefore requests all of its samples at
once, and the page of one of them finds it here.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from snellen.core.images import MIME, sniff
from snellen.core.pixels import decoded
from snellen.core.types import Question
from snellen.engine.runs.data_again import DataAgain
from snellen.engine.runs.folder import RunFolder
from snellen.present.html.pictures import WEB, as_webp
from snellen.present.model.sample_view import asked_again

SMALL = 160
AS_IT_IS = 12_000_000
"""The most bytes of an image that is served unchanged. A larger one is served smaller."""
LARGE = 3000
LOADED_BYTES = 48 << 20
AT_ONCE = 150
"""The most samples that one pass loads."""


ServedImage = tuple[bytes, str]
"""An image as a response: bytes and their type."""


class QuestionCache:
    """Data sets of the runs that are viewed. `where` is the current place of the data, if it moved."""

    def __init__(self, where: Path | None = None) -> None:
        self._data = DataAgain([where] if where is not None else [])
        self._pool = ThreadPoolExecutor(1, "pictures")
        self._wanted: dict[str, dict[str, Collection[str]]] = {}
        self._lock = threading.Lock()
        self._loaded: OrderedDict[tuple[str, str], tuple[Mapping[str, Question | str], int]] = OrderedDict()
        """The latest questions, up to a limit of bytes."""

    def ask_for(self, key: str, path: Path, wanted: Mapping[str, Collection[str]]) -> Future[None]:
        """Load the questions about samples, given by their ids with the arms that asked. Loaded ones are not read again.

        All requests for a run while the thread is busy are loaded in one pass. Of very many, only the latest are loaded.
        """
        with self._lock:
            own = self._wanted.setdefault(key, {})
            own.update({i: arms for i, arms in wanted.items() if (key, i) not in self._loaded})
            for old in list(own)[:-AT_ONCE]:
                del own[old]
        return self._pool.submit(self._load, key, RunFolder(path))

    def loaded(self, key: str, sample: str) -> Mapping[str, Question | str] | None:
        """Return the questions about a sample by arm, or why they are no longer known. Return None if they are not loaded."""
        found = self._loaded.get((key, sample))
        return None if found is None else found[0]

    def close(self) -> None:
        """Stop the loading."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _load(self, key: str, run: RunFolder) -> None:
        """Load all requested questions of a run."""
        with self._lock:
            wanted = self._wanted.pop(key, {})
        if not wanted:
            return
        found: dict[str, dict[str, Question | str]] = {i: {} for i in wanted}
        keys = [(i, arm) for i, arms in wanted.items() for arm in arms]
        for (i, arm), question in asked_again(run, keys, self._data):
            found[i][arm] = question
        for i, asked in found.items():
            size = 1000 + sum(len(p.data) for q in asked.values() if isinstance(q, Question) for p in q.pictures)
            self._loaded[key, i] = asked, size
        while len(self._loaded) > len(found) and sum(size for _loaded, size in self._loaded.values()) > LOADED_BYTES:
            self._loaded.popitem(last=False)


def large(data: bytes) -> ServedImage | None:
    """Return an image for a page: unchanged if browsers show its format, else a copy. Return None if it cannot be used."""
    head = sniff(data)
    if head.codec in WEB and len(data) <= AS_IT_IS and head.width and head.height:
        return data, MIME[head.codec]
    return scaled(data, LARGE)


def scaled(data: bytes, side: int) -> ServedImage | None:
    """Return a copy of an image with sides of at most `side` pixels, or None for one that does not decode."""
    try:
        with decoded(data) as image:
            return as_webp(image, side, 80), MIME["webp"]
    except Exception:  # Pillow raises many kinds of errors for a damaged file
        return None
