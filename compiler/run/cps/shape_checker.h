#pragma once

#include <fmt/format.h>

#include "compiler/run/cps/check.h"
#include "compiler/run/cps/print.h"

/// Private to this folder.
namespace tacet::cps {

/// Checks one funclet; what it names must exist.
class ShapeChecker {
 public:
  ShapeChecker(const Program& program, FuncletId id)
      : program_(program), funclet_(program.funclets[id]), id_(id) {}

  void run(std::vector<Fault>& faults);

 private:
  template <class... Args>
  void want(bool is_so, fmt::format_string<Args...> format, Args&&... args) {
    if (!is_so && fault_.empty()) {
      fault_ = fmt::format(format, std::forward<Args>(args)...);
    }
  }
  auto has(FuncletId funclet) const -> bool { return funclet.index < program_.funclets.size(); }

  void quotient(Quotient quotient) { exists(quotient, program_.functions[funclet_.function].spec); }
  /// Of the timeline.
  void step(Quotient quotient) { exists(quotient, program_.functions[funclet_.function].timeline); }
  void exists(Quotient quotient, SpecId spec) {
    want(quotient.kind == QuotientKind::None ||
             (spec.has_value() && node_of(program_.specs[spec], quotient).has_value()),
         "a node that the specification does not have");
  }
  void tags(const Tags& tags);
  void header();
  auto in_pool(Slice slice) const -> bool;
  /// Values that are defined already.
  auto are_defined(Slice slice) -> bool;
  auto slices(const Command& command) -> bool;
  void tags_exist(const Command& command);

  auto type(ValueId value) const -> const Type& {
    return program_.types[funclet_.values[value].type];
  }
  auto text(ValueId value) const -> std::string { return type_text(type(value)); }

  static auto of_kind(const Type& type, TypeKind kind) -> Type {
    Type result = type;
    result.kind = kind;
    return result;
  }

  /// Is `value` of the type of `about`, but for its kind, which is `kind`?
  auto is(ValueId value, TypeKind kind, ValueId about) const -> bool {
    return type(value) == of_kind(type(about), kind);
  }

  void counts(const Command& command, size_t n_operands, size_t n_results) {
    want(command.operands.size() == n_operands, "{} operands", command.operands.size());
    want(command.results.size() == n_results, "{} results", command.results.size());
  }

  void all_values(std::span<const ValueId> values);
  void command(const Command& command);

  // Commands (shape_of_commands.cpp).

  void constant(const Command& command, ValueId result);
  void operation(const Command& command, std::span<const ValueId> operands, ValueId result);
  void array(const Command& command, std::span<const ValueId> operands, ValueId result);
  void formula(const Command& command, std::span<const ValueId> operands, ValueId result);
  void memory(const Command& command, std::span<const ValueId> operands, ValueId result);
  void kernel(const Command& command, std::span<const ValueId> operands);
  void remote(const Command& command, std::span<const ValueId> operands, ValueId result);

  // Edges (shape_of_edges.cpp).

  /// May a value of type `from` go where `to` is wanted? A reference that may be written through
  /// goes where one is only read.
  auto fits(TypeId from, TypeId to) const -> bool;
  void target(const Target& target, size_t n_more);
  /// Results `given` go to the join, or to the waiter of this funclet.
  void results(const std::vector<Port>& given);
  void same_results(FuncletId next);
  void tail();
  void give_back(const Tail& tail);
  void call(const Tail& tail);

  const Program& program_;
  const Funclet& funclet_;
  FuncletId id_;
  uint32_t n_defined_ = 0;
  uint32_t at_ = 0;
  std::string fault_;
};

}  // namespace tacet::cps
