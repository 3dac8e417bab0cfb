// Arrays written element by element while their elements are still being computed: random programs
// on the machine, beside runs in plaintext; and what they are said to cost.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/mpc_model/programs/program_costs.h"
#include "engine/program/mpc/text.h"
#include "engine/program/mpc/validate.h"
#include "tests/harness/rounds.h"
#include "tests/mpc_lower/machine_case.h"

namespace tacet::mpc_lower {
namespace {

using engine::MpcCells;

/// Two arrays of numbers and one of truth values, of `size` elements, that loops read and write.
class ProgramWriter {
 public:
  explicit ProgramWriter(uint64_t seed) : random_(seed) {}

  auto text() -> std::string {
    size_ = static_cast<uint64_t>(choose({3, 16, 65, 100, 300}));
    text_ = "mpc_program 1\nparty a\nparty b\n";
    text_ +=
        fmt::format("input x: secret i64[{0}] from a\ninput y: secret i64[{0}] from b\n", size_);
    line(fmt::format("truths: secret bool[{}] = lt x, y", size_));
    line("zero: public i64 = constant [0]");
    line(fmt::format("end: public i64 = constant [{}]", choose({1, 3, 9})));
    line(fmt::format("one: public i64 = constant [1]"));
    line("carried: secret i64 = sum x [0]");
    loop(0);
    line(fmt::format("total: secret i64 = sum y [0]"));
    text_ +=
        "output x = x\noutput y = y\noutput truths = truths\noutput carried = carried\n"
        "output total = total\n";
    return text_;
  }

 private:
  auto below(uint64_t n) -> uint64_t { return random_() % n; }
  auto choose(std::initializer_list<int> from) -> int { return from.begin()[below(from.size())]; }
  auto array() -> const char* { return below(2) == 0 ? "x" : "y"; }
  void line(const std::string& statement) { text_ += statement + "\n"; }
  auto fresh(const char* type, const std::string& value) -> std::string {
    const std::string name = fmt::format("v{}", n_++);
    line(fmt::format("{}: {} = {}", name, type, value));
    return name;
  }

  void loop(int depth) {
    const std::string counter = fmt::format("i{}", n_++);
    line(fmt::format("for {}: public i64 = zero, end {{", counter));
    counters_.push_back(counter);
    for (uint64_t i = 0; i < 2 + below(4); ++i) {
      if (depth < 1 && below(3) == 0) {
        loop(depth + 1);
      } else {
        statement();
      }
    }
    counters_.pop_back();
    line("}");
  }

  /// A place in an array, or -1.
  auto place() -> std::string {
    std::string at = fresh("public i64", fmt::format("constant [{}]", below(size_)));
    for (const std::string& counter : counters_) {
      const std::string step =
          fresh("public i64", fmt::format("constant [{}]", static_cast<int64_t>(below(5)) - 2));
      at = fresh("public i64",
                 fmt::format("add {}, {}", at,
                             fresh("public i64", fmt::format("mul {}, {}", counter, step))));
    }
    const std::string size = fresh("public i64", fmt::format("constant [{}]", size_));
    const std::string is_low = fresh("public bool", fmt::format("geq {}, zero", at));
    const std::string is_high = fresh("public bool", fmt::format("lt {}, {}", at, size));
    const std::string is_in = fresh("public bool", fmt::format("land {}, {}", is_low, is_high));
    const std::string none = fresh("public i64", "constant [-1]");
    return fresh("public i64", fmt::format("select {}, {}, {}", is_in, at, none));
  }

  auto number() -> std::string {
    switch (below(6)) {
      case 0:
        return "carried";
      case 1:
        return fresh("secret i64", fmt::format("view {} [{}]", array(), below(size_)));
      case 2:
        return fresh("secret i64", fmt::format("sum {} [0]", array()));
      default:
        return fresh("secret i64", fmt::format("pick {}, {}", array(), place()));
    }
  }

  auto truth() -> std::string {
    if (below(2) == 0) {
      return fresh("secret bool", fmt::format("pick truths, {}", place()));
    }
    const std::string left = number();
    return fresh("secret bool", fmt::format("lt {}, {}", left, number()));
  }

  auto computed() -> std::string {
    static constexpr const char* kOperators[] = {"add", "sub", "mul", "min", "max"};
    const std::string left = number();
    const std::string right = number();
    if (below(3) == 0) {
      return fresh("secret i64", fmt::format("select {}, {}, {}", truth(), left, right));
    }
    return fresh("secret i64", fmt::format("{} {}, {}", kOperators[below(5)], left, right));
  }

  void statement() {
    const char* to = array();
    switch (below(8)) {
      case 0:
        line(fmt::format("carried = copy {}", computed()));
        break;
      case 1: {
        const std::string value = truth();
        line(fmt::format("truths = place truths, {}, {}", place(), value));
        break;
      }
      case 2:
        // The other array as it is now, with what both share.
        line(fmt::format("{} = copy {}", to, array()));
        break;
      case 3: {
        const std::string row = fresh(
            "secret i64[3]", fmt::format("view {} [{}, {}]", array(), below(size_ - 2), below(2)));
        const std::string places = fresh(
            "public i64[3]", fmt::format("iota [{}, {}]", below(size_ - 2), choose({0, 1, 1})));
        line(fmt::format("{} = place {}, {}, {}", to, to, places, row));
        break;
      }
      case 4: {
        const std::string sum = fresh("secret i64", fmt::format("copy {}", computed()));
        line(fmt::format("{} = place_add {}, {}, {}", to, to, place(), sum));
        break;
      }
      default: {
        const std::string value = computed();
        line(fmt::format("{} = place {}, {}, {}", to, to, place(), value));
      }
    }
  }

  std::mt19937_64 random_;
  std::string text_;
  std::vector<std::string> counters_;
  uint64_t size_ = 3;
  uint64_t n_ = 0;
};

auto random_case(uint64_t seed) -> MachineCase {
  MachineCase result;
  result.text = ProgramWriter(seed).text();
  Result<engine::MpcProgram> program = engine::parse_mpc_program(result.text);
  EXPECT_TRUE(program) << program.error().message << "\n" << result.text;
  result.program = std::move(*program);
  std::mt19937_64 random(seed);
  for (const engine::MpcInput& input : result.program.inputs) {
    MpcCells cells(
        static_cast<size_t>(engine::n_elements(result.program.registers[input.reg].type)));
    for (engine::Cell& cell : cells) {
      cell = random() % 5 == 0 ? random() : random() % 100;
    }
    result.inputs.push_back(std::move(cells));
  }
  result.in_the_clear = engine::run_in_the_clear(result.program, result.inputs);
  return result;
}

class Scattered : public testing::TestWithParam<mpc::TestRun> {};

TEST_P(Scattered, ComputesAsInPlaintextInTheRoundsThatAreSaid) {
  const mpc::TestRun& run = GetParam();
  const auto costs = run.protocol == "aby3"   ? mpc_model::aby3_costs()
                     : run.protocol == "rep4" ? mpc_model::rep4_costs()
                     : run.protocol == "ref"  ? mpc_model::ref_costs(run.n_parties)
                                              : mpc_model::semi2k_costs(run.n_parties);
  for (uint64_t seed = 1; seed <= harness::rounds(40); ++seed) {
    const MachineCase one = random_case(seed);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, one.text));
    std::vector<mpc::Traffic> traffic(run.n_parties);
    mpc::run_each_party(run, [&](mpc::Party& party) {
      mpc::MachineRun work;
      for (const MpcCells& cells : one.inputs) {
        work.inputs.push_back(party.rank() == 0 ? std::optional(cells) : std::nullopt);
      }
      work.ranks = {0, 0};
      auto result = party.run(mpc::run_program(party, one.program, std::move(work)));
      ASSERT_EQ(complaint_about(std::get<0>(result), one), "") << "party " << party.rank();
      traffic[party.rank()] = party.traffic();
    });
    const mpc_model::LineCost said = cost_of_program(*costs, one.program).total;
    ASSERT_FALSE(said.certainty.is_greatest);
    EXPECT_EQ(traffic[0].total().rounds, said.cost.rounds);
    uint64_t bytes = 0;
    for (const mpc::Traffic& of_party : traffic) {
      bytes += of_party.total().bytes;
    }
    EXPECT_EQ(bytes, said.cost.bytes);
    if (HasFailure()) {
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Scattered,
                         testing::Values(mpc::TestRun{.n_parties = 2, .protocol = "ref"},
                                         mpc::TestRun{.n_parties = 3, .protocol = "aby3"},
                                         mpc::TestRun{.n_parties = 4, .protocol = "rep4"},
                                         mpc::TestRun{.n_parties = 2, .protocol = "semi2k_dealer"}),
                         [](const auto& test) {
                           return fmt::format("{}_{}", test.param.protocol, test.param.n_parties);
                         });

/// An edit distance of words of `n` letters: rounds along its diagonals, not one cell behind the
/// other.
TEST(ScatteredArrays, WaitForTheElementsThatAreRead) {
  const auto rounds_of = [](int n) {
    Result<engine::MpcProgram> program = engine::parse_mpc_program(fmt::format(
        "mpc_program 1\ninput t: secret i64[{1}]\none: public i64 = constant [1]\n"
        "width: public i64 = constant [{0}]\n"
        "for i: public i64 = one, width {{\n  for j: public i64 = one, width {{\n"
        "    row: public i64 = mul i, width\n    here: public i64 = add row, j\n"
        "    left: public i64 = sub here, one\n    up: public i64 = sub here, width\n"
        "    a: secret i64 = pick t, left\n    b: secret i64 = pick t, up\n"
        "    c: secret i64 = min a, b\n    t = place t, here, c\n  }}\n}}\noutput t = t\n",
        n, n * n));
    EXPECT_TRUE(program) << program.error().message;
    return cost_of_program(*mpc_model::aby3_costs(), *program).total.cost.rounds;
  };
  const uint64_t one = rounds_of(2);
  EXPECT_EQ(rounds_of(12) - one, 20 * (rounds_of(3) - one) / 2);
}

}  // namespace
}  // namespace tacet::mpc_lower
