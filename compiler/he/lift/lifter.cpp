#include "compiler/he/lift/lifter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "compiler/device/array/unique_names.h"
#include "compiler/device/kernel/build.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/device/oblivious/secret_regions.h"
#include "compiler/he/lift/cases.h"
#include "compiler/he/lift/pack_comparisons.h"
#include "compiler/he/lift/write_program.h"

namespace tacet::lift {

namespace {

using array::Owner;

/// No ring has room for more products one after another.
constexpr uint32_t kMostLevels = 64;

/// What the elements of a parameter are in: as declared, or what its type holds.
auto range_of_parameter(const kernel::Variable& parameter) -> std::optional<Interval> {
  const engine::ElementKind kind = parameter.type.element.kind;
  if (parameter.bound) {
    const auto range = types::least_and_greatest(*parameter.bound);
    return range ? std::optional(Interval{range->first, range->second}) : std::nullopt;
  }
  if (kind == engine::ElementKind::Bool) {
    return Interval{0, 1};
  }
  if (!engine::is_integer(kind) || engine::bit_width(kind) >= 64) {
    return std::nullopt;
  }
  return Interval{engine::min_integer(kind), static_cast<int64_t>(engine::max_integer(kind))};
}

auto owner_of(const kernel::Variable& parameter) -> Owner {
  if (!parameter.owner.empty()) {
    return parameter.owner == "client" ? Owner::Client : Owner::Server;
  }
  return parameter.visibility == types::Visibility::Secret ? Owner::Client : Owner::Server;
}

}  // namespace

Lifter::Lifter(const kernel::Kernel& kernel, size_t result, const engine::PublicRandomKey& key)
    : kernel_(kernel), result_(result), env_(kernel.variables.size()), random_key_(key) {
  find_draws();
  reached_ = terms_.number(1);
  for (VariableState& variable : env_) {
    variable.scalar = terms_.number(0);
  }
  for (kernel::VariableId id : kernel.parameters) {
    const kernel::Variable& parameter = kernel.variables[id];
    const array::ArrayId array =
        inputs_.arrays.add({.name = parameter.name,
                            .extents = parameter.type.extents,
                            .owner = owner_of(parameter),
                            .range = range_of_parameter(parameter),
                            .place = parameter.place,
                            .elements = {},
                            .fraction_bits = parameter.type.element.fraction_bits});
    const std::optional<Interval> range = inputs_.arrays[array].range;
    if (range) {
      terms_.set_range(array.index, *range, parameter.type.extents);
    }
    if (parameter.type.extents.empty()) {
      state(id).scalar = terms_.element(array.index, {});
    } else {
      state(id).array = {.base = ArrayState::Base::Stored, .origin = array.index};
    }
    if (!parameter.owner.empty() && parameter.owner != "client" && parameter.owner != "server") {
      stick(
          parameter.place, fmt::format("a value from party `{}`", parameter.owner),
          "under encryption, values come from the client, which holds the key, or from the server");
    }
  }
  add_fractions();
}

/// What draws are made with, which is no part of the program.
static auto parts_of_draws(const kernel::Kernel& kernel) -> std::set<kernel::ExprId> {
  std::set<kernel::ExprId> parts;
  const std::function<void(kernel::ExprId)> add = [&](kernel::ExprId id) {
    if (parts.insert(id).second) {
      kernel::visit_exprs(kernel.exprs[id], add);
    }
  };
  for (const kernel::Expr& expr : kernel.exprs.values()) {
    if (std::holds_alternative<kernel::Draw>(expr.node)) {
      kernel::visit_exprs(expr, add);
    }
  }
  return parts;
}

void Lifter::add_fractions() {
  array::UniqueNames names;
  for (const array::Array& parameter : inputs_.arrays.values()) {
    names.add(parameter.name);
  }
  const auto meet = [&](engine::ElementType type, FileRange place) {
    const uint8_t bits = type.fraction_bits;
    if (bits != 0 && inputs_.fraction_bits != 0 && bits != inputs_.fraction_bits) {
      stick(place, fmt::format("mixing `fxp<{}>` and `fxp<{}>`", inputs_.fraction_bits, bits),
            "under encryption, all fixed-point numbers of a function have the same number of "
            "fraction bits");
    }
    inputs_.fraction_bits = bits != 0 ? bits : inputs_.fraction_bits;
  };
  for (const kernel::VariableId parameter : kernel_.parameters) {
    meet(kernel_.variables[parameter].type.element, kernel_.variables[parameter].place);
  }
  for (const kernel::Result& result : kernel_.results) {
    meet(result.type.element, {});
  }
  if (!is_real(inputs_)) {
    return;
  }
  for (const kernel::Variable& variable : kernel_.variables.values()) {
    meet(variable.type.element, variable.place);
  }
  const std::set<kernel::ExprId> of_draws = parts_of_draws(kernel_);
  for (uint32_t i = 0; i < kernel_.exprs.size(); ++i) {
    if (of_draws.contains(kernel::ExprId{i})) {
      continue;
    }
    const kernel::Expr& expr = kernel_.exprs[kernel::ExprId{i}];
    meet(expr.type.element, expr.place);
    if (const auto* binary = std::get_if<kernel::Binary>(&expr.node)) {
      add_reciprocal(*binary, expr.place, names);
    }
    const auto* literal = std::get_if<kernel::Literal>(&expr.node);
    const uint8_t bits = expr.type.element.fraction_bits;
    if (literal == nullptr || literal->cell % (engine::Cell{1} << bits) == 0) {
      continue;
    }
    const auto [known, is_new] = fractions_.try_emplace(literal->cell);
    if (is_new) {
      known->second = inputs_.arrays
                          .add({.name = names.add("fraction"),
                                .extents = {},
                                .owner = Owner::Constant,
                                .range = {},
                                .place = expr.place,
                                .elements = {static_cast<int64_t>(literal->cell)},
                                .fraction_bits = bits})
                          .index;
    }
  }
}

/// A fixed-point number divided by a constant is multiplied by its reciprocal, which is encoded as
/// a real number and need not be one of the type.
template <class Names>
void Lifter::add_reciprocal(const kernel::Binary& division, FileRange place, Names& names) {
  constexpr uint8_t kBits = 45;
  const kernel::Expr& divisor = kernel_.exprs[division.right];
  const auto* literal = std::get_if<kernel::Literal>(&divisor.node);
  const uint8_t bits = divisor.type.element.fraction_bits;
  if (division.op != types::Operator::Div || literal == nullptr || bits == 0 ||
      literal->cell == 0) {
    return;
  }
  const double value =
      std::ldexp(static_cast<double>(static_cast<int64_t>(literal->cell)), -int{bits});
  const double reciprocal = std::nearbyint(std::ldexp(1 / value, kBits));
  const auto [known, is_new] = reciprocals_.try_emplace(literal->cell);
  if (!is_new) {
    return;
  }
  if (!(std::abs(reciprocal) <= static_cast<double>(array::kMaxConstant))) {
    reciprocals_.erase(known);
    return;
  }
  known->second = inputs_.arrays
                      .add({.name = names.add("reciprocal"),
                            .extents = {},
                            .owner = Owner::Constant,
                            .range = {},
                            .place = place,
                            .elements = {static_cast<int64_t>(reciprocal)},
                            .fraction_bits = kBits})
                      .index;
}

void Lifter::check_fixed(TermId value) {
  if (is_real(inputs_) && terms_.has_functions(value)) {
    stick(terms_.place(value),
          "mixing comparisons, divisions or bit operations with fixed-point numbers",
          "in a function with `fxp`, encrypted values support only sums, differences, products and "
          "selection by a `bool`; compare in a function of integers, or use `fn(mpc)`");
  }
}

auto Lifter::stick(FileRange place, std::string_view what, std::string_view note,
                   DiagnosticCode code) -> TermId {
  if (!stuck_) {
    stuck_ = Stuck{.code = code,
                   .place = place,
                   .message = code == DiagnosticCode::T6001
                                  ? fmt::format("{} is not supported on `he`", what)
                                  : std::string(what),
                   .note = std::string(note)};
  }
  return terms_.number(0);
}

auto Lifter::new_dims(const std::vector<int64_t>& extents, std::string_view name)
    -> std::vector<DimId> {
  std::vector<DimId> dims;
  for (int64_t extent : extents) {
    dims.push_back(terms_.new_dim(std::string(name), extent));
  }
  return dims;
}

auto Lifter::along(const std::vector<DimId>& dims) -> std::vector<Index> {
  std::vector<Index> at;
  for (DimId dim : dims) {
    at.push_back(index_along(dim));
  }
  return at;
}

auto Lifter::run() -> Lifting {
  for (const kernel::Variable& variable : kernel_.variables.values()) {
    const engine::ElementKind kind = variable.type.element.kind;
    // What is drawn may have a fraction on its way to integers.
    const bool is_drawn = has_draws_ && variable.kind == kernel::VariableKind::Local;
    const bool has_place = is_real(inputs_) ? !engine::is_float(kind) : is_drawn;
    if (engine::is_fractional(kind) && !has_place) {
      refuse_fraction(variable.place);
    }
  }
  if (!stuck_) {
    run(kernel_.body);
  }
  const uint32_t n_levels = returned_ ? terms_.least_levels(with_cases_as_sums(*returned_)) : 0;
  if (n_levels > kMostLevels) {
    stick(terms_.place(*returned_), fmt::format("multiplicative depth is at least {}", n_levels),
          "reduce the number of iterations (`max`) of loops whose iterations depend on each other; "
          "`--device mpc` has no such limit",
          DiagnosticCode::T6011);
  }
  if (!stuck_ && !returned_) {
    stick(kernel_.body.empty() ? FileRange{} : kernel_.statements[kernel_.body.back()].place,
          "a function that does not return on every path", "");
  }
  if (!stuck_) {
    for (Computed& each : computed_) {
      each.value = with_cases_as_sums(rerolled_sums(each.value));
    }
    const TermId result = with_cases_as_sums(rerolled_sums(*returned_));
    const TermId packed = pack_comparisons(terms_, result, inputs_.arrays.size(), computed_);
    computed_.push_back(
        {.name = kernel_.results.size() == 1 ? "out" : fmt::format("out{}", result_),
         .array = static_cast<uint32_t>(inputs_.arrays.size() + computed_.size()),
         .dims = result_dims_,
         .value = packed,
         .place = terms_.place(*returned_)});
    for (const Computed& each : computed_) {
      check_fixed(each.value);
    }
  }
  if (!stuck_) {
    Lifting lifting = write_program(terms_, inputs_, std::move(computed_));
    if (!failed_draw_) {
      return lifting;
    }
    stick(*failed_draw_, "a random draw from an empty range", "the range 0..0 contains no integer");
  }
  Lifting lifting;
  Diagnostic diagnostic = make_diagnostic(stuck_->code, stuck_->place, stuck_->message);
  if (!stuck_->note.empty()) {
    diagnostic.notes.push_back(stuck_->note);
  }
  lifting.diagnostics.push_back(std::move(diagnostic));
  return lifting;
}

auto Lifter::refuse_fraction(FileRange place) -> TermId {
  return stick(place, "a fractional number", "scale it to an integer");
}

/// Products that follow each other are balanced last, when sums and products were put together.
auto Lifter::with_cases_as_sums(TermId root) -> TermId {
  if (array::is_real(inputs_)) {
    return root;
  }
  return terms_.rewritten(root, [&](TermId id) -> std::optional<TermId> {
    const TermId balanced = terms_.cases().balanced(id);
    return balanced == id ? std::nullopt : std::optional(balanced);
  });
}

auto lift(const kernel::Kernel& kernel, size_t result, const engine::PublicRandomKey& key)
    -> Lifting {
  if (!oblivious::is_oblivious(kernel)) {
    return Lifter(kernel, result, key).run();
  }
  const kernel::Kernel closed = oblivious::with_secret_regions(kernel);
  return Lifter(closed, result, key).run();
}

}  // namespace tacet::lift
