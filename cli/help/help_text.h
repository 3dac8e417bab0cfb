#pragma once

#include <string>

#include "cli/help/command_model.h"
#include "compiler/core/diagnostics/render.h"

namespace tacet::cli {

/// What `tacet --help` prints.
auto program_help(const ProgramModel& program, Colour colour) -> std::string;

/// What `tacet COMMAND --help` prints: examples first.
auto command_help(const ProgramModel& program, const CommandModel& command, Colour colour)
    -> std::string;

/// Breaks a text at spaces into lines of at most `width` columns. Line ends in the text stay.
auto wrap(const std::string& text, size_t width) -> std::vector<std::string>;

}  // namespace tacet::cli
