#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/print.h"
#include "compiler/he/circuit/evaluate.h"
#include "compiler/he/circuit/rotations.h"
#include "compiler/he/circuit/validate.h"
#include "compiler/he/diagonals/write_diagonals.h"
#include "tests/diagonals/random_network.h"

namespace tacet::diagonals {
namespace {

constexpr uint64_t kModulus = 65537;

auto reduced(int64_t number) -> int64_t {
  constexpr auto kSigned = static_cast<int64_t>(kModulus);
  return (number % kSigned + kSigned) % kSigned;
}

auto program_of(const std::string& text) -> array::Program {
  Result<array::Program> program = array::parse_program(text);
  EXPECT_TRUE(program) << text << program.error().message;
  return program ? std::move(*program) : array::Program{};
}

/// The circuit's output for numbers of inputs, with garbage where content does not matter.
auto output_of(const circuit::Circuit& circuit, const array::Program& program,
               const std::vector<array::Elements>& inputs) -> std::vector<int64_t> {
  engine::HeValues values;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    values[program.arrays[array::ArrayId{i}].name].assign(inputs[i].begin(), inputs[i].end());
  }
  const Status valid = circuit::validate(circuit);
  EXPECT_TRUE(valid) << valid.error().message;
  auto computed = circuit::evaluate(circuit, kModulus, values, 1);
  EXPECT_TRUE(computed) << computed.error().message;
  std::vector<int64_t> result;
  for (const double number : computed->outputs.begin()->second) {
    result.push_back(reduced(static_cast<int64_t>(number)));
  }
  return result;
}

TEST(WriteByDiagonals, ComputesWhatNetworksSay) {
  size_t n_compared = 0;
  size_t n_maps = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const RandomNetwork random = random_network(seed);
    SCOPED_TRACE(random.text);
    const array::Program program = program_of(random.text);
    const array::Evaluation meant = array::evaluate(program, random.inputs);
    if (meant.wrapped_at) {
      continue;
    }
    std::vector<int64_t> expected;
    for (const int64_t number : meant.output()) {
      expected.push_back(reduced(number));
    }
    const auto least = static_cast<uint32_t>(std::bit_ceil(static_cast<uint64_t>(random.largest)));
    for (const uint32_t n_columns : {std::max(16U, least), 1024U}) {
      Result<Network> network = write_by_diagonals(program, n_columns);
      if (!network) {
        continue;
      }
      ASSERT_EQ(output_of(network->circuit, program, random.inputs), expected) << n_columns;
      if (seed % 4 == 0) {
        const circuit::Circuit planned = circuit::plan_rotations(network->circuit, {});
        ASSERT_EQ(output_of(planned, program, random.inputs), expected) << n_columns;
      }
      ++n_compared;
      n_maps += network->n_maps;
    }
  }
  EXPECT_GT(n_compared, 100U);
  EXPECT_GT(n_maps, 180U);
}

/// A convolution, averages and a dense layer of the size of LeNet's: how many maps and diagonals.
TEST(WriteByDiagonals, FoldsMapsThatFollowEachOther) {
  const array::Program program = program_of(R"(
input image: [28, 28] from client
input k: [6, 5, 5] from server
input b: [6] from server
input w: [10, 6, 12, 12] from server
c1[c: 6, i: 24, j: 24] = sum[a: 5](sum[b: 5](k[c, a, b] * image[i + a, j + b])) + b[c]
p1[c: 6, i: 12, j: 12] = sum[a: 2](sum[b: 2](c1[c, 2*i + a, 2*j + b]))
a1[c: 6, i: 12, j: 12] = p1[c, i, j] * p1[c, i, j]
out[o: 10] = sum[c: 6](sum[i: 12](sum[j: 12](w[o, c, i, j] * a1[c, i, j])))
)");
  Result<Network> network = write_by_diagonals(program, 8192);
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->n_maps, 2U);
  EXPECT_EQ(network->n_diagonals, 1024 * 1024 / 8192 + 16);
  EXPECT_TRUE(network->ends_with_map);
  // Where copies do not fit, there are too many.
  EXPECT_FALSE(write_by_diagonals(program, 1024));
  EXPECT_FALSE(write_by_diagonals(program, 512));
}

/// Norms are of rows, whose numbers are all in one sum.
TEST(WriteByDiagonals, UsesNormsOfRowsAlone) {
  const std::string inputs = R"(fixed 8
input x: [16] fixed from client in -1.0..1.0
input w: [16, 16] fixed from server in -1.0..1.0 norm 1.0
)";
  const auto parts_of = [&](const std::string& statement) {
    Result<Network> network = write_by_diagonals(program_of(inputs + statement), 64);
    EXPECT_TRUE(network) << network.error().message;
    return network ? network->weight_parts : std::map<std::string, double>{};
  };
  const auto rows = parts_of("out[i: 16] = sum[j: 16](w[i, j] * x[j])\n");
  ASSERT_EQ(rows.count("w"), 1U);
  EXPECT_GT(rows.at("w"), 1.0 / 4);
  EXPECT_LT(rows.at("w"), 1.5 / 4);
  EXPECT_TRUE(parts_of("out[i: 16] = sum[j: 16](w[j, i] * x[j])\n").empty());
  EXPECT_TRUE(parts_of("out[i: 16] = sum[j: 16](w[i, j] * x[j - 1])\n").empty());
  EXPECT_TRUE(parts_of("out[i: 16] = sum[j: 8](w[i, j] * x[j])\n").empty());
  EXPECT_TRUE(parts_of("out[i: 16] = sum[j: 16](w[i, j] * x[j]) + w[0, i]\n").empty());
}

/// So that polynomials of elements are the same polynomials in all slots. Numbers of the server are
/// only where elements are.
TEST(WriteByDiagonals, HasConstantsInAllSlots) {
  const array::Program program = program_of(R"(
input x: [5] from client
input w: [5, 5] from server
input s from server
constant c = 3
h[i: 5] = sum[j: 5](w[i, j] * x[j]) + c
a[i: 5] = c * h[i] * h[i] + c + s
out[i: 5] = sum[j: 5](w[i, j] * a[j])
)");
  const std::vector<array::Elements> inputs{
      {1, -2, 3, 4, -5},
      {1, 2, 3, 4, 5, -1, 2, -3, 4, -5, 5, 4, 3, 2, 1, 0, 1, 0, 1, 0, 7, 0, 0, 0, 7},
      {11}};
  Result<Network> network = write_by_diagonals(program, 16);
  ASSERT_TRUE(network) << network.error().message;
  const array::Evaluation meant = array::evaluate(program, inputs);
  std::vector<int64_t> expected;
  for (const int64_t number : meant.output()) {
    expected.push_back(reduced(number));
  }
  EXPECT_EQ(output_of(network->circuit, program, inputs), expected);
  const auto families_of = [&](uint32_t array, bool is_everywhere) {
    const auto& families = network->circuit.families.values();
    return std::count_if(families.begin(), families.end(), [&](const circuit::Family& family) {
      const engine::HeGather& gather = family.gathers.front();
      return gather.array == array && gather.guards.empty() == is_everywhere;
    });
  };
  EXPECT_EQ(families_of(3, true), 1);   // c, in the function
  EXPECT_EQ(families_of(3, false), 1);  // c behind the map, which leaves 0 elsewhere
  EXPECT_EQ(families_of(2, true), 0);
  EXPECT_EQ(families_of(2, false), 1);
}

/// What is left to a search for layouts.
TEST(WriteByDiagonals, RejectsWhatIsNoNetwork) {
  const auto problem_of = [&](const std::string& text) {
    Result<Network> network = write_by_diagonals(program_of(text), 64);
    return network ? std::string() : network.error().message;
  };
  EXPECT_EQ(problem_of("input x: [4, 4] from client\n"
                       "out[i: 4] = sum[j: 4](x[i, j] * x[i, j])\n"),
            "`sum[j: 4](x[i, j] * x[i, j])` is no linear map and no function of elements");
  EXPECT_EQ(problem_of("input x: [65] from client\nout[i: 4] = x[i + 3]\n"),
            "`x` has more elements than a vector");
}

}  // namespace
}  // namespace tacet::diagonals
