"""Rows in Spark give the bundle of one file, byte for byte, on executors of their own; and nothing of them lies about.

By name: `python/test --with 'pyspark[connect]' --with pyarrow`, with Java 17; skipped loudly otherwise.
`INBOUNDS_SPARK=local[2]` for one process where executors of their own cannot be started.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import unittest
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import inbounds as ib
from common import PLANS, files, lists, needs

CANARY = "canary8675309"
OF_ERRORS = "canary1234567"
PRIVACY = {"unit": {"column": "person", "max_rows": 2}, "neighbours": "add-remove", "epsilon": 1}


def java() -> bool:
    """Whether there is a Java; says loudly if not."""
    found = shutil.which("java") is not None or "JAVA_HOME" in os.environ
    if not found:
        print("SKIPPED: Spark, Java is not installed", file=sys.stderr)
    return found


def session(folder: Path, more: dict[str, str] | None = None) -> Any:
    """Two executors, each a process of its own, which write what they write below a folder."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    for name in ("events", "local"):
        (folder / name).mkdir(exist_ok=True)
    builder = SparkSession.builder.master(os.environ.get("INBOUNDS_SPARK", "local-cluster[2,1,1024]"))
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # So that whatever lies on a disk in the clear is found there.
        "spark.shuffle.compress": "false",
        "spark.shuffle.spill.compress": "false",
        "spark.broadcast.compress": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": (folder / "events").as_uri(),
        "spark.local.dir": str(folder / "local"),
        "spark.io.encryption.enabled": "true",
        "spark.sql.shuffle.partitions": "3",
        "spark.executor.memory": "1g",
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        **(more or {}),
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def frame(spark: Any, columns: dict[str, list[Any]]) -> Any:
    """The columns as a frame of texts."""
    import pyarrow

    return spark.createDataFrame(
        pyarrow.table({name: pyarrow.array(cells, pyarrow.string()) for name, cells in columns.items()})
    )


def with_canary(spark: Any, room: Path) -> list[Path]:
    """The files of Spark with the canary in the clear: blocks, shuffles, the log of events, what executors print."""
    import pyspark

    home = Path(os.environ.get("SPARK_HOME", Path(pyspark.__file__).parent))
    folders = [room, home / "work" / spark.sparkContext.applicationId]
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert any(path.suffix == ".data" for path in found), "a shuffle was written"
    return [path for path in found if CANARY.encode() in path.read_bytes()]


def visits() -> dict[str, list[Any]]:
    """Visits of persons whose names have blanks around them, in an order of their own."""
    rows = [
        (f"{' ' * (row % 2)}{CANARY}-{row * 7 % 90}{'  ' * (row % 3 % 2)}", str(row * 13 % 101))
        for row in range(900)
    ]
    return {"person": [person for person, _ in rows], "age": [age for _, age in rows]}


def plan(rows: Any, **more: Any) -> ib.Plan:
    """A count and a sum over visits."""
    return ib.Plan(
        data=rows,
        privacy={**PRIVACY, **more},
        columns={"person": {"type": "text"}, "age": {"type": "integer", "lower": 0, "upper": 100, "missing": "drop"}},
        statistics=[ib.count(), ib.sum("age", where="age >= 18")],
    )


@needs("pyspark", "pyarrow")
@unittest.skipUnless(java(), "Java is not installed")
class Spark(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        room = tempfile.TemporaryDirectory()
        cls.addClassCleanup(room.cleanup)
        cls.room = Path(room.name)
        warnings.simplefilter("ignore", ResourceWarning)
        cls.spark = session(cls.room)
        cls.addClassCleanup(cls.spark.stop)

    def test_every_example_is_the_same_as_from_its_file(self) -> None:
        for path in PLANS:
            columns = lists(path.parent / tomllib.loads(path.read_text())["data"]["path"])
            expected = files(ib.Plan.read(path).release(seed=7, not_private=True))
            # All rows in one partition, and in more than there are executors, before and after a shuffle.
            for partitions in (1, 2, 7) if path.stem in ("plan", "patients", "learned") else (3,):
                with self.subTest(plan=f"{path.parent.name}/{path.stem}", partitions=partitions):
                    self.spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
                    rows = frame(self.spark, columns).repartition(partitions)
                    found = ib.Plan.read(path, rows=rows).release(seed=7, not_private=True, progress=False)
                    self.assertEqual(files(found), expected)
        self.spark.conf.set("spark.sql.shuffle.partitions", "3")

    def test_units_meet_by_the_name_that_is_read(self) -> None:
        here = plan(visits()).release(seed=3, not_private=True)
        there = plan(frame(self.spark, visits()).repartition(5)).release(seed=3, not_private=True, progress=False)
        self.assertEqual(files(there), files(here))

    def test_no_rows_are_no_shares(self) -> None:
        here = plan({"person": [], "age": []}).release(seed=3, not_private=True)
        empty = frame(self.spark, visits()).where("false")
        self.assertEqual(files(plan(empty).release(seed=3, not_private=True, progress=False)), files(here))

    def test_a_share_that_is_planted_twice_counts_once(self) -> None:
        made = plan(frame(self.spark, visits()).repartition(4))
        assert made._spark is not None
        shares = made._spark.shares(made.question())
        self.assertGreater(len(shares), 1)
        here = files(plan(visits()).release(seed=3, not_private=True))
        self.assertEqual(files(made.release(shares=[*shares, *reversed(shares)], seed=3, not_private=True)), here)
        # They were of that release.
        with self.assertRaisesRegex(ib.DataError, "another release"):
            made.release(shares=shares, seed=3, not_private=True)

    def test_what_cannot_be_computed_is_said_without_a_cell(self) -> None:
        from pyspark.sql.functions import lit, udf

        def broken(cell: str) -> str:
            raise ValueError(cell)

        failing = frame(self.spark, visits()).withColumn("age", udf(broken)(lit(OF_ERRORS)))
        with self.assertRaises(ib.DataError) as caught:
            plan(failing).release(seed=3, not_private=True, progress=False)
        self.assertIn("withheld", str(caught.exception))
        self.assertNotIn(OF_ERRORS, str(caught.exception))
        self.assertIsNone(caught.exception.__context__)

    def test_no_name_of_a_unit_lies_on_a_disk(self) -> None:
        # Keys that are learned are names too.
        rows = frame(self.spark, {**visits(), "code": visits()["person"]}).repartition(4)
        plan(rows).release(seed=3, not_private=True, progress=False)
        learned = ib.count(by="code", learn_keys=True)
        privacy = {
            "unit": {"column": "person", "max_rows": 2},
            "neighbours": "add-remove",
            "epsilon": 1,
            "delta": "1e-6",
        }
        columns = {"person": {"type": "text"}, "code": {"type": "text"}}
        ib.Plan(data=rows, privacy=privacy, columns=columns, statistics=[learned]).release(
            seed=3, not_private=True, progress=False
        )
        self.assertEqual(with_canary(self.spark, self.room), [])
        logs = list((self.room / "events").rglob("*"))
        self.assertGreater(sum(path.stat().st_size for path in logs if path.is_file()), 1000)

    def test_what_is_killed_or_fails_in_the_middle_counts_once(self) -> None:
        mark = self.room / "killed"
        mark.mkdir()
        is_cluster = self.spark.sparkContext.master.startswith("local-cluster")

        def fragile(batches: Any) -> Any:
            from pyspark import TaskContext

            part = TaskContext.get().partitionId()
            for number, batch in enumerate(batches):
                yield batch
                # In the middle of a partition: a task raises twice, a worker of Python dies, and an executor dies.
                attempts = [mark / f"{part}-{attempt}" for attempt in range({0: 2, 1: 1, 2: 1}.get(part, 0))]
                attempt = next((attempt for attempt in attempts if not attempt.exists()), None)
                if number > 0 and attempt is not None:
                    attempt.touch()
                    if part == 1:
                        os.kill(os.getpid(), signal.SIGKILL)
                    if part == 2 and is_cluster:
                        os.kill(
                            int(Path(f"/proc/{os.getppid()}/stat").read_text().rsplit(")", 1)[1].split()[1]),
                            signal.SIGKILL,
                        )
                    raise RuntimeError("a task that fails")

        self.spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "50")
        rows = frame(self.spark, visits()).repartition(4)
        rows = rows.mapInArrow(fragile, rows.schema)
        for unit in ("row", PRIVACY["unit"]):
            found = files(plan(rows, unit=unit).release(seed=3, not_private=True, progress=False))
            self.assertEqual(found, files(plan(visits(), unit=unit).release(seed=3, not_private=True)))
            self.assertEqual(len(list(mark.iterdir())), 4, "four attempts failed")
            for failed in mark.iterdir():
                failed.unlink()

    def test_a_plan_that_cannot_be_read_says_so_without_a_cell(self) -> None:
        rows = frame(self.spark, {**visits(), "nested": ["x"] * 900}).selectExpr(
            "person", "age", "array(nested) as nested"
        )
        columns = {"nested": {"type": "text"}, "person": {"type": "text"}}
        with self.assertRaisesRegex(ib.DataError, "nested"):
            ib.Plan(data=rows, privacy=PRIVACY, columns=columns, statistics=[ib.count(where="nested = 'x'")])


def by_connect() -> None:
    """Holds a release over Spark Connect against one of the rows here; a process has either kind of session."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.remote("local[2]").config("spark.io.encryption.enabled", "true")
    spark = builder.config("spark.sql.shuffle.partitions", "3").getOrCreate()
    assert type(spark).__module__.startswith("pyspark.sql.connect"), type(spark)
    here = plan(visits()).release(seed=3, not_private=True)
    there = plan(frame(spark, visits()).repartition(5)).release(seed=3, not_private=True, progress=False)
    assert files(there) == files(here)
    spark.stop()


@needs("pyspark", "pyarrow", "grpc")
@unittest.skipUnless(java(), "Java is not installed")
class Connect(unittest.TestCase):
    def test_a_frame_of_spark_connect_is_released_as_any_other(self) -> None:
        script = "import test_spark; test_spark.by_connect()"
        plain = {**os.environ, "PYSPARK_PYTHON": sys.executable}
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=Path(__file__).parent,
            env=plain,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """A master and two workers, on addresses of the loopback that Spark takes for two hosts; the address of the master."""
    import pyspark

    home = Path(os.environ.get("SPARK_HOME", Path(pyspark.__file__).parent))
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, host: str, *words: str) -> Path:
        log = folder / f"{name}.log"
        command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{words[0]}", "--host", host]
        with log.open("wb") as output:
            started.append(
                subprocess.Popen([*command, "--webui-port", "0", *words[1:]], stdout=output, stderr=subprocess.STDOUT)
            )
        return log

    def found(log: Path, words: str) -> str:
        for _ in range(600):
            match = re.search(words, log.read_text(errors="replace"))
            if match is not None:
                return match.group(0)
            time.sleep(0.1)
        raise AssertionError(f"no `{words}` in {log.read_text(errors='replace')[-2000:]}")

    try:
        address = found(start("master", "127.0.0.1", "master.Master", "--port", "0"), r"spark://127\.0\.0\.1:\d+")
        for host in HOSTS:
            more = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder / f"work-{host}"), address]
            found(start(f"worker-{host}", host, "worker.Worker", *more), "Successfully registered with master")
        yield address
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(60)


HOSTS = ("127.0.0.2", "127.0.0.3")


@needs("pyspark", "pyarrow")
@unittest.skipUnless(java(), "Java is not installed")
class Speculation(unittest.TestCase):
    def test_twins_of_slow_tasks_on_another_host_count_once(self) -> None:
        room = Path(self.enterContext(tempfile.TemporaryDirectory()))
        mark = room / "mark"
        mark.mkdir()
        settings = {
            "spark.master": self.enterContext(cluster(room)),
            "spark.executor.cores": "1",
            "spark.speculation": "true",
            "spark.speculation.interval": "100ms",
            "spark.speculation.minTaskRuntime": "100ms",
            "spark.speculation.multiplier": "1.1",
            "spark.speculation.quantile": "0.5",
            "spark.sql.execution.arrow.maxRecordsPerBatch": "50",
        }
        bundles = []
        spark = session(room, settings)

        def slow(batches: Any) -> Any:
            from pyspark import TaskContext

            context = TaskContext.get()
            part, attempt = context.partitionId(), context.attemptNumber()
            for number, batch in enumerate(batches):
                yield batch
                if part == 0 and number == 1:
                    (mark / f"{attempt}").touch()
                    # The first waits for its twin, and then both run to their end.
                    for _ in range(600):
                        if attempt > 0 or (mark / "1").exists():
                            break
                        time.sleep(0.1)

        try:
            rows = frame(spark, visits()).repartition(4)
            rows = rows.mapInArrow(slow, rows.schema)
            for unit in ("row", PRIVACY["unit"]):
                found = files(plan(rows, unit=unit).release(seed=3, not_private=True, progress=False))
                bundles.append((unit, found, sorted(path.name for path in mark.iterdir())))
                for path in mark.iterdir():
                    path.unlink()
        finally:
            spark.stop()
        for unit, found, attempts in bundles:
            with self.subTest(unit=unit):
                self.assertEqual(found, files(plan(visits(), unit=unit).release(seed=3, not_private=True)))
                self.assertEqual(attempts, ["0", "1"])
        # What Spark says itself: tasks of one partition that ran on both hosts, one of each a twin.
        logged = [path for path in (room / "events").rglob("*") if path.is_file() and path.suffix != ".crc"]
        lines = [line for path in logged for line in path.read_text().splitlines()]
        events = [json.loads(line) for line in lines if line]
        tasks = [
            (event["Stage ID"], event["Task Info"]["Index"], event["Task Info"]["Speculative"], event["Task Info"]["Host"])
            for event in events
            if event["Event"] == "SparkListenerTaskStart"
        ]
        twins = [task for task in tasks if task[2]]
        self.assertGreaterEqual(len(twins), 2)
        for stage, index, _, host in twins:
            first = {task[3] for task in tasks if task[:3] == (stage, index, False)}
            self.assertEqual({host, *first}, set(HOSTS))


@needs("pyspark", "pyarrow")
@unittest.skipUnless(java(), "Java is not installed")
class Unencrypted(unittest.TestCase):
    def test_units_are_not_shuffled_in_the_clear(self) -> None:
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        spark = session(Path(room.name), {"spark.io.encryption.enabled": "false", "spark.master": "local[2]"})
        self.addCleanup(spark.stop)
        rows = frame(spark, visits())
        with self.assertRaisesRegex(ib.DataError, "spark.io.encryption.enabled=true"):
            plan(rows).release(seed=3, not_private=True, progress=False)
        # What would lie there.
        self.assertNotEqual(rows.repartition(2, "person").collect(), [])
        self.assertNotEqual(with_canary(spark, Path(room.name)), [])
        # Rows may be anywhere, and nothing of them is written.
        by_row = plan(rows, unit="row").release(seed=3, not_private=True, progress=False)
        self.assertEqual(files(by_row), files(plan(visits(), unit="row").release(seed=3, not_private=True)))


if __name__ == "__main__":
    unittest.main()
