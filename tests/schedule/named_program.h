#pragma once

#include <optional>
#include <string>

#include "compiler/device/array/program.h"

namespace tacet::schedule {

/// The array program of a text; nothing if it has none.
auto program_of(const std::string& path, const std::string& text) -> std::optional<array::Program>;

/// The array program of a file in `tests/schedule/programs`.
auto named_program(const std::string& name) -> array::Program;

}  // namespace tacet::schedule
