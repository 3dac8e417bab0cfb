// An integer literal where a number with a fraction is required is the same program as one that
// writes the fraction out.

#include <gtest/gtest.h>

#include "compiler/device/kernel/print.h"
#include "tests/kernel/checked_module.h"

namespace tacet::testing {
namespace {

struct WrittenOut {
  std::string head;
  std::string body;
  std::string written_out;
};

const WrittenOut kPrograms[] = {
    {"() -> secret [fxp; 16]", "var w: secret [fxp; 16] = for i: 16 { 0 }; w[3] = 1; w",
     "var w: secret [fxp; 16] = for i: 16 { 0.0 }; w[3] = 1.0; w"},
    {"() -> [fxp; 4]", "[2; 4]", "[2.0; 4]"},
    {"() -> [fxp; 3]", "[1, 2.5, 3]", "[1.0, 2.5, 3.0]"},
    {"() -> [fxp; 2, 2]", "[[1, 0], [0.5, -1]]", "[[1.0, 0.0], [0.5, -1.0]]"},
    {"(x: secret fxp) -> secret fxp", "x if x > 0 else 7", "x if x > 0 else 7.0"},
    {"(x: secret fxp) -> secret fxp", "7 if x > 0 else x", "7.0 if x > 0 else x"},
    {"(x: secret fxp) -> secret fxp", "if x > 0 { 1 } else { x }", "if x > 0 { 1.0 } else { x }"},
    {"(x: secret fxp) -> secret fxp", "var s = 0; for i in 0..3 { s = s + x; } s",
     "var s = 0.0; for i in 0..3 { s = s + x; } s"},
    {"(x: secret fxp) -> (secret fxp, u8)", "(1, 2)", "(1.0, 2)"},
    {"(x: secret fxp) -> secret fxp", "twice(3) + total([1, 0])", "twice(3.0) + total([1.0, 0.0])"},
    {"(x: secret fxp) -> secret fxp", "total(table) + twice(three)",
     "total([1.0, -2.0]) + twice(3.0)"},
    {"(x: secret fxp) -> secret fxp", "exp(1) + x", "exp(1.0) + x"},
    {"(x: secret fxp) -> secret fxp", "let f = 2; twice(f) + x", "let f = 2.0; twice(f) + x"},
    {"(x: secret fxp<30>) -> secret fxp<30>", "let y: fxp<30> = 5; x + y",
     "let y: fxp<30> = 5.0; x + y"},
    {"(x: secret fxp) -> [fxp; 3]", "let a: [fxp; 3] = [2..5]; a", "[2.0, 3.0, 4.0]"},
    {"(x: secret [fxp; 2]) -> secret [fxp; 4]", "concat([0], x, [1])", "concat([0.0], x, [1.0])"},
};

auto module_text(const WrittenOut& program) -> std::string {
  return "#version 0.1.0\n\nconst table = [1, -2];\nconst three = 3;\n"
         "fn(mpc) twice(x: secret fxp) -> secret fxp { x * 2 }\n"
         "fn(mpc) total(x: secret [fxp; 2]) -> secret fxp { sum(x) }\n"
         "fn(mpc) f" +
         program.head + " { " + program.body + " }\n" + "fn(mpc) g" + program.head + " { " +
         program.written_out + " }\n";
}

auto input_of(const std::string& head) -> std::vector<kernel::Value> {
  const size_t n = head.find("fxp; 2]) ->") != std::string::npos ? 2 : 1;
  const uint8_t fraction_bits =
      head.find("<30>") != std::string::npos ? uint8_t{30} : uint8_t{engine::kDefaultFractionBits};
  kernel::Value value{{{engine::ElementKind::Fxp, fraction_bits}, {}},
                      std::vector<kernel::Cell>(n, 90000)};
  if (n == 2) {
    value.type.extents = {2};
  }
  return head.starts_with("()") ? std::vector<kernel::Value>() : std::vector{value};
}

TEST(Literals, AreWhatIsRequired) {
  for (const WrittenOut& program : kPrograms) {
    SCOPED_TRACE(program.body);
    CheckedModule module(module_text(program));
    if (!module.is_right()) {
      continue;
    }
    const std::vector<kernel::Value> inputs = input_of(program.head);
    const Outcome expected = module.run("g", inputs);
    EXPECT_FALSE(expected.results.empty());
    EXPECT_EQ(outcome_text(module.run("f", inputs)), outcome_text(expected));
    EXPECT_EQ(outcome_text(run(module.lower("f"), inputs)), outcome_text(expected));
  }
}

}  // namespace
}  // namespace tacet::testing
