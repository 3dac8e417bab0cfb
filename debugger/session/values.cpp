#include "debugger/session/values.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/run/interpret/type_layout.h"
#include "compiler/run/interpret/value.h"

namespace tacet::debugger {

using types::TypeId;
using types::TypeKind;

/// Longer texts are cut.
static constexpr size_t kMostText = 120;

auto Values::shape(const ValueNode& node) const -> std::vector<uint64_t> {
  std::vector<uint64_t> extents = interpret::extents(types_, node.type);
  extents.erase(extents.begin(),
                extents.begin() + std::min<ptrdiff_t>(node.n_indices, std::ssize(extents)));
  return extents;
}

auto Values::n_cells(const ValueNode& node) const -> uint64_t {
  uint64_t n = interpret::n_cells(types_, node.type).value_or(0);
  const std::vector<uint64_t> extents = interpret::extents(types_, node.type);
  for (uint32_t i = 0; i < node.n_indices && i < extents.size(); ++i) {
    n = extents[i] == 0 ? 0 : n / extents[i];
  }
  return n;
}

auto Values::cell(const ValueNode& node, uint64_t at) const -> interpret::Cell {
  if (node.kept) {
    return at < node.kept->cells.size() ? node.kept->cells[at] : 0;
  }
  return machine_.has_cell(at) ? machine_.cell(at) : 0;
}

void Values::add_columns(const std::vector<ValueNode>& nodes, KeptCells& result) const {
  if (nodes.empty()) {
    return;
  }
  if (types_[nodes.front().type].kind == TypeKind::Array) {
    std::vector<ValueNode> elements;
    for (const ValueNode& node : nodes) {
      for (uint64_t i = 0; i < n_elements(node); ++i) {
        elements.push_back(element(node, i));
      }
    }
    add_columns(elements, result);
    return;
  }
  const size_t n_parts = fields(nodes.front()).size();
  for (size_t k = 0; k < n_parts; ++k) {
    std::vector<ValueNode> parts;
    parts.reserve(nodes.size());
    for (const ValueNode& node : nodes) {
      parts.push_back(fields(node)[k].value);
    }
    add_columns(parts, result);
  }
  for (const ValueNode& node : n_parts == 0 ? nodes : std::vector<ValueNode>()) {
    for (uint64_t at = node.cell; at < node.cell + n_cells(node); ++at) {
      result.cells.push_back(cell(node, at));
      result.origins.push_back(origin(node, at));
    }
  }
}

auto Values::columns_of(const ValueNode& node) const -> KeptCells {
  KeptCells result;
  add_columns({node}, result);
  return result;
}

auto Values::origin(const ValueNode& node, uint64_t at) const -> interpret::OriginSet {
  if (node.kept) {
    return at < node.kept->origins.size() ? node.kept->origins[at] : 0;
  }
  return machine_.has_cell(at) ? machine_.origin(at) : 0;
}

auto Values::origins(const ValueNode& node) const -> interpret::OriginSet {
  interpret::OriginSet all = 0;
  for (uint64_t at = node.cell; at < node.cell + n_cells(node); ++at) {
    all |= origin(node, at);
  }
  if (types_[node.type].kind == TypeKind::Reference) {
    for (const Part& part : fields(node)) {
      all |= origins(part.value);
    }
  }
  return all;
}

auto Values::is_secret(const ValueNode& node) const -> bool {
  return node.is_secret || types_.visibility(node.type) == types::Visibility::Secret ||
         (origins(node) & secret_inputs_) != 0;
}

auto Values::type_text(const ValueNode& node) const -> std::string {
  if (node.n_indices == 0) {
    return types::type_text(types_, names_, node.type);
  }
  const std::vector<uint64_t> extents = shape(node);
  if (types_[node.type].kind == TypeKind::Array) {
    const std::string element = types::type_text(types_, names_, types_[node.type].element);
    return extents.empty() ? element : fmt::format("[{}; {}]", element, fmt::join(extents, ", "));
  }
  const bool is_secret = types_.visibility(node.type) == types::Visibility::Secret;
  return (is_secret ? "secret " : "") +
         interpret::type_text(interpret::element_type(types_, node.type), extents);
}

auto Values::n_elements(const ValueNode& node) const -> uint64_t {
  const std::vector<uint64_t> extents = shape(node);
  return extents.empty() ? 0 : extents.front();
}

auto Values::element(const ValueNode& node, uint64_t index) const -> ValueNode {
  ValueNode part = node;
  ++part.n_indices;
  const bool is_record = types_[node.type].kind == TypeKind::Array && shape(part).empty();
  const uint64_t width = n_cells(part);
  part.cell = node.cell + index * width;
  if (is_record) {
    part.type = types_[node.type].element;
    part.n_indices = 0;
  }
  return part;
}

auto Values::fields(const ValueNode& node) const -> std::vector<Part> {
  std::vector<Part> parts;
  const types::Type& data = types_[node.type];
  const bool is_reference = data.kind == TypeKind::Reference;
  if (is_reference && !node.kept) {
    ValueNode held = node;
    held.type = data.element;
    held.cell = cell(node, node.cell);
    held.n_indices = 0;
    parts.push_back({"*", std::move(held)});
    return parts;
  }
  if (!shape(node).empty() || is_reference) {
    return parts;
  }
  uint64_t at = node.cell;
  const auto add = [&](std::string name, TypeId type) {
    ValueNode part = node;
    part.type = type;
    part.cell = at;
    part.n_indices = 0;
    at += interpret::n_cells(types_, type).value_or(0);
    parts.push_back({std::move(name), std::move(part)});
  };
  if (data.kind == TypeKind::Tuple) {
    const std::vector<TypeId> members = types_.members(data.members);
    for (size_t i = 0; i < members.size(); ++i) {
      add(std::to_string(i), members[i]);
    }
  }
  for (const types::RecordField& field : interpret::record_fields(types_, node.type)) {
    add(std::string(names_.text(field.name)), field.type);
  }
  return parts;
}

auto Values::n_fields(const ValueNode& node) const -> uint64_t {
  return fields(node).size();
}

void Values::append(const ValueNode& node, size_t most, std::string& out) const {
  const auto list = [&](uint64_t n, std::string_view open, std::string_view close,
                        const auto& item) {
    out += open;
    for (uint64_t i = 0; i < n; ++i) {
      out += i == 0 ? "" : ", ";
      if (out.size() > most) {
        out += "…";
        break;
      }
      item(i);
    }
    out += close;
  };
  if (!shape(node).empty()) {
    list(n_elements(node), "[", "]", [&](uint64_t i) { append(element(node, i), most, out); });
    return;
  }
  const TypeKind kind = types_[node.type].kind;
  const std::vector<Part> parts = fields(node);
  if (kind == TypeKind::Tuple || !parts.empty()) {
    const bool is_tuple = kind == TypeKind::Tuple;
    const bool is_reference = kind == TypeKind::Reference;
    list(parts.size(),
         is_tuple       ? "("
         : is_reference ? "&"
                        : "{",
         is_tuple       ? ")"
         : is_reference ? ""
                        : "}",
         [&](uint64_t i) {
           if (!is_tuple && !is_reference) {
             out += parts[i].name + ": ";
           }
           append(parts[i].value, most, out);
         });
    return;
  }
  if (kind != TypeKind::Value) {
    out += types::type_text(types_, names_, node.type);
    return;
  }
  if (is_hidden(node)) {
    out += kHiddenValue;
    return;
  }
  out += interpret::element_text(interpret::element_type(types_, node.type), cell(node, node.cell));
}

auto Values::text(const ValueNode& node) const -> std::string {
  if (types_[node.type].kind == TypeKind::Value && is_hidden(node)) {
    return std::string(kHiddenValue);
  }
  std::string out;
  append(node, kMostText, out);
  return out;
}

}  // namespace tacet::debugger
