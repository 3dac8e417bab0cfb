// What the framework must find, and what it must not.

#include <array>
#include <cstdio>
#include <string_view>

#include "base/declassify.h"
#include "tests/constant_time/secret.h"

namespace tacet::constant_time {
namespace {

auto leak(std::string_view how) -> bool {
  std::array<unsigned char, 1> secret = {7};
  make_secret(std::span(secret));
  if (how == "branch") {
    if (secret[0] == 7) {
      std::puts("seven");
    }
    return true;
  }
  if (how == "address") {
    std::array<unsigned char, 256> table{};
    table[static_cast<size_t>(std::fgetc(stdin)) & 255] = 1;
    volatile unsigned char looked_up = table[secret[0]];
    static_cast<void>(looked_up);
    return true;
  }
  if (how == "declassified") {
    if (declassified(secret[0]) == 7) {
      std::puts("seven");
    }
    return true;
  }
  return false;
}

}  // namespace
}  // namespace tacet::constant_time

auto main(int argc, char** argv) -> int {
  return argc == 2 && tacet::constant_time::leak(argv[1]) && RUNNING_ON_VALGRIND != 0 ? 0 : 2;
}
