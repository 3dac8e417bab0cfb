#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/spec/infer/class_members.h"
#include "compiler/spec/infer/function_facts.h"

namespace tacet::infer {

/// What nodes are at hand, and how they are written: `x`, `*r`.
using AtHand = std::map<SpecNodeId, std::string>;

/// Writes the text of a function that computes nodes of its specification: as one expression, or
/// as statements. One object writes into one function, so that the names that it makes up differ.
///
/// A node that is at hand is used, whatever else is computed from its operands. Literals are
/// written where they are needed, since equal ones may be different nodes.
class Synthesis {
 public:
  Synthesis(query::Context& context, const FunctionFacts& facts);
  /// For the function `function` with `tree`, of the coordinator or of a device, that computes
  /// nodes of `spec`. On a device what no function of the device computes is written out, and
  /// choices are expressions, never branches.
  Synthesis(query::Context& context, names::ItemId function, const syntax::Tree& tree,
            const SpecGraph& spec);

  /// What is called for a class: the member of that number, cheapest first, instead of the first.
  void choose(names::ItemId of_class, size_t member) { chosen_[of_class] = member; }
  /// The classes that were called so far and what could be called for each.
  [[nodiscard]] auto classes() const -> const std::map<names::ItemId, std::vector<ClassMember>>& {
    return members_;
  }

  /// The node as one expression, to stand where `precedence` binds; nothing if it cannot be
  /// written, and then `problem` says why.
  auto expression(SpecNodeId node, const AtHand& at_hand, int precedence)
      -> std::optional<std::string>;

  /// A requested node, and the variable for it; without a name, anything.
  struct Target {
    SpecNodeId node;
    std::string name = {};
    /// The variable is there already: it is assigned.
    bool is_declared = false;
  };
  /// Statements that compute `targets`, one a line with `indent` in front, and how each is written
  /// behind them.
  struct Lines {
    std::string statements;
    std::vector<std::string> results;
  };
  auto lines(const std::vector<Target>& targets, AtHand at_hand, const std::string& indent)
      -> std::optional<Lines>;

  /// A name that the function does not have yet, like that of the node.
  auto name_for(SpecNodeId id) -> std::string;
  /// The same, from a word.
  auto fresh_name(const std::string& stem) -> std::string;

  /// The call `call`, with all its results.
  auto call(SpecNodeId call, const AtHand& at_hand) -> std::optional<std::string>;

  /// What a block yields that computes `nodes`: statements, and their value on the last line.
  auto block(const std::vector<SpecNodeId>& nodes, const AtHand& at_hand, const std::string& indent)
      -> std::optional<std::string>;

  [[nodiscard]] auto problem() const -> const std::string& { return problem_; }
  /// Of all that was written.
  [[nodiscard]] auto cost() const -> uint32_t { return cost_; }

 private:
  using Nodes = std::set<SpecNodeId>;

  auto operation(SpecNodeId id, const AtHand& at_hand, int precedence)
      -> std::optional<std::string>;
  /// An array expression: as it is written, with what is at hand for the names in it.
  auto pattern(SpecNodeId id, const AtHand& at_hand, int precedence) -> std::optional<std::string>;
  /// What stands for the name `at` of an array expression; empty if the name stays.
  auto name_in_pattern(const check::Body& body, syntax::Node at, const AtHand& at_hand)
      -> std::optional<std::string>;
  auto member(names::ItemId of_class) -> const ClassMember*;
  auto conditional(SpecNodeId id, const AtHand& at_hand, const std::string& indent)
      -> std::optional<std::string>;
  auto bind(const Target& target, AtHand& at_hand, const std::string& indent,
            std::string& statements) -> bool;
  auto bind_needed(const std::vector<Target>& targets, AtHand& at_hand, const std::string& indent,
                   std::string& statements) -> bool;
  auto bind_call(SpecNodeId call, AtHand& at_hand, const std::string& indent,
                 std::string& statements) -> bool;
  void count_uses(SpecNodeId id, const AtHand& at_hand, std::map<SpecNodeId, uint32_t>& uses) const;
  auto needed(SpecNodeId id, const AtHand& at_hand) -> const Nodes&;
  auto order(const Nodes& nodes, const std::vector<SpecNodeId>& roots, const AtHand& at_hand) const
      -> std::vector<SpecNodeId>;
  auto is_small(SpecNodeId id, const AtHand& at_hand, uint32_t& room) const -> bool;
  auto has_several_results(SpecNodeId id) const -> bool;
  /// The result `number` of a call, from the specification of what is called.
  auto written_out(SpecNodeId call, uint32_t number, const AtHand& at_hand, int precedence)
      -> std::optional<std::string>;
  auto fail(std::string problem) -> std::nullopt_t;
  auto described(SpecNodeId id) const -> std::string;

  query::Context& context_;
  names::ItemId function_;
  /// None on the coordinator.
  std::optional<names::Device> device_;
  const SpecGraph& spec_;
  const Interner& interner_;
  names::ItemTree spec_tree_;
  std::set<std::string, std::less<>> taken_;
  std::map<names::ItemId, std::vector<ClassMember>> members_;
  std::map<names::ItemId, size_t> chosen_;
  /// The specifications that are being written out.
  std::vector<names::ItemId> open_;
  /// By node: what is computed whenever it is; good for one set of nodes at hand.
  std::map<SpecNodeId, Nodes> needed_;
  std::string problem_;
  uint32_t cost_ = 0;
  /// Characters that may still be written.
  size_t room_ = 20'000;
};

/// How tightly the weakest expression binds; one that any place takes.
inline constexpr int kAnyPrecedence = 0;
inline constexpr int kConditionalPrecedence = 2;
/// Where only what needs no parentheses may stand.
inline constexpr int kAtomPrecedence = 20;

/// How tightly an operator binds, as in the grammar.
auto precedence_of(types::Operator op) -> int;

}  // namespace tacet::infer
