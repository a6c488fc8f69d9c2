"""Directed runs: what is wanted is what is seen, to the byte as the command has it."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
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


def top(poses):
    """Which of the six axes of the body points up at the end, in the body's own terms."""
    x, y, z, w = poses[-1, 3:].astype(float)
    rows = np.array([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)])
    axis = int(np.argmax(np.abs(rows)))
    return axis, int(np.sign(rows[axis]))


def test_what_is_wanted_is_what_is_seen():
    run = pr.direct(pr.Scene.from_toml(DIE), "die shows 6", samples=6, seed=2)
    assert run.ending == "enough" and len(run) == 6 and run.found >= 6
    # The same side is up in all of them, judged from the poses alone.
    assert len({top(sample.poses("die")) for sample in run.samples}) == 1
    assert all(sample.wants_met == [True] for sample in run.samples)
    assert run[-1].index == run.samples[-1].index
    with pytest.raises(IndexError):
        run[6]


def test_other_faces_are_other_sides():
    scene = pr.Scene.from_toml(DIE)
    sides = {top(pr.direct(scene, f"die shows {face}", samples=1)[0].poses("die")) for face in range(1, 7)}
    assert len(sides) == 6


def test_a_run_is_repeated_by_its_seed():
    scene = pr.Scene.from_toml(DIE)
    one, same = (pr.direct(scene, "die shows 3", samples=3, seed=5) for _ in range(2))
    assert [sample.values for sample in one.samples] == [sample.values for sample in same.samples]
    assert one[0].clip().to_glb() == same[0].clip().to_glb()


def test_a_folder_keeps_what_is_found(tmp_path):
    scene = pr.Scene.from_toml(DIE)
    first = pr.direct(scene, "die shows 3", samples=2, folder=tmp_path / "run")
    again = pr.direct(scene, "die shows 3", samples=2, folder=tmp_path / "run")
    assert (tmp_path / "run" / "gallery.sqlite").is_file()
    assert again.simulations == first.simulations
    assert [sample.values for sample in again.samples] == [sample.values for sample in first.samples]


@pytest.mark.skipif("PROSCENIUM_COMMAND" not in os.environ, reason="PROSCENIUM_COMMAND names no command")
def test_files_are_those_of_the_command(tmp_path):
    command = os.environ["PROSCENIUM_COMMAND"]
    (tmp_path / "die.toml").write_text(DIE)
    order = ["--want", "die shows 3", "--samples", "2", "--seed", "4", "--no-pictures", "--quiet"]
    subprocess.run([command, "direct", "die.toml", *order, "-o", "run"], cwd=tmp_path, check=True)
    run = pr.direct(pr.Scene.load(tmp_path / "die.toml"), "die shows 3", samples=2, seed=4)
    for number, sample in enumerate(run.samples, 1):
        assert sample.clip().to_glb() == (tmp_path / "run" / f"{number:02}.glb").read_bytes()
    subprocess.run([command, "simulate", "dice", "--seed", "9", "-o", "dice.glb", "--quiet"], cwd=tmp_path, check=True)
    clip = pr.simulate(pr.Scene.built_in("dice"), seed=9).clip
    assert clip.to_glb() == (tmp_path / "dice.glb").read_bytes()


def test_chains_are_traced():
    run = pr.direct(pr.Scene.from_toml(DIE), "die shows 2", samples=2, method="chain", simulations=3000)
    traces = json.loads(run.traces_json())
    assert traces["posterior"]
    assert run.moves and all(made >= taken for made, taken in run.moves.values())
    assert run.settled in (True, False) and run.settling


def test_a_budget_ends_a_run_that_finds_nothing():
    run = pr.direct(pr.Scene.from_toml(DIE), "die rests near 5 0 5 within 0.01", samples=1, simulations=64)
    assert run.ending == "budget" and len(run) == 0 and run.closest == [False]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"want": "die-7 shows 6"}, "die-7"),
        ({"want": "die shows 6, die shows 1"}, "die"),
        ({"want": "die shows 6", "samples": 0}, "sample"),
        ({"want": "die shows 6", "pick": "best"}, "best"),
        ({"want": "die shows 6", "method": "magic"}, "magic"),
        ({"want": "die shows 6", "moves": "sideways"}, "sideways"),
        ({"want": "die shows 6", "simulations": 1, "seconds": 1.0}, "budget"),
        ({"want": "die shows 6", "seconds": -1.0}, "-1"),
        ({}, "want"),
    ],
)
def test_what_is_wrong_is_told_with_a_remedy(options, word):
    with pytest.raises(pr.ProsceniumError) as caught:
        pr.direct(pr.Scene.from_toml(DIE), **options)
    assert word in str(caught.value)
    assert caught.value.remedy


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_ctrl_c_ends_a_run_and_other_threads_go_on():
    program = """
import signal, threading, time, proscenium as pr
# As in a terminal, also where these tests were started in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)
ticks = []
def tick():
    while True:
        ticks.append(time.monotonic()); time.sleep(0.01)
threading.Thread(target=tick, daemon=True).start()
print("ready", flush=True)
try:
    pr.direct(pr.Scene.built_in("spell=HELLO"), samples=4)
except KeyboardInterrupt:
    print(len(ticks), flush=True)
"""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    child = subprocess.Popen([sys.executable, "-c", program], **pipes, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    printed, errors = child.communicate(timeout=60)
    assert child.returncode == 0, f"{child.returncode}: {printed} {errors}"
    assert int(printed) >= 10, "the lock was held while the engine worked"


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_ctrl_c_ends_every_long_call_within_half_a_second():
    program = """
import os, signal, threading, time, proscenium as pr
signal.signal(signal.SIGINT, signal.default_int_handler)
scene = pr.Scene.built_in("dice")
city = pr.City.generate(roads=60, cars=10)
rare = scene.with_wants("die-1 rests near 9 0 9 within 0.001")
ride = pr.Ride.compile("ship", quick=True)
calls = {
    "direct": lambda: pr.direct(rare, samples=1, method="chain"),
    "simulate": lambda: pr.simulate(pr.Scene.built_in("gas", n=500), duration=1000.0),
    "compile": lambda: pr.Ride.compile("roller-coaster"),
    "play": lambda: ride.play(1e5),
    "build": lambda: pr.Ensemble.build("grass", seconds=60),
    "learn": lambda: city.learn(minutes=600),
    "generate": lambda: pr.City.generate(roads=150_000),
    "function": lambda: pr.direct(rare, lambda simulation: False),
}
for name, call in calls.items():
    waits = []
    # The quickest of three: what is promised is of a machine that has a processor for it.
    for _ in range(3):
        sent = []
        def press():
            sent.append(time.monotonic()); os.kill(os.getpid(), signal.SIGINT)
        timer = threading.Timer(0.3, press)
        timer.start()
        try:
            call()
            print(name, "ended", flush=True)
        except KeyboardInterrupt:
            waits.append(time.monotonic() - sent[0])
        if waits and waits[-1] < 0.5:
            break
    print(name, min(waits, default=99.0), flush=True)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    waits = dict(line.split() for line in done.stdout.splitlines())
    assert len(waits) == 8 and all(float(wait) < 0.5 for wait in waits.values()), waits
