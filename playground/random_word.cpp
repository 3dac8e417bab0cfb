#include "playground/random_word.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>

#include "base/check.h"

namespace tacet::playground {

auto random_word() -> std::string {
  std::array<unsigned char, 16> bytes{};
  TACET_CHECK(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
              "the operating system provides no random numbers");
  std::string word;
  for (const unsigned char byte : bytes) {
    word += fmt::format("{:02x}", byte);
  }
  return word;
}

}  // namespace tacet::playground
