#pragma once

#include "engine/cggi_format/program.h"

namespace tacet::engine {

/// The program as text: what `parse_cggi_program` reads back as an equal program.
/// docs/subsystems/cggi_program.md has the grammar.
auto to_text(const CggiProgram& program) -> std::string;

/// Whether a text begins as one of a program does.
auto is_cggi_program(std::string_view text) -> bool;

/// Reads a text and validates what it says. An error names the line.
auto parse_cggi_program(std::string_view text) -> Result<CggiProgram>;

}  // namespace tacet::engine
