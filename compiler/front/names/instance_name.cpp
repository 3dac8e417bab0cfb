#include "compiler/front/names/instance_name.h"

#include <fmt/format.h>

#include "compiler/front/names/instance.h"

namespace tacet::names {

auto instance_name(const Interner& interner, const ItemKey& key) -> std::string {
  return (key.name.has_value() ? std::string(interner.text(key.name)) : "") +
         instance_values(interner, key);
}

auto instance_values(const Interner& interner, const ItemKey& key) -> std::string {
  if (!is_instance(key)) {
    return {};
  }
  std::vector<std::string> values;
  for (const FunctionValue& function : key.functions) {
    values.emplace_back(interner.text(function.name));
  }
  for (const Name type : key.types) {
    values.emplace_back(interner.text(type));
  }
  for (const int64_t size : key.sizes) {
    values.push_back(std::to_string(size));
  }
  return fmt::format("'<{}>", fmt::join(values, ", "));
}

}  // namespace tacet::names
