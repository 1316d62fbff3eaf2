"""Quantiles of few rows: root mean square errors of this program beside other programs and methods, at equal epsilon.

    cargo build --release -p inbounds-cli
    python3 -m venv .venv && .venv/bin/pip install numpy opendp diffprivlib "scikit-learn<1.6" python-dp
    .venv/bin/python benches/peers/quantiles.py [RUNS [SECONDS [KIND [ROWS]]]]

Columns are made here, from fixed seeds: `smooth` (normal), `skewed` (log-normal) and `heaped` (whole numbers, half of them multiples of ten), each in
public bounds that are several times as wide as the rows. A cell has four columns, since the grid of a program can hit the
quantile of one by luck. Rows are added or removed, but for diffprivlib, whose neighbours replace a row.
Errors are against the order statistic of the rows. Each cell shows, for each program, the mean over the quantiles of the root
mean square error of RUNS releases (400 unless said otherwise; half as many of three quantiles, a quarter of nine) in units of the
column. A library that is slow has SECONDS a cell
(10 unless said otherwise) and at least 40 releases. The last columns are the ratio of ours with `mechanism = "best"` to the least
of the others with its standard error; then the share of intervals that held their order statistic and their mean width in parts of
the bounds, with the part of epsilon that is the default and with a quarter; and what "best" was. The least of six noisy errors is
below the error of the best program, so that every second release says which program is the least, and the others what its error is.

`exponential` is the exponential mechanism over ranks (Smith 2011), `approximate` approximate quantiles (Kaplan, Schnapp and Stemmer 2022), both written here in
doubles; they and OpenDP's candidates have no interval.
"""

import csv
import math
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

warnings.simplefilter("ignore")
COLUMNS = 4
RUNS = (int(sys.argv[1]) if len(sys.argv) > 1 else 400) // COLUMNS
SECONDS = (float(sys.argv[2]) if len(sys.argv) > 2 else 10.0) / COLUMNS
KINDS = sys.argv[3:4] or ["smooth", "skewed", "heaped"]
ROWS = [int(rows) for rows in sys.argv[4:5]] or [100, 500, 2000, 20000]
PROGRAM = os.environ.get("INBOUNDS", "target/release/inbounds")
PROBABILITIES = {1: [0.5], 3: [0.25, 0.5, 0.75], 9: [part / 10 for part in range(1, 10)]}


def column(kind, rows, number):
    """Values, bounds and type of a column."""
    source = np.random.default_rng([rows, number])
    if kind == "smooth":
        return np.clip(source.normal(170, 10, rows), 50, 250).round(3), (50, 250), "number"
    if kind == "skewed":
        return np.clip(np.exp(source.normal(3, 0.8, rows)), 0, 500).round(3), (0, 500), "number"
    ages = np.clip(source.gamma(6, 7, rows), 0, 150).round()
    tens = source.random(rows) < 0.5
    return np.where(tens, np.round(ages, -1), ages), (0, 150), "integer"


def order_statistics(values, probabilities):
    return np.sort(values)[[math.ceil(p * len(values)) - 1 for p in probabilities]]


def releases(probabilities):
    """Releases of a column: errors of several quantiles are averaged, so that fewer are needed."""
    return RUNS // {1: 1, 3: 2, 9: 4}[len(probabilities)]


def ours(values, bounds, kind, probabilities, epsilon, keys):
    """Estimates and intervals of statistics, each with its own part of the epsilon of one release."""
    runs = releases(probabilities)
    with tempfile.TemporaryDirectory() as folder:
        rows, _ = released(folder, values, bounds, kind, probabilities, epsilon, keys, runs)
    table = np.array([[float(row[key]) for key in ("estimate", "interval_lower", "interval_upper")] for row in rows])
    return table.reshape(runs, len(probabilities), 3)


def released(folder, values, bounds, kind, probabilities, epsilon, keys, runs):
    """The rows of the estimates of a release of so many statistics, and what the program says of it."""
    np.savetxt(f"{folder}/rows.csv", values, header="x", comments="", fmt="%.10g")
    statistic = "".join(
        f"\n[[statistic]]\nname = 'q{run}'\nkind = 'quantile'\ncolumn = 'x'\nprobabilities = {probabilities}\nshare = '1/{runs}'\n{keys}\n"
        for run in range(runs)
    )
    plan = (
        f"data = {{ path = 'rows.csv', expect_rows = '{len(values)} to {len(values)}' }}\n[privacy]\nunit = 'row'\nneighbours = 'add-remove'\n"
        f"epsilon = {epsilon * runs:.12g}\ntogether = 'none'\n[columns.x]\ntype = '{kind}'\nlower = {bounds[0]}\nupper = {bounds[1]}\nmissing = 'drop'\n{statistic}"
    )
    with open(f"{folder}/plan.toml", "w") as file:
        file.write(plan)
    run = [PROGRAM, "release", f"{folder}/plan.toml", "--seed", "1", "--not-private", "--out", f"{folder}/out"]
    done = subprocess.run(run, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    with open(f"{folder}/out/estimates.csv") as file:
        return list(csv.DictReader(file)), done.stdout + done.stderr


def best(values, bounds, kind, probabilities, epsilon, keys=""):
    """The same with the mechanism that `mechanism = "best"` is. One statistic is asked which it is: finding it takes
    longer than a release with it. Counts keep the bins that only "best" gives them."""
    with tempfile.TemporaryDirectory() as folder:
        _, said = released(folder, values, bounds, kind, probabilities, epsilon, f"mechanism = 'best'\n{keys}", 1)
    chosen = re.search(r'mechanism = "best" is "([a-z-]+)"', said).group(1)
    mechanism = chosen if chosen != "clamped" else "best"
    return ours(values, bounds, kind, probabilities, epsilon, f"mechanism = '{mechanism}'\n{keys}"), chosen


def exponential(values, bounds, p, epsilon, source, runs=1):
    """Draws over the intervals between order statistics."""
    edges = np.concatenate([[bounds[0]], np.sort(values), [bounds[1]]])
    distance = np.abs(np.arange(len(values) + 1) - p * len(values))
    with np.errstate(divide="ignore"):
        weights = np.log(np.diff(edges)) - epsilon * distance / (2 * max(p, 1 - p))
    cumulated = np.cumsum(np.exp(weights - weights.max()))
    place = np.searchsorted(cumulated, source.random(runs) * cumulated[-1])
    return source.uniform(edges[place], edges[place + 1])


def approximate(values, bounds, probabilities, epsilon, source):
    """Quantiles one within the other; epsilon is that of a level."""
    if not probabilities:
        return []
    middle = len(probabilities) // 2
    found = exponential(values, bounds, probabilities[middle], epsilon, source)[0]
    own = probabilities[middle]
    below = [p / own for p in probabilities[:middle]]
    above = [(p - own) / (1 - own) for p in probabilities[middle + 1 :]]
    lower = approximate(values[values < found], (bounds[0], found), below, epsilon, source)
    upper = approximate(values[values >= found], (found, bounds[1]), above, epsilon, source)
    return [*lower, found, *upper]


def repeated(once, probabilities):
    """Releases of a library until there are enough, or its time is over and there are 10."""
    begun, found = time.monotonic(), []
    while len(found) < releases(probabilities) and (len(found) < 10 or time.monotonic() - begun < SECONDS):
        found.append(once())
    return found


def opendp(values, bounds, probabilities, epsilon):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    candidates, rows = np.linspace(*bounds, 1025).tolist(), values.tolist()
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()

    def measure(p):
        def build(scale):
            return dp.m.make_private_quantile(*space, dp.max_divergence(), candidates, p, scale)

        return dp.binary_search_chain(build, 1, epsilon / len(probabilities), T=float)

    measures = [measure(p) for p in probabilities]
    return repeated(lambda: [one(rows) for one in measures], probabilities)


def diffprivlib(values, bounds, probabilities, epsilon):
    from diffprivlib.tools import quantile

    part = epsilon / len(probabilities)
    return repeated(lambda: [quantile(values, p, epsilon=part, bounds=bounds) for p in probabilities], probabilities)


def pydp(values, bounds, probabilities, epsilon):
    from pydp.algorithms.laplacian import Percentile

    part, listed = epsilon / len(probabilities), [float(value) for value in values]

    def once(p):
        lower, upper = (float(bound) for bound in bounds)
        asked = Percentile(epsilon=part, percentile=p, lower_bound=lower, upper_bound=upper, dtype="float")
        return asked.quick_result(listed)

    return repeated(lambda: [once(p) for p in probabilities], probabilities)


def rmse(errors):
    """The mean over quantiles of the root mean square error, and its standard error."""
    squares = np.asarray(errors) ** 2
    each = np.sqrt(squares.mean(0))
    spread = squares.std(0) / np.sqrt(len(squares)) / np.maximum(2 * each, 1e-12)
    return each.mean(), np.sqrt((spread**2).sum()) / squares.shape[1]


def errors_of_column(values, bounds, kind, probabilities, epsilon, source):
    """Errors of every program, one row a release; held intervals and their widths with two parts of epsilon; what "best" was."""
    truths = order_statistics(values, probabilities)
    number, levels, runs = len(probabilities), len(probabilities).bit_length(), releases(probabilities)
    args = values, bounds, probabilities, epsilon
    own = values, bounds, kind, probabilities, epsilon
    counted = "" if kind == "integer" else f"edges = {{ lower = {bounds[0]}, upper = {bounds[1]}, bins = 128 }}"
    own_best, chosen = best(*own)
    quarter, _ = best(*own, "interval_share = 0.25")
    found = {
        "best": own_best[:, :, 0],
        "counts": ours(*own, counted)[:, :, 0],
        "opendp": opendp(*args),
        "diffprivlib": diffprivlib(*args),
        "pydp": pydp(*args),
        "exponential": np.array([exponential(values, bounds, p, epsilon / number, source, runs) for p in probabilities]).T,
        "approximate": [approximate(values, bounds, probabilities, epsilon / levels, source) for _ in range(runs)],
    }
    intervals = []
    for estimates in (own_best, quarter):
        held = (estimates[:, :, 1] <= truths + 1e-9) & (truths <= estimates[:, :, 2] + 1e-9)
        intervals.append((held.mean(), (estimates[:, :, 2] - estimates[:, :, 1]).mean() / (bounds[1] - bounds[0])))
    return {name: np.asarray(of, float) - truths for name, of in found.items()}, intervals, chosen


def compared(kind, rows, probabilities, epsilon, source):
    """One cell: its errors by program, the ratio with its standard error, intervals, and what "best" was."""
    columns = []
    for number in range(COLUMNS):
        values, bounds, cells = column(kind, rows, number)
        columns.append(errors_of_column(values, bounds, cells, probabilities, epsilon, source))
    errors = {name: np.concatenate([of[name] for of, _, _ in columns]) for name in NAMES}
    least = min(NAMES[2:], key=lambda name: rmse(errors[name][::2])[0])
    above, below = rmse(errors["best"]), rmse(errors[least][1::2])
    if below[0] > 0:
        ratio = above[0] / below[0]
        spread = ratio * math.hypot(*(error / size if size > 0 else 0 for size, error in (above, below)))
    else:
        ratio, spread = (math.inf if above[0] > 0 else 1.0), 0.0
    intervals = np.mean([of for _, of, _ in columns], axis=0)
    return errors, ratio, spread, intervals, sorted({of for _, _, of in columns})


NAMES = ["best", "counts", "opendp", "diffprivlib", "pydp", "exponential", "approximate"]


def main():
    heads = [f"{name:>12}" for name in NAMES]
    print("column    rows  K  eps ", *heads, "      ratio", "  held width  held width (a quarter)  best is")
    source = np.random.default_rng(1)
    ratios = []
    for kind in KINDS:
        for rows in ROWS:
            for number, probabilities in PROBABILITIES.items():
                for epsilon in (0.1, 1.0):
                    errors, ratio, spread, intervals, chosen = compared(kind, rows, probabilities, epsilon, source)
                    ratios.append((ratio, spread))
                    shown = [f"{rmse(errors[name])[0]:12.4g}" for name in NAMES]
                    told = [f"{held:5.3f} {width:5.3f}" for held, width in intervals]
                    print(f"{kind:8} {rows:5} {number:2} {epsilon:4}", *shown, f"{ratio:6.2f}±{spread:4.2f}", *told, *chosen, flush=True)
    within = sum(ratio <= 1.05 for ratio, _ in ratios)
    above = sum(ratio - 2 * spread > 1.05 for ratio, spread in ratios)
    print(f"{within} of {len(ratios)} ratios are at most 1.05; {above} are above it by two standard errors; the largest is {max(ratios)[0]:.2f}")


main()
