"""Cities and fairgrounds: what can be seen, at any number of cars and rides."""

import os
import subprocess

import numpy as np
import pytest

import proscenium as pr


def test_only_cars_in_view_are_returned_and_they_obey_time():
    city = pr.City.generate(roads=200, cars=2000, seed=3)
    before = {}
    speeds = []
    for frame, eye in enumerate(city.drive(8.0, fps=30, seed=2)):
        cars = city.advance(frame / 30, [eye])
        assert cars["pose"].shape == (len(cars["id"]), 7)
        ahead = cars["pose"][:, [0, 2]] - np.array(eye.position)
        assert np.all(np.hypot(*ahead.T) < 420)
        for number, place in zip(cars["id"].tolist(), cars["pose"][:, :3]):
            if number in before:
                speeds.append(float(np.linalg.norm(place - before[number])) * 30)
        before = dict(zip(cars["id"].tolist(), cars["pose"][:, :3]))
    assert speeds and max(speeds) < 40, "a car has jumped"
    assert sum(city.counts) == 2000


def test_the_same_seed_gives_the_same_traffic():
    def seen():
        city = pr.City.generate(roads=100, cars=300, seed=5)
        eyes = city.drive(2.0, fps=10, seed=1)
        return [city.advance(frame / 10, [eye])["pose"].tobytes() for frame, eye in enumerate(eyes)]

    assert seen() == seen()


def test_a_city_does_what_is_wished():
    city = pr.City.generate(roads=60, cars=300, seed=3)
    eye = city.drive(1.0, fps=1, seed=2)[0]
    seen = city.advance(0.0, [eye])["id"].tolist()
    held = seen[0]
    city.hold(held)
    for frame in range(1, 41):
        cars = city.advance(frame / 10, [eye])
    place = cars["id"].tolist().index(held)
    assert cars["speed"][place] == 0.0
    assert all(what in ("came into view", "left the view", "stopped", "started", "turned") for what, _ in city.events())
    added = city.add(city.roads - 1)
    city.route(added, 0)
    city.follow(added)
    city.remove(added)
    city.close(0)
    city.close(0, False)
    # A wish in words: cars that nobody sees are chosen for it.
    assert city.want("a van comes round the next corner within 30 s") == 0
    for frame in range(41, 71):
        city.advance(frame / 10, [eye])
    (wish,) = city.wishes
    assert wish["wish"] == "a van comes round the next corner within 30 s"
    assert wish["state"] in ("open", "planned", "seen") and (wish["recruited"] or wish["why"] or wish["state"] == "seen")
    for wrong, word in (
        (lambda: city.want("a car flies"), "flies|word"),
        (lambda: city.hold(4_000_000), "4000000"),
        (lambda: city.close(99_999), "road"),
    ):
        with pytest.raises(pr.ProsceniumError, match=word) as caught:
            wrong()
        assert caught.value.remedy


def test_what_is_learned_of_a_city_is_what_the_command_learns(tmp_path):
    city = pr.City.generate(roads=20, cars=10, seed=3)
    learned = city.learn(minutes=0.1, roads=20, seed=1)
    assert learned == city.learn(minutes=0.1, roads=20, seed=1)
    city.learned(learned)
    assert sum(city.counts) == 10
    with pytest.raises(pr.ProsceniumError):
        city.learned(b"once upon a time")
    if "PROSCENIUM_COMMAND" in os.environ:
        def command(*words):
            subprocess.run([os.environ["PROSCENIUM_COMMAND"], "city", *words, "--quiet"], cwd=tmp_path, check=True)

        command("generate", "--roads", "20", "--seed", "3", "-o", "town.city")
        command("learn", "town.city", "--minutes", "0.1", "--roads", "20", "--seed", "1")
        assert pr.learn_cities([tmp_path / "town.city"], cluster="local:1", minutes=0.1, roads=20) == [
            (tmp_path / "town.learned").read_bytes()
        ]


def test_a_ride_is_played_in_full_view():
    ride = pr.Ride.compile("ship", quick=True)
    played = ride.play(2.0, fps=30, seed=7)
    assert played.shape == (61, 1, len(ride.outputs)) and np.isfinite(played).all()
    np.testing.assert_array_equal(played, ride.play(2.0, fps=30, seed=7))
    assert np.abs(np.diff(played, axis=0)).max() < 1.0, "it moves as a ride does"
    ground = pr.Fairground(seed=7)
    number = ground.add(ride, (0, 0, 0), turn=1.0)
    with pytest.raises(pr.ProsceniumError, match="whistle"):
        ground.signal(number, "whistle")
    for wrong in ({"fps": 0}, {"seconds": -1.0}, {"seconds": float("nan")}, {"seconds": 1e300}):
        with pytest.raises(pr.ProsceniumError) as caught:
            ride.play(**wrong)
        assert caught.value.remedy


def test_a_ride_is_compiled_kept_and_watched(tmp_path):
    ride = pr.Ride.compile("ship", quick=True)
    ride.save(tmp_path / "ship.cull")
    assert pr.Ride.load(tmp_path / "ship.cull").verdict == ride.verdict
    ground = pr.Fairground(seed=7)
    numbers = [ground.add(ride, (8.0 * place, 0, 0)) for place in range(20)]
    assert len(ground) == 20 and len(set(numbers)) == 20
    for frame in range(30):
        seen = ground.advance(frame / 10, (2.0, 1.7, 12.0), (2.0, 1.7, 0.0), far=40.0)
        assert 0 < len(seen) < 20
        assert all(outputs.shape[1] == len(ride.outputs) for outputs in seen.values())
    ground.remove(numbers[0])
    assert len(ground) == 19


@pytest.mark.parametrize(
    ("wrong", "kind", "word"),
    [
        (lambda: pr.City.generate(roads=0), pr.ProsceniumError, "road"),
        (lambda: pr.City.load("no/such.osm"), OSError, "no/such.osm"),
        (lambda: pr.Eye((0, 0), (0, 0)), pr.ProsceniumError, "direction"),
        (lambda: pr.Ride.compile("no/such.toml"), OSError, "no/such.toml"),
        (lambda: pr.City.generate(roads=50, cars=10).drive(-1.0), pr.ProsceniumError, "-1"),
    ],
)
def test_what_is_wrong_is_told(wrong, kind, word):
    with pytest.raises(kind) as caught:
        wrong()
    assert word in str(caught.value)


def test_a_file_that_is_no_map_or_model_is_refused(tmp_path):
    path = tmp_path / "words.toml"
    path.write_text("once upon a time")
    for wrong, word in [(pr.City.load, "OpenStreetMap"), (pr.Ride.compile, "words.toml:1:6"), (pr.Ride.load, "proscenium cull")]:
        with pytest.raises(pr.ProsceniumError) as caught:
            wrong(path)
        assert word in str(caught.value), str(caught.value)
