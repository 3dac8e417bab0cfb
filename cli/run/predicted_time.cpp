#include "cli/run/predicted_time.h"

#include <algorithm>
#include <vector>

#include "compiler/he/gates/estimate.h"
#include "engine/cggi_runtime/plan.h"
#include "engine/program/he/facts.h"

namespace tacet::cli {

namespace {

/// What is made once for a part, a secret key and what the server prepares, in microseconds for
/// each coefficient of the ring: measured on two threads of a server's processor.
constexpr double kOncePerCoefficient = 0.4;

/// How many vectors the server encodes before it computes.
auto n_encoded(const engine::HeFacts& facts) -> size_t {
  size_t n = 0;
  for (const auto kind : {engine::HeOperationKind::Cipher, engine::HeOperationKind::CipherPlain,
                          engine::HeOperationKind::Plain, engine::HeOperationKind::Native}) {
    n += facts.counts.of(engine::HeOpcode::Encode, kind);
  }
  return n;
}

/// Of one part, in microseconds.
auto time_of_part(const engine::HeBundle& bundle, const engine::HeBundlePart& part,
                  const he::OperationTimes& times) -> double {
  const engine::HeFacts facts = engine::facts_of(part.program);
  const auto at = [&](he::Operation operation, size_t n_primes) {
    return times.of(operation, {.scheme = bundle.scheme,
                                .ring_dimension = part.program.ring_dimension(),
                                .n_primes = std::max<size_t>(n_primes, 1),
                                .n_special = part.special_prime_bits.size()});
  };
  double time =
      part.microseconds + kOncePerCoefficient * static_cast<double>(part.program.ring_dimension());
  for (const auto& [steps, n_primes] : facts.rotations) {
    time += at(he::Operation::Key, n_primes);
  }
  time += facts.needs_swap ? at(he::Operation::Key, facts.n_swap_primes) : 0;
  time += facts.needs_relinearisation ? at(he::Operation::Key, facts.n_relinearisation_primes) : 0;
  time += static_cast<double>(facts.n_input_ciphers) *
          at(he::Operation::Encrypt, part.program.n_primes);
  // Encoding transforms a vector once for each prime, as encrypting does.
  time += static_cast<double>(n_encoded(facts)) * at(he::Operation::Encrypt, part.program.n_primes);
  const auto n_outputs = static_cast<double>(part.program.outputs.size());
  time += n_outputs * at(he::Operation::Decrypt, 1);
  // Noise that hides the server's numbers.
  time += facts.has_server_inputs ? n_outputs * at(he::Operation::Encrypt, 1) : 0;
  return time;
}

}  // namespace

auto predicted_milliseconds(const engine::HeBundle& bundle, const he::OperationTimes& times)
    -> double {
  double microseconds = 0;
  for (const engine::HeBundlePart& part : bundle.parts) {
    microseconds += time_of_part(bundle, part, times);
  }
  return microseconds / 1000;
}

auto predicted_milliseconds(const engine::CggiProgram& program, const cggi::BootstrapTimes& times)
    -> double {
  std::vector<uint32_t> level_sizes;
  for (const engine::CggiLevel& level : engine::plan_of(program).levels) {
    level_sizes.push_back(static_cast<uint32_t>(level.gates.size()));
  }
  return gates::kPreparationMilliseconds +
         gates::estimated_milliseconds(level_sizes, program.parameters, times);
}

}  // namespace tacet::cli
