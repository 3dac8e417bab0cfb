// Gates of CGGI with every instruction set that the processor has: eight majority gates, so many in
// lock step; and what keys take. Times are those of the thread: divide those of gates by eight.

#include <benchmark/benchmark.h>

#include <string>

#include "base/value.h"
#include "engine/cggi/encryption.h"
#include "engine/cggi/gates.h"
#include "engine/cggi/key_generation.h"
#include "engine/cggi_model/choose_parameters.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::cggi {
namespace {

constexpr uint32_t kGates = 8;

auto gate_parameters() -> Parameters {
  const DecisionCount decisions[] = {{gate_form(GateKind::Majority).decision, 1},
                                     {gate_form(GateKind::Xor3).decision, 1}};
  return value(choose_parameters({.decisions = decisions, .log2_failure = -128})).parameters;
}

/// Cases of 2 + 2 bits, failing with a probability of 2^-128.
auto table_parameters() -> Parameters {
  const DecisionCount decision{{.squared_weights = 25, .bound = 1 / 64.0}, 1};
  return value(choose_parameters({.decisions = std::span(&decision, 1), .log2_failure = -128}))
      .parameters;
}

struct Keys {
  Keys(const Parameters& parameters, Isa isa)
      : random(secure_random::seeded_random(secure_random::TestSeed::of(1), isa)),
        secret(value(generate_secret_key(parameters, random))),
        evaluation(generate_evaluation_key(secret, random, executor, isa)),
        server(value(ServerKey::make(evaluation, executor, isa))),
        values(parameters, secret.id, 2 * kGates) {
    const FreshCiphertexts fresh =
        encrypt_bits(secret, std::vector<uint8_t>(kGates, 1), random, isa);
    static_cast<void>(value(expand(fresh, 0, values, isa)));
  }

  SequentialExecutor executor;
  SecureRandom random;
  SecretKey secret;
  EvaluationKey evaluation;
  ServerKey server;
  Ciphertexts values;
};

void majority_gates(benchmark::State& state, Isa isa) {
  Keys keys(gate_parameters(), isa);
  std::vector<Gate> level;
  for (uint32_t i = 0; i < kGates; ++i) {
    level.push_back(
        {GateKind::Majority, {{{i}, {(i + 1) % kGates}, {(i + 2) % kGates}}}, kGates + i});
  }
  const auto lock_step = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    static_cast<void>(
        value(evaluate(keys.server, level, keys.values, {keys.executor, 1, lock_step})));
  }
}

void tables_of_four_bits(benchmark::State& state, Isa isa) {
  Keys keys(table_parameters(), isa);
  std::vector<std::vector<Torus>> results(1);
  for (size_t c = 0; c < 16; ++c) {
    results[0].push_back(encode_case(c * c % 16, 16));
  }
  const Table table = value(case_tables(keys.secret.parameters, results));
  const Term term{0, 1};
  std::vector<BootstrapTask> tasks;
  for (uint32_t i = 0; i < kGates; ++i) {
    tasks.push_back({.terms = std::span(&term, 1), .first_output = kGates + i});
  }
  const auto lock_step = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    static_cast<void>(value(bootstrap(keys.server, std::span(&table, 1), tasks, keys.values,
                                      {keys.executor, 1, lock_step})));
  }
}

void make_evaluation_key(benchmark::State& state, Isa isa) {
  Keys keys(gate_parameters(), isa);
  for (auto _ : state) {
    benchmark::DoNotOptimize(generate_evaluation_key(keys.secret, keys.random, keys.executor, isa));
  }
}

void prepare_server_key(benchmark::State& state, Isa isa) {
  Keys keys(gate_parameters(), isa);
  for (auto _ : state) {
    benchmark::DoNotOptimize(value(ServerKey::make(keys.evaluation, keys.executor, isa)));
  }
}

const bool kRegistered = [] {
  for (const Isa isa : supported_isas()) {
    const std::string name(isa_name(isa));
    benchmark::RegisterBenchmark(("eight_majority_gates/" + name).c_str(), majority_gates, isa)
        ->Arg(1)
        ->Arg(2)
        ->Arg(4)
        ->Arg(8)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("eight_tables_of_4_bits/" + name).c_str(), tables_of_four_bits,
                                 isa)
        ->Arg(1)
        ->Arg(4)
        ->Arg(8)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("make_evaluation_key/" + name).c_str(), make_evaluation_key, isa)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("prepare_server_key/" + name).c_str(), prepare_server_key, isa)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace tacet::cggi
