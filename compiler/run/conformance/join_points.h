#pragma once

#include <cstdint>
#include <vector>

#include "compiler/run/interpret/program.h"

namespace tacet::conformance {

/// For each instruction, where all paths from it first join: its immediate postdominator among the
/// instructions of its function, or `kNoJoin` if that is the function's end. Paths that fail, or
/// run the code of a definition, do not count.
class JoinPoints {
 public:
  static constexpr uint32_t kNoJoin = 0xffffffff;

  explicit JoinPoints(const interpret::Program& program);

  [[nodiscard]] auto of(uint32_t instruction) const -> uint32_t { return joins_[instruction]; }

 private:
  void add(const interpret::Program& program, const interpret::Function& function);

  std::vector<uint32_t> joins_;
};

}  // namespace tacet::conformance
