#pragma once

#include <cstdint>

#include "engine/program/he/program.h"

namespace tacet::he_lower {

struct StraightOptions {
  uint32_t n_columns = 8192;
  size_t n_statements = 1000;
  uint32_t depth = 3;    ///< so many sequential products make the most noise of a value
  bool is_real = false;  ///< of numbers of the slots of CKKS
};

/// A program without a loop, as a text writes it who knows of none: every statement computes with
/// values that were made a while ago, and no two are alike. A relinearisation follows each product.
auto straight_program(const StraightOptions& options) -> engine::HeProgram;

}  // namespace tacet::he_lower
