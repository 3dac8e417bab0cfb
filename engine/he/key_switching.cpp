#include <fmt/format.h>

#include "engine/he/checks.h"
#include "engine/he/convert_rows.h"
#include "engine/he/evaluation.h"
#include "engine/he/key_digits.h"
#include "engine/he/noise.h"
#include "engine/ring/automorphism.h"

namespace tacet::he {
namespace {

/// What a polynomial over `m` primes times the key's old secret is under the new one.
/// `digit_rows(i, spread)` are the rows i of its digits; `use(i, first, second)` takes row i of the
/// result, and may change it.
///
/// The rows of the special primes come first, as all others are to be divided by them: then every
/// other row is done from its digits to its use, while it is in the cache.
template <class DigitRowsAt, class Use>
void switch_key(const Context& context, size_t m, const KeySwitchKey& key,
                const DigitRowsAt& digit_rows, const Use& use) {
  const size_t n_special = context.n_special();
  const BaseConversion& lower = context.lower_special();
  Rows special[2] = {context.rows(n_special + 1), context.rows(n_special + 1)};
  for (size_t s = 0; s < n_special; ++s) {
    const DigitRows digits = digit_rows(m + s, Spread::Yes);
    multiply_by_key(context, digits.rows, key, m, m + s, {special[0].row(s), special[1].row(s)});
  }
  context.for_each(2 * n_special, [&](size_t i) {
    context.transform_back(special[i / n_special].row(i % n_special),
                           context.special(i % n_special));
  });
  const std::vector<uint64_t*> terms[2] = {special[0].row_pointers(), special[1].row_pointers()};
  Rows all_rest[2];
  if (has_large_digits(context)) {
    std::vector<RowConversion> conversions;
    std::vector<uint64_t*> from[2];
    std::vector<uint64_t*> to[2];
    for (size_t half = 0; half < 2; ++half) {
      all_rest[half] = context.rows(m);
      from[half].assign(terms[half].begin(), terms[half].end() - 1);
      to[half] = all_rest[half].row_pointers();
      conversions.push_back({.conversion = lower, .from = from[half], .to = to[half]});
    }
    convert_rows(context, conversions);
  } else {
    context.for_each(2, [&](size_t half) {
      const std::vector<const uint64_t*> residues(terms[half].begin(), terms[half].end() - 1);
      lower.prepare(context.kernels(), residues, terms[half], context.n());
    });
  }
  context.for_each(m, [&](size_t i) {
    Rows row = context.rows(3);
    uint64_t* const sums[2] = {row.row(0), row.row(1)};
    multiply_by_key(context, digit_rows(i, Spread::No).rows, key, m, i, sums);
    for (size_t half = 0; half < 2; ++half) {
      uint64_t* rest = row.row(2);
      if (all_rest[half].empty()) {
        lower.convert(context.kernels(), terms[half], i, rest, context.n());
      } else {
        rest = all_rest[half].row(i);
      }
      context.transform(rest, i);
      context.kernels().subtract_multiply(sums[half], sums[half], rest, context.special_inverse(i),
                                          context.n(), context.modulus(i));
    }
    use(i, sums[0], sums[1]);
  });
}

/// Switches the key of a ciphertext's last part.
template <class Use>
void switch_last_part(const Context& context, const Ciphertext& a, const KeySwitchKey& key,
                      const Use& use) {
  const Rows& x = a.parts.back();
  if (has_large_digits(context)) {
    const Rows raised = raised_digits(context, x);
    switch_key(
        context, x.n_rows(), key,
        [&](size_t i, Spread /*spread*/) { return raised_rows(context, raised, x, i); }, use);
    return;
  }
  const Digits digits(context, x);
  switch_key(
      context, x.n_rows(), key,
      [&](size_t i, Spread spread) { return raised_rows(context, digits, x, i, spread); }, use);
}

/// The same from digits that were raised before.
template <class Use>
void switch_last_part(const Context& context, const HoistedCiphertext& a, const KeySwitchKey& key,
                      const Use& use) {
  switch_key(
      context, a.ciphertext.n_primes(), key,
      [&](size_t i, Spread /*spread*/) {
        return raised_rows(context, a.digits, a.ciphertext.parts[1], i);
      },
      use);
}

auto check_switch(const Ciphertext& a, const KeySwitchKey& key) -> Status {
  if (key.n_primes < a.n_primes()) {
    return Error{
        fmt::format("the key is for ciphertexts of at most {} primes, but this one has {}; drop "
                    "primes, or generate the key for more",
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
    return Error{fmt::format("missing key for {} (Galois element {})",
                             name_of(context, galois_element), galois_element)};
  }
  if (Status status = check_switch(a, *key); !status) {
    return status.error();
  }
  return key;
}

auto ciphertext_of(const Ciphertext& a) -> const Ciphertext& {
  return a;
}

auto ciphertext_of(const HoistedCiphertext& a) -> const Ciphertext& {
  return a.ciphertext;
}

/// The metadata of a ciphertext of `m` primes after its key was switched.
auto switched(const Context& context, CiphertextMetadata metadata, size_t m, KeyOrigin origin)
    -> CiphertextMetadata {
  metadata.noise = add_logarithms(metadata.noise, context.noise().key_switch(m, origin));
  metadata.bound = context.bounds().switched(metadata.bound, m, origin);
  return metadata;
}

/// `apply_automorphism` of a ciphertext, hoisted or not.
template <class Operand>
auto apply(const Context& context, const Operand& operand, uint64_t galois_element,
           const RotationKeys& keys) -> Result<Ciphertext> {
  const Ciphertext& a = ciphertext_of(operand);
  if (galois_element == 1) {
    return a;
  }
  const Result<const KeySwitchKey*> key = find_key(context, a, galois_element, keys);
  if (!key) {
    return key.error();
  }
  const size_t m = a.n_primes();
  const ring::Automorphism automorphism(context.n(), galois_element);
  const ring::Kernels& kernels = context.kernels();
  Ciphertext result{.parts = {}, .metadata = switched(context, a.metadata, m, KeyOrigin::Image)};
  result.parts.push_back(context.rows(m));
  result.parts.push_back(context.rows(m));
  switch_last_part(context, operand, *key.value(),
                   [&](size_t i, uint64_t* first, uint64_t* second) {
                     kernels.add(first, first, a.parts[0].row(i), context.n(), context.modulus(i));
                     automorphism.apply(kernels, result.parts[0].row(i), first);
                     automorphism.apply(kernels, result.parts[1].row(i), second);
                   });
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
  switch_last_part(context, a, key.key,
                   [&](size_t i, const uint64_t* first, const uint64_t* second) {
                     const uint64_t* sums[] = {first, second};
                     for (size_t half = 0; half < 2; ++half) {
                       uint64_t* row = a.parts[half].row(i);
                       context.kernels().add(row, row, sums[half], context.n(), context.modulus(i));
                     }
                   });
  a.parts.pop_back();
  a.metadata = switched(context, a.metadata, m, KeyOrigin::Square);
  return a;
}

auto switch_secret(const Context& context, const Ciphertext& a, const KeySwitchKey& key)
    -> Ciphertext {
  const size_t m = a.n_primes();
  Ciphertext result{.parts = {}, .metadata = a.metadata};
  result.parts.push_back(context.rows(m));
  result.parts.push_back(context.rows(m));
  switch_last_part(context, a, key, [&](size_t i, const uint64_t* first, const uint64_t* second) {
    context.kernels().add(result.parts[0].row(i), first, a.parts[0].row(i), context.n(),
                          context.modulus(i));
    std::copy_n(second, context.n(), result.parts[1].row(i));
  });
  return result;
}

auto galois_element_of(const Context& context, int64_t steps) -> uint64_t {
  return ring::galois_element_of_rotation(context.n(), steps);
}

auto galois_element_of_swap(const Context& context) -> uint64_t {
  return 2 * context.n() - 1;
}

auto apply_automorphism(const Context& context, const Ciphertext& a, uint64_t galois_element,
                        const RotationKeys& keys) -> Result<Ciphertext> {
  return apply(context, a, galois_element, keys);
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
    return Error{"hoisting requires a ciphertext of degree one and parameters with special primes"};
  }
  const size_t m = a.n_primes();
  HoistedCiphertext result{.ciphertext = std::move(a), .digits = {}};
  if (has_large_digits(context)) {
    result.digits = raised_digits(context, result.ciphertext.parts[1]);
    return result;
  }
  const size_t n_rows = m + context.n_special();
  const size_t n_digits = context.n_digits(m);
  result.digits = context.rows(n_digits * n_rows);
  const Digits digits(context, result.ciphertext.parts[1]);
  context.for_each(n_digits * n_rows, [&](size_t task) {
    const size_t digit = task % n_digits;
    const size_t i = task / n_digits;
    if (!is_own_row(context, digit, m, i)) {
      digits.raise(digit, i, result.digits.row(task));
    }
  });
  return result;
}

auto apply_automorphism(const Context& context, const HoistedCiphertext& a, uint64_t galois_element,
                        const RotationKeys& keys) -> Result<Ciphertext> {
  return apply(context, a, galois_element, keys);
}

auto rotate(const Context& context, const HoistedCiphertext& a, int64_t steps,
            const RotationKeys& keys) -> Result<Ciphertext> {
  return apply_automorphism(context, a, galois_element_of(context, steps), keys);
}

}  // namespace tacet::he
