"""Twenty statistics of a Parquet file, and rows bounded per person, on two executors of Spark: a release beside Spark's own
aggregation of the same without privacy, and Tumult Analytics.

    python3 benches/peers/spark.py FILE.whl FOLDER [--rows 10000000] [--pairs 3] [--only twenty] [--tumult python3.12]

FILE.whl is the wheel of this package, FOLDER gets an environment for each library, and the rows, which `--delete` takes away
again. Needs Java 17. Each run is a process with a session of its own, `local-cluster[2,1,2048]`, started in turn, and answers the
question of a small file first, so that machines of Java and workers of Python are warm. Prints medians of the wall seconds
from the file to the answer, megabytes that Spark wrote for shuffles, and peak memory: the proportional set sizes of driver,
executors and workers of Python together, and of the workers alone. The ratio is that of runs that follow one another.
"""

import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import venv

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from engine import COLUMNS, plan

PACKAGES = {"inbounds": ["pyspark==4.3.0", "pyarrow", "pandas", "numpy"], "tumult": ["tmlt.analytics==0.21.0", "setuptools"]}
STATES = [f"State {number:02}" for number in range(51)]
WARM = 100_000
PYTHON = "pyspark.daemon"


def generate(path: pathlib.Path, rows: int) -> None:
    """Random rows as of `engine.py`, written once, ten million at a time."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.exists():
        return
    states, sexes = pa.array(STATES), pa.array(["female", "male"])
    writer = None
    for begin in range(0, rows, 10_000_000):
        count, random = min(10_000_000, rows - begin), np.random.default_rng([1, begin])
        table = pa.table(
            {
                "person": random.integers(0, rows * 3 // 10, count),
                "state": states.take(pa.array(random.integers(0, 51, count))),
                "sex": sexes.take(pa.array(random.integers(0, 2, count))),
                "age": random.integers(0, 100, count),
                "hours": random.integers(0, 81, count),
                "income": np.round(random.lognormal(10, 0.7, count), 2),
                "score": np.round(random.normal(0, 1, count), 4),
            }
        )
        writer = writer or pq.ParquetWriter(path, table.schema, compression="snappy")
        writer.write_table(table, row_group_size=1_000_000)
    writer.close()


def session(folder: str, library: str):
    """Two executors with one core each, all that they write below a folder."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "true",
        "spark.ui.port": "0",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": folder,
        # What inbounds demands where it shuffles; all have it.
        "spark.io.encryption.enabled": "true",
        "spark.sql.shuffle.partitions": "16",
        "spark.executor.memory": "2g",
        "spark.driver.memory": "2g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    if library == "tumult":
        settings["spark.sql.warehouse.dir"] = f"{folder}/warehouse"
    builder = SparkSession.builder.master("local-cluster[2,1,2048]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


def inbounds(spark, path: str, question: str) -> None:
    """A release, by its plan."""
    import inbounds as ib

    with tempfile.TemporaryDirectory() as folder:
        written = pathlib.Path(folder) / "plan.toml"
        written.write_text(plan(pathlib.Path(path), question))
        ib.Plan.read(written, rows=spark.read.parquet(path)).release(seed=1, not_private=True, progress=False)


def plain(spark, path: str, question: str) -> None:
    """The same of Spark, without privacy: one query for the statistics that have their groups in common."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    rows = spark.read.parquet(path)
    clip = {name: f.least(f.lit(high), f.greatest(f.lit(low), f.col(name))) for name, (low, high) in COLUMNS.items()}
    if question == "one":
        rows.groupBy("state").count().collect()
        return
    if question == "bounded":
        order = Window.partitionBy("person").orderBy(f.xxhash64("state", "income"))
        kept = rows.select("person", "state", "income").withColumn("rank", f.row_number().over(order)).where("rank <= 2")
        kept.groupBy("state").agg(f.count("*"), f.avg(clip["income"])).collect()
        return
    means = [f.avg(value) for value in clip.values()]
    sums = [f.sum(clip[name]) for name in ("hours", "income")]
    names = list(COLUMNS)
    pairs = [f.covar_pop(clip[a], clip[b]) for i, a in enumerate(names) for b in names[i:]]
    quantiles = [f.percentile_approx(clip[name], [0.25, 0.5, 0.75]) for name in ("age", "income")]
    rows.groupBy("state").agg(f.count("*"), *means, *sums).collect()
    rows.groupBy("sex").agg(f.count("*"), *means).collect()
    rows.groupBy("state", "sex").count().collect()
    rows.groupBy(f.floor(clip["age"] / 10)).count().collect()
    rows.agg(f.count("*"), *sums, *pairs, *quantiles).collect()


def tumult(spark, path: str, question: str) -> None:
    """The same of Tumult Analytics, which has no covariance: nineteen of the twenty, with a twentieth of epsilon each."""
    from tmlt.analytics import AddOneRow, AddRowsWithID, BinningSpec, KeySet, MaxRowsPerID, PureDPBudget, QueryBuilder, Session

    rows = spark.read.parquet(path)
    unit = AddRowsWithID("person") if question == "bounded" else AddOneRow()
    if question == "bounded":
        rows = rows.select("person", "state", "income")
    else:
        rows = rows.drop("person")
    opened = Session.from_dataframe(PureDPBudget(20), "rows", rows, protected_change=unit)
    base = QueryBuilder("rows")
    if question == "bounded":
        base = base.enforce(MaxRowsPerID(2))
    keys = {
        "state": KeySet.from_dict({"state": STATES}),
        "sex": KeySet.from_dict({"sex": ["female", "male"]}),
        "both": KeySet.from_dict({"state": STATES, "sex": ["female", "male"]}),
    }
    of = base.groupby
    if question == "one":
        asked = [of(keys["state"]).count()]
    elif question == "bounded":
        asked = [of(keys["state"]).count(), of(keys["state"]).average("income", 0.0, 200_000.0)]
    else:
        asked = [of(by).count() for by in keys.values()]
        for name, (low, high) in COLUMNS.items():
            ends = (float(low), float(high)) if name in ("income", "score") else (low, high)
            asked += [of(keys[by]).average(name, *ends) for by in ("state", "sex")]
        asked += [of(keys["state"]).sum("hours", 0, 80), base.sum("hours", 0, 80)]
        asked += [of(keys["state"]).sum("income", 0.0, 200_000.0), base.sum("income", 0.0, 200_000.0)]
        asked += [base.quantile("age", p, 0, 100) for p in (0.25, 0.5, 0.75)]
        asked += [base.quantile("income", p, 0.0, 200_000.0) for p in (0.25, 0.5, 0.75)]
        asked += [base.histogram("age", BinningSpec(list(range(0, 101, 10)))), base.count()]
    for query in asked:
        opened.evaluate(query, PureDPBudget(20 / len(asked))).collect()


ANSWERS = {"inbounds": inbounds, "spark": plain, "tumult": tumult}


def shuffled(spark) -> float:
    """Megabytes that all stages so far wrote for shuffles."""
    context = spark.sparkContext
    where = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages"
    with urllib.request.urlopen(where) as answer:
        return sum(stage["shuffleWriteBytes"] for stage in json.load(answer)) / 1e6


def run(options: argparse.Namespace) -> None:
    """One run, in this process; prints its seconds and megabytes."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        spark = session(folder, options.run)
        answer = ANSWERS[options.run]
        answer(spark, str(options.folder / f"spark-{WARM}.parquet"), options.only)
        time.sleep(1)
        before = shuffled(spark)
        print("warm", flush=True)
        begin = time.perf_counter()
        answer(spark, str(options.folder / f"spark-{options.rows[0]}.parquet"), options.only)
        seconds = time.perf_counter() - begin
        print("done", flush=True)
        time.sleep(1)
        print(json.dumps([seconds, shuffled(spark) - before]), flush=True)
        spark.stop()


def memory(root: int) -> tuple[float, float]:
    """Megabytes of a process and all below it, and of the workers of Python among them."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
    below, rest = {root}, dict(parents)
    while found := [pid for pid, parent in rest.items() if parent in below]:
        below.update(found)
        for pid in found:
            del rest[pid]
    whole = workers = 0.0
    for pid in below:
        try:
            sizes = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_text()
        except OSError:
            continue
        size = next((int(line.split()[1]) / 1000 for line in sizes.splitlines() if line.startswith("Pss:")), 0.0)
        whole += size
        workers += size if PYTHON in words else 0.0
    return whole, workers


def measured(python: pathlib.Path, library: str, question: str, rows: int, folder: pathlib.Path, limit: float):
    """Seconds, megabytes shuffled, peak megabytes, and those of Python, of one run; or why there are none.

    A run that has no answer `limit` seconds after its start is ended.
    """
    command = [python, __file__, "-", folder, "--run", library, "--only", question, "--rows", str(rows)]
    with tempfile.TemporaryFile("w+") as words:
        started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=words, text=True, start_new_session=True)
        ended = threading.Event()

        def end() -> None:
            ended.set()
            os.killpg(started.pid, signal.SIGTERM)

        clock = threading.Timer(limit, end)
        clock.start()
        peaks, watching = [0.0, 0.0], threading.Event()

        def watch() -> None:
            while started.poll() is None:
                if watching.is_set():
                    peaks[:] = [max(pair) for pair in zip(peaks, memory(started.pid))]
                time.sleep(0.25)

        watcher = threading.Thread(target=watch)
        watcher.start()
        last = ""
        for line in started.stdout:
            last = line
            (watching.set if line == "warm\n" else watching.clear)()
        started.wait()
        clock.cancel()
        watcher.join()
        if ended.is_set():
            return f"no answer within {limit:,.0f} s"
        if started.returncode:
            words.seek(0)
            return (words.read().strip().splitlines() or [f"ended with {started.returncode}"])[-1]
    return [*json.loads(last), *peaks]


def environment(folder: pathlib.Path, name: str, python: str) -> pathlib.Path:
    """The interpreter of a new environment, or of the one that is there."""
    found = folder / name / "bin" / "python"
    if not found.exists():
        subprocess.run([python, "-m", "venv", folder / name], check=True)
        subprocess.run([found, "-m", "pip", "install", "--quiet", *PACKAGES[name]], check=True)
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("wheel")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--rows", type=int, nargs="+", default=[10_000_000])
    arguments.add_argument("--pairs", type=int, default=3)
    arguments.add_argument("--only", choices=["one", "twenty", "bounded"])
    arguments.add_argument("--tumult", default="python3", help="the Python, 3.10 to 3.12, of Tumult Analytics; 'no' leaves it out")
    arguments.add_argument("--limit", type=float, default=3600.0, help="seconds after which a run is ended")
    arguments.add_argument("--delete", action="store_true")
    arguments.add_argument("--run", choices=ANSWERS, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.run:
        run(options)
        return
    options.folder.mkdir(exist_ok=True)
    ours = environment(options.folder, "inbounds", sys.executable)
    subprocess.run([ours, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", options.wheel], check=True)
    pythons = {"inbounds": ours, "spark": ours}
    if options.tumult != "no":
        try:
            pythons["tumult"] = environment(options.folder, "tumult", options.tumult)
        except subprocess.CalledProcessError:
            print("tumult: is not installed")
    for rows in options.rows:
        made = "import pathlib, spark; [spark.generate(pathlib.Path(f'{folder}/spark-{rows}.parquet'), rows) for rows in sizes]"
        script = f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r}); sizes = [{WARM}, {rows}];"
        subprocess.run([ours, "-c", f"{script} folder = {str(options.folder)!r}; {made}"], check=True)
        for question in [options.only] if options.only else ["one", "twenty", "bounded"]:
            found: dict[str, list] = {}
            loads = []
            for _ in range(options.pairs):
                for library, python in pythons.items():
                    loads.append(os.getloadavg()[0])
                    if not found.get(library) or not isinstance(found[library][-1], str):
                        found.setdefault(library, []).append(measured(python, library, question, rows, options.folder, options.limit))
            print(f"{question}, {rows:,} rows, {options.pairs} runs each, load before them {min(loads):.1f} to {max(loads):.1f}:")
            for library, runs in found.items():
                if isinstance(runs[-1], str):
                    print(f"  {library:9} fails: {runs[-1]}", flush=True)
                    continue
                seconds, bytes_, whole, workers = (statistics.median(figure) for figure in zip(*runs))
                line = f"  {library:9} {seconds:7.2f} s, {bytes_:9,.2f} MB shuffled, peak {whole:6,.0f} MB, Python {workers:6,.0f} MB"
                if library != "inbounds" and not isinstance(found["inbounds"][-1], str):
                    ratios = [own[0] / other[0] for own, other in zip(found["inbounds"], runs)]
                    line += f"; inbounds / {library} x {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
                print(line, flush=True)
        if options.delete:
            (options.folder / f"spark-{rows}.parquet").unlink()


if __name__ == "__main__":
    main()
