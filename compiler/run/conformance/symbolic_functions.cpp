#include <fmt/format.h>

#include "compiler/run/conformance/symbolic_state.h"

// Functions of numbers on terms: those that choose between numbers are comparisons and selects.

namespace tacet::conformance {

using engine::FunctionKind;
using interpret::FunctionPlace;

/// `min` or `max` of two, as `engine::evaluate` chooses.
auto Run::chosen(engine::Function function, ElementType type, TermId a, TermId b) -> TermId {
  const TermId takes_second = function == engine::Function::Min
                                  ? terms_.binary(BinaryOperation::Less, type, b, a)
                                  : terms_.binary(BinaryOperation::Less, type, a, b);
  return terms_.select(takes_second, b, a);
}

void Run::choose(State& state, const Instruction& at, const FunctionPlace& place) {
  const uint32_t* operands = at.operands;
  if (place.n_second > 0) {
    std::vector<TermId> results(place.n_result);
    for (uint32_t i = 0; i < place.n_result; ++i) {
      results[i] =
          chosen(place.function, at.type, slot(state, operands[1] + (place.n_first == 1 ? 0 : i)),
                 slot(state, operands[2] + (place.n_second == 1 ? 0 : i)));
    }
    std::copy(results.begin(), results.end(), &slot(state, operands[0]));
    return;
  }
  std::vector<TermId> best(place.n_result);
  for (uint32_t i = 0; i < place.n_first; ++i) {
    TermId& one = best[i % place.n_result];
    const TermId next = slot(state, operands[1] + i);
    one = i < place.n_result ? next : chosen(place.function, at.type, one, next);
  }
  std::copy(best.begin(), best.end(), &slot(state, operands[0]));
}

/// Of numbers that do not depend on inputs; false if there are others.
auto Run::apply_to_numbers(State& state, const Instruction& at, const FunctionPlace& place)
    -> bool {
  const auto cells = [&](uint32_t from, uint32_t n) -> std::optional<std::vector<Cell>> {
    std::vector<Cell> found;
    for (uint32_t i = 0; i < n; ++i) {
      const Cell* cell = number_in(slot(state, from + i));
      if (cell == nullptr) {
        return std::nullopt;
      }
      found.push_back(*cell);
    }
    return found;
  };
  const std::optional<std::vector<Cell>> first = cells(at.operands[1], place.n_first);
  const std::optional<std::vector<Cell>> second = cells(at.operands[2], place.n_second);
  if (!first || !second) {
    return false;
  }
  std::vector<Cell> results(place.n_result);
  engine::evaluate(place.function, at.type, *first, *second, results);
  for (uint32_t i = 0; i < place.n_result; ++i) {
    slot(state, at.operands[0] + i) = terms_.number(results[i]);
  }
  return true;
}

auto Run::apply(State& state, const Instruction& at) -> Progress {
  const FunctionPlace& place = program_.applied[at.operands[3]];
  n_steps_ += place.n_first + place.n_second;
  if (!may_go_on()) {
    return Progress::Undecided;
  }
  const bool is_absolute = place.function == engine::Function::Abs && !is_float(at.type.kind);
  if (apply_to_numbers(state, at, place) || place.n_result == 0) {
  } else if (function_kind(place.function) == FunctionKind::Choice) {
    choose(state, at, place);
  } else if (is_absolute) {
    for (uint32_t i = 0; i < place.n_result; ++i) {
      const TermId a = slot(state, at.operands[1] + i);
      const TermId is_negative = terms_.binary(BinaryOperation::Less, at.type, a, terms_.number(0));
      slot(state, at.operands[0] + i) =
          terms_.select(is_negative, terms_.unary(TermKind::Negate, at.type, a), a);
    }
  } else {
    return untold(fmt::format("it calls `{}`", function_name(place.function)));
  }
  ++state.pc;
  return Progress::Arrived;
}

}  // namespace tacet::conformance
