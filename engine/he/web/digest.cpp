#include "engine/he/digest.h"

#include <bearssl_hash.h>
#include <fmt/format.h>

namespace tacet::he {

struct Digester::State {
  State() { br_sha256_init(&context); }

  br_sha256_context context{};
};

Digester::Digester() : state_(std::make_unique<State>()) {}
Digester::~Digester() = default;
Digester::Digester(Digester&&) noexcept = default;
auto Digester::operator=(Digester&&) noexcept -> Digester& = default;

void Digester::add(uint64_t number) {
  std::array<std::byte, 8> bytes;
  for (size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<std::byte>(number >> (8 * i));
  }
  add_bytes(bytes);
}

void Digester::add(std::string_view text) {
  add(text.size());
  add_bytes(std::as_bytes(std::span(text.data(), text.size())));
}

void Digester::add_bytes(std::span<const std::byte> bytes) {
  br_sha256_update(&state_->context, bytes.data(), bytes.size());
}

auto Digester::finish() -> std::array<std::byte, 32> {
  std::array<std::byte, 32> digest;
  br_sha256_out(&state_->context, digest.data());
  return digest;
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
