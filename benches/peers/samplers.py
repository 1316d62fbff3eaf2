"""Discrete Laplace draws per second of CPU time: other libraries beside this one, on one core.

    cargo build --release -p inbounds-mechanisms --example draw_speed
    python3 benches/peers/samplers.py target/release/examples/draw_speed [FOLDER FOR VIRTUAL ENVIRONMENTS]

Makes virtual environments for the other libraries (two, because they want different versions of numpy), runs itself in
them and then the example, and prints one table. Scale 2 and vectors where a library takes them; what draws one value a
call is asked a few thousand times. Every figure is the best of several runs. A library that cannot be installed or
asked is named as such. The rows marked "insecure" are floors: their output is not private in floating point.
"""

import json
import subprocess
import sys
import time
import venv
from pathlib import Path

SCALE, WIDTH = 2.0, 200

ENVIRONMENTS = {
    "main": ["numpy>=2", "opendp", "diffprivlib==0.6.6", "scikit-learn==1.5.2", "python-dp"],
    "tumult": ["tmlt.core"],
}


def numpy():
    import numpy as np

    generator = np.random.default_rng(1)
    inverse = lambda u: np.copysign(-SCALE * np.log(1 - np.abs(u)), u)
    yield "numpy Generator.laplace, vector (insecure)", 10**6, lambda n: generator.laplace(0, SCALE, n)
    yield "numpy inverse cdf, vector (insecure)", 10**6, lambda n: inverse(2 * generator.random(n) - 1)


def opendp():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    for kind, options in ((int, {}), (float, {"nan": False})):
        space = dp.vector_domain(dp.atom_domain(T=kind, **options)), dp.l1_distance(T=kind)
        laplace = dp.m.make_laplace(*space, scale=SCALE)
        yield f"opendp make_laplace, {kind.__name__} vector", 10**5, lambda n, f=laplace, z=kind(0): f([z] * n)
    scalar = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    one = dp.m.make_laplace(*scalar, scale=SCALE)
    yield "opendp make_laplace, int, a call", 5000, lambda n: [one(0) for _ in range(n)]
    vector = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    bounded = dp.m.make_geometric(*vector, scale=SCALE, bounds=(0, WIDTH))
    yield "opendp make_geometric, bounds (constant time), vector", 5000, lambda n: bounded([0] * n)


def diffprivlib():
    from diffprivlib import mechanisms

    parameters = {"epsilon": 1 / SCALE, "sensitivity": 1}
    ends = {"lower": 0, "upper": WIDTH}
    for name, options, values in (
        ("Geometric", {}, (0,)),
        ("GeometricTruncated", ends, (0,)),
        ("Laplace", {}, (0.0,)),
        ("LaplaceTruncated", ends, (0.0,)),
        ("LaplaceBoundedDomain", ends, (0.0, WIDTH / 2)),
    ):
        mechanism = getattr(mechanisms, name)(**parameters, **options)
        for value in values:
            label = f"diffprivlib {name}, answer {value:g}, a call"
            yield label, 5000, lambda n, m=mechanism, v=value: [m.randomise(v) for _ in range(n)]


def python_dp():
    from pydp.algorithms.numerical_mechanisms import LaplaceMechanism

    mechanism = LaplaceMechanism(epsilon=1 / SCALE, sensitivity=1)
    for value in (0, 0.0):
        name = f"python-dp LaplaceMechanism, {type(value).__name__}, a call"
        yield name, 50_000, lambda n, v=value: [mechanism.add_noise(v) for _ in range(n)]


def tumult():
    from tmlt.core.measurements.noise_mechanisms import AddGeometricNoise, AddLaplaceNoise
    from tmlt.core.domains.numpy_domains import NumpyFloatDomain

    geometric, laplace = AddGeometricNoise(int(SCALE)), AddLaplaceNoise(NumpyFloatDomain(), int(SCALE))
    yield "tmlt.core AddGeometricNoise, a call", 2000, lambda n: [geometric(0) for _ in range(n)]
    yield "tmlt.core AddLaplaceNoise, a call", 2000, lambda n: [laplace(0.0) for _ in range(n)]


PEERS = {"main": (numpy, opendp, diffprivlib, python_dp), "tumult": (tumult,)}


def measure(environment):
    """Runs inside an environment: a JSON line for each row."""
    for peer in PEERS[environment]:
        try:
            for name, draws, draw in peer():
                draw(min(draws, 1000))
                print(json.dumps([name, draws / min(cpu_time(draw, draws) for _ in range(5)) / 1e6]), flush=True)
        except Exception as error:
            print(json.dumps([f"{peer.__name__}: not measured ({type(error).__name__}: {error})"[:150], None]), flush=True)


def cpu_time(draw, draws):
    start = time.process_time()
    draw(draws)
    return time.process_time() - start


def peers(folder):
    """Rows of all environments, each made first if it is not there."""
    for environment, packages in ENVIRONMENTS.items():
        python = folder / environment / "bin" / "python"
        if not python.exists():
            venv.create(folder / environment, with_pip=True)
        install = subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], capture_output=True, text=True)
        if install.returncode:
            yield f"{environment}: not installed ({install.stderr.strip().splitlines()[-1]})", None
            continue
        output = subprocess.run([python, __file__, "--measure", environment], capture_output=True, text=True).stdout
        yield from (json.loads(line) for line in output.splitlines() if line.startswith("["))


def ours(example):
    """Rows of this library, under the name it prints."""
    output = subprocess.run([example], capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        name, speed = line.split("\t")
        yield f"inbounds: {name}", float(speed)


def main():
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else "target/peers")
    mine = list(ours(Path(sys.argv[1]).resolve()))
    reference = dict(mine)["inbounds: any scale, inversion, b = 2"]
    print(f"{'what':60} {'M draws/s':>12} {'ns a draw':>12} {'times slower than inversion':>28}")
    for name, speed in [*mine, *peers(folder)]:
        figures = f"{speed:12.4f} {1e3 / speed:12.1f} {reference / speed:28.1f}" if speed else ""
        print(f"{name:60} {figures}", flush=True)


if sys.argv[1] == "--measure":
    measure(sys.argv[2])
else:
    main()
