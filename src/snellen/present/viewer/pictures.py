"""Questions and pictures of samples from a run's data set, loaded a page at a time by one thread and kept within bounds.

A data set is read from front to back, so asking for one sample takes as long as asking for fifty: a page asks for all of its samples
at once, and the page of one of them finds it here.
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
"""The most bytes of a picture that is served as the data set has it; a larger one is served smaller."""
LARGE = 3000
LOADED_BYTES = 48 << 20
AT_ONCE = 150
"""The most samples that one pass loads."""


ServedImage = tuple[bytes, str]
"""A picture as a response: bytes and their type."""


class QuestionCache:
    """Data sets of the runs that are looked at. `where` is where the data is now, if it moved."""

    def __init__(self, where: Path | None = None) -> None:
        self._data = DataAgain([where] if where is not None else [])
        self._pool = ThreadPoolExecutor(1, "pictures")
        self._wanted: dict[str, dict[str, Collection[str]]] = {}
        self._lock = threading.Lock()
        self._loaded: OrderedDict[tuple[str, str], tuple[Mapping[str, Question | str], int]] = OrderedDict()
        """The latest, up to so many bytes."""

    def ask_for(self, key: str, path: Path, wanted: Mapping[str, Collection[str]]) -> Future[None]:
        """Load what was asked about samples, given by their ids with the arms that asked; what is there already is not read again.

        All that is asked for of a run while the thread is busy is loaded in one pass; of very much, the latest.
        """
        with self._lock:
            own = self._wanted.setdefault(key, {})
            own.update({i: arms for i, arms in wanted.items() if (key, i) not in self._loaded})
            for old in list(own)[:-AT_ONCE]:
                del own[old]
        return self._pool.submit(self._load, key, RunFolder(path))

    def loaded(self, key: str, sample: str) -> Mapping[str, Question | str] | None:
        """Return what was asked about a sample by arm, or why that is not known any more; None where it was not loaded."""
        found = self._loaded.get((key, sample))
        return None if found is None else found[0]

    def close(self) -> None:
        """End what goes on."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _load(self, key: str, run: RunFolder) -> None:
        """Load all that is asked for of a run."""
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
    """Return a picture for a page: as the data set has it where browsers show that, else a copy; None where it cannot be used."""
    head = sniff(data)
    if head.codec in WEB and len(data) <= AS_IT_IS and head.width and head.height:
        return data, MIME[head.codec]
    return scaled(data, LARGE)


def scaled(data: bytes, side: int) -> ServedImage | None:
    """Return a copy of a picture that is no larger than `side` either way; None for one that does not decode."""
    try:
        with decoded(data) as image:
            return as_webp(image, side, 80), MIME["webp"]
    except Exception:  # Pillow has many ways to say that a file is damaged
        return None
