"""Opens exports with Blender and prints where it puts their vertices.

Usage: check.py FOLDER FRAMES, with plant.glb, plant.obj, plant.pc2,
plant.mdd, plant_vat.exr, plant-remap_info.json and texture.glb in the folder.
Prints one JSON object; all places are turned to y up.
"""

import json
import sys
from pathlib import Path

import bpy
import numpy

folder, frames = Path(sys.argv[1]), int(sys.argv[2])
RATE = 30


def y_up(places):
    """From Blender's axes to those of glTF."""
    places = numpy.asarray(places, dtype=float)
    return numpy.stack([places[:, 0], places[:, 2], -places[:, 1]], axis=1).tolist()


def empty():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = RATE


def world_places(thing):
    """Where the vertices of an object are now, after all modifiers."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    places = [list(evaluated.matrix_world @ vertex.co) for vertex in mesh.vertices]
    evaluated.to_mesh_clear()
    return places


def meshes():
    return [thing for thing in bpy.data.objects if thing.type == "MESH"]


def morphs():
    empty()
    bpy.ops.import_scene.gltf(filepath=str(folder / "plant.glb"))
    found = {thing.name: [] for thing in meshes()}
    for frame in range(frames):
        # glTF counts from zero, and Blender's importer puts that at frame 0 of its rate.
        bpy.context.scene.frame_set(frame)
        for thing in meshes():
            found[thing.name].append(y_up(world_places(thing)))
    return found


def cache(kind):
    empty()
    bpy.ops.wm.obj_import(filepath=str(folder / "plant.obj"))
    (thing,) = meshes()
    modifier = thing.modifiers.new("cache", "MESH_CACHE")
    modifier.cache_format = kind.upper()
    modifier.filepath = str(folder / f"plant.{kind}")
    modifier.frame_start = 1
    found = []
    for frame in range(1, frames + 1):
        bpy.context.scene.frame_set(frame)
        found.append(y_up(world_places(thing)))
    return found


def texture():
    """Looks up each vertex in the texture as OpenVAT's shaders do."""
    empty()
    bpy.ops.import_scene.gltf(filepath=str(folder / "texture.glb"))
    (thing,) = meshes()
    remap = json.loads((folder / "plant-remap_info.json").read_text())["os-remap"]
    low, high = numpy.array(remap["Min"]), numpy.array(remap["Max"])
    image = bpy.data.images.load(str(folder / "plant_vat.exr"))
    image.colorspace_settings.name = "Non-Color"
    width, height = image.size
    # Blender's pictures begin at the bottom; those of glTF at the top.
    pixels = numpy.array(image.pixels[:]).reshape(height, width, -1)[::-1, :, :3]
    layer = thing.data.uv_layers[1]
    coordinates = {}
    for loop in thing.data.loops:
        u, v = layer.data[loop.index].uv
        coordinates[loop.vertex_index] = (u, 1.0 - v)
    rest = numpy.array([list(vertex.co) for vertex in thing.data.vertices])
    found, normals = [], []
    for frame in range(remap["Frames"]):
        places, directions = [], []
        for vertex, place in enumerate(rest):
            u, v = coordinates[vertex]
            column, row = int(u * width), int(v * height + frame)
            places.append(place + low + pixels[row, column] * (high - low))
            directions.append(2.0 * pixels[row + height // 2, column] - 1.0)
        found.append(y_up(places))
        normals.append(y_up(directions))
    return {"places": found, "normals": normals}


print("RESULT " + json.dumps({"morphs": morphs(), "pc2": cache("pc2"), "mdd": cache("mdd"), "texture": texture()}))
