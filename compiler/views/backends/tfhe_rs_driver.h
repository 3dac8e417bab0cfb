#pragma once

#include <string_view>

/// The part of code for TFHE-rs that is the same for all circuits.
namespace tacet::backends {

/// What precedes the gates: imports, and the client's functions.
auto tfhe_rs_head() -> std::string_view;
/// What follows them: arguments, results and `main`.
auto tfhe_rs_driver() -> std::string_view;
auto tfhe_rs_manifest() -> std::string_view;

}  // namespace tacet::backends
