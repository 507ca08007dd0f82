"""A vision-language model on this machine as a subject: any model that `AutoModelForImageTextToText` loads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.subject import Caller, Subject
from snellen.core.text import one_line
from snellen.core.types import Answer, Question
from snellen.subjects.local import source as sources
from snellen.subjects.local import stack as stacks
from snellen.subjects.local.batching import BatchedReply, Batcher
from snellen.subjects.local.chat import ChatPrompt, to_prompt
from snellen.subjects.local.ledger import LocalIdentity, answer_of, failure_of
from snellen.subjects.local.loading import DeviceChoice
from snellen.subjects.local.model import Model, SampleError
from snellen.subjects.local.settings import LocalSettings
from snellen.subjects.local.sizes import WINDOW, BatchSize

START = 4
CAP = {"cpu": 32, "gpu": 128}


class LocalSubject(Subject):
    """A model by hub name or folder. It is loaded with the first question and answers many at once.

    `identity` holds the weights, the device and the precision. Findings while running are under `listed`, which is not
    part of a run's name.
    """

    def __init__(self, name: str, settings: LocalSettings, *, offline: bool = False, called: str | None = None) -> None:
        """Set up the subject. With `offline` it will not be asked: it needs neither torch nor the hub. `called` is its short name."""
        self._settings = settings.checked()
        name = self._pinned(name)
        self.spec = called or f"hf/{name}"
        self._loading = threading.Lock()
        self._model: Model | None = None
        self._starting: Future[Batcher] | None = None
        self._size = self._new_size("cpu")
        self.identity: dict[str, Any] = {"kind": "hf", "model": name, "parameters": self._parameters()}
        self._named = dict(self.identity)
        if offline:
            return
        self._stack = stacks.load_stack()
        self._source = sources.find(name)
        if self._source.folder is not None and called is None:
            self.spec = f"hf/{self._source.name}"  # a run is named after the model, not after its location
        self._choice = self._choose()
        self._size = self._new_size(self._choice.device)
        self.identity = {
            "kind": "hf",
            "model": self._source.name,
            **({"commit": self._source.commit} if self._source.commit else {"sha256": self._source.sha256}),
            "device": self._choice.device.partition(":")[0],
            "dtype": self._choice.dtype,
            "attention": self._choice.attention,
            "parameters": self._parameters(),
        }
        self._named = dict(self.identity)

    def _parameters(self) -> dict[str, Any]:
        made = self._settings
        draw = {"seed": made.seed} if made.temperature > 0 else {}
        code = {"trust_remote_code": made.trust_remote_code} if made.trust_remote_code else {}
        return {"max_tokens": made.max_tokens, "temperature": made.temperature} | draw | code

    def _pinned(self, name: str) -> str:
        """Return the name with the commit whose code was trusted; raise an error if that is another model's."""
        named = self._settings.trust_remote_code
        if named is not None and name not in (named, named.partition("@")[0]):
            raise SnellenError(f"--trust-remote-code {named}: not the repository of --model hf/{one_line(name)}")
        return named or name

    def _choose(self) -> DeviceChoice:
        torch = self._stack.torch
        device = stacks.choose_device(torch, self._settings.device)
        saved = sources.saved_dtype(sources.config_of(self._source))
        dtype = stacks.choose_dtype(self._settings.dtype, device, saved, stacks.has_bfloat16(torch, device))
        return DeviceChoice(device, dtype, self._settings.attention)

    def _new_size(self, device: str) -> BatchSize:
        if self.batch is not None:
            return BatchSize(start=self.batch, cap=self.batch)
        return BatchSize(start=START, cap=CAP["cpu" if device.startswith("cpu") else "gpu"])

    # ------------------------------------------------------------ the contract

    @property
    def parallel(self) -> int:  # type: ignore[override]
        """Several batches' worth, so that questions that fit together can be found."""
        return WINDOW * self._size.now

    @property
    def batch(self) -> int | None:
        """The batch size that the user asked for; None if it is found while running."""
        return None if self._settings.batch == "auto" else self._settings.batch

    def about(self) -> str:
        """Return the chosen settings in a line for people."""
        which = self._source.commit or f"sha256 {self._source.version[:12]}"
        return (
            f"{self._source.name} ({which}) on {stacks.device_name(self._stack.torch, self._choice.device)}, "
            f"{self._choice.dtype}, {self._choice.attention} attention, "
            f"{'batch size found while running' if self.batch is None else f'batches of {self.batch}'}"
        )

    def why_same(self, repeats: int) -> str:
        if self._settings.temperature > 0:
            return ""
        return (
            f"{self.spec} at temperature 0 always takes the likeliest word; --temperature above 0 draws anew each time"
        )

    def prepare(self, question: Question) -> ChatPrompt:
        """Return the conversation and the images' ledger; images are decoded when their batch is made."""
        return to_prompt(question, self._named)

    async def answer(self, question: Question, prepared: ChatPrompt, call: Caller) -> Answer:
        """Answer one question together with others. A model that cannot be loaded stops the run."""
        batcher = await asyncio.wrap_future(self._started())
        try:
            answered = await asyncio.wrap_future(batcher.submit(prepared)[0])
        except Exception as error:
            return failure_of(question, error, self.spec)
        return self._answer(question, prepared, answered)

    async def close(self) -> None:
        """Stop decoding after the present step and release the model."""
        starting, self._starting = self._starting, None
        if starting is not None and starting.done() and starting.exception() is None:
            await asyncio.to_thread(starting.result().close)
            self._note()
        elif starting is not None:
            starting.add_done_callback(_close_at_once)  # loading cannot be stopped, and is not waited for
        if self._model is not None:
            self._model = None
            self._free_memory()

    # ------------------------------------------------------------ for checks

    def load(self) -> Model:
        """Return the model in memory; raise SnellenError if it cannot be loaded."""
        with self._loading:
            if self._model is None:
                folder = sources.fetch(self._source)
                self._model = Model(self._stack, folder, self._source.name, self._choice, self._settings)
                device = stacks.device_name(self._stack.torch, self._choice.device)
                self.identity["listed"] = self._model.facts | {"device": device}
            return self._model

    def answer_all(self, questions: Sequence[Question], batch: int) -> list[Answer]:
        """Answer in batches of a given size, without an event loop; the model stays loaded."""
        batcher = Batcher(self.load(), BatchSize(start=batch, cap=batch), self._free_memory)
        try:
            prompts = [self._prepared(q) for q in questions]
            futures = iter(batcher.submit(*(p for p in prompts if isinstance(p, ChatPrompt))))
            waited = [(p, next(futures)) if isinstance(p, ChatPrompt) else p for p in prompts]
            return [self._waited(*each) for each in zip(questions, waited, strict=True)]
        finally:
            batcher.close()

    def _prepared(self, question: Question) -> ChatPrompt | SampleError:
        try:
            return self.prepare(question)
        except SnellenError as error:
            return SampleError("bad-image", str(error))

    def _waited(self, question: Question, what: tuple[ChatPrompt, Future[BatchedReply]] | SampleError) -> Answer:
        try:
            if isinstance(what, SampleError):
                raise what
            return self._answer(question, what[0], what[1].result())
        except Exception as error:
            return failure_of(question, error, self.spec)

    # ------------------------------------------------------------ inside

    def _started(self) -> Future[Batcher]:
        """Return the batcher once the model is loaded, in a thread of its own that an interrupted run does not wait for."""
        if self._starting is None:
            self._starting = Future()
            self._starting.set_running_or_notify_cancel()
            threading.Thread(target=self._start, args=(self._starting,), name="snellen-load", daemon=True).start()
        return self._starting

    def _start(self, starting: Future[Batcher]) -> None:
        try:
            starting.set_result(Batcher(self.load(), self._size, self._free_memory))
        except BaseException as error:
            starting.set_exception(error)

    def _free_memory(self) -> None:
        stacks.free_memory(self._stack.torch, self._choice.device)

    def _note(self) -> None:
        """Write batch sizes into the record."""
        listed = self.identity.setdefault("listed", {})
        listed["batch"] = self._size.now
        if self._size.shrunk_at:
            listed["out_of_memory_at"] = list(self._size.shrunk_at)

    def _answer(self, question: Question, prompt: ChatPrompt, answered: BatchedReply) -> Answer:
        stack = f"torch {self._stack.torch.__version__}, {self._choice.dtype}, batch of {answered.reply.batch}"
        ran = LocalIdentity("hf", self._choice.device, self._source.name, self._source.version, stack)
        return answer_of(question, prompt, answered.reply, ran, answered.failed)


def _close_at_once(starting: Future[Batcher]) -> None:
    if starting.exception() is None:
        starting.result().close()
