"""Wants and worlds that are written in Python: slower than those of scenes, and as exact."""

from __future__ import annotations

import dataclasses as _dataclasses
import os as _os
from collections.abc import Callable as _Callable
from concurrent.futures import ThreadPoolExecutor as _ThreadPoolExecutor
from typing import Any as _Any

from . import _engine
from ._errors import ProsceniumError

#: Simulations of a batch: a run ends at the end of one.
BATCH = 16


@_dataclasses.dataclass(frozen=True)
class Found:
    """An animation that a function wanted."""

    index: int
    seed: int
    #: A simulation, or whatever a world of yours returned.
    simulation: _Any

    def clip(self) -> _engine.Clip:
        """What is seen of it."""
        return self.simulation.clip

    def poses(self, body: str, **times: _Any) -> _Any:
        """As :meth:`Simulation.poses`."""
        return self.simulation.poses(body, **times)

    @property
    def values(self) -> dict[str, float]:
        return self.simulation.values

    def _repr_html_(self) -> str:
        return self.simulation._repr_html_()


@_dataclasses.dataclass(frozen=True)
class Search:
    """What came of directing a scene by a function."""

    samples: list[Found]
    simulations: int
    ending: str

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> Found:
        return self.samples[index]


def seed_of(seed: int, index: int) -> int:
    """The seed of a simulation of a run: mixed, so that runs with neighbouring seeds share none."""
    # SplitMix64, of which every step is a bijection.
    state = (seed * 0x9E3779B97F4A7C15 + index * 0xD1342543DE82EF95 + 0x632BE59BD9B4E019) & (2**64 - 1)
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
    return state ^ (state >> 31)


def outcome_of(world: _Callable[[_Any], _Any], seed: int) -> _Any:
    """What a world of a user comes to: it draws from a stream of numpy that follows from a seed."""
    import numpy

    return world(numpy.random.Generator(numpy.random.Philox(seed)))


def search(
    scene: _engine.Scene | _Callable[[_Any], _Any],
    want: _Callable[[_Any], bool],
    *,
    samples: int = 8,
    seed: int = 1,
    simulations: int | None = None,
) -> Search:
    """Draws simulations of a scene until enough of them are as a function wants.

    Each simulation is a fair draw of the scene, and so those that are kept are a fair draw
    of the ones that the function wants. The function is called for one simulation after
    another, in the order of their numbers, while others are simulated. A world of yours, a
    function of a ``numpy.random.Generator``, is called in that order, too.
    """
    if samples < 1:
        raise ProsceniumError("no samples were ordered", "order one or more")
    found: list[Found] = []
    spent = 0
    is_own = not isinstance(scene, _engine.Scene)
    with _ThreadPoolExecutor(max_workers=_os.cpu_count() or 1) as pool:
        while len(found) < samples and (simulations is None or spent < simulations):
            count = BATCH if simulations is None else min(BATCH, simulations - spent)
            seeds = [seed_of(seed, spent + index) for index in range(count)]
            # Functions of a user are called by the thread that calls.
            pending = [] if is_own else [pool.submit(_engine.simulate, scene, seed=one) for one in seeds]
            try:
                for index, one in enumerate(seeds, spent):
                    simulation = outcome_of(scene, one) if is_own else pending[index - spent].result()
                    if want(simulation):
                        found.append(Found(index, one, simulation))
            except BaseException:
                for future in pending:
                    future.cancel()
                raise
            spent += count
    ending = "enough" if len(found) >= samples else "budget"
    return Search(found[:samples], spent, ending)
