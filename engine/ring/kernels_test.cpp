#include "engine/ring/kernels.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/ring/emulated_words.h"
#include "engine/ring/ifma_kernels.h"
#include "engine/ring/primes.h"

namespace tacet::ring {
namespace {

using Row = AlignedWords;

struct NamedKernels {
  std::string name;
  const Kernels* kernels;
};

/// Those this processor has, and those for 52-bit words over emulated vectors.
auto all_kernels() -> std::vector<NamedKernels> {
  std::vector<NamedKernels> result;
  for (const Isa isa : supported_isas()) {
    result.push_back({std::string(isa_name(isa)), &kernels_for(isa)});
  }
  result.push_back({"emulated avx512ifma", &IfmaKernels<EmulatedWords>::kTable});
  return result;
}

/// Random words below `bound`, with its largest and smallest ones well represented.
auto random_row(size_t n, uint64_t bound, std::mt19937_64& random) -> Row {
  Row row(n);
  for (uint64_t& word : row) {
    switch (random() % 8) {
      case 0:
        word = bound - 1;
        break;
      case 1:
        word = 0;
        break;
      case 2:
        word = bound / 2 + random() % 2;
        break;
      default:
        word = random() % bound;
    }
  }
  return row;
}

/// Moduli of every size that transforms of 2^17 words allow, the largest of 50 bits among them.
auto test_moduli(uint64_t step) -> std::vector<Modulus> {
  std::vector<Modulus> moduli;
  for (const unsigned bits : {20U, 30U, 36U, 43U, 46U, 48U, 49U, 50U}) {
    for (const uint64_t q : largest_primes(bits, step, 2)) {
      moduli.emplace_back(q);
    }
  }
  return moduli;
}

/// a b in Z_q[X]/(X^n + 1), by the definition.
auto schoolbook(const Row& a, const Row& b, const Modulus& q) -> Row {
  const size_t n = a.size();
  Row product(n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      const uint64_t term = multiply(a[i], b[j], q);
      uint64_t& place = product[(i + j) % n];
      place = i + j < n ? add(place, term, q) : subtract(place, term, q);
    }
  }
  return product;
}

/// The values at the odd powers of the least primitive root, in the order that is promised.
auto evaluated(const Row& a, const Modulus& q) -> Row {
  const size_t n = a.size();
  const uint64_t psi = least_primitive_root(2 * n, q);
  Row values(n);
  for (size_t k = 0; k < n; ++k) {
    const uint64_t x =
        power(psi, 2 * reverse_bits(k, static_cast<unsigned>(std::countr_zero(n))) + 1, q);
    for (size_t i = n; i-- > 0;) {
      values[k] = add(multiply(values[k], x, q), a[i], q);
    }
  }
  return values;
}

TEST(Kernels, TransformEvaluatesAtOddPowersOfTheRoot) {
  std::mt19937_64 random(1);
  for (const auto& [name, kernels] : all_kernels()) {
    for (const size_t n : {64U, 128U, 256U, 512U}) {
      for (const Modulus& q : test_moduli(2 * n)) {
        SCOPED_TRACE(name + " " + std::to_string(n) + " " + std::to_string(q.value));
        const NttTables tables(n, q, kernels->isa);
        const Row a = random_row(n, q.value, random);
        Row x = a;
        kernels->forward_ntt(x.data(), tables);
        ASSERT_EQ(x, evaluated(a, q));
        kernels->inverse_ntt(x.data(), tables);
        ASSERT_EQ(x, a);
      }
    }
  }
}

TEST(Kernels, ProductOfTransformsIsTheNegacyclicProduct) {
  std::mt19937_64 random(2);
  for (const auto& [name, kernels] : all_kernels()) {
    for (const size_t n : {64U, 256U, 1024U}) {
      const Modulus q(largest_primes(50, 2 * n, 1)[0]);
      SCOPED_TRACE(name + " " + std::to_string(n));
      const NttTables tables(n, q, kernels->isa);
      Row a = random_row(n, q.value, random);
      Row b = random_row(n, q.value, random);
      const Row expected = schoolbook(a, b, q);
      kernels->forward_ntt(a.data(), tables);
      kernels->forward_ntt(b.data(), tables);
      kernels->multiply(a.data(), a.data(), b.data(), n, q);
      kernels->inverse_ntt(a.data(), tables);
      ASSERT_EQ(a, expected);
    }
  }
}

TEST(Kernels, TransformsOfAllKernelsAreTheSameWords) {
  std::mt19937_64 random(3);
  for (size_t n = 64; n <= size_t{1} << 17; n *= 2) {
    for (const unsigned bits : {36U, 46U, 48U, 50U}) {
      const Modulus q(largest_primes(bits, 2 * n, 1)[0]);
      const Row top(n, q.value - 1);
      for (const Row& a : {random_row(n, q.value, random), top}) {
        Row expected = a;
        const NttTables scalar_tables(n, q, Isa::Scalar);
        scalar_kernels().forward_ntt(expected.data(), scalar_tables);
        for (const auto& [name, kernels] : all_kernels()) {
          SCOPED_TRACE(name + " " + std::to_string(n));
          const NttTables tables(n, q, kernels->isa);
          Row x = a;
          kernels->forward_ntt(x.data(), tables);
          ASSERT_EQ(x, expected);
          kernels->inverse_ntt(x.data(), tables);
          ASSERT_EQ(x, a);
          // Any word may be in any place in the inverse transform.
          Row y = a;
          kernels->inverse_ntt(y.data(), tables);
          kernels->forward_ntt(y.data(), tables);
          ASSERT_EQ(y, a);
        }
      }
    }
  }
}

class KernelRows : public testing::Test {
 protected:
  static constexpr size_t kN = 1024;

  /// Runs `body` for every kernel and modulus, on rows of residues.
  template <class Body>
  void for_each(Body body) {
    for (const auto& [name, kernels] : all_kernels()) {
      for (const Modulus& q : test_moduli(2)) {
        SCOPED_TRACE(name + " " + std::to_string(q.value));
        for (Row& row : rows_) {
          row = random_row(kN, q.value, random_);
        }
        body(*kernels, q);
      }
    }
  }

  std::mt19937_64 random_{4};
  Row rows_[4];
  Row out_[3] = {Row(kN), Row(kN), Row(kN)};
};

TEST_F(KernelRows, ElementWiseLoopsAreArithmeticModuloQ) {
  for_each([&](const Kernels& kernels, const Modulus& q) {
    const Row& a = rows_[0];  // no binding: clang 14 captures none
    const Row& b = rows_[1];
    const Row& c = rows_[2];
    const uint64_t constant = random_() % 4 == 0 ? q.value - 1 : random_() % q.value;
    const auto expect = [&](auto f) {
      for (size_t i = 0; i < kN; ++i) {
        ASSERT_EQ(out_[0][i], f(i)) << i;
      }
    };
    uint64_t* out = out_[0].data();
    kernels.add(out, a.data(), b.data(), kN, q);
    expect([&](size_t i) { return (a[i] + b[i]) % q.value; });
    kernels.subtract(out, a.data(), b.data(), kN, q);
    expect([&](size_t i) { return (a[i] + q.value - b[i]) % q.value; });
    kernels.negate(out, a.data(), kN, q);
    expect([&](size_t i) { return (q.value - a[i]) % q.value; });
    kernels.multiply(out, a.data(), b.data(), kN, q);
    expect([&](size_t i) {
      return static_cast<uint64_t>(static_cast<Uint128>(a[i]) * b[i] % q.value);
    });
    kernels.multiply_add(out, a.data(), b.data(), c.data(), kN, q);
    expect([&](size_t i) {
      return static_cast<uint64_t>((static_cast<Uint128>(a[i]) * b[i] + c[i]) % q.value);
    });
    kernels.multiply_constant(out, a.data(), constant, kN, q);
    expect([&](size_t i) {
      return static_cast<uint64_t>(static_cast<Uint128>(a[i]) * constant % q.value);
    });
    kernels.subtract_multiply(out, a.data(), b.data(), constant, kN, q);
    expect([&](size_t i) {
      return static_cast<uint64_t>(static_cast<Uint128>(a[i] + q.value - b[i]) * constant %
                                   q.value);
    });
  });
}

TEST_F(KernelRows, ResultsMayStandWhereOperandsStood) {
  for_each([&](const Kernels& kernels, const Modulus& q) {
    const auto& [a, b, c, d] = rows_;
    kernels.multiply_add(out_[0].data(), a.data(), b.data(), c.data(), kN, q);
    Row x = c;
    kernels.multiply_add(x.data(), a.data(), b.data(), x.data(), kN, q);
    ASSERT_EQ(x, out_[0]);
    kernels.subtract_multiply(out_[0].data(), a.data(), b.data(), 3 % q.value, kN, q);
    x = b;
    kernels.subtract_multiply(x.data(), a.data(), x.data(), 3 % q.value, kN, q);
    ASSERT_EQ(x, out_[0]);
  });
}

TEST_F(KernelRows, TensorIsTheProductOfPolynomialsOfDegreeOne) {
  for_each([&](const Kernels& kernels, const Modulus& q) {
    uint64_t* out[] = {out_[0].data(), out_[1].data(), out_[2].data()};
    const uint64_t* a[] = {rows_[0].data(), rows_[1].data()};
    const uint64_t* b[] = {rows_[2].data(), rows_[3].data()};
    kernels.tensor(out, a, b, kN, q);
    for (size_t i = 0; i < kN; ++i) {
      const Uint128 middle =
          static_cast<Uint128>(a[0][i]) * b[1][i] + static_cast<Uint128>(a[1][i]) * b[0][i];
      ASSERT_EQ(out[0][i],
                static_cast<uint64_t>(static_cast<Uint128>(a[0][i]) * b[0][i] % q.value));
      ASSERT_EQ(out[1][i], static_cast<uint64_t>(middle % q.value));
      ASSERT_EQ(out[2][i],
                static_cast<uint64_t>(static_cast<Uint128>(a[1][i]) * b[1][i] % q.value));
    }
  });
}

TEST_F(KernelRows, SumsOfProductsAreExactForAnyNumberOfTerms) {
  for_each([&](const Kernels& kernels, const Modulus& q) {
    for (const size_t n_terms : {1U, 3U, 4U, 5U, 8U, 9U, 21U}) {
      std::vector<Row> wide, rows0, rows1;
      std::vector<const uint64_t*> terms, b0, b1;
      std::vector<uint64_t> constants;
      for (size_t k = 0; k < n_terms; ++k) {
        wide.push_back(random_row(64, uint64_t{1} << 50, random_));
        rows0.push_back(random_row(64, q.value, random_));
        rows1.push_back(random_row(64, q.value, random_));
        constants.push_back(random_() % 4 == 0 ? q.value - 1 : random_() % q.value);
      }
      for (size_t k = 0; k < n_terms; ++k) {
        terms.push_back(wide[k].data());
        b0.push_back(rows0[k].data());
        b1.push_back(rows1[k].data());
      }
      kernels.combine(out_[0].data(), terms.data(), constants.data(), n_terms, 64, q);
      kernels.inner_products(out_[1].data(), out_[2].data(), b0.data(), b1.data(), b0.data(),
                             n_terms, 64, q);
      for (size_t i = 0; i < 64; ++i) {
        Uint128 sum = 0, sum0 = 0, sum1 = 0;
        for (size_t k = 0; k < n_terms; ++k) {
          sum += static_cast<Uint128>(wide[k][i]) * constants[k];
          sum0 += static_cast<Uint128>(rows0[k][i]) * rows1[k][i];
          sum1 += static_cast<Uint128>(rows0[k][i]) * rows0[k][i];
        }
        ASSERT_EQ(out_[0][i], static_cast<uint64_t>(sum % q.value));
        ASSERT_EQ(out_[1][i], static_cast<uint64_t>(sum0 % q.value));
        ASSERT_EQ(out_[2][i], static_cast<uint64_t>(sum1 % q.value));
      }
    }
  });
}

TEST_F(KernelRows, ChangingTheModulusKeepsTheRepresentativeNearZero) {
  for_each([&](const Kernels& kernels, const Modulus& q) {
    for (const Modulus& p : test_moduli(2)) {
      const Row a = random_row(kN, p.value, random_);
      kernels.change_modulus(out_[0].data(), a.data(), kN, p, q);
      for (size_t i = 0; i < kN; ++i) {
        const auto modulus = static_cast<int64_t>(q.value);
        const int64_t rest = centred(a[i], p) % modulus;
        ASSERT_EQ(out_[0][i], static_cast<uint64_t>(rest < 0 ? rest + modulus : rest));
      }
    }
  });
}

TEST_F(KernelRows, RoundedSumsOfDoublesAreTheSameEverywhere) {
  std::vector<Row> rows;
  std::vector<const uint64_t*> terms;
  std::vector<double> inverses;
  for (const Modulus& q : test_moduli(2)) {
    rows.push_back(random_row(kN, q.value, random_));
    inverses.push_back(q.inverse);
  }
  for (const Row& row : rows) {
    terms.push_back(row.data());
  }
  scalar_kernels().round_sum(out_[0].data(), terms.data(), inverses.data(), terms.size(), kN);
  for (const auto& [name, kernels] : all_kernels()) {
    kernels->round_sum(out_[1].data(), terms.data(), inverses.data(), terms.size(), kN);
    ASSERT_EQ(out_[1], out_[0]) << name;
  }
}

}  // namespace
}  // namespace tacet::ring
