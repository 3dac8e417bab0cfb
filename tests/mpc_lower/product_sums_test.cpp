// What docs/book/parties.md says of products of `fxp` and their sums, held against exact fractions.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/mpc/lower/lower.h"
#include "tests/mpc_lower/machine_case.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::mpc_lower {
namespace {

__extension__ using Wide = __int128;

constexpr unsigned kFraction = 18;
constexpr int64_t kOne = int64_t{1} << kFraction;
constexpr int kElements = 6;

/// An expression with its value, by arithmetic of this file alone.
struct Term {
  std::string text;
  Wide exact = 0;            ///< the real number of exact operands, in units of 2^-(18 level)
  unsigned level = 1;        ///< of products in products
  int64_t rounded_down = 0;  ///< the cell that the language gives: every product is rounded down
  double size = 0;           ///< of the number, at most
  double on_mpc = 0;         ///< units that `mpc` is off by, at most: less than one for a product
  double on_ref = 0;         ///< the same of the language
};

auto lifted(const Term& term, unsigned level) -> Wide {
  return term.exact << (kFraction * (level - term.level));
}

auto sum_of(const Term& a, const Term& b, bool is_difference) -> Term {
  const unsigned level = std::max(a.level, b.level);
  const int sign = is_difference ? -1 : 1;
  return {.text = fmt::format("{} {} {}", a.text, is_difference ? '-' : '+', b.text),
          .exact = lifted(a, level) + sign * lifted(b, level),
          .level = level,
          .rounded_down = a.rounded_down + sign * b.rounded_down,
          .size = a.size + b.size,
          .on_mpc = a.on_mpc + b.on_mpc,
          .on_ref = a.on_ref + b.on_ref};
}

/// What operands are off by is multiplied, too.
auto error_of_product(const Term& a, const Term& b, double a_units, double b_units) -> double {
  return a.size * b_units + b.size * a_units + a_units * b_units / static_cast<double>(kOne) + 1;
}

auto product_of(const Term& a, const Term& b) -> Term {
  return {
      .text = fmt::format("({}) * ({})", a.text, b.text),
      .exact = a.exact * b.exact,
      .level = a.level + b.level,
      .rounded_down = static_cast<int64_t>((Wide{a.rounded_down} * b.rounded_down) >> kFraction),
      .size = a.size * b.size,
      .on_mpc = error_of_product(a, b, a.on_mpc, b.on_mpc),
      .on_ref = error_of_product(a, b, a.on_ref, b.on_ref)};
}

/// How large numbers are, and whether the compiler is given their bound.
struct Numbers {
  int64_t most;
  bool has_bound;
};

class Writer {
 public:
  Writer(uint64_t seed, Numbers numbers) : random_(seed), numbers_(numbers) {
    for (std::vector<int64_t>& input : inputs_) {
      for (int i = 0; i < kElements; ++i) {
        input.push_back(number());
      }
    }
  }

  /// Sums and differences of products; `depth` is 1 if factors are exact.
  auto sum(int depth) -> Term {
    Term all = one_or_more_products(depth);
    for (uint64_t i = below(4); i > 0; --i) {
      all = sum_of(all, one_or_more_products(depth), chance());
    }
    return below(4) == 0 ? sum_of(all, leaf(), chance()) : all;
  }

  /// `sum(for i: 6 { x[i] * y[i] })`.
  auto inner_product() -> Term {
    const size_t a = below(3);
    const size_t b = below(3);
    Term all;
    for (size_t i = 0; i < kElements; ++i) {
      const Term product = product_of(input(a, i), input(b, i));
      all = i == 0 ? product : sum_of(all, product, false);
    }
    all.text = fmt::format("sum(for i: {} {{ {}[i] * {}[i] }})", kElements, kNames[a], kNames[b]);
    return all;
  }

  auto n_products() const -> int { return n_products_; }

  auto machine_case_of(const Term& term) const -> MachineCase {
    const std::string bound = numbers_.has_bound ? fmt::format(" in -{0}..{0}", numbers_.most) : "";
    std::string parameters;
    MachineCase result;
    for (size_t i = 0; i < 3; ++i) {
      parameters +=
          fmt::format("{}{}: secret [fxp; {}]{}", i == 0 ? "" : ", ", kNames[i], kElements, bound);
      result.inputs.emplace_back(inputs_[i].begin(), inputs_[i].end());
    }
    result.text = fmt::format("#version 0.1.0\nfn(mpc) f({}) -> secret fxp {{\n    {}\n}}\n",
                              parameters, term.text);
    const kernel::Kernel kernel = oblivious::kernel_of(result.text);
    result.program = lower(oblivious::make_oblivious(kernel).kernel).program.value();
    give_owners(result.program);
    return result;
  }

 private:
  static constexpr std::string_view kNames[] = {"x", "y", "z"};

  auto below(uint64_t n) -> uint64_t { return random_() % n; }
  auto chance() -> bool { return below(2) == 0; }

  auto number() -> int64_t {
    const auto most = static_cast<uint64_t>(numbers_.most * kOne - 1);
    const uint64_t size = below(4) == 0 ? most - below(3) : (random_() % most) >> below(20);
    return chance() ? static_cast<int64_t>(size) : -static_cast<int64_t>(size);
  }

  auto input(size_t owner, size_t i) const -> Term {
    const int64_t cell = inputs_[owner][i];
    return {.text = fmt::format("{}[{}]", kNames[owner], i),
            .exact = cell,
            .rounded_down = cell,
            .size = std::fabs(static_cast<double>(cell)) / static_cast<double>(kOne)};
  }

  auto leaf() -> Term { return input(below(3), below(kElements)); }

  auto constant() -> Term {
    const auto quarters = static_cast<int64_t>(1 + below(15));
    return {.text = fmt::format("{:.2f}", static_cast<double>(quarters) / 4),
            .exact = quarters * kOne / 4,
            .rounded_down = quarters * kOne / 4,
            .size = static_cast<double>(quarters) / 4};
  }

  auto factor(int depth) -> Term {
    if (depth > 1 && chance()) {
      return sum(depth - 1);
    }
    return chance() ? leaf() : sum_of(leaf(), leaf(), chance());
  }

  auto one_or_more_products(int depth) -> Term {
    if (below(4) == 0) {
      n_products_ += kElements;
      return inner_product();
    }
    ++n_products_;
    return product_of(below(5) == 0 ? constant() : factor(depth), factor(depth));
  }

  std::mt19937_64 random_;
  Numbers numbers_;
  std::vector<int64_t> inputs_[3];
  int n_products_ = 0;
};

/// In units of 2^-18, how far a cell is from a number.
auto distance(int64_t cell, const Term& term) -> double {
  const Wide exact = Wide{cell} << (kFraction * (term.level - 1));
  return std::fabs(std::ldexp(static_cast<double>(exact - term.exact),
                              -static_cast<int>(kFraction * (term.level - 1))));
}

const mpc::TestRun kRuns[] = {{.n_parties = 2, .protocol = "ref"},
                              {.n_parties = 3, .protocol = "aby3"},
                              {.n_parties = 4, .protocol = "rep4"},
                              {.n_parties = 2, .protocol = "semi2k_dealer"},
                              {.n_parties = 4, .protocol = "semi2k_dealer"}};

constexpr Numbers kAllNumbers[] = {{8, true}, {8, false}, {1000, true}, {1 << 20, false}};

TEST(ProductSums, DifferByAUnitForEachProductAtMost) {
  int64_t largest = 0;
  for (const Numbers& numbers : kAllNumbers) {
    std::vector<MachineCase> cases;
    std::vector<Term> terms;
    std::vector<int> n_products;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      Writer writer(seed, numbers);
      terms.push_back(writer.sum(1));
      n_products.push_back(writer.n_products());
      cases.push_back(writer.machine_case_of(terms.back()));
    }
    for (const mpc::TestRun& run : kRuns) {
      const auto found = run_side_by_side(cases, run);
      for (size_t i = 0; i < cases.size(); ++i) {
        const auto cell = static_cast<int64_t>((*found[0][i].outputs[0])[0]);
        EXPECT_LT(distance(cell, terms[i]), n_products[i]) << run.protocol << "\n" << cases[i].text;
        const int64_t difference = std::abs(cell - terms[i].rounded_down);
        EXPECT_LE(difference, n_products[i]) << run.protocol << "\n" << cases[i].text;
        largest = std::max(largest, difference);
      }
    }
  }
  EXPECT_GT(largest, 3) << "sums are not truncated once";
}

TEST(ProductSums, CarryOnWhatFactorsAreOffBy) {
  for (const Numbers& numbers : {kAllNumbers[0], kAllNumbers[1]}) {
    std::vector<MachineCase> cases;
    std::vector<Term> terms;
    for (uint64_t seed = 100; seed < 140; ++seed) {
      Writer writer(seed, numbers);
      terms.push_back(writer.sum(2));
      cases.push_back(writer.machine_case_of(terms.back()));
    }
    for (const mpc::TestRun& run : kRuns) {
      const auto found = run_side_by_side(cases, run);
      for (size_t i = 0; i < cases.size(); ++i) {
        const auto cell = static_cast<int64_t>((*found[0][i].outputs[0])[0]);
        EXPECT_LT(distance(cell, terms[i]), terms[i].on_mpc) << run.protocol << "\n"
                                                             << cases[i].text;
        EXPECT_LE(std::abs(cell - terms[i].rounded_down), terms[i].on_mpc + terms[i].on_ref)
            << run.protocol << "\n"
            << cases[i].text;
      }
    }
  }
}

TEST(ProductSums, InnerProductsAreTruncatedOnce) {
  for (const Numbers& numbers : {kAllNumbers[0], kAllNumbers[2]}) {
    std::vector<MachineCase> cases;
    std::vector<Term> terms;
    for (uint64_t seed = 200; seed < 240; ++seed) {
      Writer writer(seed, numbers);
      terms.push_back(writer.inner_product());
      cases.push_back(writer.machine_case_of(terms.back()));
    }
    for (const mpc::TestRun& run : kRuns) {
      const auto found = run_side_by_side(cases, run);
      for (size_t i = 0; i < cases.size(); ++i) {
        const auto cell = static_cast<int64_t>((*found[0][i].outputs[0])[0]);
        EXPECT_LT(distance(cell, terms[i]), 1) << run.protocol << "\n" << cases[i].text;
      }
    }
  }
}

}  // namespace
}  // namespace tacet::mpc_lower
