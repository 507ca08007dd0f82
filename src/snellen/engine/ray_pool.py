"""`--on ray`: workers as Ray actors, on every node of a cluster. The only file that imports Ray.

For endpoints there is one actor per node, which all runs of a suite share. For a local model there is one per GPU, or one per node without
GPUs, for the duration of the run. Everything is started when it is first needed, so a run with nothing left to ask starts nothing.

An actor for endpoints only makes HTTP exchanges. The next request, the number in flight, the budget and retries are decided here. An actor
that is lost with a request counts as a network fault after the request went out. The key goes to an actor in a message of its own, never
together with a request: Ray keeps large messages in a store that it may write to disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.metadata
import logging
import os
import secrets
import signal
import socket
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, wait
from typing import Any, NamedTuple

from snellen import __version__
from snellen.core.errors import MissingExtra, SnellenError, said_by
from snellen.core.installing import install_command
from snellen.core.secret import Secret, without_keys
from snellen.core.subject import Connection, Subject
from snellen.core.text import one_line
from snellen.core.types import Struct
from snellen.engine.call.client import Client
from snellen.engine.call.exchange import Fault, Response, time_limit
from snellen.subjects.in_workers import SubjectInWorkers, job_for
from snellen.workers.calls import WorkerFunction, job_of
from snellen.workers.pool import WorkerLost, Workers

HERE, AT = "ray", "ray://"
TESTED = "2.60"
"""The version of Ray that this was tested with. Others may listen elsewhere or ask for no token. The extra pins it, too."""
LOOPBACK = ("127.0.0.1", "::1")
START = 180.0
"""Seconds that a worker may take to start, including the import of torch if it needs that."""
SOON = 30.0
"""Seconds that the first workers wait for the others, because another program may be using a GPU."""
SLACK = 60.0
"""Seconds that a reply may take on its way, beyond the time limit of a try. After that the worker counts as lost."""
CONNECT, LOOK, TRIES = 10.0, 0.5, 3
AT_ONCE = 4096
"""Messages that an actor may process at once. The limiter decides how many there are."""
LONGEST = 24
"""Bytes of the path of the folder for temporary files. Up to 79 are appended, and a socket's path has at most 103 (macOS) or 107."""


# ---------------------------------------------------------------- in an actor


class _Actor:
    """A worker on a node of the cluster."""

    async def begin(self, job: bytes) -> str:
        """Prepare to call the job's function. Return the version of Snellen on the node."""
        self._called = await asyncio.to_thread(WorkerFunction, job)
        return __version__

    async def ask(self, message: bytes) -> bytes:
        """Make the calls of a message."""
        return await self._called.reply(message)


class _Introduction(Struct, frozen=True):
    """A connection, sent to a worker once. The only message that holds a key."""

    url: str
    models_url: str
    headers: dict[str, str]
    key: str
    key_header: tuple[str, str]
    timeout: float


class _Exchange(Struct, frozen=True):
    """A request to send this body or ask for the model list. `of` is the number of an introduced connection."""

    of: int
    body: bytes = b""
    models: bool = False
    introduction: _Introduction | None = None


class _Exchanged(Struct, frozen=True):
    """A response, or the fields of a network fault."""

    response: Response | None = None
    fault: tuple[str, bool, bool] = ("", False, False)


class Exchanging:
    """The work of an actor for endpoints. It has one client for each connection."""

    def __init__(self) -> None:
        self._wires: dict[int, Client] = {}

    async def __call__(self, exchange: _Exchange) -> _Exchanged:
        """Make an exchange."""
        told = exchange.introduction
        if told is not None:
            connection = Connection(told.url, told.models_url, told.headers, Secret(told.key), "", told.key_header)
            self._wires.setdefault(exchange.of, Client(connection, told.timeout))
            return _Exchanged()
        wire = self._wires[exchange.of]
        try:
            response = await (wire.models() if exchange.models else wire.post(exchange.body))
        except Fault as fault:
            return _Exchanged(fault=(str(fault), fault.refused, fault.sent))
        return _Exchanged(response=response)


# ---------------------------------------------------------------- here


class ClusterWire:
    """The connection to one endpoint through the cluster."""

    def __init__(self, workers: Workers[_Exchanged], number: int, timeout: float) -> None:
        self._workers, self._number, self._timeout = workers, number, timeout

    async def post(self, body: bytes) -> Response:
        return await self._sent(_Exchange(of=self._number, body=body))

    async def models(self) -> Response:
        return await self._sent(_Exchange(of=self._number, models=True))

    async def _sent(self, exchange: _Exchange) -> Response:
        try:
            told = await self._workers.ask(exchange, timeout=self._timeout + SLACK)
        except WorkerLost as lost:
            raise Fault(str(lost), sent=True) from None
        if told.response is None:
            raise Fault(*told.fault)
        return told.response

    async def close(self) -> None:
        """Do nothing: workers close unused connections, and end with the pool."""


class Exchangers:
    """The workers that send requests, and the connections that each of them has."""

    def __init__(self, hire: Callable[..., Any]) -> None:
        self._told: list[_Exchange] = []
        self._lock = threading.Lock()
        self.workers: Workers[_Exchanged] = Workers(Exchanging, hire, self._introduce)

    def _introduce(self, _place: str, call: Callable[..., Future[Any]]) -> None:
        for told in self._told:
            call(told).result(SLACK)

    def wire(self, to: Connection, timeout: float | None) -> ClusterWire:
        """Send a connection to all workers."""
        limit = timeout or time_limit(to)
        told = _Introduction(
            url=to.url,
            models_url=to.models_url,
            headers=dict(to.headers),
            key=to.key.reveal(),
            key_header=to.key_header,
            timeout=limit,
        )
        with self._lock:
            first = _Exchange(of=len(self._told), introduction=told)
            self._told.append(first)
        for made in wait(self.workers.everywhere(first), SLACK).done:
            if isinstance(error := made.exception(), SnellenError):  # it cannot make its client
                raise error
        return ClusterWire(self.workers, first.of, limit)


class _WorkerPlace(NamedTuple):
    """A place for a worker: a node of the cluster, or one of the GPUs of a node. `name` is for people and tells places apart."""

    name: str
    node: str
    gpus: int


class _RayWorker:
    """An actor as this process sees it."""

    def __init__(self, place: _WorkerPlace, actor: Any, ray: Any) -> None:
        self.place, self.actor, self._ray = place.name, actor, ray

    def submit(self, message: bytes) -> Future[bytes]:
        """Send a message. The future gets its reply, or WorkerLost."""
        future: Future[bytes] = Future()

        def done(reply: Future[bytes]) -> None:
            error = reply.exception()
            if error is None:
                future.set_result(reply.result())
            else:
                future.set_exception(WorkerLost(f"the worker for {self.place} was lost ({type(error).__name__})"))

        try:
            self.actor.ask.remote(message).future().add_done_callback(done)
        except Exception as error:
            future.set_exception(WorkerLost(f"the worker for {self.place} was lost ({type(error).__name__})"))
        return future

    def close(self) -> None:
        """Kill the actor."""
        with contextlib.suppress(Exception):  # it is gone, or the cluster is
            self._ray.kill(self.actor)


class RayPool:
    """A cluster: one that is already running, or Ray on this machine alone."""

    def __init__(self, on: str) -> None:
        """`on` is the value of `--on`. Nothing is started yet."""
        if on != HERE and not (on.startswith(AT) and on != AT):
            raise SnellenError(f"--on {one_line(on)}: 'ray', or 'ray://HOST:PORT' for a cluster elsewhere")
        try:
            version = importlib.metadata.version("ray")
        except importlib.metadata.PackageNotFoundError:
            raise MissingExtra(f"--on {on}", "ray") from None
        if not version.startswith(f"{TESTED}."):
            raise SnellenError(f"--on {on} needs Ray {TESTED}, and {version} is installed: {install_command('ray')}")
        self._on = on
        self._lock = threading.Lock()
        self._ray: Any = None
        self._exchanging: Exchangers | None = None
        self._folders = contextlib.ExitStack()

    # ------------------------------------------------------------ for runs

    def connect(self) -> None:
        """Connect to the cluster, or start Ray here. This takes seconds.

        Call it from the main thread, before there is an event loop. A Ray that was started here ends with the thread that started it.
        Python 3.11 crashed when Ray forked in another thread beside a running loop.
        """
        with self._lock:
            self._started()

    def open(self) -> None:
        """Connect, and start the workers that send requests."""
        self._exchangers()

    def wire(self, connection: Connection, timeout: float | None) -> ClusterWire:
        """Return the connection to an endpoint, through all nodes."""
        return self._exchangers().wire(connection, timeout)

    @property
    def nodes(self) -> int:
        """The number of workers that send requests."""
        return len(self._exchangers().workers)

    def subject(self, plain: Subject) -> SubjectInWorkers:
        """Return a local model on every GPU of the cluster. `plain` is the same subject, made offline."""
        with self._lock:
            self._started()
            try:
                return SubjectInWorkers(plain, self._hiring(job_for(plain), gpus=True))
            except WorkerLost as error:
                raise SnellenError(f"--on {self._on}: {error} before it could say anything") from None

    def _exchangers(self) -> Exchangers:
        with self._lock:
            if self._exchanging is None:
                self._started()
                self._exchanging = Exchangers(self._hiring(job_of(Exchanging), gpus=False))
            return self._exchanging

    def close(self) -> None:
        """End all workers, and Ray if it was started here."""
        if self._exchanging is not None:
            self._exchanging.workers.close()
        if self._ray is not None:
            self._ray.shutdown()
            self._ray = None
        self._folders.close()

    # ------------------------------------------------------------ the cluster

    def _started(self) -> Any:
        """Return Ray, connected."""
        if self._ray is None:
            named = self._on if self._on != HERE else os.environ.get("RAY_ADDRESS", "")
            _refuse_if_nothing_listens(named, f"--on {self._on}")
            self._ray = _connected(self._on, self._folders)
        return self._ray

    def _places(self, gpus: bool) -> list[_WorkerPlace]:
        """Return every node, or every GPU if there are any. A node without processors on offer is left out."""
        alive = [node for node in self._ray.nodes() if node["Alive"]]
        nodes = [node for node in alive if node["Resources"].get("CPU")] or alive
        named = [(f"{n['NodeManagerAddress']} ({n['NodeID'][:8]})", n["NodeID"], n["Resources"]) for n in nodes]
        every = [
            _WorkerPlace(f"{name} GPU {number + 1}", node, 1)
            for name, node, has in named
            for number in range(int(has.get("GPU", 0)))
        ]
        return every if gpus and every else [_WorkerPlace(name, node, 0) for name, node, _has in named]

    def _hiring(self, job: bytes, gpus: bool) -> Callable[..., list[_RayWorker]]:
        def hire(taken: Collection[str], closed: threading.Event | None) -> list[_RayWorker]:
            places = [place for place in self._places(gpus) if place.name not in taken]
            return self._hired(places, job, closed)

        return hire

    def _hired(self, places: list[_WorkerPlace], job: bytes, closed: threading.Event | None) -> list[_RayWorker]:
        """Start a worker at each place, until `closed` is set. The first time (None), a problem with any of them is an error."""
        ray = self._ray
        near = _module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
        begun: dict[Any, _RayWorker] = {}
        for place in places:
            strategy = near(place.node, soft=False)
            made = ray.remote(_Actor).options(
                num_cpus=0, num_gpus=place.gpus, max_concurrency=AT_ONCE, scheduling_strategy=strategy
            )
            actor = made.remote()
            begun[actor.begin.remote(job)] = _RayWorker(place, actor, ray)
        ready, late, until = [], list(begun), time.monotonic() + START
        while late and time.monotonic() < until and not (closed is not None and closed.is_set()):
            some, late = ray.wait(late, num_returns=len(late), timeout=LOOK)
            ready += some
            if ready:  # the run can begin or go on, and places that are late are tried again later
                until = min(until, time.monotonic() + SOON)
        wrong = {begun[one]: problem for one in ready if (problem := self._problem(one))}
        slow = {begun[one]: f"nothing heard for {START:g} s; are its GPUs in use?" for one in late}
        hired = [worker for worker in begun.values() if worker not in wrong and worker not in slow]
        for worker in wrong | slow:
            worker.close()
        if closed is None and (wrong or (begun and not hired)):
            worker, why = next(iter((wrong | slow).items()))
            for other in hired:
                other.close()
            raise SnellenError(f"--on {self._on}: a worker cannot start at {worker.place}: {why}")
        return hired

    def _problem(self, begun: Any) -> str:
        """Return why a worker cannot be used, or an empty string."""
        try:
            version = self._ray.get(begun)
        except Exception as error:
            if "ModuleNotFoundError" in str(error):
                return f"Snellen is not installed there; install version {__version__}, with the extras that you need"
            return one_line(said_by(error), 200)
        return "" if version == __version__ else f"it has Snellen {version}, and this machine has {__version__}"


def _module(name: str) -> Any:
    """Import a module of Ray. Of its private modules, only functions of the tested version are used."""
    return importlib.import_module(name)


def _connected(on: str, folders: contextlib.ExitStack) -> Any:
    """Return Ray, connected to the cluster, or started on this machine."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no usage statistics are sent
    os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")  # it must not restart by itself once it was ended
    ray = _module("ray")
    warnings.filterwarnings("ignore", module=r"ray\.")  # its usage hints are for developers
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    # Ray shows every user of a cluster the command line of its drivers, and ours may contain a key
    _module("ray._private.utils").get_entrypoint_name = lambda: "snellen"
    _read_token_anew()
    before = signal.getsignal(signal.SIGTERM)
    try:
        if on != HERE:
            _admitted(ray, on, quiet)
        elif address := _cluster_here():
            with _environment({"RAY_ADDRESS": address}):
                ray.init("auto", **quiet)
        else:
            _start_alone(ray, quiet, folders.enter_context(_own_folder()))
    except SnellenError:
        raise
    except Exception as error:
        why = one_line(_last_said(error), 200)
        hint = "; if the cluster asks for a token, set RAY_AUTH_MODE=token" if type(error) is ConnectionError else ""
        raise SnellenError(f"--on {on}: Ray can be neither reached nor started ({why}){hint}") from None
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(
                signal.SIGTERM, before or signal.SIG_DFL
            )  # Ray installs its own handler, and ends with the signal's number
    return ray


def _cluster_here() -> str:
    """Return the address of the cluster to join, which only RAY_ADDRESS names.

    There is no search for one: a program that listens at the recorded address of a cluster, or whose processes are seen here, would get the
    key.
    """
    named = os.environ.get("RAY_ADDRESS", "")
    if named == "auto":
        raise SnellenError(f"--on {HERE}: RAY_ADDRESS=auto names no cluster: write its address, such as 127.0.0.1:6379")
    return "" if named == "local" else named


def _own_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that only this user can enter. All users can enter those that Ray makes."""
    folder = _module("ray._common.utils").get_default_system_temp_dir()
    if os.name == "posix" and len(os.fsencode(folder)) > LONGEST:
        folder = "/tmp"  # noqa: S108  (the folder in it has a name of its own)
    return tempfile.TemporaryDirectory(prefix="r", dir=folder, ignore_cleanup_errors=True)


def _start_alone(ray: Any, quiet: dict[str, Any], folder: str) -> None:
    """Start Ray on this machine: on the loopback address only, with a token of its own, and without the keys of this process."""
    raylet, constants = _module("ray._raylet"), _module("ray._private.ray_constants")
    clusters = constants.ENABLE_RAY_CLUSTER
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    try:
        constants.ENABLE_RAY_CLUSTER = (
            False  # otherwise it takes the machine's external address, whatever address it is given
        )
        with _environment({constants.ENABLE_RAY_CLUSTERS_ENV_VAR: "0", **token}, keys=False):
            _read_token_anew()
            ray.init("local", include_dashboard=False, _node_ip_address=LOOPBACK[0], _temp_dir=f"{folder}/r", **quiet)
    finally:
        constants.ENABLE_RAY_CLUSTER = clusters
    outer = [node["NodeManagerAddress"] for node in ray.nodes() if node["NodeManagerAddress"] not in LOOPBACK]
    if outer or raylet.get_authentication_mode() != raylet.AuthenticationMode.TOKEN:
        ray.shutdown()
        raise SnellenError(f"--on {HERE}: Ray would be open to other machines ({', '.join(outer)}): it was ended")


def _read_token_anew() -> None:
    """Make Ray forget the token and mode of an earlier cluster of this process, because it reads them only once."""
    raylet = _module("ray._raylet")
    raylet.Config.initialize("")
    raylet.AuthenticationTokenLoader.instance().reset_cache()


@contextlib.contextmanager
def _environment(more: dict[str, str], *, keys: bool = True) -> Iterator[None]:
    """Change the environment that Ray's processes inherit while they are started. Without `keys`, keys are left out."""
    before = dict(os.environ)
    kept = before if keys else without_keys(before, tokens=True)
    try:
        for name in before.keys() - kept.keys():
            del os.environ[name]
        os.environ.update(more)
        yield
    finally:
        for name in more.keys() - before.keys():
            os.environ.pop(name, None)
        os.environ.update({name: value for name, value in before.items() if os.environ.get(name) != value})


def _admitted(ray: Any, address: str, quiet: dict[str, Any]) -> None:
    """Connect through the cluster's client server, which starts a process for every client and allows half a minute: too little on a busy
    head.
    """
    for _ in range(TRIES - 1):
        try:
            ray.init(address, **quiet)
            return
        except ConnectionAbortedError:
            time.sleep(LOOK)
    ray.init(address, **quiet)


def _last_said(error: Exception) -> str:
    """Return the last line of an error. Ray's client server sends a whole traceback, whose end says what happened."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[-1].strip()}" if len(lines) > 1 else said_by(error)


def _refuse_if_nothing_listens(address: str, what: str) -> None:
    """Stop at once if nothing listens: Ray itself would try for minutes."""
    host, _, port = address.removeprefix(AT).rpartition(":")
    if host and port.isdecimal():
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT).close()
        except (OSError, OverflowError) as error:
            raise SnellenError(f"{what}: nobody listens at {one_line(address)} ({one_line(said_by(error))})") from None
