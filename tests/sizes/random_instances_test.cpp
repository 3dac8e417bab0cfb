// An instance of a function with size and type parameters, or of one that takes functions, is the
// function with numbers, types and functions in its text: the same results on the reference device,
// the same kernel, the same array program.

#include <gtest/gtest.h>

#include <cstdlib>

#include "compiler/device/array/lower.h"
#include "compiler/device/array/print.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/device/kernel/print.h"
#include "compiler/front/types/type_parameters.h"
#include "compiler/run/interpret/interpret.h"
#include "tests/kernel/checked_module.h"
#include "tests/sizes/random_generic.h"

namespace tacet::testing {
namespace {

/// Or as many as the environment says.
auto n_programs() -> uint64_t {
  const char* given = std::getenv("TACET_GENERIC_PROGRAMS");
  return given == nullptr ? 200 : std::strtoull(given, nullptr, 10);
}

auto with_name(std::string text, const std::string& name) -> std::string {
  const size_t at = text.find("fn(mpc) " + name);
  return at == std::string::npos ? text : text.replace(at + 8, name.size(), "f");
}

struct RandomType {
  std::string word;
  engine::ElementType element;
};

/// Also one whose fraction is not the standard one, for which the function was not checked.
auto random_type(std::mt19937_64& random) -> RandomType {
  switch (random() % 6) {
    case 0:
      return {"fxp", {engine::ElementKind::Fxp, engine::kDefaultFractionBits}};
    case 1:
      return {"fxp<9>", {engine::ElementKind::Fxp, 9}};
    case 2:
      return {"u8", {engine::ElementKind::U8}};
    case 3:
      return {"i16", {engine::ElementKind::I16}};
    default:
      return {"i64", engine::kI64};
  }
}

auto random_array(std::mt19937_64& random, size_t n, engine::ElementType type) -> interpret::Value {
  interpret::Value value{type, {n}, {}};
  for (size_t i = 0; i < n; ++i) {
    const auto cell = static_cast<int64_t>(random() % 2001) - 1000;
    value.cells.push_back(engine::wrapped(type.kind, static_cast<uint64_t>(cell)));
  }
  return value;
}

auto results(const program::FrontendSnapshot& snapshot, names::ItemId item,
             const std::vector<interpret::Value>& inputs) -> std::vector<engine::Cell> {
  const interpret::Compilation compilation = interpret::compile(snapshot, item, {});
  if (!compilation.executable) {
    ADD_FAILURE() << compilation.problem;
    return {};
  }
  const interpret::RunResult result = interpret::run(*compilation.executable, inputs, {});
  EXPECT_FALSE(result.failure.has_value());
  return result.values.empty() ? std::vector<engine::Cell>() : result.values[0].cells;
}

auto array_text(const program::FrontendSnapshot& snapshot, names::ItemId item) -> std::string {
  const array::Lowering lowering = array::lower(snapshot, item, array::InliningChoice::none());
  return lowering.program ? array::print(*lowering.program) : "none";
}

TEST(RandomInstances, AreTheFunctionsWithNumbers) {
  uint64_t n_arrays = 0;
  uint64_t n_loops = 0;
  for (uint64_t seed = 0; seed < n_programs() && !::testing::Test::HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    const RandomSizes sizes{3 + static_cast<int64_t>(random() % 4),
                            2 + static_cast<int64_t>(random() % 3)};
    const RandomType type = random_type(random);
    const RandomGeneric generic = random_generic(random, sizes, type.word);
    SCOPED_TRACE(::testing::PrintToString(seed) + "\n" + generic.text);
    CheckedModule module(generic.text);
    if (!module.is_right()) {
      continue;
    }
    const program::FrontendSnapshot snapshot = module.snapshot();
    const types::TypeId given = *types::type_of_word(snapshot.types(), type.word);
    const names::ItemId f = snapshot.instance(
        snapshot.instance_with_types(module.find("f"), {given}), {sizes.n, sizes.m});
    const names::ItemId g = module.find("g");
    ASSERT_TRUE(snapshot.can_be_lowered(f));
    ASSERT_FALSE(snapshot.can_be_lowered(module.find("f")));
    const std::vector<interpret::Value> inputs = {
        random_array(random, static_cast<size_t>(sizes.n), type.element),
        random_array(random, static_cast<size_t>(sizes.n), type.element),
        random_array(random, static_cast<size_t>(sizes.m), type.element)};
    EXPECT_EQ(results(snapshot, f, inputs), results(snapshot, g, inputs));
    const kernel::Lowering of_f = kernel::lower(snapshot, f);
    const kernel::Lowering of_g = kernel::lower(snapshot, g);
    ASSERT_TRUE(of_f.kernel && of_g.kernel) << of_f.problem << of_g.problem;
    EXPECT_EQ(kernel::print(*of_f.kernel), with_name(kernel::print(*of_g.kernel), "g"));
    if (generic.is_loop_free) {
      EXPECT_EQ(array_text(snapshot, f), array_text(snapshot, g));
    }
    n_arrays += generic.is_loop_free ? 1 : 0;
    n_loops += generic.is_loop_free ? 0 : 1;
  }
  EXPECT_GT(n_arrays, n_programs() / 10);
  EXPECT_GT(n_loops, n_programs() / 10);
}

}  // namespace
}  // namespace tacet::testing
