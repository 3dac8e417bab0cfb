#include "engine/he_runtime/slot_codec.h"

namespace tacet::engine {

SlotCodec::SlotCodec(const he::Context& context) {
  if (context.scheme() == he::Scheme::Ckks) {
    reals_.emplace(context);
  } else {
    integers_.emplace(context);
  }
}

auto SlotCodec::encode(const HeSlots& slots, double scale, size_t n_primes, double bound) const
    -> Result<he::Plaintext> {
  if (reals_) {
    return reals_->encode(std::span<const double>(slots), scale, n_primes, bound);
  }
  const std::vector<int64_t> integers(slots.begin(), slots.end());
  return integers_->encode(integers);
}

auto SlotCodec::round(const HeSlots& slots, double scale, double bound) const
    -> Result<he::RoundedMessage> {
  return reals_ ? reals_->round(slots, scale, bound)
                : Result<he::RoundedMessage>(Error{"only reals are rounded"});
}

auto SlotCodec::with_primes(const he::RoundedMessage& message, size_t n_primes) const
    -> Result<he::Plaintext> {
  return reals_ ? reals_->with_primes(message, n_primes)
                : Result<he::Plaintext>(Error{"only reals are rounded"});
}

auto SlotCodec::decode(const he::Plaintext& plaintext) const -> Result<HeSlots> {
  if (!reals_) {
    const Result<std::vector<int64_t>> integers = integers_->decode(plaintext);
    if (!integers) {
      return integers.error();
    }
    return HeSlots(integers.value().begin(), integers.value().end());
  }
  const auto numbers = reals_->decode(plaintext);
  if (!numbers) {
    return numbers.error();
  }
  HeSlots slots;
  for (const std::complex<double>& number : numbers.value()) {
    slots.push_back(number.real());
  }
  return slots;
}

}  // namespace tacet::engine
