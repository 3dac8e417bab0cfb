#include "compiler/interpret/element_type.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace tacet::interpret {

static constexpr std::array<std::string_view, 12> kNames = {
    "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fxp", "f32", "f64"};

auto element_type_name(ElementType type) -> std::string {
  std::string_view name = kNames[static_cast<size_t>(type.kind)];
  if (type.kind == ElementKind::Fxp && type.fraction_bits != kDefaultFractionBits) {
    return fmt::format("fxp<{}>", type.fraction_bits);
  }
  return std::string(name);
}

auto find_element_type(std::string_view name, ElementType& type) -> bool {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) {
      auto kind = static_cast<ElementKind>(i);
      type = {kind, kind == ElementKind::Fxp ? kDefaultFractionBits : uint8_t{0}};
      return true;
    }
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
