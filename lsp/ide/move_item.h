#pragma once

#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/core/syntax/file_syntax.h"

namespace tacet::ide {

enum class MoveDirection : uint8_t { Up, Down };

/// Feature: Move Item
///
/// The edits that exchange what is selected with its neighbour: an item of the file, a member of a
/// class, a statement, a parameter, an argument, an element of a list. Comments right above and
/// behind items and statements go along. None where there is no neighbour or the text has mistakes.
auto move_item(const syntax::FileSyntax& syntax, std::string_view text, TextRange selected,
               MoveDirection direction) -> std::vector<TextEdit>;

}  // namespace tacet::ide
