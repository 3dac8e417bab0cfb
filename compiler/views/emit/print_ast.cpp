#include "compiler/views/emit/print_ast.h"

#include <fmt/format.h>

namespace tacet::emit {

using names::Meaning;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

auto local_kind_text(names::LocalKind kind) -> std::string_view {
  switch (kind) {
    case names::LocalKind::Type:
      return "type";
    case names::LocalKind::Function:
      return "function";
    case names::LocalKind::Size:
      return "size";
    case names::LocalKind::Parameter:
      return "parameter";
    case names::LocalKind::Dim:
      return "dimension";
    case names::LocalKind::Definition:
      return "definition";
    case names::LocalKind::Output:
      return "output";
    case names::LocalKind::Let:
      return "let";
    case names::LocalKind::Var:
      return "var";
    case names::LocalKind::Index:
      return "index";
    case names::LocalKind::Loop:
      return "loop variable";
    case names::LocalKind::Element:
      return "element";
    case names::LocalKind::Encoded:
      return "encoded";
  }
  return "";
}

/// The tree of one item.
class ItemPrinter {
 public:
  ItemPrinter(const program::FrontendSnapshot& snapshot, const check::Body& body, std::string& out)
      : snapshot_(snapshot), body_(body), out_(out) {}

  /// `field` is the node's role, or that of the parentheses around it.
  void print(Node node, Field field, int depth) {
    if (node.is(NodeKind::ParenthesizedExpression) && node.child(Field::Value)) {
      print(node.child(Field::Value), field, depth);
      return;
    }
    if (!is_named(node.kind()) && field == Field::None) {
      return;  // punctuation and keywords
    }
    out_.append(static_cast<size_t>(2 * depth), ' ');
    if (field != Field::None) {
      out_ += fmt::format("{}: ", field_name(field));
    }
    out_ += is_named(node.kind()) ? kind_name(node.kind()) : std::string_view("token");
    if (node.is_leaf()) {
      out_ += fmt::format(" `{}`", node.text());
    }
    out_ += meaning_text(node);
    if (types::TypeId type = body_.type(node); type != types::TypeStore::kError) {
      out_ += fmt::format(" : {}", type_text(snapshot_.types(), snapshot_.interner(), type));
    }
    out_ += "\n";
    if (node.is(NodeKind::FeqItem)) {
      return;  // its members are items of their own, which follow
    }
    for (Node child : node.children()) {
      print(child, child.field(), depth + 1);
    }
  }

 private:
  auto meaning_text(Node node) const -> std::string {
    names::Resolution resolution = body_.names.of(node.index());
    switch (resolution.meaning()) {
      case Meaning::Nothing:
        return "";
      case Meaning::Unknown:
        return " = unknown";
      case Meaning::Local: {
        const names::Local& local = body_.names.locals[resolution.index()];
        return fmt::format(" = {} #{}", local_kind_text(local.kind), resolution.index());
      }
      case Meaning::Item: {
        const names::ItemKey& key = snapshot_.item_key(body_.names.items[resolution.index()]);
        return fmt::format(" = {} {}", kind_text(key.kind),
                           key.name.has_value() ? snapshot_.interner().text(key.name) : "");
      }
      case Meaning::Builtin:
        return " = built in";
      case Meaning::Party:
        return " = party";
      case Meaning::Device:
        return " = device";
    }
    return "";
  }

  const program::FrontendSnapshot& snapshot_;
  const check::Body& body_;
  std::string& out_;
};

}  // namespace

auto print_ast(const program::FrontendSnapshot& snapshot, FileId file) -> std::string {
  std::string out;
  for (const names::FileItem& item : snapshot.items(file)->items) {
    names::ItemTree tree = snapshot.tree(item.id);
    check::BodyPtr body = snapshot.body(item.id);
    ItemPrinter printer(snapshot, *body, out);
    for (Node node : tree->root().children()) {
      printer.print(node, Field::None, item.member == names::FileItem::kTopLevel ? 0 : 1);
    }
  }
  return out;
}

}  // namespace tacet::emit
