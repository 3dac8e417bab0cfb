#pragma once

#include <string_view>

#include "compiler/core/syntax/tree.h"

namespace tacet::syntax {

/// What a file is written in; its name's ending says so.
enum class Language : uint8_t {
  Module,        ///< `*.tacet`, `*.cm`
  ArrayProgram,  ///< `*.tlhe`
};

/// How deep brackets and blocks may nest, and how high a tree may grow in all: a sum of n terms is
/// n high. What goes beyond is reported and left out of the tree, so that every later pass may
/// recurse over trees without a thought for the stack.
constexpr uint32_t kMaxNesting = 500;
constexpr uint32_t kMaxTreeHeight = 2500;

/// Buffers that parsing one unit leaves for the next, so that a file costs few allocations. Holds
/// nothing that matters between calls.
struct ParserMemory {
  struct OpenRun {
    uint32_t begin, end;
  };
  std::vector<NodeData> nodes;
  std::vector<uint16_t> heights;
  std::vector<Comment> comments;
  std::vector<OpenRun> open;
  /// Are forms of other languages read, to say how Tacet writes them? Without, they are mistakes
  /// like others, and what is free of errors is Tacet.
  bool reads_foreign_forms = true;
};

/// Parses the unit at the front of `text`: one item of a module (with its `#version` line counted
/// as an item), one input or the result of an array program, a run of tokens that begin no item,
/// or the white space and comments at the end. The tree's text is the part of `text` that the
/// unit takes: leading trivia, the tokens, and trivia behind them to the end of their line.
///
/// Never fails: what is wrong is in `errors`, where one mistake gives one diagnostic. The result
/// depends only on the first `examined` bytes of `text`. O(unit's length).
auto parse_unit(std::string_view text, Language language, ParserMemory& memory) -> Tree;

}  // namespace tacet::syntax
