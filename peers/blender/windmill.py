"""Bakes a windmill with Blender: windmill.py FILE.

The sails turn once in three seconds, not quite evenly, about an axis that is not one of
glTF's; the tower stands. A key for each of 24 frames a second, as its exporter bakes them.
"""

import math
import sys

import bpy

SECONDS, RATE = 3, 24

bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.mesh.primitive_cube_add(size=2, location=(0, 0, 3))
tower = bpy.context.object
tower.name, tower.scale = "tower", (0.5, 0.5, 3)
bpy.ops.mesh.primitive_cube_add(size=1, location=(0, -0.8, 6))
sails = bpy.context.object
sails.name, sails.scale = "sails", (6, 0.1, 0.4)
scene = bpy.context.scene
scene.render.fps, scene.frame_start, scene.frame_end = RATE, 0, SECONDS * RATE
for frame in range(SECONDS * RATE + 1):
    part = math.tau * frame / (SECONDS * RATE)
    sails.rotation_euler = (0, part + 0.15 * math.sin(part), 0)
    sails.keyframe_insert("rotation_euler", frame=frame)
bpy.ops.export_scene.gltf(filepath=sys.argv[-1], export_format="GLB", export_force_sampling=True)
