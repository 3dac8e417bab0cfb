#include "engine/program/he/gather.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/program/he/walk.h"

namespace tacet::engine {
namespace {

/// Gathers one of the terms of a register's element.
class Gatherer {
 public:
  Gatherer(const HeProgram& program, const HeGather& gather, const HeValues& values,
           const std::vector<int64_t>& coordinates, const std::function<double()>& any)
      : program_(program),
        gather_(gather),
        any_(any),
        row_variable_(coordinates.size()),
        variables_(coordinates) {
    variables_.resize(coordinates.size() + 1 + gather.columns.size());
    if (gather.array != kNoArray) {
      array_ = &program.arrays[gather.array];
      numbers_ = array_->owner == HeOwner::Constant ? &array_->values.get()
                                                    : &values.find(array_->name)->second;
    }
  }

  /// Adds it to the slots.
  void add_to(HeSlots& slots) {
    const HeArithmetic arithmetic(program_);
    for (size_t row = 0; row < program_.n_rows; ++row) {
      variables_[row_variable_] = static_cast<int64_t>(row);
      HeCounter columns(gather_.columns);
      bool is_inside = true;
      for (size_t column = 0; column < program_.n_columns; ++column) {
        double& slot = slots[row * program_.n_columns + column];
        slot = arithmetic.reduce(slot + arithmetic.reduce(is_inside ? value(columns) : outside()));
        is_inside = (is_inside && columns.next()) || (gather_.is_repeated);
      }
    }
  }

 private:
  auto outside() const -> double { return gather_.outside ? *gather_.outside : any_ ? any_() : 0; }

  auto value(const HeCounter& columns) -> double {
    std::copy(columns.values().begin(), columns.values().end(),
              variables_.begin() + static_cast<ptrdiff_t>(row_variable_) + 1);
    for (const HeGuard& guard : gather_.guards) {
      const int64_t guarded = evaluate(guard.value, variables_);
      if (guarded < guard.low || guarded >= guard.high) {
        return outside();
      }
    }
    if (array_ == nullptr) {
      return gather_.number;
    }
    size_t at = 0;
    for (size_t d = 0; d < gather_.indices.size(); ++d) {
      int64_t index = evaluate(gather_.indices[d].value, variables_);
      if (const int64_t modulus = gather_.indices[d].modulus; modulus != 0) {
        index = (index % modulus + modulus) % modulus;
      }
      if (index < 0 || index >= array_->extents[d]) {
        return outside();
      }
      at = at * static_cast<size_t>(array_->extents[d]) + static_cast<size_t>(index);
    }
    return (*numbers_)[at];
  }

  const HeProgram& program_;
  const HeGather& gather_;
  const std::function<double()>& any_;
  size_t row_variable_;
  std::vector<int64_t> variables_;
  const HeArray* array_ = nullptr;
  const std::vector<double>* numbers_ = nullptr;
};

}  // namespace

auto check_values(const HeProgram& program, HeOwner owner, const HeValues& values) -> Status {
  for (const HeArray& array : program.arrays) {
    if (array.owner != owner || owner == HeOwner::Constant) {
      continue;
    }
    const auto found = values.find(array.name);
    if (found == values.end()) {
      return Error{fmt::format("no values for the input `{}`", array.name)};
    }
    if (found->second.size() != n_elements(array.extents)) {
      return Error{fmt::format("the input `{}` has {} elements, but got {} values", array.name,
                               n_elements(array.extents), found->second.size())};
    }
    for (const double number : found->second) {
      const bool is_whole = std::floor(number) == number && std::abs(number) <= 0x1p53;
      if (!std::isfinite(number) || (program.is_integer() && !is_whole)) {
        return Error{
            fmt::format("{} in the input `{}` does not fit in a slot", number, array.name)};
      }
      if (!program.is_integer() && std::abs(number) > array.bound) {
        return Error{fmt::format(
            "{} in the input `{}` exceeds its bound {}; declare another bound with `within`",
            number, array.name, array.bound)};
      }
    }
  }
  return std::monostate{};
}

auto gather_slots(const HeProgram& program, const HeRegister& reg,
                  const std::vector<int64_t>& coordinates, const HeValues& values,
                  const std::function<double()>& any) -> HeSlots {
  HeSlots slots(program.n_slots());
  for (const HeGather& gather : reg.gathers) {
    Gatherer(program, gather, values, coordinates, any).add_to(slots);
  }
  return slots;
}

auto gather_bound(const HeProgram& program, const HeRegister& reg) -> double {
  double bound = 0;
  for (const HeGather& gather : reg.gathers) {
    double largest = std::abs(gather.number);
    if (gather.array != kNoArray) {
      const HeArray& array = program.arrays[gather.array];
      largest = array.owner == HeOwner::Constant ? 0 : array.bound;
      for (const double number : array.values) {
        largest = std::max(largest, std::abs(number));
      }
    }
    bound += std::max(largest, std::abs(gather.outside.value_or(0)));
  }
  // A vector of zeros is within any bound.
  return bound > 0 ? bound : 1;
}

auto bound_after(HeOpcode opcode, double a, double b) -> double {
  if (he_n_operands(opcode) == 1) {
    return a;  // moved, negated, or divided together with its scale
  }
  return opcode == HeOpcode::Mul ? a * b : a + b;
}

void for_each_number(const HeProgram& program, const HeOutput& output,
                     const std::function<void(const HeOutputNumber&)>& use) {
  HeCounter counter(output.dimensions);
  do {
    if (const auto target = output_target(output, counter.values())) {
      const auto row = static_cast<size_t>(evaluate(output.row, counter.values()));
      const auto column = static_cast<size_t>(evaluate(output.column, counter.values()));
      use({.target = *target,
           .at = *flat_index(program, output.source, counter.values()),
           .slot = row * program.n_columns + column});
    }
  } while (counter.next());
}

auto read_output(const HeProgram& program, const HeOutput& output,
                 const std::function<const HeSlots&(size_t at)>& slots_of) -> std::vector<double> {
  std::vector<double> result(n_elements(output.extents));
  for_each_number(program, output, [&](const HeOutputNumber& number) {
    result[number.target] = slots_of(number.at)[number.slot];
  });
  return result;
}

}  // namespace tacet::engine
