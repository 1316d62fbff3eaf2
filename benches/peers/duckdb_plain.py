"""The questions of the release benchmark, asked of DuckDB without privacy: whole-process CPU time and peak memory.

    python3 -m venv .venv && .venv/bin/pip install duckdb
    .venv/bin/python benches/peers/duckdb_plain.py target/tmp/release-10000000.parquet
"""

import resource
import sys
import time

import duckdb

path = sys.argv[1]
start = time.process_time()
connection = duckdb.connect()
connection.execute("SET threads = 2")
counties = connection.execute(f"SELECT county, count(*) FROM '{path}' GROUP BY county").fetchall()
states = connection.execute(f"SELECT state, avg(income) FROM '{path}' GROUP BY state").fetchall()
queries = time.process_time() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"duckdb {duckdb.__version__}: {len(counties)} counties, {len(states)} states")
print(f"CPU s: queries {queries:.3f}, whole process {time.process_time():.3f}; peak memory {peak:.0f} MB")
