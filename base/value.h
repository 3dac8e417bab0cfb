#pragma once

#include <cstdio>
#include <cstdlib>

#include "base/result.h"

namespace tacet {

/// What `result` has. If it has none, says why and ends the program: for tests and benchmarks,
/// which cannot continue without.
template <class T>
auto value(Result<T> result) -> T {
  if (!result) {
    std::fprintf(stderr, "no value: %s\n", result.error().message.c_str());
    std::abort();
  }
  return std::move(result).value();
}

}  // namespace tacet
