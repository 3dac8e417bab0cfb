#include "compiler/core/syntax/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::syntax {

namespace {

struct KindInfo {
  std::string_view name;
  bool named;
};

constexpr KindInfo kKinds[] = {
    {"ERROR", true},
    {"end of file", false},
#define TACET_PUNCTUATION(Name, text) {text, false},
#define TACET_RESERVED_WORD(Name, text) {text, false},
#define TACET_CONTEXTUAL_WORD(Name, text) {text, false},
#define TACET_NODE(Name, text) {text, true},
#include "compiler/core/syntax/node_kinds.def"
};

constexpr std::string_view kFields[] = {
    "",
#define TACET_FIELD(Name, text) text,
#include "compiler/core/syntax/fields.def"
};

}  // namespace

auto kind_name(NodeKind kind) -> std::string_view {
  return kKinds[static_cast<size_t>(kind)].name;
}

auto field_name(Field field) -> std::string_view {
  return kFields[static_cast<size_t>(field)];
}

auto is_named(NodeKind kind) -> bool {
  return kKinds[static_cast<size_t>(kind)].named;
}

auto Tree::root() const -> Node {
  return nodes.empty() ? Node() : Node(this, 0);
}

auto Node::children() const -> NodeRange {
  return tree_ ? NodeRange(tree_, index_ + 1, subtree_end()) : NodeRange(nullptr, 0, 0);
}

auto Node::child(Field field) const -> Node {
  for (Node node : children()) {
    if (node.field() == field) {
      return node;
    }
  }
  return {};
}

auto Node::child(NodeKind kind) const -> Node {
  for (Node node : children()) {
    if (node.kind() == kind) {
      return node;
    }
  }
  return {};
}

auto Node::children(Field field) const -> FieldRange {
  return {children(), field};
}

/// Names and literals are what a cursor at a boundary means.
static auto is_word(Node node) -> bool {
  return node.is_leaf() &&
         (is_named(node.kind()) || (!node.text().empty() && ((node.text().front() | 0x20) >= 'a' &&
                                                             (node.text().front() | 0x20) <= 'z')));
}

auto path_to(Node root, uint32_t offset) -> std::vector<Node> {
  std::vector<Node> path;
  Node at = root;
  while (at) {
    path.push_back(at);
    Node next;
    for (Node child : at.children()) {
      if (!child.range().touches(offset)) {
        continue;
      }
      bool ends_here = child.range().end == offset && !child.range().is_empty();
      if (!next || !ends_here) {
        bool left_word = next && next.range().end == offset;
        if (left_word) {
          Node last = next;
          while (!last.is_leaf()) {
            Node deepest;
            for (Node inner : last.children()) {
              deepest = inner;
            }
            last = deepest;
          }
          Node first = child;
          while (!first.is_leaf()) {
            first = *first.children().begin();
          }
          if (is_word(last) && !is_word(first)) {
            continue;
          }
        }
        next = child;
      }
    }
    at = next;
  }
  return path;
}

auto dump(Node root) -> std::string {
  std::string out;
  if (!root) {
    return out;
  }
  const Tree& tree = *root.tree();
  std::vector<uint32_t> ends;
  for (uint32_t i = root.index(); i < root.subtree_end(); ++i) {
    while (!ends.empty() && ends.back() <= i) {
      ends.pop_back();
    }
    Node node(&tree, i);
    bool shown = is_named(node.kind()) || node.field() != Field::None ||
                 (!ends.empty() && Node(&tree, i).kind() == NodeKind::Error);
    if (shown) {
      out.append(2 * ends.size(), ' ');
      if (node.field() != Field::None) {
        out += fmt::format("{}: ", field_name(node.field()));
      }
      if (node.is_leaf()) {
        out += is_named(node.kind()) ? fmt::format("{} `{}`\n", kind_name(node.kind()), node.text())
                                     : fmt::format("`{}`\n", node.text());
      } else {
        out += fmt::format("{}\n", kind_name(node.kind()));
      }
    }
    ends.push_back(node.subtree_end());
  }
  return out;
}

auto find_tree_fault(const Tree& tree) -> std::string {
  if (tree.nodes.empty() || tree.nodes[0].size != tree.nodes.size()) {
    return "the root does not contain every node";
  }
  std::vector<uint32_t> ends;
  uint32_t at = 0;
  size_t comment = 0;
  auto skip_trivia = [&](uint32_t to) -> std::string {
    while (at < to) {
      if (comment < tree.comments.size() && tree.comments[comment].range.begin == at) {
        at = tree.comments[comment++].range.end;
      } else if (std::string_view(" \t\r\n\f\v\xEF\xBB\xBF").find(tree.text[at]) !=
                 std::string_view::npos) {
        ++at;
      } else {
        return fmt::format("text at {} is outside every token", at);
      }
    }
    return at == to ? std::string() : fmt::format("a comment overlaps the token at {}", to);
  };
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const NodeData& node = tree.nodes[i];
    while (!ends.empty() && ends.back() <= i) {
      ends.pop_back();
    }
    if (!ends.empty() && i + node.size > ends.back()) {
      return fmt::format("node {} extends beyond its parent", i);
    }
    if (node.end < node.begin || node.end > tree.text.size()) {
      return fmt::format("node {} has an invalid range", i);
    }
    if (node.size == 1 && node.begin < node.end) {
      if (std::string fault = skip_trivia(node.begin); !fault.empty()) {
        return fault;
      }
      at = node.end;
    } else if (node.size > 1) {
      const NodeData& first = tree.nodes[i + 1];
      if (node.begin != first.begin) {
        return fmt::format("node {} does not start at its first child", i);
      }
    }
    ends.push_back(i + node.size);
  }
  return skip_trivia(static_cast<uint32_t>(tree.text.size()));
}

}  // namespace tacet::syntax
