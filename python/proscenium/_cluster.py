"""Directed runs on many machines.

A run is a row of batches. A batch is a whole directed run of its own, of a scene, a want and
a seed that follows from the run's seed and the batch's number: it knows nothing of the
others. Batches are taken in the order of their numbers and a run stops by a number, never by
who was first, so that the same order gives the same samples for any number of workers, on
one machine or many, however often it was stopped. What a batch came to is kept in a folder,
from which a run goes on. Other orders of the same kind are in ``_parts``.
"""

from __future__ import annotations

import base64 as _base64
import dataclasses as _dataclasses
import hashlib as _hashlib
import json as _json
import os as _os
import pickle as _pickle
import tempfile as _tempfile
import time as _time
from collections.abc import Iterator as _Iterator
from pathlib import Path as _Path
from typing import Any as _Any

from . import _engine
from ._errors import ProsceniumError
from ._worlds import seed_of as _seed_of

#: Simulations of a batch, if nothing else is said.
BATCH = 1000
#: So many batches are asked for ahead, for each worker.
AHEAD = 2
#: So often a batch is done again whose worker has died.
PATIENCE = 20


@_dataclasses.dataclass(frozen=True)
class Order:
    """What a cluster is asked for; what it comes to follows from this alone."""

    scene: str
    want: str | None
    samples: int
    seed: int
    method: str | None
    batch: int
    simulations: int | None

    def key(self) -> str:
        """A number that tells orders apart."""
        text = _json.dumps([_engine.__version__, *_dataclasses.astuple(self)])
        return _hashlib.sha256(text.encode()).hexdigest()

    def batches(self) -> int | None:
        """How many batches there may be."""
        return None if self.simulations is None else -(-self.simulations // self.batch)

    def work(self, number: int) -> bytes:
        """A batch."""
        return _batch(self, number)


@_dataclasses.dataclass(frozen=True)
class Sample:
    """One animation that ends as wanted."""

    batch: int
    values: dict[str, float]
    log_score: float
    method: str
    glb: bytes = _dataclasses.field(repr=False)

    def save(self, path: str | _os.PathLike[str]) -> None:
        """Writes the animation as binary glTF."""
        _write(_Path(path), self.glb)


@_dataclasses.dataclass(frozen=True)
class ClusterRun:
    """What a run on many machines came to."""

    samples: list[Sample]
    ending: str
    simulations: int
    batches: int
    #: Processor time of batches, and wall time of the run, seconds.
    worked: float = _dataclasses.field(compare=False)
    took: float = _dataclasses.field(compare=False)
    #: Bytes that came back from batches.
    received: int = _dataclasses.field(compare=False)

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> Sample:
        return self.samples[index]

    def dump(self) -> str:
        """All that was found as a text: equal runs have equal texts."""
        rows = [
            [one.batch, one.values, one.log_score, one.method, _hashlib.sha256(one.glb).hexdigest()]
            for one in self.samples
        ]
        return _json.dumps([self.ending, self.simulations, self.batches, rows], sort_keys=True)


def work_on(order: _Any, number: int, version: str) -> bytes:
    """A part of an order, as its worker does it."""
    if version != _engine.__version__:
        raise ProsceniumError(
            f"a worker has proscenium {_engine.__version__}, and the driver {version}",
            "install the same version on all machines",
        )
    return order.work(number)


def work_alone(order: _Any, number: int, version: str) -> bytes:
    """The same on one thread: a worker is one processor, and others have theirs."""
    _os.environ.setdefault("RAYON_NUM_THREADS", "1")
    return work_on(order, number, version)


@_dataclasses.dataclass(frozen=True)
class Shared:
    """What many parts read, in a file."""

    path: str


def fetch(shared: _Any) -> _Any:
    """What was shared with all workers."""
    if isinstance(shared, Shared):
        return _pickle.loads(_Path(shared.path).read_bytes())
    if isinstance(shared, dict):
        return shared
    import ray

    return ray.get(shared)


def _batch(order: Order, number: int) -> bytes:
    """A batch of a directed run: the text of what it came to."""
    start = _time.process_time()
    scene = _engine.Scene.from_toml(order.scene)
    run = _engine.direct(
        scene,
        order.want,
        samples=order.samples,
        seed=_seed_of(order.seed, number),
        pick="likely",
        method=order.method or "rejection",
        simulations=order.batch,
    )
    samples = [
        {
            "values": one.values,
            "log_score": one.log_score,
            "method": one.method,
            "glb": _base64.b64encode(one.clip().to_glb()).decode(),
        }
        for one in run.samples
    ]
    made = {"simulations": run.simulations, "samples": samples, "worked": _time.process_time() - start}
    return _json.dumps(made, sort_keys=True).encode()


def direct(
    scene: _engine.Scene,
    want: str | None = None,
    *,
    samples: int = 8,
    seed: int = 1,
    method: str | None = None,
    batch: int = BATCH,
    simulations: int | None = None,
    folder: str | _os.PathLike[str] | None = None,
    cluster: str = "local",
) -> ClusterRun:
    """Directs a scene on many machines; see :func:`proscenium.direct`."""
    if samples < 1:
        raise ProsceniumError("no samples were ordered", "order one or more")
    if batch < 1:
        raise ProsceniumError(f"a batch cannot have {batch} simulations", "give `batch` 1 or more")
    wanted = scene if want is None else scene.with_wants(want)
    if not wanted.wants:
        raise ProsceniumError("nothing is wanted of the scene", "give `want`, such as \"die-1 shows 6\"")
    order = Order(wanted.to_toml(), None, samples, seed, method, batch, simulations)
    start = _time.monotonic()
    kept = Kept(_Path(folder), order) if folder is not None else None
    found: list[Sample] = []
    spent, count, worked, received = 0, 0, 0.0, 0
    limit = order.batches()
    hands = _hands(cluster)
    try:
        for number, text in _in_order(hands, order, kept, limit):
            made = _json.loads(text)
            count, spent, worked, received = number + 1, spent + made["simulations"], worked + made["worked"], received + len(text)
            for one in made["samples"][: samples - len(found)]:
                glb = _base64.b64decode(one["glb"])
                found.append(Sample(number, one["values"], one["log_score"], one["method"], glb))
            if len(found) >= samples:
                break
    finally:
        hands.close()
    ending = "enough" if len(found) >= samples else "budget"
    return ClusterRun(found, ending, spent, count, worked, _time.monotonic() - start, received)


def _in_order(hands: _Any, order: _Any, kept: Kept | None, limit: int | None) -> _Iterator[tuple[int, bytes]]:
    """Batches by their numbers: those that are kept, and those that workers do meanwhile."""
    waiting: dict[int, _Any] = {}
    number, asked = 0, 0
    try:
        while limit is None or number < limit:
            while len(waiting) < AHEAD * hands.workers and (limit is None or asked < limit):
                text = kept.read(asked) if kept else None
                waiting[asked] = text if text is not None else hands.ask(order, asked)
                asked += 1
            made = waiting.pop(number)
            if not isinstance(made, bytes):
                made = hands.wait(made)
                if kept:
                    kept.write(number, made)
            yield number, made
            number += 1
    finally:
        for made in waiting.values():
            if not isinstance(made, bytes):
                hands.drop(made)


class Kept:
    """What batches came to, in a folder."""

    def __init__(self, folder: _Path, order: _Any) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        mark = folder / "order"
        key = order.key()
        if not mark.exists():
            _write(mark, key.encode())
        elif mark.read_bytes() != key.encode():
            raise ProsceniumError(
                f"`{folder}` holds another run, or one of another version", "give another folder, or remove this one"
            )

    def read(self, number: int) -> bytes | None:
        """A batch, if it is there and whole."""
        try:
            text = self._path(number).read_bytes()
        except FileNotFoundError:
            return None
        check, _, made = text.partition(b"\n")
        return made if check == _hashlib.sha256(made).hexdigest().encode() else None

    def write(self, number: int, made: bytes) -> None:
        """Keeps a batch: all of it, or nothing."""
        _write(self._path(number), _hashlib.sha256(made).hexdigest().encode() + b"\n" + made)

    def _path(self, number: int) -> _Path:
        return self._folder / f"batch-{number:08}"


def _write(path: _Path, content: bytes) -> None:
    temporary = path.with_name(f"{path.name}.{_os.getpid()}.tmp")
    with open(temporary, "wb") as file:
        file.write(content)
        file.flush()
        _os.fsync(file.fileno())
    _os.replace(temporary, path)


def _hands(cluster: str) -> _Any:
    """Who works: processes of this machine, or Ray."""
    if cluster == "local" or cluster.startswith("local:"):
        _, _, count = cluster.partition(":")
        workers = int(count) if count.isdigit() else 0 if count else (_os.cpu_count() or 1)
        if workers < 1:
            raise ProsceniumError(f'"{cluster}" names no number of workers', 'give "local" or "local:4"')
        return Processes(workers)
    if cluster == "ray" or cluster.startswith("ray://"):
        return Ray(cluster)
    raise ProsceniumError(f'there is no cluster "{cluster}"', 'give "local", "local:4", "ray" or "ray://host:10001"')


class Processes:
    """Processes of this machine; one that is killed is replaced, and its batches are done again."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: _Any = None
        self._place: _tempfile.TemporaryDirectory[str] | None = None

    def share(self, content: dict[str, bytes]) -> _Any:
        """Lets all workers read something."""
        if self._place is None:
            self._place = _tempfile.TemporaryDirectory()
        path = _Path(self._place.name) / f"{len(list(_Path(self._place.name).iterdir()))}"
        path.write_bytes(_pickle.dumps(content))
        return Shared(str(path))

    def _submit(self, order: _Any, number: int) -> _Any:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        if self._pool is None:
            # A fork would copy threads in any state.
            self._pool = ProcessPoolExecutor(self.workers, mp_context=get_context("spawn"))
        return self._pool.submit(work_alone, order, number, _engine.__version__)

    def ask(self, order: _Any, number: int) -> _Any:
        """Asks for a batch; what it is waited for by."""
        return [order, number, self._safely(order, number)]

    def _safely(self, order: _Any, number: int) -> _Any:
        from concurrent.futures.process import BrokenProcessPool

        try:
            return self._submit(order, number)
        except BrokenProcessPool:
            self._pool = None
            return self._submit(order, number)

    def wait(self, asked: _Any) -> bytes:
        """What the batch came to."""
        from concurrent.futures import CancelledError
        from concurrent.futures.process import BrokenProcessPool

        order, number, _ = asked
        for _ in range(PATIENCE):
            future = asked[2]
            try:
                return future.result()
            except (BrokenProcessPool, CancelledError):
                # A worker was killed, and took the others with it.
                self._pool = None
                asked[2] = self._safely(order, number)
        raise _hopeless(number)

    def drop(self, asked: _Any) -> None:
        """Nobody waits for a batch any more."""
        asked[2].cancel()

    def close(self) -> None:
        """Ends all processes."""
        if self._place is not None:
            self._place.cleanup()
        if self._pool is None:
            return
        processes = list((getattr(self._pool, "_processes", None) or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()


def _hopeless(number: int) -> ProsceniumError:
    return ProsceniumError(
        f"the workers of part {number} have died {PATIENCE} times", "see whether they have memory enough; make batches smaller"
    )


def _unreached(address: str, error: Exception) -> ProsceniumError:
    return ProsceniumError(
        f"the cluster at {address} cannot be reached: {error}",
        "see that its head node runs, and that its port can be reached from here",
    )


def _knock(address: str) -> None:
    """Whether somebody listens there: Ray itself would try for minutes."""
    import socket
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(address)
        socket.create_connection((parts.hostname or "", parts.port or 10001), timeout=10).close()
    except (OSError, ValueError) as error:
        raise _unreached(address, error) from error


class Ray:
    """Workers of a Ray cluster; what is killed is done again by others."""

    def __init__(self, address: str) -> None:
        try:
            import ray
        except ImportError as error:
            raise ProsceniumError("Ray is not installed", "pip install 'proscenium[ray]'") from error
        self._ray = ray
        if address.startswith("ray://"):
            _knock(address)
        self._began = not ray.is_initialized()
        if self._began:
            given = {} if address == "ray" else {"address": address}
            try:
                ray.init(**given, ignore_reinit_error=True, log_to_driver=False, logging_level="ERROR")
            except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
                raise _unreached(address, error) from error
        self._task = ray.remote(max_retries=PATIENCE, retry_exceptions=False, num_cpus=1)(work_alone)

    def share(self, content: dict[str, bytes]) -> _Any:
        """Puts something where all workers read it: into Ray's store of objects."""
        return self._ray.put(content)

    @property
    def workers(self) -> int:
        """As many as there are processors now: nodes come and go."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def ask(self, order: _Any, number: int) -> _Any:
        """Asks for a batch; what it is waited for by."""
        return [order, number, self._task.remote(order, number, _engine.__version__)]

    def wait(self, asked: _Any) -> bytes:
        """What the batch came to."""
        order, number, reference = asked
        exceptions = self._ray.exceptions
        for _ in range(PATIENCE):
            try:
                return self._ray.get(reference)
            except exceptions.RayTaskError as error:
                raise (error.cause if isinstance(error.cause, ProsceniumError) else error) from error
            except (exceptions.WorkerCrashedError, exceptions.ObjectLostError, exceptions.NodeDiedError):
                # A node went with what it had made.
                reference = asked[2] = self._task.remote(order, number, _engine.__version__)
        raise _hopeless(number)

    def drop(self, asked: _Any) -> None:
        """Nobody waits for a batch any more."""
        self._ray.cancel(asked[2], force=True)

    def close(self) -> None:
        """Leaves the cluster, if it was entered here."""
        if self._began:
            self._ray.shutdown()
