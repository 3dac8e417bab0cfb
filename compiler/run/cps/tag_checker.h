#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <vector>

#include "compiler/run/cps/check.h"
#include "compiler/run/cps/event_check.h"
#include "compiler/run/cps/print.h"

namespace tacet::cps {

/// What is known of a value where the check has got to.
struct State {
  Tag content;  ///< of references and variables
  bool is_spent = false;
};

/// Checks the tags of one funclet. That ids and types fit is known already.
class TagChecker {
 public:
  TagChecker(const Program& program, FuncletId id)
      : program_(program),
        funclet_(program.funclets[id]),
        id_(id),
        names_(value_names(program, funclet_)),
        events_(program, funclet_) {
    const SpecId spec = program.functions[funclet_.function].spec;
    spec_ = spec.has_value() ? &program.specs[spec] : nullptr;
    for (const Value& value : funclet_.values.values()) {
      states_.push_back({value.tags.val, false});
    }
  }

  /// The first fault, if there is one.
  auto run(std::vector<Fault>& faults) -> bool;

 private:
  template <class... Args>
  void want(bool is_so, fmt::format_string<Args...> format, Args&&... args) {
    if (!is_so && fault_.empty()) {
      fault_ = fmt::format(format, std::forward<Args>(args)...);
    }
  }

  auto kind(ValueId value) const -> TypeKind {
    return program_.types[funclet_.values[value].type].kind;
  }
  auto name(ValueId value) const -> const std::string& { return names_[value.index]; }
  auto tag(ValueId value) const -> Tag {
    return has_content(kind(value)) ? states_[value.index].content
                                    : funclet_.values[value].tags.val;
  }
  auto node(Quotient quotient) const -> NodeId {
    return spec_ == nullptr ? NodeId() : node_of(*spec_, quotient);
  }
  auto node(ValueId value) const -> NodeId { return node(tag(value).quotient); }
  auto data(NodeId node) const -> const Node& { return spec_->nodes[node]; }

  /// A look at a value that leaves it as it is.
  void read(ValueId value) {
    want(!states_[value.index].is_spent, "{} is consumed already", name(value));
    want(has_content(kind(value)) || tag(value).flow != Flow::Dead, "{} is dead", name(value));
  }
  void read_content(ValueId reference) {
    read(reference);
    want(tag(reference).flow != Flow::Dead, "nothing is in what {} refers to", name(reference));
  }
  void spend(ValueId value);

  /// The tags of a value that is new, but for its `val`.
  void plain(ValueId value);

  /// Is `value` the node that its tag says, or does that say nothing?
  void computes(ValueId value, NodeKind kind, std::span<const ValueId> operands,
                const Command& command);
  void children(const Node& wanted, std::span<const ValueId> operands, const std::string& what);

  /// `value` is its operand under another name or in another form.
  void same(ValueId value, ValueId operand);
  void constant(const Command& command, ValueId result);

  /// The results of a kernel, whose call is a node or says nothing.
  void kernel(const Command& command, std::span<const ValueId> arguments);
  void is_result(NodeId node, NodeId call, uint32_t number, const std::string& what);
  void command(const Command& command);

  // Edges: what is usable may reach places that do not read it.

  /// May a value with `from` be passed where `to` is expected?
  void hand(const Tags& from, const Tags& to, const std::string& what);
  void flows(const Tags& from, const Tags& to, const std::string& what);
  auto tags(ValueId value) const -> Tags;
  void hand_all(const Target& target, std::span<const uint32_t> changed = {});
  void spend_all(Slice slice);
  void tail();
  void give_back();

  /// A tail callee returns what this funclet would have to.
  void same_results(FuncletId next);

  /// The expected results of the branches, or of a callee.
  auto expected(size_t i) const -> Tags;
  void select();
  void check_side_result(const Port& given, const Tags& expected, NodeId condition, size_t side,
                         size_t i);
  void call();

  /// An input of the callee is what the call in the specification has there.
  void argument(NodeId call, const Function& callee, uint32_t i, Quotient parameter, ValueId given);
  void callee_gives(const Port& given, const Tags& expected, const Function& callee, NodeId call,
                    size_t i);

  const Program& program_;
  const Funclet& funclet_;
  FuncletId id_;
  std::vector<std::string> names_;
  EventChecker events_;
  const Spec* spec_ = nullptr;
  std::vector<State> states_;
  uint32_t at_ = 0;
  std::string fault_;
};

}  // namespace tacet::cps
