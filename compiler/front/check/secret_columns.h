#pragma once

#include <vector>

#include "compiler/front/check/checker.h"
#include "compiler/front/types/columns.h"

/// Which columns of tuples and records are secret: each on its own. Private to this folder.
namespace tacet::check {

using Columns = std::vector<bool>;

auto is_any(const Columns& columns) -> bool;

/// Of an expression whose parts are known, by `Checker::secret_columns` and those of locals.
auto columns_of(Checker& checker, Node node) -> Columns;

/// The same in the columns of `type`, which the expression is given to.
auto columns_as(Checker& checker, Node node, TypeId type) -> Columns;

/// What a local holds so far.
auto columns_of_local(Checker& checker, uint32_t local) -> Columns;

/// Of the type of an expression or of a local, as far as it is known.
auto type_of(Checker& checker, Node node) -> TypeId;
auto type_of_local(Checker& checker, uint32_t local) -> TypeId;

/// The columns of its variable that `target` assigns to.
auto columns_of_target(Checker& checker, Node target) -> types::ColumnRange;

/// `salary of p`, or the name alone if it has one column.
auto column_text(Checker& checker, TypeId type, size_t column, std::string_view name)
    -> std::string;

}  // namespace tacet::check
