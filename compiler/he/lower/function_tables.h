#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "compiler/device/array/width.h"
#include "compiler/he/lower/table_polynomial.h"

/// Private to this folder. Functions of one number as polynomials, each interpolated once.
namespace tacet::he_lower {

/// A function of one number.
enum class TableKind : uint8_t {
  Excess,  ///< the number, or 0 if it is negative
  Wrap,    ///< the number of the type
  IsNegative,
  IsZero,      ///< 1 where the number of the type is 0, else 0
  IsNumber,    ///< 1 where it is the parameter, else 0
  Bit,         ///< the bit with the number of the parameter
  WithFirst,   ///< a function of two whose first operand is the parameter
  WithSecond,  ///< likewise, the second one
};

/// What a table is of: all that its values depend on.
struct TableKey {
  TableKind kind;
  array::FunctionKind of_two = array::FunctionKind::Equal;  ///< of `WithFirst` and `WithSecond`
  int64_t parameter = 0;
  array::Width width = {};
  array::Interval domain = {};

  auto operator<(const TableKey& other) const -> bool { return parts() < other.parts(); }

 private:
  [[nodiscard]] auto parts() const
      -> std::tuple<TableKind, array::FunctionKind, int64_t, unsigned, bool, int64_t, int64_t> {
    return {kind, of_two, parameter, width.bits, width.is_signed, domain.low, domain.high};
  }
};

/// The polynomials of a program modulo one prime: its statements often need the same ones.
class Tables {
 public:
  explicit Tables(uint64_t t) : t_(t) {}

  [[nodiscard]] auto modulus() const -> uint64_t { return t_; }

  /// Null if the domain is too wide.
  template <class F>
  auto of(const TableKey& key, const F& function) -> const TablePolynomial* {
    auto [at, is_new] = tables_.try_emplace(key);
    if (is_new) {
      at->second = polynomial_of(function, key.domain, t_);
    }
    return at->second ? &*at->second : nullptr;
  }

 private:
  uint64_t t_;
  std::map<TableKey, std::optional<TablePolynomial>> tables_;
};

}  // namespace tacet::he_lower
