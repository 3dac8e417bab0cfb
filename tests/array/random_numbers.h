#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>

namespace tacet {

/// What random programs are made of: a generator, or bytes that a fuzzer chose, one for each
/// number.
class RandomNumbers {
 public:
  explicit RandomNumbers(uint64_t seed) : generator_(seed) {}
  /// Behind the last byte come zeros.
  explicit RandomNumbers(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  RandomNumbers(const RandomNumbers&) = delete;
  auto operator=(const RandomNumbers&) -> RandomNumbers& = delete;

  auto operator()() -> uint64_t {
    if (!bytes_) {
      return generator_();
    }
    if (bytes_->empty()) {
      return 0;
    }
    const uint8_t byte = bytes_->front();
    bytes_ = bytes_->subspan(1);
    return byte;
  }

 private:
  std::mt19937_64 generator_;
  std::optional<std::span<const uint8_t>> bytes_;
};

}  // namespace tacet
