"""Times MKL PARDISO's LLᵀ on a matrix that supple-bench wrote: `python3 pardiso.py FILE [--wait]`.

FILE is little-endian: n and nnz (i64), column starts (i64), rows (i64), values (f64); the lower triangle by columns,
which is the upper triangle by rows. Prints one JSON object per line: {"next"} before each factorization, {"seconds"}
after it, and {"residual", "length", "nnz"} after the last one of a number of threads. With --wait each factorization waits for a line on
the standard input, so that two solvers can take turns.
"""

import ctypes
import json
import sys
import time

import numpy as np
import scipy.sparse as sp
from pypardiso import PyPardisoSolver

ROUNDS = 5
# by threads, what is tried: iparm(2), the ordering (2: METIS, 3: its parallel version), and iparm(24), where 1 is the
# two-level factorization
SETTINGS = {1: [(2, 0), (2, 1)], 2: [(2, 0), (2, 1), (3, 0), (3, 1)]}


def say(**message):
    print(json.dumps(message), flush=True)


def read(path):
    """The upper triangle by rows."""
    numbers = np.fromfile(path, dtype="<i8")
    n, nnz = int(numbers[0]), int(numbers[1])
    starts, rows, values = np.split(numbers[2:], [n + 1, n + 1 + nnz])
    upper = sp.csr_matrix((values.view("<f8"), rows, starts), shape=(n, n))
    upper.sort_indices()
    return upper


class Pardiso:
    """One handle; the arrays are prepared once, so that only PARDISO itself is timed."""

    def __init__(self, upper, threads, ordering, two_level):
        self.solver = PyPardisoSolver(mtype=2)
        mkl = self.solver.libmkl
        mkl.MKL_Set_Dynamic(0)
        mkl.MKL_Set_Num_Threads(threads)
        if mkl.MKL_Get_Max_Threads() != threads:
            raise RuntimeError(f"MKL does not take {threads} threads")
        self.n = upper.shape[0]
        self.values = upper.data
        self.starts = (upper.indptr + 1).astype(np.int32)
        self.columns = (upper.indices + 1).astype(np.int32)
        self.iparm = np.zeros(64, dtype=np.int32)
        self.iparm[0], self.iparm[1], self.iparm[23] = 1, ordering, two_level
        self.iparm[17], self.iparm[18] = -1, -1  # report nnz and operations
        self.perm = np.zeros(self.n, dtype=np.int32)
        self.b, self.x = np.ones(self.n), np.zeros(self.n)

    def call(self, phase):
        """Runs one phase and returns its seconds."""
        error, one = ctypes.c_int32(0), ctypes.c_int32(1)
        int32, pointer = ctypes.POINTER(ctypes.c_int32), ctypes.byref
        start = time.perf_counter()
        self.solver._mkl_pardiso(
            self.solver.pt.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)),
            pointer(one), pointer(one), pointer(ctypes.c_int32(2)), pointer(ctypes.c_int32(phase)),
            pointer(ctypes.c_int32(self.n)), self.values.ctypes.data_as(ctypes.c_void_p),
            self.starts.ctypes.data_as(int32), self.columns.ctypes.data_as(int32),
            self.perm.ctypes.data_as(int32), pointer(one), self.iparm.ctypes.data_as(int32),
            pointer(ctypes.c_int32(0)), self.b.ctypes.data_as(ctypes.c_void_p),
            self.x.ctypes.data_as(ctypes.c_void_p), pointer(error),
        )
        seconds = time.perf_counter() - start
        if error.value != 0:
            raise RuntimeError(f"PARDISO phase {phase} failed with error {error.value}")
        return seconds


def fastest(upper, threads):
    """The setting with the fastest factorization of one try each."""
    tries = []
    for setting in SETTINGS[threads]:
        pardiso = Pardiso(upper, threads, *setting)
        pardiso.call(11)
        tries.append((pardiso.call(22), setting))
        pardiso.call(-1)
    return min(tries)[1]


def main():
    upper, wait = read(sys.argv[1]), "--wait" in sys.argv
    strict = sp.triu(upper, k=1)
    for threads in SETTINGS:
        ordering, two_level = fastest(upper, threads)
        pardiso = Pardiso(upper, threads, ordering, two_level)
        pardiso.call(11)
        for _ in range(ROUNDS):
            time.sleep(0.3)  # lets the spinning threads of OpenMP fall asleep before the other solver's turn
            say(next=threads)
            if wait:
                sys.stdin.readline()
            setting = f"iparm(2)={ordering} iparm(24)={two_level}"
            say(seconds=pardiso.call(22), threads=threads, setting=setting)
        pardiso.call(33)
        x, b = pardiso.x, pardiso.b
        residual = np.linalg.norm(upper @ x + strict.T @ x - b) / np.linalg.norm(b)
        say(residual=float(residual), length=float(np.linalg.norm(x)), nnz=int(pardiso.iparm[17]))
        pardiso.call(-1)


main()
