// Choosing scheme, primes and drops for programs of thousands of instructions that no simulation
// takes for one another. Counters show the cost of the choice: milliseconds of the program by the
// model of times, bits of its primes, and how many are data primes.

#include <benchmark/benchmark.h>

#include <numeric>

#include "compiler/he/lower/choose_real_encryption.h"
#include "tests/he_compile/straight_program.h"

namespace tacet::he_lower {
namespace {

auto bits_of(const Encryption& chosen) -> unsigned {
  const auto sum = [](const std::vector<unsigned>& bits) {
    return std::accumulate(bits.begin(), bits.end(), 0U);
  };
  return sum(chosen.data_prime_bits) + sum(chosen.special_prime_bits);
}

/// Times `choose`, which gives a `Result<Encryption>`.
template <class Choose>
void measure(benchmark::State& state, Choose choose) {
  for (auto _ : state) {
    Result<Encryption> chosen = choose();
    if (!chosen) {
      state.SkipWithError(chosen.error().message.c_str());
      return;
    }
    state.counters["milliseconds"] = chosen->microseconds / 1000;
    state.counters["bits"] = bits_of(*chosen);
    state.counters["primes"] = static_cast<double>(chosen->data_prime_bits.size());
  }
}

void choose_levels(benchmark::State& state) {
  const engine::HeProgram program =
      straight_program({.n_statements = static_cast<size_t>(state.range(0)),
                        .depth = static_cast<uint32_t>(state.range(1))});
  measure(state, [&] {
    return choose_encryption(program, program.modulus,
                             {.scheme = {}, .hiding = he_lower::HideServerInputs::No});
  });
}
BENCHMARK(choose_levels)
    ->ArgNames({"statements", "depth"})
    ->Args({100, 3})
    ->Args({1000, 1})
    ->Args({1000, 3})
    ->Args({1000, 5})
    ->Args({5000, 3})
    ->Args({10000, 1})
    ->Args({10000, 3})
    ->Args({10000, 5})
    ->Unit(benchmark::kMillisecond);

/// The same of reals, whose products are rescaled: within 2^-8.
void choose_real_levels(benchmark::State& state) {
  const engine::HeProgram program =
      straight_program({.n_statements = static_cast<size_t>(state.range(0)),
                        .depth = static_cast<uint32_t>(state.range(1)),
                        .is_real = true});
  measure(state, [&] { return choose_real_encryption(program, 0x1p-8, {}); });
}
BENCHMARK(choose_real_levels)
    ->ArgNames({"statements", "depth"})
    ->Args({100, 2})
    ->Args({1000, 2})
    ->Args({10000, 1})
    ->Args({10000, 2})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacet::he_lower
