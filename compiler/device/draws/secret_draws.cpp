#include "compiler/device/draws/secret_draws.h"

#include "compiler/core/syntax/bare.h"

namespace tacet::draws {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::Visibility;

namespace {

class SecretCalls {
 public:
  SecretCalls(const program::FrontendSnapshot& snapshot, names::ItemId item)
      : snapshot_(snapshot), tree_(snapshot.tree(item)), body_(snapshot.body(item)) {
    if (snapshot.item_key(item).kind == names::ItemKind::Fn) {
      for (const types::SignatureResult& result : snapshot.signature(item)->results) {
        results_.push_back(is_secret(result.type));
      }
    }
  }

  auto run() -> std::set<uint32_t> {
    const Node root{tree_.get(), 0};
    walk(root);
    mark_each(names::item_node(*tree_).child(Field::Body), results_);
    return std::move(found_);
  }

 private:
  auto is_secret(types::TypeId type) const -> bool {
    return snapshot_.types().visibility(type) == Visibility::Secret;
  }

  void walk(Node node) {
    if (node.is(NodeKind::LetStatement) || node.is(NodeKind::VarStatement) ||
        node.is(NodeKind::LetExpression)) {
      mark_bound(node);
    } else if (node.is(NodeKind::CastExpression)) {
      mark_each(node.child(Field::Value), {is_secret(body_->type(node.child(Field::Type)))});
    } else if (node.is(NodeKind::ReturnStatement)) {
      mark_each(node.child(Field::Value), results_);
    }
    for (Node child : node.children()) {
      walk(child);
    }
  }

  /// The values of the bindings whose types are secret.
  void mark_bound(Node node) {
    std::vector<bool> secret;
    for (Node binding : node.children()) {
      if (binding.is(NodeKind::Binding)) {
        const Node type = binding.child(Field::Type);
        secret.push_back(type && is_secret(body_->type(type)));
      }
    }
    mark_each(node.child(Field::Value), secret);
  }

  /// A value, or a tuple of them.
  void mark_each(Node node, const std::vector<bool>& secret) {
    if (!node || secret.empty()) {
      return;
    }
    node = last_of(syntax::bare(node));
    if (secret.size() == 1) {
      if (secret.front()) {
        mark(node);
      }
      return;
    }
    if (!node || !node.is(NodeKind::TupleExpression)) {
      return;
    }
    size_t i = 0;
    for (Node element : node.children(Field::Element)) {
      if (i < secret.size() && secret[i]) {
        mark(element);
      }
      ++i;
    }
  }

  /// What a block gives.
  static auto last_of(Node node) -> Node {
    while (node && node.is(NodeKind::Block)) {
      Node last;
      for (Node child : node.children()) {
        if (syntax::is_named(child.kind())) {
          last = child;
        }
      }
      node = last ? syntax::bare(last) : last;
    }
    return node;
  }

  void mark(Node node) {
    node = node ? last_of(syntax::bare(node)) : node;
    if (!node) {
      return;
    }
    if (node.is(NodeKind::CallExpression)) {
      found_.insert(node.index());
    } else if (node.is(NodeKind::ForExpression) || node.is(NodeKind::LetExpression)) {
      mark(node.child(Field::Body));
    } else if (node.is(NodeKind::CastExpression)) {
      mark(node.child(Field::Value));
    } else if (node.is(NodeKind::ConditionalExpression) || node.is(NodeKind::IfExpression)) {
      mark(node.child(Field::Consequence));
      mark(node.child(Field::Alternative));
    } else if (node.is(NodeKind::ArrayExpression)) {
      for (Node element : node.children(Field::Element)) {
        mark(element);
      }
    }
  }

  const program::FrontendSnapshot& snapshot_;
  const names::ItemTree tree_;
  const check::BodyPtr body_;
  std::vector<bool> results_;
  std::set<uint32_t> found_;
};

}  // namespace

auto find_secret_calls(const program::FrontendSnapshot& snapshot, names::ItemId item)
    -> std::set<uint32_t> {
  return SecretCalls(snapshot, item).run();
}

}  // namespace tacet::draws
