"""Scenes, simulations and clips: the numbers, the files, and what is refused."""

import json
import math

import numpy as np
import pytest

import proscenium as pr

FALL = """
format = 1
duration = 0.4
[[body]]
name = "ball"
shape = { sphere = 0.1 }
position = [0, 2, 0]
velocity = [1, 0, 0]
spin = [0, 3, 0]
"""


def test_a_ball_falls_as_galileo_says():
    clip = pr.simulate(pr.Scene.from_toml(FALL)).clip
    times = clip.times(100)
    poses = clip.poses("ball", fps=100)
    assert poses.shape == (len(times), 7) and poses.dtype == np.float32
    assert np.allclose(poses[:, 0], times, atol=1e-3)
    assert np.allclose(poses[:, 1], 2 - 0.5 * 9.81 * times**2, atol=2e-3)
    half = 0.5 * 3 * times
    assert np.allclose(np.abs(poses[:, 3:] @ np.array([0, 1, 0, 0])), np.abs(np.sin(half)), atol=1e-2)


def test_poses_are_asked_for_at_any_times():
    simulation = pr.simulate(pr.Scene.from_toml(FALL))
    assert simulation.poses("ball", times=[0.1, 0.3]).shape == (2, 7)
    assert simulation.poses("ball", times=np.linspace(0, 0.4, 5)).shape == (5, 7)
    keys = simulation.clip.keys("ball")
    assert keys.shape[1] == 8 and np.all(np.diff(keys[:, 0]) > 0)


def test_the_same_seed_gives_the_same_bytes_and_another_gives_others():
    scene = pr.Scene.built_in("dice")
    one, same, other = (pr.simulate(scene, seed=seed) for seed in (7, 7, 8))
    assert one.state_hash == same.state_hash != other.state_hash
    assert one.clip.to_glb() == same.clip.to_glb()
    assert one.values == same.values


def test_contacts_are_a_table():
    table = pr.simulate(pr.Scene.built_in("cradle")).contacts
    count = len(table["time"])
    assert count > 0 and table["point"].shape == (count, 3) and len(table["a"]) == count
    assert np.all(np.diff(table["time"]) >= 0) and np.all(table["impulse"] >= 0)


def test_every_scene_that_comes_with_the_engine_reads_as_the_same_file():
    for name in pr.Scene.names():
        text = pr.Scene.built_in(name).to_toml()
        assert pr.Scene.from_toml(text).to_toml() == text, name


def test_files_are_what_their_names_say(tmp_path):
    clip = pr.simulate(pr.Scene.from_toml(FALL)).clip
    for ending, start in [("glb", b"glTF"), ("png", b"\x89PNG"), ("json", b'{"format":1')]:
        clip.save(tmp_path / f"fall.{ending}")
        assert (tmp_path / f"fall.{ending}").read_bytes().startswith(start)
    assert clip.film(fps=5, width=64, height=36).startswith(b"GIF89a")
    assert json.loads(clip.to_json())["nodes"][0]["name"] == "ball"


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (lambda: pr.Scene.built_in("nothing"), "nothing"),
        (lambda: pr.Scene.built_in("dice", sides=7.0), "sides"),
        (lambda: pr.Scene.load("no/such/file.toml"), "no/such/file.toml"),
        (lambda: pr.Scene.from_toml("format = 1\n[[body]]\nname = 3"), "name"),
        (lambda: pr.Scene.from_toml(FALL.replace("0.1 }", "-0.1 }")), "-0.1"),
        (lambda: pr.simulate(pr.Scene.from_toml(FALL), duration=-1.0), "duration"),
        (lambda: pr.simulate(pr.Scene.from_toml(FALL), duration=math.nan), "duration"),
        (lambda: pr.simulate(pr.Scene.from_toml(FALL)).poses("bell"), "bell"),
        (lambda: pr.simulate(pr.Scene.from_toml(FALL)).poses("ball", fps=0), "fps"),
        (lambda: pr.simulate(pr.Scene.from_toml(FALL)).poses("ball", times=[math.nan]), "time"),
        (lambda: pr.simulate(pr.Scene.from_toml(FALL)).clip.picture(at=9.0), "9"),
        (lambda: pr.simulate(pr.Scene.from_toml(FALL)).clip.save("fall.mov"), "fall.mov"),
    ],
)
def test_what_is_wrong_is_told_with_a_remedy(wrong, word):
    with pytest.raises(pr.ProsceniumError) as caught:
        wrong()
    assert word in str(caught.value)
    assert caught.value.remedy


def test_a_clip_shows_itself_in_a_notebook():
    page = pr.simulate(pr.Scene.from_toml(FALL.replace("ball", "b</script>l")))._repr_html_()
    assert page.startswith("<iframe") and "sandbox" in page
    assert "b&lt;\\/script&gt;l" in page
