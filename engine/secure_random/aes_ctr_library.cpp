#include <openssl/evp.h>

#include <algorithm>
#include <memory>

#include "base/check.h"
#include "engine/secure_random/aes_ctr_kernels.h"

namespace tacet::secure_random {
namespace {

// In counter mode OpenSSL adds the key stream to a text: of zeros.
alignas(64) constexpr std::array<unsigned char, 4096> kZeros{};

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};

// OpenSSL can fail here only for lack of memory or of AES itself, after which nothing random can
// be had; going on without is no choice.
class OpensslAesCtr final : public AesCtrKernel {
 public:
  OpensslAesCtr() : context_(EVP_CIPHER_CTX_new()) {
    TACET_CHECK(context_ != nullptr, "OpenSSL cannot allocate a cipher");
    int ok = EVP_EncryptInit_ex2(context_.get(), EVP_aes_256_ctr(), nullptr, nullptr, nullptr);
    TACET_CHECK(ok == 1, "OpenSSL does not support AES-256 in counter mode");
  }

  void start(const AesKey& key, const AesBlock& counter) override {
    int ok = EVP_EncryptInit_ex2(context_.get(), nullptr,
                                 reinterpret_cast<const unsigned char*>(key.data()),
                                 reinterpret_cast<const unsigned char*>(counter.data()), nullptr);
    TACET_CHECK(ok == 1, "OpenSSL rejected an AES-256 key");
  }

  void blocks(std::span<std::byte> out) override {
    while (!out.empty()) {
      auto part = out.first(std::min(out.size(), kZeros.size()));
      int n_written = 0;
      int ok = EVP_EncryptUpdate(context_.get(), reinterpret_cast<unsigned char*>(part.data()),
                                 &n_written, kZeros.data(), static_cast<int>(part.size()));
      TACET_CHECK(ok == 1 && n_written == static_cast<int>(part.size()), "AES-256 failed");
      out = out.subspan(part.size());
    }
  }

 private:
  std::unique_ptr<EVP_CIPHER_CTX, FreeContext> context_;  // OpenSSL wipes it
};

}  // namespace

auto library_aes_ctr() -> std::unique_ptr<AesCtrKernel> {
  return std::make_unique<OpensslAesCtr>();
}

}  // namespace tacet::secure_random
