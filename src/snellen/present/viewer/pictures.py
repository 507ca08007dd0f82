"""Questions and pictures of samples from a run's data set, loaded a page at a time by one thread and kept within bounds.

A data set is read from front to back, so asking for one sample takes as long as asking for fifty: a page asks for all of its samples
at once, and whoever then opens one of them finds it here.
"""

from __future__ import annotations

import hashlib
import io
import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from snellen import exams
from snellen.core.arm import Arm
from snellen.core.dataset import Dataset
from snellen.core.exam import Exam
from snellen.core.extras import traits_of
from snellen.core.images import MIME, sniff
from snellen.core.pixels import decoded
from snellen.core.records import Manifest
from snellen.core.text import one_line
from snellen.core.types import Question
from snellen.engine.ask.questions import to_ask
from snellen.engine.runs.data_again import unchanged
from snellen.engine.runs.folder import RunFolder

SMALL = 160
AS_IT_IS = 12_000_000
"""The most bytes of a picture that is served as the data set has it; a larger one is served smaller."""
LARGE = 3000
LOADED_BYTES = 48 << 20
SMALL_BYTES = 16 << 20
AT_ONCE = 150
"""The most samples that one pass loads."""
WEB = frozenset({"png", "jpeg", "webp", "gif"})
GONE = "the data set no longer has this sample"
K = TypeVar("K")
V = TypeVar("V")


class LoadedQuestions(NamedTuple):
    """What was asked about one sample, by arm; or why that is not known any more."""

    questions: Mapping[str, Question]
    unknown: str

    @property
    def size(self) -> int:
        """The bytes that it holds, about."""
        return 1000 + sum(len(p.data) for q in self.questions.values() for p in q.pictures)


class ServedImage(NamedTuple):
    """A picture as a response: bytes and their type."""

    data: bytes
    mime: str


class SizedCache(Generic[K, V]):
    """The latest things, up to so many bytes."""

    def __init__(self, most: int) -> None:
        self._most, self._held = most, 0
        self._found: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        with self._lock:
            found = self._found.get(key)
            if found is None:
                return None
            self._found.move_to_end(key)
            return found[0]

    def put(self, key: K, value: V, size: int) -> None:
        with self._lock:
            old = self._found.pop(key, None)
            self._held += size - (old[1] if old else 0)
            self._found[key] = value, size
            while self._held > self._most and len(self._found) > 1:
                self._held -= self._found.popitem(last=False)[1][1]


class QuestionCache:
    """Data sets of the runs that are looked at. `where` is where the data is now, if it moved."""

    def __init__(self, where: Path | None = None) -> None:
        self._where = where
        self._pool = ThreadPoolExecutor(1, "pictures")
        self._wanted: dict[str, dict[str, Collection[str]]] = {}
        self._lock = threading.Lock()
        self._opened: tuple[tuple[str, str], tuple[Exam, Dataset]] | None = None
        self._loaded: SizedCache[tuple[str, str], LoadedQuestions] = SizedCache(LOADED_BYTES)
        self._small: SizedCache[str, ServedImage] = SizedCache(SMALL_BYTES)

    def ask_for(self, key: str, path: Path, manifest: Manifest, wanted: Mapping[str, Collection[str]]) -> Future[None]:
        """Load what was asked about samples, given by their ids with the arms that asked; what is there already is not read again.

        All that is asked for of a run while the thread is busy is loaded in one pass; of very much, the latest.
        """
        with self._lock:
            own = self._wanted.setdefault(key, {})
            own.update({i: arms for i, arms in wanted.items() if self._loaded.get((key, i)) is None})
            for old in list(own)[:-AT_ONCE]:
                del own[old]
        return self._pool.submit(self._load, key, RunFolder(path), manifest)

    def loaded(self, key: str, sample: str) -> LoadedQuestions | None:
        """What was asked about a sample, if it was loaded."""
        return self._loaded.get((key, sample))

    def small(self, data: bytes) -> ServedImage | None:
        """A thumbnail; None where the picture cannot be used."""
        sha = hashlib.sha256(data).hexdigest()
        found = self._small.get(sha)
        if found is None:
            found = scaled(data, SMALL)
            if found is not None:
                self._small.put(sha, found, len(found.data))
        return found

    def close(self) -> None:
        """End what goes on."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _load(self, key: str, run: RunFolder, manifest: Manifest) -> None:
        """Load all that is asked for of a run."""
        with self._lock:
            wanted = self._wanted.pop(key, {})
        if not wanted:
            return
        found: dict[str, dict[str, Question]] = {i: {} for i in wanted}
        why = GONE
        try:
            exam, data = self._open(run, manifest)
            arms = [Arm.parse(text) for text in dict.fromkeys(arm for some in wanted.values() for arm in some)]
            asked = {(i, arm) for i, some in wanted.items() for arm in some}
            for one in to_ask(exam, data, arms, asked.__contains__, lambda _a, _s: True, manifest.options.seed):
                try:
                    found[one.id][one.arm.text] = one.make()
                except Exception as error:  # a sample that a prompt cannot ask about costs itself, not the others
                    why = one_line(str(error) or type(error).__name__)
        except Exception as error:  # a damaged data set costs the pictures, never the page
            why = one_line(str(error) or type(error).__name__)
        for i, questions in found.items():
            loaded = LoadedQuestions(questions, why)
            self._loaded.put((key, i), loaded, loaded.size)

    def _open(self, run: RunFolder, manifest: Manifest) -> tuple[Exam, Dataset]:
        """Return the data set, which is kept until another one is asked for.

        An exam without a data set draws what the run chose, so what it opens is of that run alone, and of now.
        """
        exam = exams.load(manifest.exam)
        if traits_of(exam).drawn:
            return exam, unchanged(run, exam)
        name = manifest.data.source, manifest.data.fingerprint
        if self._opened is None or self._opened[0] != name:
            self._opened = name, (exam, unchanged(run, exam, self._where))
        return self._opened[1]


def large(data: bytes) -> ServedImage | None:
    """A picture for a page: as the data set has it where browsers show that, else a copy; None where it cannot be used."""
    head = sniff(data)
    if head.codec in WEB and len(data) <= AS_IT_IS and head.width and head.height:
        return ServedImage(data, MIME[head.codec])
    return scaled(data, LARGE)


def scaled(data: bytes, side: int) -> ServedImage | None:
    """A copy of a picture that is no larger than `side` either way; None for one that does not decode."""
    try:
        with decoded(data) as image:
            clear = "A" in image.getbands() or "transparency" in image.info
            copy = image.convert("RGBA" if clear else "RGB")
        copy.thumbnail((side, side))
        out = io.BytesIO()
        copy.save(out, "WEBP", quality=80)
    except Exception:  # Pillow has many ways to say that a file is damaged
        return None
    return ServedImage(out.getvalue(), MIME["webp"])
