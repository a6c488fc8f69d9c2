"""Strips of cloth in two winds, simulated by Blender.

Reads a line of JSON: folder, strips, apart (metres from strip to strip), seconds, winds (two
strengths), seed. Writes strips.obj, calm.pc2 and gale.pc2 into the folder, as a user would
export them (y up), and prints a line of JSON: rows and columns of a strip, frames per second.
"""

import json
import math
import os
import random
import struct
import sys

answer = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Blender talks on standard output.

import bpy  # noqa: E402

RATE, ROWS, COLUMNS = 24, 14, 3
LENGTH, WIDTH = 0.8, 0.08
SETTLE = 36  # frames before anything is recorded


def strips(request):
    """One object of all strips, hanging from a rail along x."""
    places, faces, pinned = [], [], []
    for strip in range(request["strips"]):
        first = len(places)
        for row in range(ROWS):
            for column in range(COLUMNS):
                x = strip * request["apart"] + WIDTH * column / (COLUMNS - 1)
                places.append((x, 0.0, 2.0 - LENGTH * row / (ROWS - 1)))
        pinned += range(first, first + COLUMNS)
        for row in range(ROWS - 1):
            for column in range(COLUMNS - 1):
                a = first + row * COLUMNS + column
                faces.append((a, a + COLUMNS, a + COLUMNS + 1, a + 1))
    mesh = bpy.data.meshes.new("strips")
    mesh.from_pydata(places, [], faces)
    thing = bpy.data.objects.new("strips", mesh)
    bpy.context.scene.collection.objects.link(thing)
    thing.vertex_groups.new(name="rail").add(pinned, 1.0, "REPLACE")
    modifier = thing.modifiers.new("cloth", "CLOTH")
    modifier.settings.vertex_group_mass = "rail"
    modifier.settings.quality = 10
    modifier.settings.mass = 0.15
    modifier.settings.air_damping = 1.0
    modifier.settings.bending_stiffness = 0.5
    modifier.collision_settings.use_self_collision = True
    modifier.collision_settings.self_distance_min = 0.01
    modifier.collision_settings.collision_quality = 4
    return thing, modifier


def simulate(request, strength, gusts):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = RATE
    frames = SETTLE + round(request["seconds"] * RATE)
    scene.frame_start, scene.frame_end = 1, frames
    thing, modifier = strips(request)
    modifier.point_cache.frame_end = frames
    # Across the rail, and a little along it.
    bpy.ops.object.effector_add(type="WIND", location=(0, -3, 1.6), rotation=(-math.pi / 2, 0, 0.25))
    wind = bpy.context.object
    wind.field.noise = 1.0
    wind.field.seed = gusts.randrange(1, 128)
    tones = [(gusts.uniform(0.2, 1.1), gusts.uniform(0, math.tau)) for _ in range(4)]
    for frame in range(1, frames + 1, 4):
        wave = sum(math.sin(math.tau * tone * frame / RATE + phase) for tone, phase in tones) / len(tones)
        wind.field.strength = strength * (1 + 0.7 * wave)
        wind.field.keyframe_insert("strength", frame=frame)
    recorded = []
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
        if frame > SETTLE:
            evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
            mesh = evaluated.to_mesh()
            recorded.append([(vertex.co[0], vertex.co[2], -vertex.co[1]) for vertex in mesh.vertices])
            evaluated.to_mesh_clear()
    rest = [(vertex.co[0], vertex.co[2], -vertex.co[1]) for vertex in thing.data.vertices]
    return rest, [tuple(polygon.vertices) for polygon in thing.data.polygons], recorded


def main():
    request = json.loads(sys.stdin.readline())
    gusts = random.Random(request["seed"])
    for name, strength in zip(("calm", "gale"), request["winds"]):
        rest, faces, frames = simulate(request, strength, gusts)
        with open(os.path.join(request["folder"], f"{name}.pc2"), "wb") as file:
            file.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, len(rest), 1.0, 1.0, len(frames)))
            for frame in frames:
                file.write(struct.pack(f"<{3 * len(frame)}f", *(x for place in frame for x in place)))
    with open(os.path.join(request["folder"], "strips.obj"), "w") as file:
        file.writelines("v %r %r %r\n" % place for place in rest)
        file.writelines("f " + " ".join(str(corner + 1) for corner in face) + "\n" for face in faces)
    os.write(answer, json.dumps({"rows": ROWS, "columns": COLUMNS, "rate": RATE}).encode() + b"\n")


main()
