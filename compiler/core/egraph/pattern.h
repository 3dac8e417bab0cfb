#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/core/egraph/ids.h"

namespace tacet::egraph {

struct VarTag;
/// A variable of a pattern. The patterns of one rewrite share one `VarTable`, and so their
/// variables.
using VarId = Id<VarTag>;

/// The names of the variables of a rewrite.
class VarTable {
 public:
  auto id(std::string_view name) -> VarId;
  [[nodiscard]] auto find(std::string_view name) const -> VarId;
  [[nodiscard]] auto name(VarId id) const -> std::string_view { return names_[id.index]; }
  [[nodiscard]] auto size() const -> uint32_t { return static_cast<uint32_t>(names_.size()); }

 private:
  std::vector<std::string> names_;
};

/// A term with variables. Its nodes are in an order in which children come first; the last one is
/// the root.
class Pattern {
 public:
  /// The place of a node in its pattern.
  using Place = uint32_t;

  struct Node {
    VarId var;  ///< else an operator
    OpId op;
    uint32_t first_child = 0;
    uint32_t n_children = 0;
  };

  /// Adds a node and makes it the root.
  auto var(VarId id) -> Place;
  auto node(OpId op, std::span<const Place> children) -> Place;
  auto node(OpId op, std::initializer_list<Place> children) -> Place {
    return node(op, std::span(children.begin(), children.size()));
  }

  [[nodiscard]] auto nodes() const -> std::span<const Node> { return nodes_; }
  [[nodiscard]] auto root() const -> Place { return static_cast<Place>(nodes_.size() - 1); }
  [[nodiscard]] auto operator[](Place place) const -> const Node& { return nodes_[place]; }
  [[nodiscard]] auto children(Place place) const -> std::span<const Place> {
    return {children_.data() + nodes_[place].first_child, nodes_[place].n_children};
  }
  [[nodiscard]] auto is_var() const -> bool { return nodes_.back().var.has_value(); }

 private:
  std::vector<Node> nodes_;
  std::vector<Place> children_;
};

}  // namespace tacet::egraph
