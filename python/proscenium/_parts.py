"""Rides, ensembles, cities and studies on many machines.

What is ordered falls into parts that know nothing of each other; a part is a function of its
order and its number, and comes to bytes. Ensembles have rounds of parts: stretches of their data, and
then the transitions between moments of it.
"""

from __future__ import annotations

import dataclasses as _dataclasses
import hashlib as _hashlib
import io as _io
import json as _json
import os as _os
import shutil as _shutil
import subprocess as _subprocess
import tempfile as _tempfile
import zipfile as _zipfile
from collections.abc import Iterable as _Iterable
from pathlib import Path as _Path
from typing import Any as _Any

from . import _cluster, _engine
from ._errors import ProsceniumError

_PathLike = str | _os.PathLike[str]


def _key(*parts: _Any) -> str:
    """A number that tells orders apart."""
    return _hashlib.sha256(_json.dumps([_engine.__version__, *parts]).encode()).hexdigest()


@_dataclasses.dataclass(frozen=True)
class Rides:
    """Rides to compile: each by its name, or by the text of its model."""

    models: tuple[str, ...]
    seed: int
    quick: bool

    def key(self) -> str:
        """A number that tells orders apart."""
        return _key("rides", *_dataclasses.astuple(self))

    def work(self, number: int) -> bytes:
        """A ride, compiled: its file."""
        with _tempfile.TemporaryDirectory() as folder:
            model, made = _Path(self.models[number]), _Path(folder) / "ride.cull"
            if "\n" in self.models[number]:
                model = _Path(folder) / "model.toml"
                model.write_text(self.models[number], encoding="utf-8")
            _engine.Ride.compile(model, seed=self.seed, quick=self.quick).save(made)
            return made.read_bytes()


@_dataclasses.dataclass(frozen=True)
class Builds:
    """Parts of the rounds that builds of ensembles are at."""

    rounds: tuple[bytes, ...]
    #: The round of each part, and its number there.
    parts: tuple[tuple[int, int], ...]
    #: What the parts of each round read, and what tells that apart.
    shared: tuple[_Any, ...] = _dataclasses.field(repr=False)
    digests: tuple[str, ...]

    def key(self) -> str:
        """A number that tells orders apart."""
        return _key("builds", [_hashlib.sha256(one).hexdigest() for one in self.rounds], self.parts, self.digests)

    def work(self, number: int) -> bytes:
        """A part of a round."""
        which, part = self.parts[number]
        return _engine.BuildRound(self.rounds[which]).part(part, _cluster.fetch(self.shared[which]))


@_dataclasses.dataclass(frozen=True)
class Cities:
    """Cities to learn from: maps, each in a file of its own kind."""

    endings: tuple[str, ...]
    shared: tuple[_Any, ...] = _dataclasses.field(repr=False)
    digests: tuple[str, ...]
    minutes: float
    roads: int
    seed: int

    def key(self) -> str:
        """A number that tells orders apart."""
        return _key("cities", self.endings, self.digests, self.minutes, self.roads, self.seed)

    def work(self, number: int) -> bytes:
        """What is learned of a city: runs of it, one after the other."""
        with _tempfile.TemporaryDirectory() as folder:
            path = _Path(folder) / f"map{self.endings[number]}"
            path.write_bytes(_cluster.fetch(self.shared[number])["map"])
            city = _engine.City.load(path, cars=1)
            return city.learn(minutes=self.minutes, roads=self.roads, seed=self.seed)


@_dataclasses.dataclass(frozen=True)
class Studies:
    """Experiments of the lab, each by its name."""

    names: tuple[str, ...]
    program: str
    seed: int
    quick: bool

    def key(self) -> str:
        """A number that tells orders apart."""
        return _key("studies", self.names, self.seed, self.quick)

    def work(self, number: int) -> bytes:
        """A study: the files that it wrote, in one."""
        program = _shutil.which(self.program)
        if program is None:
            raise ProsceniumError(
                f"the lab's program `{self.program}` is not on this machine",
                "build it (cargo build --release -p proscenium-lab), and install target/release/lab under this name on all machines",
            )
        with _tempfile.TemporaryDirectory() as folder:
            order = [program, "run", self.names[number], "--seed", str(self.seed), "--out", folder]
            done = _subprocess.run(order + ["--quick"] * self.quick, capture_output=True, text=True)
            if done.returncode != 0:
                said = done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"]
                helps = [line.removeprefix("  help: ") for line in said if line.startswith("  help: ")]
                remedy = helps[0] if helps else f"see what it says: {self.program} run {self.names[number]}"
                raise ProsceniumError(f"the study {self.names[number]} has failed: {said[0]}", remedy)
            return _packed(_Path(folder))


def _packed(folder: _Path) -> bytes:
    """The files of a folder; the same files are the same bytes."""
    packed = _io.BytesIO()
    with _zipfile.ZipFile(packed, "w", _zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            archive.writestr(_zipfile.ZipInfo(path.relative_to(folder).as_posix()), path.read_bytes())
    return packed.getvalue()


def compile_rides(
    models: _Iterable[_PathLike],
    *,
    cluster: str = "local",
    seed: int = 1,
    quick: bool = False,
    folder: _PathLike | None = None,
) -> list[_engine.Ride]:
    """Compiles rides on many machines: names of those that come with the engine, or model files.

    Each has the same bytes as :meth:`Ride.compile` gives, and is kept in the folder as soon as its turn
    comes.
    """
    texts = []
    for model in models:
        path = _Path(model)
        texts.append(path.read_text(encoding="utf-8") if path.suffix == ".toml" else str(model))
    hands = _cluster._hands(cluster)
    try:
        made = _all(hands, Rides(tuple(texts), seed, quick), len(texts), folder)
    finally:
        hands.close()
    with _tempfile.TemporaryDirectory() as place:
        rides = []
        for content in made:
            file = _Path(place) / "ride.cull"
            file.write_bytes(content)
            rides.append(_engine.Ride.load(file))
        return rides


def build_ensembles(
    names: _Iterable[str],
    *,
    cluster: str = "local",
    seconds: float = 20.0,
    seed: int = 1,
    folder: _PathLike | None = None,
) -> list[_engine.Ensemble]:
    """Builds ensembles on many machines, each as :meth:`Ensemble.build` builds it.

    Their parts are spread: stretches of the data, and then the transitions, of all of them at once. What is
    done is kept in the folder, from which the same call goes on.
    """
    known = tuple(names)
    with _tempfile.TemporaryDirectory() as place:
        root = _Path(place if folder is None else folder)
        stores = [root / f"{number:02}-{name}" for number, name in enumerate(known)]
        if folder is not None:
            _cluster.Kept(root, _Named(_key("ensembles", known, seconds, seed)))
        for store in stores:
            store.mkdir(parents=True, exist_ok=True)
        hands = _cluster._hands(cluster)
        try:
            while _one_round(hands, known, stores, seconds, seed, root):
                pass
        finally:
            hands.close()
        return [_engine.Ensemble.gather(store, seed=seed) for store in stores]


@_dataclasses.dataclass(frozen=True)
class _Named:
    """An order that is only known by its number."""

    number: str

    def key(self) -> str:
        """A number that tells orders apart."""
        return self.number


def _one_round(hands: _Any, names: tuple[str, ...], stores: list[_Path], seconds: float, seed: int, root: _Path) -> bool:
    """Does the next round of every build that has one; whether there was any."""
    rounds, shared, digests, parts, whose = [], [], [], [], []
    for name, store in zip(names, stores):
        found = _engine.Ensemble.round(name, store, seconds=seconds, seed=seed)
        if found is None:
            continue
        files = {need: (store / need).read_bytes() for need in found.needs}
        parts.extend((len(rounds), part) for part in range(found.parts))
        digests.append(_hashlib.sha256(b"".join(files[need] for need in found.needs)).hexdigest())
        shared.append(hands.share(files))
        rounds.append(found)
        whose.append(store)
    if not rounds:
        return False
    order = Builds(tuple(one.to_bytes() for one in rounds), tuple(parts), tuple(shared), tuple(digests))
    place = root / "rounds" / order.key()[:16]
    made: list[list[tuple[int, bytes]]] = [[] for _ in rounds]
    for (which, part), content in zip(parts, _all(hands, order, len(parts), place)):
        made[which].append((part, content))
    for found, store, own in zip(rounds, whose, made):
        found.take(store, own)
    # It is in the stores.
    _shutil.rmtree(place)
    return True


def learn_cities(
    maps: _Iterable[_PathLike],
    *,
    cluster: str = "local",
    minutes: float = 20.0,
    roads: int = 600,
    seed: int = 1,
    folder: _PathLike | None = None,
) -> list[bytes]:
    """Learns on many machines how cars get on in cities: of each map what :meth:`City.learn` learns.

    The runs of a city follow from each other, so that one worker does all of a city.
    """
    paths = [_Path(one) for one in maps]
    contents = [path.read_bytes() for path in paths]
    hands = _cluster._hands(cluster)
    try:
        shared = tuple(hands.share({"map": content}) for content in contents)
        digests = tuple(_hashlib.sha256(content).hexdigest() for content in contents)
        endings = tuple("".join(path.suffixes) for path in paths)
        return _all(hands, Cities(endings, shared, digests, minutes, roads, seed), len(paths), folder)
    finally:
        hands.close()


def run_studies(
    names: _Iterable[str],
    *,
    output: _PathLike,
    cluster: str = "local",
    program: str = "proscenium-lab",
    seed: int = 1,
    quick: bool = False,
) -> list[_Path]:
    """Runs experiments of the lab on many machines, each as ``lab run`` does; the files that they wrote.

    The lab's program must be on every machine. Experiments that measure time measure that of their worker.
    """
    known, folder = tuple(names), _Path(output)
    hands = _cluster._hands(cluster)
    try:
        made = _all(hands, Studies(known, program, seed, quick), len(known), folder / "parts")
    finally:
        hands.close()
    written = []
    for content in made:
        with _zipfile.ZipFile(_io.BytesIO(content)) as archive:
            for name in archive.namelist():
                _cluster._write(folder / name, archive.read(name))
                written.append(folder / name)
    return written


def _all(hands: _Any, order: _Any, count: int, folder: _PathLike | None) -> list[bytes]:
    """What all parts of an order came to."""
    kept = _cluster.Kept(_Path(folder), order) if folder is not None else None
    return [content for _, content in _cluster._in_order(hands, order, kept, count)]
