#pragma once

#include <string>

#include "compiler/core/syntax/parser_state.h"

/// What the files `parse_foreign*.cpp` share.
namespace tacet::syntax {

/// Reports a form of another language, with the edit that writes it as Tacet has it.
void report_foreign(Parser& parser, TextRange range, std::string message, std::string text,
                    Applicability applicability = Applicability::Safe);
/// Takes the current token as a node that means nothing.
void drop(Parser& parser);
inline auto range_here(const Parser& parser) -> TextRange {
  return {parser.current().begin, parser.current().end};
}
/// True at a name that reads so.
auto at_text(const Parser& parser, std::string_view word) -> bool;
/// The text of the node finished last as an operand: in parentheses if it needs them.
auto operand_text(const Parser& parser, TextRange range) -> std::string;

}  // namespace tacet::syntax
