#pragma once

#include <optional>

#include "compiler/front/types/type.h"
#include "compiler/run/interpret/element_type.h"

/// How values of a type are in cells: elements in row-major order, records and tuples as their
/// parts, references as one cell, encoders and futures as the record of what was encoded, events
/// not at all.
namespace tacet::interpret {

/// The dtype of a value or of an array's elements; `i64` for types that have none.
auto element_type(const types::TypeStore& types, types::TypeId type) -> ElementType;

/// The extents of an array; empty for everything else.
auto extents(const types::TypeStore& types, types::TypeId type) -> std::vector<uint64_t>;

/// How many cells a value takes. Nothing for types whose values have no known size (slices), for
/// `RngState`, and for sizes that overflow.
auto n_cells(const types::TypeStore& types, types::TypeId type) -> std::optional<uint64_t>;

/// Does a value of the type hold a reference?
auto holds_reference(const types::TypeStore& types, types::TypeId type) -> bool;

/// Is it an encoder or future, whose value stands for what was encoded?
auto is_remote(const types::TypeStore& types, types::TypeId type) -> bool;

/// The parts that a call's results have: those of a tuple, or the type alone.
auto parts(const types::TypeStore& types, types::TypeId type) -> std::vector<types::TypeId>;

/// The fields of a record, or of the record behind an encoder or future; empty for other types.
auto record_fields(const types::TypeStore& types, types::TypeId type)
    -> std::vector<types::RecordField>;

}  // namespace tacet::interpret
