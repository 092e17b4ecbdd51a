"""Opens animated files in Blender, one at a time, for roundtrip.py and render.py."""
import base64, json, math, os, struct, sys, tempfile

real_out = os.fdopen(os.dup(1), "w")  # Blender chats on stdout; ours stays clean
os.dup2(2, 1)


def say(text):
    real_out.write(text + "\n")
    real_out.flush()


def end(code):
    """Blender can crash while it unloads, so we do not wait for that."""
    real_out.flush()
    sys.stderr.flush()
    os._exit(code)


try:
    import bpy
    import numpy as np
except ImportError as error:
    say(f"cannot load Blender: {error}. Use Python 3.11 with: pip install bpy==5.0.1 numpy pillow")
    end(2)


def gltf(path):
    """The JSON of a .glb or .gltf, and its bytes."""
    data = open(path, "rb").read()
    if data[:4] == b"glTF":
        length = struct.unpack("<I", data[12:16])[0]
        return json.loads(data[20 : 20 + length]), data[20 + length + 8 :]
    return json.loads(data), None


def clip_index(root, clip):
    """The place of a clip in the file, by name or by number; the first where none is named; None without clips."""
    names = [a.get("name", "") for a in root.get("animations", [])]
    if not names or clip is None:
        return 0 if names else None
    if clip in names:
        return names.index(clip)
    if clip.isdigit() and int(clip) < len(names):
        return int(clip)
    raise SystemExit(f"no clip {clip!r} in the file; it has {names}")


def accessor(root, blob, index, path):
    """Numbers of a glTF accessor, rows x width; of the kinds that animations have."""
    a = root["accessors"][index]
    view = root["bufferViews"][a["bufferView"]]
    uri = root["buffers"][view["buffer"]].get("uri")
    if uri is None:
        data = blob
    elif uri.startswith("data:"):
        data = base64.b64decode(uri.split(",", 1)[1])
    else:
        data = open(os.path.join(os.path.dirname(path), uri), "rb").read()
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
    kinds = {5126: ("<f4", 1), 5122: ("<i2", 32767), 5120: ("i1", 127), 5123: ("<u2", 65535), 5121: ("u1", 255)}
    kind, scale = kinds[a["componentType"]]
    start = view.get("byteOffset", 0) + a.get("byteOffset", 0)
    size = np.dtype(kind).itemsize * width
    step = view.get("byteStride") or size
    rows = [np.frombuffer(data, kind, width, start + i * step) for i in range(a["count"])]
    return np.array(rows, dtype=np.float64) / scale


def at_times(times, values, how, rotation, t):
    """A curve's values at the times t, by the formulas of glTF: the shorter arc for rotations, Hermite for splines."""
    i = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
    h = times[i + 1] - times[i]
    s = np.clip((t - times[i]) / h, 0, 1)[:, None]
    if how == "CUBICSPLINE":
        a, b, p, q = values[i, 1], values[i + 1, 1], values[i, 2] * h[:, None], values[i + 1, 0] * h[:, None]
        x = (2 * s**3 - 3 * s**2 + 1) * a + (s**3 - 2 * s**2 + s) * p + (3 * s**2 - 2 * s**3) * b + (s**3 - s**2) * q
        return x / np.linalg.norm(x, axis=1, keepdims=True) if rotation else x
    a, b = values[i], values[i + 1]
    dot = (a * b).sum(1, keepdims=True)
    b, angle = np.where(dot < 0, -b, b), np.arccos(np.clip(np.abs(dot), 0, 1))
    small = angle < 1e-6
    sine = np.where(small, 1, np.sin(angle))
    return np.where(small, (1 - s) * a + s * b, (np.sin((1 - s) * angle) * a + np.sin(s * angle) * b) / sine)


def sample_curves(root, blob, path, fps):
    """Blender interpolates the four numbers of a rotation and has its own tangents, so between keys far apart it is not
    glTF. Splines, and rotations with more than 10 degrees between keys, get a key at each frame instead."""
    for animation in root.get("animations", []):
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            how, rotation = sampler.get("interpolation", "LINEAR"), channel["target"]["path"] == "rotation"
            times = accessor(root, blob, sampler["input"], path)[:, 0]
            if how == "STEP" or len(times) < 2 or (how == "LINEAR" and not rotation):
                continue
            values = accessor(root, blob, sampler["output"], path)
            kind = root["accessors"][sampler["output"]]["type"]
            if how == "CUBICSPLINE":
                values = values.reshape(len(times), 3, -1)
            elif (np.abs((values[1:] * values[:-1]).sum(1)) > math.cos(math.radians(5))).all():
                continue
            inner = np.arange(math.floor(times[0] * fps) + 1, math.ceil(times[-1] * fps)) / fps
            t = np.concatenate([times[:1], inner, times[-1:]])
            x = at_times(times, values, how, rotation, t)
            arrays = [(t[:, None], "SCALAR"), (x.reshape(-1, 1) if kind == "SCALAR" else x, kind)]
            channel["sampler"] = len(animation["samplers"])
            first = len(root["accessors"])
            animation["samplers"].append({"input": first, "output": first + 1, "interpolation": "LINEAR"})
            for array, kind in arrays:
                data = array.astype("<f4").tobytes()
                uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
                root["buffers"].append({"byteLength": len(data), "uri": uri})
                root["bufferViews"].append({"buffer": len(root["buffers"]) - 1, "byteLength": len(data)})
                root["accessors"].append({"bufferView": len(root["bufferViews"]) - 1, "componentType": 5126,
                                          "count": len(array), "type": kind,
                                          "min": array.min(0).tolist(), "max": array.max(0).tolist()})


def with_one_clip(path, clip, fps):
    """A copy of a glTF file that has this clip only, so that nothing of another clip stays in the pose."""
    root, blob = gltf(path)
    index = clip_index(root, clip)
    if index is not None:
        root["animations"] = [root["animations"][index]]
        sample_curves(root, blob, path, fps)
    folder = os.path.dirname(os.path.abspath(path))
    for b in root.get("buffers", []) + root.get("images", []):
        uri = b.get("uri", "")
        if uri and not uri.startswith("data:"):
            file = os.path.join(folder, uri)
            if os.path.exists(file):
                b["uri"] = "data:application/octet-stream;base64," + base64.b64encode(open(file, "rb").read()).decode()
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    copy = os.path.join(tempfile.mkdtemp(), "clip.gltf" if blob is None else "clip.glb")
    with open(copy, "wb") as out:
        if blob is not None:
            out.write(struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(blob), len(text), 0x4E4F534A) + text)
            out.write(struct.pack("<II", len(blob), 0x004E4942) + blob)
        else:
            out.write(text)
    return copy


def open_scene(path, fps, clip=None):
    """Opens a .glb, .gltf, .abc, .usda or .obj in an empty scene whose frame k is at k / fps seconds."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = max(1, math.ceil(fps))
    scene.render.fps_base = scene.render.fps / fps
    scene.frame_start = scene.frame_end = 0  # files that stand still do not say
    ending = os.path.splitext(path)[1].lower()
    if ending in (".glb", ".gltf"):
        # Its default heuristic misplaces rigid parts on scaled armatures.
        bpy.ops.import_scene.gltf(filepath=with_one_clip(path, clip, fps), disable_bone_shape=True, merge_vertices=False,
                                  bone_heuristic="TEMPERANCE")
    elif ending == ".abc":
        # The other importers drop faces that name a vertex twice; this one does so only when asked.
        bpy.ops.wm.alembic_import(filepath=os.path.abspath(path), set_frame_range=True, as_background_job=False,
                                  validate_meshes=True)
    elif ending in (".usda", ".usdc", ".usd"):
        bpy.ops.wm.usd_import(filepath=os.path.abspath(path), set_frame_range=True)
    elif ending == ".obj":
        bpy.ops.wm.obj_import(filepath=os.path.abspath(path), forward_axis="Y", up_axis="Z")
    else:
        raise SystemExit(f"cannot open {path}")
    return scene


def meshes(scene):
    return sorted((o for o in scene.objects if o.type == "MESH"), key=lambda o: o.name)


def pose(scene, frame):
    scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
    return bpy.context.evaluated_depsgraph_get()


def world_positions(ob, graph, only=None):
    """The evaluated vertices in world space; `only` those of these indices."""
    evaluated = ob.evaluated_get(graph)
    mesh = evaluated.to_mesh()
    x = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", x)
    evaluated.to_mesh_clear()
    m = np.array(evaluated.matrix_world, dtype=np.float64)
    x = x.reshape(-1, 3) @ m[:3, :3].T + m[:3, 3]
    return x if only is None else x[only]


def in_faces(ob):
    """The vertices that belong to faces: the glTF importer drops all others."""
    corners = np.empty(len(ob.data.loops), dtype=np.int32)
    ob.data.loops.foreach_get("vertex_index", corners)
    return np.unique(corners)


def evaluate(scene, frames):
    """{object: frames x vertices x 3}, world space, of the vertices in faces."""
    out, used = {}, {}
    for frame in frames:
        graph = pose(scene, frame)
        for ob in meshes(scene):
            if ob.name not in used:
                used[ob.name] = in_faces(ob)
            out.setdefault(ob.name, []).append(world_positions(ob, graph, used[ob.name]))
    return {name: np.stack(x) for name, x in out.items()}
