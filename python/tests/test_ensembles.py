"""Ensembles and collisions within a budget: numbers against what must hold of them."""

import pickle

import numpy as np
import pytest

import proscenium as pr
from proscenium import lod


@pytest.fixture(scope="module")
def banner(tmp_path_factory):
    # What is built is kept, and read by a second call.
    folder = tmp_path_factory.mktemp("banner")
    built = pr.Ensemble.build("banner", flags=1, seconds=6.0, seed=1, folder=folder)
    again = pr.Ensemble.build("banner", flags=1, seconds=6.0, seed=1, folder=folder)
    assert again.transitions == built.transitions
    return built


def test_a_walk_goes_on_and_is_the_same_for_the_same_seed(banner, tmp_path):
    banner.save(tmp_path / "banner.memg")
    kept = pr.Ensemble.load(tmp_path / "banner.memg")
    here, there = banner.walk(seed=3), kept.walk(seed=3)
    before = None
    for frame in range(40):
        vertices = here.vertices(frame / 20)
        assert vertices.dtype == np.float32 and vertices.shape == (banner.triangles.max() + 1, 3)
        np.testing.assert_array_equal(vertices, there.vertices(frame / 20))
        if before is not None:
            assert np.abs(vertices - before).max() < 0.5, "a vertex has jumped"
        before = vertices
    assert here.level in banner.levels and here.want(banner.levels[-1]) >= 0
    with pytest.raises(pr.ProsceniumError) as caught:
        here.want("storm of the century")
    assert caught.value.remedy


def test_a_build_that_is_done_in_parts_is_the_same(banner, tmp_path):
    banner.save(tmp_path / "whole.memg")
    rounds = 0
    (tmp_path / "apart").mkdir()
    while (found := pr.Ensemble.round("banner", tmp_path / "apart", seconds=6.0, seed=1, flags=1)) is not None:
        rounds += 1
        files = {need: (tmp_path / "apart" / need).read_bytes() for need in found.needs}
        again = pickle.loads(pickle.dumps(found))
        # Backwards: the order in which parts come is of no matter.
        made = [(part, again.part(part, files)) for part in reversed(range(found.parts))]
        found.take(tmp_path / "apart", made[: len(made) // 2 + 1])
        found.take(tmp_path / "apart", made)
    assert rounds >= 3
    pr.Ensemble.gather(tmp_path / "apart").save(tmp_path / "gathered.memg")
    assert (tmp_path / "gathered.memg").read_bytes() == (tmp_path / "whole.memg").read_bytes()
    with pytest.raises(pr.ProsceniumError) as caught:
        pr.BuildRound(b"once upon a time")
    assert caught.value.remedy


def test_bodies_in_flight_fall_as_bodies_do():
    world = lod.World(seed=1)
    jack = lod.Solid.built_in("jack", depth=2)
    world.add(jack, (0, 0, 0), velocity=(1, 2, 0))
    for frame in range(1, 61):
        world.advance(frame / 60)
    place = world.poses()[0, :3]
    # Steps of 1/60 s, velocity first: half a step's fall more than the parabola.
    np.testing.assert_allclose(place, [1, 2 - 0.5 * 9.81 * (1 + 1 / 60), 0], atol=1e-6)
    np.testing.assert_allclose(world.velocities()[0, :3], [1, 2 - 9.81, 0], atol=1e-9)


def test_a_budget_is_never_passed_and_nobody_leaves_the_box():
    def run():
        world = lod.World(seed=5)
        knot = lod.Solid.built_in("knot", depth=3)
        world.add_box((0.6, 0.6, 0.6))
        for number in range(8):
            at = [0.3 * (number & 1) - 0.15, 0.3 * (number >> 1 & 1) - 0.15, 0.3 * (number >> 2) - 0.15]
            world.add(knot, at, velocity=(1, -1, 0.5), spin=(0, 3, 0))
        for frame in range(1, 61):
            assert world.advance(frame / 60, tests=3000, eye=(0, 0, 3))["spent"] <= 3000
        return world.poses()

    poses = run()
    assert len(poses) == 8 and np.abs(poses[:, :3]).max() < 0.62
    np.testing.assert_array_equal(poses, run())


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (lambda: pr.Ensemble.build("tulip"), "tulip"),
        (lambda: pr.Ensemble.build("banner", seconds=-1), "-1"),
        (lambda: lod.Solid.built_in("anvil"), "anvil"),
        (lambda: lod.World(schedule="whim"), "whim"),
        (lambda: lod.World().add_wall((0, 0, 0)), "normal"),
        (lambda: lod.World().advance(float("nan")), "time"),
        (lambda: lod.World().add(lod.Solid.built_in("jack", depth=2), (0, 0, float("nan"))), "body"),
    ],
)
def test_what_is_wrong_is_told(wrong, word):
    with pytest.raises(pr.ProsceniumError) as caught:
        wrong()
    assert word in str(caught.value)


def test_a_mesh_of_a_user_is_read_and_what_is_none_refused(tmp_path):
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [(1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6)]
    text = "".join("v {} {} {}\n".format(*c) for c in corners) + "".join("f {} {} {} {}\n".format(*f) for f in faces)
    (tmp_path / "box.obj").write_text(text)
    box = lod.Solid.load(tmp_path / "box.obj", depth=2, size=0.2)
    assert 0.1 < box.radius < 0.25 and box.nodes > 1
    (tmp_path / "words.obj").write_text("once upon a time")
    with pytest.raises(pr.ProsceniumError):
        lod.Solid.load(tmp_path / "words.obj")
    with pytest.raises(OSError):
        lod.Solid.load(tmp_path / "nothing.obj")
