#pragma once

#include <map>

#include "compiler/device/kernel/build.h"

/// Private to this folder.
namespace tacet::loops {

/// A copy of a statement, and of all inside of it, with expressions in place of reads of variables.
/// Expressions without such reads are shared.
auto copied_with(kernel::Builder& make, kernel::StatementId statement,
                 const std::map<kernel::VariableId, kernel::ExprId>& by) -> kernel::StatementId;

}  // namespace tacet::loops
