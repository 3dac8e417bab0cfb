#include <fmt/format.h>

#include "engine/he/checks.h"
#include "engine/he/evaluation.h"
#include "engine/he/noise.h"
#include "engine/ring/automorphism.h"

namespace tacet::he {
namespace {

/// Two polynomials over the first data primes, transformed.
struct Switched {
  Rows first, second;
};

/// The terms from which the digits of a polynomial are raised to other primes.
struct DigitTerms {
  std::vector<Rows> terms;  ///< a digit each
};

auto digit_width(const Context& context, size_t digit, size_t n_primes) -> size_t {
  return std::min(context.digit_size(), n_primes - digit * context.digit_size());
}

auto prepare_digits(const Context& context, const Rows& transformed) -> DigitTerms {
  const size_t m = transformed.n_rows();
  Rows coefficients = transformed;
  context.for_each(m, [&](size_t i) { context.transform_back(coefficients.row(i), i); });
  DigitTerms result;
  const size_t n_digits = context.n_digits(m);
  for (size_t digit = 0; digit < n_digits; ++digit) {
    result.terms.push_back(context.rows(digit_width(context, digit, m) + 1));
  }
  context.for_each(n_digits, [&](size_t digit) {
    const size_t width = digit_width(context, digit, m);
    std::vector<const uint64_t*> rows;
    for (size_t k = 0; k < width; ++k) {
      rows.push_back(coefficients.row(digit * context.digit_size() + k));
    }
    context.raise_digit(digit, width).prepare(context.kernels(), rows, result.terms[digit]);
  });
  return result;
}

/// Whether row `i` is one that the digit was made from.
auto is_own_row(const Context& context, size_t digit, size_t m, size_t i) -> bool {
  return i < m && i / context.digit_size() == digit;
}

void raise_row(const Context& context, const DigitTerms& terms, size_t digit, size_t m, size_t i,
               uint64_t* out) {
  const size_t prime = context.prime_of_row(m, i);
  context.raise_digit(digit, digit_width(context, digit, m))
      .convert(context.kernels(), terms.terms[digit], prime, out);
  context.transform(out, prime);
}

/// The inner products of one row of all digits with the key.
void multiply_by_key(const Context& context, std::span<const uint64_t* const> digits,
                     const KeySwitchKey& key, size_t m, size_t i, Switched& out) {
  const size_t key_row = i < m ? i : key.n_primes + (i - m);
  std::vector<const uint64_t*> first, second;
  for (size_t digit = 0; digit < digits.size(); ++digit) {
    first.push_back(key.first[digit].row(key_row));
    second.push_back(key.second[digit].row(key_row));
  }
  context.kernels().inner_products(out.first.row(i), out.second.row(i), digits.data(), first.data(),
                                   second.data(), digits.size(), context.n(),
                                   context.modulus(context.prime_of_row(m, i)));
}

/// Divides by the special primes' product, rounding, and forgets their rows.
void divide_by_special(const Context& context, Rows& x, size_t m) {
  const size_t n_special = context.n_special();
  context.for_each(n_special,
                   [&](size_t i) { context.transform_back(x.row(m + i), context.special(i)); });
  const BaseConversion& lower = context.lower_special();
  std::vector<const uint64_t*> special;
  for (size_t i = 0; i < n_special; ++i) {
    special.push_back(x.row(m + i));
  }
  Rows terms = context.rows(n_special + 1);
  lower.prepare(context.kernels(), special, terms);
  context.for_each(m, [&](size_t i) {
    Rows rest = context.rows(1);
    lower.convert(context.kernels(), terms, i, rest.row(0));
    context.transform(rest.row(0), i);
    context.kernels().subtract_multiply(x.row(i), x.row(i), rest.row(0), context.special_inverse(i),
                                        context.n(), context.modulus(i));
  });
  x.keep(m);
}

auto finish(const Context& context, Switched raised, size_t m) -> Switched {
  divide_by_special(context, raised.first, m);
  divide_by_special(context, raised.second, m);
  return raised;
}

auto empty_switched(const Context& context, size_t m) -> Switched {
  return {.first = context.rows(m + context.n_special()),
          .second = context.rows(m + context.n_special())};
}

/// What a polynomial times the key's old secret is under the new one. A row at a time, so that all
/// digits of a row stay in cache.
auto switch_key(const Context& context, const Rows& x, const KeySwitchKey& key) -> Switched {
  const size_t m = x.n_rows();
  const size_t n_digits = context.n_digits(m);
  const DigitTerms terms = prepare_digits(context, x);
  Switched raised = empty_switched(context, m);
  context.for_each(m + context.n_special(), [&](size_t i) {
    Rows buffer = context.rows(n_digits);
    std::vector<const uint64_t*> digits;
    for (size_t digit = 0; digit < n_digits; ++digit) {
      if (is_own_row(context, digit, m, i)) {
        digits.push_back(x.row(i));
      } else {
        raise_row(context, terms, digit, m, i, buffer.row(digit));
        digits.push_back(buffer.row(digit));
      }
    }
    multiply_by_key(context, digits, key, m, i, raised);
  });
  return finish(context, std::move(raised), m);
}

/// The same from digits that were raised before.
auto switch_key(const Context& context, const HoistedCiphertext& a, const KeySwitchKey& key)
    -> Switched {
  const size_t m = a.ciphertext.n_primes();
  Switched raised = empty_switched(context, m);
  context.for_each(m + context.n_special(), [&](size_t i) {
    std::vector<const uint64_t*> digits;
    for (const Rows& digit : a.digits) {
      digits.push_back(digit.row(i));
    }
    multiply_by_key(context, digits, key, m, i, raised);
  });
  return finish(context, std::move(raised), m);
}

auto check_switch(const Ciphertext& a, const KeySwitchKey& key) -> Status {
  if (key.n_primes < a.n_primes()) {
    return Error{fmt::format(
        "the key is for ciphertexts of up to {} primes; this one has {}: drop primes, or "
        "generate the key for more",
        key.n_primes, a.n_primes())};
  }
  return std::monostate{};
}

/// What an automorphism does to slots. O(n), for errors.
auto name_of(const Context& context, uint64_t galois_element) -> std::string {
  for (size_t steps = 1; steps < context.n() / 2; ++steps) {
    if (galois_element_of(context, static_cast<int64_t>(steps)) == galois_element) {
      return fmt::format("rotations by {}", steps);
    }
  }
  if (galois_element == galois_element_of_swap(context)) {
    return context.scheme() == Scheme::Ckks ? "conjugation" : "swapping rows";
  }
  return "this automorphism";
}

/// The key for an automorphism of a ciphertext, or why there is none.
auto find_key(const Context& context, const Ciphertext& a, uint64_t galois_element,
              const RotationKeys& keys) -> Result<const KeySwitchKey*> {
  if (Status status = check_key(context, keys.parameters, keys.key_id, a, "rotation key");
      !status) {
    return status.error();
  }
  if (a.degree() != 1) {
    return Error{
        fmt::format("a ciphertext of degree {} cannot be rotated; relinearise first", a.degree())};
  }
  const KeySwitchKey* key = keys.find(galois_element);
  if (key == nullptr) {
    return Error{fmt::format("there is no key for {}, the Galois element {}",
                             name_of(context, galois_element), galois_element)};
  }
  if (Status status = check_switch(a, *key); !status) {
    return status.error();
  }
  return key;
}

/// The automorphism of what was switched, and of the part that needed no key.
auto permuted(const Context& context, const Ciphertext& a, uint64_t galois_element,
              const Switched& switched) -> Ciphertext {
  const size_t m = a.n_primes();
  const ring::Automorphism automorphism(context.n(), galois_element);
  Ciphertext result;
  result.parts.push_back(context.rows(m));
  result.parts.push_back(context.rows(m));
  context.for_each(m, [&](size_t i) {
    Rows sum = context.rows(1);
    context.kernels().add(sum.row(0), a.parts[0].row(i), switched.first.row(i), context.n(),
                          context.modulus(i));
    automorphism.apply(result.parts[0].row(i), sum.row(0));
    automorphism.apply(result.parts[1].row(i), switched.second.row(i));
  });
  result.scale = a.scale;
  result.magnitude = a.magnitude;
  result.correction = a.correction;
  result.noise = add_logarithms(a.noise, context.noise().key_switch(m));
  result.n_noise_factors = a.n_noise_factors;
  result.key_id = a.key_id;
  result.parameters = a.parameters;
  return result;
}

}  // namespace

auto relinearise(const Context& context, Ciphertext a, const RelinearisationKey& key)
    -> Result<Ciphertext> {
  if (Status status = check_key(context, key.parameters, key.key_id, a, "relinearisation key");
      !status) {
    return status.error();
  }
  if (a.degree() == 1) {
    return a;
  }
  if (a.degree() != 2) {
    return Error{fmt::format("a ciphertext of degree {} cannot be relinearised", a.degree())};
  }
  if (Status status = check_switch(a, key.key); !status) {
    return status.error();
  }
  const size_t m = a.n_primes();
  const Switched switched = switch_key(context, a.parts[2], key.key);
  a.parts.pop_back();
  context.for_each(2 * m, [&](size_t i) {
    const Rows& from = i < m ? switched.first : switched.second;
    uint64_t* row = a.parts[i / m].row(i % m);
    context.kernels().add(row, row, from.row(i % m), context.n(), context.modulus(i % m));
  });
  a.noise = add_logarithms(a.noise, context.noise().key_switch(m));
  return a;
}

auto galois_element_of(const Context& context, int64_t steps) -> uint64_t {
  return ring::galois_element_of_rotation(context.n(), steps);
}

auto galois_element_of_swap(const Context& context) -> uint64_t {
  return 2 * context.n() - 1;
}

auto apply_automorphism(const Context& context, const Ciphertext& a, uint64_t galois_element,
                        const RotationKeys& keys) -> Result<Ciphertext> {
  if (galois_element == 1) {
    return a;
  }
  const Result<const KeySwitchKey*> key = find_key(context, a, galois_element, keys);
  if (!key) {
    return key.error();
  }
  return permuted(context, a, galois_element, switch_key(context, a.parts[1], *key.value()));
}

auto rotate(const Context& context, const Ciphertext& a, int64_t steps, const RotationKeys& keys)
    -> Result<Ciphertext> {
  return apply_automorphism(context, a, galois_element_of(context, steps), keys);
}

auto swap_rows(const Context& context, const Ciphertext& a, const RotationKeys& keys)
    -> Result<Ciphertext> {
  return apply_automorphism(context, a, galois_element_of_swap(context), keys);
}

auto hoist(const Context& context, Ciphertext a) -> Result<HoistedCiphertext> {
  if (Status status = check_ciphertext(context, a); !status) {
    return status.error();
  }
  if (a.degree() != 1 || context.n_special() == 0) {
    return Error{
        "only ciphertexts of degree one, under parameters with special primes, can be "
        "hoisted"};
  }
  const size_t m = a.n_primes();
  const size_t n_rows = m + context.n_special();
  const size_t n_digits = context.n_digits(m);
  const DigitTerms terms = prepare_digits(context, a.parts[1]);
  HoistedCiphertext result{.ciphertext = std::move(a), .digits = {}};
  for (size_t digit = 0; digit < n_digits; ++digit) {
    result.digits.push_back(context.rows(n_rows));
  }
  context.for_each(n_digits * n_rows, [&](size_t task) {
    const size_t digit = task / n_rows;
    const size_t i = task % n_rows;
    uint64_t* out = result.digits[digit].row(i);
    if (is_own_row(context, digit, m, i)) {
      std::copy_n(result.ciphertext.parts[1].row(i), context.n(), out);
    } else {
      raise_row(context, terms, digit, m, i, out);
    }
  });
  return result;
}

auto apply_automorphism(const Context& context, const HoistedCiphertext& a, uint64_t galois_element,
                        const RotationKeys& keys) -> Result<Ciphertext> {
  if (galois_element == 1) {
    return a.ciphertext;
  }
  const Result<const KeySwitchKey*> key = find_key(context, a.ciphertext, galois_element, keys);
  if (!key) {
    return key.error();
  }
  return permuted(context, a.ciphertext, galois_element, switch_key(context, a, *key.value()));
}

auto rotate(const Context& context, const HoistedCiphertext& a, int64_t steps,
            const RotationKeys& keys) -> Result<Ciphertext> {
  return apply_automorphism(context, a, galois_element_of(context, steps), keys);
}

}  // namespace tacet::he
