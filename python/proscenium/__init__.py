"""Plausible animated worlds: simulate them, and say what should happen.

>>> import proscenium as pr
>>> scene = pr.Scene.built_in("dice")
>>> run = pr.direct(scene, want="die-1 shows 6, die-2 shows 6", samples=2, seed=1)
>>> run[0].poses("die-1").shape[1]
7

Metres, seconds, kilograms, radians; y is up. The same scene and seed give the same
animation, to the byte, as the command ``proscenium`` does.
"""

from __future__ import annotations

import os as _os
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, overload as _overload

from . import _cluster, lod
from ._cluster import ClusterRun
from ._engine import (
    BuildRound,
    City,
    Clip,
    Ensemble,
    Eye,
    Fairground,
    Ride,
    Run,
    Sample,
    Scene,
    Simulation,
    Walk,
    __version__,
    simulate,
)
from ._engine import direct as _direct
from ._errors import ProsceniumError
from ._parts import build_ensembles, compile_rides, learn_cities, run_studies
from ._runs import to_arviz as _to_arviz, wall as _wall
from ._worlds import Found, Search, search as _search

Run.to_arviz = _to_arviz
Run._repr_html_ = _wall


@_overload
def direct(
    scene: Scene,
    want: str | None = None,
    *,
    samples: int = 8,
    seed: int = 1,
    pick: _Literal["likely", "different"] = "different",
    method: _Literal["rejection", "chain", "tempering", "population"] | None = None,
    moves: _Literal["suited", "paper", "paper-as-printed"] = "suited",
    simulations: int | None = None,
    seconds: float | None = None,
    folder: str | _os.PathLike[str] | None = None,
) -> Run: ...
@_overload
def direct(
    scene: Scene | _Callable[[_Any], _Any],
    want: _Callable[[_Any], bool],
    *,
    samples: int = 8,
    seed: int = 1,
    simulations: int | None = None,
) -> Search: ...
@_overload
def direct(
    scene: Scene,
    want: str | None = None,
    *,
    cluster: str,
    samples: int = 8,
    seed: int = 1,
    method: _Literal["rejection", "chain", "tempering", "population"] | None = None,
    batch: int = 1000,
    simulations: int | None = None,
    folder: str | _os.PathLike[str] | None = None,
) -> ClusterRun: ...
def direct(scene, want=None, *, cluster=None, **options):
    """Finds animations of a scene that end as wanted.

    ``want`` says it in words, or is a function that is given a :class:`Simulation` and returns
    whether that is what is wanted: then simulations are drawn until enough of them are, and
    only ``samples``, ``seed`` and ``simulations`` can be given. In place of a scene there may be a
    world of yours: a function that draws from a ``numpy.random.Generator`` and returns what
    the want is given.

    With ``cluster`` ("local", "local:4", "ray", "ray://host:10001") the run is one of batches,
    on all processes of a machine or many machines, and what it finds does not depend on
    their number. Otherwise the options are those of :func:`proscenium._engine.direct`:
    ``samples``, ``seed``, ``pick``, ``method``, ``moves``, ``simulations``, ``seconds`` and
    ``folder``.
    """
    by_function = isinstance(want, _Callable)
    if not isinstance(scene, Scene) and not (isinstance(scene, _Callable) and by_function):
        raise ProsceniumError("this is no scene", "give a Scene, or a function as the world and another as the want")
    known = {"samples", "seed", "simulations"}
    if cluster is not None:
        known |= {"method", "batch", "folder"}
    if by_function and cluster is not None:
        raise ProsceniumError("a cluster knows no functions as wants", "say it in words, or leave `cluster` out")
    if by_function or cluster is not None:
        unknown = sorted(set(options) - known)
        if unknown:
            which = "a want that is a function" if by_function else "a run on a cluster"
            raise ProsceniumError(f"{which} knows no `{unknown[0]}`", f"leave it out; there are {', '.join(sorted(known))}")
    if cluster is not None:
        return _cluster.direct(scene, want, cluster=cluster, **options)
    if by_function:
        return _search(scene, want, **options)
    return _direct(scene, want, **options)


__all__ = [
    "BuildRound",
    "City",
    "Clip",
    "ClusterRun",
    "Ensemble",
    "Eye",
    "Fairground",
    "Found",
    "ProsceniumError",
    "Ride",
    "Run",
    "Sample",
    "Scene",
    "Search",
    "Simulation",
    "Walk",
    "__version__",
    "build_ensembles",
    "compile_rides",
    "direct",
    "learn_cities",
    "lod",
    "run_studies",
    "simulate",
]
