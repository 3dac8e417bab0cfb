#pragma once

#include <optional>

#include "compiler/spec/program/frontend.h"

namespace tacet::ide {

/// Feature: Inline Completion
///
/// What certainly follows at the cursor, as text that is offered before anybody asks: behind
/// `impls` the specifications that are missing, where there is only one of each kind, and behind a
/// hole the cheapest filling.
auto inline_completion(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> std::optional<TextEdit>;

}  // namespace tacet::ide
