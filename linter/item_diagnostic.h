#pragma once

#include "compiler/front/names/report.h"

namespace tacet::linter {

/// Places that rules write name items in the place of files.
inline auto item_of(FileRange place) -> names::ItemId {
  return names::ItemId{place.file.index};
}

/// What a rule found, as a diagnostic of an item.
auto in_item(Diagnostic diagnostic) -> names::ItemDiagnostic;

}  // namespace tacet::linter
