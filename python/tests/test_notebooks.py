"""Every notebook runs from its first cell to its last, and what it shows can be shown."""

import ast
import importlib.util
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


def run(cell: str, names: dict) -> None:
    """A cell, as a notebook runs it: its last expression is shown."""
    tree = ast.parse(cell)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is not None:
        shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        show = getattr(shown, "_repr_html_", None)
        assert (show() if show else repr(shown)) is not None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    if path.stem == "blender" and importlib.util.find_spec("bpy") is None:
        pytest.skip("bpy is not installed")
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    names = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        assert cell.get("outputs", []) == [], "a notebook is kept without what it printed"
        if cell["cell_type"] == "code":
            run("".join(cell["source"]), names)


def test_there_is_one_for_each_system():
    assert {path.stem for path in NOTEBOOKS} == {"directing", "rides", "city", "collisions", "ensemble", "blender"}
