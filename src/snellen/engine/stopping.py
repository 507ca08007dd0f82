"""Stop a run from outside: by a signal, or from another thread."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator

INTERRUPTED = "interrupted: everything answered so far is kept, the same command goes on"


class StopSwitch:
    """Stops the asking from any thread, even if it is pressed before the asking begins."""

    def __init__(self) -> None:
        self._pressed = False
        self._stop: Callable[[], object] | None = None

    def __call__(self) -> None:
        self._pressed = True
        if self._stop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._stop()

    @property
    def pressed(self) -> bool:
        """True if the switch was pressed."""
        return self._pressed

    def connect(self, stop: Callable[[], object]) -> None:
        """Set the action of the switch. If it was pressed before, act now."""
        self._stop = stop
        if self._pressed:
            stop()


@contextlib.contextmanager
def first_signal(stop: Callable[[], object]) -> Iterator[None]:
    """Call `stop` on the first Ctrl-C, SIGTERM or closed terminal. The second one ends the program at once, as usual."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals come to the main thread alone
        return
    hangup = getattr(signal, "SIGHUP", signal.SIGTERM)
    kinds = {signal.SIGINT, signal.SIGTERM, hangup}
    if signal.getsignal(hangup) is signal.SIG_IGN:  # nohup
        kinds.discard(hangup)
    before = {kind: signal.getsignal(kind) for kind in kinds}

    def first(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for other in kinds - {signal.SIGINT}:
            signal.signal(other, before[other] or signal.SIG_DFL)
        stop()

    for kind in kinds:
        signal.signal(kind, first)
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler or signal.SIG_DFL)
