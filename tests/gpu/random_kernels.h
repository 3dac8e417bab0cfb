#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tacet::testing {

/// A program in two languages: specifications of kernels, with coordinator functions that encode
/// them, and the kernels in GLSL. Both come from one tree for each kernel; nothing else is shared.
struct RandomGpuProgram {
  std::string text;
  /// Files beside it, by name.
  std::vector<std::pair<std::string, std::string>> kernels;
  std::string type;  ///< of all numbers
  size_t n_inputs = 0;
};

/// The function `whole_gpu` implements the specification `whole`. The same seed gives the same
/// program.
auto random_gpu_program(uint64_t seed) -> RandomGpuProgram;

}  // namespace tacet::testing
