// Random kernels, in GLSL and as specifications: the GPU gives what the reference interpreter gives
// for the specification.
#include "tests/gpu/random_kernels.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/gpu/kernel_module.h"
#include "tests/harness/rounds.h"

namespace tacet::testing {
namespace {

using interpret::ElementKind;
using interpret::Value;

/// Numbers at the edges of their type as often as others.
auto edge(interpret::ElementType type, std::mt19937_64& random) -> interpret::Cell {
  if (type.kind == ElementKind::F64) {
    return interpret::cell_of_f64(
        static_cast<double>(static_cast<int64_t>(random() % 4096) - 2048) / 16);
  }
  const uint64_t smallest = uint64_t{1} << (interpret::bit_width(type.kind) - 1);
  const uint64_t edges[] = {
      0, 1, 2, 3, 7, smallest, smallest - 1, smallest + 1, ~uint64_t{0}, ~uint64_t{1}};
  const uint64_t n = std::size(edges);
  const uint64_t choice = random() % (n + 4);
  const uint64_t value = choice < n       ? edges[choice]
                         : choice < n + 2 ? random()
                                          : random() % 100 - 50;
  return engine::wrapped(type.kind, value);
}

auto random_values(const std::vector<interpret::EntryParameter>& parameters,
                   std::mt19937_64& random) -> std::vector<Value> {
  std::vector<Value> values;
  for (const interpret::EntryParameter& parameter : parameters) {
    Value value{parameter.type, parameter.shape, {}};
    for (uint64_t i = interpret::n_elements(parameter.shape); i > 0; --i) {
      value.cells.push_back(edge(parameter.type, random));
    }
    values.push_back(std::move(value));
  }
  return values;
}

auto text_of(const std::vector<Value>& values) -> std::string {
  std::string text;
  for (const Value& value : values) {
    text += interpret::value_text(value) + " ";
  }
  return text;
}

TEST(RandomKernels, GiveWhatTheirSpecificationsGive) {
  if (!can_run_kernels()) {
    GTEST_SKIP() << "needs a Vulkan driver and glslangValidator";
  }
  std::mt19937_64 random(20);
  std::set<std::string> types;
  for (uint64_t seed = 0; seed < harness::rounds(24); ++seed) {
    const RandomGpuProgram program = random_gpu_program(seed);
    KernelModule module(program.text, program.kernels);
    ASSERT_EQ(module.problems(), "") << program.text << program.kernels.front().second;
    types.insert(program.type);
    const auto parameters = module.parameters("whole");
    const engine::GpuOptions options{.always_copies = seed % 2 == 1};
    for (int run = 0; run < 6; ++run) {
      const std::vector<Value> inputs = random_values(parameters, random);
      const std::string wanted = module.on_reference("whole", inputs);
      ASSERT_EQ(module.on_gpu("whole_gpu", inputs, options), wanted)
          << seed << " on " << text_of(inputs) << "\n"
          << program.text << program.kernels.front().second;
    }
  }
  EXPECT_EQ(types.size(), 5U);
}

}  // namespace
}  // namespace tacet::testing
