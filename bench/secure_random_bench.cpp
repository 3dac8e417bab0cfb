// Random bytes, and the samplers of a polynomial of 8192 coefficients: what keys and encryptions
// are made of. Each with every instruction set that the processor has.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "engine/secure_random/samplers.h"
#include "engine/secure_random/seed_expander.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::secure_random {
namespace {

constexpr size_t kDimension = 8192;
constexpr uint64_t kModulus = (uint64_t{1} << 50) - 27;

auto generator(Isa isa) -> SecureRandom {
  return seeded_random(TestSeed::of(1), isa);
}

void count_bytes(benchmark::State& state, size_t n) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(n));
}

/// Times `source.fill`.
template <class Source>
void fill_bytes(benchmark::State& state, Source source) {
  std::vector<std::byte> bytes(static_cast<size_t>(state.range(0)));
  for (auto _ : state) {
    source.fill(bytes);
    benchmark::ClobberMemory();
  }
  count_bytes(state, bytes.size());
}

void secret_bytes(benchmark::State& state, Isa isa) {
  fill_bytes(state, generator(isa));
}

void seed_bytes(benchmark::State& state, Isa isa) {
  fill_bytes(state, SeedExpander(PublicSeed{}, 0, isa));
}

void ternary(benchmark::State& state, Isa isa) {
  SecureRandom random = generator(isa);
  std::vector<int8_t> out(kDimension);
  for (auto _ : state) {
    sample_ternary(random, out, isa);
    benchmark::ClobberMemory();
  }
}

void binomial(benchmark::State& state, Isa isa) {
  SecureRandom random = generator(isa);
  std::vector<int8_t> out(kDimension);
  for (auto _ : state) {
    sample_binomial(random, out, isa);
    benchmark::ClobberMemory();
  }
}

void uniform(benchmark::State& state, Isa isa, uint64_t modulus) {
  SeedExpander expander(PublicSeed{}, 0, isa);
  std::vector<uint64_t> out(kDimension);
  for (auto _ : state) {
    sample_uniform(expander, modulus, out, isa);
    benchmark::ClobberMemory();
  }
}

void lift(benchmark::State& state, Isa isa) {
  SecureRandom random = generator(isa);
  std::vector<int8_t> small(kDimension);
  sample_binomial(random, small, isa);
  std::vector<uint64_t> out(kDimension);
  for (auto _ : state) {
    lift_signed(small, kModulus, out, isa);
    benchmark::ClobberMemory();
  }
}

void register_all(Isa isa) {
  auto name = [&](const std::string& what) {
    return "secure_random/" + what + "/" + std::string(isa_name(isa));
  };
  benchmark::RegisterBenchmark(name("secret_bytes").c_str(), secret_bytes, isa)->Arg(1 << 14);
  benchmark::RegisterBenchmark(name("secret_bytes").c_str(), secret_bytes, isa)->Arg(1 << 16);
  benchmark::RegisterBenchmark(name("seed_bytes").c_str(), seed_bytes, isa)->Arg(1 << 16);
  benchmark::RegisterBenchmark(name("ternary").c_str(), ternary, isa);
  benchmark::RegisterBenchmark(name("binomial").c_str(), binomial, isa);
  benchmark::RegisterBenchmark(name("uniform").c_str(), uniform, isa, kModulus);
  // Just above a power of two every second candidate is rejected.
  benchmark::RegisterBenchmark(name("uniform_worst").c_str(), uniform, isa,
                               (uint64_t{1} << 49) + 69);
  benchmark::RegisterBenchmark(name("lift").c_str(), lift, isa);
}

// Which benchmarks there are depends on the processor.
const bool kRegistered = [] {
  for (Isa isa : supported_isas()) {
    register_all(isa);
  }
  return true;
}();

}  // namespace
}  // namespace tacet::secure_random
