#pragma once

#include <map>
#include <vector>

#include "compiler/run/interpret/debug_info.h"
#include "compiler/run/interpret/program.h"

namespace tacet::interpret {

/// Where the paths of a branch meet again: for each jump with a condition the first instruction
/// that all paths from it reach, its immediate postdominator; `kNowhere` if they meet where the
/// function returns. Computed for a function when it is first needed. Private to this folder.
class Joins {
 public:
  explicit Joins(const Program& program) : program_(program) {}

  /// Of the instruction `at` of `function`.
  auto of(const Function& function, uint32_t at) -> uint32_t;

 private:
  const Program& program_;
  std::map<uint32_t, std::vector<uint32_t>> functions_;  ///< by entry
};

}  // namespace tacet::interpret
