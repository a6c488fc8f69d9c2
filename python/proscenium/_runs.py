"""What Python adds to a directed run."""

import json as _json
import os as _os
import tempfile as _tempfile

from . import _viewer
from ._errors import ProsceniumError


def arviz_of(text):
    """Traces as ``arviz.InferenceData``."""
    try:
        import arviz
    except ImportError as error:
        raise ProsceniumError("ArviZ is not installed", "pip install 'proscenium[arviz]'") from error
    if not _json.loads(text).get("posterior"):
        raise ProsceniumError(
            "the run has no chains to look at", "where simulations succeed often they are drawn until they fit"
        )
    # ArviZ reads a file.
    with _tempfile.TemporaryDirectory() as folder:
        path = _os.path.join(folder, "traces.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return arviz.from_json(path)


def to_arviz(self):
    """What the chains did, as ``arviz.InferenceData``; ``pip install proscenium[arviz]``."""
    return arviz_of(self.traces_json())


def wall(self):
    """The samples side by side, for notebooks."""
    return _viewer.html([sample.clip().to_json() for sample in self.samples[: _viewer.MOST]])
