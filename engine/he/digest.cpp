#include "engine/he/digest.h"

#include <fmt/format.h>

namespace tacet::he {

void Digester::add(uint64_t number) {
  std::array<std::byte, 8> bytes;
  for (size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<std::byte>(number >> (8 * i));
  }
  add_bytes(bytes);
}

void Digester::add(std::string_view text) {
  add(text.size());
  add_bytes(std::as_bytes(std::span(text)));
}

auto hex_digest(std::string_view text) -> std::string {
  Digester digester;
  digester.add_bytes(std::as_bytes(std::span(text.data(), text.size())));
  std::string digits;
  for (const std::byte byte : digester.finish()) {
    digits += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return digits;
}

}  // namespace tacet::he
