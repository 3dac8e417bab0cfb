"""A program for tests of packages, compiled and linked as portable programs are."""

import pathlib
import subprocess

SOURCE = r"""
#include <cmath>
#include <cstdio>
#include <thread>
#include <unistd.h>
int main(int argc, char**) {
  double root = 0;
  std::thread([&] { root = std::sqrt(argc + 3.0); }).join();
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
    return compile_program(folder, "-static-libstdc++", "-static-libgcc")
