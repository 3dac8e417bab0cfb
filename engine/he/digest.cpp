#include "engine/he/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/check.h"

namespace tacet::he {

struct Digester::State {
  State() : context(EVP_MD_CTX_new()) {
    TACET_CHECK(EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1, "OpenSSL has SHA-256");
  }
  State(const State&) = delete;
  auto operator=(const State&) -> State& = delete;
  ~State() { EVP_MD_CTX_free(context); }

  EVP_MD_CTX* context;
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
  add_bytes(std::as_bytes(std::span(text)));
}

void Digester::add_bytes(std::span<const std::byte> bytes) {
  TACET_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1,
              "SHA-256 takes any bytes");
}

auto Digester::finish() -> std::array<std::byte, 32> {
  std::array<std::byte, 32> digest;
  TACET_CHECK(EVP_DigestFinal_ex(state_->context, reinterpret_cast<unsigned char*>(digest.data()),
                                 nullptr) == 1,
              "SHA-256 gives 32 bytes");
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
