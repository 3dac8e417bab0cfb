#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

/// The fields of stored objects: numbers, least significant byte first, doubles by their bits, and
/// bytes.
namespace tacet::he {

static_assert(std::endian::native == std::endian::little, "words are copied as they stand");

/// Writes fields one behind the other into memory that is large enough.
class FieldWriter {
 public:
  explicit FieldWriter(std::span<std::byte> out) : rest_(out) {}

  void number(uint64_t value, size_t n_bytes) {
    std::memcpy(rest_.data(), &value, n_bytes);
    rest_ = rest_.subspan(n_bytes);
  }
  void real(double value) { number(std::bit_cast<uint64_t>(value), sizeof(double)); }
  void bytes(std::span<const std::byte> values) {
    std::memcpy(rest_.data(), values.data(), values.size());
    rest_ = rest_.subspan(values.size());
  }
  /// The next bytes, for somebody else to write.
  auto take(size_t n_bytes) -> std::byte* {
    std::byte* const place = rest_.data();
    rest_ = rest_.subspan(n_bytes);
    return place;
  }

 private:
  std::span<std::byte> rest_;
};

/// Reads them. A field that is not there in full is zero, and `is_short` says so: fields may be
/// read first and asked about together.
class FieldReader {
 public:
  explicit FieldReader(std::span<const std::byte> in) : rest_(in) {}

  auto number(size_t n_bytes) -> uint64_t {
    uint64_t value = 0;
    read(&value, n_bytes);
    return value;
  }
  auto real() -> double { return std::bit_cast<double>(number(sizeof(double))); }
  void bytes(std::span<std::byte> values) { read(values.data(), values.size()); }
  /// The next bytes, which must be there.
  auto take(size_t n_bytes) -> const std::byte* {
    const std::byte* const place = rest_.data();
    rest_ = rest_.subspan(n_bytes);
    return place;
  }

  [[nodiscard]] auto is_short() const -> bool { return is_short_; }
  [[nodiscard]] auto n_left() const -> size_t { return rest_.size(); }

 private:
  void read(void* out, size_t n_bytes) {
    if (rest_.size() < n_bytes) {
      is_short_ = true;
      rest_ = {};
      return;
    }
    std::memcpy(out, rest_.data(), n_bytes);
    rest_ = rest_.subspan(n_bytes);
  }

  std::span<const std::byte> rest_;
  bool is_short_ = false;
};

}  // namespace tacet::he
