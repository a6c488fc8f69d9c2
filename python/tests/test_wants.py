"""Wants written in Python: drawn as exactly as those of scenes."""

import math

import pytest

import proscenium as pr

DIE = """
format = 1
duration = 2.0
[[body]]
name = "floor"
fixed = true
shape = { half_space = [0, 1, 0] }
[[body]]
name = "die"
shape = { box = [0.02, 0.02, 0.02] }
position = [0, 0.1, 0]
orientation = "uniform"
"""


def test_a_scene_is_directed_by_a_function():
    def far(simulation):
        end = simulation.poses("die")[-1]
        return math.hypot(end[0], end[2]) > 0.01

    scene = pr.Scene.from_toml(DIE)
    run = pr.direct(scene, far, samples=3, seed=4)
    assert run.ending == "enough" and len(run) == 3
    assert all(far(one.simulation) for one in run.samples)
    again = pr.direct(scene, far, samples=3, seed=4)
    assert [one.clip().to_glb() for one in again.samples] == [one.clip().to_glb() for one in run.samples]
    # Each is a plain simulation of the scene.
    assert pr.simulate(scene, seed=run[0].seed).state_hash == run[0].simulation.state_hash
    nothing = pr.direct(scene, lambda simulation: False, samples=1, simulations=20)
    assert (nothing.ending, nothing.simulations, len(nothing)) == ("budget", 20, 0)


def test_a_function_knows_no_options_of_the_sampler():
    with pytest.raises(pr.ProsceniumError) as caught:
        pr.direct(pr.Scene.from_toml(DIE), lambda simulation: True, method="chain")
    assert "method" in str(caught.value)


def test_chains_are_seen_by_arviz():
    pytest.importorskip("arviz")
    run = pr.direct(pr.Scene.from_toml(DIE), "die shows 2", samples=2, method="chain", simulations=3000)
    assert run.to_arviz().posterior.sizes["chain"] >= 2
