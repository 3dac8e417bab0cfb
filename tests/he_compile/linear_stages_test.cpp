// Between products of ciphers, errors become no more in results than the gains of linear stages
// say, and not far less where weights are as large as can be: programs are run in doubles with
// errors in what each instruction makes, random ones and the same everywhere. No number in any
// slot, of padding too, is larger than the bound of its register.

#include "compiler/he/lower/linear_stages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "base/value.h"
#include "compiler/he/circuit/lower.h"
#include "compiler/he/lower/bound_registers.h"
#include "compiler/he/lower/compile.h"
#include "engine/program/he/gather.h"
#include "engine/program/he/walk.h"
#include "tests/harness/rounds.h"

namespace tacet::he_lower {
namespace {

using engine::HeKind;
using engine::HeProgram;
using engine::HeSlots;

/// What all registers hold, by register and element.
using Contents = std::vector<std::vector<HeSlots>>;
/// Changes what was just put into a register.
using Change = std::function<void(uint32_t reg, HeSlots& slots)>;

void run(const HeProgram& program, const engine::HeValues& values, const Change& change,
         Contents& contents) {
  const engine::HeArithmetic arithmetic(program);
  contents.clear();
  for (uint32_t reg = 0; reg < program.registers.size(); ++reg) {
    const engine::HeRegister& declared = program.registers[reg];
    contents.emplace_back(engine::n_elements(declared.dimensions));
    engine::HeCounter counter(declared.dimensions);
    for (HeSlots& slots : contents.back()) {
      slots = engine::gather_slots(program, declared, counter.values(), values);
      change(reg, slots);
      counter.next();
    }
  }
  engine::HeWalk walk(program);
  while (walk.next()) {
    const engine::HeStatement& step = walk.instruction();
    const auto at = [&](const engine::HeAccess& access) -> HeSlots& {
      return contents[access.reg][*engine::flat_index(program, access, walk.variables())];
    };
    const HeSlots* second = step.operands.size() > 1 ? &at(step.operands[1]) : nullptr;
    const uint32_t steps = step.opcode == engine::HeOpcode::Rotate
                               ? engine::rotation_steps(program, step, walk.variables())
                               : 0;
    HeSlots made = arithmetic.apply(step.opcode, at(step.operands[0]), second, steps);
    const bool is_same = step.opcode == engine::HeOpcode::Relinearise;
    if (!is_same) {
      change(step.result.reg, made);
    }
    at(step.result) = std::move(made);
  }
}

/// A program as it is before it is encrypted, with the inputs that make everything largest.
struct Lowered {
  HeProgram program;
  std::vector<NoiseStage> stages;
  engine::HeValues largest;
};

auto lowered(const std::string& text, const InputRanges& ranges) -> Lowered {
  program::Frontend frontend;
  const FileId file = frontend.set_file("/program.tacet", "#version 0.1.0\n" + text);
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  const names::ItemId item = snapshot.items(file)->items.back().id;
  CompileOptions options;
  options.choice.hiding = HideServerInputs::No;
  const Compilation compilation = compile(snapshot, item, options);
  EXPECT_TRUE(compilation.compiled.has_value()) << compilation.problem;
  Lowered result{
      .program = value(circuit::lower(compilation.compiled->circuit)), .stages = {}, .largest = {}};
  result.stages = bound_registers(ranges, result.program);
  for (const engine::HeArray& array : result.program.arrays) {
    if (array.owner != engine::HeOwner::Constant) {
      result.largest[array.name].assign(engine::n_elements(array.extents), array.bound);
    }
  }
  return result;
}

/// The largest number in each slot of a register's elements.
auto differences(const Contents& a, const Contents& b, uint32_t reg) -> std::vector<double> {
  std::vector<double> result;
  for (size_t i = 0; i < a[reg].size(); ++i) {
    for (size_t slot = 0; slot < a[reg][i].size(); ++slot) {
      result.push_back(std::abs(a[reg][i][slot] - b[reg][i][slot]));
    }
  }
  return result;
}

struct Case {
  std::string name;
  std::string text;
  InputRanges ranges;
  /// Of a matrix: its rows add up to little, but the end of one and the begin of the next do not.
  std::string opposed{};
};

class LinearStages : public testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] static auto sampled(const Lowered& of, const NoiseStage& stage, uint32_t source,
                                    bool is_systematic) -> double {
    constexpr int kTrials = 24;
    constexpr double kError = 1e-6;
    const uint32_t target = stage.results.front();
    Contents exact;
    run(
        of.program, of.largest, [](uint32_t, HeSlots&) {}, exact);
    std::mt19937_64 random(source);
    std::normal_distribution<double> normal;
    std::vector<double> squares;
    const int n_trials = is_systematic ? 1 : kTrials;
    for (int trial = 0; trial < n_trials; ++trial) {
      Contents wrong;
      run(
          of.program, of.largest,
          [&](uint32_t reg, HeSlots& slots) {
            if (reg == source && of.program.registers[reg].kind == HeKind::Cipher) {
              for (double& slot : slots) {
                slot += kError * (is_systematic ? 1 : normal(random));
              }
            }
          },
          wrong);
      const std::vector<double> off = differences(exact, wrong, target);
      squares.resize(off.size());
      for (size_t i = 0; i < off.size(); ++i) {
        squares[i] += off[i] * off[i] / (kError * kError * n_trials);
      }
    }
    return std::sqrt(*std::max_element(squares.begin(), squares.end()));
  }
};

TEST_P(LinearStages, BoundWhatErrorsBecome) {
  const Lowered of = lowered(GetParam().text, GetParam().ranges);
  // Of the largest of thousands of slots, with 24 samples of each.
  constexpr double kMostOfSamples = 1.9;
  size_t n_stages = 0;
  double least_shown = 1;
  for (const NoiseStage& stage : of.stages) {
    if (!stage.is_linear) {
      continue;
    }
    ++n_stages;
    size_t n = 0;
    for (const auto& [reg, gain] : stage.gains) {
      if (++n % 3 != 1) {
        continue;  // it takes a while
      }
      const std::string& name = of.program.registers[reg].name;
      const double systematic = sampled(of, stage, reg, true);
      EXPECT_LE(systematic, stage.systematic_gains.at(reg) * 1.001) << name;
      least_shown = std::min(least_shown, systematic / stage.systematic_gains.at(reg));
      const double independent = sampled(of, stage, reg, false);
      EXPECT_LE(independent, gain * kMostOfSamples) << name;
      EXPECT_GE(independent, gain / 4) << name << ": far above what is shown";
    }
    for (const auto& [reg, slope] : stage.bases) {
      EXPECT_LE(sampled(of, stage, reg, true), slope * 1.001) << of.program.registers[reg].name;
    }
  }
  EXPECT_GE(n_stages, 1U);
  EXPECT_GE(least_shown, 0.2);
}

TEST_P(LinearStages, NoSlotExceedsItsBound) {
  const Lowered of = lowered(GetParam().text, GetParam().ranges);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  const bool is_opposed = !GetParam().opposed.empty();
  for (int round = 0; round < (is_opposed ? 1 : 8); ++round) {
    engine::HeValues values = of.largest;
    if (is_opposed) {
      constexpr size_t kRow = 11;
      std::vector<double>& numbers = values.at(GetParam().opposed);
      for (size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] *= (i / kRow + 2 * (i % kRow) / kRow) % 2 == 0 ? 1 : -1;
      }
    }
    for (auto& [name, numbers] : values) {
      const auto range = GetParam().ranges.find(name);
      for (double& number : numbers) {
        number *= round < 2 ? 1 : round < 4 ? std::copysign(1, any(random)) : any(random);
        number = range == GetParam().ranges.end()
                     ? number
                     : std::clamp(number, range->second.low, range->second.high);
      }
    }
    Contents contents;
    run(
        of.program, values,
        [&](uint32_t reg, const HeSlots& slots) {
          const engine::HeRegister& declared = of.program.registers[reg];
          if (declared.kind == HeKind::Cipher && declared.bound != 0) {
            for (const double slot : slots) {
              ASSERT_LE(std::abs(slot), declared.bound) << declared.name << " in round " << round;
            }
          }
        },
        contents);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, LinearStages,
                         testing::Values(Case{"convolution",
                                              R"(
fn(he) squared(h: secret fxp in -2..2) -> secret fxp { h * h }

fn(he) small(x: secret [fxp; 8, 8] in 0..1 from client,
             k: secret [fxp; 3, 3, 3] in -0.125..0.125 from server,
             w: secret [fxp; 5, 3, 3, 3] in -0.25..0.25 from server) -> secret [fxp; 5] within 0.1 {
    let a = for c: 3 { for i: 6 { for j: 6 { sum(for p: 3 { sum(for q: 3 { k[c][p][q] * x[i + p][j + q] }) }) } } };
    let h = for c: 3 { for i: 6 { for j: 6 { squared(a[c][i][j]) } } };
    let m = for c: 3 { for i: 3 { for j: 3 { 0.25 * (h[c][2 * i][2 * j] + h[c][2 * i + 1][2 * j] + h[c][2 * i][2 * j + 1] + h[c][2 * i + 1][2 * j + 1]) } } };
    for o: 5 { sum(for c: 3 { sum(for i: 3 { sum(for j: 3 { w[o][c][i][j] * m[c][i][j] }) }) }) }
}
)",
                                              {{"x", {0, 1}}}},
                                         Case{"dense",
                                              R"(
fn(he) squared(h: secret fxp in -3..3) -> secret fxp { h * h }

fn(he) small(x: secret [fxp; 12] in -1..1 from client,
             v: secret [fxp; 7, 12] in -0.125..0.125 from server,
             w: secret [fxp; 3, 7] in -1..1 from server) -> secret [fxp; 3] within 0.1 {
    let a = for o: 7 { sum(for n: 12 { v[o][n] * x[n] }) };
    let h = for o: 7 { squared(a[o]) };
    let b = for o: 3 { sum(for n: 7 { w[o][n] * h[n] }) };
    for o: 3 { b[o] * b[o] - b[(o + 1) % 3] * b[o] }
}
)",
                                              {{"x", {-1, 1}}}},
                                         Case{"opposed_rows",
                                              R"(
fn(he) squared(h: secret fxp in -2..2) -> secret fxp { h * h }

fn(he) small(x: secret [fxp; 12] in -1..1 from client,
             v: secret [fxp; 11, 12] in -0.125..0.125 from server,
             w: secret [fxp; 9, 11] in -0.5..0.5 from server,
             u: secret [fxp; 3, 9] in -0.25..0.25 from server) -> secret [fxp; 3] within 0.1 {
    let a = for o: 11 { sum(for n: 12 { v[o][n] * x[n] }) };
    let h = for o: 11 { squared(a[o]) };
    let b = for o: 9 { sum(for n: 11 { w[o][n] * h[n] }) };
    let g = for o: 9 { squared(b[o]) };
    for o: 3 { sum(for n: 9 { u[o][n] * g[n] }) }
}
)",
                                              {{"x", {-1, 1}}},
                                              "w"}),
                         [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace tacet::he_lower
