#include "compiler/lift/lifter.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/kernel/build.h"
#include "compiler/lift/write_program.h"
#include "compiler/oblivious/make_oblivious.h"
#include "compiler/oblivious/secret_regions.h"

namespace tacet::lift {

namespace {

using array::Owner;

/// No ring has room for more products one after another.
constexpr uint32_t kMostLevels = 64;

/// What the elements of a parameter are in: as declared, or what its type holds.
auto range_of_parameter(const kernel::Variable& parameter) -> std::optional<Interval> {
  if (parameter.bound) {
    return Interval{parameter.bound->lower, parameter.bound->upper - 1};
  }
  const engine::ElementKind kind = parameter.type.element.kind;
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
  for (VariableState& variable : env_) {
    variable.scalar = terms_.number(0);
  }
  for (kernel::VariableId id : kernel.parameters) {
    const kernel::Variable& parameter = kernel.variables[id];
    const array::ArrayId array = inputs_.arrays.add({.name = parameter.name,
                                                     .extents = parameter.type.extents,
                                                     .owner = owner_of(parameter),
                                                     .range = range_of_parameter(parameter),
                                                     .place = parameter.place});
    if (parameter.type.extents.empty()) {
      state(id).scalar = terms_.element(array.index, {});
    } else {
      state(id).array = {.base = ArrayState::Base::Stored, .origin = array.index};
    }
    if (!parameter.owner.empty() && parameter.owner != "client" && parameter.owner != "server") {
      stick(parameter.place, fmt::format("values from party `{}`", parameter.owner),
            "under encryption values come from the client, who has the key, or the server");
    }
  }
}

auto Lifter::stick(FileRange place, std::string_view what, std::string_view note,
                   DiagnosticCode code) -> TermId {
  if (!stuck_) {
    stuck_ = Stuck{.code = code,
                   .place = place,
                   .message = code == DiagnosticCode::T6001
                                  ? fmt::format("array programs do not have {}", what)
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
    // What is drawn may have a fraction on its way to integers.
    const bool is_drawn = has_draws_ && variable.kind == kernel::VariableKind::Local;
    if (engine::is_fractional(variable.type.element.kind) && !is_drawn) {
      refuse_fraction(variable.place);
    }
  }
  if (!stuck_) {
    run(kernel_.body);
  }
  if (returned_ && terms_.least_levels(*returned_) > kMostLevels) {
    stick(terms_.place(*returned_),
          fmt::format("at least {} products of encrypted numbers one after another",
                      terms_.least_levels(*returned_)),
          "loops whose turns need each other take fewer if they have fewer turns (`max`); "
          "`--device mpc` has no such limit",
          DiagnosticCode::T6011);
  }
  if (!stuck_ && !returned_) {
    stick(kernel_.body.empty() ? FileRange{} : kernel_.statements[kernel_.body.back()].place,
          "functions that do not return on every way", "");
  }
  Lifting lifting;
  if (!stuck_) {
    computed_.push_back(
        {.name = kernel_.results.size() == 1 ? "out" : fmt::format("out{}", result_),
         .dims = result_dims_,
         .value = *returned_,
         .place = terms_.place(*returned_)});
    for (Computed& each : computed_) {
      each.value = rerolled_sums(each.value);
    }
    lifting = write_program(terms_, inputs_, std::move(computed_));
    if (!failed_draw_) {
      return lifting;
    }
    lifting.program.reset();
    stick(*failed_draw_, "random draws that fail", "there is no integer from 0 to below 0");
  }
  Diagnostic diagnostic = make_diagnostic(stuck_->code, stuck_->place, stuck_->message);
  if (!stuck_->note.empty()) {
    diagnostic.notes.push_back(stuck_->note);
  }
  lifting.diagnostics.push_back(std::move(diagnostic));
  return lifting;
}

auto Lifter::refuse_fraction(FileRange place) -> TermId {
  return stick(place, "numbers with a fraction", "scale them to integers");
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
