#pragma once

#include <cstddef>

/// For code that keeps secrets, and its test under valgrind's memcheck: the test marks secrets as
/// undefined memory, and memcheck complains of every branch and address that depends on them.
namespace tacet {

/// Says that the bytes, though computed from secrets, may be known to anyone who measures time.
/// Nothing but a remark to memcheck: it changes no byte. Callers say in a comment why the secret
/// does not follow from what is made known.
void declassify(const void* data, size_t size);

/// `value`, which may be known.
template <class T>
[[nodiscard]] auto declassified(T value) -> T {
  declassify(&value, sizeof(value));
  return value;
}

}  // namespace tacet
