#include "engine/cggi/reference.h"

#include "engine/cggi/decomposition.h"

namespace tacet::cggi {

auto reference_shift(const Parameters& p, const Glwe& a, uint32_t r) -> Glwe {
  const size_t n = p.polynomial_size;
  Glwe out(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const size_t place = i % n + r;
    const bool negative = place / n % 2 == 1;
    out[i / n * n + place % n] = negative ? Torus{0} - a[i] : a[i];
  }
  return out;
}

/// out += a b modulo X^N + 1
static void add_product(size_t n, const Torus* a, const Torus* b, Torus* out) {
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      const Torus product = a[i] * b[j];
      out[(i + j) % n] += i + j < n ? product : Torus{0} - product;
    }
  }
}

auto reference_external_product(const Parameters& p, const std::vector<Torus>& ggsw, const Glwe& a)
    -> Glwe {
  const size_t n = p.polynomial_size;
  const size_t n_components = p.glwe_dimension + size_t{1};
  Glwe out(a.size());
  const Torus* row = ggsw.data();
  std::vector<Torus> digits(n);
  for (size_t c = 0; c < n_components; ++c) {
    for (unsigned level = 0; level < p.rotation.n_levels; ++level) {
      for (size_t j = 0; j < n; ++j) {
        digits[j] = static_cast<Torus>(signed_digit(a[c * n + j], p.rotation, level));
      }
      for (size_t column = 0; column < n_components; ++column, row += n) {
        add_product(n, digits.data(), row, out.data() + column * n);
      }
    }
  }
  return out;
}

auto reference_rotate(const EvaluationKey& key, const SwitchedCiphertext& ciphertext,
                      const Table& table, Isa isa) -> Glwe {
  const Parameters& p = key.parameters;
  const size_t n = p.polynomial_size;
  Glwe a(size_t{p.glwe_dimension + 1} * n);
  std::copy(table.polynomial.begin(), table.polynomial.end(),
            a.begin() + static_cast<ptrdiff_t>(p.glwe_dimension * n));
  a = reference_shift(p, a, (2 * p.polynomial_size - ciphertext.body) % (2 * p.polynomial_size));
  std::vector<Torus> ggsw(ggsw_size(p));
  for (size_t i = 0; i < p.lwe_dimension; ++i) {
    expand_rotation_element(key, i, ggsw, isa);
    Glwe difference = reference_shift(p, a, ciphertext.mask[i]);
    for (size_t j = 0; j < a.size(); ++j) {
      difference[j] -= a[j];
    }
    const Glwe product = reference_external_product(p, ggsw, difference);
    for (size_t j = 0; j < a.size(); ++j) {
      a[j] += product[j];
    }
  }
  return a;
}

auto reference_extract(const Parameters& p, const Glwe& a, size_t s) -> std::vector<Torus> {
  const size_t n = p.polynomial_size;
  std::vector<Torus> out;
  for (size_t i = 0; i < p.extracted_dimension(); ++i) {
    // The factor of key coefficient i mod N in coefficient s of the product.
    const size_t j = i % n;
    const Torus* const mask = a.data() + i / n * n;
    out.push_back(j <= s ? mask[s - j] : Torus{0} - mask[n + s - j]);
  }
  out.push_back(a[p.glwe_dimension * n + s]);
  return out;
}

auto reference_switch_key(const EvaluationKey& key, const std::vector<Torus>& ciphertext, Isa isa)
    -> std::vector<uint32_t> {
  const Parameters& p = key.parameters;
  const size_t n_words = p.lwe_dimension + size_t{1};
  std::vector<uint32_t> out(n_words);
  constexpr Torus kHalf = Torus{1} << (kLog2SwitchedModulus - 1);
  out.back() = static_cast<uint32_t>((ciphertext.back() + kHalf) >> kLog2SwitchedModulus);
  std::vector<uint32_t> rows(n_words * p.key_switch.n_levels);
  for (size_t i = 0; i < p.extracted_dimension(); ++i) {
    expand_key_switch_rows(key, i, n_words, rows.data(), isa);
    for (unsigned level = 0; level < p.key_switch.n_levels; ++level) {
      const int64_t digit = signed_digit(ciphertext[i], p.key_switch, level);
      for (size_t j = 0; j < n_words; ++j) {
        out[j] -= static_cast<uint32_t>(digit) * rows[level * n_words + j];
      }
    }
  }
  return out;
}

auto reference_bootstrap(const EvaluationKey& key, const std::vector<Torus>& ciphertext,
                         const Table& table, Isa isa) -> std::vector<std::vector<Torus>> {
  SwitchedCiphertext switched;
  switch_modulus(reference_switch_key(key, ciphertext, isa), key.parameters.polynomial_size,
                 table.log2_tables, switched);
  const Glwe rotated = reference_rotate(key, switched, table, isa);
  std::vector<std::vector<Torus>> out;
  for (size_t s = 0; s < size_t{1} << table.log2_tables; ++s) {
    out.push_back(reference_extract(key.parameters, rotated, s));
  }
  return out;
}

}  // namespace tacet::cggi
