#pragma once

#include "compiler/views/backends/support.h"

namespace tacet::backends {

/// The part of code for OpenFHE that is the same for all programs of a scheme: context and both
/// sides, with the methods that `code` calls.
auto openfhe_sides(he::Scheme scheme, std::string_view code) -> std::string;

}  // namespace tacet::backends
