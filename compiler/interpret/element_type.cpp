#include "compiler/interpret/element_type.h"

#include <fmt/format.h>

#include <charconv>

namespace tacet::interpret {

auto element_type_name(ElementType type) -> std::string {
  if (type.kind == ElementKind::Fxp && type.fraction_bits != kDefaultFractionBits) {
    return fmt::format("fxp<{}>", type.fraction_bits);
  }
  return std::string(types::dtype_text(type.kind));
}

auto find_element_type(std::string_view name, ElementType& type) -> bool {
  if (types::find_dtype(name, type.kind)) {
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

}  // namespace tacet::interpret
