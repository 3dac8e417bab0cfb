"""Builds OpenFHE from its sources, then code for it, and compares that with the reference device.

usage: run_openfhe.py TACET SOURCES [--build FOLDER], where SOURCES is a checkout of
openfheorg/openfhe-development with its submodule `cereal`

The library is built in FOLDER once. Results are recorded in bench/backends/README.md.
"""

import sys

from differential import main
from run_seal import Cmake


class OpenFhe(Cmake):
    target = "openfhe"

    def options(self):
        return ["-DBUILD_UNITTESTS=OFF", "-DBUILD_EXAMPLES=OFF", "-DBUILD_BENCHMARKS=OFF",
                "-DBUILD_EXTRAS=OFF", "-DWITH_OPENMP=OFF", "-DGIT_SUBMOD_AUTO=OFF"]

    def limits(self, case, failure):
        # The library's own modulus, larger than Tacet's, may need a larger ring, which has other
        # vectors of slots.
        return "ring dimension" in failure


if __name__ == "__main__":
    sys.exit(main(OpenFhe()))
