#include "compiler/device/oblivious/occurrences.h"

namespace tacet::oblivious {

using namespace kernel;

namespace {

auto is_exit(const Statement& statement) -> bool {
  return std::holds_alternative<Break>(statement.node) ||
         std::holds_alternative<Continue>(statement.node) ||
         std::holds_alternative<Return>(statement.node);
}

/// What may happen to a variable on the paths through some code: a set of these.
using Uses = uint8_t;
constexpr Uses kNothing = 1;   ///< neither read nor assigned to
constexpr Uses kAssigned = 2;  ///< before it is read
constexpr Uses kRead = 4;      ///< before it is assigned to
constexpr Uses kLeft = 8;      ///< by an exit, before either

class FirstUse {
 public:
  FirstUse(const Kernel& kernel, VariableId variable) : kernel_(kernel), variable_(variable) {}

  auto of(const Block& block) const -> Uses {
    Uses uses = kNothing;
    for (StatementId id : block) {
      if ((uses & kNothing) == 0) {
        break;
      }
      uses = static_cast<Uses>((uses & ~kNothing) | of(kernel_.statements[id]));
    }
    return uses;
  }

 private:
  auto of(const Statement& statement) const -> Uses {
    bool is_read = false;
    visit_exprs(statement, [&](ExprId expr) { is_read |= reads(kernel_, expr, variable_); });
    bool is_written = false;
    visit_written(statement, [&](VariableId id) { is_written |= id == variable_; });
    if (is_read || (is_written && std::holds_alternative<StoreElement>(statement.node))) {
      return kRead;  // or a part of it stays
    }
    if (is_written && !std::holds_alternative<SecretRegion>(statement.node)) {
      return kAssigned;
    }
    if (is_exit(statement)) {
      return kLeft;
    }
    if (const auto* branch = std::get_if<If>(&statement.node)) {
      return static_cast<Uses>(of(branch->then) | of(branch->otherwise));
    }
    if (const auto* region = std::get_if<SecretRegion>(&statement.node)) {
      return of_region(*region, is_written);
    }
    Uses uses = kNothing;  // a body may not run at all
    visit_blocks(statement, [&](const Block& block) { uses |= of(block); });
    return (uses & kLeft) != 0 ? static_cast<Uses>((uses & ~kLeft) | kNothing) : uses;
  }

  auto of_region(const SecretRegion& region, bool is_written) const -> Uses {
    for (const SecretRegion::Port& port : region.inputs) {
      if (port.outer == variable_) {
        return kRead;
      }
    }
    return is_written ? kAssigned : kNothing;
  }

  const Kernel& kernel_;
  VariableId variable_;
};

}  // namespace

auto reads(const Kernel& kernel, ExprId expr, VariableId variable) -> bool {
  bool found = false;
  walk_exprs(kernel, expr, [&](ExprId id) {
    const auto* read = std::get_if<Read>(&kernel.exprs[id].node);
    found |= read != nullptr && read->variable == variable;
  });
  return found;
}

auto count_occurrences(const Kernel& kernel, const Block& block) -> OccurrenceCounts {
  OccurrenceCounts counts;
  walk_statements(kernel, block, [&](StatementId id) {
    const Statement& statement = kernel.statements[id];
    visit_read(kernel, statement, [&](VariableId variable) { ++counts[variable]; });
    visit_written(statement, [&](VariableId variable) { ++counts[variable]; });
  });
  return counts;
}

auto assigns_first(const Kernel& kernel, const Block& block, VariableId variable) -> bool {
  return FirstUse(kernel, variable).of(block) == kAssigned;
}

auto may_read_first(const Kernel& kernel, const Block& block, VariableId variable) -> bool {
  return (FirstUse(kernel, variable).of(block) & kRead) != 0;
}

auto leaves(const Kernel& kernel, const Block& block) -> bool {
  if (block.empty()) {
    return false;
  }
  const Statement& last = kernel.statements[block.back()];
  if (const auto* branch = std::get_if<If>(&last.node)) {
    return leaves(kernel, branch->then) && leaves(kernel, branch->otherwise);
  }
  return is_exit(last);
}

}  // namespace tacet::oblivious
