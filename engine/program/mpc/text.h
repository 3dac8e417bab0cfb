#pragma once

#include <string>
#include <string_view>

#include "engine/program/mpc/program.h"

namespace tacet::engine {

/// The program as text: what `parse_mpc_program` reads back as an equal program. The grammar is in
/// `docs/subsystems/mpc.md`.
auto to_text(const MpcProgram& program) -> std::string;

/// An instruction alone, without a line break, for messages; the program need not be valid.
auto instruction_text(const MpcProgram& program, size_t at) -> std::string;

/// Reads a text and validates what it says. An error names the line.
auto parse_mpc_program(std::string_view text) -> Result<MpcProgram>;

/// Does a file begin like one?
auto is_mpc_program(std::string_view text) -> bool;

}  // namespace tacet::engine
