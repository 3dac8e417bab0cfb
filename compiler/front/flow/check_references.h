#pragma once

#include "compiler/core/query/database.h"
#include "compiler/front/check/body.h"
#include "compiler/front/hir/hir.h"
#include "compiler/front/names/report.h"

namespace tacet::flow {

/// Reports references that are made before the call of a function and used after it. What comes
/// after a call is a part of its own, which is given values; a `var` is copied there and back, a
/// reference cannot be. Passing a reference to the call itself is fine, and so are externs.
///
/// Goes through the syntax, in the order of evaluation, since in the graph a reference is another
/// name for its variable. O(nodes); O(locals and places) if there is no reference.
void check_references(query::Context& context, const hir::Function& function,
                      const check::Body& body, names::Report& report);

}  // namespace tacet::flow
