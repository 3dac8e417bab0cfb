// What docs/book/functions.md says of functions, held against `ref` and `mpc`.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <regex>

#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/mpc/lower/lower.h"
#include "engine/mpc/machine/machine.h"
#include "engine/mpc/testing/run_parties.h"
#include "engine/program/common/function.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::mpc_lower {
namespace {

using Real = long double;

constexpr int kFraction = 18;
constexpr Real kUnit = Real(1) / (1 << kFraction);

/// A row of the table.
struct Row {
  std::string name;
  std::string range;
  Real units = 0;
  Real relative = 0;
  std::string elsewhere;
};

/// `2`, `2^-20`, `1 + 2^-7`.
auto number_of(const std::string& text) -> Real {
  Real sum = 0;
  const std::regex term("([0-9]+)(\\^-([0-9]+))?");
  for (auto at = std::sregex_iterator(text.begin(), text.end(), term); at != std::sregex_iterator();
       ++at) {
    const Real base = std::stold((*at)[1]);
    sum += (*at)[3].matched ? std::pow(base, -std::stold((*at)[3])) : base;
  }
  return sum;
}

auto rows() -> std::vector<Row> {
  std::ifstream file(std::string(TACET_SOURCE_DIR) + "/docs/book/functions.md");
  const std::regex row(
      "\\| `([a-z]+)\\(x\\)` \\| ([^|]*) \\| ([^|]*) \\| ([^|]*) \\| ?([^|]*) ?\\|");
  std::vector<Row> found;
  std::string line;
  while (std::getline(file, line)) {
    std::smatch match;
    if (std::regex_match(line, match, row)) {
      std::string elsewhere = match[5];
      elsewhere.erase(elsewhere.find_last_not_of(' ') + 1);
      found.push_back({match[1], match[2], number_of(match[3]), number_of(match[4]), elsewhere});
    }
  }
  return found;
}

/// By the C library, not by anything of Tacet.
auto exact(const std::string& name, Real x) -> Real {
  if (name == "sqrt") {
    return x > 0 ? std::sqrt(x) : 0;
  }
  if (name == "rsqrt") {
    return 1 / std::sqrt(x);
  }
  if (name == "reciprocal") {
    return 1 / x;
  }
  if (name == "exp") {
    return std::exp(x);
  }
  if (name == "log") {
    return std::log(x);
  }
  if (name == "sigmoid") {
    return 1 / (1 + std::exp(-x));
  }
  if (name == "erf") {
    return std::erf(x);
  }
  if (name == "sin") {
    return std::sin(x);
  }
  if (name == "cos") {
    return std::cos(x);
  }
  return std::tanh(x);
}

auto is_in_range(const Row& row, Real x) -> bool {
  std::smatch match;
  if (row.range == "all x") {
    return true;
  }
  if (std::regex_match(row.range, match, std::regex("x (>|<|!=) (.*)"))) {
    const Real bound = std::stold(match[2]);
    return match[1] == ">" ? x > bound : match[1] == "<" ? x < bound : x != bound;
  }
  ADD_FAILURE() << "a range that this test cannot read: " << row.range;
  return false;
}

/// Powers of two and their neighbours, the ends of the type, and numbers of all sizes.
auto arguments(const Row& row) -> std::vector<int64_t> {
  std::vector<int64_t> found = {0, INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1};
  for (int power = 0; power < 63; ++power) {
    for (const int64_t near : {-1, 0, 1}) {
      found.push_back((int64_t{1} << power) + near);
      found.push_back(-(int64_t{1} << power) + near);
    }
  }
  // Around where results are no numbers any more: e^x of 2^45.
  const auto last = static_cast<int64_t>(45 * std::log(Real(2)) / kUnit);
  for (int64_t near = -5; near <= 5; ++near) {
    found.push_back(last + near);
  }
  // Around the ends of the range, and numbers from bug reports.
  for (const Real x : {31.19L, 31.191L, 31.2L, 44.0L, 1000.0L, 30000.0L, 100000.0L, -3.0L}) {
    for (const Real sign : {1, -1}) {
      found.push_back(static_cast<int64_t>(sign * x / kUnit));
    }
  }
  std::mt19937_64 random(std::hash<std::string>{}(row.name));
  for (int i = 0; i < 300; ++i) {
    found.push_back(static_cast<int64_t>(random()) >> random() % 62);
    found.push_back(static_cast<int64_t>(random() % (64U << kFraction)) - (32 << kFraction));
  }
  return found;
}

auto run_machine(const engine::MpcProgram& program, const engine::MpcCells& x,
                 const mpc::TestRun& run) -> engine::MpcCells {
  const auto result =
      mpc::run_parties(run, [&](mpc::Party& party) -> mpc::Task<mpc::MachineResult> {
        mpc::MachineRun work;
        work.inputs.push_back(party.rank() == 0 ? std::optional(x) : std::nullopt);
        return mpc::run_program(party, program, std::move(work));
      })[0];
  return *result.outputs[0];
}

void expect_row(const Row& row, const std::vector<int64_t>& x, const engine::MpcCells& results,
                const std::string& where) {
  for (size_t i = 0; i < x.size(); ++i) {
    const Real argument = static_cast<Real>(x[i]) * kUnit;
    const Real found = static_cast<Real>(static_cast<int64_t>(results[i]));
    if (is_in_range(row, argument)) {
      const Real wanted = exact(row.name, argument) / kUnit;
      const Real most = row.units + row.relative * std::fabs(wanted);
      EXPECT_LE(std::fabs(found - wanted), most) << row.name << " of " << argument << where;
      continue;
    }
    ASSERT_TRUE(row.elsewhere == "the largest" || row.elsewhere == "the smallest") << row.name;
    const Real wanted = static_cast<Real>(row.elsewhere == "the largest" ? INT64_MAX : INT64_MIN);
    // The range of `exp` in the table ends a little before its results are no numbers.
    const Real exact_number = row.name == "exp" && argument < 31.2L
                                  ? std::min<Real>(exact(row.name, argument) / kUnit, INT64_MAX)
                                  : wanted;
    const Real most = exact_number == wanted ? 2 : row.units + row.relative * exact_number;
    EXPECT_LE(std::fabs(found - exact_number), most) << row.name << " of " << argument << where;
  }
}

auto program_of(const Row& row, size_t n, const std::string& bound) -> engine::MpcProgram {
  const std::string text = fmt::format(
      "#version 0.1.0\nfn(mpc) f(x: secret [fxp; {0}]{2}) -> secret [fxp; {0}] {{\n"
      "    {1}(x)\n}}\n",
      n, row.name, bound);
  const kernel::Kernel kernel = oblivious::kernel_of(text);
  Lowering lowering = lower(oblivious::make_oblivious(kernel).kernel);
  EXPECT_TRUE(lowering.program.has_value()) << text;
  return std::move(*lowering.program);
}

TEST(FunctionsPage, ListsTheFunctionsOfFixedPoint) {
  size_t n_functions = 0;
  for (size_t i = 0; engine::find_function(engine::function_name(engine::Function(i))); ++i) {
    const auto function = static_cast<engine::Function>(i);
    n_functions += engine::function_kind(function) == engine::FunctionKind::Fixed ? 1 : 0;
    if (function == engine::Function::TopK) {
      break;
    }
  }
  EXPECT_EQ(rows().size(), n_functions);
}

TEST(FunctionsPage, IsRightOfTheReferenceDevice) {
  for (const Row& row : rows()) {
    const std::vector<int64_t> x = arguments(row);
    engine::MpcCells results;
    for (const int64_t argument : x) {
      results.push_back(static_cast<uint64_t>(
          engine::evaluate_fixed_function(*engine::find_function(row.name), kFraction, argument)));
    }
    // Half a unit, and what the C library is off by.
    Row nearest = row;
    nearest.units = 0.501L;
    nearest.relative = 0x1p-60L;
    expect_row(nearest, x, results, " on ref");
  }
}

TEST(FunctionsPage, IsRightOfSecretsWithoutBounds) {
  for (const Row& row : rows()) {
    const std::vector<int64_t> x = arguments(row);
    const engine::MpcProgram program = program_of(row, x.size(), "");
    const engine::MpcCells cells(x.begin(), x.end());
    for (const mpc::TestRun& run : {mpc::TestRun{.n_parties = 2, .protocol = "ref"},
                                    mpc::TestRun{.n_parties = 3, .protocol = "aby3"},
                                    mpc::TestRun{.n_parties = 2, .protocol = "semi2k_dealer"},
                                    mpc::TestRun{.n_parties = 3, .protocol = "semi2k_dealer"}}) {
      const std::string where = fmt::format(" on {}", run.protocol);
      expect_row(row, x, run_machine(program, cells, run), where);
    }
  }
}

/// In the ring of 64 bits.
TEST(FunctionsPage, IsRightOfSecretsWithBounds) {
  for (const Row& row : rows()) {
    const int greatest = row.name == "exp" ? 13 : 1000;
    std::vector<int64_t> x;
    for (const int64_t argument : arguments(row)) {
      const int64_t bound = int64_t{greatest} << kFraction;
      if (argument >= -bound && argument < bound) {
        x.push_back(argument);
      }
    }
    const engine::MpcProgram program =
        program_of(row, x.size(), fmt::format(" in -{0}..{0}", greatest));
    EXPECT_EQ(program.fixed_ring_bits, 64U) << row.name;
    const engine::MpcCells cells(x.begin(), x.end());
    expect_row(row, x, run_machine(program, cells, {.n_parties = 3, .protocol = "aby3"}),
               " modulo 2^64");
  }
}

}  // namespace
}  // namespace tacet::mpc_lower
