"""Times fast_cody 0.0.8 on the fish: `python3 fast_cody.py FOLDER ITERATIONS TOLERANCE [STEPS]`.

FOLDER holds cd_fish.msh and rigs/skeleton_rig. 16 skinning modes (192 degrees of freedom), 100 clusters, μ = 1e4, density
1e3, h = 0.01 s, constraints as in the paper ("optimal"). Prints JSON objects: {"precompute"} in seconds, without reading files and carrying weights, then {"step"}: the
median seconds of a step of the swim, which ends when its coefficients change by less than TOLERANCE, or after ITERATIONS.
"""

import json
import sys
import time
from pathlib import Path

sys.path.pop(0)  # this folder: the file has the name of the package

import numpy as np
import igl
import fast_cd_pyb as pyb
import fast_cody as cody


def say(**message):
    print(json.dumps(message), flush=True)


def run(sim, basis, poses, steps):
    """The median and the worst seconds of a step, and the root mean square of the displacement over vertices and steps."""
    state = cody.fast_cd_state(np.zeros((basis.shape[1], 1)), poses[:, [0]])
    seconds, squares = [], []
    for k in range(steps):
        p = poses[:, [k % poses.shape[1]]]
        start = time.perf_counter()
        z = sim.step(p, state)
        seconds.append(time.perf_counter() - start)
        state.update(z, p)
        squares.append(3 * np.mean((basis @ z) ** 2))
    return float(np.median(seconds)), float(np.max(seconds)), float(np.sqrt(np.mean(squares)))


def main():
    folder, iterations, tolerance = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    V, F, T = cody.read_msh(str(folder / "cd_fish.msh"))
    rig = folder / "rigs/skeleton_rig"
    surface, _, weights, rest, _, _ = cody.read_rig_from_json(str(rig / "skeleton_rig.json"))
    motion = cody.read_rig_anim_from_json(str(rig / "anim/swim.json"))
    start = time.perf_counter()
    nearest = igl.point_mesh_squared_distance(surface, V, np.arange(V.shape[0]))[1]
    weights = cody.diffuse_weights(V, T, weights, nearest, dt=10000)
    V, scale, shift = pyb.scale_and_center_geometry(V, 1, np.zeros((1, 3)))
    rest, motion = rest * scale, motion * scale
    rest[:, :, 3] -= shift
    motion[:, :, :, 3] -= shift
    say(carried=time.perf_counter() - start)

    start = time.perf_counter()
    J = cody.lbs_jacobian(V, weights)
    C = cody.complementary_constraint_matrix(V, T, J, dt=1e-3)
    basis, clusters, _ = cody.skinning_subspace(
        V, T, 16, 100, C=cody.lbs_weight_space_constraint(V, C), constraint_enforcement="optimal"
    )
    sim = cody.fast_cd_sim(V, T, basis, clusters, J, mu=1e4, rho=1e3, h=1e-2, max_iters=iterations, threshold=tolerance)
    say(precompute=time.perf_counter() - start, freedoms=basis.shape[1], clusters=int(clusters.max()) + 1)

    relative = cody.world2rel(motion, rest)
    poses = np.transpose(relative, [3, 1, 2, 0]).reshape((12 * weights.shape[1], motion.shape[0]), order="F")
    steps = int(sys.argv[4]) if len(sys.argv) > 4 else poses.shape[1]
    median, worst, motion = run(sim, basis, poses, steps)
    say(step=median, worst=worst, motion=motion)


main()
