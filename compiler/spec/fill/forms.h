#pragma once

#include <vector>

#include "compiler/spec/fill/form.h"
#include "compiler/spec/fill/surroundings.h"

namespace tacet::fill {

/// The forms for a hole, cheapest first. The checker decides whether they are right.
auto forms_for(const Surroundings& around) -> std::vector<Form>;

}  // namespace tacet::fill
