#pragma once

#include <vector>

#include "cli/command.h"

/// One function for each sub-command, defined in the file of that name; `run` is in `cli/run`.
namespace tacet::cli {

/// Every sub-command that does its work and ends, in the order in which help lists them.
auto library_commands() -> std::vector<Command>;

auto bench_command() -> Command;
auto build_command() -> Command;
auto check_command() -> Command;
auto emit_command() -> Command;
auto explain_command() -> Command;
auto explore_command() -> Command;
auto fill_command() -> Command;
auto fmt_command() -> Command;
auto import_command() -> Command;
auto library_command() -> Command;
auto lint_command() -> Command;
auto new_command() -> Command;
auto party_command() -> Command;
auto joint_command() -> Command;
auto random_command() -> Command;
auto test_command() -> Command;

auto completions_command() -> Command;
auto help_command() -> Command;
auto man_command() -> Command;
auto version_command() -> Command;

}  // namespace tacet::cli
