// measure_he_bundle FILE [ROUNDS]: a program that `tacet build` wrote, evaluated again and again in
// one process on one thread, with random numbers in the ranges it was compiled for. Prints the
// server's milliseconds, median and least, once results are right.

#include "engine/he_format/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "base/value.h"
#include "engine/he_runtime/client.h"
#include "engine/he_runtime/keys.h"
#include "engine/he_runtime/part_parameters.h"
#include "engine/he_runtime/server.h"
#include "engine/program/he/clear.h"
#include "engine/program/he/residues.h"

namespace tacet::engine {
namespace {

auto random_numbers(const HeBundle& bundle, std::mt19937_64& random) -> HeIntegers {
  HeIntegers numbers;
  for (const HeArray& array : bundle.parts.front().program.arrays) {
    const auto field = std::find_if(bundle.inputs.begin(), bundle.inputs.end(),
                                    [&](const HeField& input) { return input.name == array.name; });
    if (field == bundle.inputs.end()) {
      continue;
    }
    size_t n = 1;
    for (const int64_t extent : array.extents) {
      n *= static_cast<size_t>(extent);
    }
    std::uniform_int_distribution<int64_t> distribution(field->low, field->high);
    std::generate_n(std::back_inserter(numbers[array.name]), n,
                    [&] { return distribution(random); });
  }
  return numbers;
}

/// Milliseconds of each round.
auto measure(const HeBundle& bundle, const HeBundlePart& part, const HeIntegers& numbers,
             size_t n_rounds, he::SecureRandom& random) -> std::vector<double> {
  const HeValues values = residues_of(numbers, part.program.modulus);
  const he::ContextRef context =
      he::Context::make(value(parameters_of(bundle, part)), {.n_threads = 1});
  HeServer server = value(HeServer::make(part.program, context, values));
  const he::SecretKey secret = he::generate_secret_key(*context, random);
  const HeEvaluationKeys keys =
      value(make_evaluation_keys(server.facts(), *context, secret, random));
  HeStatistics encryption;
  const std::vector<he::Ciphertext> inputs =
      value(encrypt_inputs(part.program, *context, secret, values, random, encryption));
  const HeValues expected = value(run_in_the_clear(part.program, values));
  std::vector<double> times;
  // The first round touches memory for the first time and is left out.
  for (size_t round = 0; round <= n_rounds; ++round) {
    HeStatistics statistics;
    const std::vector<he::Ciphertext> results = value(server.evaluate(inputs, keys, statistics));
    if (round > 0) {
      times.push_back(1000 * statistics.compute_seconds);
    }
    HeStatistics decryption;
    if (value(decrypt_outputs(part.program, *context, secret, results, random, decryption)) !=
        expected) {
      fmt::print(stderr, "measure_he_bundle: {} is wrong\n", bundle.name);
      std::exit(1);
    }
  }
  return times;
}

}  // namespace
}  // namespace tacet::engine

auto main(int argc, char** argv) -> int {
  using namespace tacet;
  if (argc < 2) {
    fmt::print(stderr, "measure_he_bundle FILE [ROUNDS]\n");
    return 2;
  }
  std::ifstream stream(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  const engine::HeBundle bundle = value(engine::parse_bundle(text));
  const size_t n_rounds = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 15;
  auto random = value(secure_random::SecureRandom::from_system(best_isa()));
  std::mt19937_64 numbers_random(1);
  const engine::HeIntegers numbers = engine::random_numbers(bundle, numbers_random);
  std::vector<double> sums(n_rounds);
  for (const engine::HeBundlePart& part : bundle.parts) {
    const std::vector<double> times = engine::measure(bundle, part, numbers, n_rounds, random);
    std::transform(sums.begin(), sums.end(), times.begin(), sums.begin(), std::plus<>());
  }
  std::sort(sums.begin(), sums.end());
  fmt::print("{:.4f} {:.4f}\n", sums[n_rounds / 2], sums.front());
  return 0;
}
