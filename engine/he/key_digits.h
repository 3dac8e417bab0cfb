#pragma once

#include <span>
#include <vector>

#include "engine/he/evaluation.h"

/// The digits of key switching, and their products with keys.
namespace tacet::he {

/// The digits of a polynomial over the first data primes, in the terms from which they are raised
/// to other primes.
class Digits {
 public:
  /// Keeps a reference to `transformed`.
  Digits(const Context& context, const Rows& transformed);

  [[nodiscard]] auto n_digits() const -> size_t { return terms_.size(); }

  /// Row `i` of a digit, transformed.
  void raise(size_t digit, size_t i, uint64_t* out) const;

 private:
  void prepare(size_t digit);

  const Context* context_;
  const Rows* own_;
  Rows coefficients_;
  Rows multiples_;
  std::vector<std::vector<uint64_t*>> terms_;  ///< of each digit
};

/// Row i of each digit, some of them in a buffer of its own.
struct DigitRows {
  Rows buffer;
  std::vector<const uint64_t*> rows;
};

/// Whether row `i` is one that the digit of a polynomial over `m` primes was made from.
auto is_own_row(const Context& context, size_t digit, size_t m, size_t i) -> bool;

/// Whether the rows of the digits are made on several threads. Otherwise a row with all that comes
/// of it is one thread's work.
enum class Spread : bool { No, Yes };

/// Row `i` of the digits of `own`.
auto raised_rows(const Context& context, const Digits& digits, const Rows& own, size_t i,
                 Spread spread) -> DigitRows;
/// The same of digits that were raised before.
auto raised_rows(const Context& context, const Rows& raised, const Rows& own, size_t i)
    -> DigitRows;

/// Whether digits have so many primes that their rows are better raised all at once, a piece after
/// the other: each row takes all of a digit, which no cache holds.
auto has_large_digits(const Context& context) -> bool;
/// Row i of all digits of `own`, transformed, for each i, as `HoistedCiphertext` has them.
auto raised_digits(const Context& context, const Rows& own) -> Rows;

/// The inner products of row `i` of all digits of a polynomial over `m` primes with both halves of
/// the key.
void multiply_by_key(const Context& context, std::span<const uint64_t* const> digits,
                     const KeySwitchKey& key, size_t m, size_t i, uint64_t* const (&out)[2]);

}  // namespace tacet::he
