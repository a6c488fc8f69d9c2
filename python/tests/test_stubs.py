"""The stubs tell the truth: the same names and the same arguments as the engine."""

import ast
import inspect
from pathlib import Path

import proscenium
from proscenium import _engine

STUBS = ast.parse(Path(proscenium.__file__).with_name("_engine.pyi").read_text(encoding="utf-8"))


def arguments(function: ast.FunctionDef) -> list[str]:
    given = function.args
    names = [argument.arg for argument in [*given.args, *given.kwonlyargs]]
    return names + ([given.kwarg.arg] if given.kwarg else [])


def stated(nodes):
    return {node.name: node for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def check(name, stub, real):
    signature = getattr(real, "__text_signature__", None)
    assert callable(real), name
    # The arguments of what operators call are named by Python itself.
    if signature and not stub.name.startswith("__"):
        assert arguments(stub) == list(inspect.signature(real).parameters), name


def test_every_name_is_stated_and_every_statement_is_true():
    stubs = stated(STUBS.body)
    real = {name for name in vars(_engine) if not name.startswith("_")} - {"engine"}
    assert set(stubs) == real
    for name, stub in stubs.items():
        if isinstance(stub, ast.FunctionDef):
            check(name, stub, getattr(_engine, name))
            continue
        of_class = getattr(_engine, name)
        members = stated(stub.body)
        public = {member for member in vars(of_class) if not member.startswith("_")}
        assert {member for member in members if not member.startswith("_")} == public, name
        for member, statement in members.items():
            is_property = any(getattr(mark, "id", "") == "property" for mark in statement.decorator_list)
            if is_property:
                assert inspect.isgetsetdescriptor(inspect.getattr_static(of_class, member)), f"{name}.{member}"
            else:
                check(f"{name}.{member}", statement, getattr(of_class, member))
