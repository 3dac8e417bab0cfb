#pragma once

#include <optional>

#include "base/result.h"
#include "compiler/he/circuit/relinearise.h"
#include "compiler/he/lower/bound_registers.h"
#include "compiler/he/lower/levels.h"

namespace tacet::he_lower {

/// Whether results hide the numbers of the server, where there are any.
enum class HideServerInputs : uint8_t { No, Yes };

struct ChoiceOptions {
  std::optional<he::Scheme> scheme;  ///< BFV or BGV; the faster one if none is given
  he::Security security = he::Security::Bits128;
  /// Bits of noise that must be left in every output, by the estimate.
  double margin = 3;
  /// With it, budgets are what hiding leaves of them (`he::NoiseBounds::hidden_budget`), and
  /// results have degree one.
  HideServerInputs hiding = HideServerInputs::Yes;
  /// The parties that hold the key jointly (`engine/he_joint`), if there are several: of integers
  /// alone. Budgets are then what flooding leaves, too, and results have degree one.
  unsigned n_key_holders = 1;
  /// Of integers: by how many plaintext moduli a result may be computed; 0 for as many as there are.
  size_t most_moduli = 0;
  /// `Fewest` lets them be moved where that takes less time with the primes there are; others keep
  /// them where they are.
  circuit::Relinearisation relinearisation = circuit::Relinearisation::Fewest;
  const he::OperationTimes* times = &he::default_operation_times();
  /// How fast client and server are connected: millions of bits a second, which are as many a
  /// microsecond. What is sent counts beside what is computed where layouts and rings are compared.
  double link_megabits = 10'000;
  /// What keys may take of the server's memory, at the price of more rotations.
  uint64_t most_key_bytes = uint64_t{6} << 30;
  /// Of reals: what other layouts have, too.
  BoundedPrograms* known = nullptr;
};

/// A program that can be run, and what under: the engine finds the primes of these sizes.
struct Encryption {
  he::Scheme scheme = he::Scheme::Bfv;
  size_t ring_dimension = 0;
  he::Security security = he::Security::Bits128;
  std::vector<unsigned> data_prime_bits;
  std::vector<unsigned> special_prime_bits;
  /// With its modulus, its number of primes, and instructions that drop some.
  engine::HeProgram program;
  bool is_unhidden = false;  ///< results show the server's numbers, as requested
  unsigned n_key_holders = 1;
  double budget = 0;        ///< estimated, of the output with the least
  double noise_bound = 0;   ///< of a joint key: log2 of what the noise of results is at most
  double error = 0;         ///< of reals: how far encryption may put the results off
  double microseconds = 0;  ///< estimated, on one thread, keys not included
};

/// Whether the results of a program hide what the server has.
auto hides(const engine::HeProgram& program, const ChoiceOptions& options) -> bool;

/// Chooses scheme, primes and where to drop them for a program of integers modulo t, a prime that
/// is 1 modulo 2N, in the ring that has its slots: of what leaves the margin, what takes the least
/// time by `options.times`; of that, the smallest primes. The program's own modulus and number of
/// primes do not matter, unless it drops primes itself: then it keeps their number.
///
/// The number of primes, of special primes, and a few shapes of their sizes are tried in sequence;
/// for each, a result is dropped to fewer primes as soon as that costs no more than so many bits of
/// its budget, for growing numbers of bits. Then relinearisations and drops are placed alternately,
/// each with the other as it is (`weigh_relinearisations.h`), and single groups of results are
/// tried with fewer primes; of small programs both are placed together (`place_jointly.h`).
///
/// An error says how much is missing.
auto choose_encryption(const engine::HeProgram& program, uint64_t plain_modulus,
                       const ChoiceOptions& options) -> Result<Encryption>;

/// The least prime t that is 1 modulo 2N and holds all numbers of [low, high] as the ones near zero
/// of their class; or several that hold them together, if they must be smaller: as few as there are
/// with at most `max_bits` bits each. An error if there are not enough.
auto plain_moduli_for(size_t ring_dimension, int64_t low, int64_t high,
                      unsigned max_bits = he::kMaxPlainBits) -> Result<std::vector<uint64_t>>;

}  // namespace tacet::he_lower
