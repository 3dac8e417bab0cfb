// SHA-256 by OpenSSL.

#include <openssl/evp.h>

#include "base/check.h"
#include "engine/he/digest.h"

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

}  // namespace tacet::he
