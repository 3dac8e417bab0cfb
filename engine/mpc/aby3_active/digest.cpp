#include "engine/mpc/aby3_active/digest.h"

#include <openssl/evp.h>

#include "base/check.h"
#include "base/declassify.h"

namespace tacet::mpc {

auto digest_of(std::span<const std::byte> bytes) -> Digest {
  Digest digest{};
  const int ok =
      EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()),
                 nullptr, EVP_sha256(), nullptr);
  TACET_CHECK(ok == 1, "OpenSSL has SHA-256");
  return digest;
}

auto are_equal(std::span<const std::byte> a, std::span<const std::byte> b) -> bool {
  TACET_CHECK(a.size() == b.size(), "bytes of different sizes");
  std::byte difference{};
  for (size_t i = 0; i < a.size(); ++i) {
    difference |= a[i] ^ b[i];
  }
  return declassified(difference) == std::byte{};
}

}  // namespace tacet::mpc
