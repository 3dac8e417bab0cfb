#pragma once

#include "base/result.h"
#include "compiler/he/schedule/value.h"

namespace tacet::schedule {

/// What a site reads of an earlier statement's result: its vectors where slots agree, else rotated
/// and masked. Errors say what of the structures does not fit; they name no statement.
auto read_result(const Frame& frame, const array::Site& site, const Left& left,
                 CircuitWriter& writer) -> Result<Value>;

}  // namespace tacet::schedule
