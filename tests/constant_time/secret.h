#pragma once

#include <valgrind/memcheck.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

/// For programs that hold code against invariant 9: no secret influences control flow or an
/// address. They run under valgrind's memcheck, which fails the test at the line that does.
///
/// A program marks what is secret with `make_secret`, calls the code, and asks with `is_secret`
/// whether what came out still depends on it: otherwise nothing was tested. What the code itself
/// may make known it declassifies (`base/declassify.h`); what the test looks at afterwards it makes
/// known with `make_public`.
namespace tacet::constant_time {

/// From here on `elements` are secret.
template <class T, size_t kExtent>
void make_secret(std::span<T, kExtent> elements) {
  static_cast<void>(VALGRIND_MAKE_MEM_UNDEFINED(elements.data(), elements.size_bytes()));
}

/// From here on `elements` are known.
template <class T, size_t kExtent>
void make_public(std::span<T, kExtent> elements) {
  static_cast<void>(VALGRIND_MAKE_MEM_DEFINED(elements.data(), elements.size_bytes()));
}

/// Whether each of `elements` depends on a secret.
template <class T, size_t kExtent>
auto is_secret(std::span<T, kExtent> elements) -> bool {
  std::vector<unsigned char> undefined_bits(elements.size_bytes());
  if (VALGRIND_GET_VBITS(elements.data(), undefined_bits.data(), undefined_bits.size()) != 1) {
    return false;
  }
  for (size_t i = 0; i < undefined_bits.size(); i += sizeof(T)) {
    auto first = undefined_bits.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::all_of(first, first + sizeof(T), [](unsigned char bits) { return bits == 0; })) {
      return false;
    }
  }
  return true;
}

/// Fails the program, with the name of the case, unless `condition` holds.
class Cases {
 public:
  void expect(bool condition, const char* name) {
    if (!condition) {
      std::fprintf(stderr, "%s: the outcome does not depend on the secret\n", name);
      failed_ = true;
    }
  }
  /// What main returns. Not zero if the program does not run under memcheck, where nothing would
  /// ever be found.
  [[nodiscard]] auto exit_code() const -> int {
    if (RUNNING_ON_VALGRIND == 0) {
      std::fprintf(stderr, "not run by valgrind\n");
      return 2;
    }
    return failed_ ? 1 : 0;
  }

 private:
  bool failed_ = false;
};

}  // namespace tacet::constant_time
