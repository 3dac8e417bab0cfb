#pragma once

#include <vector>

#include "compiler/core/egraph/ids.h"

namespace tacet::egraph {

/// Ids up to an equality that grows: each equivalence class has one root. The caller chooses which
/// root stays.
class UnionFind {
 public:
  /// A class of its own.
  auto add() -> ClassId {
    const ClassId id{static_cast<uint32_t>(parent_.size())};
    parent_.push_back(id);
    return id;
  }

  [[nodiscard]] auto find(ClassId id) const -> ClassId {
    while (!is_root(id)) {
      id = parent_[id.index];
    }
    return id;
  }

  /// The same, and shortens the path by half for the next time.
  auto find_and_halve(ClassId id) -> ClassId {
    while (!is_root(id)) {
      ClassId& parent = parent_[id.index];
      parent = parent_[parent.index];
      id = parent;
    }
    return id;
  }

  [[nodiscard]] auto is_root(ClassId id) const -> bool { return parent_[id.index] == id; }

  /// Hangs a root below another one.
  void absorb(ClassId absorbed, ClassId root) { parent_[absorbed.index] = root; }

  [[nodiscard]] auto size() const -> size_t { return parent_.size(); }

 private:
  std::vector<ClassId> parent_;
};

}  // namespace tacet::egraph
