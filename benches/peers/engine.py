"""Twenty statistics of one file: a release beside polars and DuckDB, which add no noise. And rows bounded per person.

    python3 -m venv .venv && .venv/bin/pip install duckdb numpy polars pyarrow
    cargo build --release -p inbounds-cli
    .venv/bin/python benches/peers/engine.py target/release/inbounds [--rows 10000000] [--pairs 7] [--format parquet]

Each run is a process of its own, started in turn; figures are medians of its CPU seconds, its wall seconds and its peak
memory, that of the process alone (`child.py`), start of the process included, and the ratio is that of runs that follow one
another. With `--cores 1` all run on one.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile
import textwrap

import child

COLUMNS = {"age": (0, 100), "hours": (0, 80), "income": (0, 200_000), "score": (-5, 5)}


def generate(path: pathlib.Path, rows: int, form: str) -> None:
    """Random rows, written once."""
    import numpy as np
    import polars as pl

    random = np.random.default_rng(1)
    states = np.array([f"State {number:02}" for number in range(51)])
    frame = pl.DataFrame(
        {
            "person": random.integers(0, rows * 3 // 10, rows),
            "state": states[random.integers(0, 51, rows)],
            "sex": np.array(["female", "male"])[random.integers(0, 2, rows)],
            "age": random.integers(0, 100, rows),
            "hours": random.integers(0, 81, rows),
            "income": np.round(random.lognormal(10, 0.7, rows), 2),
            "score": np.round(random.normal(0, 1, rows), 4),
        }
    )
    if form == "csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path, compression="snappy", row_group_size=1_000_000, use_pyarrow=True)


def plan(path: pathlib.Path, question: str) -> str:
    """The plan of a question."""
    states = ", ".join(f'"State {number:02}"' for number in range(51))
    unit = '{ column = "person", max_rows = 2 }' if question == "bounded" else '"row"'
    head = f"""
        title = "Benchmark"
        [data]
        path = "{path}"
        [privacy]
        unit = {unit}
        neighbours = "add-remove"
        epsilon = 20
        [columns.person]
        type = "integer"
        [columns.state]
        type = "text"
        values = [{states}]
        [columns.sex]
        type = "text"
        values = ["female", "male"]
        """
    for name, (lower, upper) in COLUMNS.items():
        kind = "number" if name in ("income", "score") else "integer"
        head += f"""
        [columns.{name}]
        type = "{kind}"
        lower = {lower}
        upper = {upper}
        missing = "drop"
        """
    number = 0

    def statistic(**keys: object) -> str:
        nonlocal number
        number += 1
        written = {key: value if key == "edges" else json.dumps(value) for key, value in keys.items()}
        lines = "".join(f"{key} = {value}\n" for key, value in written.items())
        return f'\n[[statistic]]\nname = "s{number:02}"\n{lines}'

    head = textwrap.dedent(head)
    if question == "bounded":
        return head + statistic(kind="count", by=["state"]) + statistic(kind="mean", column="income", by=["state"])
    if question == "one":
        return head + statistic(kind="count", by=["state"])
    for by in (["state"], ["sex"], ["state", "sex"]):
        head += statistic(kind="count", by=by)
    for column in COLUMNS:
        head += statistic(kind="mean", column=column, by=["state"]) + statistic(kind="mean", column=column, by=["sex"])
    for column in ("hours", "income"):
        head += statistic(kind="sum", column=column, by=["state"]) + statistic(kind="sum", column=column)
    head += statistic(kind="covariance", columns=["age", "hours", "income", "score"])
    for column in ("age", "income"):
        edges = f"{{ lower = 0, upper = {COLUMNS[column][1]}, bins = 100 }}"
        head += statistic(kind="quantile", column=column, probabilities=[0.25, 0.5, 0.75], edges=edges)
    head += statistic(kind="histogram", column="age", edges="{ lower = 0, upper = 100, bins = 10 }")
    head += statistic(kind="count")
    assert number == 20, number
    return head


def polars(path: pathlib.Path, question: str) -> None:
    """The same in one pass of polars, without privacy."""
    import polars as pl

    lazy = pl.scan_csv(path) if path.suffix == ".csv" else pl.scan_parquet(path)
    clip = {name: pl.col(name).clip(*ends) for name, ends in COLUMNS.items()}
    if question == "bounded":
        kept = lazy.select("person", "state", "income").group_by("person").agg(pl.all().head(2)).explode("state", "income")
        kept.group_by("state").agg(pl.len(), clip["income"].mean()).collect(engine="streaming")
        return
    if question == "one":
        lazy.group_by("state").len().collect(engine="streaming")
        return
    means = [value.mean().alias(f"mean {name}") for name, value in clip.items()]
    sums = [clip[name].sum().alias(f"sum {name}") for name in ("hours", "income")]
    pairs = [
        pl.cov(clip[one], clip[other]).alias(f"{one} {other}") for one in COLUMNS for other in COLUMNS if one <= other
    ]
    quantiles = [clip[name].quantile(p).alias(f"{name} {p}") for name in ("age", "income") for p in (0.25, 0.5, 0.75)]
    pl.collect_all(
        [
            lazy.group_by("state").agg(pl.len(), *means, *sums),
            lazy.group_by("sex").agg(pl.len(), *means),
            lazy.group_by("state", "sex").len(),
            lazy.group_by(clip["age"] // 10).len(),
            lazy.select(pl.len(), *sums, *pairs, *quantiles),
        ],
        engine="streaming",
    )


def duckdb(path: pathlib.Path, question: str) -> None:
    """The same as queries of DuckDB, without privacy."""
    import duckdb

    run = duckdb.connect()
    run.execute(f"SET threads = {len(os.sched_getaffinity(0))}")
    clip = {name: f"greatest({low}, least({high}, {name}))" for name, (low, high) in COLUMNS.items()}
    if question == "bounded":
        rank = "row_number() OVER (PARTITION BY person ORDER BY hash(state, income))"
        kept = f"SELECT state, income FROM '{path}' QUALIFY {rank} <= 2"
        run.execute(f"SELECT state, count(*), avg({clip['income']}) FROM ({kept}) GROUP BY state").fetchall()
        return
    queries = ["SELECT state, count(*) FROM rows GROUP BY state"]
    if question != "one":
        queries += ["SELECT sex, count(*) FROM rows GROUP BY sex", "SELECT state, sex, count(*) FROM rows GROUP BY ALL"]
        queries += [f"SELECT {by}, avg({value}) FROM rows GROUP BY {by}" for value in clip.values() for by in ("state", "sex")]
        for name in ("hours", "income"):
            queries += [f"SELECT state, sum({clip[name]}) FROM rows GROUP BY state", f"SELECT sum({clip[name]}) FROM rows"]
        pairs = [f"covar_pop({clip[one]}, {clip[other]})" for one in clip for other in clip if one <= other]
        queries += [f"SELECT {', '.join(pairs)} FROM rows"]
        queries += [f"SELECT quantile_cont({clip[name]}, [0.25, 0.5, 0.75]) FROM rows" for name in ("age", "income")]
        queries += [f"SELECT {clip['age']} // 10 AS bin, count(*) FROM rows GROUP BY bin", "SELECT count(*) FROM rows"]
        assert len(queries) == 20, len(queries)
    for query in queries:
        run.execute(query.replace("FROM rows", f"FROM '{path}'")).fetchall()


def measure(command: list[str]) -> tuple[float, float, float]:
    """CPU seconds, wall seconds and peak MB of a process, without what this one holds."""
    taken = child.run(command)
    if taken.code:
        sys.exit(f"{command} failed: {taken.output}")
    return taken.cpu, taken.wall, taken.peak


def main() -> None:
    """Runs everything in turn and prints the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--format", choices=["parquet", "csv"], default="parquet")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()))
    parser.add_argument("--cores", type=int, default=0)
    parser.add_argument("--only", choices=["twenty", "bounded", "one"])
    parser.add_argument("--against", help="another program inbounds, such as an older one")
    parser.add_argument("--as", dest="rival", help=argparse.SUPPRESS)
    options = parser.parse_args()
    path = options.folder / f"engine-{options.rows}.{options.format}"
    if options.rival:
        {"polars": polars, "duckdb": duckdb}[options.rival](path, options.only)
        return
    if options.cores:
        os.sched_setaffinity(0, range(options.cores))
        os.environ["POLARS_MAX_THREADS"] = str(options.cores)
    if not path.exists():
        generate(path, options.rows, options.format)
    for question in [options.only] if options.only else ["one", "twenty", "bounded"]:
        with tempfile.TemporaryDirectory() as folder:
            written = pathlib.Path(folder) / "plan.toml"
            written.write_text(plan(path, question))
            rivals = {name: [sys.executable, __file__, "-", "--as", name, "--only", question] for name in ("polars", "duckdb")}
            for command in rivals.values():
                command += ["--rows", str(options.rows), "--format", options.format, "--folder", str(options.folder)]
            release = ["release", str(written), "--seed", "1", "--not-private"]
            programs = {"inbounds": options.program} | ({"against": options.against} if options.against else {})
            found: dict[str, list[tuple[float, float, float]]] = {}
            for run in range(options.pairs):
                for name, program in programs.items():
                    command = [program, *release, "--out", f"{folder}/{name}-{run}"]
                    found.setdefault(name, []).append(measure(command))
                for name, command in rivals.items():
                    found.setdefault(name, []).append(measure(command))
        print(f"{question}, {options.rows} rows of {options.format}, {options.pairs} runs each:")
        for name, runs in found.items():
            cpu, wall, peak = (statistics.median(figure) for figure in zip(*runs))
            ratios = [[own[figure] / other[figure] for own, other in zip(found["inbounds"], runs)] for figure in (0, 1)]
            compared = ", ".join(
                f"{word} x {statistics.median(ratio):.2f} ({min(ratio):.2f} to {max(ratio):.2f})"
                for word, ratio in zip(("CPU", "wall"), ratios)
            )
            print(f"  {name:9} {cpu:6.2f} s CPU, {wall:6.2f} s wall, {peak:6.0f} MB; inbounds / {name}: {compared}")


if __name__ == "__main__":
    main()
