"""Four questions about one Parquet file, asked from Python: inbounds beside OpenDP, diffprivlib and PyDP.

    python3 benches/peers/python.py FILE.whl FOLDER [--rows 1000000 10000000] [--runs 3]

FILE.whl is the wheel of this package, FOLDER gets an environment for each library, and the rows. Prints a table: lines of code
without those that import, median seconds of wall time from the file to the answer, and peak memory of the process, imports included.
Every run is a process of its own, and libraries take turns. What a library has no function for is "none"; what it cannot do fails,
and the last line of what it said is printed. The scripts below are what is counted and run.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import textwrap
import venv

PACKAGES = {
    "inbounds": [],
    "OpenDP": ["opendp[polars]"],
    # With the scikit-learn of today its import fails, which the first line of the output shows.
    "diffprivlib": ["diffprivlib==0.6.6", "scikit-learn==1.5.2", "pyarrow"],
    "PyDP": ["python-dp", "pyarrow"],
}

TODAY = {"diffprivlib": ["diffprivlib"]}

IMPORTS = {
    "inbounds": "import inbounds as ib",
    "OpenDP": """
        import opendp.prelude as dp
        import polars as pl
        dp.enable_features("contrib")
    """,
    "diffprivlib": """
        import diffprivlib as dpl
        import numpy as np
        import pyarrow.parquet as pq
    """,
    "PyDP": """
        import pyarrow.compute
        import pydp.algorithms.laplacian as laplacian
        import pyarrow.parquet as pq
    """,
}

QUESTIONS = {
    "counts by group": {
        "inbounds": """
            plan = ib.Plan(
                data=path,
                privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=1),
                columns={"state": ib.Column(values=states)},
                statistics=[ib.count(by="state")],
            )
            answer = plan.release().statistic("count-by-state")
        """,
        "OpenDP": """
            context = dp.Context.compositor(
                data=pl.scan_parquet(path),
                privacy_unit=dp.unit_of(contributions=1),
                privacy_loss=dp.loss_of(epsilon=1.0),
                split_evenly_over=1,
                margins=[dp.polars.Margin(by=["state"], invariant="keys")],
            )
            answer = context.query().group_by("state").agg(dp.len()).release().collect()
        """,
        "diffprivlib": """
            codes = np.searchsorted(states, pq.read_table(path, columns=["state"])["state"].to_numpy())
            answer, _ = dpl.tools.histogram(codes, epsilon=1, bins=len(states), range=(0, len(states)))
        """,
        "PyDP": """
            rows = pq.read_table(path, columns=["state"])["state"]
            answer = {}
            for state in states:
                of_state = pyarrow.compute.sum(pyarrow.compute.equal(rows, state)).as_py()
                answer[state] = laplacian.Count(epsilon=1.0, dtype="int").quick_result([1] * of_state)
        """,
    },
    "bounded mean": {
        "inbounds": """
            plan = ib.Plan(
                data=path,
                privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=1),
                columns={"income": ib.Column(lower=0, upper=200_000, missing="drop")},
                statistics=[ib.mean("income")],
            )
            answer = plan.release().statistic("mean-income")
        """,
        "OpenDP": """
            context = dp.Context.compositor(
                data=pl.scan_parquet(path),
                privacy_unit=dp.unit_of(contributions=1),
                privacy_loss=dp.loss_of(epsilon=1.0),
                split_evenly_over=1,
                margins=[dp.polars.Margin(max_length=20_000_000)],
            )
            income = pl.col("income").fill_nan(0.0).fill_null(0.0).dp.sum((0.0, 200_000.0))
            totals = context.query().select(income, dp.len()).release().collect()
            answer = totals["income"][0] / totals["len"][0]
        """,
        "diffprivlib": """
            income = pq.read_table(path, columns=["income"])["income"].to_numpy()
            answer = dpl.tools.mean(income, epsilon=1, bounds=(0, 200_000))
        """,
        "PyDP": """
            income = pq.read_table(path, columns=["income"])["income"].to_pylist()
            answer = laplacian.BoundedMean(epsilon=1.0, lower_bound=0, upper_bound=200_000, dtype="float").quick_result(income)
        """,
    },
    "covariance of three columns": {
        "inbounds": """
            plan = ib.Plan(
                data=path,
                privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=1),
                columns={
                    "age": ib.Column(lower=0, upper=100, missing="drop"),
                    "hours": ib.Column(lower=0, upper=80, missing="drop"),
                    "income": ib.Column(lower=0, upper=200_000, missing="drop"),
                },
                statistics=[ib.covariance(["age", "hours", "income"])],
            )
            answer = plan.release().statistic("covariance-age-hours-income")
        """,
    },
    "naive Bayes of three columns": {
        "inbounds": """
            plan = ib.Plan(
                data=path,
                privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=1),
                columns={
                    "age": ib.Column(lower=0, upper=100, missing="drop"),
                    "hours": ib.Column(lower=0, upper=80, missing="drop"),
                    "income": ib.Column(lower=0, upper=200_000, missing="drop"),
                    "sex": ib.Column(values=["female", "male"]),
                },
                statistics=[ib.naive_bayes(["age", "hours", "income"], by="sex")],
            )
            answer = plan.release().classifier()
        """,
        "diffprivlib": """
            table = pq.read_table(path, columns=["age", "hours", "income", "sex"])
            X = np.column_stack([table[name].to_numpy() for name in ("age", "hours", "income")])
            bounds = ([0, 0, 0], [100, 80, 200_000])
            answer = dpl.models.GaussianNB(epsilon=1, bounds=bounds).fit(X, table["sex"].to_numpy())
        """,
    },
}

FRAME = """
import json, resource, sys, time
import warnings
warnings.simplefilter("ignore")
{imports}
path, states = sys.argv[1], [f"State {{number:02}}" for number in range(51)]
begin = time.perf_counter()
{question}
seconds = time.perf_counter() - begin
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def environment(folder: pathlib.Path, name: str, packages: list[str]) -> pathlib.Path:
    """The interpreter of a new environment, or of the one that is there."""
    python = folder / name / "bin" / "python"
    if not python.exists():
        venv.create(folder / name, with_pip=True)
        if packages:
            subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return python


def generate(python: pathlib.Path, path: pathlib.Path, rows: int) -> None:
    """Random rows, written once."""
    script = f"""
        import numpy as np, pyarrow as pa, pyarrow.parquet as pq
        random = np.random.default_rng(1)
        states = np.array([f"State {{number:02}}" for number in range(51)])
        pq.write_table(pa.table({{
            "state": states[random.integers(0, 51, {rows})],
            "sex": np.array(["female", "male"])[random.integers(0, 2, {rows})],
            "age": random.integers(0, 100, {rows}).astype("float64"),
            "hours": random.integers(0, 81, {rows}).astype("float64"),
            "income": np.round(random.lognormal(10, 0.7, {rows}), 2),
        }}), {str(path)!r}, compression="snappy", row_group_size=1_000_000)
    """
    if not path.exists():
        subprocess.run([python, "-c", textwrap.dedent(script)], check=True)


def asked(python: pathlib.Path, library: str, question: str, path: pathlib.Path) -> tuple[float, float] | str:
    """Seconds and MiB of one run, or why there are none."""
    script = FRAME.format(imports=textwrap.dedent(IMPORTS[library]), question=textwrap.dedent(question))
    done = subprocess.run([python, "-c", script, path], capture_output=True, text=True)
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
    return tuple(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("wheel")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    arguments.add_argument("--runs", type=int, default=3)
    told = arguments.parse_args()
    told.folder.mkdir(exist_ok=True)
    pythons = {name: environment(told.folder, name, packages) for name, packages in PACKAGES.items()}
    subprocess.run([pythons["inbounds"], "-m", "pip", "install", "--quiet", "--force-reinstall", told.wheel], check=True)
    for name, packages in TODAY.items():
        python = environment(told.folder, f"{name}-today", packages)
        done = subprocess.run([python, "-c", f"import {name}"], capture_output=True, text=True)
        print(f"{name} of today: {done.stderr.strip().splitlines()[-1] if done.returncode else 'imports'}")
    print("| rows | question | " + " | ".join(PACKAGES) + " |")
    print("|---" * (len(PACKAGES) + 2) + "|")
    for rows in told.rows:
        path = told.folder / f"rows-{rows}.parquet"
        generate(pythons["diffprivlib"], path, rows)
        for title, ways in QUESTIONS.items():
            runs = {library: [asked(pythons[library], library, ways[library], path)] for library in ways}
            for _ in range(told.runs - 1):
                for library, found in runs.items():
                    if not isinstance(found[0], str):
                        found.append(asked(pythons[library], library, ways[library], path))
            cells = []
            for library in PACKAGES:
                if library not in ways:
                    cells.append("none")
                elif isinstance(runs[library][0], str):
                    cells.append(f"fails: {runs[library][0]}")
                else:
                    lines = len(textwrap.dedent(ways[library]).strip().splitlines())
                    seconds, memory = (statistics.median(run[place] for run in runs[library]) for place in (0, 1))
                    cells.append(f"{lines} lines, {seconds:.2f} s, {memory:,.0f} MiB")
            print(f"| {rows:,} | {title} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
