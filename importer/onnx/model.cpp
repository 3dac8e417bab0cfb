#include "importer/onnx/model.h"

#include <fmt/format.h>

namespace tacet::importer {

auto find_attribute(const Node& node, std::string_view name) -> const Attribute* {
  for (const Attribute& attribute : node.attributes) {
    if (attribute.name == name) {
      return &attribute;
    }
  }
  return nullptr;
}

auto integer_of(const Node& node, std::string_view name, int64_t otherwise) -> int64_t {
  const Attribute* found = find_attribute(node, name);
  return found != nullptr ? found->integer : otherwise;
}

auto number_of(const Node& node, std::string_view name, double otherwise) -> double {
  const Attribute* found = find_attribute(node, name);
  return found != nullptr ? found->number : otherwise;
}

auto text_of(const Node& node, std::string_view name, std::string otherwise) -> std::string {
  const Attribute* found = find_attribute(node, name);
  return found != nullptr ? found->text : otherwise;
}

auto integers_of(const Node& node, std::string_view name, std::vector<int64_t> otherwise)
    -> std::vector<int64_t> {
  const Attribute* found = find_attribute(node, name);
  return found != nullptr ? found->integers : otherwise;
}

auto numbers_of(const Node& node, std::string_view name) -> std::vector<double> {
  const Attribute* found = find_attribute(node, name);
  return found != nullptr ? found->numbers : std::vector<double>{};
}

auto description(const Node& node) -> std::string {
  if (!node.name.empty()) {
    return fmt::format("node `{}` ({})", node.name, node.op);
  }
  return fmt::format("node of `{}` ({})", node.outputs.empty() ? "" : node.outputs.front(),
                     node.op);
}

auto error_at(const Node& node, std::string_view message) -> Error {
  return Error{fmt::format("{}: {}", description(node), message)};
}

}  // namespace tacet::importer
