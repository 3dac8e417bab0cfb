#pragma once

#include "compiler/he/schedule/value.h"

namespace tacet::schedule {

/// The sum or product of a value over these dimensions: by loops where they are exploded, by
/// rotations along axes, which stay pending of a sum. What is padded does not count: if it is not
/// neutral it is masked.
auto reduce(const Frame& frame, array::Operator op, const std::vector<array::DimId>& dims,
            Value value, CircuitWriter& writer) -> Value;

}  // namespace tacet::schedule
