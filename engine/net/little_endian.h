#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tacet::net {

/// Writes `value` to the front of `bytes`, which are enough.
template <class Unsigned>
void store_little(std::span<std::byte> bytes, Unsigned value) {
  for (size_t i = 0; i < sizeof(Unsigned); ++i) {
    bytes[i] = static_cast<std::byte>((value >> (8 * i)) & 0xFF);
  }
}

template <class Unsigned>
auto load_little(std::span<const std::byte> bytes) -> Unsigned {
  Unsigned value = 0;
  for (size_t i = 0; i < sizeof(Unsigned); ++i) {
    value = static_cast<Unsigned>(value | (std::to_integer<Unsigned>(bytes[i]) << (8 * i)));
  }
  return value;
}

template <class Unsigned>
void append_little(std::vector<std::byte>& bytes, std::type_identity_t<Unsigned> value) {
  bytes.resize(bytes.size() + sizeof(Unsigned));
  store_little<Unsigned>(std::span(bytes).last(sizeof(Unsigned)), value);
}

inline auto bytes_of(std::string_view text) -> std::span<const std::byte> {
  return std::as_bytes(std::span(text));
}

inline auto text_of(std::span<const std::byte> bytes) -> std::string {
  std::string text(bytes.size(), '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    text[i] = static_cast<char>(bytes[i]);
  }
  return text;
}

/// Reads numbers and texts off the front of a payload; after the first that is not there whole,
/// `failed` holds and everything is zero or empty.
class PayloadReader {
 public:
  explicit PayloadReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class Unsigned>
  auto number() -> Unsigned {
    std::span<const std::byte> taken = take(sizeof(Unsigned));
    return failed_ ? Unsigned{0} : load_little<Unsigned>(taken);
  }
  auto text(size_t size) -> std::string { return text_of(take(size)); }

  [[nodiscard]] auto failed() const -> bool { return failed_; }
  [[nodiscard]] auto at_end() const -> bool { return !failed_ && bytes_.empty(); }
  [[nodiscard]] auto n_left() const -> size_t { return bytes_.size(); }

 private:
  auto take(size_t n) -> std::span<const std::byte> {
    if (failed_ || n > bytes_.size()) {
      failed_ = true;
      return {};
    }
    std::span<const std::byte> taken = bytes_.first(n);
    bytes_ = bytes_.subspan(n);
    return taken;
  }

  std::span<const std::byte> bytes_;
  bool failed_ = false;
};

}  // namespace tacet::net
