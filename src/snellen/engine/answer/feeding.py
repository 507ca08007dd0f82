"""Where the asking loop gets its questions: read, asked and prepared in a thread, or for large runs in a process of its own.

Reading and hashing images takes as much processor time as sending them. In a thread the two take turns at the
interpreter's lock; in another process they do not (docs/performance.md). The process shares a piece of memory with
this one for the request bodies, and a pipe for everything else. It never gets the key. Where it cannot be had, or ends before
it is done (a full disk under the shared memory, the system's memory killer), the thread takes over.

A question that cannot be made or sent is one failure; the others are asked. What ends the feed itself, such as data that cannot be
read any further, is raised after everything before it was handed over.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import subprocess
import sys
import tempfile
import threading
from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.core.arm import Arm
from snellen.core.dataset import Shard, part_of
from snellen.core.errors import SnellenError, place_of, said_by
from snellen.core.options import Selection
from snellen.core.pixels import BadPicture, check_image
from snellen.core.secret import without_keys
from snellen.core.subject import Request
from snellen.core.text import one_line
from snellen.core.types import Answer, Failure, ImageSent, Question, Struct
from snellen.data.places import Key
from snellen.engine.ask.questions import Open, to_ask
from snellen.engine.plan.plan import Feeding, Plan

CHUNK = 32
PATIENCE = 5.0  # seconds for a pull to notice that its process was ended
ENOUGH_FOR_A_PROCESS = 500
HALF = 64 * 1024 * 1024  # address space, not memory: only the pages that are used are ever there


class Item(NamedTuple):
    """A question with what was prepared for it; `failure` where it cannot be asked at all."""

    question: Question
    prepared: Any
    failure: Failure | None = None


class FeederLost(RuntimeError):
    """The process that reads the data ended before it was done."""


def feed(by: Feeding, done: Callable[[Key], bool]) -> Iterator[Item]:
    """All questions that have no answer yet, prepared."""
    for one in to_ask(by.exam, by.data, by.arms, lambda key: not done(key), by.applies, by.seed):
        yield item_of(by, one)


def item_of(by: Feeding, one: Open) -> Item:
    """A question, made and prepared; or why it cannot be asked."""
    bare = Question(id=one.id, exam=by.exam.name, prompt=one.arm.text, parts=())
    question = bare
    try:
        question = one.make()
        for picture in question.pictures:
            check_image(picture)
        prepared = by.subject.prepare(question)
        return Item(question, prepared.again(one.arm.repeat) if isinstance(prepared, Request) else prepared)
    except BadPicture as error:
        return Item(question, None, Failure(kind="bad-image", reason=str(error)))
    except SnellenError as error:
        if question is bare:
            raise  # what is wrong with a prompt or a control is wrong with all of its questions
        return Item(question, None, Failure(kind="bad-image", reason=str(error)))
    except Exception as error:
        reason = f"the question cannot be made: {one_line(said_by(error))}{place_of(error)}"
        return Item(question, None, Failure(kind="question-failed", reason=reason))


class Feed:
    """Chunks of items, made by whoever calls `pull` (a thread of the asking loop's)."""

    def __init__(self, by: Feeding, done: Callable[[Key], bool]) -> None:
        self._items = feed(by, done)
        self._broken: Exception | None = None

    def pull(self) -> list[Item]:
        """The next items; none at the end. What ends the feed early is raised after the items before it."""
        if self._broken is not None:
            raise self._broken
        chunk: list[Item] = []
        try:
            chunk += islice(self._items, CHUNK)
        except Exception as error:
            if not chunk:
                raise
            self._broken = error
        return chunk

    def close(self) -> None:
        """Nothing to free."""


# ---------------------------------------------------------------- the process


class FeedSpec(Struct, frozen=True):
    """What the process needs to make the same questions and requests. `kind` is the prefix of the subject's kind."""

    exam: str
    data: str
    selection: Selection
    arms: tuple[str, ...]
    kind: str
    subject: dict[str, Any]
    run: str
    shard: tuple[int, int] | None = None


class Wired(Struct, frozen=True):
    """An item on the pipe; its body is in the shared memory."""

    id: str
    exam: str
    prompt: str
    shots: tuple[str, ...] = ()
    key: str = ""
    images: tuple[ImageSent, ...] = ()
    cost_bound: float | None = None
    at: int = 0
    size: int = 0
    failure: Failure | None = None


class Message(Struct, frozen=True):
    """One line on the pipe: items, the end, what is wrong with the data, or what went wrong in the process."""

    items: tuple[Wired, ...] = ()
    end: bool = False
    error: str | None = None
    lost: str | None = None


_MESSAGES = msgspec.json.Decoder(Message)


class ProcessFeed:
    """The same chunks, made by another process."""

    def __init__(self, spec: FeedSpec) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed in close)
        number = self._file.fileno()
        self._file.truncate(2 * HALF)
        self._memory = mmap.mmap(number, 2 * HALF)
        self._process = subprocess.Popen(  # noqa: S603 (this very module, by this very interpreter)
            # -P: nothing from the working folder
            [sys.executable, "-P", "-m", "snellen.engine.answer.feeding", str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[number],
            env=without_keys(os.environ),
        )
        self._say(msgspec.json.encode(spec) + b"\n")

    def _say(self, line: bytes) -> None:
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):  # it ended: the next line that is read, or its absence, says why
                self._process.stdin.write(line)
                self._process.stdin.flush()

    def pull(self) -> list[Item]:
        """The next items; none at the end."""
        line = self._process.stdout.readline() if self._process.stdout is not None else b""
        if not line.endswith(b"\n"):
            raise FeederLost("the process that reads the data ended before it was done")
        message = _MESSAGES.decode(line)
        if message.lost is not None:
            raise FeederLost(message.lost)
        if message.error is not None:
            raise SnellenError(message.error)
        items = [self._item(w) for w in message.items]
        if not message.end:
            self._say(b"\n")
        return items

    def _item(self, w: Wired) -> Item:
        question = Question(id=w.id, exam=w.exam, prompt=w.prompt, parts=(), shots=w.shots)
        if w.failure is not None:
            return Item(question, None, w.failure)
        body = self._memory[w.at : w.at + w.size]
        repeat = Arm.parse(w.prompt).repeat
        return Item(question, Request(key=w.key, body=body, images=w.images, cost_bound=w.cost_bound, repeat=repeat))

    def kill(self) -> None:
        """End the process; whoever waits for its next line gets none."""
        self._process.kill()

    def close(self) -> None:
        """End the process and free the memory."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        self._process.wait()
        self._memory.close()
        self._file.close()


class Feeder:
    """A feed that outlives its process: pulled in a thread, closed from outside at any moment."""

    def __init__(self, plan: Plan, run: Path, done: Callable[[Key], bool], open_questions: int) -> None:
        self.note: str | None = None
        self._by, self._done = plan.feeding, done
        self._handed = array("q")  # the hashes of what its process handed over, should that be lost
        self._pulling = threading.Lock()
        self._closed = False
        self._feed = open_feed(plan, run, done, open_questions)

    def pull(self) -> list[Item]:
        """The next items; none at the end, and none after `close`."""
        with self._pulling:
            try:
                items = self._feed.pull()
            except FeederLost as lost:
                if self._closed:
                    return []
                self.note = f"the data was read in a thread, more slowly: {lost}"
                self._feed.close()
                handed = set(self._handed)
                self._feed = Feed(self._by, lambda key: hash(key) in handed or self._done(key))
                items = self._feed.pull()
            if isinstance(self._feed, ProcessFeed):
                self._handed.extend(hash((i.question.id, i.question.prompt)) for i in items)
            return items

    def told(self, _answer: Answer) -> None:
        """Answers change nothing: these questions were known before."""

    def close(self) -> None:
        """End the process, if there is one. Reading that does not come to an end in a thread is left behind."""
        self._closed = True
        if isinstance(self._feed, ProcessFeed):
            self._feed.kill()  # so that `pull` comes back
            if self._pulling.acquire(timeout=PATIENCE):
                self._feed.close()
                self._pulling.release()


def open_feed(plan: Plan, run: Path, done: Callable[[Key], bool], open_questions: int) -> Feed | ProcessFeed:
    """A process where it pays and can be had: many questions, a subject that can be made again from its settings."""
    subject = plan.subject.feed_spec()
    if subject is None or open_questions < ENOUGH_FOR_A_PROCESS or sys.platform == "win32":
        return Feed(plan.feeding, done)
    spec = FeedSpec(
        exam=plan.exam.name,
        data=plan.data.source,
        selection=plan.selection,
        arms=tuple(arm.text for arm in plan.arms),
        kind=plan.subject.spec.partition("/")[0],
        subject=dict(subject),
        run=str(run),
        shard=None if plan.shard is None else (plan.shard.number, plan.shard.of),
    )
    try:
        return ProcessFeed(spec)
    except (OSError, ValueError):  # no room for the shared memory, or for one more process
        return Feed(plan.feeding, done)


def main() -> None:
    """The process: make items, put bodies into the shared memory, wait for the other side before using a half again."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks; this one ends with it
    memory = mmap.mmap(int(sys.argv[1]), 2 * HALF)
    source, sink = sys.stdin.buffer, sys.stdout.buffer

    def send(message: Message) -> None:
        sink.write(msgspec.json.encode(message) + b"\n")
        sink.flush()

    try:
        spec = msgspec.json.decode(source.readline(), type=FeedSpec)
        for items in _chunks(spec, memory, taken=lambda: bool(source.readline())):
            send(Message(items=items))
        send(Message(end=True))
    except SnellenError as error:
        send(Message(error=str(error)))
    except BrokenPipeError:
        pass
    except Exception as error:  # if it is in the data, the thread that takes over meets it again
        send(Message(lost=f"the process that reads the data failed ({one_line(said_by(error))})"))


def _chunks(spec: FeedSpec, memory: mmap.mmap, taken: Callable[[], bool]) -> Iterator[tuple[Wired, ...]]:
    """Items in chunks, alternating between the two halves of the memory.

    A half is written again only after `taken` said that the other side has copied what was there.
    """
    number, at, chunk = 0, 0, list[Wired]()
    items, broken = _made_again(spec), None
    while True:
        try:
            item = next(items)
        except StopIteration:
            break
        except Exception as error:  # what was made before it goes first
            broken = error
            break
        wired = _wired(item)
        body = item.prepared.body if item.failure is None else b""
        if len(body) > HALF:
            reason = f"the request is {len(body)} bytes long, more than the {HALF} that are sent"
            wired, body = msgspec.structs.replace(wired, failure=Failure(kind="too-large", reason=reason)), b""
        if len(chunk) == CHUNK or at + len(body) > HALF:
            yield tuple(chunk)
            number, at, chunk = number + 1, 0, []
            if number >= 2 and not taken():
                return
        start = number % 2 * HALF + at
        memory[start : start + len(body)] = body
        chunk.append(msgspec.structs.replace(wired, at=start, size=len(body)))
        at += len(body)
    if chunk:
        yield tuple(chunk)
    if broken is not None:
        raise broken


def _wired(item: Item) -> Wired:
    question, request = item.question, item.prepared
    bare = Wired(id=question.id, exam=question.exam, prompt=question.prompt, shots=question.shots)
    if item.failure is not None:
        return msgspec.structs.replace(bare, failure=item.failure)
    return msgspec.structs.replace(bare, key=request.key, images=request.images, cost_bound=request.cost_bound)


def _made_again(spec: FeedSpec) -> Iterator[Item]:
    from snellen import exams, subjects
    from snellen.engine.runs.folder import RunFolder

    exam = exams.load(spec.exam)
    data = part_of(exam.open(Path(spec.data), spec.selection), None if spec.shard is None else Shard(*spec.shard))
    kind, _name = subjects.find(f"{spec.kind}/")
    scan = RunFolder(Path(spec.run)).scan()
    return feed(
        Feeding(exam, data, kind.again(spec.subject), tuple(map(Arm.parse, spec.arms)), spec.selection.seed),
        scan.last.answered,
    )


if __name__ == "__main__":
    main()
