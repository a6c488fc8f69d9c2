"""Opens a .usda file with Pixar's USD and prints where its points are.

Usage: check.py FILE. Prints one JSON object: the stage's settings, and for each
mesh its display name, its triangles, and its points at every time code.
"""

import json
import sys

from pxr import Usd, UsdGeom

stage = Usd.Stage.Open(sys.argv[1])
codes = range(int(stage.GetStartTimeCode()), int(stage.GetEndTimeCode()) + 1)
meshes = []
for prim in stage.Traverse():
    if not prim.IsA(UsdGeom.Mesh):
        continue
    mesh = UsdGeom.Mesh(prim)
    points = mesh.GetPointsAttr()
    extent = mesh.GetExtentAttr()
    meshes.append(
        {
            "name": prim.GetDisplayName() or prim.GetName(),
            "counts": list(mesh.GetFaceVertexCountsAttr().Get()),
            "indices": list(mesh.GetFaceVertexIndicesAttr().Get()),
            "frames": [[list(point) for point in points.Get(code)] for code in codes],
            "extents": [[list(corner) for corner in extent.Get(code)] for code in codes],
        }
    )
print(
    json.dumps(
        {
            "up": UsdGeom.GetStageUpAxis(stage),
            "metres": UsdGeom.GetStageMetersPerUnit(stage),
            "rate": stage.GetTimeCodesPerSecond(),
            "default": stage.GetDefaultPrim().GetName(),
            "meshes": meshes,
        }
    )
)
