"""Nonnegative least squares on trees like US geography: general solvers beside this project, CPU time in one table.

    python3 -m venv .venv && .venv/bin/pip install numpy scipy piqp osqp clarabel cvxpy
    .venv/bin/python benches/peers/trees.py 10000 100000 1000000

Trees come from `cargo run --release -p inbounds-project --example tree_export`. Every solver gets the well-conditioned
form, d = s - x with bounds on leaves only; assembling its matrices is not counted, except for cvxpy, whose work that is.
Each solver runs in a process of its own with one thread and a time limit (TREES_LIMIT seconds of wall time, 300 unless set);
`difference` is the largest distance of its estimates from ours.
"""

import importlib.metadata
import os
import subprocess
import sys
import tempfile
import time

THREADS = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")}
LIMIT = float(os.environ.get("TREES_LIMIT", "300"))


def problem(folder):
    """Matrix of the sums, right side, leaves, lower bounds of d on them."""
    import numpy as np
    import scipy.sparse as sp

    parent, value = np.load(f"{folder}/parent.npy"), np.load(f"{folder}/value.npy")
    nodes = len(parent)
    children = np.flatnonzero(parent >= 0)
    inner = np.unique(parent[children])
    row = np.full(nodes, -1)
    row[inner] = np.arange(len(inner))
    rows = np.concatenate([row[parent[children]], np.arange(len(inner))])
    columns = np.concatenate([children, inner])
    entries = np.concatenate([np.ones(len(children)), -np.ones(len(inner))])
    sums = sp.csc_matrix((entries, (rows, columns)), shape=(len(inner), nodes))
    leaves = np.flatnonzero(row < 0)
    return sums, -(sums @ value), leaves, -value[leaves], value


def piqp(folder):
    import numpy as np
    import piqp
    import scipy.sparse as sp

    sums, right, leaves, lower, value = problem(folder)
    nodes = len(value)
    below = np.full(nodes, -np.inf)
    below[leaves] = lower
    identity, zero = sp.eye(nodes, format="csc"), np.zeros(nodes)
    solver = piqp.SparseSolver()
    start = time.process_time()
    solver.setup(P=identity, c=zero, A=sums, b=right, x_l=below)
    solver.solve()
    return time.process_time() - start, np.asarray(solver.result.x) + value


def osqp(folder):
    import numpy as np
    import osqp
    import scipy.sparse as sp

    sums, right, leaves, lower, value = problem(folder)
    nodes = len(value)
    matrix = sp.vstack([sums, sp.eye(nodes, format="csr")[leaves]], format="csc")
    low = np.concatenate([right, lower])
    high = np.concatenate([right, np.full(len(leaves), np.inf)])
    identity, zero = sp.eye(nodes, format="csc"), np.zeros(nodes)
    solver = osqp.OSQP()
    start = time.process_time()
    solver.setup(identity, zero, matrix, low, high, verbose=False, polishing=True)
    found = solver.solve()
    return time.process_time() - start, found.x + value


def clarabel(folder):
    import clarabel
    import numpy as np
    import scipy.sparse as sp

    sums, right, leaves, lower, value = problem(folder)
    nodes = len(value)
    matrix = sp.vstack([sums, -sp.eye(nodes, format="csr")[leaves]], format="csc")
    bound = np.concatenate([right, -lower])
    cones = [clarabel.ZeroConeT(len(right)), clarabel.NonnegativeConeT(len(leaves))]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    identity, zero = sp.eye(nodes, format="csc"), np.zeros(nodes)
    start = time.process_time()
    found = clarabel.DefaultSolver(identity, zero, matrix, bound, cones, settings).solve()
    return time.process_time() - start, np.asarray(found.x) + value


def cvxpy(folder):
    import cvxpy as cp

    sums, right, leaves, lower, value = problem(folder)
    start = time.process_time()
    unknown = cp.Variable(len(value))
    goal = cp.Minimize(cp.sum_squares(unknown))
    cp.Problem(goal, [sums @ unknown == right, unknown[leaves] >= lower]).solve(solver=cp.CLARABEL)
    return time.process_time() - start, unknown.value + value


SOLVERS = {"piqp": piqp, "osqp": osqp, "clarabel": clarabel, "cvxpy": cvxpy}


def one(name, folder):
    """What a solver's own process prints: CPU seconds and largest difference."""
    import numpy as np

    seconds, estimate = SOLVERS[name](folder)
    print(seconds, np.max(np.abs(estimate - np.load(f"{folder}/estimate.npy"))))


def timed(name, folder):
    command = [sys.executable, __file__, "--one", name, folder]
    try:
        output = subprocess.run(command, env=os.environ | THREADS, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None, f"more than {LIMIT:.0f} s"
    if output.returncode != 0:
        return None, "failed: " + (output.stderr.strip().splitlines() or ["no message"])[-1]
    seconds, difference = map(float, output.stdout.split()[-2:])
    return seconds, f"{difference:.1e}"


def main(sizes):
    print("  ".join(f"{name} {importlib.metadata.version(name)}" for name in SOLVERS))
    print(f"{'leaves':>9} {'solver':<22} {'CPU s':>10} {'x project':>10}  difference")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            export = ["cargo", "run", "-q", "--release", "-p", "inbounds-project", "--example", "tree_export", "--"]
            output = subprocess.run([*export, size, folder], check=True, capture_output=True, text=True)
            equality, ours, integer = map(float, output.stdout.split())
            rows = [("inbounds equality (P)", equality, "-"), ("inbounds project (P+)", ours, "0"),
                    ("inbounds integer", integer, "-")]
            rows += [(name, *timed(name, folder)) for name in SOLVERS]
        for name, seconds, remark in rows:
            figures = f"{seconds:>10.5f} {seconds / ours:>10.1f}" if seconds is not None else f"{'-':>10} {'-':>10}"
            print(f"{size:>9} {name:<22} {figures}  {remark}", flush=True)


if sys.argv[1:2] == ["--one"]:
    one(*sys.argv[2:])
else:
    main(sys.argv[1:] or ["10000", "100000"])
