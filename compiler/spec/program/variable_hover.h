#pragma once

#include <optional>

#include "compiler/spec/program/frontend.h"

namespace tacet::program {

/// What `FrontendSnapshot::hover` gives about a variable, whose type a later phase knows better: it
/// is `type`.
auto hover_on_variable(const FrontendSnapshot& snapshot, const Entity& entity, types::TypeId type)
    -> std::optional<HoverData>;

}  // namespace tacet::program
