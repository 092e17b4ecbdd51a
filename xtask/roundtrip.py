#!/usr/bin/env python3
"""Compares in Blender an animated character with the files that Supple made of it, frame by frame, vertex by vertex.

Usage: roundtrip.py ORIGINAL [--clip NAME] [--fps 24] [--base FILE] OUTPUT...
  ORIGINAL  .glb or .gltf, evaluated by Blender; or .npz, the positions themselves
  FILE      the character that .pc2 and .mdd are put on, where ORIGINAL is .npz
  OUTPUT    .glb, .abc, .usda; .pc2 or .mdd (shown with the Mesh Cache modifier; OUT.pc2 also finds OUT.PART.pc2); .npz
Prints one line of JSON: size (diagonal of the box around all frames), frames, and for each output the largest distance as
a share of the size, and where. Exit 0: all within --tolerance (1e-4); 1: not; 2: it could not be compared.
"""
import argparse, glob, json, math, os, struct

from opening import accessor, bpy, clip_index, end, evaluate, gltf, meshes, np, open_scene, pose, say, world_positions


def comparable(path, clip, fps):
    """The clip's length [s], and which frames can be compared: not those where a curve jumps, because rounding decides
    on which side of the jump they are."""
    root, blob = gltf(path)
    index = clip_index(root, clip)
    if index is None:
        return 0.0, lambda k: True
    length, jumps = 0.0, []
    for sampler in root["animations"][index]["samplers"]:
        times = accessor(root, blob, sampler["input"], path)[:, 0]
        length = max(length, float(times[-1]))
        if sampler.get("interpolation") == "STEP":
            jumps.append(times[1:] * fps)
    return length, lambda k: not any((np.abs(keys - k) < 1e-3).any() for keys in jumps)


def cache(path):
    """Samples and points of a .pc2 or .mdd, and the first sample."""
    data = open(path, "rb").read(32)
    if path.lower().endswith(".pc2"):
        _, points, _, _, samples = struct.unpack("<iiffi", data[12:32])
        return samples, points, np.fromfile(path, "<f4", points * 3, offset=32).reshape(-1, 3)
    samples, points = struct.unpack(">ii", data[:8])
    return samples, points, np.fromfile(path, ">f4", points * 3, offset=8 + 4 * samples).reshape(-1, 3)


def cached(path, original, clip, fps):
    """The original's meshes without rig, parents and transforms, each with a Mesh Cache: as the page tells artists."""
    files = [path] if os.path.exists(path) else sorted(glob.glob(glob.escape(os.path.splitext(path)[0]) + ".*" + os.path.splitext(path)[1]))
    if not files:
        raise SystemExit(f"no file {path}")
    scene = open_scene(original, fps, clip) if not original.endswith(".npz") else open_empty(fps)
    graph = pose(scene, 0)
    free = {ob.name: world_positions(ob, graph) for ob in meshes(scene)}
    count, fallback, chosen = 0, 0, []
    for file in files:
        count, points, first = cache(file)
        fitting = [name for name, x in free.items() if len(x) == points]
        if fitting:
            name = min(fitting, key=lambda name: np.abs(free[name] - first).max())
            del free[name]
            ob = scene.objects[name]
        else:  # the importer left out vertices without faces: show the points alone
            fallback += 1
            mesh = bpy.data.meshes.new("points")
            mesh.from_pydata(first.tolist(), [], [(i, i + 1, i + 2) for i in range(0, points - 2)])
            ob = bpy.data.objects.new("points", mesh)
            scene.collection.objects.link(ob)
        chosen.append((ob, file))
    for ob in list(scene.objects):
        if ob not in [c for c, _ in chosen]:
            bpy.data.objects.remove(ob)
    for ob, file in chosen:
        ob.animation_data_clear()
        ob.data = ob.data.copy()
        if ob.data.shape_keys:
            ob.shape_key_clear()
        ob.modifiers.clear()
        ob.constraints.clear()
        ob.parent = None
        ob.rotation_mode = "XYZ"
        ob.matrix_basis.identity()
        ob.delta_location, ob.delta_rotation_euler, ob.delta_scale = (0, 0, 0), (0, 0, 0), (1, 1, 1)
        m = ob.modifiers.new("cache", "MESH_CACHE")
        m.cache_format = "PC2" if file.lower().endswith(".pc2") else "MDD"
        m.filepath, m.interpolation = os.path.abspath(file), "LINEAR"
    return scene, count, fallback


def open_empty(fps):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = round(fps)
    return bpy.context.scene


def arrays(path):
    data = np.load(path)
    starts = data["starts"]
    faces = data["faces"]
    real = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    used = np.unique(faces[real])  # Blender drops faces that name a vertex twice
    parts = [used[(used >= a) & (used < b)] for a, b in zip(starts[:-1], starts[1:])]
    names = [str(n) for n in data["names"]]
    return {f"{i} {n}": data["positions"][:, p].astype(np.float64) for i, (n, p) in enumerate(zip(names, parts))}


def show(path, original, clip, fps):
    """(positions at frames -> {name: array}, how many frames, remarks)"""
    ending = os.path.splitext(path)[1].lower()
    if ending == ".npz":
        data = arrays(path)
        return (lambda frames: {k: x[frames] for k, x in data.items()}), len(next(iter(data.values()))), {}
    if ending in (".pc2", ".mdd"):
        scene, count, fallback = cached(path, original, clip, fps)
        return (lambda frames: evaluate(scene, frames)), count, {"without_base": fallback} if fallback else {}
    scene = open_scene(path, fps, clip)
    if ending in (".abc", ".usda", ".usd"):
        if scene.frame_start != 0:
            raise SystemExit(f"{path} begins at frame {scene.frame_start}, not 0")
        return (lambda frames: evaluate(scene, frames)), scene.frame_end + 1, {}
    ranges = [a.frame_range[1] for a in bpy.data.actions]
    return (lambda frames: evaluate(scene, frames)), math.floor(max(ranges, default=0) + 1e-3) + 1, {}


def difference(A, B):
    """The largest distance, and where. Meshes are paired by their count of vertices, and of these the nearest."""
    worst, free, missing = (0.0, None, 0, 0), dict(B), []
    for name, x in A.items():
        fitting = {k: np.linalg.norm(x - y, axis=2) for k, y in free.items() if y.shape == x.shape}
        if x.shape[1] == 0:
            continue
        if not fitting:
            missing.append(f"{name} ({x.shape[1]} vertices)")
            continue
        best = min(fitting, key=lambda k: fitting[k].max())
        del free[best]
        d = np.nan_to_num(fitting[best], nan=np.inf)
        k, v = np.unravel_index(d.argmax(), d.shape)
        if d[k, v] >= worst[0]:
            worst = (float(d[k, v]), name, int(k), int(v))
    return worst, missing, [f"{k} ({y.shape[1]} vertices)" for k, y in free.items() if y.shape[1]]


p = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1].split("\n")[0])
p.add_argument("original")
p.add_argument("outputs", nargs="+")
p.add_argument("--clip")
p.add_argument("--base")
p.add_argument("--fps", type=float, default=24)
p.add_argument("--tolerance", type=float, default=1e-4)
a = p.parse_args()
try:
    if a.original.endswith(".npz"):
        reference = arrays(a.original)
        count, trusted = len(next(iter(reference.values()))), lambda k: True
    else:
        length, trusted = comparable(a.original, a.clip, a.fps)
        count = math.floor(length * a.fps + 1e-3) + 1
    result = {"original": a.original, "clip": a.clip, "expected_frames": count, "outputs": {}}
    good = True
    kept = [k for k in range(count) if trusted(k)]
    if not a.original.endswith(".npz"):
        reference = evaluate(open_scene(a.original, a.fps, a.clip), kept)
    else:
        reference = {k: x[kept] for k, x in reference.items()}
    every = np.concatenate([x.reshape(-1, 3) for x in reference.values()])
    size = float(np.linalg.norm(every.max(0) - every.min(0)))
    result |= {"frames": len(kept), "size": size, "vertices": sum(x.shape[1] for x in reference.values()),
               "motion": max(float(np.linalg.norm(x - x[:1], axis=2).max()) for x in reference.values() if x.size) / size}
    for path in a.outputs:
        at, found, remarks = show(path, a.base or a.original, a.clip, a.fps)
        frames = [(i, k) for i, k in enumerate(kept) if k < found]
        indices = [i for i, _ in frames]
        worst, missing, extra = difference({n: x[indices] for n, x in reference.items()}, at([k for _, k in frames]))
        share = worst[0] / size
        remarks |= {"share": share, "frames": found, "worst": {"part": worst[1], "frame": frames[worst[2]][1], "vertex": worst[3]}}
        if missing or extra:
            remarks |= {"missing": missing[:5], "extra": extra[:5]}
        result["outputs"][os.path.splitext(path)[1][1:]] = remarks
        good &= share <= a.tolerance and not missing and not extra and found == count
    say(json.dumps(result))
    end(0 if good else 1)
except SystemExit as error:
    say(json.dumps({"original": a.original, "error": str(error)}))
    end(2)
except Exception as error:  # whatever Blender throws must not look like success
    import traceback
    traceback.print_exc()
    say(json.dumps({"original": a.original, "error": f"{type(error).__name__}: {error}"}))
    end(2)
