#pragma once

#include <unordered_map>

#include "compiler/spec/infer/quotients.h"

/// The deduction of value quotients as a context that its steps share.
///
///   1. Each value of the function in SSA is an operand, and each call: `make_operands`. An operand
///      has the term that computes it, and as children the operands that go in.
///   2. Parameters, tags and results give their operands nodes of the specification: `seed`.
///   3. Top-down, an operand with a node is matched once: its term is that of the node, and each of
///      its children is the node's child in that place: `match`.
///   4. Bottom-up, an operand without a node that can be one node only, as far as its children are
///      known, is that one; then its users are tried again: `try_unique`.
///   5. 3 and 4 alternate until a sweep over all operands assigns nothing, or something contradicts
///      its node: `converge`. An operand never gets a second node, so this ends.
///   6. What is required and has no node, and what has a node of another type, is reported:
///      `leftovers`, `check_types`.
namespace tacet::infer {

struct TermHash {
  auto operator()(const Term& term) const -> size_t;
};

struct OperandTag;
/// A value of the function, or the several results of a call together. Values that are copies of
/// one another are one operand.
using OperandId = Id<OperandTag>;

/// How an operand is computed, as far as a specification can say that.
enum class Computation : uint8_t {
  Unspecified,  ///< a parameter, a hole, no value yet: it may be any node
  Term,         ///< by its term, of its children
  Choice,       ///< by an `if`: a `Select` of its children, or what both of its arms are
  NotCompared,  ///< it may be any node, and a warning says so
  Unknown,      ///< a callee has written there: it can be no node
};

/// Whether an operand has a node.
enum class Expectation : uint8_t {
  Optional,
  Required,  ///< without one the function does something that nobody asked for
  Absent,    ///< `none(val)`: it has none
};

struct Operand {
  Term term;
  Computation computation = Computation::Unspecified;
  Expectation expectation = Expectation::Optional;
  /// It was told that it cannot be what it should be; what follows from that is not.
  bool is_wrong = false;
  /// One of its children is; the others would only say so again.
  bool has_wrong_child = false;
  /// A callee takes it for a field that it does not look at.
  bool is_left_out = false;
  /// Of calls, and of what they give: the instruction.
  hir::InstructionId call = {};
  /// Of what a call gives: which port of the callee's results.
  uint32_t port = 0;
  std::vector<OperandId> children = {};
  std::vector<OperandId> users = {};
  hir::ValueId value = {};
  SpecNodeId node = {};
  /// The operand whose child this was when it got its node.
  OperandId reason = {};
  /// The tag that says that it is `node`, if one does.
  uint32_t tag = hir::kNoNode;
  /// The place in the text that made it `node`, where that is not its user.
  uint32_t at = hir::kNoNode;

  [[nodiscard]] auto is_choice() const -> bool { return computation == Computation::Choice; }
  [[nodiscard]] auto has_term() const -> bool {
    return computation == Computation::Term || is_choice();
  }
  [[nodiscard]] auto is_required() const -> bool { return expectation == Expectation::Required; }
  [[nodiscard]] auto is_absent() const -> bool { return expectation == Expectation::Absent; }
  /// False of what is no node, whatever it should be.
  [[nodiscard]] auto can_have_node() const -> bool {
    return !is_absent() && computation != Computation::Unknown;
  }
  /// No node need be found for it.
  void excuse() {
    if (is_required()) {
      expectation = Expectation::Optional;
    }
  }
};

using Operands = Store<OperandId, Operand>;

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

  // Operands: deduction_operands.cpp.
  void make_operands();
  void make_operand(const hir::Instruction& instruction, hir::InstructionId id, hir::BlockId block);
  void make_hole(const hir::Instruction& instruction);
  void make_call(const hir::Instruction& instruction, hir::InstructionId id);
  void make_choice(const hir::Instruction& instruction, hir::BlockId block);
  auto arrange(const hir::Instruction& call, const types::Signature& signature,
               const Interface* interface) -> std::vector<OperandId>;
  auto operand_of(hir::ValueId value) const -> OperandId { return of_value_[value.index]; }

  // Seeds: deduction_seeds.cpp.
  void seed();
  void seed_parameters();
  void seed_missing_parameters();
  void seed_results();
  void seed_tags();
  void say(hir::ValueId value, const Tag& tag);
  void assign_said(OperandId operand, SpecNodeId node, uint32_t tag);
  void say_of_call(hir::InstructionId call, const Tag& tag);
  void say_of_branch(hir::BlockId block, const Tag& tag);

  // Propagation: deduction.cpp.
  void assign(OperandId operand, SpecNodeId node, OperandId reason, uint32_t at);
  auto sure_other(OperandId operand, SpecNodeId node, OperandId reason) const -> SpecNodeId;
  void propagate();
  void match(OperandId operand);
  void match_children(OperandId operand, const SpecNode& node);
  void match_choice(OperandId operand, const SpecNode& node);
  void match_part(OperandId operand);
  auto part_of_same(OperandId call) const -> const Interface*;
  auto computes_as(OperandId operand, SpecNodeId node, int depth) const -> bool;
  auto may_be(OperandId operand, SpecNodeId node, int depth) const -> bool;
  auto candidates(OperandId operand, size_t at_most) const -> std::vector<SpecNodeId>;
  auto nodes_of(const Term& term) const -> const std::vector<SpecNodeId>*;
  auto try_unique(OperandId operand) -> bool;
  void converge();

  // What is left over: deduction_leftovers.cpp.
  void leftovers();
  void not_compared(OperandId operand);

  // Types: deduction_types.cpp.
  void check_head();
  void check_types();

  // Reports: deduction_explain.cpp.
  void fail(Problem problem, OperandId operand, OperandId reason);
  auto is_told(const Problem& problem) const -> bool;
  auto compare(OperandId operand, SpecNodeId node, OperandId reason) const
      -> std::vector<Problem::Row>;
  auto operand_syntax(const hir::Instruction& instruction, OperandId operand, size_t n) const
      -> syntax::Node;
  auto operand_node(OperandId user, OperandId operand, SpecNodeId wanted) const -> uint32_t;

  query::Context& context_;
  const hir::Function& function_;
  const SpecGraph& spec_;
  const syntax::Tree& tree_;
  const Interface& interface_;
  Quotients& result_;
  const types::TypeStore& types_;
  std::vector<OperandId> of_value_;
  std::vector<OperandId> of_call_;  ///< by instruction
  Operands operands_;
  std::vector<hir::BlockId> split_of_;  ///< by block that joins: where the ways parted
  /// Made when it is first needed: most functions are found out from their results alone.
  mutable std::unordered_map<Term, std::vector<SpecNodeId>, TermHash> nodes_by_term_;
  std::vector<OperandId> to_match_;
  size_t next_to_match_ = 0;
  std::vector<OperandId> to_try_;
  size_t next_to_try_ = 0;
  bool has_failed_ = false;
};

}  // namespace tacet::infer
