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


def test_a_world_may_be_a_function():
    def walk(random):
        return random.normal(size=20).cumsum()

    run = pr.direct(walk, lambda steps: steps[-1] > 5, samples=20, seed=3)
    assert run.ending == "enough" and all(one.simulation[-1] > 5 for one in run.samples)
    # A sum of 20 normal numbers is beyond 5 in 13.2 % of all draws: 20 of them take about 152. The
    # bounds are passed in less than one of a thousand runs.
    assert 64 <= run.simulations <= 320
    again = pr.direct(walk, lambda steps: steps[-1] > 5, samples=20, seed=3)
    assert [one.seed for one in again.samples] == [one.seed for one in run.samples]
    assert (again[0].simulation == run[0].simulation).all()
    for wrong in ("dice", walk):
        with pytest.raises(pr.ProsceniumError, match="no scene"):
            pr.direct(wrong, "die-1 shows 6")


def test_a_function_knows_no_options_of_the_sampler():
    with pytest.raises(pr.ProsceniumError) as caught:
        pr.direct(pr.Scene.from_toml(DIE), lambda simulation: True, method="chain")
    assert "method" in str(caught.value)


def test_chains_are_seen_by_arviz():
    pytest.importorskip("arviz")
    run = pr.direct(pr.Scene.from_toml(DIE), "die shows 2", samples=2, method="chain", simulations=3000)
    assert run.to_arviz().posterior.sizes["chain"] >= 2
