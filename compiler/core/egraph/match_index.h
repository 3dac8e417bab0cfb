#pragma once

#include <span>
#include <vector>

#include "compiler/core/egraph/enode.h"
#include "compiler/core/egraph/union_find.h"

namespace tacet::egraph {

/// The index for matching: the members of each class, and the classes with each operator. Knows
/// what it was given at the last `update` of a class.
class MatchIndex {
 public:
  /// A class without members, with the next id.
  void add_class() { records_.emplace_back(); }

  /// Replaces the members of a class; they are sorted by operator. `ids` says which classes are
  /// absorbed by now.
  void update(ClassId id, std::span<const ENode> members, const UnionFind& ids);

  /// Notes that a class was absorbed into another one. Its members stay until `compact`.
  void remove(ClassId id);

  /// Frees the room of members that moved or were removed, if it is much.
  void compact(const UnionFind& ids);

  /// The members of a class that is not absorbed, by operator.
  [[nodiscard]] auto members(ClassId id) const -> std::span<const ENode> {
    const Record& record = records_[id.index];
    return {members_.data() + record.first_member, record.n_members};
  }

  /// Those with this operator.
  [[nodiscard]] auto members(ClassId id, OpId op) const -> std::span<const ENode>;

  /// The classes that have a member with this operator, oldest first; absorbed ones may be among
  /// them.
  [[nodiscard]] auto classes_with(OpId op) const -> std::span<const ClassId> {
    return op.index < classes_with_.size() ? std::span<const ClassId>(classes_with_[op.index])
                                           : std::span<const ClassId>();
  }

 private:
  struct Record {
    uint32_t first_member = 0;  // in members_
    uint32_t n_members = 0;
    uint32_t room = 0;
    bool has_lost_members = false;
  };

  void add_to_operators(ClassId id, std::span<const ENode> members, const UnionFind& ids);
  void store(Record& record, std::span<const ENode> members);

  std::vector<Record> records_;  // by class
  std::vector<ENode> members_;
  size_t n_wasted_members_ = 0;
  std::vector<std::vector<ClassId>> classes_with_;  // by operator
  std::vector<uint32_t> n_stale_with_;              // how many of those were absorbed
};

}  // namespace tacet::egraph
