#include "compiler/front/types/size_proof.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "compiler/front/types/solve_sizes.h"

namespace tacet::types {
namespace {

/// The value of a form by its definition, for the values of `n` and `m`.
auto value_of(const TypeStore& types, const SizeForm& form, Name n, int64_t at_n, int64_t at_m)
    -> int64_t {
  int64_t sum = form.constant;
  for (const SizeTerm& term : form.terms) {
    int64_t atom = term.atom.name == n ? at_n : at_m;
    if (term.atom.kind == SizeAtomKind::Quotient) {
      const int64_t dividend = value_of(types, types.form(term.atom.operand), n, at_n, at_m);
      atom = 0;
      while (atom * term.atom.second > dividend) {
        --atom;
      }
      while ((atom + 1) * term.atom.second <= dividend) {
        ++atom;
      }
    }
    sum += term.coefficient * atom;
  }
  return sum;
}

class SizeProofs : public ::testing::Test {
 protected:
  auto number(int64_t least, int64_t most) -> int64_t {
    return least + static_cast<int64_t>(random_() % static_cast<uint64_t>(most - least + 1));
  }

  auto random_form() -> SizeForm {
    SizeForm form{number(-4, 4)};
    for (const Name name : {n_, m_}) {
      form = *add(form, *multiply(size_parameter(name), SizeForm{number(-2, 3)}));
    }
    if (number(0, 3) == 0) {
      const SizeForm dividend =
          *add(size_parameter(n_), *multiply(size_parameter(m_), SizeForm{number(0, 2)}));
      const MaybeForm quotient = divide(types_, dividend, SizeForm{number(2, 4)});
      form = *add(form, *multiply(*quotient, SizeForm{number(-2, 2)}));
    }
    return form;
  }

  auto value(const SizeForm& form, int64_t at_n, int64_t at_m) const -> int64_t {
    return value_of(types_, form, n_, at_n, at_m);
  }

  std::mt19937_64 random_{1};
  Interner names_;
  TypeStore types_;
  Name n_ = names_.intern("n");
  Name m_ = names_.intern("m");
};

/// Against all sizes up to a bound.
TEST_F(SizeProofs, AgreeWithEnumeration) {
  uint64_t n_proven = 0;
  uint64_t n_refuted = 0;
  uint64_t n_unknown = 0;
  constexpr int64_t kMost = 40;
  for (int i = 0; i < 3000; ++i) {
    SizeFacts facts;
    for (int64_t k = number(0, 2); k > 0; --k) {
      facts.at_least_zero.push_back(random_form());
    }
    const SizeForm claim = random_form();
    const auto satisfies = [&](int64_t at_n, int64_t at_m) {
      return std::all_of(facts.at_least_zero.begin(), facts.at_least_zero.end(),
                         [&](const SizeForm& fact) { return value(fact, at_n, at_m) >= 0; });
    };
    const SizeProof proof = prove_at_least_zero(types_, facts, claim);
    n_proven += proof.verdict == SizeVerdict::Proven ? 1 : 0;
    n_refuted += proof.verdict == SizeVerdict::Refuted ? 1 : 0;
    n_unknown += proof.verdict == SizeVerdict::Unknown ? 1 : 0;
    for (int64_t at_n = 1; proof.verdict == SizeVerdict::Proven && at_n <= kMost; ++at_n) {
      for (int64_t at_m = 1; at_m <= kMost; ++at_m) {
        ASSERT_TRUE(!satisfies(at_n, at_m) || value(claim, at_n, at_m) >= 0)
            << form_text(types_, names_, claim) << " at " << at_n << ", " << at_m;
      }
    }
    if (proof.verdict == SizeVerdict::Refuted) {
      int64_t at_n = 1;
      int64_t at_m = 1;
      for (const auto& [atom, at] : proof.counterexample) {
        (atom.name == n_ ? at_n : at_m) = at;
      }
      ASSERT_TRUE(at_n >= 1 && at_m >= 1 && satisfies(at_n, at_m));
      ASSERT_LT(value(claim, at_n, at_m), 0) << form_text(types_, names_, claim);
    }
  }
  EXPECT_GT(n_proven, 300U);
  EXPECT_GT(n_refuted, 300U);
  EXPECT_LT(n_unknown, 300U);
}

TEST_F(SizeProofs, FormsComputeWhatTheirTermsDo) {
  for (int i = 0; i < 2000; ++i) {
    const SizeForm a = random_form();
    const SizeForm b = random_form();
    const int64_t at_n = number(1, 30);
    const int64_t at_m = number(1, 30);
    const int64_t divisor = number(1, 5);
    const int64_t x = value(a, at_n, at_m);
    EXPECT_EQ(value(*add(a, b), at_n, at_m), x + value(b, at_n, at_m));
    EXPECT_EQ(value(*subtract(a, b), at_n, at_m), x - value(b, at_n, at_m));
    if (!a.terms.empty()) {
      const int64_t quotient = value(*divide(types_, a, SizeForm{divisor}), at_n, at_m);
      EXPECT_LE(quotient * divisor, x);
      EXPECT_GT((quotient + 1) * divisor, x);
      EXPECT_EQ(value(*remainder(types_, a, SizeForm{divisor}), at_n, at_m),
                x - quotient * divisor);
    }
    const SizeForm sum = *add(a, size_parameter(n_));
    if (!sum.terms.empty()) {
      EXPECT_TRUE(is_symbolic(types_.extent(sum)));
      EXPECT_TRUE(types_.form(types_.extent(sum)) == sum);
    }
  }
}

TEST_F(SizeProofs, ProductsOfSizesAreForms) {
  const SizeForm n = size_parameter(n_);
  const SizeForm m = size_parameter(m_);
  EXPECT_EQ(form_text(types_, names_, *multiply(types_, m, n)), "n * m");
  EXPECT_EQ(*multiply(types_, n, m), *multiply(types_, m, n));
  // (n + 2) (m - 1) = n m - n + 2 m - 2
  const SizeForm product = *multiply(types_, *add(n, SizeForm{2}), *subtract(m, SizeForm{1}));
  const auto at = [&](int64_t of_n, int64_t of_m) {
    return substitute(types_, product,
                      [&](const SizeAtom& atom) {
                        return MaybeForm(SizeForm{atom.name == n_ ? of_n : of_m});
                      })
        ->constant;
  };
  EXPECT_EQ(at(3, 7), 30);
  EXPECT_EQ(at(1, 1), 0);
  EXPECT_EQ(*exact_quotient(types_, *multiply(types_, product, m), m), product);
  EXPECT_FALSE(exact_quotient(types_, product, m));
  SizeForm power = n;
  for (size_t i = 1; i < kMostFactors; ++i) {
    power = *multiply(types_, power, n);
  }
  EXPECT_FALSE(multiply(types_, power, n));
}

TEST_F(SizeProofs, ProductsAreComparedByTheirFactors) {
  const SizeForm n = size_parameter(n_);
  const SizeForm m = size_parameter(m_);
  const SizeForm i = size_local(0);
  const SizeForm j = size_local(1);
  SizeFacts facts;
  facts.sizes = {n_, m_};
  facts.at_least_zero = {i, j, *subtract(*subtract(n, i), SizeForm{1}),
                         *subtract(*subtract(m, j), SizeForm{1})};
  // i m + j < n m
  const SizeForm place = *add(*multiply(types_, i, m), j);
  const SizeForm end = *multiply(types_, n, m);
  const SizeForm left = *subtract(*subtract(end, place), SizeForm{1});
  EXPECT_EQ(prove_at_least_zero(types_, facts, place).verdict, SizeVerdict::Proven);
  EXPECT_EQ(prove_at_least_zero(types_, facts, left).verdict, SizeVerdict::Proven);
  EXPECT_EQ(prove_at_least_zero(types_, facts, *subtract(left, SizeForm{1})).verdict,
            SizeVerdict::Refuted);
  // i n + j < n m is wrong for some sizes.
  const SizeForm wrong = *subtract(end, *add(*multiply(types_, i, n), j));
  EXPECT_EQ(prove_at_least_zero(types_, facts, *subtract(wrong, SizeForm{1})).verdict,
            SizeVerdict::Refuted);
}

/// What is substituted for sizes is found again from the lengths.
TEST_F(SizeProofs, SolutionsAreFoundAgain) {
  for (int i = 0; i < 1000; ++i) {
    SizeSolution sizes{{n_, m_}, {std::nullopt, std::nullopt}, {}};
    const int64_t at_n = number(1, 50);
    const int64_t at_m = number(1, 50);
    const SizeForm first =
        *add(*multiply(size_parameter(n_), SizeForm{number(1, 4)}), SizeForm{number(-3, 3)});
    const SizeForm second = *add(*multiply(size_parameter(m_), SizeForm{number(1, 4)}),
                                 *multiply(size_parameter(n_), SizeForm{number(-2, 2)}));
    for (const SizeForm& pattern : {second, first}) {
      sizes.equations.push_back({pattern, SizeForm{value(pattern, at_n, at_m)}, 0});
    }
    solve(types_, sizes);
    ASSERT_TRUE(sizes.found[0] && sizes.found[1]);
    EXPECT_EQ(sizes.found[0]->value, SizeForm{at_n});
    EXPECT_EQ(sizes.found[1]->value, SizeForm{at_m});
    EXPECT_EQ(find_conflict(types_, sizes), nullptr);
    sizes.equations.push_back({size_parameter(n_), SizeForm{at_n + 1}, 0});
    EXPECT_NE(find_conflict(types_, sizes), nullptr);
  }
}

TEST_F(SizeProofs, TextsReadAsWritten) {
  const auto text = [&](const SizeForm& form) { return form_text(types_, names_, form); };
  const SizeForm n = size_parameter(n_);
  const SizeForm m = size_parameter(m_);
  EXPECT_EQ(text(*add(*subtract(n, m), SizeForm{1})), "n - m + 1");
  EXPECT_EQ(text(*subtract(SizeForm{1}, n)), "-n + 1");
  EXPECT_EQ(text(*divide(types_, n, SizeForm{2})), "n / 2");
  EXPECT_EQ(text(*multiply(*divide(types_, *add(n, SizeForm{1}), SizeForm{2}), SizeForm{3})),
            "3 * ((n + 1) / 2)");
  EXPECT_EQ(text(*divide(types_, *multiply(n, SizeForm{4}), SizeForm{2})), "2 * n");
  EXPECT_FALSE(multiply(n, m).has_value());
}

}  // namespace
}  // namespace tacet::types
