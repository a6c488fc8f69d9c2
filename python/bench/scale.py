"""Runs on the processes of this machine, for the lab's experiment cluster-scale.

Reads a line ``{"workers": [1, 2], "batches": [[batch, tasks], …]}`` and prints a line: for each
number of workers and each size of batches what the run took, what its workers and its driver
worked, what was sent, and what it came to.
"""

import hashlib
import json
import resource
import sys
import time

import proscenium as pr
from proscenium import _cluster, _engine

WANT = "die-1 rests near 0.2 0 0.05 within 0.03"


def run(workers: int, batch: int, tasks: int) -> dict:
    scene = pr.Scene.built_in("dice").with_wants(WANT)
    order = _cluster.Order(scene.to_toml(), None, 10**6, 1, "rejection", batch, batch * tasks)
    hands = _cluster.Processes(workers)
    try:
        # Workers start and load the engine first: a run of hours does that once.
        small = _cluster.Order(scene.to_toml(), None, 1, 1, "rejection", 1, workers)
        for asked in [hands.ask(small, number) for number in range(2 * workers)]:
            hands.wait(asked)
        begin, driver = time.monotonic(), time.process_time()
        took, sent, simulations, digest = [], 0, 0, hashlib.sha256()
        for _, text in _cluster._in_order(hands, order, None, tasks):
            made = json.loads(text)
            took.append(made.pop("worked"))
            sent += len(text)
            simulations += made["simulations"]
            digest.update(json.dumps(made, sort_keys=True).encode())
        return {
            "workers": workers,
            "batch": batch,
            "tasks": took,
            "simulations": simulations,
            "took_s": time.monotonic() - begin,
            "driver_s": time.process_time() - driver,
            "bytes": sent,
            "order_bytes": len(order.scene) * tasks,
            "digest": digest.hexdigest(),
            "driver_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
    finally:
        hands.close()


def main() -> None:
    request = json.loads(sys.stdin.readline())
    runs = [run(workers, batch, tasks) for batch, tasks in request["batches"] for workers in request["workers"]]
    print(json.dumps({"engine": _engine.__version__, "runs": runs}))


# Workers import this file, and must not begin anew.
if __name__ == "__main__":
    main()
