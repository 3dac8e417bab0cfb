#include "compiler/he/lower/encrypt_circuit.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <set>

#include "compiler/he/circuit/lower.h"
#include "compiler/he/lower/choose_bootstrapped.h"
#include "compiler/he/lower/choose_real_encryption.h"
#include "engine/he_model/bootstrapping.h"

namespace tacet::he_lower {

/// Plain moduli of so many bits are not split into smaller ones.
static constexpr unsigned kSmallBits = 20;
static constexpr size_t kMostParts = 4;

/// The program modulo each of these, all in one scheme.
static auto encryptions(const circuit::Circuit& circuit, const std::vector<uint64_t>& moduli,
                        ChoiceOptions options) -> Result<std::vector<Encryption>> {
  std::vector<Encryption> parts;
  for (const uint64_t modulus : moduli) {
    circuit::LowerOptions lower;
    lower.modulus = modulus;
    lower.n_primes = 1;
    lower.relinearisation = options.relinearisation;
    Result<engine::HeProgram> program = circuit::lower(circuit, lower);
    if (!program) {
      return program.error();
    }
    Result<Encryption> part = choose_encryption(*program, modulus, options);
    if (!part) {
      return part.error();
    }
    options.scheme = part->scheme;
    parts.push_back(std::move(*part));
  }
  return parts;
}

auto encrypt_circuit(const circuit::Circuit& circuit, uint64_t modulus,
                     const ChoiceOptions& options) -> Result<std::vector<Encryption>> {
  return encryptions(circuit, {modulus}, options);
}

auto encrypt_circuit(const circuit::Circuit& circuit, array::Interval result,
                     const ChoiceOptions& options) -> Result<std::vector<Encryption>> {
  const size_t n = size_t{2} * circuit.n_columns;
  const size_t most_parts = options.most_moduli == 0 ? kMostParts : options.most_moduli;
  std::string problem;
  std::vector<Encryption> best;
  size_t n_before = 0;
  for (unsigned bits = he::kMaxPlainBits; bits >= kSmallBits; --bits) {
    Result<std::vector<uint64_t>> moduli = plain_moduli_for(n, result.low, result.high, bits);
    if (!moduli || moduli->size() > most_parts) {
      if (problem.empty()) {
        problem = moduli ? fmt::format("results need {} plaintext moduli, and may take {}",
                                       moduli->size(), most_parts)
                         : moduli.error().message;
      }
      break;
    }
    if (moduli->size() == n_before) {
      continue;
    }
    n_before = moduli->size();
    Result<std::vector<Encryption>> parts = encryptions(circuit, *moduli, options);
    if (!parts) {
      problem = problem.empty() ? parts.error().message : problem;
      continue;
    }
    if (!best.empty() && time_of(*parts) >= time_of(best)) {
      break;  // more parts would only cost more
    }
    best = std::move(*parts);
    if (moduli->front() >> kSmallBits == 0) {
      break;  // smaller moduli would hardly save noise
    }
  }
  return best.empty() ? Result<std::vector<Encryption>>(Error{problem})
                      : Result<std::vector<Encryption>>(std::move(best));
}

/// With relinearisations that are first placed so; where they are moved says `options`.
static auto real_encryption(const circuit::Circuit& circuit, double precision,
                            const InputRanges* ranges, circuit::Relinearisation relinearisation,
                            const ChoiceOptions& options, const InputParts& parts)
    -> Result<Encryption> {
  circuit::LowerOptions lower;
  lower.relinearisation = relinearisation;
  Result<engine::HeProgram> program = circuit::lower(circuit, lower);
  if (!program) {
    return program.error();
  }
  std::vector<NoiseStage> stages;
  if (ranges != nullptr) {
    stages = bound_registers(*ranges, *program, options.known, parts);
  }
  return choose_real_encryption(*program, precision, options, std::move(stages));
}

static auto bootstrapped_encryption(const circuit::Circuit& circuit, double precision,
                                    const InputRanges& ranges, const ChoiceOptions& options)
    -> Result<Encryption> {
  circuit::LowerOptions lower;
  lower.relinearisation = circuit::Relinearisation::Eager;
  Result<engine::HeProgram> program = circuit::lower(circuit, lower);
  return program ? choose_bootstrapped_encryption(*program, precision, ranges, options)
                 : Result<Encryption>(program.error());
}

auto encrypt_real_circuit(const circuit::Circuit& circuit, double precision,
                          const InputRanges* ranges, const ChoiceOptions& options,
                          const InputParts& parts) -> Result<std::vector<Encryption>> {
  if (options.n_key_holders > 1) {
    return Error{std::string(kNoJointReals)};
  }
  Result<Encryption> part =
      real_encryption(circuit, precision, ranges, options.relinearisation, options, parts);
  if (!part && options.relinearisation == circuit::Relinearisation::Fewest) {
    // What has degree two is rescaled with ten bits more noise.
    Result<Encryption> eager = real_encryption(circuit, precision, ranges,
                                               circuit::Relinearisation::Eager, options, parts);
    if (eager) {
      part = std::move(eager);
    }
  }
  if (!part && ranges != nullptr) {
    Result<Encryption> bootstrapped = bootstrapped_encryption(circuit, precision, *ranges, options);
    if (bootstrapped) {
      part = std::move(bootstrapped);
    } else if (2 * circuit.n_columns == he::kBootstrappedDimension) {
      part = Error{fmt::format("{}; {}", part.error().message, bootstrapped.error().message)};
    }
  }
  if (!part) {
    return part.error();
  }
  return std::vector<Encryption>{std::move(*part)};
}

auto time_of(const std::vector<Encryption>& parts) -> double {
  double time = 0;
  for (const Encryption& part : parts) {
    time += part.microseconds;
  }
  return time;
}

/// Of the client's inputs and the results, in bits.
static auto sent_bits(const Encryption& part) -> double {
  const auto n = static_cast<double>(part.ring_dimension);
  const auto bits_of = [&](uint32_t n_primes) {
    const auto end =
        part.data_prime_bits.begin() + (n_primes == 0 ? part.program.n_primes : n_primes);
    return n * std::accumulate(part.data_prime_bits.begin(), end, 0.0);
  };
  double bits = 0;
  std::set<uint32_t> results;
  for (const engine::HeOutput& output : part.program.outputs) {
    results.insert(output.source.reg);
  }
  for (uint32_t i = 0; i < part.program.registers.size(); ++i) {
    const engine::HeRegister& reg = part.program.registers[i];
    const auto n_vectors = static_cast<double>(engine::n_elements(reg.dimensions));
    if (reg.kind == engine::HeKind::Cipher && !reg.gathers.empty()) {
      bits += n_vectors * bits_of(reg.n_primes);
    }
    if (results.count(i) != 0) {
      bits += n_vectors * 2 * bits_of(1);
    }
  }
  return bits;
}

auto sending_time(const std::vector<Encryption>& parts, double link_megabits) -> double {
  double bits = 0;
  for (const Encryption& part : parts) {
    bits += sent_bits(part);
  }
  return bits / link_megabits;
}

}  // namespace tacet::he_lower
