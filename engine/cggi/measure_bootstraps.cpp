#include "engine/cggi/measure_bootstraps.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "engine/cggi/encryption.h"
#include "engine/cggi/gates.h"
#include "engine/cggi/key_generation.h"
#include "engine/cggi_model/choose_parameters.h"

namespace tacet::cggi {

namespace {

using MeasureClock = std::chrono::steady_clock;

/// The median time of a level of majorities.
auto milliseconds_of(const ServerKey& key, std::span<const Gate> level, Ciphertexts& values,
                     const Batching& batching, double least_total) -> Result<double> {
  constexpr size_t kLeastRuns = 5;
  std::vector<double> times;
  for (double total = 0; times.size() < kLeastRuns || total < least_total; total += times.back()) {
    const auto start = MeasureClock::now();
    if (Status done = evaluate(key, level, values, batching); !done) {
      return done.error();
    }
    times.push_back(std::chrono::duration<double, std::milli>(MeasureClock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                   times.end());
  return times[times.size() / 2];
}

}  // namespace

auto measure_bootstraps(const BootstrapMeasurement& options, SecureRandom& random, Isa isa)
    -> Result<BootstrapTimes> {
  constexpr uint32_t kTogether = BootstrapTimes::kTogether;
  const DecisionCount decision{gate_form(GateKind::Majority).decision, 1};
  Result<ChosenParameters> chosen = choose_parameters({.decisions = {&decision, 1}});
  if (!chosen) {
    return chosen.error();
  }
  Result<SecretKey> secret = generate_secret_key(chosen->parameters, random);
  if (!secret) {
    return secret.error();
  }
  Result<ServerKey> key = ServerKey::make(
      generate_evaluation_key(*secret, random, options.executor, isa), options.executor, isa);
  if (!key) {
    return key.error();
  }
  Ciphertexts values(chosen->parameters, secret->id, 2 * kTogether);
  const FreshCiphertexts fresh =
      encrypt_bits(*secret, std::vector<uint8_t>(kTogether, 1), random, isa);
  if (Status expanded = expand(fresh, 0, values, isa); !expanded) {
    return expanded.error();
  }
  std::vector<Gate> level;
  for (uint32_t i = 0; i < kTogether; ++i) {
    level.push_back(
        {GateKind::Majority, {{{i}, {(i + 1) % kTogether}, {(i + 2) % kTogether}}}, kTogether + i});
  }
  SequentialExecutor one_thread;
  Result<double> alone = milliseconds_of(*key, std::span(level).first(1), values,
                                               {.executor = one_thread}, options.milliseconds);
  Result<double> together = milliseconds_of(
      *key, level, values, {.executor = options.executor, .n_threads = options.n_threads},
      options.milliseconds);
  if (!alone || !together) {
    return alone ? together.error() : alone.error();
  }
  return BootstrapTimes{.parameters = chosen->parameters,
                        .n_threads = options.n_threads,
                        .milliseconds_alone = *alone,
                        .milliseconds_together = *together};
}

}  // namespace tacet::cggi
