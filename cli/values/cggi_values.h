#pragma once

#include "compiler/run/interpret/interpret.h"
#include "engine/cggi_runtime/values.h"

namespace tacet::cli {

/// The parameters of a program, as those of any function; only those of `owner`, if one is given.
auto parameters_of(const engine::CggiProgram& program,
                   std::optional<engine::CggiOwner> owner = std::nullopt)
    -> std::vector<interpret::EntryParameter>;

/// The results of a program, likewise.
auto results_of(const engine::CggiProgram& program) -> std::vector<interpret::EntryResult>;

/// Values of all parameters, by name.
auto cells_of(const std::vector<interpret::EntryParameter>& parameters,
              const std::vector<interpret::Value>& values) -> engine::CggiValues;

/// The results in the order of the program.
auto values_of(const engine::CggiProgram& program, const engine::CggiValues& results)
    -> std::vector<interpret::Value>;

}  // namespace tacet::cli
