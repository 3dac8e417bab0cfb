#pragma once

#include <string>

#include "compiler/core/syntax/tree.h"

namespace tacet::infer {

/// The precedence that an expression needs in place of `hole` to need no parentheses.
auto precedence_around(syntax::Node hole) -> int;

/// The white space in front of lines that are put in place of `hole`: that of its own line, and
/// four spaces more if it is not alone there, because a new block holds the lines then.
auto indent_at(syntax::Node hole) -> std::string;

/// The range of `hole` and of the white space behind it.
auto with_space_behind(syntax::Node hole) -> TextRange;

/// `lines` without the white space of the first, which is there already, and the last line end.
auto trimmed(const std::string& lines) -> std::string;

}  // namespace tacet::infer
