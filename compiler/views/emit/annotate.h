#pragma once

#include <string>

#include "compiler/spec/program/frontend.h"

namespace tacet::emit {

/// The text of a file with every tag of its coordinator functions written out, and the types of
/// variables: `emit --stage annotated`. Comments and layout stay where they are; what is new is
/// not formatted.
///
/// A tag can only name what has a name. Parts of expressions and results without one, of the
/// specifications in this file, get names:
///
///     val min(a: i64, b: i64) -> i64 {          val min(a: i64, b: i64) -> out: i64 {
///         returns a if a < b else b                 ret: i64 :- a if a < b else b
///     }                                             returns ret
///                                               }
///
/// Those of other files are left for deduction. A function with mistakes stays as it is.
auto annotate(const program::FrontendSnapshot& snapshot, FileId file) -> std::string;

}  // namespace tacet::emit
