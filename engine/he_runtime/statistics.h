#pragma once

#include <chrono>
#include <limits>

#include "engine/program/he/facts.h"

namespace tacet::engine {

/// The cost of hiding results.
struct HidingCosts {
  size_t n_ciphertexts = 0;
  /// The statistical distance between what the client gets and what depends on the server's numbers
  /// through the results alone is at most 2^-this, for each result of up to `he::kMostHiddenParts`
  /// such programs. 0 says nothing.
  double distance_bits = std::numeric_limits<double>::infinity();
  /// What it took of the noise budget, at most, in bits.
  double budget_bits = 0;
  double seconds = 0;  ///< of the clock on the wall
};

/// What running a program took. Counts are of what was really done: copies and rotations by nothing
/// are not.
struct HeStatistics {
  HeCounts counts;
  uint32_t depth = 0;      ///< products of ciphertexts on the longest path
  size_t n_encoded = 0;    ///< clear vectors that were encoded for the server
  size_t n_factors = 0;    ///< and made ready for products
  size_t n_hoisted = 0;    ///< ciphertexts whose rotations share their digits
  size_t n_encrypted = 0;  ///< inputs
  size_t n_decrypted = 0;  ///< outputs
  size_t n_added = 0;      ///< additions of decrypted numbers, by the client
  HidingCosts hiding;      ///< server, of its numbers in the results

  /// Measured, in bits, of the output with the least: for the key's holder alone.
  double budget_left = std::numeric_limits<double>::infinity();

  /// Of the clock on the wall.
  double encode_seconds = 0;   ///< client and server
  double encrypt_seconds = 0;  ///< client
  double compute_seconds = 0;  ///< server, on ciphertexts
  double decrypt_seconds = 0;  ///< client, decoding included
  /// The most memory for polynomials while computing, all that the context had given out.
  size_t peak_bytes = 0;
};

/// Adds the time until its end to a number of seconds.
class HeTimer {
 public:
  explicit HeTimer(double& seconds) : seconds_(&seconds) {}
  HeTimer(const HeTimer&) = delete;
  auto operator=(const HeTimer&) -> HeTimer& = delete;
  ~HeTimer() {
    *seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  double* seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace tacet::engine
