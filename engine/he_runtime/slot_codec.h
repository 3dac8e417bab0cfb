#pragma once

#include <optional>

#include "engine/he/encoding.h"
#include "engine/program/he/arithmetic.h"

namespace tacet::engine {

/// Between slots and messages, for integers or reals.
class SlotCodec {
 public:
  explicit SlotCodec(const he::Context& context);

  /// Reals, which are within `bound`, are multiplied by `scale`, for ciphertexts of up to
  /// `n_primes` primes.
  [[nodiscard]] auto encode(const HeSlots& slots, double scale, size_t n_primes, double bound) const
      -> Result<he::Plaintext>;
  /// Of reals: what `with_primes` makes the same of.
  [[nodiscard]] auto round(const HeSlots& slots, double scale, double bound) const
      -> Result<he::RoundedMessage>;
  [[nodiscard]] auto with_primes(const he::RoundedMessage& message, size_t n_primes) const
      -> Result<he::Plaintext>;
  [[nodiscard]] auto decode(const he::Plaintext& plaintext) const -> Result<HeSlots>;

 private:
  std::optional<he::IntegerEncoder> integers_;
  std::optional<he::ComplexEncoder> reals_;
};

}  // namespace tacet::engine
