#pragma once

#include "compiler/views/backends/support.h"

/// The part of code for Lattigo that is the same for all programs.
namespace tacet::backends {

/// Types, parameters and both sides, with the methods that `code` calls.
auto lattigo_sides(bool is_integer, std::string_view code) -> std::string;
auto lattigo_driver(bool is_integer) -> std::string;

}  // namespace tacet::backends
