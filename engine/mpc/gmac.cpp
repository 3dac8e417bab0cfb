#include "engine/mpc/gmac.h"

#include <openssl/evp.h>

#include <algorithm>

#include "base/check.h"

namespace tacet::mpc {

namespace {

constexpr size_t kNonceSize = 12;
constexpr size_t kLongestUpdate = size_t{1} << 30;

auto bytes_of(const std::byte* bytes) -> const unsigned char* {
  return reinterpret_cast<const unsigned char*>(bytes);
}

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};

}  // namespace

/// OpenSSL wipes it.
struct Gmac::Context {
  std::unique_ptr<EVP_CIPHER_CTX, FreeCipher> cipher{EVP_CIPHER_CTX_new()};
};

Gmac::Gmac(const secure_random::AesKey& key, uint32_t domain)
    : context_(std::make_unique<Context>()), domain_(domain) {
  EVP_CIPHER_CTX* cipher = context_->cipher.get();
  TACET_CHECK(cipher != nullptr, "OpenSSL cannot allocate a cipher");
  const int ok =
      EVP_EncryptInit_ex2(cipher, EVP_aes_256_gcm(), bytes_of(key.data()), nullptr, nullptr);
  TACET_CHECK(ok == 1, "OpenSSL does not support AES-256 in Galois counter mode");
  start();
}

Gmac::~Gmac() = default;
Gmac::Gmac(Gmac&&) noexcept = default;
auto Gmac::operator=(Gmac&&) noexcept -> Gmac& = default;

void Gmac::start() {
  std::array<std::byte, kNonceSize> nonce{};
  for (size_t i = 0; i < 4; ++i) {
    nonce[i] = static_cast<std::byte>(domain_ >> (8 * i));
  }
  for (size_t i = 0; i < 8; ++i) {
    nonce[4 + i] = static_cast<std::byte>(number_ >> (8 * i));
  }
  const int ok = EVP_EncryptInit_ex2(context_->cipher.get(), nullptr, nullptr,
                                     bytes_of(nonce.data()), nullptr);
  TACET_CHECK(ok == 1, "OpenSSL rejected a nonce");
  ++number_;
}

void Gmac::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const size_t n = std::min(bytes.size(), kLongestUpdate);
    int n_written = 0;
    const int ok = EVP_EncryptUpdate(context_->cipher.get(), nullptr, &n_written,
                                     bytes_of(bytes.data()), static_cast<int>(n));
    TACET_CHECK(ok == 1, "OpenSSL could not authenticate a message");
    bytes = bytes.subspan(n);
  }
}

auto Gmac::finish() -> Tag {
  EVP_CIPHER_CTX* cipher = context_->cipher.get();
  unsigned char nothing = 0;
  int n_written = 0;
  Tag tag;
  const bool is_made =
      EVP_EncryptFinal_ex(cipher, &nothing, &n_written) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, tag.size(), tag.data()) == 1;
  TACET_CHECK(is_made, "OpenSSL could not make a tag");
  start();
  return tag;
}

}  // namespace tacet::mpc
