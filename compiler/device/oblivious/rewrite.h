#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/device/kernel/kernel.h"

/// What the passes have in common that take secrets out of a kernel's control.
namespace tacet::oblivious {

/// What a rewrite adds to one run of the place it stands at, counted over its own loops, without
/// the iterations of loops around it.
struct RewriteCost {
  int64_t comparisons = 0;
  int64_t selections = 0;  ///< of single elements
  int64_t iterations = 0;  ///< of a body that may do nothing in some of them

  friend auto operator==(const RewriteCost&, const RewriteCost&) -> bool = default;
};

enum class RewriteKind : uint8_t {
  Exit,     ///< a `break`, `continue` or `return` became a flag
  Access,   ///< an element is found by a scan
  Loop,     ///< a loop makes a public number of iterations
  Branch,   ///< both arms are computed
  Operand,  ///< a divisor or distance that cannot fail
  Both,     ///< both operands of `&&`, `||`, `if … else` are computed
};

/// One rewrite: what was done, to what of the source.
struct Rewrite {
  RewriteKind kind = RewriteKind::Branch;
  FileRange place{};
  std::string what;  ///< "a scan over the 16 elements of `t`"
  RewriteCost cost{};

  friend auto operator==(const Rewrite&, const Rewrite&) -> bool = default;
};

/// Whether what stands at a place is to be rewritten. Passes ask before each rewrite.
using Wanted = std::function<bool(FileRange)>;

/// A kernel going through the passes, and their diagnostics.
struct Rewriting {
  kernel::Kernel kernel;
  Wanted wanted;
  std::vector<Rewrite> rewrites{};
  std::vector<Diagnostic> diagnostics{};
};

}  // namespace tacet::oblivious
