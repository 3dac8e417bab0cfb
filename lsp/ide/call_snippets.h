#pragma once

#include <string>
#include <string_view>

#include "compiler/front/names/body_names.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::ide {

/// A call of `item` under the name `name`, with its parameters as places to fill in: `f(${1:x})`.
/// Empty for what is not called.
auto call_snippet(const program::FrontendSnapshot& snapshot, names::ItemId item,
                  std::string_view name) -> std::string;

/// The same of a built-in function, as its documentation begins: `` `rotate(a, k)`: … ``.
auto call_snippet(names::Builtin builtin) -> std::string;

/// `text` so that none of it means anything in a snippet.
auto snippet_escaped(std::string_view text) -> std::string;

}  // namespace tacet::ide
