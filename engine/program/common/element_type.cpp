#include "engine/program/common/element_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tacet::engine {

static constexpr std::string_view kKindNames[] = {
#define TACET_ELEMENT_KIND(Name, text, bits) text,
#include "engine/program/common/element_kinds.def"
};

auto element_type_name(ElementType type) -> std::string {
  if (type.kind == ElementKind::Fxp && type.fraction_bits != kDefaultFractionBits) {
    return fmt::format("fxp<{}>", type.fraction_bits);
  }
  return std::string(kKindNames[static_cast<size_t>(type.kind)]);
}

auto find_element_type(std::string_view name, ElementType& type) -> bool {
  const auto* found = std::find(std::begin(kKindNames), std::end(kKindNames), name);
  if (found != std::end(kKindNames)) {
    type.kind = static_cast<ElementKind>(found - std::begin(kKindNames));
    type.fraction_bits = type.kind == ElementKind::Fxp ? kDefaultFractionBits : uint8_t{0};
    return true;
  }
  if (!name.starts_with("fxp<") || !name.ends_with(">")) {
    return false;
  }
  std::string_view digits = name.substr(4, name.size() - 5);
  unsigned bits = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (error != std::errc() || end != digits.data() + digits.size() || bits > kMaxFractionBits) {
    return false;
  }
  type = {ElementKind::Fxp, static_cast<uint8_t>(bits)};
  return true;
}

}  // namespace tacet::engine
