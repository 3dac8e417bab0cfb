#include "compiler/run/gpu/kernel_declaration.h"

#include <fmt/format.h>

#include "compiler/front/names/queries.h"
#include "compiler/run/interpret/type_layout.h"

namespace tacet::gpu {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// One declaration, as it is read.
class Reader {
 public:
  Reader(const program::FrontendSnapshot& snapshot, names::ItemId item)
      : snapshot_(snapshot),
        item_(item),
        signature_(snapshot.signature(item)),
        tree_(snapshot.tree(item)) {}

  auto read() -> KernelDeclaration {
    KernelDeclaration declaration;
    declaration.name = snapshot_.interner().text(snapshot_.item_key(item_).name);
    declaration.name_place = snapshot_.name_place(item_);
    for (const types::SignatureParameter& parameter : signature_->parameters) {
      declaration.parameters.push_back(text(parameter.name));
    }
    for (size_t i = 0; i < signature_->results.size(); ++i) {
      const Name name = signature_->results[i].name;
      declaration.results.push_back(name.has_value() ? text(name) : fmt::format("_out{}", i));
    }
    for (const Node child : names::item_node(*tree_).child(Field::Properties).children()) {
      if (child.is(NodeKind::ExternResource)) {
        add_buffer(child, declaration);
      } else if (child.is(NodeKind::ExternProperty)) {
        property(child, declaration);
      }
    }
    return declaration;
  }

 private:
  [[nodiscard]] auto text(Name name) const -> std::string {
    return name.has_value() ? std::string(snapshot_.interner().text(name)) : std::string();
  }

  [[nodiscard]] auto place(Node node) const -> FileRange {
    return {snapshot_.name_place(item_).file, node.range().shifted(snapshot_.item_begin(item_))};
  }

  static auto number(Node node) -> uint32_t {
    return static_cast<uint32_t>(names::parse_integer(node.text()).value_or(0));
  }

  /// Without its quotes.
  static auto string(Node node) -> std::string {
    const std::string_view quoted = node.text();
    return quoted.size() < 2 ? std::string() : std::string(quoted.substr(1, quoted.size() - 2));
  }

  void property(Node node, KernelDeclaration& declaration) const {
    const std::string_view key = node.child(Field::Key).text();
    const Node value = node.child(Field::Value);
    if (key == "path") {
      declaration.path = string(value);
      declaration.path_place = place(value);
    } else if (key == "entry") {
      declaration.entry = string(value);
      declaration.entry_place = place(value);
    } else if (key == "dimensions") {
      declaration.n_dimensions = number(value);
      declaration.dimensions_place = place(value);
    }
  }

  void add_buffer(Node node, KernelDeclaration& declaration) {
    DeclaredBuffer buffer;
    const Node name = node.child(Field::Name);
    buffer.place = place(name ? name : node);
    for (const Node each : node.children()) {
      if (!each.is(NodeKind::ExternProperty)) {
        continue;
      }
      const std::string_view key = each.child(Field::Key).text();
      const Node value = each.child(Field::Value);
      if (key == "group") {
        buffer.group = number(value);
      } else if (key == "binding") {
        buffer.binding = number(value);
      } else {
        buffer.role = key == "output" ? BufferRole::Output : BufferRole::Input;
        buffer.name = value.text();
        buffer.place = place(value);
      }
    }
    const types::TypeId type = find_port(buffer, declaration);
    buffer.type = interpret::element_type(snapshot_.types(), type);
    const std::vector<uint64_t> extents = interpret::extents(snapshot_.types(), type);
    if (!extents.empty()) {
      buffer.n_elements = 1;
      for (const uint64_t extent : extents) {
        *buffer.n_elements *= extent;
      }
    }
    declaration.buffers.push_back(std::move(buffer));
  }

  /// The port of the buffer's name; a name that no result has is of the next one without a name.
  auto find_port(DeclaredBuffer& buffer, const KernelDeclaration& declaration) -> types::TypeId {
    const bool is_input = buffer.role == BufferRole::Input;
    const std::vector<std::string>& names = is_input ? declaration.parameters : declaration.results;
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == buffer.name) {
        buffer.port = static_cast<uint32_t>(i);
        return is_input ? signature_->parameters[i].type : signature_->results[i].type;
      }
    }
    while (n_unnamed_ < signature_->results.size() &&
           signature_->results[n_unnamed_].name.has_value()) {
      ++n_unnamed_;
    }
    buffer.port = std::min(n_unnamed_++, static_cast<uint32_t>(signature_->results.size()) - 1);
    return signature_->results[buffer.port].type;
  }

  const program::FrontendSnapshot& snapshot_;
  names::ItemId item_;
  std::shared_ptr<const types::Signature> signature_;
  names::ItemTree tree_;
  uint32_t n_unnamed_ = 0;
};

}  // namespace

auto kernel_declaration(const program::FrontendSnapshot& snapshot, names::ItemId item)
    -> std::optional<KernelDeclaration> {
  const auto signature = snapshot.signature(item);
  if (!signature || signature->kind != names::ItemKind::Extern ||
      signature->device != names::Device::Gpu ||
      !names::item_node(*snapshot.tree(item)).child(Field::Properties)) {
    return std::nullopt;
  }
  return Reader(snapshot, item).read();
}

}  // namespace tacet::gpu
