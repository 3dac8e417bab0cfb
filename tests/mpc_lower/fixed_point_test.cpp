// Random functions of fixed point on the machine, in rings of 64 and 128 bits: what the parties
// compute is what the reference device does, within a bound that combines those of the operations.

#include "engine/mpc_model/fixed_point.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "compiler/device/kernel/evaluate.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/mpc/lower/lower.h"
#include "engine/mpc/machine/machine.h"
#include "engine/mpc/testing/run_parties.h"
#include "engine/program/mpc/text.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::mpc_lower {
namespace {

using engine::MpcCells;
using mpc_model::FixedFunction;

/// An expression, how large it gets, and how far the machine may be from the reference device, in
/// units of the last place.
struct Term {
  std::string text;
  double size = 0;
  double error = 0;
};

/// Terms over scalars `a`, `b`, arrays `u`, `v` of four elements, all up to 4 in size, and a truth
/// value `s`.
class RandomTerms {
 public:
  RandomTerms(uint64_t seed, unsigned fraction_bits) : random_(seed), fraction_(fraction_bits) {}

  auto term(unsigned depth) -> Term {
    if (depth == 0) {
      return leaf();
    }
    switch (random_() % 9) {
      case 0:
      case 1:
        return sum(term(depth - 1), term(depth - 1), "+");
      case 2:
        return sum(term(depth - 1), term(depth - 1), "-");
      case 3:
      case 4:
        return product(term(depth - 1), term(depth - 1));
      case 5: {
        const Term x = term(depth - 1);
        const Term y = term(depth - 1);
        const char* pattern = random_() % 2 == 0 ? "max({}, {})" : "({} if s else {})";
        return {fmt::format(fmt::runtime(pattern), x.text, y.text), std::max(x.size, y.size),
                std::max(x.error, y.error)};
      }
      case 6: {
        const Term x = term(depth - 1);
        return {fmt::format("({} * 3)", x.text), 3 * x.size, 3 * x.error};
      }
      case 7:
        return inner_product(term(depth - 1));
      default:
        return function(term(depth - 1));
    }
  }

 private:
  static constexpr double kGreatest = 4096;

  /// A literal has the format of what it is next to.
  auto leaf() -> Term {
    static constexpr const char* kTexts[] = {"a",    "b",          "u[1]",
                                             "v[3]", "(a + 1.25)", "(u[2] - 0.75)"};
    return {kTexts[random_() % 6], 6, 0};
  }
  static auto sum(const Term& x, const Term& y, const char* op) -> Term {
    return {fmt::format("({} {} {})", x.text, op, y.text), x.size + y.size, x.error + y.error};
  }
  /// Each side is off by less than one unit of its own.
  auto product(const Term& x, const Term& y) -> Term {
    if (x.size * y.size > kGreatest) {
      return sum(x, y, "+");
    }
    return {fmt::format("({} * {})", x.text, y.text), x.size * y.size,
            x.size * y.error + y.size * x.error + unit() * x.error * y.error + 2};
  }
  auto inner_product(const Term& x) -> Term {
    if (x.size > kGreatest / 16) {
      return x;
    }
    return {fmt::format("sum(for i: 4 {{ u[i] * (v[i] + {}) }})", x.text), 16 * (4 + x.size),
            16 * x.error + 8};
  }
  auto function(const Term& x) -> Term {
    const bool is_quotient = random_() % 2 == 0;
    const mpc_model::FixedFormat format{fraction_ > 20 ? 128U : 64U, fraction_};
    if (is_quotient) {
      const auto bound = bound_of(FixedFunction::Divide, format);
      return {fmt::format("({} / (2.5 + sigmoid(a)))", x.text), x.size / 2,
              x.error / 2 + x.size * 4 + bound.units + bound.relative * x.size / unit() + 1};
    }
    const auto bound = bound_of(FixedFunction::Sigmoid, format);
    return {fmt::format("sigmoid({})", x.text), 1,
            x.error / 4 + bound.units + bound.relative / unit() + 1};
  }
  [[nodiscard]] auto unit() const -> double {
    return std::ldexp(1.0, -static_cast<int>(fraction_));
  }

  std::mt19937_64 random_;
  unsigned fraction_;
};

struct Function {
  std::string text;
  double error = 0;
};

auto random_function(uint64_t seed, unsigned fraction_bits) -> Function {
  const Term term = RandomTerms(seed, fraction_bits).term(3);
  const std::string type = fmt::format("fxp<{}>", fraction_bits);
  return {fmt::format("#version 0.1.0\n"
                      "fn(mpc) f(a: secret {0} in -4..4, b: secret {0} in -4..4, "
                      "u: secret [{0}; 4] in -4..4, v: secret [{0}; 4] in -4..4, s: secret bool) "
                      "-> secret {0} {{\n    {1}\n}}\n",
                      type, term.text),
          term.error};
}

auto inputs_of(const kernel::Kernel& kernel, uint64_t seed) -> std::vector<kernel::Value> {
  std::mt19937_64 random(seed);
  std::vector<kernel::Value> inputs;
  for (const kernel::VariableId id : kernel.parameters) {
    const kernel::Type& type = kernel.variables[id].type;
    kernel::Value value{type, {}};
    for (int64_t i = 0; i < (type.extents.empty() ? 1 : type.extents[0]); ++i) {
      if (type.element.kind == engine::ElementKind::Bool) {
        value.cells.push_back(random() & 1);
      } else {
        const auto number = static_cast<int64_t>(random() >> (61 - type.element.fraction_bits));
        const int64_t half = int64_t{4} << type.element.fraction_bits;
        value.cells.push_back(static_cast<uint64_t>(number - half));
      }
    }
    inputs.push_back(std::move(value));
  }
  return inputs;
}

/// What party 0 gets, whose all secrets are.
auto run_machine(const engine::MpcProgram& program, const std::vector<kernel::Value>& inputs,
                 const mpc::TestRun& run) -> mpc::MachineResult {
  return mpc::run_parties(run, [&](mpc::Party& party) -> mpc::Task<mpc::MachineResult> {
    mpc::MachineRun work;
    for (const kernel::Value& value : inputs) {
      work.inputs.push_back(party.rank() == 0 ? std::optional(value.cells) : std::nullopt);
    }
    return mpc::run_program(party, program, std::move(work));
  })[0];
}

void check(uint64_t n, const mpc::TestRun& run) {
  uint64_t n_wide = 0;
  for (const unsigned fraction_bits : {12U, 18U, 24U, 32U, 40U}) {
    for (uint64_t seed = 1; seed <= n && !testing::Test::HasFailure(); ++seed) {
      const Function function = random_function(seed, fraction_bits);
      SCOPED_TRACE(fmt::format("{} {}", seed, function.text));
      const kernel::Kernel kernel = oblivious::kernel_of(function.text);
      const auto form = oblivious::make_oblivious(kernel);
      const Lowering lowering = lower(form.kernel);
      ASSERT_TRUE(lowering.program) << lowering.diagnostics.front().message;
      n_wide += lowering.program->fixed_ring_bits == 128 ? 1 : 0;
      EXPECT_TRUE(fraction_bits <= 20 || lowering.program->fixed_ring_bits == 128);
      const std::vector<kernel::Value> inputs = inputs_of(kernel, seed);
      const kernel::Evaluation wanted = kernel::evaluate(kernel, inputs);
      const mpc::MachineResult found = run_machine(*lowering.program, inputs, run);
      ASSERT_EQ(found.fault, engine::MpcRunFault::None);
      const auto difference = static_cast<int64_t>((*found.outputs[0])[0]) -
                              static_cast<int64_t>(wanted.results[0].cells[0]);
      EXPECT_LE(std::abs(static_cast<double>(difference)), function.error)
          << engine::to_text(*lowering.program);
    }
  }
  EXPECT_GE(n_wide, 3 * n);  // of the formats with more than 20 bits behind the point
  EXPECT_LT(n_wide, 5 * n);
}

TEST(FixedPointFunctions, AreOnRefWhatTheyAreInTheClear) {
  check(60, {.n_parties = 2, .protocol = "ref"});
}

TEST(FixedPointFunctions, AreOnAby3WhatTheyAreInTheClear) {
  check(15, {.n_parties = 3, .protocol = "aby3"});
}

TEST(FixedPointFunctions, AreOnSemi2kWhatTheyAreInTheClear) {
  check(6, {.n_parties = 2, .protocol = "semi2k_dealer"});
}

/// Between formats, and from and to integers of all widths.
TEST(FixedPointFunctions, ConvertInAWideRing) {
  const std::string text =
      "#version 0.1.0\n"
      "fn(mpc) f(x: secret fxp<18>, y: secret fxp<30>, n: secret i64, k: secret i16) -> "
      "(secret fxp<30>, secret fxp<18>, secret i64, secret i16, secret fxp<30>) {\n"
      "    return (x as fxp<30>, y as fxp<18>, y as i64, (y * k) as i16, n as fxp<30>);\n}\n";
  const kernel::Kernel kernel = oblivious::kernel_of(text);
  const Lowering lowering = lower(oblivious::make_oblivious(kernel).kernel);
  ASSERT_TRUE(lowering.program) << lowering.diagnostics.front().message;
  EXPECT_EQ(lowering.program->fixed_ring_bits, 128U);
  for (const int64_t sign : {1, -1}) {
    std::vector<kernel::Value> inputs;
    const std::vector<int64_t> given = {sign * ((int64_t{37} << 18) + 4321),
                                        sign * ((int64_t{1234} << 30) + 98765), sign * 777, -21};
    for (size_t i = 0; i < given.size(); ++i) {
      inputs.push_back(
          {kernel.variables[kernel.parameters[i]].type, {static_cast<uint64_t>(given[i])}});
    }
    const kernel::Evaluation wanted = kernel::evaluate(kernel, inputs);
    for (const mpc::TestRun& run : {mpc::TestRun{.n_parties = 3, .protocol = "aby3"},
                                    mpc::TestRun{.n_parties = 2, .protocol = "semi2k_dealer"}}) {
      const mpc::MachineResult found = run_machine(*lowering.program, inputs, run);
      for (size_t i = 0; i < 5; ++i) {
        const auto difference = static_cast<int64_t>((*found.outputs[i])[0]) -
                                static_cast<int64_t>(wanted.results[i].cells[0]);
        EXPECT_LE(std::abs(difference), i == 1 ? 1 : 0) << i;
      }
    }
  }
}

}  // namespace
}  // namespace tacet::mpc_lower
