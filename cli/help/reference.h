#pragma once

#include <string>
#include <string_view>

#include "cli/help/command_model.h"

namespace tacet::cli {

/// The manual page tacet(1), in the man macros of roff.
auto man_page(const ProgramModel& program, std::string_view version) -> std::string;

/// The same as Markdown: docs/cli.md.
auto markdown_reference(const ProgramModel& program) -> std::string;

}  // namespace tacet::cli
