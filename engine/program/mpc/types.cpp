#include "engine/program/mpc/types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tacet::engine {

auto n_elements(const MpcType& type) -> int64_t {
  int64_t n = 1;
  for (const int64_t extent : type.extents) {
    n *= extent;
  }
  return n;
}

auto ring_bits_of(ElementType element, unsigned of_fixed_point) -> unsigned {
  if (element.kind == ElementKind::Fxp) {
    return of_fixed_point;
  }
  return bit_width(element.kind) <= 32 && element.kind != ElementKind::Bool ? 32 : 64;
}

static auto extents_text(const std::vector<int64_t>& extents) -> std::string {
  return extents.empty() ? "" : fmt::format("[{}]", fmt::join(extents, ", "));
}

auto type_text(const MpcType& type) -> std::string {
  return fmt::format("{} {}{}", type.is_secret() ? "secret" : "public",
                     element_type_name(type.element), extents_text(type.extents));
}

auto MpcPartialType::agrees_with(const MpcType& type) const -> bool {
  return (!visibility || *visibility == type.visibility) &&
         (!element || *element == type.element) && (!extents || *extents == type.extents);
}

auto type_text(const MpcPartialType& type) -> std::string {
  constexpr std::string_view kUnknown = "$UNKNOWN";
  return fmt::format(
      "type({}, {}, {})",
      !type.visibility                            ? kUnknown
      : *type.visibility == MpcVisibility::Secret ? "SECRET"
                                                  : "PUBLIC",
      type.element ? element_type_name(*type.element) : std::string(kUnknown),
      type.extents ? fmt::format("[{}]", fmt::join(*type.extents, ", ")) : std::string(kUnknown));
}

}  // namespace tacet::engine
