#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/text_range.h"
#include "compiler/core/diagnostics/diagnostic.h"

/// The lossless syntax tree. A file is a sequence of *units* (`file_syntax.h`), each with a tree of
/// its own: an immutable value of text, nodes in pre-order, comments and errors, with all offsets
/// relative to the unit, so that nothing about a unit changes when text above it does.
namespace tacet::syntax {

/// Tokens and nodes: the words of `grammar/grammar.js`, and `Error` for what fits nowhere.
enum class NodeKind : uint8_t {
  Error,
  EndOfFile,
#define TACET_PUNCTUATION(Name, text) Name,
#define TACET_RESERVED_WORD(Name, text) Name,
#define TACET_CONTEXTUAL_WORD(Name, text) Name,
#define TACET_NODE(Name, text) Name,
#include "compiler/core/syntax/node_kinds.def"
};

/// The role of a node in its parent.
enum class Field : uint8_t {
  None,
#define TACET_FIELD(Name, text) Name,
#include "compiler/core/syntax/fields.def"
};

/// The grammar's word for a kind: `fn_item`, `->`.
auto kind_name(NodeKind kind) -> std::string_view;
/// The grammar's word for a field, empty for `Field::None`.
auto field_name(Field field) -> std::string_view;
/// True for kinds written with a rule's name in the grammar, false for punctuation and keywords.
auto is_named(NodeKind kind) -> bool;

/// One node as it is stored: 16 bytes, children directly behind their parent.
struct NodeData {
  NodeKind kind = NodeKind::Error;
  Field field = Field::None;
  /// Nodes of the subtree, this one included.
  uint32_t size = 1;
  uint32_t begin = 0;
  uint32_t end = 0;

  friend auto operator==(const NodeData&, const NodeData&) -> bool = default;
};

enum class CommentKind : uint8_t { Line, Block, Doc };

/// A comment, with its markers and without the line end.
struct Comment {
  CommentKind kind = CommentKind::Line;
  TextRange range;

  friend auto operator==(const Comment&, const Comment&) -> bool = default;
};

/// A syntax error, by offsets in the unit. The caller fills in its file.
using SyntaxError = Diagnostic;

class Node;

/// The tree of one unit. `nodes[0]` is a `source_file` that holds the unit's only item (or none).
struct Tree {
  std::string text;
  std::vector<NodeData> nodes;
  std::vector<Comment> comments;
  std::vector<SyntaxError> errors;
  /// How far, from the unit's start, the parser looked to build this tree: it depends on no byte
  /// behind, except that the text may have ended there (then it is one more than the text left).
  uint32_t examined = 0;

  [[nodiscard]] auto root() const -> Node;

  friend auto operator==(const Tree& a, const Tree& b) -> bool {
    return a.text == b.text && a.nodes == b.nodes && a.comments == b.comments &&
           a.errors == b.errors;
  }
};

class NodeRange;
class FieldRange;

/// A place in a tree: a pointer and an index, passed by value. A default-constructed node is
/// null: it has no kind, no children and no text, and every accessor of it gives null again.
class Node {
 public:
  Node() = default;
  Node(const Tree* tree, uint32_t index) : tree_(tree), index_(index) {}

  explicit operator bool() const { return tree_ != nullptr; }
  friend auto operator==(Node, Node) -> bool = default;

  [[nodiscard]] auto tree() const -> const Tree* { return tree_; }
  /// The node's number in pre-order: a dense key for side tables of the unit.
  [[nodiscard]] auto index() const -> uint32_t { return index_; }

  /// `Error` for a null node.
  [[nodiscard]] auto kind() const -> NodeKind { return tree_ ? data().kind : NodeKind::Error; }
  [[nodiscard]] auto is(NodeKind kind) const -> bool { return tree_ && data().kind == kind; }
  [[nodiscard]] auto field() const -> Field { return tree_ ? data().field : Field::None; }
  /// From the first token's first byte to the last token's last, relative to the unit.
  [[nodiscard]] auto range() const -> TextRange {
    return tree_ ? TextRange{data().begin, data().end} : TextRange{};
  }
  [[nodiscard]] auto text() const -> std::string_view {
    return tree_ ? std::string_view(tree_->text).substr(data().begin, data().end - data().begin)
                 : std::string_view();
  }
  /// True for tokens and for nodes that are one word, such as `boolean`.
  [[nodiscard]] auto is_leaf() const -> bool { return !tree_ || data().size == 1; }

  /// All children in order, punctuation included.
  [[nodiscard]] auto children() const -> NodeRange;
  /// The first child in the role `field`, or null. O(number of children).
  [[nodiscard]] auto child(Field field) const -> Node;
  /// The children in the role `field`, in order.
  [[nodiscard]] auto children(Field field) const -> FieldRange;
  /// The first child of kind `kind`, or null.
  [[nodiscard]] auto child(NodeKind kind) const -> Node;

  /// The node as the view `View`, which must be of its kind.
  template <class View>
  [[nodiscard]] auto as() const -> View {
    TACET_CHECK(is(View::kKind), "a view of another kind of node");
    return View{*this};
  }

  /// The index behind the last node of this subtree.
  [[nodiscard]] auto subtree_end() const -> uint32_t { return tree_ ? index_ + data().size : 0; }

 private:
  [[nodiscard]] auto data() const -> const NodeData& { return tree_->nodes[index_]; }

  const Tree* tree_ = nullptr;
  uint32_t index_ = 0;
};

/// The children of a node, for range-based `for`.
class NodeRange {
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
      index_ += tree_->nodes[index_].size;
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

  NodeRange(const Tree* tree, uint32_t begin, uint32_t end)
      : tree_(tree), begin_(begin), end_(end) {}
  [[nodiscard]] auto begin() const -> Iterator { return {tree_, begin_}; }
  [[nodiscard]] auto end() const -> Iterator { return {tree_, end_}; }

 private:
  const Tree* tree_;
  uint32_t begin_;
  uint32_t end_;
};

/// The children of a node in one role, for range-based `for`.
class FieldRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Node;
    using difference_type = std::ptrdiff_t;
    using pointer = const Node*;
    using reference = Node;

    Iterator() = default;
    Iterator(NodeRange::Iterator at, NodeRange::Iterator end, Field field)
        : at_(at), end_(end), field_(field) {
      skip();
    }
    auto operator*() const -> Node { return *at_; }
    auto operator++() -> Iterator& {
      ++at_;
      skip();
      return *this;
    }
    auto operator++(int) -> Iterator {
      Iterator old = *this;
      ++*this;
      return old;
    }
    friend auto operator==(const Iterator& a, const Iterator& b) -> bool { return a.at_ == b.at_; }

   private:
    void skip() {
      while (at_ != end_ && (*at_).field() != field_) {
        ++at_;
      }
    }

    NodeRange::Iterator at_;
    NodeRange::Iterator end_;
    Field field_ = Field::None;
  };

  FieldRange(NodeRange range, Field field) : range_(range), field_(field) {}
  [[nodiscard]] auto begin() const -> Iterator { return {range_.begin(), range_.end(), field_}; }
  [[nodiscard]] auto end() const -> Iterator { return {range_.end(), range_.end(), field_}; }
  [[nodiscard]] auto empty() const -> bool { return begin() == end(); }
  [[nodiscard]] auto size() const -> size_t {
    return static_cast<size_t>(std::distance(begin(), end()));
  }

 private:
  NodeRange range_;
  Field field_;
};

/// The path from `root` to the innermost node whose range touches `offset`, root first. Where two
/// tokens meet at `offset`, a name or literal wins over punctuation, else the right one.
auto path_to(Node root, uint32_t offset) -> std::vector<Node>;

/// The tree as an indented S-expression with fields, tokens left out unless they carry a field;
/// `emit --stage tree`. Errors and comments are listed where they stand.
auto dump(Node root) -> std::string;

/// Everything between the tokens of `tree` is white space and comments, in order, and the nodes
/// nest: what "lossless" means, checked by tests on every tree they see. Empty, or what is wrong.
auto find_tree_fault(const Tree& tree) -> std::string;

}  // namespace tacet::syntax
