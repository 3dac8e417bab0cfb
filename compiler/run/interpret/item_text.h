#pragma once

#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/body.h"
#include "compiler/front/names/file_items.h"

/// Private to this folder.
namespace tacet::interpret {

/// One item's text and what is known about it.
struct ItemText {
  names::ItemId item;
  names::ItemTree tree;
  check::BodyPtr body;
  FileId file;
  uint32_t begin = 0;  ///< of the tree in the file

  [[nodiscard]] auto node(uint32_t index) const -> syntax::Node { return {tree.get(), index}; }
  [[nodiscard]] auto place(syntax::Node at) const -> FileRange {
    return {file, at.range().shifted(begin)};
  }
};

}  // namespace tacet::interpret
