#include <algorithm>
#include <bit>

#include "base/check.h"
#include "engine/mpc_model/circuit_costs.h"
#include "engine/mpc_model/fixed_point.h"

// As engine/mpc/fixed_point goes, step by step.

namespace tacet::mpc_model {

namespace {

/// The steps of a function of `n` numbers, in sequence.
class Steps {
 public:
  Steps(const ProtocolCosts& protocol, FixedFunction function, FixedFormat format, uint64_t n)
      : protocol_(protocol),
        plan_(plan_of(function, format)),
        ring_(format.ring_bits),
        fraction_(format.fraction_bits),
        n_(n) {}

  [[nodiscard]] auto quotient(bool is_reciprocal) const -> Cost {
    const unsigned width = plan_.operand_bits;
    const auto n_exponent = static_cast<unsigned>(std::bit_width(width));
    const int scaled = static_cast<int>(plan_.result_bits - fraction_ + width + plan_.inner_bits);
    const int lost = std::max(0, scaled + 3 - static_cast<int>(ring_));
    const Cost dividend = multiply_shifted(lost);
    const unsigned n_signs = is_reciprocal ? 2 : 1;
    const Cost is_zero = is_reciprocal ? product() : Cost{};
    const int last =
        static_cast<int>(width + plan_.inner_bits) - static_cast<int>(fraction_) - lost;
    return all({to_bits(protocol_, width + 1, n_), suffix_or(protocol_, width, n_),
                numbers(n_exponent + n_signs), beside(product_of(n_exponent + 1), is_zero),
                beside(dividend, multiply_shifted(to_inner(width))), polynomial(11, 12, 18),
                multiply_shifted(last)});
  }

  [[nodiscard]] auto root(bool is_root) const -> Cost {
    const unsigned width = plan_.operand_bits;
    const unsigned greatest = (width + 1) / 2;
    const auto n_exponent = static_cast<unsigned>(std::bit_width(greatest));
    const Cost argument = then(product_of(n_exponent), multiply_shifted(to_inner(2 * greatest)));
    const int last = static_cast<int>(plan_.inner_bits) + static_cast<int>(is_root ? 0 : greatest) -
                     static_cast<int>(is_root ? fraction_ / 2 : 3 * fraction_ / 2);
    return all({to_bits(protocol_, 64, n_), suffix_or(protocol_, width, n_),
                numbers((is_root ? 2 : 1) * n_exponent + 2),
                beside(beside(argument, product_of(n_exponent + 2)), product()),
                is_root ? polynomial(12, 15, 24) : polynomial(16, 19, 28), multiply_shifted(last)});
  }

  [[nodiscard]] auto exponential() const -> Cost {
    const unsigned least = fraction_ + 1;
    const auto n_integer =
        static_cast<unsigned>(std::bit_width(least + plan_.result_bits - fraction_));
    return all(
        {beside(then(to_power_of_two(), to_bits(protocol_, plan_.inner_bits + n_integer, n_)),
                outside()),
         numbers(n_integer + 2), beside(product_of(n_integer + 1), polynomial(6, 7, 10)),
         multiply_shifted(static_cast<int>(plan_.inner_bits + 1))});
  }

  [[nodiscard]] auto logarithm() const -> Cost {
    const unsigned width = plan_.operand_bits;
    const auto n_exponent = static_cast<unsigned>(std::bit_width(width));
    return all({to_bits(protocol_, 64, n_), suffix_or(protocol_, width, n_),
                numbers(n_exponent + 2), beside(product_of(n_exponent), product()),
                multiply_shifted(to_inner(width)), polynomial(9, 11, 17),
                multiply_shifted(static_cast<int>(plan_.inner_bits - fraction_))});
  }

  [[nodiscard]] auto sigmoid(unsigned last) const -> Cost {
    const unsigned n_integer = ring_ == 128 ? 6 : 5;
    const unsigned width = plan_.inner_bits + integer_bits() + 1;
    const unsigned n_beyond = width - plan_.inner_bits - n_integer;
    const Cost none = then(all_of_planes(protocol_, n_beyond, n_), numbers(1));
    const Cost decayed = then(beside(product_of(n_integer), none), product());
    return all({beside(then(to_power_of_two(), to_bits(protocol_, width, n_)), outside()),
                numbers(n_integer + 1), product(), beside(decayed, polynomial(6, 7, 10)),
                multiply_shifted(1 << n_integer), polynomial(11, 12, 18), product(),
                shifted(static_cast<int>(last))});
  }

  [[nodiscard]] auto error_function() const -> Cost {
    const bool is_wide = ring_ == 128;
    const Cost scaled = shifted(is_wide ? static_cast<int>(60 + fraction_ - plan_.inner_bits) : 0);
    const uint64_t degree = is_wide ? kWideErfDegree : kErfDegree;
    return all({scaled, outside(), numbers(2), beside(product(), of_square(degree, degree)),
                multiply_shifted(static_cast<int>(2 * plan_.inner_bits - fraction_))});
  }

  [[nodiscard]] auto sine() const -> Cost {
    return all({top_bit(protocol_, ring_, 2 * n_), numbers(1), product(),
                shifted(static_cast<int>(ring_ - 2 - plan_.inner_bits)), of_square(5, 7),
                multiply_shifted(static_cast<int>(2 * plan_.inner_bits - fraction_))});
  }

  [[nodiscard]] auto plan() const -> const FixedPlan& { return plan_; }

 private:
  static constexpr uint64_t kErfDegree = 19;
  static constexpr uint64_t kWideErfDegree = 35;

  static auto all(std::initializer_list<Cost> steps) -> Cost {
    Cost total;
    for (const Cost& step : steps) {
      total = then(total, step);
    }
    return total;
  }
  [[nodiscard]] auto to_inner(unsigned bits) const -> int {
    return static_cast<int>(bits) - static_cast<int>(plan_.inner_bits);
  }
  [[nodiscard]] auto integer_bits() const -> unsigned { return plan_.operand_bits - fraction_ + 1; }
  [[nodiscard]] auto product() const -> Cost { return protocol_.multiply(n_, ring_); }
  [[nodiscard]] auto shifted(int shift) const -> Cost {
    return shift > 0 ? protocol_.truncate(n_, ring_, static_cast<unsigned>(shift)) : Cost{};
  }
  [[nodiscard]] auto multiply_shifted(int shift) const -> Cost {
    return shift > 0 ? protocol_.multiply_truncate(n_, ring_, static_cast<unsigned>(shift))
                     : product();
  }
  [[nodiscard]] auto outside() const -> Cost {
    return then(top_bit(protocol_, 64, 3 * n_), protocol_.conjunction(1, 2 * n_));
  }
  /// Planes as numbers.
  [[nodiscard]] auto numbers(uint64_t n_planes) const -> Cost {
    return protocol_.bits_to_arithmetic(1, n_planes * n_, ring_);
  }
  [[nodiscard]] auto product_of(uint64_t n_factors) const -> Cost {
    Cost cost;
    for (; n_factors > 1; n_factors = (n_factors + 1) / 2) {
      cost = then(cost, protocol_.multiply(n_factors / 2 * n_, ring_));
    }
    return cost;
  }
  [[nodiscard]] auto to_power_of_two() const -> Cost {
    const unsigned bits = std::min(plan_.inner_bits + 3, ring_ - 4 - plan_.operand_bits);
    return shifted(static_cast<int>(fraction_ + bits - plan_.inner_bits));
  }
  [[nodiscard]] auto of_square(uint64_t fine, uint64_t finest) const -> Cost {
    return then(multiply_shifted(static_cast<int>(plan_.inner_bits - 1)),
                polynomial(fine, fine, finest));
  }
  /// The degrees are those of polynomials with errors below 2^-26, 2^-31 and 2^-46.
  [[nodiscard]] auto polynomial(uint64_t coarse, uint64_t fine, uint64_t finest) const -> Cost {
    const unsigned inner = plan_.inner_bits;
    const uint64_t degree = inner < 26 ? coarse : inner < 31 ? fine : finest;
    Cost cost;
    for (uint64_t n_powers = 1; n_powers < degree;) {
      const uint64_t count = std::min(n_powers, degree - n_powers);
      cost = then(cost, protocol_.multiply_truncate(count * n_, ring_, inner));
      n_powers += count;
    }
    return then(cost, protocol_.truncate(n_, ring_, std::min(ring_ - 5 - inner, 60U)));
  }

  const ProtocolCosts& protocol_;
  FixedPlan plan_;
  unsigned ring_;
  unsigned fraction_;
  uint64_t n_;
};

}  // namespace

auto cost_of(const ProtocolCosts& protocol, FixedFunction function, FixedFormat format, uint64_t n)
    -> Cost {
  const Steps steps(protocol, function, format, n);
  const unsigned inner = steps.plan().inner_bits;
  switch (function) {
    case FixedFunction::Divide:
    case FixedFunction::Reciprocal:
      return steps.quotient(function == FixedFunction::Reciprocal);
    case FixedFunction::Sqrt:
    case FixedFunction::Rsqrt:
      return steps.root(function == FixedFunction::Sqrt);
    case FixedFunction::Exp:
      return steps.exponential();
    case FixedFunction::Log:
      return steps.logarithm();
    case FixedFunction::Sigmoid:
      return steps.sigmoid(inner + 1 - format.fraction_bits);
    case FixedFunction::Tanh:
      return steps.sigmoid(inner - format.fraction_bits);
    case FixedFunction::Erf:
      return steps.error_function();
    case FixedFunction::Sin:
    case FixedFunction::Cos:
      return steps.sine();
  }
  TACET_CHECK(false, "unknown function");
}

}  // namespace tacet::mpc_model
