#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tacet::he {

/// SHA-256 of a sequence of fields: numbers as eight bytes, least significant first, and texts
/// behind their length.
class Digester {
 public:
  Digester();
  ~Digester();
  Digester(Digester&&) noexcept;
  auto operator=(Digester&&) noexcept -> Digester&;

  void add(uint64_t number);
  void add(std::string_view text);
  /// The bytes alone.
  void add_bytes(std::span<const std::byte> bytes);
  /// To two different ones at once, which takes little longer than to one.
  static void add_bytes_to_both(Digester& a, Digester& b, std::span<const std::byte> bytes);
  auto finish() -> std::array<std::byte, 32>;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// SHA-256 of a text, in hexadecimal digits.
auto hex_digest(std::string_view text) -> std::string;

}  // namespace tacet::he
