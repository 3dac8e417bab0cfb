#pragma once

#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/front/types/type.h"

namespace tacet::types {

/// Which parts of a type are not what was expected: fields of records, members of tuples, elements,
/// dimensions. Parts on the way to a single one are named in one path, `pair.weights`. None where
/// the types themselves say it: numbers, and arrays of one dimension. Visibilities do not count.
auto type_differences(const TypeStore& types, const Interner& names, TypeId found, TypeId expected)
    -> std::vector<Reason>;

}  // namespace tacet::types
