"""Opens traces with ArviZ, from JSON and from Zarr, and prints what it finds.

Usage: check.py FOLDER, with traces.json and traces.zarr in the folder. Prints
one JSON object: for each file and each quantity the shape, the mean, R-hat and
the effective sizes as ArviZ computes them.
"""

import json
import sys
from pathlib import Path

import arviz
import xarray


def summary(data):
    posterior, stats = data.posterior, data.sample_stats
    r_hat = arviz.rhat(posterior)
    bulk = arviz.ess(posterior, method="bulk")
    tail = arviz.ess(posterior, method="tail")
    found = {
        name: {
            "shape": list(posterior[name].shape),
            "mean": float(posterior[name].mean()),
            "r_hat": float(r_hat[name]),
            "bulk": float(bulk[name]),
            "tail": float(tail[name]),
        }
        for name in posterior.data_vars
    }
    return {
        "posterior": found,
        "dimensions": list(posterior.dims),
        "satisfied": int(stats["satisfied"].sum()),
        "lp": float(stats["lp"].mean()),
    }


def from_zarr(path):
    """As ArviZ asks for with the present zarr package."""
    return arviz.InferenceData.from_datatree(xarray.open_datatree(str(path), engine="zarr"))


folder = Path(sys.argv[1])
print(
    json.dumps(
        {
            "json": summary(arviz.from_json(str(folder / "traces.json"))),
            "zarr": summary(from_zarr(folder / "traces.zarr")),
        }
    )
)
