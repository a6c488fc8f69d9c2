"""Runs on many machines: the same for any number of workers, whatever is killed."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
import tracemalloc

import pytest

import proscenium as pr
from proscenium import _cluster, _command

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
ORDER = {"samples": 12, "seed": 5, "batch": 8}


def run(**more):
    return pr.direct(pr.Scene.from_toml(DIE), "die rests near 0 0 0 within 0.03", **{**ORDER, **more})


def inline(monkeypatch, workers=1):
    """Work in this process, in which nothing is started."""

    class Here:
        def __init__(self):
            self.workers = workers

        ask = staticmethod(lambda order, number: (order, number))
        wait = staticmethod(lambda asked: _cluster.work_on(*asked, pr.__version__))
        drop = staticmethod(lambda asked: None)
        close = staticmethod(lambda: None)
        share = staticmethod(lambda content: content)

    monkeypatch.setattr(_cluster, "_hands", lambda cluster: Here())


@pytest.fixture(scope="module")
def expected():
    with pytest.MonkeyPatch.context() as patch:
        inline(patch)
        return run(cluster="local")


@pytest.mark.parametrize("workers", [2, 5])
def test_any_number_of_workers_gives_the_same(expected, workers, monkeypatch):
    inline(monkeypatch, workers)
    found = run(cluster="local")
    assert found.dump() == expected.dump()
    assert [one.glb for one in found.samples] == [one.glb for one in expected.samples]


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_processes_give_the_same(expected, workers):
    found = run(cluster=f"local:{workers}")
    assert found.dump() == expected.dump()
    assert [one.glb for one in found.samples] == [one.glb for one in expected.samples]


def test_a_run_goes_on_from_its_folder(expected, tmp_path, monkeypatch):
    inline(monkeypatch)
    done = []
    real = _cluster.work_on

    def breaking(order, number, version):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(number)
        return real(order, number, version)

    monkeypatch.setattr(_cluster, "work_on", breaking)
    with pytest.raises(KeyboardInterrupt):
        run(cluster="local", folder=tmp_path)
    monkeypatch.setattr(_cluster, "work_on", lambda order, number, version: done.append(number) or real(order, number, version))
    assert run(cluster="local", folder=tmp_path).dump() == expected.dump()
    assert len(done) == len(set(done)), "a batch was done twice"
    # A file that was cut short is done again.
    victim = tmp_path / "batch-00000000"
    victim.write_bytes(victim.read_bytes()[:-3])
    assert run(cluster="local", folder=tmp_path).dump() == expected.dump()
    with pytest.raises(pr.ProsceniumError, match="another run"):
        run(cluster="local", folder=tmp_path, seed=6)


def test_a_budget_ends_a_run_by_number(monkeypatch):
    inline(monkeypatch, 3)
    found = pr.direct(
        pr.Scene.from_toml(DIE), "die rests near 5 0 5 within 0.01", samples=1, batch=4, simulations=10, cluster="local"
    )
    assert (found.ending, found.batches, len(found)) == ("budget", 3, 0)


def children():
    made = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=True)
    return [int(line.split()[0]) for line in made.stdout.splitlines() if "spawn_main" in line]


@pytest.mark.skipif(sys.platform != "linux", reason="it looks for processes as Linux has them")
def test_workers_that_are_killed_lose_nothing(expected):
    killed = []

    def kill():
        while len(killed) < 2:
            for child in children()[:1]:
                os.kill(child, signal.SIGKILL)
                killed.append(child)
                time.sleep(1.5)
            time.sleep(0.05)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    assert run(cluster="local:2").dump() == expected.dump()


DRIVER = """
import sys
import proscenium as pr
if __name__ == "__main__":
    scene = pr.Scene.load(sys.argv[1])
    pr.direct(scene, "die rests near 0 0 0 within 0.03", samples=12, seed=5, batch=8, cluster="local:1", folder=sys.argv[2])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it kills a process as Linux has it")
def test_a_driver_that_is_killed_loses_nothing(expected, tmp_path, monkeypatch):
    (tmp_path / "die.toml").write_text(DIE)
    (tmp_path / "driver.py").write_text(DRIVER)
    folder = tmp_path / "run"
    driver = subprocess.Popen([sys.executable, "driver.py", "die.toml", str(folder)], cwd=tmp_path)
    while driver.poll() is None and len(list(folder.glob("batch-*[0-9]"))) < 2:
        time.sleep(0.02)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    inline(monkeypatch)
    assert run(cluster="local", folder=folder).dump() == expected.dump()


def test_the_memory_of_the_driver_does_not_grow(monkeypatch):
    inline(monkeypatch, 4)
    empty = _cluster._json.dumps({"simulations": 4, "samples": [], "worked": 0.0}).encode() + b" " * 100_000
    monkeypatch.setattr(_cluster, "work_on", lambda order, number, version: bytes(empty))

    def measured(batches):
        tracemalloc.start()
        try:
            pr.direct(
                pr.Scene.from_toml(DIE), "die rests near 0 0 0 within 0.03", batch=4, simulations=4 * batches, cluster="local"
            )
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few, many = measured(20), measured(400)
    assert many < few + 200_000, (few, many)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"cluster": "cloud"}, "cloud"),
        ({"cluster": "local:none"}, "none"),
        ({"cluster": "local:0"}, "local:0"),
        ({"cluster": "local", "batch": 0}, "batch"),
        ({"cluster": "local", "samples": 0}, "samples"),
        ({"cluster": "local", "pick": "likely"}, "pick"),
    ],
)
def test_what_is_wrong_is_told_with_a_remedy(options, word):
    with pytest.raises(pr.ProsceniumError) as caught:
        run(**options)
    assert word in str(caught.value) and caught.value.remedy


def test_another_version_on_a_worker_is_refused():
    order = _cluster.Order(DIE, None, 1, 1, None, 1, None)
    with pytest.raises(pr.ProsceniumError) as caught:
        _cluster.work_on(order, 0, "9.9.9")
    assert "9.9.9" in str(caught.value) and "same version" in caught.value.remedy


def test_rides_and_ensembles_are_those_of_one_machine(tmp_path, monkeypatch):
    inline(monkeypatch, 2)
    (tmp_path / "wheel.toml").write_text("format = 1\n[state]\nturn = { angle = true, initial = 0.0 }\n[motion]\nturn = 1.5\n")
    order = {"cluster": "local", "quick": True, "seed": 3, "folder": tmp_path / "rides"}
    ship, wheel = pr.compile_rides(["ship", tmp_path / "wheel.toml"], **order)
    for ride, name in ((ship, "ship"), (wheel, tmp_path / "wheel.toml")):
        ride.save(tmp_path / "one.cull")
        pr.Ride.compile(name, quick=True, seed=3).save(tmp_path / "other.cull")
        assert (tmp_path / "one.cull").read_bytes() == (tmp_path / "other.cull").read_bytes()
    monkeypatch.setattr(_cluster, "work_on", None)
    assert [ride.verdict for ride in pr.compile_rides(["ship", tmp_path / "wheel.toml"], **order)] == [ship.verdict, wheel.verdict]
    monkeypatch.undo()
    inline(monkeypatch, 2)
    with pytest.raises(pr.ProsceniumError, match="tulip"):
        pr.build_ensembles(["tulip"], cluster="local")


def test_seeds_of_batches_differ():
    seeds = {_cluster._seed_of(seed, number) for seed in range(100) for number in range(100)}
    assert len(seeds) == 10_000 and all(0 <= seed < 2**64 for seed in seeds)


def test_the_command_writes_what_the_function_finds(expected, tmp_path, monkeypatch, capsys):
    inline(monkeypatch)
    (tmp_path / "die.toml").write_text(DIE)
    order = ["--want", "die rests near 0 0 0 within 0.03", "--samples", "12", "--seed", "5", "--batch", "8"]
    assert _command.main(["direct", str(tmp_path / "die.toml"), *order, "-o", str(tmp_path / "run")]) == 0
    assert (tmp_path / "run" / "run.json").read_text() == expected.dump()
    assert (tmp_path / "run" / "12.glb").read_bytes() == expected[11].glb
    assert _command.main(["direct", "nothing", "-o", str(tmp_path / "other")]) == 2
    assert "nothing" in capsys.readouterr().err


class Tested:
    """Work whose parts say whether they were done on a thread of their own."""

    def key(self):
        return "tested"

    def work(self, number):
        return os.environ["RAYON_NUM_THREADS"].encode()


def test_a_worker_is_one_processor():
    hands = _cluster.Processes(1)
    try:
        assert hands.wait(hands.ask(Tested(), 0)) == b"1"
        assert _cluster.fetch(hands.share({"a": b"1"})) == {"a": b"1"}
    finally:
        hands.close()


def test_a_batch_that_always_kills_its_worker_ends_the_run(monkeypatch):
    class Broken:
        workers = 1

        def __init__(self):
            self.asked = 0

        def submit(self, *_):
            from concurrent.futures import Future
            from concurrent.futures.process import BrokenProcessPool

            self.asked += 1
            made = Future()
            made.set_exception(BrokenProcessPool())
            return made

    broken = Broken()
    hands = _cluster.Processes(1)
    monkeypatch.setattr(hands, "_submit", broken.submit)
    with pytest.raises(pr.ProsceniumError, match="have died") as caught:
        hands.wait(hands.ask(None, 7))
    assert caught.value.remedy and broken.asked == _cluster.PATIENCE + 1


def test_ensembles_are_built_in_parts_and_studies_run(tmp_path, monkeypatch):
    inline(monkeypatch, 2)
    # The smallest there is, by another name.
    real = pr._parts._engine.Ensemble.round
    small = lambda name, store, **more: real(name, store, **{**more, "flags": 1})
    engine = type("Engine", (), {**vars(pr._parts._engine), "Ensemble": type("Ensemble", (), {"round": staticmethod(small), "gather": staticmethod(pr.Ensemble.gather)})})
    monkeypatch.setattr(pr._parts, "_engine", engine)
    made = pr.build_ensembles(["banner"], cluster="local", seconds=6.0, folder=tmp_path / "banner")
    made[0].save(tmp_path / "one.memg")
    pr.Ensemble.build("banner", seconds=6.0, flags=1).save(tmp_path / "other.memg")
    assert (tmp_path / "one.memg").read_bytes() == (tmp_path / "other.memg").read_bytes()
    with pytest.raises(pr.ProsceniumError, match="another run"):
        pr.build_ensembles(["banner"], cluster="local", seconds=7.0, folder=tmp_path / "banner")
    # A study is a program that writes files.
    lab = tmp_path / "lab"
    lab.write_text('#!/bin/sh\n[ "$2" = wrong ] && echo "error: no such experiment" >&2 && exit 2\necho "$4" > "$6/$2.json"\n')
    lab.chmod(0o755)
    written = pr.run_studies(["a", "b"], output=tmp_path / "results", program=str(lab), seed=3)
    assert [path.name for path in written] == ["a.json", "b.json"] and written[0].read_text() == "3\n"
    for wrong, words in ((dict(program=str(lab)), "no such experiment"), (dict(program="no-such-lab"), "not on this machine")):
        with pytest.raises(pr.ProsceniumError, match=words) as caught:
            pr.run_studies(["wrong"], output=tmp_path / words[:2], **wrong)
        assert caught.value.remedy


with_ray = pytest.mark.skipif("PROSCENIUM_RAY" not in os.environ, reason="PROSCENIUM_RAY is not set: Ray is not here")
with_ray_for_long = pytest.mark.skipif(os.environ.get("PROSCENIUM_RAY") != "all", reason="PROSCENIUM_RAY is not `all`: it takes minutes")
QUIET = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}


def start_ray(**options):
    """Ray gives its own start half a minute, which is not enough of a machine that is busy."""
    import ray

    # Its workers do not find this file.
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    for is_last in (False, False, True):
        try:
            return ray.init(**options, **QUIET)
        except Exception:
            ray.shutdown()
            if is_last:
                raise


@with_ray
def test_ray_gives_the_same(expected, tmp_path):
    import ray

    with pytest.raises(pr.ProsceniumError, match="cannot be reached") as caught:
        run(cluster="ray://127.0.0.1:1")
    assert "head node" in caught.value.remedy
    start_ray(address="local", num_cpus=2)
    try:
        found = run(cluster="ray")
        assert found.dump() == expected.dump()
        assert [one.glb for one in found.samples] == [one.glb for one in expected.samples]
        hands = _cluster.Ray("ray")
        assert hands.wait(hands.ask(Tested(), 0)) == b"1"
        assert hands.wait(hands.ask(Fetching(hands.share({"a": b"1"})), 0)) == b"1"
        with pytest.raises(pr.ProsceniumError, match="same version"):
            ray.get(ray.remote(_cluster.work_alone).remote(Tested(), 0, "9.9.9"))
    finally:
        ray.shutdown()


class Fetching:
    """Work that reads what was shared."""

    def __init__(self, shared):
        self.shared = shared

    def work(self, number):
        return _cluster.fetch(self.shared)["a"]


@with_ray_for_long
@pytest.mark.parametrize("workers", [1, 5])
def test_ray_gives_the_same_for_any_number_of_workers(expected, workers):
    import ray

    start_ray(address="local", num_cpus=workers)
    try:
        assert run(cluster="ray").dump() == expected.dump()
    finally:
        ray.shutdown()


def longer(**more):
    order = {"samples": 1500, "seed": 5, "batch": 400, "simulations": 40_000}
    return pr.direct(pr.Scene.from_toml(DIE), "die rests near 0 0 0 within 0.03", **order, **more)


@pytest.fixture(scope="module")
def alone():
    with pytest.MonkeyPatch.context() as patch:
        inline(patch)
        return longer(cluster="local")


def done_in(folder):
    return len(list(folder.glob("batch-*[0-9]")))


def workers_of_ray():
    """The processes that do batches, by their numbers."""
    listed = subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, text=True, check=True).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if "ray::work_alone" in line]


@with_ray_for_long
@pytest.mark.parametrize("seed", [1, 2])
def test_workers_and_nodes_of_ray_that_are_killed_at_random_lose_nothing(alone, tmp_path, seed):
    import ray
    from ray.cluster_utils import Cluster

    chance = random.Random(seed)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    killed, over = [], threading.Event()

    def kill():
        # Where workers take longer to start than to be killed, a run would never end.
        while len(killed) < 8 and not over.wait(chance.uniform(0.2, 1.5)):
            if nodes and chance.random() < 0.3:
                cluster.remove_node(nodes.pop(), allow_graceful=False)
                killed.append("node")
            elif workers := workers_of_ray():
                os.kill(chance.choice(workers), signal.SIGKILL)
                killed.append("worker")

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    try:
        found = longer(cluster="ray", folder=tmp_path)
        assert found.dump() == alone.dump()
        assert killed, "nobody was killed"
    finally:
        over.set()
        thread.join(timeout=60)
        ray.shutdown()
        cluster.shutdown()


RAY_DRIVER = """
import sys
import proscenium as pr, ray
ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
scene = pr.Scene.load(sys.argv[1])
pr.direct(scene, "die rests near 0 0 0 within 0.03", samples=1500, seed=5, batch=400, simulations=40_000, cluster="ray", folder=sys.argv[2])
"""


@with_ray_for_long
def test_a_driver_on_ray_that_is_killed_loses_nothing(alone, tmp_path, monkeypatch):
    (tmp_path / "die.toml").write_text(DIE)
    (tmp_path / "driver.py").write_text(RAY_DRIVER)
    folder = tmp_path / "run"
    chance = random.Random(3)
    for goal in sorted(chance.sample(range(1, alone.batches), 2)):
        driver = subprocess.Popen([sys.executable, "driver.py", "die.toml", str(folder)], cwd=tmp_path)
        while driver.poll() is None and done_in(folder) < goal:
            time.sleep(0.02)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        assert done_in(folder) >= goal
    inline(monkeypatch)
    assert longer(cluster="local", folder=folder).dump() == alone.dump()
