#include "compiler/he/lower/item_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/front/types/columns.h"
#include "compiler/he/lift/lift.h"

namespace tacet::he_lower {

auto n_results_of(const program::FrontendSnapshot& snapshot, names::ItemId item) -> size_t {
  size_t n = 0;
  if (snapshot.item_key(item).kind == names::ItemKind::Fn) {
    for (const types::SignatureResult& result : snapshot.signature(item)->results) {
      n += types::n_columns(snapshot.types(), result.type);
    }
  }
  return std::max<size_t>(n, 1);
}

auto tolerance_of(const program::FrontendSnapshot& snapshot, names::ItemId item, size_t result)
    -> std::optional<double> {
  if (snapshot.item_key(item).kind != names::ItemKind::Fn) {
    return std::nullopt;
  }
  for (const types::SignatureResult& each : snapshot.signature(item)->results) {
    const size_t n = types::n_columns(snapshot.types(), each.type);
    if (result < n) {
      return each.tolerance;
    }
    result -= n;
  }
  return std::nullopt;
}

auto program_of(const program::FrontendSnapshot& snapshot, names::ItemId item, size_t result,
                const engine::PublicRandomKey& key) -> array::Lowering {
  array::Lowering lowering = array::lower(snapshot, item);
  const bool may_be_kernel = std::any_of(
      lowering.diagnostics.begin(), lowering.diagnostics.end(), [](const Diagnostic& diagnostic) {
        return diagnostic.code == DiagnosticCode::T6001 || diagnostic.code == DiagnosticCode::T6002;
      });
  if (lowering.program || !may_be_kernel || snapshot.item_key(item).kind != names::ItemKind::Fn) {
    return lowering;
  }
  kernel::Lowering made = kernel::lower(snapshot, item);
  if (!made.kernel) {
    return lowering;
  }
  kernel::move_to_calls(made);
  // Choices are selections here in any case; only what secrets steer otherwise must be rewritten.
  lift::Lifting lifting = lift::lift(*made.kernel, result, key);
  if (!lifting.program) {
    oblivious::ObliviousForm form = oblivious::make_oblivious(*made.kernel);
    if (!form.diagnostics.empty()) {
      return {.program = {}, .diagnostics = std::move(form.diagnostics)};
    }
    lifting = lift::lift(form.kernel, result, key);
  }
  return {.program = std::move(lifting.program), .diagnostics = std::move(lifting.diagnostics)};
}

}  // namespace tacet::he_lower
