"""A program for tests of packages, compiled and linked as portable programs are."""

import pathlib
import subprocess

SOURCE = r"""
#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <thread>
#include <unistd.h>
// Not inlined, so that the exception crosses a frame.
__attribute__((noinline)) double root_of(double x) {
  if (x < 0 || std::random_device()() == std::random_device()()) {
    throw std::domain_error("negative");
  }
  return std::sqrt(x);
}
int main(int argc, char**) {
  double root = 0;
  std::thread([&] {
    try {
      root = root_of(-argc);
    } catch (const std::domain_error&) {
      root = root_of(argc + 3.0);
    }
  }).join();
  std::printf("%g of %u in %s\n", root, getuid(), getcwd(nullptr, 0));
  return std::fopen("/work/made_here", "w") == nullptr;
}
"""


def compile_program(folder: pathlib.Path, *options: str) -> pathlib.Path:
    source, program = folder / "small.cpp", folder / "small"
    source.write_text(SOURCE, encoding="utf-8")
    subprocess.run(["c++", str(source), "-o", str(program), *options], check=True)
    return program


def portable(folder: pathlib.Path) -> pathlib.Path:
    """With the library of g++ inside, and what that uses of newer versions of glibc."""
    newer = folder / "glibc_2_34.o"
    source = pathlib.Path(__file__).resolve().with_name("glibc_2_34.c")
    subprocess.run(["cc", "-O2", "-fPIC", "-c", str(source), "-o", str(newer)], check=True)
    return compile_program(folder, str(newer), "-static-libstdc++", "-static-libgcc")
