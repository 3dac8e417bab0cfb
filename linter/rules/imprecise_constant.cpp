#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "compiler/core/diagnostics/code.h"
#include "engine/program/common/element_text.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using syntax::Node;
using syntax::NodeKind;

/// The default precision of results, as a fraction of their range.
static constexpr double kMostError = 0x1p-10;

/// Rule: imprecise-constant
///
/// What it does: finds fractions of type `fxp` that the fraction bits of the type hold badly: that
/// are off by more than a thousandth of themselves.
/// Why: what is multiplied by them is off by as much. A constant below half a unit of the type is
/// 0.
/// Example: `x * 0.000001` with `x: fxp`
/// Use instead: a type with more fraction bits, as `fxp<32>`, or division by a large number, as
/// `x / 1000000`
/// Fix safety: there is none; what is precise enough is not known.
static void find_imprecise_constant(const Text& text, Node literal, TextFindings& findings) {
  const types::Type& type = text.type(literal);
  if (type.kind != types::TypeKind::Value || type.dtype != types::DType::Fxp) {
    return;
  }
  const uint8_t bits =
      type.fraction_bits == 0 ? uint8_t{engine::kDefaultFractionBits} : type.fraction_bits;
  engine::Cell cell = 0;
  const std::string written(literal.text());
  const double meant = std::strtod(written.c_str(), nullptr);
  if (meant == 0 || !engine::parse_fixed(written, bits, cell)) {
    return;
  }
  const double held = std::ldexp(static_cast<double>(static_cast<int64_t>(cell)), -int{bits});
  const double error = std::abs(held - meant) / meant;
  if (error <= kMostError) {
    return;
  }
  findings.add(DiagnosticCode::T9117, literal.range(),
               cell == 0
                   ? fmt::format("`{}` is 0 with {} fraction bits", written, bits)
                   : fmt::format("`{}` is {:.3g} with {} fraction bits, {:.2g}% {}", written, held,
                                 bits, 100 * error, held < meant ? "too small" : "too large"));
}

auto imprecise_constant() -> Rule {
  return text_rule(DiagnosticCode::T9117, "imprecise-constant", Group::Suspicious,
                   {NodeKind::Float}, find_imprecise_constant);
}

}  // namespace tacet::linter
