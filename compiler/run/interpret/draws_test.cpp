// No two draws of a run have one place, and text that draws nothing changes none.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "compiler/run/interpret/interpret.h"

namespace tacet::interpret {
namespace {

/// Functions that draw in loops, arguments, branches and calls, recursive ones too. With `noise`
/// there is something between the draws that draws nothing.
class RandomFunctions {
 public:
  RandomFunctions(uint32_t seed, bool has_noise) : random_(seed), has_noise_(has_noise) {}

  auto text() -> std::string {
    std::string text = "#version 0.1.0\n";
    for (size_t i = 0; i < kFunctions; ++i) {
      text += noise("fn(cpu) unused_{}(x: i64) -> i64 {{ x + 1 }}\n");
      text += fmt::format("fn(cpu) f{}(n: i64) -> i64 {{\n    var t: i64 = n;\n", i);
      text += statements(1 + below(3), 2);
      text += "    t\n}\n";
    }
    return text;
  }

 private:
  static constexpr size_t kFunctions = 3;

  auto below(size_t n) -> size_t { return random_() % n; }

  auto noise(const char* format) -> std::string {
    return has_noise_ ? fmt::format(fmt::runtime(format), n_noise_++) : "";
  }

  auto expression(size_t depth) -> std::string {
    switch (below(depth == 0 ? 3 : 8)) {
      case 0:
        return "rand_int(1000000)";
      case 1:
        return "(rand_u64() as i64)";
      case 2:
        return "n";
      case 3:
        return fmt::format("({} + {})", expression(depth - 1), expression(depth - 1));
      case 4:
        return fmt::format("({} if rand_bool(0.5) else {})", expression(depth - 1),
                           expression(depth - 1));
      case 5:
        return fmt::format("sum(for i: 2 {{ {} }})", expression(depth - 1));
      case 6:
        return fmt::format("rand_int((({}) % 1000) * 0 + 1000)", expression(depth - 1));
      default:
        return fmt::format("(f{}(n - 1) if n > 0 else {})", below(kFunctions),
                           expression(depth - 1));
    }
  }

  auto statements(size_t n, size_t depth) -> std::string {
    std::string text;
    for (size_t i = 0; i < n; ++i) {
      text += noise("    let unused_{} = n * 2;\n");
      switch (below(depth == 0 ? 1 : 4)) {
        case 0:
          text += fmt::format("    t = t + {};\n", expression(2));
          break;
        case 1:
          text += fmt::format("    for j in 0..2 {{\n{}    }}\n", statements(1, depth - 1));
          break;
        case 2:
          text += fmt::format("    if {} > 0 {{\n{}    }} else {{\n{}    }}\n", expression(1),
                              statements(1, depth - 1), statements(1, depth - 1));
          break;
        default:
          text += fmt::format("    while rand_bool(0.3) {{\n{}    }}\n", statements(1, depth - 1));
      }
    }
    return text;
  }

  std::mt19937 random_;
  bool has_noise_;
  size_t n_noise_ = 0;
};

/// What `f0(2)` gives, and whether all went well.
auto run_audited(const std::string& text) -> std::string {
  program::Frontend frontend;
  const FileId file = frontend.set_file("program.tacet", text);
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  for (const Diagnostic& diagnostic : snapshot.diagnostics(file)) {
    if (diagnostic.severity == Severity::Error) {
      return diagnostic.message;
    }
  }
  const names::ItemId entry = snapshot.find(file, names::Namespace::Callable, "f0");
  Compilation compilation = compile(snapshot, entry, {});
  if (!compilation.executable) {
    return compilation.problem;
  }
  MachineOptions options;
  options.audits_draws = true;
  options.random_key.words = {1, 2, 3, 4};
  const RunResult result = run(*compilation.executable, {{kI64, {}, {2}}}, options);
  return result.is_done() ? fmt::format("= {}", static_cast<int64_t>(result.values[0].cells[0]))
                          : "failed";
}

TEST(Draws, HavePlacesOfTheirOwnThatOtherTextDoesNotChange) {
  for (uint32_t seed = 0; seed < 150; ++seed) {
    const std::string text = RandomFunctions(seed, false).text();
    const std::string result = run_audited(text);  // aborts if two draws have one place
    ASSERT_EQ(result.substr(0, 2), "= ") << result << '\n' << text;
    const std::string with_noise = RandomFunctions(seed, true).text();
    EXPECT_EQ(run_audited(with_noise), result) << with_noise;
  }
}

}  // namespace
}  // namespace tacet::interpret
