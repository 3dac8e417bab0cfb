// Functions with slices, ranges, `concat` and loops over elements compute what the same functions
// with counters and indices do: on the reference device, as kernels, as kernels that were printed
// and read again, and as array programs.

#include "tests/array_forms/random_forms.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/lower.h"
#include "compiler/device/array/print.h"
#include "compiler/device/kernel/print.h"
#include "tests/kernel/checked_module.h"

namespace tacet::testing {
namespace {

/// Or as many as the environment says.
auto n_programs() -> uint64_t {
  const char* given = std::getenv("TACET_ARRAY_FORMS");
  return given == nullptr ? 300 : std::strtoull(given, nullptr, 10);
}

auto random_input(std::mt19937_64& random, const std::string& type,
                  const std::vector<int64_t>& extents) -> kernel::Value {
  const engine::ElementType element =
      type == "i64"   ? engine::kI64
      : type == "i32" ? engine::ElementType{engine::ElementKind::I32}
      : type == "u8"  ? engine::ElementType{engine::ElementKind::U8}
                      : engine::ElementType{engine::ElementKind::Fxp, engine::kDefaultFractionBits};
  kernel::Value value{{element, extents}, {}};
  for (int64_t i = 0; i < array::n_elements(extents); ++i) {
    const auto number = static_cast<int64_t>(random() % 21) - 10;
    const int64_t unit = type == "fxp" ? int64_t{1} << (engine::kDefaultFractionBits - 1) : 1;
    value.cells.push_back(engine::wrapped(
        element.kind, static_cast<uint64_t>(type == "u8" ? std::abs(number) : number * unit)));
  }
  return value;
}

void expect_array_program(CheckedModule& module, const RandomForms& forms,
                          const std::vector<kernel::Value>& inputs, const Outcome& expected) {
  const program::FrontendSnapshot snapshot = module.snapshot();
  const array::Lowering lowering = array::lower(snapshot, module.find("f"));
  ASSERT_TRUE(lowering.program) << lowering.diagnostics.front().message;
  if (forms.type != "i64") {
    return;
  }
  std::vector<array::Elements> given;
  for (uint32_t i = 0; i < lowering.program->arrays.size(); ++i) {
    const array::Array& array = lowering.program->arrays[array::ArrayId{i}];
    if (array::is_input(array.owner)) {
      const kernel::Value& value = inputs.at(array.name == "a" ? 0 : array.name == "b" ? 1 : 2);
      given.emplace_back(value.cells.begin(), value.cells.end());
    }
  }
  const array::Evaluation evaluation = array::evaluate(*lowering.program, given);
  const std::vector<engine::Cell> result(evaluation.output().begin(), evaluation.output().end());
  EXPECT_EQ(result, expected.results.at(0).cells) << array::print(*lowering.program);
}

TEST(ArrayForms, ComputeWhatCountersAndIndicesDo) {
  uint64_t n_loops = 0;
  for (uint64_t seed = 0; seed < n_programs() && !::testing::Test::HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    const RandomForms forms = random_forms(random);
    SCOPED_TRACE(::testing::PrintToString(seed) + "\n" + forms.text);
    CheckedModule module(forms.text);
    if (!module.is_right()) {
      continue;
    }
    std::vector<kernel::Value> inputs;
    for (const std::vector<int64_t>& extents : forms.extents) {
      inputs.push_back(random_input(random, forms.type, extents));
    }
    const Outcome expected = module.run("g", inputs);
    ASSERT_FALSE(expected.fault);
    EXPECT_EQ(outcome_text(module.run("f", inputs)), outcome_text(expected));
    const kernel::Kernel kernel = module.lower("f");
    EXPECT_EQ(outcome_text(run(kernel, inputs)), outcome_text(expected)) << kernel::print(kernel);
    CheckedModule printed("#version 0.1.0\n\n" + kernel::print(kernel));
    if (printed.is_right()) {
      EXPECT_EQ(outcome_text(printed.run("f", inputs)), outcome_text(expected))
          << kernel::print(kernel);
    }
    if (forms.is_loop_free) {
      expect_array_program(module, forms, inputs, expected);
    }
    n_loops += forms.is_loop_free ? 0 : 1;
  }
  EXPECT_GT(n_loops, n_programs() / 10);
  EXPECT_LT(n_loops, n_programs() - n_programs() / 10);
}

/// The array program of `f`, whose dimensions have the names that both texts give.
auto array_text(const std::string& head, const std::string& body) -> std::string {
  CheckedModule module("#version 0.1.0\n\nfn(he) f" + head + " { " + body + " }\n");
  const array::Lowering lowering = array::lower(module.snapshot(), module.find("f"));
  if (!lowering.program) {
    ADD_FAILURE() << lowering.diagnostics.front().message;
    return {};
  }
  return array::print(*lowering.program);
}

TEST(ArrayForms, AreTheArrayProgramsThatAreWrittenByHand) {
  const std::string vectors =
      "(a: secret [i64; 8] in 0..100, b: secret [i64; 8] in 0..100) -> secret ";
  EXPECT_EQ(array_text(vectors + "i64", "sum(a[1..8] * b[..7])"),
            array_text(vectors + "i64", "sum(for d: 7 { a[d + 1] * b[d] })"));
  EXPECT_EQ(array_text(vectors + "[i64; 4]", "a[..: 2]"),
            array_text(vectors + "[i64; 4]", "for d: 4 { a[2 * d] }"));
  EXPECT_EQ(array_text(vectors + "[i64; 2]", "a[1..7][..4: 2]"),
            array_text(vectors + "[i64; 2]", "for d: 2 { a[2 * d + 1] }"));
  EXPECT_EQ(array_text(vectors + "i64", "sum(for x, y: a, b { x * y + 1 })"),
            array_text(vectors + "i64", "sum(for x: 8 { a[x] * b[x] + 1 })"));
  EXPECT_EQ(array_text(vectors + "[i64; 8]", "for i, x: [0..8], a { x * i }"),
            array_text(vectors + "[i64; 8]", "for i: 8 { a[i] * i }"));
  const std::string matrix = "(m: secret [i64; 3, 4] in 0..100) -> secret ";
  EXPECT_EQ(
      array_text(matrix + "[i64; 3]", "for r: m { sum(for x: r[1..] { x * x }) }"),
      array_text(matrix + "[i64; 3]", "for r: 3 { sum(for x: 3 { m[r][x + 1] * m[r][x + 1] }) }"));
}

}  // namespace
}  // namespace tacet::testing
