#include "engine/he/key_digits.h"

#include <algorithm>

#include "engine/he/convert_rows.h"

namespace tacet::he {

static auto digit_width(const Context& context, size_t digit, size_t n_primes) -> size_t {
  return std::min(context.digit_size(), n_primes - digit * context.digit_size());
}

auto is_own_row(const Context& context, size_t digit, size_t m, size_t i) -> bool {
  return i < m && i / context.digit_size() == digit;
}

Digits::Digits(const Context& context, const Rows& transformed)
    : context_(&context), own_(&transformed), terms_(context.n_digits(transformed.n_rows())) {
  const size_t m = transformed.n_rows();
  coefficients_ = context.rows(m);
  context.for_each(m, [&](size_t i) {
    std::copy_n(transformed.row(i), context.n(), coefficients_.row(i));
    context.transform_back(coefficients_.row(i), i);
  });
  if (context.digit_size() > 1) {
    multiples_ = context.rows(terms_.size());
  }
  context.for_each(terms_.size(), [&](size_t digit) { prepare(digit); });
}

void Digits::raise(size_t digit, size_t i, uint64_t* out) const {
  const size_t m = own_->n_rows();
  const size_t prime = context_->prime_of_row(m, i);
  context_->raise_digit(digit, digit_width(*context_, digit, m))
      .convert(context_->kernels(), terms_[digit], prime, out, context_->n());
  context_->transform(out, prime);
}

void Digits::prepare(size_t digit) {
  const size_t width = digit_width(*context_, digit, own_->n_rows());
  std::vector<uint64_t*>& terms = terms_[digit];
  for (size_t k = 0; k < width; ++k) {
    terms.push_back(coefficients_.row(digit * context_->digit_size() + k));
  }
  const std::vector<const uint64_t*> residues(terms.begin(), terms.end());
  terms.push_back(multiples_.empty() ? nullptr : multiples_.row(digit));
  context_->raise_digit(digit, width).prepare(context_->kernels(), residues, terms, context_->n());
}

auto raised_rows(const Context& context, const Digits& digits, const Rows& own, size_t i,
                 Spread spread) -> DigitRows {
  const size_t m = own.n_rows();
  DigitRows result{.buffer = context.rows(digits.n_digits()),
                   .rows = std::vector<const uint64_t*>(digits.n_digits())};
  const auto make_row = [&](size_t digit) {
    if (is_own_row(context, digit, m, i)) {
      result.rows[digit] = own.row(i);
    } else {
      digits.raise(digit, i, result.buffer.row(digit));
      result.rows[digit] = result.buffer.row(digit);
    }
  };
  if (spread == Spread::Yes) {
    context.for_each(digits.n_digits(), make_row);
  } else {
    for (size_t digit = 0; digit < digits.n_digits(); ++digit) {
      make_row(digit);
    }
  }
  return result;
}

auto raised_rows(const Context& context, const Rows& raised, const Rows& own, size_t i)
    -> DigitRows {
  const size_t n_digits = context.n_digits(own.n_rows());
  DigitRows result;
  for (size_t digit = 0; digit < n_digits; ++digit) {
    result.rows.push_back(is_own_row(context, digit, own.n_rows(), i)
                              ? own.row(i)
                              : raised.row(i * n_digits + digit));
  }
  return result;
}

auto has_large_digits(const Context& context) -> bool {
  constexpr size_t kLarge = 3;
  return context.digit_size() >= kLarge;
}

auto raised_digits(const Context& context, const Rows& own) -> Rows {
  const size_t m = own.n_rows();
  const size_t n_rows = m + context.n_special();
  const size_t n_digits = context.n_digits(m);
  Rows coefficients = context.rows(m);
  context.for_each(m, [&](size_t i) {
    std::copy_n(own.row(i), context.n(), coefficients.row(i));
    context.transform_back(coefficients.row(i), i);
  });
  Rows raised = context.rows(n_digits * n_rows);
  std::vector<std::vector<uint64_t*>> from(n_digits);
  std::vector<std::vector<uint64_t*>> to(n_digits);
  std::vector<RowConversion> conversions;
  for (size_t digit = 0; digit < n_digits; ++digit) {
    const size_t width = digit_width(context, digit, m);
    for (size_t k = 0; k < width; ++k) {
      from[digit].push_back(coefficients.row(digit * context.digit_size() + k));
    }
    to[digit].assign(context.n_data() + context.n_special(), nullptr);
    for (size_t i = 0; i < n_rows; ++i) {
      if (!is_own_row(context, digit, m, i)) {
        to[digit][context.prime_of_row(m, i)] = raised.row(i * n_digits + digit);
      }
    }
    conversions.push_back(
        {.conversion = context.raise_digit(digit, width), .from = from[digit], .to = to[digit]});
  }
  convert_rows(context, conversions);
  context.for_each(n_digits * n_rows, [&](size_t task) {
    const size_t i = task / n_digits;
    if (!is_own_row(context, task % n_digits, m, i)) {
      context.transform(raised.row(task), context.prime_of_row(m, i));
    }
  });
  return raised;
}

void multiply_by_key(const Context& context, std::span<const uint64_t* const> digits,
                     const KeySwitchKey& key, size_t m, size_t i, uint64_t* const (&out)[2]) {
  const size_t key_row = i < m ? i : key.n_primes + (i - m);
  std::vector<const uint64_t*> halves[2];
  for (size_t half = 0; half < 2; ++half) {
    for (size_t digit = 0; digit < digits.size(); ++digit) {
      halves[half].push_back(key.row(half, digit, key_row));
    }
  }
  context.kernels().inner_products(out[0], out[1], digits.data(), halves[0].data(),
                                   halves[1].data(), digits.size(), context.n(),
                                   context.modulus(context.prime_of_row(m, i)));
}

}  // namespace tacet::he
