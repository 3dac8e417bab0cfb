#include "compiler/front/names/instance_name.h"

#include <fmt/format.h>

namespace tacet::names {

auto instance_name(const Interner& interner, const ItemKey& key) -> std::string {
  std::string name(key.name.has_value() ? interner.text(key.name) : std::string_view());
  return key.sizes.empty() ? name : fmt::format("{}'<{}>", name, fmt::join(key.sizes, ", "));
}

}  // namespace tacet::names
