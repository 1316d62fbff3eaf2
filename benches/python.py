"""The Python package: import, draws, and a release from a frame in memory beside the same rows in a Parquet file.

    python3 -m venv .venv && .venv/bin/pip install numpy polars pyarrow maturin
    .venv/bin/maturin build --release --out dist && .venv/bin/pip install dist/inbounds-*.whl
    cargo build --release -p inbounds-mechanisms --example measure_speed
    .venv/bin/python benches/python.py [--rows 10000000] [--pairs 7] [--samplers target/release/examples/measure_speed]

Each pair is a release from memory and one from the file, in turn, in this process; figures are medians of wall seconds, and the
ratio is the median of the ratios of pairs. The import is timed by the interpreter, in processes of its own. Draws are measurements of
vectors of a million answers, the best of twenty, from Rust and from Python in turn.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import inbounds as ib


def imported() -> float:
    """Milliseconds of `import inbounds`, as the interpreter counts them."""
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", "import inbounds"], capture_output=True, text=True, check=True)
    line = next(line for line in done.stderr.splitlines() if line.endswith("| inbounds"))
    return int(line.split("|")[1]) / 1000


def draws(program: str) -> None:
    """Millions of measurements per second, from Rust and from Python in turn."""
    import numpy as np

    answers = np.arange(1_000_000) % 1000
    best = {"Rust": 0.0, "Python": 0.0}
    for _ in range(5):
        rust = float(subprocess.run([program], capture_output=True, text=True, check=True).stdout)
        mechanism = ib.laplace(epsilon="0.05").unbounded()
        times = []
        for _ in range(20):
            begin = time.perf_counter()
            mechanism.measure(answers)
            times.append(time.perf_counter() - begin)
        best = {"Rust": max(best["Rust"], rust), "Python": max(best["Python"], 1 / min(times))}
    print(f"millions of draws/s: Rust {best['Rust']:.0f}, Python {best['Python']:.0f}, ratio {best['Rust'] / best['Python']:.2f}")


def plan(data: object) -> ib.Plan:
    """Counts and mean incomes by state, and the mean age of those who work much."""
    states = [f"State {number:02}" for number in range(51)]
    return ib.Plan(
        data=data,
        privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=3),
        columns={
            "state": {"values": states},
            "age": {"lower": 0, "upper": 100, "missing": "drop"},
            "income": {"lower": 0, "upper": 200_000, "missing": "drop"},
        },
        statistics=[ib.count(by="state"), ib.mean("income", by="state"), ib.mean("age", where="hours >= 40")],
    )


def generate(rows: int) -> object:
    import numpy as np
    import polars as pl

    random = np.random.default_rng(1)
    states = np.array([f"State {number:02}" for number in range(51)])
    return pl.DataFrame(
        {
            "state": states[random.integers(0, 51, rows)],
            "age": random.integers(0, 100, rows),
            "hours": random.integers(0, 81, rows),
            "income": np.round(random.lognormal(10, 0.7, rows), 2),
        }
    )


def seconds(data: object, out: pathlib.Path) -> float:
    begin = time.perf_counter()
    plan(data).release(out, seed=1, not_private=True)
    return time.perf_counter() - begin


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rows", type=int, default=10_000_000)
    arguments.add_argument("--pairs", type=int, default=7)
    arguments.add_argument("--samplers", help="the example measure_speed, to set draws from Python beside")
    asked = arguments.parse_args()
    times = sorted(imported() for _ in range(9))
    print(f"import: {statistics.median(times):.1f} ms (fastest {times[0]:.1f})")
    if asked.samplers:
        draws(asked.samplers)
    with tempfile.TemporaryDirectory() as name:
        room = pathlib.Path(name)
        frame = generate(asked.rows)
        frame.write_parquet(room / "rows.parquet", compression="snappy", row_group_size=1_000_000, use_pyarrow=True)
        pairs = []
        for pair in range(asked.pairs + 1):
            from_frame = seconds(frame, room / f"frame-{pair}")
            from_file = seconds(room / "rows.parquet", room / f"file-{pair}")
            same = [(room / f"{source}-{pair}" / "measurements.csv").read_bytes() for source in ("frame", "file")]
            assert same[0] == same[1], "the same numbers"
            pairs.append((from_frame, from_file))
        # The first pair warms up.
        frames, files = zip(*pairs[1:])
        ratio = statistics.median(one / other for one, other in pairs[1:])
        print(f"{asked.rows} rows of a polars frame: {statistics.median(frames):.3f} s; of Parquet: {statistics.median(files):.3f} s; ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
