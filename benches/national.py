#!/usr/bin/env python3
"""Whole releases of a table at every place of a nation: 2,016 cells at 3,143 counties, 252 at 84,414 tracts.

    python3 benches/national.py target/release/inbounds FOLDER [--of counties] [--part 64]

Rows are made up, skewed over places and over cells, a million of them or a part of it. The plan counts them at every level in
six margins, which alone are published, and the release is measured as a process: from rows to a bundle with intervals, bias and RMSE of every number. Beside
it stands one pass that writes the same tables again: the CSV of the estimates and of the measurements, copied.
"""

import argparse
import pathlib
import random
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "peers"))

import child  # noqa: E402

ROWS = 1_000_000
STATES, COUNTIES, TRACTS = 51, 3143, 84_414
TABLES = {"counties": (63, 2, 2, 8), "tracts": (7, 2, 2, 9)}


def places(of: str, part: int) -> list[tuple[str, ...]]:
    """The states, counties and tracts of a nation, or of a part of one."""
    states, counties, tracts = (max(1, number // part) for number in (STATES, COUNTIES, TRACTS))
    county = [(f"s{place * states // counties}", f"c{place}") for place in range(counties)]
    if of == "counties":
        return county
    return [(*county[place * counties // tracts], f"t{place}") for place in range(tracts)]


def write(folder: pathlib.Path, of: str, part: int) -> None:
    """Rows, places and the plan."""
    random.seed(1)
    tables, known = TABLES[of], places(of, part)
    columns = ["state", "county", "tract"][: len(known[0])]
    names = [f"a{place}" for place in range(len(tables))]
    lines = [",".join(place) for place in known]
    (folder / "places.csv").write_text("\n".join([",".join(columns), *lines]) + "\n")
    rows = ROWS // part
    drawn = [random.choices(lines, [random.paretovariate(1.0) for _ in lines], k=rows)]
    for size in tables:
        drawn.append(random.choices([str(value) for value in range(size)], [(value + 1) ** -1.5 for value in range(size)], k=rows))
    with open(folder / "rows.csv", "w") as file:
        file.write(",".join([*columns, *names]) + "\n")
        file.writelines(",".join(row) + "\n" for row in zip(*drawn))
    declared = [f'{column} = {{ type = "text" }}' for column in columns]
    declared += [f'{name} = {{ type = "integer", values = {list(range(size))} }}' for name, size in zip(names, tables)]
    quoted = "[" + ", ".join(f'"{column}"' for column in [*columns, *names]) + "]"
    margins = "[" + ", ".join(["[]", *(f'["{name}"]' for name in names), str(names).replace("'", '"')]) + "]"
    levels = str(["all", *columns]).replace("'", '"')
    (folder / "plan.toml").write_text(
        'data.path = "rows.csv"\n[privacy]\nunit = "row"\nneighbours = "add-remove"\nepsilon = 1\n[columns]\n'
        + "\n".join(declared)
        + f'\n[[statistic]]\nname = "people"\nkind = "count"\nby = {quoted}\nkeys = "places.csv"\nlevels = {levels}\nmargins = {margins}\nevery_margin = false\n'
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description="Whole releases of tables at every place of a nation.")
    arguments.add_argument("program")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--of", choices=TABLES, default="counties")
    arguments.add_argument("--part", type=int, default=1, help="a nation so many times smaller")
    options = arguments.parse_args()
    folder = options.folder / f"{options.of}-{options.part}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write(folder, options.of, options.part)
    bundle = folder / "bundle"
    taken = child.run([options.program, "release", str(folder / "plan.toml"), "--out", str(bundle)])
    if taken.code != 0:
        sys.exit(taken.output)
    begin, size = time.perf_counter(), 0
    for name in ("estimates.csv", "measurements.csv"):
        size += (bundle / name).stat().st_size
        shutil.copyfile(bundle / name, folder / "copy.csv")
    copied = time.perf_counter() - begin
    print(
        f"{options.of} 1/{options.part}: {taken.wall:.1f} s wall, {taken.cpu:.1f} s CPU, {taken.peak:.0f} MB; "
        f"its tables of {size / 1e6:.0f} MB copied in {copied:.2f} s",
        flush=True,
    )
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
