#include "engine/mpc/aby3_active/digest.h"

#include <charconv>
#include <string>
#include <string_view>

#include "engine/net/credentials.h"

namespace tacet::mpc {

auto digest_of(std::span<const std::byte> bytes) -> Digest {
  const std::string text =
      net::digest_of(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  Digest digest{};
  for (size_t i = 0; i < digest.size(); ++i) {
    unsigned value = 0;
    std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, value, 16);
    digest[i] = static_cast<std::byte>(value);
  }
  return digest;
}

}  // namespace tacet::mpc
