#pragma once

#include <optional>

#include "compiler/he/schedule/value.h"

namespace tacet::schedule {

/// What a site reads of an earlier statement's result, whatever both structures are: the sum, over
/// all elements, of the element in all slots times a mask of those that want it. That is two
/// products by plaintexts and a rotation for each element, and more to spread it; nothing if there
/// are more than 256 elements.
auto read_elements(const Frame& frame, const array::Site& site, const Left& left,
                   CircuitWriter& writer) -> std::optional<Value>;

}  // namespace tacet::schedule
