#!/usr/bin/env python3
"""Renders frames of animated files with Blender into one picture: a row per file, all seen by the same camera.

Usage: render.py OUT.png SIZE VIEW FILE@FRAMES[@CLIP] ...     e.g. render.py walk.png 256 side cow.glb@0,6,12@Walk soft.abc@0,6,12
  SIZE    width and height of each frame [pixels]     VIEW    front, side, top or corner     --fps 24    --label (file names below)
  FILE    .glb, .gltf, .abc, .usda or .obj            CLIP    of a glTF file; without it the first
"""
import argparse, os, tempfile

from opening import bpy, end, meshes, np, open_scene, pose, say, world_positions

VIEWS = {"front": (0.0, -1.0, 0.12), "side": (1.0, -0.12, 0.12), "top": (0.0, -0.001, 1.0), "corner": (0.8, -1.0, 0.45)}

p = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1].split("\n")[0])
p.add_argument("out")
p.add_argument("size", type=int)
p.add_argument("view", choices=sorted(VIEWS))
p.add_argument("rows", nargs="+")
p.add_argument("--fps", type=float, default=24)
p.add_argument("--samples", type=int, default=24)
p.add_argument("--label", action="store_true")
a = p.parse_args()


def row(text):
    path, _, rest = text.partition("@")
    frames, _, clip = rest.partition("@")
    return path, [float(f) for f in frames.split(",")] if frames else [0.0], clip or None


def set_up(scene, low, high):
    """Camera, lights, and a plain material for parts that have none."""
    from mathutils import Vector
    middle, size = Vector((low + high) / 2), float(np.linalg.norm(high - low)) or 1.0
    way = Vector(VIEWS[a.view]).normalized()
    for ob in [o for o in scene.objects if o.type in ("CAMERA", "LIGHT")]:
        bpy.data.objects.remove(ob)

    def add(name, data, where, at):
        ob = bpy.data.objects.new(name, data)
        scene.collection.objects.link(ob)
        ob.location = where
        ob.rotation_euler = (at - ob.location).to_track_quat("-Z", "Y").to_euler()
        return ob

    scene.camera = add("camera", bpy.data.cameras.new("camera"), middle + way * size * 3, middle)
    scene.camera.data.type = "ORTHO"
    scene.camera.data.ortho_scale = fitting(scene.camera, low, high) * 1.06
    scene.camera.data.clip_start, scene.camera.data.clip_end = size * 0.01, size * 10
    for where, energy in (((0.6, -0.8, 1.2), 3.0), ((-1.0, -0.4, 0.5), 1.0)):
        sun = add("sun", bpy.data.lights.new("sun", "SUN"), middle + Vector(where) * size, middle)
        sun.data.energy, sun.data.angle = energy, 0.2
    world = bpy.data.worlds.new("world")
    scene.world = world
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs[0].default_value = (0.55, 0.58, 0.62, 1)
    plain = bpy.data.materials.new("plain")
    plain.use_nodes = True
    plain.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.75, 0.45, 0.35, 1)
    for ob in meshes(scene):
        if not any(slot.material for slot in ob.material_slots):
            ob.data.materials.clear()
            ob.data.materials.append(plain)
    render = scene.render
    render.engine = "CYCLES"  # needs no graphics card
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", a.samples, False
    scene.cycles.max_bounces = 2
    render.resolution_x = render.resolution_y = a.size
    render.resolution_percentage = 100
    render.film_transparent = True
    render.image_settings.file_format = "PNG"
    scene.view_settings.view_transform = "Standard"


def fitting(camera, low, high):
    """The width and height that the box has in the picture, the larger of them."""
    corners = np.array([[(low, high)[i][0], (low, high)[j][1], (low, high)[k][2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    turn = np.array(camera.rotation_euler.to_matrix())
    seen = corners @ turn
    return float((seen.max(0) - seen.min(0))[:2].max()) or 1.0


def box(path, frames, clip):
    scene = open_scene(path, a.fps, clip)
    points = []
    for frame in frames:
        graph = pose(scene, frame)
        points += [x for x in (world_positions(ob, graph) for ob in meshes(scene)) if len(x)]
    if not points:
        say(f"FAIL {path} shows no mesh")
        end(1)
    every = np.concatenate(points)
    return every.min(0), every.max(0)


def main():
    from PIL import Image, ImageDraw
    import addon_utils
    rows = [row(text) for text in a.rows]
    boxes = [box(*r) for r in rows]
    low, high = np.min([b[0] for b in boxes], 0), np.max([b[1] for b in boxes], 0)
    folder, strip = tempfile.mkdtemp(), 16 if a.label else 0
    width = max(len(frames) for _, frames, _ in rows)
    picture = Image.new("RGB", (width * a.size, len(rows) * (a.size + strip)), "white")
    for y, (path, frames, clip) in enumerate(rows):
        scene = open_scene(path, a.fps, clip)
        addon_utils.enable("cycles")
        set_up(scene, low, high)
        for x, frame in enumerate(frames):
            pose(scene, frame)
            scene.render.filepath = os.path.join(folder, f"{y}_{x}.png")
            bpy.ops.render.render(write_still=True)
            tile = Image.open(scene.render.filepath).convert("RGBA")
            picture.paste(tile, (x * a.size, y * (a.size + strip)), tile)
        if a.label:
            ImageDraw.Draw(picture).text((4, (y + 1) * (a.size + strip) - strip), os.path.basename(path), fill="black")
    picture.save(a.out)
    say(f"{a.out}: {len(rows)} rows, spread {np.asarray(picture).std():.1f}")
    end(0 if np.asarray(picture).std() > 1 else 1)  # an empty picture is a failure


try:
    main()
except (Exception, SystemExit) as error:
    import traceback
    traceback.print_exc()
    say(f"FAIL {type(error).__name__}: {error}")
    end(2)
