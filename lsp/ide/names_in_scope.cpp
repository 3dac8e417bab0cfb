#include "lsp/ide/names_in_scope.h"

#include <algorithm>
#include <array>

namespace tacet::ide {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// Gathers declarations in the order of the text.
class Gatherer {
 public:
  explicit Gatherer(const CompletionSite& site) : site_(site) {}

  auto run() -> std::vector<ScopedName> {
    for (const Node node : site_.path) {
      add_of(node, site_.below(node));
    }
    std::vector<ScopedName> nearest;
    for (auto name = names_.rbegin(); name != names_.rend(); ++name) {
      auto is_same = [&](const ScopedName& other) { return other.text == name->text; };
      if (std::none_of(nearest.begin(), nearest.end(), is_same)) {
        nearest.push_back(*name);
      }
    }
    return nearest;
  }

 private:
  void add(Node name, ScopedKind as = ScopedKind::Variable) {
    if (name.is(NodeKind::Identifier) && name != site_.path.back()) {
      names_.push_back({name.text(), name, as});
    }
  }

  /// The names that `list` declares, each by a child of kind `kind`.
  void add_each(Node list, NodeKind kind, ScopedKind as = ScopedKind::Variable) {
    for (const Node entry : list.children()) {
      if (entry.is(kind)) {
        add(entry.child(Field::Name), as);
      }
    }
  }

  /// What `node`, on the path to the cursor, declares for its child `towards`.
  void add_of(Node node, Node towards) {
    static constexpr std::array kWithParameters = {NodeKind::ValItem, NodeKind::TmlnItem,
                                                   NodeKind::SptlItem, NodeKind::FnItem,
                                                   NodeKind::ExternItem};
    const NodeKind kind = node.kind();
    const bool is_for = kind == NodeKind::ForStatement || kind == NodeKind::ForExpression;
    const bool is_towards_body = towards.field() == Field::Body;
    if (std::find(kWithParameters.begin(), kWithParameters.end(), kind) != kWithParameters.end()) {
      add_each(node.child(Field::Sizes), NodeKind::SizeParameter, ScopedKind::Size);
      add_each(node.child(Field::Sizes), NodeKind::TypeParameter, ScopedKind::Type);
      add_each(node.child(Field::Parameters), NodeKind::FunctionParameter, ScopedKind::Parameter);
      add_each(node.child(Field::Parameters), NodeKind::Parameter, ScopedKind::Parameter);
    } else if (kind == NodeKind::Block || kind == NodeKind::SpecBlock) {
      add_of_block(node, towards);
    } else if (kind == NodeKind::LetExpression && is_towards_body) {
      add_each(node, NodeKind::Binding);
    } else if (is_for && is_towards_body) {
      for (const Node variable : node.children(Field::Variable)) {
        add(variable);
      }
    }
  }

  /// What the statements of a block declare in front of one of them.
  void add_of_block(Node block, Node towards) {
    for (const Node statement : block.children()) {
      if (statement == towards) {
        return;
      }
      if (statement.is(NodeKind::LetStatement) || statement.is(NodeKind::VarStatement)) {
        add_each(statement, NodeKind::Binding);
      } else if (statement.is(NodeKind::Definition)) {
        add_each(statement, NodeKind::SpecBinding);
      }
    }
  }

  const CompletionSite& site_;
  std::vector<ScopedName> names_;
};

}  // namespace

auto names_in_scope(const CompletionSite& site) -> std::vector<ScopedName> {
  return Gatherer(site).run();
}

auto encoded_names(const CompletionSite& site) -> std::vector<ScopedName> {
  std::vector<ScopedName> names;
  const Node around = site.around(NodeKind::EncodeStatement);
  const std::string_view encoder = around.child(Field::Encoder).text();
  for (const Node block : site.path) {
    if (!block.is(NodeKind::Block)) {
      continue;
    }
    for (const Node statement : block.children()) {
      if (statement == site.below(block)) {
        break;
      }
      if (statement.is(NodeKind::EncodeStatement) &&
          statement.child(Field::Encoder).text() == encoder) {
        for (const Node entry : statement.children()) {
          if (entry.is(NodeKind::EncodeDestination)) {
            const Node name = entry.child(Field::Name);
            names.push_back({name.text(), name, ScopedKind::Variable});
          }
        }
      }
    }
  }
  return names;
}

}  // namespace tacet::ide
