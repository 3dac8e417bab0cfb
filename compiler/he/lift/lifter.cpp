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

/// No ring supports more sequential products.
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

static void add_fractions(Lifter& lifter);
template <class Names>
static void add_fraction(Lifter& lifter, engine::Cell cell, uint8_t bits, FileRange place,
                         Names& names);
template <class Names>
static void add_reciprocal(Lifter& lifter, const kernel::Binary& division, FileRange place,
                           Names& names);
static auto with_cases_as_sums(Lifter& lifter, TermId root) -> TermId;

Lifter::Lifter(const kernel::Kernel& kernel_, size_t result_, const engine::PublicRandomKey& key)
    : kernel(kernel_), result(result_), env(kernel_.variables.size()), random_key(key) {
  find_draws(*this);
  reached = terms.number(1);
  for (VariableState& variable : env) {
    variable.scalar = terms.number(0);
  }
  for (kernel::VariableId id : kernel_.parameters) {
    const kernel::Variable& parameter = kernel_.variables[id];
    const array::ArrayId array =
        inputs.arrays.add({.name = parameter.name,
                           .extents = parameter.type.extents,
                           .owner = owner_of(parameter),
                           .range = range_of_parameter(parameter),
                           .place = parameter.place,
                           .elements = {},
                           .fraction_bits = parameter.type.element.fraction_bits,
                           .norm = parameter.bound ? parameter.bound->norm : std::nullopt});
    const std::optional<Interval> range = inputs.arrays[array].range;
    if (range) {
      terms.set_range(array.index, *range, parameter.type.extents);
    }
    if (parameter.type.extents.empty()) {
      state(*this, id).scalar = terms.element(array.index, {});
    } else {
      state(*this, id).array = {.base = ArrayState::Base::Stored, .origin = array.index};
    }
    if (!parameter.owner.empty() && parameter.owner != "client" && parameter.owner != "server") {
      stick(
          *this, parameter.place, fmt::format("a value from party `{}`", parameter.owner),
          "under encryption, values come from the client, which holds the key, or from the server");
    }
  }
  add_fractions(*this);
}

/// What draws are made with, which is not part of the program.
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

/// What the numbers of a literal are stored as, row-major; whether there are only numbers.
static auto append_cells(const kernel::Kernel& kernel, kernel::ExprId id,
                         std::vector<int64_t>& cells) -> bool {
  const kernel::Expr& expr = kernel.exprs[id];
  if (const auto* number = std::get_if<kernel::Literal>(&expr.node)) {
    cells.push_back(static_cast<int64_t>(number->cell));
    return expr.type.extents.empty();
  }
  if (const auto* unary = std::get_if<kernel::Unary>(&expr.node)) {
    const bool is_negative = unary->op == types::Operator::Neg && expr.type.extents.empty() &&
                             append_cells(kernel, unary->operand, cells);
    if (is_negative) {
      cells.back() = -cells.back();
    }
    return is_negative;
  }
  const auto* literal = std::get_if<kernel::ArrayLiteral>(&expr.node);
  return literal != nullptr &&
         std::all_of(literal->elements.begin(), literal->elements.end(),
                     [&](kernel::ExprId element) { return append_cells(kernel, element, cells); });
}

/// A constant for an array of fixed-point numbers that the text spells out.
template <class Names>
static void add_literal_array(Lifter& lifter, kernel::ExprId id, Names& names) {
  const kernel::Expr& expr = lifter.kernel.exprs[id];
  std::vector<int64_t> cells;
  const bool is_array = std::holds_alternative<kernel::ArrayLiteral>(expr.node) &&
                        expr.type.element.fraction_bits != 0;
  if (!is_array || !append_cells(lifter.kernel, id, cells)) {
    return;
  }
  const bool is_large = std::any_of(cells.begin(), cells.end(), [](int64_t cell) {
    return cell < -array::kMaxConstant || cell > array::kMaxConstant;
  });
  if (!is_large) {
    lifter.literal_arrays[id] = lifter.inputs.arrays
                                    .add({.name = names.add("numbers"),
                                          .extents = expr.type.extents,
                                          .owner = Owner::Constant,
                                          .range = {},
                                          .place = expr.place,
                                          .elements = std::move(cells),
                                          .fraction_bits = expr.type.element.fraction_bits})
                                    .index;
  }
}

/// Arrays for the fractions that the text says; all fixed-point numbers must have as many bits.
static void add_fractions(Lifter& lifter) {
  array::UniqueNames names;
  for (const array::Array& parameter : lifter.inputs.arrays.values()) {
    names.add(parameter.name);
  }
  const auto meet = [&](engine::ElementType type, FileRange place) {
    const uint8_t bits = type.fraction_bits;
    if (bits != 0 && lifter.inputs.fraction_bits != 0 && bits != lifter.inputs.fraction_bits) {
      stick(lifter, place,
            fmt::format("mixing `fxp<{}>` and `fxp<{}>`", lifter.inputs.fraction_bits, bits),
            "under encryption, all fixed-point numbers of a function have the same number of "
            "fraction bits");
    }
    lifter.inputs.fraction_bits = bits != 0 ? bits : lifter.inputs.fraction_bits;
  };
  for (const kernel::VariableId parameter : lifter.kernel.parameters) {
    meet(lifter.kernel.variables[parameter].type.element, lifter.kernel.variables[parameter].place);
  }
  for (const kernel::Result& result : lifter.kernel.results) {
    meet(result.type.element, {});
  }
  if (!is_real(lifter.inputs)) {
    return;
  }
  for (const kernel::Variable& variable : lifter.kernel.variables.values()) {
    meet(variable.type.element, variable.place);
  }
  const std::set<kernel::ExprId> of_draws = parts_of_draws(lifter.kernel);
  for (uint32_t i = 0; i < lifter.kernel.exprs.size(); ++i) {
    if (of_draws.contains(kernel::ExprId{i})) {
      continue;
    }
    const kernel::Expr& expr = lifter.kernel.exprs[kernel::ExprId{i}];
    meet(expr.type.element, expr.place);
    if (const auto* binary = std::get_if<kernel::Binary>(&expr.node)) {
      add_reciprocal(lifter, *binary, expr.place, names);
    }
    add_literal_array(lifter, kernel::ExprId{i}, names);
    const auto* literal = std::get_if<kernel::Literal>(&expr.node);
    if (literal != nullptr) {
      add_fraction(lifter, literal->cell, expr.type.element.fraction_bits, expr.place, names);
    }
  }
  for (const kernel::Variable& variable : lifter.kernel.variables.values()) {
    if (variable.bound && variable.kind != kernel::VariableKind::Parameter) {
      for (const types::Wide end : {variable.bound->lower, variable.bound->upper}) {
        add_fraction(lifter, static_cast<engine::Cell>(end), variable.bound->fraction_bits,
                     variable.place, names);
      }
    }
  }
}

/// An array for a number, if it has a fraction.
template <class Names>
static void add_fraction(Lifter& lifter, engine::Cell cell, uint8_t bits, FileRange place,
                         Names& names) {
  if (cell % (engine::Cell{1} << bits) == 0) {
    return;
  }
  const auto [known, is_new] = lifter.fractions.try_emplace(cell);
  if (is_new) {
    known->second = lifter.inputs.arrays
                        .add({.name = names.add("fraction"),
                              .extents = {},
                              .owner = Owner::Constant,
                              .range = {},
                              .place = place,
                              .elements = {static_cast<int64_t>(cell)},
                              .fraction_bits = bits})
                        .index;
  }
}

auto end_of_bound(Lifter& lifter, const kernel::Bound& bound, types::Wide end) -> TermId {
  const auto fraction = lifter.fractions.find(static_cast<engine::Cell>(end));
  return fraction != lifter.fractions.end()
             ? lifter.terms.element(fraction->second, {})
             : lifter.terms.number(static_cast<int64_t>(end >> bound.fraction_bits));
}

/// A fixed-point number divided by a constant is multiplied by its reciprocal, which is encoded as
/// a real number and need not be one of the type.
template <class Names>
static void add_reciprocal(Lifter& lifter, const kernel::Binary& division, FileRange place,
                           Names& names) {
  constexpr uint8_t kBits = 45;
  const kernel::Expr& divisor = lifter.kernel.exprs[division.right];
  const auto* literal = std::get_if<kernel::Literal>(&divisor.node);
  const uint8_t bits = divisor.type.element.fraction_bits;
  if (division.op != types::Operator::Div || literal == nullptr || bits == 0 ||
      literal->cell == 0) {
    return;
  }
  const double value =
      std::ldexp(static_cast<double>(static_cast<int64_t>(literal->cell)), -int{bits});
  const double reciprocal = std::nearbyint(std::ldexp(1 / value, kBits));
  const auto [known, is_new] = lifter.reciprocals.try_emplace(literal->cell);
  if (!is_new) {
    return;
  }
  if (!(std::abs(reciprocal) <= static_cast<double>(array::kMaxConstant))) {
    lifter.reciprocals.erase(known);
    return;
  }
  known->second = lifter.inputs.arrays
                      .add({.name = names.add("reciprocal"),
                            .extents = {},
                            .owner = Owner::Constant,
                            .range = {},
                            .place = place,
                            .elements = {static_cast<int64_t>(reciprocal)},
                            .fraction_bits = kBits})
                      .index;
}

/// Sticks where a value is not arithmetic, if it is of fixed-point numbers.
static void check_fixed(Lifter& lifter, TermId value) {
  if (is_real(lifter.inputs) && lifter.terms.has_functions(value)) {
    stick(lifter, lifter.terms.place(value),
          "mixing comparisons, divisions or bit operations with fixed-point numbers",
          "in a function with `fxp`, encrypted integers are reals, which support no comparison of "
          "integers, quotients or bits; compare in a function of integers, or use `fn(mpc)`");
  }
}

auto stick(Lifter& lifter, FileRange place, std::string_view what, std::string_view note,
           DiagnosticCode code) -> TermId {
  if (!lifter.stuck) {
    lifter.stuck = Stuck{.code = code,
                         .place = place,
                         .message = code == DiagnosticCode::T6001
                                        ? fmt::format("{} is not supported on `he`", what)
                                        : std::string(what),
                         .note = std::string(note)};
  }
  return lifter.terms.number(0);
}

auto new_dims(Lifter& lifter, const std::vector<int64_t>& extents, std::string_view name)
    -> std::vector<DimId> {
  std::vector<DimId> dims;
  for (int64_t extent : extents) {
    dims.push_back(lifter.terms.new_dim(std::string(name), extent));
  }
  return dims;
}

auto along(const std::vector<DimId>& dims) -> std::vector<Index> {
  std::vector<Index> at;
  for (DimId dim : dims) {
    at.push_back(index_along(dim));
  }
  return at;
}

auto run(Lifter& lifter) -> Lifting {
  for (const kernel::Variable& variable : lifter.kernel.variables.values()) {
    const engine::ElementKind kind = variable.type.element.kind;
    // What is drawn may have a fraction before it becomes an integer.
    const bool is_drawn = lifter.has_draws && variable.kind == kernel::VariableKind::Local;
    const bool has_place = is_real(lifter.inputs) ? !engine::is_float(kind) : is_drawn;
    if (engine::is_fractional(kind) && !has_place) {
      refuse_fraction(lifter, variable.place);
    }
  }
  if (!lifter.stuck) {
    run(lifter, lifter.kernel.body);
  }
  const uint32_t n_levels =
      lifter.returned ? lifter.terms.least_levels(with_cases_as_sums(lifter, *lifter.returned)) : 0;
  if (n_levels > (is_real(lifter.inputs) ? kMostRealLevels : kMostLevels)) {
    stick(lifter, lifter.terms.place(*lifter.returned),
          fmt::format("multiplicative depth is at least {}", n_levels),
          "reduce the number of iterations (`max`) of loops whose iterations depend on each other; "
          "`--device mpc` has no such limit",
          DiagnosticCode::T6011);
  }
  if (!lifter.stuck && !lifter.returned) {
    stick(lifter,
          lifter.kernel.body.empty() ? FileRange{}
                                     : lifter.kernel.statements[lifter.kernel.body.back()].place,
          "a function that does not return on every path", "");
  }
  if (!lifter.stuck) {
    for (Computed& each : lifter.computed) {
      each.value = with_cases_as_sums(lifter, rerolled_sums(lifter, each.value));
    }
    const TermId result = with_cases_as_sums(lifter, rerolled_sums(lifter, *lifter.returned));
    const TermId packed =
        pack_comparisons(lifter.terms, result, lifter.inputs.arrays.size(), lifter.computed);
    lifter.computed.push_back(
        {.name = lifter.kernel.results.size() == 1 ? "out" : fmt::format("out{}", lifter.result),
         .array = static_cast<uint32_t>(lifter.inputs.arrays.size() + lifter.computed.size()),
         .dims = lifter.result_dims,
         .value = packed,
         .place = lifter.terms.place(*lifter.returned)});
    for (const Computed& each : lifter.computed) {
      check_fixed(lifter, each.value);
    }
  }
  if (!lifter.stuck) {
    Lifting lifting = write_program(lifter.terms, lifter.inputs, std::move(lifter.computed));
    if (!lifter.failed_draw) {
      return lifting;
    }
    stick(lifter, *lifter.failed_draw, "a random draw from an empty range",
          "the range 0..0 contains no integer");
  }
  Lifting lifting;
  Diagnostic diagnostic =
      make_diagnostic(lifter.stuck->code, lifter.stuck->place, lifter.stuck->message);
  if (!lifter.stuck->note.empty()) {
    diagnostic.notes.push_back(lifter.stuck->note);
  }
  lifting.diagnostics.push_back(std::move(diagnostic));
  return lifting;
}

auto refuse_fraction(Lifter& lifter, FileRange place) -> TermId {
  return stick(lifter, place, "a fractional number", "scale it to an integer");
}

/// Products that follow each other are balanced last, when sums and products were combined.
static auto with_cases_as_sums(Lifter& lifter, TermId root) -> TermId {
  if (array::is_real(lifter.inputs)) {
    return root;
  }
  return rewritten(lifter.terms, root, [&](TermId id) -> std::optional<TermId> {
    const TermId balanced = lifter.terms.cases().balanced(id);
    return balanced == id ? std::nullopt : std::optional(balanced);
  });
}

auto lift(const kernel::Kernel& kernel, size_t result, const engine::PublicRandomKey& key)
    -> Lifting {
  if (!oblivious::is_oblivious(kernel)) {
    Lifter lifter(kernel, result, key);
    return run(lifter);
  }
  const kernel::Kernel closed = oblivious::with_secret_regions(kernel);
  Lifter lifter(closed, result, key);
  return run(lifter);
}

}  // namespace tacet::lift
