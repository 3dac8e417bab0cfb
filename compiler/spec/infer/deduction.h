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
  Required,  ///< without one the function does something unspecified
  Absent,    ///< `none(val)`: it has none
};

struct Operand {
  Term term;
  Computation computation = Computation::Unspecified;
  Expectation expectation = Expectation::Optional;
  /// It was reported as a mismatch; consequences are not reported.
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

/// How far two computations are compared to see whether they could be one. Only a filter: what
/// passes and is not equal further down is found out when they are made one.
inline constexpr int kDepth = 6;

/// One run of the deduction. Private to this folder.
struct Deduction {
  Deduction(query::Context& context_, const hir::Function& function_, const SpecGraph& spec_,
            const syntax::Tree& tree_, const Interface& interface_, Quotients& result_);

  query::Context& context;
  const hir::Function& function;
  const SpecGraph& spec;
  const syntax::Tree& tree;
  const Interface& interface;
  Quotients& result;
  const types::TypeStore& types;
  std::vector<OperandId> of_value;
  std::vector<OperandId> of_call;  ///< by instruction
  Operands operands;
  std::vector<hir::BlockId> split_of;  ///< by block that joins: where the paths diverged
  /// Made when it is first needed: most functions are found out from their results alone.
  mutable std::unordered_map<Term, std::vector<SpecNodeId>, TermHash> nodes_by_term;
  std::vector<OperandId> to_match;
  size_t next_to_match = 0;
  std::vector<OperandId> to_try;
  size_t next_to_try = 0;
  bool has_failed = false;
};

auto operand_of(const Deduction& deduction, hir::ValueId value) -> OperandId;

// deduction_operands.cpp
void make_operands(Deduction& deduction);

// deduction_seeds.cpp
void seed(Deduction& deduction);

// deduction.cpp
void assign(Deduction& deduction, OperandId operand, SpecNodeId node, OperandId reason,
            uint32_t at);
void propagate(Deduction& deduction);
auto computes_as(const Deduction& deduction, OperandId operand, SpecNodeId node, int depth) -> bool;
auto candidates(const Deduction& deduction, OperandId operand, size_t at_most)
    -> std::vector<SpecNodeId>;

// deduction_leftovers.cpp
void leftovers(Deduction& deduction);

// deduction_types.cpp
void check_head(Deduction& deduction);
void check_types(Deduction& deduction);

// deduction_explain.cpp
void fail(Deduction& deduction, Problem problem, OperandId operand, OperandId reason);
auto compare(const Deduction& deduction, OperandId operand, SpecNodeId node, OperandId reason)
    -> std::vector<Problem::Row>;
auto operand_node(const Deduction& deduction, OperandId user, OperandId operand, SpecNodeId wanted)
    -> uint32_t;

inline auto operand_of(const Deduction& deduction, hir::ValueId value) -> OperandId {
  return deduction.of_value[value.index];
}

}  // namespace tacet::infer
