#pragma once

#include <string>
#include <vector>

#include "compiler/views/he/layout.h"

namespace tacet::picture {

/// An array in slots, with its meaning.
struct CaptionedLayout {
  std::string caption;
  he_views::Layout layout;
};

/// Which element is in which slot: a row for each vector, a column for each slot, a colour for each
/// first index. What `he_views::picture` says, for those who can show it; several below one
/// another.
auto layout_picture(const std::vector<CaptionedLayout>& layouts) -> std::string;

}  // namespace tacet::picture
