#pragma once

#include <string>

#include "compiler/run/cps/assembly.h"

namespace tacet::cps {

/// The assembly as text; `parse` reads it back. What it looks like is in docs/subsystems/cps.md.
auto print(const Program& program) -> std::string;

/// `f.2`: a funclet as the text calls it.
auto funclet_name(const Program& program, FuncletId funclet) -> std::string;

/// The names of a funclet's values in the text, by value: `%a`, `%a.7` the next one of that name,
/// `%7` one without.
auto value_names(const Program& program, const Funclet& funclet) -> std::vector<std::string>;

auto type_text(const Type& type) -> std::string;

}  // namespace tacet::cps
