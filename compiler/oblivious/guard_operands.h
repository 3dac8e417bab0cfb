#pragma once

#include "compiler/oblivious/ranges.h"
#include "compiler/oblivious/rewrite.h"
#include "compiler/oblivious/secrecy.h"
#include "compiler/oblivious/writer.h"

namespace tacet::oblivious {

/// Rewrites expressions so that no secret decides whether they fail, or what of them is evaluated.
///
/// Divisors become `d if d != 0 else 1` (of arrays `d + ((d == 0) as T)`), distances of shifts
/// `d & (width - 1)`, unless ranges show that they cannot fail. Where the source would have failed,
/// the rewritten program goes on with a value that is as good as any: x / 0 = x, x % 0 = 0, and
/// shifts by the remainder of the distance. `&&`, `||` and `if … else` on secrets evaluate both
/// sides.
class OperandGuard {
 public:
  /// `source` is what `secrecy` and `ranges` speak of; what is made is put into `kernel`, of which
  /// `source` is the beginning.
  OperandGuard(const kernel::Kernel& source, const Secrecy& secrecy, Ranges& ranges,
               Rewriting& rewriting, Writer& writer)
      : source_(source),
        secrecy_(secrecy),
        ranges_(ranges),
        rewriting_(rewriting),
        writer_(writer) {}

  /// Which operations may not fail: those with secret operands, or all, since it is computed where
  /// the source would not have computed it.
  enum class Guarded : uint8_t { Secrets, All };

  /// `expr` of the source, which the statement `at` evaluates.
  auto expr(kernel::StatementId at, kernel::ExprId expr, Guarded guarded) -> kernel::ExprId;

 private:
  auto binary(kernel::StatementId at, kernel::ExprId id, Guarded guarded) -> kernel::ExprId;
  auto divisor(kernel::ExprId divisor) -> kernel::ExprId;
  auto distance(kernel::ExprId distance) -> kernel::ExprId;
  auto is_secret(kernel::StatementId at, kernel::ExprId expr) const -> bool {
    return secrecy_.is_secret(at, expr);
  }

  const kernel::Kernel& source_;
  const Secrecy& secrecy_;
  Ranges& ranges_;
  Rewriting& rewriting_;
  Writer& writer_;
};

/// Pass: guard-operands
///
/// Guards all expressions that are computed wherever the source computes them (`OperandGuard`);
/// `branches_to_selects` has guarded the others.
///
/// Before:                               After:
///   y = a / s;                            y = a / (s if s != 0 else 1);
///   z = a << s;                           z = a << (s & 63);
///
/// Cost: a comparison and a selection by division.
auto guard_operands(Rewriting& rewriting) -> bool;

}  // namespace tacet::oblivious
