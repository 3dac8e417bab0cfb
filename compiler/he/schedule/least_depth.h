#pragma once

#include <optional>

#include "compiler/device/array/program.h"

namespace tacet::schedule {

/// How many products of ciphertexts follow each other however the program is laid out: those of the
/// schedule in which everything is exploded, which never multiplies by masks. Nothing if a
/// statement cannot read what an earlier one left so.
auto least_depth(const array::Program& program) -> std::optional<int64_t>;

}  // namespace tacet::schedule
