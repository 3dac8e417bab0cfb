#pragma once

#include "engine/he/parameters.h"
#include "engine/he_format/bundle.h"

namespace tacet::engine {

/// The parameters that a part asks for; an error if there are none that are secure.
auto parameters_of(const HeBundle& bundle, const HeBundlePart& part) -> Result<he::Parameters>;

}  // namespace tacet::engine
