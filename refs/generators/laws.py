"""Writes refs/tables/laws.json: figures of the laws of noise from their definitions, at more than 50 digits.

    python3 refs/generators/laws.py > refs/tables/laws.json        (needs mpmath)

A law is its density or mass function. Moments over (s, t] are incomplete gamma functions, integrals of steps or plain
sums; differences are taken at 160 digits, so nothing here needs the stable forms that the code needs. Sums over more
than a million points are Euler-Maclaurin, checked below against plain summation.
"""

import json
import sys

import mpmath as mp

mp.mp.dps = 160
INF = mp.inf


def text(value):
    """A double of 17 digits; infinities and what a double cannot hold as text."""
    value = mp.mpf(value)
    return "inf" if value == INF else "-inf" if value == -INF else float(mp.nstr(value, 17))


def short(value):
    """A double of at most nine digits, which every reader of JSON reads exactly."""
    return INF if value == INF else float(f"{float(value):.9g}")


def figures(moment, ln_density, half_zero, s, t):
    """The figures of `Noise`, from moment(k, s, t) = E[N^k; s < N <= t] for 0 <= s."""
    s, t = mp.mpf(s), mp.mpf(t)
    tail = moment(0, t, INF) if t < INF else mp.mpf(0)
    beyond = (t - s) * tail if t < INF else mp.mpf(0)
    row = {
        "s": text(s),
        "t": text(t),
        "sf": tail,
        "half_mass": half_zero + moment(0, 0, t),
        "first_moment_between": moment(1, s, t),
        "half_second_moment": moment(2, 0, t),
        "excess_between": moment(1, s, t) - s * moment(0, s, t) + beyond,
        "capped_second_moment": moment(2, 0, t) + (t * t * tail if t < INF else 0),
        "variance": 2 * moment(2, 0, INF),
    }
    if t < INF:
        row["ln_density"] = ln_density(t)
    return {key: value if isinstance(value, (str, float)) else text(value) for key, value in row.items()}


def generalised_gaussian(shape, scale):
    p, b = mp.mpf(shape), mp.mpf(scale)

    def moment(k, s, t):
        ends = [(mp.mpf(x) / b) ** p if x < INF else INF for x in (s, t)]
        return b**k * mp.gammainc((k + 1) / p, *ends) / (2 * mp.gamma(1 / p))

    def ln_density(x):
        return mp.log(p / (2 * b * mp.gamma(1 / p))) - (abs(x) / b) ** p

    return moment, ln_density, mp.mpf(0)


def gaussian(std_dev):
    return generalised_gaussian(2, mp.mpf(std_dev) * mp.sqrt(2))


def staircase(period, epsilon, high):
    d, g = mp.mpf(period), mp.mpf(high)
    a = mp.exp(-mp.mpf(epsilon))
    peak = (1 - a) / (2 * d * (g + a * (1 - g)))

    def moment(k, s, t):
        total, level = mp.mpf(0), int(mp.floor(s / d))
        last = level + int(mp.ceil(mp.mpf(290) / mp.mpf(epsilon)))
        while level * d < t and level < last:
            for u, v, power in ((level, level + g, level), (level + g, level + 1, level + 1)):
                low, up = max(u * d, s), min(v * d, t)
                if low < up:
                    total += a**power * (up ** (k + 1) - low ** (k + 1)) / (k + 1)
            level += 1
        return peak * total

    def ln_density(x):
        level = mp.floor(x / d)
        return mp.log(peak) - mp.mpf(epsilon) * (level if x - level * d < g * d else level + 1)

    return moment, ln_density, mp.mpf(0)


def lattice(log_weight, reach):
    """A lattice law from the logarithm of its weights, summed point by point up to `reach`."""
    weights = [mp.exp(log_weight(k)) for k in range(reach + 1)]
    total = 2 * mp.fsum(weights) - weights[0]
    sums = []
    for k in range(3):
        running, column = mp.mpf(0), []
        for j, weight in enumerate(weights):
            running += (mp.mpf(j) ** k * weight) if j else 0
            column.append(running)
        sums.append(column)

    def moment(k, s, t):
        first, end = (int(min(x, reach)) for x in (s, t))
        return (sums[k][end] - sums[k][first]) / total

    return moment, lambda x: log_weight(int(x)) - mp.log(total), weights[0] / total / 2


def discrete_staircase(epsilon, period, high):
    epsilon = mp.mpf(epsilon)
    reach = int(mp.ceil(290 / epsilon)) * period
    return lattice(lambda k: -epsilon * ((k + period - high) // period), reach)


def discrete_gaussian(variance_parameter):
    v = mp.mpf(variance_parameter)
    if v <= 1e6:
        return lattice(lambda k: -mp.mpf(k) ** 2 / (2 * v), int(mp.ceil(mp.sqrt(1500 * v))) + 20)
    return discrete_gaussian_by_euler_maclaurin(v)


def discrete_gaussian_by_euler_maclaurin(v):
    sigma = mp.sqrt(v)

    def derivatives(c, count):
        """Of exp(-x^2 / (2 v)) at c."""
        values = [mp.exp(-c * c / (2 * v))]
        values.append(-c / v * values[0])
        for n in range(1, count):
            values.append(-(c * values[n] + n * values[n - 1]) / v)
        return values

    def moment(k, s, t):
        def primitive(c):
            if c == INF:
                return mp.gamma(mp.mpf(k + 1) / 2) * (2 * v) ** (mp.mpf(k + 1) / 2) / 2
            value = (2 * v) ** (mp.mpf(k + 1) / 2) / 2 * mp.gammainc(mp.mpf(k + 1) / 2, 0, c * c / (2 * v))
            g = derivatives(c, 40)
            for m in range(1, 16):
                n = 2 * m - 1
                # The n-th derivative of x^k g, by Leibniz.
                d = mp.fsum(mp.binomial(n, i) * mp.ff(k, i) * c ** (k - i) * g[n - i] for i in range(min(k, n) + 1))
                value += mp.bernpoly(2 * m, mp.mpf(1) / 2) / mp.factorial(2 * m) * d
            return value

        ends = [INF if x == INF else mp.mpf(x) + mp.mpf(1) / 2 for x in (s, t)]
        return (primitive(ends[1]) - primitive(ends[0])) / (sigma * mp.sqrt(2 * mp.pi))

    total = sigma * mp.sqrt(2 * mp.pi)
    return moment, lambda x: -mp.mpf(x) ** 2 / (2 * v) - mp.log(total), 1 / total / 2


def quantile(moment, tail, guess):
    """The x with P(N > x) = tail, for a continuous law."""
    return mp.findroot(lambda x: mp.log(moment(0, x, INF) / mp.mpf(tail)), guess, solver="secant", tol=1e-60)


def check_euler_maclaurin():
    plain, fast = discrete_gaussian(mp.mpf(90000)), discrete_gaussian_by_euler_maclaurin(mp.mpf(90000))
    for k in range(3):
        for s, t in ((0, 100), (100, 700), (900, INF), (2, 7)):
            assert abs(fast[0](k, s, t) / plain[0](k, s, t) - 1) < mp.mpf(10) ** -40, (k, s, t)


SPANS = [(0, 1e-6), (0, 0.5), (0.4999, 0.5), (1, 1.0001), (1, 3), (2.5, 8), (7, 7.25), (12, 14), (0, INF), (3, INF)]
MULTIPLES = SPANS + [(1e-5, 1.1e-5), (20, 25), (33, 34)]


def rows():
    for std_dev in (1, 0.3, 1e9):
        for s, t in MULTIPLES:
            yield "Gaussian", [std_dev], gaussian(std_dev), s * std_dev, t * std_dev
    for shape, scale in ((0.1, 2.0), (0.5, 1.0), (1, 3.0), (1.5, 1e-6), (2, 1.0), (4, 7.0), (20, 1.0), (100, 1.0)):
        far = [(100, 120), (300, 301)] if shape <= 2 else []
        for s, t in SPANS + far:
            # Spans in units of y, so that every shape is seen in its centre and in its tail.
            s, t = (scale * mp.mpf(x) ** (1 / mp.mpf(shape)) if x < INF else INF for x in (s, t))
            yield "GeneralisedGaussian", [shape, scale], generalised_gaussian(shape, scale), s, t
    for period, epsilon, high in ((1, 1, 0.25), (3.5, 0.05, 0.75), (2, 20, 0.001), (1000, 0.5, 0.5)):
        law = staircase(period, epsilon, high)
        for s, t in MULTIPLES:
            yield "Staircase", [period, epsilon, high], law, s * period, t * period
    whole = [(0, 1), (1, 2), (0, 7), (3, 40), (5, 6), (25, 90), (100, 101), (0, INF), (17, INF)]
    for epsilon, period, high in ((1, 1, 1), (0.5, 10, 3), (0.02, 100, 100), (6, 7, 2), (0.25, 1000, 1)):
        law = discrete_staircase(epsilon, period, high)
        for s, t in whole + [(0, 5000)]:
            yield "DiscreteStaircase", [epsilon, period, high], law, s, t
    for variance in (0.001, 0.1, 1, 30, 2500, 1e6):
        law = discrete_gaussian(variance)
        for s, t in whole:
            scale = int(mp.ceil(mp.sqrt(variance) / 10))
            yield "DiscreteGaussian", [variance], law, s * scale, t * scale
    for variance in (4e6, 1e12, 1e24):
        law, sigma = discrete_gaussian(variance), int(mp.sqrt(variance))
        for s, t in SPANS[1:]:
            s, t = (int(x * sigma) if x < INF else INF for x in (s, t))
            yield "DiscreteGaussian", [variance], law, s, t
        yield "DiscreteGaussian", [variance], law, sigma, sigma + 1


def main():
    check_euler_maclaurin()
    table = []
    for name, parameters, law, s, t in rows():
        row = {"law": name, "parameters": [float(x) for x in parameters]}
        table.append(row | figures(*law, short(s), short(t)))
    quantiles = []
    for name, parameters, law in (
        ("Gaussian", [1], gaussian(1)),
        ("GeneralisedGaussian", [0.5, 1], generalised_gaussian(0.5, 1)),
        ("GeneralisedGaussian", [4, 1], generalised_gaussian(4, 1)),
        ("GeneralisedGaussian", [100, 1], generalised_gaussian(100, 1)),
    ):
        p = mp.mpf(parameters[0] if name != "Gaussian" else 2)
        for tail in (5e-324, 1e-300, 1e-100, 1e-9, 0.025, 0.24, 0.26, 0.4, 0.49999, 0.4999999999):
            if tail == 5e-324 and name != "Gaussian":
                continue
            start = mp.mpf(1) if tail < 0.3 else mp.mpf("0.5") - tail
            guess = (-mp.log(2 * mp.mpf(tail))) ** (1 / p) * start if tail < 0.3 else start
            x = quantile(law[0], tail, guess)
            quantiles.append({"law": name, "parameters": [float(x) for x in parameters], "p": tail, "x": text(-x)})
    about = "Figures of the laws of noise; see refs/generators/laws.py. s, t, parameters are exact doubles."
    header = {"about": about, "tool": "mpmath", "version": mp.__version__, "digits": mp.mp.dps}
    document = {"_about": header, "figures": table, "quantiles": quantiles}
    lines = [f'"_about": {json.dumps(header)}']
    for key in ("figures", "quantiles"):
        lines.append(f'"{key}": [\n' + ",\n".join(json.dumps(row) for row in document[key]) + "\n]")
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
