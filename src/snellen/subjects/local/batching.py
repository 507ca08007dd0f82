"""Make batches out of single questions: one thread runs the model, another prepares the next batch meanwhile.

No failure loses a question: a batch that does not fit into memory is halved, a batch that fails otherwise is taken
apart, and only a question that fails alone fails.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple
from typing import Protocol as Interface

from snellen.core.types import Attempt
from snellen.subjects.local.chat import ChatPrompt
from snellen.subjects.local.model import EncodedBatch, ModelReply, RenderedText, SampleError
from snellen.subjects.local.sizes import WINDOW, BatchSize, pick
from snellen.subjects.local.stack import is_out_of_memory

LINGER = 0.05  # seconds without a new question after which a batch starts short


class _Engine(Interface):
    """The interface that the batcher needs of a model."""

    def render(self, prompt: ChatPrompt) -> RenderedText: ...

    def encode(self, rows: Sequence[RenderedText]) -> EncodedBatch: ...

    def decode(self, batch: EncodedBatch, closing: threading.Event) -> list[ModelReply | SampleError]: ...


class _Job:
    """A question under way."""

    def __init__(self, prompt: ChatPrompt) -> None:
        self.prompt = prompt
        self.future: Future[BatchedReply] = Future()
        self.rendered: RenderedText | None = None
        self.failed: list[Attempt] = []


class BatchedReply(NamedTuple):
    """A reply, and the tries that ran out of memory."""

    reply: ModelReply
    failed: tuple[Attempt, ...]


class Batcher:
    """A thread that takes prompts one by one and answers them in batches."""

    def __init__(self, engine: _Engine, size: BatchSize, free_memory: Callable[[], None] = lambda: None) -> None:
        self.size = size
        self._engine, self._free_memory = engine, free_memory
        self._waiting: list[_Job] = []
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._ahead = ThreadPoolExecutor(1, thread_name_prefix="snellen-encode")
        self._thread = threading.Thread(target=self._work, name="snellen-model", daemon=True)
        self._thread.start()

    def submit(self, *prompts: ChatPrompt) -> list[Future[BatchedReply]]:
        """Return futures of replies. Their exceptions are SampleErrors, or any exception that the model raised for that question alone."""
        jobs = [_Job(p) for p in prompts]
        with self._changed:
            if self._closing.is_set():
                raise RuntimeError("the batcher is closed")
            self._waiting += jobs
            self._changed.notify_all()
        return [j.future for j in jobs]

    def close(self) -> None:
        """Drop waiting jobs, stop the running batch after its present step, and wait for the threads."""
        with self._changed:
            self._closing.set()
            self._changed.notify_all()
        self._thread.join()
        self._ahead.shutdown(wait=True, cancel_futures=True)

    # ------------------------------------------------------------ the thread

    def _work(self) -> None:
        ahead: _Batch | None = None
        error: Exception = _closed()
        try:
            while not self._closing.is_set():
                batch = ahead or self._next(wait=True)
                ahead = self._next(wait=False)
                if batch is not None:
                    self._answer(batch)
        except Exception as fault:  # no caller may wait for ever, whatever is wrong here
            error = fault
        self._closing.set()
        for job in ahead.jobs if ahead is not None else ():
            job.future.set_exception(error)
        with self._changed:
            for job in self._waiting:
                if job.future.set_running_or_notify_cancel():
                    job.future.set_exception(error)
            self._waiting.clear()

    def _next(self, *, wait: bool) -> _Batch | None:
        """Return the next batch, with its tensors being prepared. Without waiting, take only a full batch of a settled size."""
        with self._changed:
            if wait:
                self._gather()
            elif len(self._waiting) < self.size.now or not self.size.settled:
                return None
            waiting = list(self._waiting)
        ready = [job for job in waiting if self._render(job)]
        shapes = [job.rendered.shape for job in ready if job.rendered is not None]
        chosen = [ready[i] for i in pick(shapes, self.size.now)] if ready else []
        with self._changed:
            gone = set(waiting) - set(ready) | set(chosen)
            self._waiting = [job for job in self._waiting if job not in gone]
        jobs = [job for job in chosen if job.future.set_running_or_notify_cancel()]
        return _Batch(jobs, self._ahead.submit(self._encode, jobs)) if jobs else None

    def _gather(self) -> None:
        """Wait for questions, then a moment for more: until there is a choice, or no more arrive."""
        while not self._waiting and not self._closing.is_set():
            self._changed.wait()
        seen = -1
        while seen < len(self._waiting) < WINDOW * self.size.now and not self._closing.is_set():
            seen = len(self._waiting)
            self._changed.wait(LINGER)

    def _render(self, job: _Job) -> bool:
        """Render a new job's prompt. A job that cannot be rendered ends with its error."""
        if job.rendered is not None:
            return True
        try:
            job.rendered = self._engine.render(job.prompt)
        except Exception as error:
            if job.future.set_running_or_notify_cancel():
                job.future.set_exception(error)
            return False
        return True

    def _encode(self, jobs: Sequence[_Job]) -> EncodedBatch:
        return self._engine.encode([job.rendered for job in jobs if job.rendered is not None])

    def _answer(self, batch: _Batch) -> None:
        """Answer a batch, in parts where necessary."""
        parts: list[tuple[list[_Job], Future[EncodedBatch] | None]] = [(batch.jobs, batch.encoded)]
        while parts:
            jobs, encoded = parts.pop()
            size = self.size.now
            if len(jobs) > size:  # memory ran out since this part was made
                parts += [(jobs[i : i + size], None) for i in reversed(range(0, len(jobs), size))]
                continue
            error = _closed() if self._closing.is_set() else self._try(jobs, encoded)
            if error is None:
                continue
            encoded = None  # free the tensors before asking for memory again
            memory = is_out_of_memory(error)
            if memory:
                self.size.ran_out(len(jobs))
                self._free_memory()
            if len(jobs) == 1 or self._closing.is_set():
                for job in jobs:
                    job.future.set_exception(_no_room() if memory else error)
            else:
                parts += [(jobs, None)] if memory else [([job], None) for job in reversed(jobs)]

    def _try(self, jobs: list[_Job], encoded: Future[EncodedBatch] | None) -> Exception | None:
        """Answer these jobs. Return the error, if any, without its traceback, which would keep the batch's memory alive."""
        begin = time.perf_counter()
        try:
            tensors = encoded.result() if encoded is not None else self._encode(jobs)
            replies = self._engine.decode(tensors, self._closing)
        except Exception as error:
            if is_out_of_memory(error):
                seconds = time.perf_counter() - begin
                for job in jobs:
                    job.failed.append(Attempt(reason=f"out of memory in a batch of {len(jobs)}", seconds=seconds))
            return error.with_traceback(None)
        if self._closing.is_set():
            return _closed()
        good = [r for r in replies if isinstance(r, ModelReply)]
        if good:
            self.size.finished(len(jobs), sum(r.input_tokens + r.output_tokens for r in good), good[0].seconds)
        for job, reply in zip(jobs, replies, strict=True):
            if isinstance(reply, ModelReply):
                job.future.set_result(BatchedReply(reply, tuple(job.failed)))
            else:
                job.future.set_exception(reply)
        return None


class _Batch(NamedTuple):
    jobs: list[_Job]
    encoded: Future[Any]


def _closed() -> SampleError:
    return SampleError("closed", "the run was stopped before this question was answered")


def _no_room() -> SampleError:
    return SampleError(
        "out-of-memory", "this question alone does not fit into memory; try a smaller image or --dtype float16"
    )
