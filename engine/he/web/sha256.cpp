// SHA-256 by BearSSL.

#include <bearssl_hash.h>

#include "engine/he/digest.h"

namespace tacet::he {

struct Digester::State {
  State() { br_sha256_init(&context); }

  br_sha256_context context{};
};

Digester::Digester() : state_(std::make_unique<State>()) {}
Digester::~Digester() = default;
Digester::Digester(Digester&&) noexcept = default;
auto Digester::operator=(Digester&&) noexcept -> Digester& = default;

void Digester::add_bytes(std::span<const std::byte> bytes) {
  br_sha256_update(&state_->context, bytes.data(), bytes.size());
}

void Digester::add_bytes_to_both(Digester& a, Digester& b, std::span<const std::byte> bytes) {
  a.add_bytes(bytes);
  b.add_bytes(bytes);
}

auto Digester::finish() -> std::array<std::byte, 32> {
  std::array<std::byte, 32> digest;
  br_sha256_out(&state_->context, digest.data());
  return digest;
}

}  // namespace tacet::he
