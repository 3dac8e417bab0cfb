#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

#include "compiler/core/syntax/tree.h"

/// Walks over trees that several analyses share.
namespace tacet::syntax {

/// The nodes of a subtree in the order of the text, its root first.
class Subtree {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Node;
    using difference_type = std::ptrdiff_t;
    using pointer = const Node*;
    using reference = Node;

    Iterator() = default;
    Iterator(const Tree* tree, uint32_t index) : tree_(tree), index_(index) {}
    auto operator*() const -> Node { return {tree_, index_}; }
    auto operator++() -> Iterator& {
      ++index_;
      return *this;
    }
    auto operator++(int) -> Iterator {
      Iterator old = *this;
      ++*this;
      return old;
    }
    friend auto operator==(Iterator, Iterator) -> bool = default;

   private:
    const Tree* tree_ = nullptr;
    uint32_t index_ = 0;
  };

  explicit Subtree(Node root) : root_(root) {}
  [[nodiscard]] auto begin() const -> Iterator { return {root_.tree(), root_ ? root_.index() : 0}; }
  [[nodiscard]] auto end() const -> Iterator { return {root_.tree(), root_.subtree_end()}; }

 private:
  Node root_;
};

/// `root` and all nodes below it, in the order of the text; of a null node, none.
inline auto subtree(Node root) -> Subtree {
  return Subtree(root);
}

/// True if `root` or a node below it is of kind `kind`.
inline auto mentions(Node root, NodeKind kind) -> bool {
  const Subtree nodes(root);
  return std::any_of(nodes.begin(), nodes.end(), [&](Node node) { return node.is(kind); });
}

/// The children of kind `kind`, in order.
inline auto children_of(Node parent, NodeKind kind) -> std::vector<Node> {
  std::vector<Node> found;
  for (Node child : parent.children()) {
    if (child.is(kind)) {
      found.push_back(child);
    }
  }
  return found;
}

/// The named children: arguments of a list, values of a template.
inline auto named_children(Node list) -> std::vector<Node> {
  std::vector<Node> found;
  for (Node child : list.children()) {
    if (is_named(child.kind())) {
      found.push_back(child);
    }
  }
  return found;
}

/// The last of `tags` that gives a node of `dimension`, which is the one that counts, or null.
inline auto last_tag_of(Node tags, std::string_view dimension) -> Node {
  Node last;
  for (Node tag : tags.children()) {
    const Node named = tag.is(NodeKind::Tag) ? tag.child(Field::Node) : Node();
    if (named && named.child(Field::Dimension).text() == dimension) {
      last = tag;
    }
  }
  return last;
}

/// Visits the children of the annotations `@in { … };` in front of all other statements of `body`.
template <class Visit>
void visit_entry_annotations(Node body, Visit visit) {
  for (Node statement : body.children()) {
    if (!is_named(statement.kind())) {
      continue;
    }
    if (!statement.is(NodeKind::AnnotationStatement)) {
      return;
    }
    if (statement.child(Field::Place).text() == "in") {
      for (Node annotation : statement.children()) {
        visit(annotation);
      }
    }
  }
}

}  // namespace tacet::syntax
