#include "engine/he/bootstrapping/extended.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/he/convert_rows.h"
#include "engine/he/key_digits.h"
#include "engine/ring/automorphism.h"

namespace tacet::he {
namespace {

auto find_extended_key(uint64_t galois_element, size_t m, const RotationKeys& keys)
    -> Result<const KeySwitchKey*> {
  const KeySwitchKey* key = keys.find(galois_element);
  if (key == nullptr || key->n_primes < m) {
    return Error{
        fmt::format("missing key of {} primes for the Galois element {}", m, galois_element)};
  }
  return key;
}

/// Data rows of a part, divided by the special primes. Spoils the special rows.
auto divided_part(const Context& context, Rows& part, size_t m) -> Rows {
  const size_t n_special = context.n_special();
  context.for_each(n_special,
                   [&](size_t s) { context.transform_back(part.row(m + s), context.special(s)); });
  std::vector<uint64_t*> from;
  for (size_t s = 0; s < n_special; ++s) {
    from.push_back(part.row(m + s));
  }
  Rows result = context.rows(m);
  const std::vector<uint64_t*> to = result.row_pointers();
  const RowConversion conversion[] = {
      {.conversion = context.lower_special(), .from = from, .to = to}};
  convert_rows(context, conversion);
  context.for_each(m, [&](size_t i) {
    uint64_t* row = result.row(i);
    context.transform(row, i);
    context.kernels().subtract_multiply(row, part.row(i), row, context.special_inverse(i),
                                        context.n(), context.modulus(i));
  });
  return result;
}

/// The rotation of what `digit_rows(i)` are the digits of, and of the other part: `add_first(i,
/// sum)` adds row i of it, if it has one.
template <class DigitRowsAt, class AddFirst>
auto rotated(const Context& context, size_t m, uint64_t galois_element, const KeySwitchKey& key,
             const DigitRowsAt& digit_rows, const AddFirst& add_first) -> ExtendedCiphertext {
  const size_t n_rows = m + context.n_special();
  const ring::Automorphism automorphism(context.n(), galois_element);
  ExtendedCiphertext result{.parts = {context.rows(n_rows), context.rows(n_rows)}};
  context.for_each(n_rows, [&](size_t i) {
    Rows sums = context.rows(2);
    multiply_by_key(context, digit_rows(i).rows, key, m, i, {sums.row(0), sums.row(1)});
    add_first(i, sums.row(0));
    for (size_t half = 0; half < 2; ++half) {
      automorphism.apply(context.kernels(), result.parts[half].row(i), sums.row(half));
    }
  });
  return result;
}

}  // namespace

auto rotate_extended(const Context& context, const HoistedCiphertext& a, uint64_t galois_element,
                     const RotationKeys& keys) -> Result<ExtendedCiphertext> {
  const Ciphertext& ciphertext = a.ciphertext;
  const size_t m = ciphertext.n_primes();
  const size_t n_rows = m + context.n_special();
  const ring::Kernels& kernels = context.kernels();
  if (galois_element == 1) {
    ExtendedCiphertext result{.parts = {context.rows(n_rows), context.rows(n_rows)}};
    context.for_each(2 * n_rows, [&](size_t task) {
      const size_t i = task % n_rows;
      uint64_t* row = result.parts[task / n_rows].row(i);
      if (i < m) {
        kernels.multiply_constant(row, ciphertext.parts[task / n_rows].row(i),
                                  context.special_product(i), context.n(), context.modulus(i));
      } else {
        std::fill_n(row, context.n(), 0);
      }
    });
    return result;
  }
  const Result<const KeySwitchKey*> key = find_extended_key(galois_element, m, keys);
  if (!key) {
    return key.error();
  }
  return rotated(
      context, m, galois_element, *key.value(),
      [&](size_t i) { return raised_rows(context, a.digits, ciphertext.parts[1], i); },
      [&](size_t i, uint64_t* sum) {
        if (i < m) {
          Rows row = context.rows(1);
          kernels.multiply_constant(row.row(0), ciphertext.parts[0].row(i),
                                    context.special_product(i), context.n(), context.modulus(i));
          kernels.add(sum, sum, row.row(0), context.n(), context.modulus(i));
        }
      });
}

auto rotate_extended(const Context& context, ExtendedCiphertext a, size_t m,
                     uint64_t galois_element, const RotationKeys& keys)
    -> Result<ExtendedCiphertext> {
  if (galois_element == 1) {
    return a;
  }
  const Result<const KeySwitchKey*> key = find_extended_key(galois_element, m, keys);
  if (!key) {
    return key.error();
  }
  const Rows second = divided_part(context, a.parts[1], m);
  const Rows raised = raised_digits(context, second);
  return rotated(
      context, m, galois_element, *key.value(),
      [&](size_t i) { return raised_rows(context, raised, second, i); },
      [&](size_t i, uint64_t* sum) {
        context.kernels().add(sum, sum, a.parts[0].row(i), context.n(),
                              context.modulus(context.prime_of_row(m, i)));
      });
}

void add_extended(const Context& context, ExtendedCiphertext& a, const ExtendedCiphertext& b,
                  size_t m) {
  const size_t n_rows = m + context.n_special();
  context.for_each(2 * n_rows, [&](size_t task) {
    const size_t i = task % n_rows;
    uint64_t* row = a.parts[task / n_rows].row(i);
    context.kernels().add(row, row, b.parts[task / n_rows].row(i), context.n(),
                          context.modulus(context.prime_of_row(m, i)));
  });
}

auto divided(const Context& context, ExtendedCiphertext a, size_t m, CiphertextMetadata metadata)
    -> Ciphertext {
  Ciphertext result{.parts = {}, .metadata = metadata};
  for (Rows& part : a.parts) {
    result.parts.push_back(divided_part(context, part, m));
  }
  return result;
}

}  // namespace tacet::he
