"""The command ``proscenium-cluster``."""

from __future__ import annotations

import argparse as _argparse
import sys as _sys
from pathlib import Path as _Path

from . import _cluster, _engine, _parts
from ._errors import ProsceniumError


def _parser() -> _argparse.ArgumentParser:
    parser = _argparse.ArgumentParser(prog="proscenium-cluster", description="Work on many machines.")
    verbs = parser.add_subparsers(dest="verb", required=True)

    def verb(name: str, text: str) -> _argparse.ArgumentParser:
        made = verbs.add_parser(name, help=text, description=text)
        made.add_argument("--seed", type=int, default=1)
        made.add_argument("--cluster", default="local", help="local, local:4, ray or ray://host:10001")
        made.add_argument("-o", "--output", required=True, help="the folder of the work, from which it goes on")
        return made

    direct = verb("direct", "find animations that end as wanted")
    direct.add_argument("scene", help="a built-in scene, or a scene file")
    direct.add_argument("--want", help="what should happen, in words")
    direct.add_argument("--samples", type=int, default=8)
    direct.add_argument("--method", choices=["rejection", "chain", "tempering", "population"])
    direct.add_argument("--batch", type=int, default=_cluster.BATCH, help="simulations of a batch")
    direct.add_argument("--simulations", type=int, help="how many may be spent")
    rides = verb("rides", "compile rides")
    rides.add_argument("models", nargs="+", help="names of rides, or model files")
    rides.add_argument("--quick", action="store_true", help="learn less, in seconds")
    ensembles = verb("ensembles", "build ensembles")
    ensembles.add_argument("names", nargs="+", help="names of ensembles")
    ensembles.add_argument("--seconds", type=float, default=20.0, help="of each strength of the wind")
    cities = verb("cities", "learn how cars get on in cities")
    cities.add_argument("maps", nargs="+", help="maps, or cities of the command")
    cities.add_argument("--minutes", type=float, default=20.0, help="simulated time of each run")
    cities.add_argument("--roads", type=int, default=600, help="roads of the part that is run at most")
    lab = verb("lab", "run experiments of the lab")
    lab.add_argument("names", nargs="+", help="experiments")
    lab.add_argument("--program", default="proscenium-lab", help="the lab's program, on every machine")
    lab.add_argument("--quick", action="store_true", help="fewer or smaller rows")
    return parser


def _direct(given: _argparse.Namespace, folder: _Path) -> int:
    scene = _engine.Scene.load(given.scene) if given.scene.endswith(".toml") else _engine.Scene.built_in(given.scene)
    run = _cluster.direct(
        scene, given.want, samples=given.samples, seed=given.seed, method=given.method, batch=given.batch,
        simulations=given.simulations, folder=folder / "batches", cluster=given.cluster,
    )  # fmt: skip
    for number, one in enumerate(run.samples, 1):
        one.save(folder / f"{number:02}.glb")
    _cluster._write(folder / "run.json", run.dump().encode())
    print(f"{len(run)} animations in {run.simulations} simulations, {run.batches} batches, {run.took:.1f} s")
    return 0 if run.ending == "enough" else 1


def _others(given: _argparse.Namespace, folder: _Path) -> list[_Path]:
    """The files that came of it."""
    how = {"cluster": given.cluster, "seed": given.seed}
    if given.verb == "rides":
        rides = _parts.compile_rides(given.models, quick=given.quick, folder=folder / "parts", **how)
        made = [folder / f"{ride.name}.cull" for ride in rides]
        for ride, path in zip(rides, made):
            ride.save(path)
    elif given.verb == "ensembles":
        ensembles = _parts.build_ensembles(given.names, seconds=given.seconds, folder=folder / "parts", **how)
        made = [folder / f"{name}.memg" for name in given.names]
        for ensemble, path in zip(ensembles, made):
            ensemble.save(path)
    elif given.verb == "cities":
        learned = _parts.learn_cities(given.maps, minutes=given.minutes, roads=given.roads, folder=folder / "parts", **how)
        made = [folder / f"{_Path(name).stem}.learned" for name in given.maps]
        for content, path in zip(learned, made):
            _cluster._write(path, content)
    else:
        made = _parts.run_studies(given.names, program=given.program, quick=given.quick, output=folder, **how)
    return made


def main(arguments: list[str] | None = None) -> int:
    """``proscenium-cluster VERB … --cluster ray -o FOLDER``."""
    given = _parser().parse_args(arguments)
    folder = _Path(given.output)
    try:
        if given.verb == "direct":
            return _direct(given, folder)
        for path in _others(given, folder):
            print(f"wrote {path}")
        return 0
    except (ProsceniumError, OSError) as error:
        print(f"error: {error}", file=_sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=_sys.stderr)
        return 130
