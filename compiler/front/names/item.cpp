#include "compiler/front/names/item.h"

namespace tacet::names {

auto kind_text(ItemKind kind) -> std::string_view {
  switch (kind) {
    case ItemKind::Val:
      return "value specification";
    case ItemKind::Tmln:
      return "timeline specification";
    case ItemKind::Sptl:
      return "spatial specification";
    case ItemKind::Extern:
      return "extern";
    case ItemKind::Feq:
      return "equivalence class";
    case ItemKind::Fn:
      return "function";
    case ItemKind::Type:
      return "type";
    case ItemKind::Const:
      return "constant";
    case ItemKind::Party:
      return "party";
    case ItemKind::Pipeline:
      return "pipeline";
    case ItemKind::Import:
      return "import";
    case ItemKind::Test:
      return "test";
    case ItemKind::Input:
      return "input";
    case ItemKind::Program:
      return "array program";
  }
  return {};
}

}  // namespace tacet::names
