#include "compiler/run/conformance/random_points.h"

#include <algorithm>
#include <cmath>

namespace tacet::conformance {
namespace {

constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
constexpr double kLogPrime = 61;
constexpr double kWantedLogError = -40;
constexpr size_t kMostRounds = 8;

auto reduced(uint64_t x) -> uint64_t {
  x = (x & kPrime) + (x >> 61);
  return x >= kPrime ? x - kPrime : x;
}
auto sum(uint64_t a, uint64_t b) -> uint64_t {
  return reduced(a + b);
}
auto difference(uint64_t a, uint64_t b) -> uint64_t {
  return reduced(a + kPrime - b);
}
auto product(uint64_t a, uint64_t b) -> uint64_t {
  const auto wide = static_cast<unsigned __int128>(a) * b;
  return reduced((static_cast<uint64_t>(wide) & kPrime) + static_cast<uint64_t>(wide >> 61));
}
/// Of a cell as a signed number: what else it may stand for is the same modulo 2^64.
auto element_of(Cell cell) -> uint64_t {
  const auto number = static_cast<int64_t>(cell);
  return number < 0 ? difference(0, reduced(uint64_t{0} - cell)) : reduced(cell);
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014), chained.
auto mixed(uint64_t state, uint64_t word) -> uint64_t {
  uint64_t z = (state ^ word) + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Goes through terms in order, operands first.
class Points {
 public:
  Points(const Terms& terms, const TermPairs& pairs) : terms_(terms), is_needed_(terms.size()) {
    for (const auto& [a, b] : pairs) {
      is_needed_[a.index] = is_needed_[b.index] = true;
    }
    for (uint32_t i = static_cast<uint32_t>(terms.size()); i-- > 0;) {
      const Term& term = terms_[TermId{i}];
      for (const TermId operand : {term.a, term.b, term.c}) {
        if (is_needed_[i] && operand.has_value()) {
          is_needed_[operand.index] = true;
        }
      }
      seed_ = is_needed_[i] ? mixed(mixed(seed_, i), term.number) : seed_;
    }
  }

  /// How many random functions are asked, and the largest degree.
  void measure(const TermPairs& pairs) {
    degrees_.assign(terms_.size(), 0);
    for_each([&](uint32_t i, const Term& term) {
      degrees_[i] = degree_of(term);
      n_requested_ += is_requested(term) ? 1 : 0;
    });
    for (uint32_t i = 0; i < degrees_.size(); ++i) {
      degree_ = is_needed_[i] ? std::max(degree_, degrees_[i]) : degree_;
    }
    log_error_ = std::log2(std::max(degree_, 1.0)) - kLogPrime +
                 std::log2(static_cast<double>(pairs.size()) + n_requested_ * n_requested_);
  }

  /// Of one round.
  [[nodiscard]] auto log_error() const -> double { return log_error_; }

  auto agree(const TermPairs& pairs, uint64_t round) -> bool {
    values_.assign(terms_.size(), 0);
    const uint64_t key = mixed(seed_, round);
    for_each([&](uint32_t i, const Term& term) { values_[i] = value_of(term, key); });
    return std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
      return values_[pair.first.index] == values_[pair.second.index];
    });
  }

 private:
  template <class Visit>
  void for_each(const Visit& visit) {
    for (uint32_t i = 0; i < terms_.size(); ++i) {
      if (is_needed_[i]) {
        visit(i, terms_[TermId{i}]);
      }
    }
  }

  static auto is_ring(ElementKind kind, BinaryOperation operation) -> bool {
    const bool adds = operation == BinaryOperation::Add || operation == BinaryOperation::Sub;
    return (is_integer(kind) && (adds || operation == BinaryOperation::Mul)) ||
           (kind == ElementKind::Fxp && adds);
  }

  static auto is_same_number(const Term& cast) -> bool {
    return is_integer(cast.type.kind) &&
           (cast.from.kind == ElementKind::Bool ||
            (is_integer(cast.from.kind) && bit_width(cast.from.kind) == bit_width(cast.type.kind)));
  }

  auto is_requested(const Term& term) const -> bool {
    switch (term.kind) {
      case TermKind::Input:
        return true;
      case TermKind::Binary:
        return term.type.kind == ElementKind::Bool ? term.operation >= BinaryOperation::Less
                                                   : !is_ring(term.type.kind, term.operation);
      case TermKind::Cast:
        return !is_same_number(term);
      case TermKind::Negate:
      case TermKind::Complement:
        return !is_integer(term.type.kind) && term.type.kind != ElementKind::Fxp;
      case TermKind::Number:
      case TermKind::Not:
      case TermKind::Select:
      case TermKind::Address:
      case TermKind::Control:
        return false;
    }
    return false;
  }

  auto degree_of(const Term& term) const -> double {
    const auto degree = [&](TermId id) { return degrees_[id.index]; };
    if (is_requested(term)) {
      return 1;
    }
    switch (term.kind) {
      case TermKind::Binary: {
        const bool adds = is_integer(term.type.kind) && term.operation != BinaryOperation::Mul;
        return adds ? std::max(degree(term.a), degree(term.b)) : degree(term.a) + degree(term.b);
      }
      case TermKind::Select:
        return degree(term.a) + std::max(degree(term.b), degree(term.c));
      case TermKind::Negate:
      case TermKind::Not:
      case TermKind::Complement:
      case TermKind::Cast:
        return degree(term.a);
      case TermKind::Input:
      case TermKind::Number:
      case TermKind::Address:
      case TermKind::Control:
        return 0;
    }
    return 0;
  }

  auto value_of(const Term& term, uint64_t key) const -> uint64_t {
    const auto value = [&](TermId id) { return values_[id.index]; };
    switch (term.kind) {
      case TermKind::Number:
      case TermKind::Address:
      case TermKind::Control:
        return element_of(term.number);
      case TermKind::Input:
        return reduced(mixed(mixed(key, 1), term.number));
      case TermKind::Not:
        return difference(1, value(term.a));
      case TermKind::Select:
        return sum(value(term.c), product(value(term.a), difference(value(term.b), value(term.c))));
      case TermKind::Cast:
        return is_same_number(term) ? value(term.a) : requested(term, key, value(term.a), 0);
      case TermKind::Negate:
      case TermKind::Complement: {
        const uint64_t negative = difference(0, value(term.a));
        return is_requested(term)              ? requested(term, key, value(term.a), 0)
               : term.kind == TermKind::Negate ? negative
                                               : difference(negative, 1);
      }
      case TermKind::Binary:
        return binary(term, key, value(term.a), value(term.b));
    }
    return 0;
  }

  static auto binary(const Term& term, uint64_t key, uint64_t a, uint64_t b) -> uint64_t {
    if (term.type.kind == ElementKind::Bool && term.operation < BinaryOperation::Less) {
      const uint64_t both = product(a, b);
      return term.operation == BinaryOperation::And  ? both
             : term.operation == BinaryOperation::Or ? difference(sum(a, b), both)
                                                     : difference(sum(a, b), sum(both, both));
    }
    if (is_ring(term.type.kind, term.operation)) {
      return term.operation == BinaryOperation::Add   ? sum(a, b)
             : term.operation == BinaryOperation::Sub ? difference(a, b)
                                                      : product(a, b);
    }
    Term requested_of = term;
    const auto ask = [&](BinaryOperation operation, uint64_t left, uint64_t right) {
      requested_of.operation = operation;
      return requested(requested_of, key, left, right);
    };
    const bool is_ordered = is_integer(term.type.kind) || term.type.kind == ElementKind::Fxp;
    switch (term.operation) {
      case BinaryOperation::Greater:
        return is_ordered ? ask(BinaryOperation::Less, b, a) : ask(term.operation, a, b);
      case BinaryOperation::GreaterEqual:
        return is_ordered ? difference(1, ask(BinaryOperation::Less, a, b))
                          : ask(term.operation, a, b);
      case BinaryOperation::LessEqual:
        return is_ordered ? difference(1, ask(BinaryOperation::Less, b, a))
                          : ask(term.operation, a, b);
      case BinaryOperation::NotEqual:
        return difference(1, ask(BinaryOperation::Equal, std::min(a, b), std::max(a, b)));
      case BinaryOperation::Add:
      case BinaryOperation::Mul:
      case BinaryOperation::And:
      case BinaryOperation::Or:
      case BinaryOperation::Xor:
      case BinaryOperation::Equal:
        return ask(term.operation, std::min(a, b), std::max(a, b));
      case BinaryOperation::Sub:
      case BinaryOperation::Div:
      case BinaryOperation::Rem:
      case BinaryOperation::Shl:
      case BinaryOperation::Shr:
      case BinaryOperation::ShrArithmetic:
      case BinaryOperation::TotalDiv:
      case BinaryOperation::TotalRem:
      case BinaryOperation::TotalShl:
      case BinaryOperation::TotalShr:
      case BinaryOperation::TotalShrArithmetic:
      case BinaryOperation::Less:
        return ask(term.operation, a, b);
    }
    return 0;
  }

  /// A random function of the operands' values, one for each operation and type.
  static auto requested(const Term& term, uint64_t key, uint64_t a, uint64_t b) -> uint64_t {
    const uint64_t which =
        static_cast<uint64_t>(term.kind) | static_cast<uint64_t>(term.operation) << 8 |
        static_cast<uint64_t>(term.type.kind) << 16 | uint64_t{term.type.fraction_bits} << 24 |
        static_cast<uint64_t>(term.from.kind) << 32 | uint64_t{term.from.fraction_bits} << 40;
    return reduced(mixed(mixed(mixed(mixed(key, 2), which), a), b));
  }

  const Terms& terms_;
  std::vector<bool> is_needed_;
  uint64_t seed_ = 0;
  std::vector<double> degrees_;
  std::vector<uint64_t> values_;
  double degree_ = 0;
  double n_requested_ = 0;
  double log_error_ = 0;
};

}  // namespace

auto agree_at_random_points(const Terms& terms, const TermPairs& pairs) -> std::optional<double> {
  Points points(terms, pairs);
  points.measure(pairs);
  double log_error = 0;
  for (size_t round = 0; log_error > kWantedLogError; ++round) {
    if (round == kMostRounds || points.log_error() >= -4 || !points.agree(pairs, round)) {
      return std::nullopt;
    }
    log_error += points.log_error();
  }
  return log_error;
}

}  // namespace tacet::conformance
