#pragma once

#include <string>
#include <string_view>

#include "engine/program/he/program.h"

namespace tacet::engine {

/// The program as text: what `parse_he_program` reads back as an equal program. The grammar is in
/// `docs/subsystems/he_program.md`.
auto to_text(const HeProgram& program) -> std::string;

/// A statement alone, without a line break, for messages; the program need not be valid.
auto statement_text(const HeProgram& program, size_t at) -> std::string;

/// Reads a text and validates what it says. An error names the line.
auto parse_he_program(std::string_view text) -> Result<HeProgram>;

/// Whether something may have this name: letters, digits and underscores, no digit first, and none
/// of the words that begin a declaration or a statement.
auto is_he_name(std::string_view name) -> bool;
/// The same with those words, for arrays: nothing else stands where their names do.
auto is_he_word(std::string_view name) -> bool;

}  // namespace tacet::engine
