#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "engine/he/serialisation.h"

namespace tacet::engine {

/// Fields of messages between ranks, which are of one version of Tacet and trust each other.
class WireWriter {
 public:
  void number(uint64_t value) { append(&value, sizeof(value)); }
  void real(double value) { append(&value, sizeof(value)); }
  void bytes(std::span<const std::byte> value) {
    number(value.size());
    append(value.data(), value.size());
  }
  void text(std::string_view value) { bytes(std::as_bytes(std::span(value))); }

  /// What is written already, for somebody else to write behind it.
  [[nodiscard]] auto written() -> he::Bytes& { return bytes_; }
  [[nodiscard]] auto take() -> he::Bytes { return std::move(bytes_); }

 private:
  void append(const void* data, size_t n) {
    if (n > 0) {
      const size_t at = bytes_.size();
      bytes_.resize(at + n);
      std::memcpy(bytes_.data() + at, data, n);
    }
  }

  he::Bytes bytes_;
};

/// Reads them. What is not there is zero or empty, and `is_good` says so.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  auto number() -> uint64_t {
    uint64_t value = 0;
    read(&value, sizeof(value));
    return value;
  }
  /// The next number, which is read again.
  [[nodiscard]] auto peek_number() const -> uint64_t { return WireReader(rest_).number(); }
  auto real() -> double {
    double value = 0;
    read(&value, sizeof(value));
    return value;
  }
  auto bytes() -> std::span<const std::byte> {
    const uint64_t n = number();
    if (n > rest_.size()) {
      is_good_ = false;
      return {};
    }
    const std::span<const std::byte> value = rest_.first(n);
    rest_ = rest_.subspan(n);
    return value;
  }
  auto text() -> std::string {
    const std::span<const std::byte> value = bytes();
    return {reinterpret_cast<const char*>(value.data()), value.size()};
  }
  /// All that is left.
  auto rest() -> std::span<const std::byte> { return std::exchange(rest_, {}); }
  /// A number of things of at least `least_bytes` each.
  auto count(size_t least_bytes) -> uint64_t {
    const uint64_t n = number();
    is_good_ = is_good_ && n <= rest_.size() / least_bytes;
    return is_good_ ? n : 0;
  }

  [[nodiscard]] auto is_good() const -> bool { return is_good_; }
  [[nodiscard]] auto is_at_end() const -> bool { return is_good_ && rest_.empty(); }

 private:
  void read(void* out, size_t n) {
    if (rest_.size() < n) {
      is_good_ = false;
      rest_ = {};
      return;
    }
    std::memcpy(out, rest_.data(), n);
    rest_ = rest_.subspan(n);
  }

  std::span<const std::byte> rest_;
  bool is_good_ = true;
};

}  // namespace tacet::engine
