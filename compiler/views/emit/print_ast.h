#pragma once

#include <string>

#include "compiler/spec/program/frontend.h"

namespace tacet::emit {

/// Stage `ast`: the items of a file as trees without punctuation and parentheses, every name
/// with what it means and every expression with its type. For people and golden tests.
auto print_ast(const program::FrontendSnapshot& snapshot, FileId file) -> std::string;

}  // namespace tacet::emit
