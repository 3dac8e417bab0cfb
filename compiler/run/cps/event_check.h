#pragma once

#include <string>

#include "compiler/run/cps/assembly.h"

namespace tacet::cps {

/// Follows the coordinator's event through one funclet and over its edges, and says where the
/// encoders, futures and events are not what they say they are in the timeline. That ids fit is
/// known already. Private to this folder.
class EventChecker {
 public:
  EventChecker(const Program& program, const Funclet& funclet);

  /// What is wrong with a command, or with the end of the funclet; empty if nothing is.
  auto command(const Command& command) -> std::string;
  auto tail() -> std::string;

 private:
  void want(bool is_so, const char* what) {
    if (!is_so && fault_.empty()) {
      fault_ = what;
    }
  }
  auto node(Quotient quotient) const -> NodeId;
  auto node(ValueId value) const -> NodeId {
    return node(funclet_.values[value].tags.tmln.quotient);
  }
  /// `node` as one of that kind with `n` children; null, and a fault, if it is another.
  auto step(Quotient quotient, NodeKind kind, size_t n) -> const Node*;
  auto result(NodeId node, uint32_t number) const -> NodeId;
  auto same(Quotient a, Quotient b) const -> bool { return node(a) == node(b); }
  void hand_over(const Target& target);
  void results(const std::vector<Port>& given, const std::vector<NodeId>& are);
  void call();

  const Program& program_;
  const Funclet& funclet_;
  const Spec* timeline_ = nullptr;
  NodeId event_;
  std::string fault_;
};

}  // namespace tacet::cps
