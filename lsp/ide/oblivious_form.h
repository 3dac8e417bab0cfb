#pragma once

#include <optional>

#include "compiler/spec/program/frontend.h"
#include "formatter/style.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Oblivious form
///
/// The device function at `offset` as the compiler would run it, written as source: what
/// `tacet emit --stage oblivious` prints of it, behind a comment that says what was rewritten and
/// what could not be, laid out by `style`. Nothing where there is no device function, or one with
/// errors.
auto oblivious_form(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset,
                    const formatter::Style& style) -> std::optional<ObliviousText>;

}  // namespace tacet::ide
