#pragma once

#include "engine/he/encoding.h"
#include "engine/he_format/bundle.h"
#include "engine/he_runtime/client.h"
#include "engine/he_runtime/keys.h"

namespace tacet::engine {

/// Whether results can hide the server's numbers, if they are to, and under a joint key all but the
/// results: an error for fixed-point numbers of the server's, as CKKS results cannot be hidden, for
/// results that wrap to a narrow type, as who decrypts has the number before it wraps, and under a
/// joint key for sums that share slots.
auto check_hiding(const HeBundle& bundle) -> Status;

/// What the results of a program are hidden by, found once for any number of runs: which of their
/// slots are read, and which of these are read together, as a sum. For use by several threads.
class ResultMasks {
 public:
  /// Of a program of integers, for a context that lives longer. An error if sums share slots.
  static auto make(const HeProgram& program, const he::Context& context) -> Result<ResultMasks>;

  /// For each result, in the order of `output_elements`, a message that is uniform in the slots
  /// that no output reads, uniform but for the sum, which is zero, in slots that are added up, and
  /// zero in those that are read alone.
  [[nodiscard]] auto draw(he::SecureRandom& random) const -> Result<std::vector<he::Plaintext>>;

 private:
  friend class MaskDrawing;

  explicit ResultMasks(const he::Context& context) : context_(&context), encoder_(context) {}

  const he::Context* context_;
  he::IntegerEncoder encoder_;
  /// By result and slot: the number of the sum that it is read for, or none.
  std::vector<std::vector<uint32_t>> sum_of_{};
  std::vector<uint32_t> sizes_{};  ///< by sum: of how many slots
};

/// Adds to each ciphertext, of degree one, what hides the server's numbers (`he::hide`), with
/// uniform numbers in the slots that no output reads, and numbers that are uniform but for their
/// sum, which is zero, in slots that the client adds up; then drops the primes that are not needed,
/// but those of a joint key's results.
/// Adds to `costs`. An error if there is no modulus left for the noise, or another number of
/// results.
auto hide_results(const ResultMasks& masks, const he::Context& context,
                  std::vector<he::Ciphertext> results, const he::PublicKey& key,
                  he::SecureRandom& random, HidingCosts& costs)
    -> Result<std::vector<he::Ciphertext>>;

}  // namespace tacet::engine
