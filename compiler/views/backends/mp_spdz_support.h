#pragma once

#include <string_view>

namespace tacet::backends {

/// What code for MP-SPDZ calls: operations on lists of numbers.
auto mp_spdz_operations() -> std::string_view;

}  // namespace tacet::backends
