#!/usr/bin/env python3
"""Prints engine/mpc/fixed_point/polynomials.def: polynomials for the functions of fixed point.

Each is near the best of its degree: the interpolation at the zeros of a Chebyshev polynomial,
written in powers of t. The degree is the least with an error below 2^-26, 2^-31 and 2^-46. Odd functions
are t times a polynomial of 2 t^2 - 1.

    tools/fixed_point_polynomials.py > engine/mpc/fixed_point/polynomials.def

Needs mpmath.
"""

from mpmath import chebyt, cos, erf, log, mp, mpf, nint, pi, polyval, sin, sqrt, taylor

mp.dps = 60

ALL = (26, 31, 46)


def odd(function, slope):
    """function(t) / t of s = 2 t^2 - 1; `slope` is that at 0."""

    def of(s):
        t = sqrt((s + 1) / 2)
        return function(t) / t if t else slope

    return of


# Name, bits, function of t, the interval of t, what it is.
FUNCTIONS = [
    ("Reciprocal", ALL, lambda t: 4 / (t + 3), 1, "1 / c for c = (t + 3) / 4 from 1/2 to 1"),
    ("Rsqrt", ALL, lambda t: 1 / sqrt((t + mpf(5) / 4) / 2), mpf(3) / 4,
     "1 / sqrt(c) for c = (t + 5/4) / 2 from 1/4 to 1"),
    ("Sqrt", ALL, lambda t: sqrt((t + mpf(5) / 4) / 2), mpf(3) / 4, "sqrt(c) for the same c"),
    ("Log", ALL, lambda t: log((t + 3) / 4), 1, "ln(c) for c = (t + 3) / 4 from 1/2 to 1"),
    ("Exp2", ALL, lambda t: mpf(2) ** ((t + 1) / 2), 1, "2^u for u = (t + 1) / 2 from 0 to 1"),
    ("Sine", (31, 46), odd(lambda t: sin(pi / 2 * t), pi / 2), 1,
     "sin(pi/2 t) / t of 2 t^2 - 1"),
    ("Erf", (31,), odd(lambda t: erf(4 * t), 8 / sqrt(pi)), 1, "erf(4 t) / t of 2 t^2 - 1"),
    ("WideErf", (46,), odd(lambda t: erf(6 * t), 12 / sqrt(pi)), 1, "erf(6 t) / t of 2 t^2 - 1"),
]


def interpolation(function, radius, degree):
    """The coefficients in powers of t, the lowest first."""
    n = degree + 1
    nodes = [cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    values = [function(radius * x) for x in nodes]
    total = [mpf(0)] * n
    for j in range(n):
        scale = mpf(2 if j else 1) / n
        weight = scale * sum(v * cos(j * pi * (2 * k + 1) / (2 * n)) for k, v in enumerate(values))
        for i, c in enumerate(taylor(lambda x, j=j: chebyt(j, x), 0, j)):
            total[i] += weight * c / radius**i
    return total


def error(function, radius, coefficients):
    points = [radius * mpf(i) / 500 for i in range(-500, 501)]
    return max(abs(polyval(coefficients[::-1], t) - function(t)) for t in points)


def main():
    print("// TACET_POLYNOMIAL(Name, bits, coefficients…): written by tools/fixed_point_polynomials.py.")
    print("// Errors are below 2^-bits. Coefficients are multiples of 2^-60, that of the lowest power first.")
    for name, all_bits, function, radius, what in FUNCTIONS:
        for bits in all_bits:
            degree = 1
            while True:
                coefficients = interpolation(function, radius, degree)
                found = error(function, radius, coefficients)
                if found < mpf(2) ** -bits:
                    break
                degree += 1
            print(f"\n// {what}: error 2^{mp.nstr(log(found, 2), 4)}")
            numbers = [int(nint(c * 2**60)) for c in coefficients]
            print(f"TACET_POLYNOMIAL({name}, {bits},")
            for i, number in enumerate(numbers):
                end = ")" if i + 1 == len(numbers) else ","
                print(f"                 {number}{end}")
    print("#undef TACET_POLYNOMIAL")


if __name__ == "__main__":
    main()
