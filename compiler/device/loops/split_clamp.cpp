#include <algorithm>
#include <bit>

#include "compiler/device/kernel/walk.h"
#include "compiler/device/loops/splitting.h"

/// Sums that are clamped: `Splitting::clamp_tree`.
namespace tacet::loops {

auto Splitting::clamp_tree() -> std::unique_ptr<IterationTree> {
  const VariableId variable = group_.front();
  const engine::ElementType element = type_of(variable).element;
  const bool is_signed =
      element.kind == engine::ElementKind::Fxp ||
      (engine::is_integer(element.kind) && oblivious::range_of_type(element).lower < 0);
  if (group_.size() != 1 || !is_signed || !secrets_.contains(variable)) {
    return nullptr;
  }
  std::map<VariableId, ClampForm> forms{{variable, ClampForm()}};
  // Not to be taken for any bound of the text that is small enough; they are set below.
  const oblivious::Range all = oblivious::range_of_type(element);
  const auto cell = [&](__int128 value) {
    return engine::wrapped(element.kind, static_cast<uint64_t>(static_cast<int64_t>(value)));
  };
  const ExprId lowest = make_.literal(element, cell(all.lower));
  const ExprId highest = make_.literal(element, cell(all.upper));
  oblivious::Ranges ranges(kernel_);
  Magnitudes sizes;
  const auto read = [&](const auto& known, const Variables& unknown,
                        const kernel::Assign& assign) -> std::optional<ClampForm> {
    ClampReader reader{
        .make = make_, .forms = known, .unknown = unknown, .lowest = lowest, .highest = highest};
    std::optional<ClampForm> form =
        type_of(assign.variable).element == element ? reader.read(assign.value) : std::nullopt;
    if (!form) {
      return form;
    }
    for (const ExprId shift : reader.shifts) {
      sizes.shift += size_of(ranges, shift);
    }
    for (const ExprId bound : reader.bounds) {
      sizes.bound = std::max(sizes.bound, size_of(ranges, bound));
    }
    sizes.has_filled = sizes.has_filled || reader.has_filled;
    const auto hold = [&](std::optional<ExprId>& part, const char* name) {
      part = part && *part != lowest && *part != highest
                 ? std::optional(held(*part, assign.variable, name))
                 : part;
    };
    hold(form->shift, "shift");
    hold(form->lower, "lower");
    hold(form->upper, "upper");
    return form;
  };
  if (!follow(forms, read)) {
    return nullptr;
  }
  const ClampForm& form = forms.at(variable);
  const bool is_extremum = !form.shift && (is_reduction() || selects_others());
  const bool is_sum = !form.lower && !form.upper;
  const auto limits = is_extremum || is_sum ? std::nullopt : fitting(ranges, form, sizes);
  if (!limits) {
    is_refused_ = true;
    return nullptr;
  }
  kernel_.exprs[lowest].node = kernel::Literal{cell(-limits->reach)};
  kernel_.exprs[highest].node = kernel::Literal{cell(limits->reach)};
  return std::make_unique<ClampTree>(make_, variable, form, loop_.n, limits->shift);
}

auto Splitting::size_of(oblivious::Ranges& ranges, ExprId expr) -> __int128 {
  const oblivious::Range range = ranges.of(expr);
  return std::max(range.upper, -range.lower);
}

auto Splitting::size_before(oblivious::Ranges& ranges) const -> std::optional<__int128> {
  const VariableId variable = group_.front();
  if (kernel_.variables[variable].kind != kernel::VariableKind::Local) {
    return std::nullopt;
  }
  std::set<StatementId> inside;
  kernel::walk_statements(kernel_, body_.statements, [&](StatementId id) { inside.insert(id); });
  __int128 size = 0;
  bool is_known = true;
  kernel::walk_statements(kernel_, kernel_.body, [&](StatementId id) {
    const kernel::Statement& each = kernel_.statements[id];
    if (inside.contains(id)) {
      return;
    }
    kernel::visit_written(each, [&](VariableId written) {
      const auto* assign = std::get_if<kernel::Assign>(&each.node);
      if (written == variable) {
        is_known = is_known && assign != nullptr;
        size = assign == nullptr ? size : std::max(size, size_of(ranges, assign->value));
      }
    });
  });
  return is_known ? std::optional(size) : std::nullopt;
}

auto Splitting::fitting(oblivious::Ranges& ranges, const ClampForm& form,
                        const Magnitudes& sizes) const -> std::optional<Limits> {
  const auto before = size_before(ranges);
  const __int128 most = oblivious::range_of_type(type_of(group_.front()).element).upper;
  if (!before) {
    return std::nullopt;
  }
  const __int128 base = std::max(*before, sizes.bound);
  const bool is_limited = form.lower && form.upper && !sizes.has_filled;
  const __int128 n_runs = is_limited ? 1 : loop_.n_runs.value_or(0);
  if (n_runs == 0 || sizes.shift > most || base > most) {
    return std::nullopt;
  }
  const __int128 shifts = sizes.shift * loop_.n * n_runs;
  if (2 * (base + shifts) <= most) {
    return Limits{.reach = static_cast<int64_t>(base + shifts)};
  }
  const __int128 limit = std::max(sizes.shift, 2 * base);
  if (is_limited && base + 2 * limit <= most) {
    return Limits{.reach = static_cast<int64_t>(base), .shift = static_cast<int64_t>(2 * base)};
  }
  return std::nullopt;
}

}  // namespace tacet::loops
