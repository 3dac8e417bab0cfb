#pragma once

#include "compiler/views/backends/support.h"

/// The part of code for SEAL that is the same for all programs.
namespace tacet::backends {

/// Parameters, context, and encoding, on vectors of slots.
auto seal_context(bool is_integer) -> std::string_view;
/// Both sides, with the methods that `code` calls.
auto seal_sides(bool is_integer, std::string_view code) -> std::string;

}  // namespace tacet::backends
