#include "engine/program/he/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/declassify.h"
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
    digits_.resize(gather.digits.size());
    if (gather.array != kNoArray) {
      array_ = &program.arrays[gather.array];
      numbers_ = array_->owner == HeOwner::Constant ? &array_->values.get()
                                                    : &values.find(array_->name)->second;
    }
    for (const HeDigit& digit : gather.digits) {
      digit_values_.push_back(running(digit.value));
    }
    for (const HeGuard& guard : gather.guards) {
      guards_.push_back(running(guard.value));
    }
    for (size_t d = 0; array_ != nullptr && d < gather.indices.size(); ++d) {
      indices_.push_back(running(gather.indices[d].value));
    }
    n_named_ = n_elements(gather.columns);
  }

  /// Adds it to the slots.
  void add_to(HeSlots& slots) {
    const HeArithmetic arithmetic(program_);
    const size_t n_named = std::min<size_t>(n_named_, program_.n_columns);
    const bool is_periodic = gather_.is_repeated && (gather_.outside || !any_);
    const size_t n_gathered = is_periodic ? n_named : program_.n_columns;
    HeSlots gathered(n_gathered);
    for (size_t row = 0; row < program_.n_rows; ++row) {
      gather_row(static_cast<int64_t>(row), gathered);
      for (double& number : gathered) {
        number = arithmetic.reduce(number);
      }
      double* slot = &slots[row * program_.n_columns];
      for (size_t column = 0, from = 0; column < program_.n_columns; ++column) {
        slot[column] = arithmetic.reduce(slot[column] + gathered[from]);
        from = from + 1 == n_gathered ? 0 : from + 1;
      }
    }
  }

 private:
  /// An affine expression as the columns run.
  class Running {
   public:
    Running(const HeAffine& affine, const std::vector<HeDimension>& columns, size_t first_column)
        : advances_(columns.size()) {
      affine_.constant = affine.constant;
      const size_t first_digit = first_column + columns.size();
      for (const HeTerm& term : affine.terms) {
        (term.variable < first_digit ? affine_.terms : of_digits_).push_back(term);
      }
      for (HeTerm& term : of_digits_) {
        term.variable -= static_cast<uint32_t>(first_digit);
      }
      int64_t back = 0;  // of the dimensions inside
      for (size_t d = columns.size(); d-- > 0;) {
        int64_t factor = 0;
        for (const HeTerm& term : affine_.terms) {
          factor += term.variable == first_column + d ? term.factor : 0;
        }
        advances_[d] = factor - back;
        back += factor * (columns[d].extent - 1);
      }
    }

    void begin(const std::vector<int64_t>& variables) { value_ = evaluate(affine_, variables); }
    /// The next number of a dimension, and the first of those inside.
    void advance(size_t dimension) { value_ += advances_[dimension]; }
    [[nodiscard]] auto value(const std::vector<int64_t>& digits) const -> int64_t {
      int64_t value = value_;
      for (const HeTerm& term : of_digits_) {
        value += term.factor * digits[term.variable];
      }
      return value;
    }

   private:
    HeAffine affine_;                ///< of what is no digit
    std::vector<HeTerm> of_digits_;  ///< variables number digits
    std::vector<int64_t> advances_;  ///< by dimension
    int64_t value_ = 0;
  };

  auto running(const HeAffine& affine) const -> Running {
    return {affine, gather_.columns, row_variable_ + 1};
  }

  /// What digits are where the columns are now.
  void find_digits() {
    for (size_t i = 0; i < digits_.size(); ++i) {
      const HeDigit& digit = gather_.digits[i];
      const int64_t value = digit_values_[i].value(digits_);
      const int64_t quotient = value / digit.divisor - (value % digit.divisor < 0 ? 1 : 0);
      digits_[i] = digit.modulus == 0 ? quotient
                                      : (quotient % digit.modulus + digit.modulus) % digit.modulus;
    }
  }

  void gather_row(int64_t row, HeSlots& gathered) {
    variables_[row_variable_] = row;
    std::vector<int64_t> counter(gather_.columns.size());
    const auto begin = [&] {
      for (std::vector<Running>* expressions : {&digit_values_, &guards_, &indices_}) {
        for (Running& expression : *expressions) {
          expression.begin(variables_);
        }
      }
    };
    begin();
    for (size_t column = 0; column < gathered.size(); ++column) {
      if (column >= n_named_ && !gather_.is_repeated) {
        gathered[column] = outside();
        continue;
      }
      find_digits();
      gathered[column] = value();
      size_t d = counter.size();
      while (d-- > 0 && ++counter[d] == gather_.columns[d].extent) {
        counter[d] = 0;
      }
      if (d >= counter.size()) {  // all have been
        begin();
        continue;
      }
      for (std::vector<Running>* expressions : {&digit_values_, &guards_, &indices_}) {
        for (Running& expression : *expressions) {
          expression.advance(d);
        }
      }
    }
  }

  auto outside() const -> double { return gather_.outside ? *gather_.outside : any_ ? any_() : 0; }

  auto value() const -> double {
    for (size_t i = 0; i < guards_.size(); ++i) {
      const int64_t guarded = guards_[i].value(digits_);
      if (guarded < gather_.guards[i].low || guarded >= gather_.guards[i].high) {
        return outside();
      }
    }
    if (array_ == nullptr) {
      return gather_.number;
    }
    size_t at = 0;
    for (size_t d = 0; d < indices_.size(); ++d) {
      int64_t index = indices_[d].value(digits_);
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
  std::vector<Running> digit_values_, guards_, indices_;
  std::vector<int64_t> digits_;
  size_t n_named_ = 0;  ///< columns
};

}  // namespace

/// 1 if `number` is an integer, else 0; of what is not finite, either. By its bits, since rounding
/// takes branches on some processors.
static auto is_whole(double number) -> unsigned {
  constexpr int64_t kFractionBits = 52;
  constexpr int64_t kBias = 1023;
  const auto bits = std::bit_cast<uint64_t>(number);
  const auto exponent = static_cast<int64_t>(bits >> kFractionBits & 0x7ff);
  const uint64_t implicit = static_cast<uint64_t>(exponent != 0) << kFractionBits;
  const uint64_t mantissa = (bits & ((uint64_t{1} << kFractionBits) - 1)) | implicit;
  // The bits behind the point, from 0 to 63.
  int64_t n_behind = kBias + kFractionBits - exponent;
  n_behind &= ~(n_behind >> 63);
  n_behind = 63 + ((n_behind - 63) & ((n_behind - 63) >> 63));
  return static_cast<unsigned>((mantissa & ((uint64_t{1} << n_behind) - 1)) == 0);
}

/// Whether all numbers fit in slots of `array`, without a branch that depends on one of them.
static auto all_fit(const HeProgram& program, const HeArray& array,
                    const std::vector<double>& numbers) -> bool {
  const double most = program.is_integer() ? 0x1p53 : array.bound;
  unsigned fit = 1;
  for (const double number : numbers) {
    fit &= static_cast<unsigned>(most >= std::abs(number));
  }
  if (program.is_integer()) {
    for (const double number : numbers) {
      fit &= is_whole(number);
    }
  }
  return declassified(fit) != 0;  // otherwise an error says so
}

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
    if (all_fit(program, array, found->second)) {
      continue;
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
  const HeArithmetic arithmetic(program);
  std::vector<double> result(n_elements(output.extents));
  for_each_number(program, output, [&](const HeOutputNumber& number) {
    double& element = result[number.target];
    element = arithmetic.reduce(element + slots_of(number.at)[number.slot]);
  });
  return result;
}

}  // namespace tacet::engine
