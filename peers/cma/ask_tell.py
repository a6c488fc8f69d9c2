"""CMA-ES, one line of JSON at a time.

Reads {"dimensions": n, "seed": s, "deviation": d}, then prints the points of a
generation as a list of lists and reads their costs as a list, until the input
ends. Starts anew, with twice the population, whenever the search has settled.
"""

import json
import math
import sys
import warnings

warnings.filterwarnings("ignore")
import cma  # noqa: E402

order = json.loads(sys.stdin.readline())
restarts = 0
while True:
    population = (4 + int(3 * math.log(order["dimensions"]))) * 2**restarts
    search = cma.CMAEvolutionStrategy(
        [0.0] * order["dimensions"],
        order["deviation"],
        {"seed": order["seed"] + restarts, "popsize": population, "verbose": -9},
    )
    while not search.stop():
        points = search.ask()
        print(json.dumps([list(map(float, point)) for point in points]), flush=True)
        line = sys.stdin.readline()
        if not line:
            sys.exit(0)
        search.tell(points, json.loads(line))
    restarts += 1
