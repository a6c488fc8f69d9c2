"""Collisions within a budget: a frame is never late, and what people would notice comes first.

>>> from proscenium import lod
>>> jack = lod.Solid.built_in("jack", depth=3)
>>> world = lod.World(seed=1)
>>> world.add_box((1, 1, 1))
>>> _ = world.add(jack, (0, 0, 0), velocity=(2, 0, 1))
>>> world.advance(1 / 60, tests=10_000)["spent"] <= 10_000
True
"""

from ._engine import LodWorld as World, Solid

__all__ = ["Solid", "World"]
