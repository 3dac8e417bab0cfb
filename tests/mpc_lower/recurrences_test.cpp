// Loops that carry values from iteration to iteration in a way that has a closed form: random ones,
// in plaintext beside the reference device; and the rounds that they take.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>

#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/mpc/lower/lower.h"
#include "engine/mpc_model/programs/program_costs.h"
#include "engine/program/mpc/clear.h"
#include "engine/program/mpc/text.h"
#include "tests/harness/rounds.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::mpc_lower {
namespace {

/// A function whose loops carry numbers, truth values and choices.
class FunctionWriter {
 public:
  explicit FunctionWriter(uint64_t seed) : random_(seed) {
    static constexpr const char* kTypes[] = {"i8", "u8", "i16", "u32", "i32", "i64", "u64"};
    type_ = kTypes[below(7)];
  }

  auto text() -> std::string {
    n_ = 2 + below(below(4) == 0 ? 60 : 12);
    const bool has_rows = below(3) == 0;
    n_rows_ = has_rows ? 2 + below(3) : 1;
    const std::string shape = has_rows ? fmt::format("{}, {}", n_rows_, n_) : fmt::format("{}", n_);
    row_ = has_rows ? "[r]" : "";
    std::string body = loop(has_rows ? "        " : "    ");
    if (has_rows) {
      body = fmt::format("    for r in 0..{} {{\n{}        rows[r] = s;\n    }}\n", n_rows_, body);
    }
    return fmt::format(
        "#version 0.1.0\n\nfn(mpc) f(x: secret [{0}; {1}], y: secret [{0}; {1}], "
        "c: secret [bool; {1}], p: [{0}; {1}], start: secret {0}) -> (secret [{0}; {2}], secret "
        "{0}, "
        "secret bool, secret {0}, secret i64, secret [{0}; {3}]) {{\n"
        "    var rows: secret [{0}; {2}] = for k: {2} {{ 0 }};\n"
        "    var all: secret [{0}; {3}] = for k: {3} {{ 0 }};\n"
        "    var s: secret {0} = start;\n    var b: secret bool = false;\n"
        "    var best: secret {0} = start;\n    var at: secret i64 = -1;\n"
        "    var total: secret {0} = 0;\n{4}    return (rows, s, b, best, at, all);\n}}\n",
        type_, shape, n_rows_, n_, body);
  }

 private:
  auto below(uint64_t n) -> uint64_t { return random_() % n; }
  auto element(const char* array) -> std::string { return fmt::format("{}{}[i]", array, row_); }

  auto number() -> std::string {
    switch (below(6)) {
      case 0:
        return element("x");
      case 1:
        return element("y");
      case 2:
        return element("p");
      case 3:
        return fmt::format("(i as {})", type_);
      case 4:
        return has_s_ && below(2) == 0 ? "s" : element("x");
      default:
        return has_old_s_ && below(2) == 0 ? "old" : fmt::format("{}", below(5));
    }
  }
  auto truth() -> std::string {
    switch (below(4)) {
      case 0:
        return element("c");
      case 1:
        return has_old_b_ && below(2) == 0 ? "was" : has_b_ ? "b" : element("c");
      case 2:
        return fmt::format("({} == {})", number(), element("y"));
      default:
        return fmt::format("({} < {})", element("x"), number());
    }
  }

  /// An affine function of s.
  auto affine(int depth) -> std::string {
    switch (depth == 0 ? 0 : below(7)) {
      case 0:
        return "s";
      case 1:
        return fmt::format("({} + {})", affine(depth - 1), number());
      case 2:
        return fmt::format("({} - {})", number(), affine(depth - 1));
      case 3:
        return fmt::format("({} * {})", affine(depth - 1), number());
      case 4:
        return fmt::format("({} if {} else {})", affine(depth - 1), truth(), number());
      case 5:
        return fmt::format("({} if {} else {})", affine(depth - 1), truth(), affine(depth - 1));
      default:
        return fmt::format("({} + {})", affine(depth - 1), affine(depth - 1));
    }
  }
  auto affine_truth(int depth) -> std::string {
    switch (depth == 0 ? 0 : below(7)) {
      case 0:
        return "b";
      case 1:
        return fmt::format("({} != {})", affine_truth(depth - 1), truth());
      case 2:
        return fmt::format("({} && {})", affine_truth(depth - 1), truth());
      case 3:
        return fmt::format("({} || {})", truth(), affine_truth(depth - 1));
      case 4:
        return fmt::format("(!{})", affine_truth(depth - 1));
      case 5:
        return fmt::format("({} == {})", affine_truth(depth - 1), truth());
      default:
        return fmt::format("({} if {} else {})", affine_truth(depth - 1), truth(), truth());
    }
  }

  auto loop(const std::string& indent) -> std::string {
    std::vector<std::string> lines;
    if (below(2) == 0) {
      const std::string update = fmt::format("s = {};", affine(3));
      // What s held before the iteration.
      if (below(3) == 0) {
        lines.push_back("let old = s;");
        has_old_s_ = true;
      }
      const bool is_stored_before = below(4) == 0;
      if (is_stored_before) {
        lines.push_back(fmt::format("all[i] = s + {};", number()));
      }
      lines.push_back(update);
      has_s_ = true;
      if (!is_stored_before && below(2) == 0) {
        lines.push_back(has_old_s_ && below(2) == 0 ? "all[i] = old;" : "all[i] = s;");
      }
    }
    if (below(2) == 0) {
      const std::string update = fmt::format("b = {};", affine_truth(3));
      if (below(3) == 0) {
        lines.push_back("let was = b;");
        has_old_b_ = true;
      }
      lines.push_back(update);
      has_b_ = true;
    }
    if (below(2) == 0) {
      static constexpr const char* kOperators[] = {">", ">=", "<", "<="};
      const std::string candidate = has_s_ && below(2) == 0 ? "s" : number() + " + " + number();
      const bool is_swapped = below(2) == 0;
      lines.push_back(fmt::format("let t = {};", candidate));
      const std::string condition = fmt::format("{} {} {}", is_swapped ? "best" : "t",
                                                kOperators[below(4)], is_swapped ? "t" : "best");
      lines.push_back(below(2) == 0 ? fmt::format("if {} {{", condition)
                                    : fmt::format("if {} && {} {{", truth(), condition));
      if (below(2) == 0) {
        lines.push_back("    at = i;");
        lines.push_back("    best = t;");
      } else {
        lines.push_back("    best = t;");
        lines.push_back("    at = i * 2;");
      }
      lines.push_back("}");
    }
    if (below(4) == 0) {
      lines.push_back("total = total + " + number() + ";");
    }
    const uint64_t first = below(2);
    std::string text = fmt::format("{}for i in {}..{} {{\n", indent, first, n_);
    for (const std::string& line : lines) {
      text += indent + "    " + line + "\n";
    }
    return text + indent + "}\n";
  }

  std::mt19937_64 random_;
  std::string type_;
  std::string row_;
  uint64_t n_ = 2;
  uint64_t n_rows_ = 1;
  bool has_s_ = false;
  bool has_b_ = false;
  bool has_old_s_ = false;
  bool has_old_b_ = false;
};

/// Of a function without errors.
auto lowered(const std::string& text) -> std::optional<engine::MpcProgram> {
  const oblivious::ObliviousForm form = oblivious::make_oblivious(oblivious::kernel_of(text));
  EXPECT_TRUE(form.is_oblivious) << text;
  return lower(form.kernel).program;
}

/// That its program computes what the function does; the program.
auto expect_same(const std::string& text) -> std::string {
  const kernel::Kernel source = oblivious::kernel_of(text);
  const std::optional<engine::MpcProgram> program = lowered(text);
  EXPECT_TRUE(program);
  if (testing::Test::HasFailure()) {
    return "";
  }
  const std::string written = engine::to_text(*program);
  for (uint64_t inputs = 0; inputs < 4; ++inputs) {
    const std::vector<kernel::Value> values = oblivious::random_inputs(source, inputs, inputs);
    const kernel::Evaluation expected = kernel::evaluate(source, values, {});
    EXPECT_FALSE(expected.fault);
    std::vector<engine::MpcCells> given;
    for (const kernel::Value& value : values) {
      given.push_back(value.cells);
    }
    const engine::MpcClearRun found = engine::run_in_the_clear(*program, given);
    EXPECT_EQ(found.fault, engine::MpcRunFault::None);
    for (size_t i = 0; i < found.outputs.size(); ++i) {
      EXPECT_EQ(found.outputs[i], expected.results[i].cells) << "result " << i << "\n" << written;
    }
  }
  return written;
}

TEST(Recurrences, ComputeWhatTheFunctionsCompute) {
  uint64_t n_loops = 0;
  const uint64_t n = harness::rounds(400);
  const uint64_t first = harness::number_of("TACET_MPC_SEED", 1);
  for (uint64_t seed = first; seed < first + n; ++seed) {
    const std::string text = FunctionWriter(seed).text();
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    n_loops += expect_same(text).find("\nfor ") != std::string::npos ? 1 : 0;
    if (HasFailure()) {
      return;
    }
  }
  // What reads a key elsewhere stays a loop.
  EXPECT_LT(5 * n_loops, n);
}

auto rounds_of(const std::string& body, int n) -> uint64_t {
  const std::string text = fmt::format(
      "#version 0.1.0\n\nfn(mpc) f(x: secret [i32; {0}], c: secret [bool; {0}]) -> "
      "(secret i32, secret i64, secret bool, secret [i32; {0}]) {{\n"
      "    var all: secret [i32; {0}] = for k: {0} {{ 0 }};\n"
      "    var s: secret i32 = 0;\n    var at: secret i64 = 0;\n    var b: secret bool = false;\n"
      "    for i in 0..{0} {{\n{1}\n    }}\n    return (s, at, b, all);\n}}\n",
      n, body);
  const std::optional<engine::MpcProgram> program = lowered(text);
  EXPECT_TRUE(program);
  return cost_of_program(*mpc_model::aby3_costs(), *program).total.cost.rounds;
}

/// Twice as many iterations are one step more.
TEST(Recurrences, TakeLogarithmicRounds) {
  const std::pair<const char*, uint64_t> cases[] = {
      {"        if x[i] > s { s = x[i]; at = i; }", 11},
      {"        if c[i] && x[i] > s { s = x[i]; at = i; }", 13},
      {"        s = 0 if c[i] else s + x[i];", 1},
      {"        s = s * x[i] + 1;", 1},
      {"        s = s + 1 if c[i] else 0;\n        all[i] = s;", 1},
      {"        b = !b if c[i] else b;", 0},
      {"        b = (b && c[i]) || (x[i] == 0);", 1},
      {"        all[i] = s;\n        s = s * x[i] + 1;", 1},
      {"        let old = b;\n        b = (b && c[i]) || (x[i] == 0);\n        s = s + (1 if old "
       "else 0);",
       1},
  };
  for (const auto& [body, step] : cases) {
    SCOPED_TRACE(body);
    EXPECT_EQ(rounds_of(body, 512) - rounds_of(body, 256), step);
  }
}

/// A number that advances by a table, or by comparisons with a few numbers; tables lead outside of
/// themselves, too.
auto automaton_text(uint64_t seed) -> std::string {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t n) { return random() % n; };
  const uint64_t n = 10 + below(40);
  const uint64_t n_states = 1 + below(6);
  const uint64_t n_letters = 1 + below(4);
  static constexpr const char* kTypes[] = {"i64", "i32", "u8", "i16"};
  const char* type = kTypes[below(4)];
  std::string body;
  if (below(2) == 0) {
    body =
        fmt::format("        s = {}[s as i64][letter[i]];\n", below(2) == 0 ? "table" : "hidden");
  } else {
    body = fmt::format("        let old = s == {};\n", below(4));
    body += fmt::format("        let next = {} if s == {} else {};\n", below(5), below(4),
                        below(2) == 0 ? "x[i]" : "3");
    body += fmt::format("        s = {} if old && c[i] else next;\n", below(2) == 0 ? "x[i]" : "1");
  }
  return fmt::format(
      "#version 0.1.0\n\nfn(mpc) f(letter: secret [i64; {0}], x: secret [{1}; {0}], "
      "c: secret [bool; {0}], table: [{1}; {2}, {3}], hidden: secret [{1}; {2}, {3}], "
      "start: secret {1}) -> secret {1} {{\n    var s: secret {1} = {4};\n"
      "    for i in 0..{0} {{\n{5}    }}\n    return s;\n}}\n",
      n, type, n_states, n_letters, below(2) == 0 ? "start" : "0", body);
}

TEST(Automata, ComputeWhatTheFunctionsCompute) {
  uint64_t n_loops = 0;
  const uint64_t n = harness::rounds(60);
  for (uint64_t seed = 1; seed <= n; ++seed) {
    const std::string text = automaton_text(seed);
    SCOPED_TRACE(text);
    n_loops += expect_same(text).find("\nfor ") != std::string::npos ? 1 : 0;
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_LT(2 * n_loops, n);
}

/// A table that is filled from its neighbours, the least and greatest of its elements, and whether
/// any or all of them are so.
auto table_text(uint64_t seed) -> std::string {
  std::mt19937_64 random(seed);
  const uint64_t n = 3 + random() % 9;
  static constexpr const char* kUpdates[] = {
      "low = min(low, t[i][j] - x[i]);",
      "high = max(t[i][j], high);",
      "high = t[i][j] if t[i][j] > high else high;",
      "all = all && t[i][j] < 90;",
      "any = any || t[i][j] == y[j];",
      "product = product * (x[i] + t[i][j]);",
      "if c[j] { low = min(low, t[i][j]); }",
      "if c[i] { product = product * t[i][j]; }",
      "if i > 2 { high = max(high, y[j] + t[i][j]); }",
  };
  std::string updates;
  for (int k = 0; k < 3; ++k) {
    updates += fmt::format("            {}\n", kUpdates[random() % std::size(kUpdates)]);
  }
  return fmt::format(
      "#version 0.1.0\n\nfn(mpc) f(x: secret [i32; {0}], y: secret [i32; {0}], c: secret [bool; "
      "{0}]) -> "
      "(secret i32, secret i32, secret bool, secret bool, secret i32) {{\n"
      "    var t: secret [[i32; {0}]; {0}] = for i: {0} {{ for j: {0} {{ 1 }} }};\n"
      "    var low: secret i32 = 50;\n    var high: secret i32 = -50;\n"
      "    var all: secret bool = true;\n    var any: secret bool = false;\n"
      "    var product: secret i32 = 1;\n"
      "    for i in 1..{0} {{\n        for j in 1..{0} {{\n"
      "            t[i][j] = max(t[i - 1][j] + x[j], t[i][j - 1] - y[i]);\n{1}        }}\n    }}\n"
      "    return (low, high, all, any, product);\n}}\n",
      n, updates);
}

TEST(SpreadReductions, ComputeWhatTheFunctionsCompute) {
  uint64_t n_spread = 0;
  const uint64_t n = harness::rounds(60);
  for (uint64_t seed = 1; seed <= n; ++seed) {
    const std::string text = table_text(seed);
    SCOPED_TRACE(text);
    n_spread += expect_same(text).find("\n    at_") != std::string::npos ? 1 : 0;
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(n_spread, 0);
}

}  // namespace
}  // namespace tacet::mpc_lower
