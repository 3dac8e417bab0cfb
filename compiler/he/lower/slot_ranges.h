#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/he/lower/known_polynomials.h"

namespace tacet::he_lower {

/// The numbers in the slots of vectors: what they are between, and as polynomials in each other.
class SlotRanges {
 public:
  using Id = uint32_t;

  /// `polynomials`: what is known from other programs, if they are like this one.
  explicit SlotRanges(KnownPolynomials* polynomials = nullptr);

  [[nodiscard]] auto polynomials() -> KnownPolynomials& { return *polynomials_; }

  /// A vector with any numbers of an interval.
  auto any(array::RealInterval range) -> Id;
  /// A vector with any numbers of an interval in some slots, and one number in all others. Vectors
  /// with the same `slots` have the same of each.
  auto padded(array::RealInterval inside, double outside, const std::string& slots) -> Id;
  /// The same number in all slots.
  auto number(double value) -> Id { return any({value, value}); }

  auto sum(Id a, Id b) -> Id;
  auto difference(Id a, Id b) -> Id;
  auto product(Id a, Id b) -> Id;
  auto negative(Id a) -> Id { return difference(number(0), a); }
  /// What is known to be in an interval, in all slots.
  auto within(Id a, array::RealInterval known) -> Id;
  /// Other slots, as rotations leave them.
  auto moved(Id a) -> Id;

  [[nodiscard]] auto range(Id a) const -> array::RealInterval { return values_[a].range; }
  [[nodiscard]] auto is_number(Id a) const -> bool {
    return values_[a].range.low == values_[a].range.high;
  }

  using Series = approximate::Series;
  /// By the value that it is a polynomial in, as its number runs through its interval: from -1 to
  /// 1.
  using Forms = std::map<Id, Series>;

  /// Of values other than itself.
  [[nodiscard]] auto forms(Id a) const -> const Forms& { return values_[a].forms; }
  [[nodiscard]] auto form_of_itself(Id a) const -> Series;
  static auto product_of(const Series& a, const Series& b) -> Series;

 private:
  /// scale * (a - b)
  struct Difference {
    Id a = 0;
    Id b = 0;
    double scale = 1;
  };

  struct Padding {
    array::RealInterval inside;
    array::RealInterval outside;
    std::string slots;
  };

  struct Value {
    array::RealInterval range;
    Forms forms{};
    std::optional<Difference> difference{};
    std::optional<Padding> padding{};
  };

  /// Of a sum, a difference or a product, if one of both has some: the slots are those of the first
  /// that has.
  template <class OfRanges>
  [[nodiscard]] auto padding_of(Id a, Id b, const OfRanges& of_ranges) const
      -> std::optional<Padding>;
  static void narrow(Value& value);

  [[nodiscard]] auto forms_with_itself(Id a) const -> Forms;
  [[nodiscard]] auto with_number(Id a, double factor, double added) const -> Value;
  auto combined(Id a, Id b, double sign_of_b) -> Id;
  auto add(Value value) -> Id;
  auto range_of_forms(const Forms& forms) -> std::optional<array::RealInterval>;
  [[nodiscard]] auto extreme(Id plain, Id ramp, bool is_greatest) const
      -> std::optional<array::RealInterval>;

  std::vector<Value> values_;
  std::unique_ptr<KnownPolynomials> own_;  ///< if there are no others
  KnownPolynomials* polynomials_;
};

}  // namespace tacet::he_lower
