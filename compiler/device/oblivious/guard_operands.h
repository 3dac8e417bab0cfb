#pragma once

#include "compiler/device/oblivious/ranges.h"
#include "compiler/device/oblivious/rewrite.h"
#include "compiler/device/oblivious/secrecy.h"
#include "compiler/device/oblivious/writer.h"

namespace tacet::oblivious {

/// Rewrites expressions so that no secret decides whether they fail, or what of them is evaluated.
///
/// Divisions and shifts by secrets have no fault (`Binary::is_total`). Others are total because a
/// secret decided whether they were evaluated; what is written without that secret must have no
/// fault either: quotients become `a / (d if d != 0 else 1) if d != 0 else 0`, remainders likewise
/// with `a` in place of 0 (of arrays sums of both), distances of shifts `d & (width - 1)`, unless
/// ranges show that they cannot fail. `&&`, `||` and `if … else` on secrets evaluate both sides.
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

  /// Whether a secret that decides about the statement still does in what is written, or the
  /// expression is computed on both paths.
  enum class Guarded : uint8_t { Secrets, All };

  /// `expr` of the source, which the statement `at` evaluates.
  auto expr(kernel::StatementId at, kernel::ExprId expr, Guarded guarded) -> kernel::ExprId;

 private:
  auto binary(kernel::StatementId at, kernel::ExprId id, Guarded guarded) -> kernel::ExprId;
  /// What `source`, which is total, computes of these operands, without a fault in the text.
  auto without_fault(const kernel::Binary& source, kernel::ExprId left, kernel::ExprId right)
      -> kernel::ExprId;
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
///   y = a if s && t[k] > 0 else b;        y = a if s && t[k] > 0 else b;    (both computed)
///
/// Cost: a selection each.
auto guard_operands(Rewriting& rewriting) -> bool;

}  // namespace tacet::oblivious
