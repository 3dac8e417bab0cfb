#pragma once

#include <unordered_map>

#include "compiler/spec/infer/quotients.h"

namespace tacet::infer {

struct TermHash {
  auto operator()(const Term& term) const -> size_t;
};

/// One run of the deduction. Private to this folder.
class Deduction {
 public:
  Deduction(query::Context& context, const hir::Function& function, const SpecGraph& spec,
            const syntax::Tree& tree, const Interface& interface, Quotients& result);

  void run();

 private:
  /// How far two computations are compared to see whether they could be one. Only a filter: what
  /// passes and is not equal further down is found out when they are made one.
  static constexpr int kDepth = 6;

  struct ThingTag;
  /// A value of the function, or the several results of a call together. Values that are copies
  /// of one another are one thing.
  using ThingId = Id<ThingTag>;

  struct Thing {
    Term term;
    bool has_term = false;
    bool is_phi = false;
    /// A node must be found for it, or the function does something that nobody asked for.
    bool is_needed = false;
    /// `none(val)`.
    bool is_none = false;
    /// Computed in a way that is not compared: it may be any node, and a warning says so.
    bool is_opaque = false;
    /// It was told that it cannot be what it should be; what follows from that is not.
    bool is_wrong = false;
    /// One of its operands is; the others would only say so again.
    bool has_wrong_child = false;
    /// A callee takes it for a field that it does not look at.
    bool is_left_out = false;
    /// What it holds cannot be known: a callee has written there.
    bool is_unknown = false;
    /// Of calls, and of what they give: the instruction.
    hir::InstructionId call = {};
    /// Of what a call gives: which port of the callee's results.
    uint32_t port = 0;
    std::vector<ThingId> children = {};
    std::vector<ThingId> users = {};
    hir::ValueId value = {};
    SpecNodeId node = {};
    /// The thing whose child this was when it got its node.
    ThingId reason = {};
    /// The tag that says that it is `node`, if one does.
    uint32_t tag = hir::kNoNode;
    /// The place in the text that made it `node`, where that is no operand.
    uint32_t at = hir::kNoNode;
  };

  // Things: deduction_things.cpp.
  void make_things();
  void make_thing(const hir::Instruction& instruction, hir::InstructionId id, hir::BlockId block);
  void alias(hir::ValueId value, hir::ValueId original);
  void make_call(const hir::Instruction& instruction, hir::InstructionId id);
  void make_phi(const hir::Instruction& instruction, hir::BlockId block);
  void set_children(ThingId thing, std::vector<ThingId> children);
  auto arrange(const hir::Instruction& call, const types::Signature& signature,
               const Interface* interface) -> std::vector<ThingId>;
  auto thing(hir::ValueId value) const -> ThingId { return of_value_[value.index]; }
  auto is_value(hir::ValueId value) const -> bool;

  // Seeds: deduction_seeds.cpp.
  void seed();
  void seed_parameters();
  void seed_missing_parameters();
  void seed_results();
  void seed_tags();
  void say(hir::ValueId value, const Tag& tag);
  void assign_said(ThingId thing, SpecNodeId node, uint32_t tag);
  void excuse_call(ThingId call);
  void say_of_call(hir::InstructionId call, const Tag& tag);
  void say_of_branch(hir::BlockId block, const Tag& tag);

  // Propagation: deduction.cpp.
  void assign(ThingId thing, SpecNodeId node, ThingId reason, uint32_t at);
  auto sure_other(ThingId thing, SpecNodeId node, ThingId reason) const -> SpecNodeId;
  void propagate();
  void match(ThingId thing);
  void match_children(ThingId thing, const SpecNode& node);
  void match_phi(ThingId thing, const SpecNode& node);
  void match_part(ThingId thing);
  auto part_of_same(ThingId call) const -> const Interface*;
  auto is_other_result(ThingId thing, const SpecNode& node) const -> bool;
  auto computes_as(ThingId thing, SpecNodeId node, int depth) const -> bool;
  auto may_be(ThingId thing, SpecNodeId node, int depth) const -> bool;
  auto candidates(ThingId thing, size_t at_most) const -> std::vector<SpecNodeId>;
  auto nodes_of(const Term& term) const -> const std::vector<SpecNodeId>*;
  auto try_unique(ThingId thing) -> bool;
  void converge();

  // What is left over: deduction_leftovers.cpp.
  auto without_wrong() const -> std::vector<bool>;
  void leftovers();
  void not_compared(ThingId thing);

  // Types: deduction_types.cpp.
  void check_head();
  void check_types();

  // Reports: deduction_explain.cpp.
  void fail(Problem problem, ThingId thing, ThingId reason);
  auto is_told(const Problem& problem) const -> bool;
  auto compare(ThingId thing, SpecNodeId node, ThingId reason) const -> std::vector<Problem::Row>;
  auto row(ThingId thing, SpecNodeId node, uint32_t depth) const -> Problem::Row;
  auto operand_syntax(const hir::Instruction& instruction, ThingId operand, size_t n) const
      -> syntax::Node;
  auto operand_node(ThingId user, ThingId operand, SpecNodeId wanted) const -> uint32_t;

  query::Context& context_;
  const hir::Function& function_;
  const SpecGraph& spec_;
  const syntax::Tree& tree_;
  const Interface& interface_;
  Quotients& result_;
  const types::TypeStore& types_;
  std::vector<ThingId> of_value_;
  std::vector<ThingId> of_call_;  ///< by instruction
  Store<ThingId, Thing> things_;
  std::vector<hir::BlockId> split_of_;  ///< by block that joins: where the ways parted
  /// Made when it is first needed: most functions are found out from their results alone.
  mutable std::unordered_map<Term, std::vector<SpecNodeId>, TermHash> nodes_by_term_;
  std::vector<ThingId> to_match_;
  size_t next_to_match_ = 0;
  std::vector<ThingId> to_try_;
  size_t next_to_try_ = 0;
  bool has_failed_ = false;
};

}  // namespace tacet::infer
