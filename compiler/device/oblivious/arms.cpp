#include "compiler/device/oblivious/arms.h"

namespace tacet::oblivious {

using namespace kernel;

Arms::Arms(Writer& writer, const Kernel& source)
    : writer_(writer), source_(source), occurrences_(count_occurrences(source, source.body)) {
  for (VariableId parameter : source.parameters) {
    ++occurrences_[parameter];  // it has a value before the body
  }
}

auto Arms::name(VariableId variable) const -> VariableId {
  const auto found = renames_.find(variable);
  return found == renames_.end() ? variable : found->second;
}

auto Arms::renamed(ExprId expr) -> ExprId {
  return oblivious::renamed(writer_.kernel(), expr, renames_);
}

void Arms::enter(ExprId predicate, const Block& block, const VariableSet& stored) {
  Arm arm{predicate};
  arm.outer = renames_;
  for (const auto& [variable, n] : count_occurrences(source_, block)) {
    const bool is_counter = source_.variables[variable].kind != VariableKind::Local &&
                            source_.variables[variable].kind != VariableKind::Parameter;
    if (n == occurrences_.at(variable) &&
        (is_counter || !may_read_first(source_, block, variable))) {
      arm.locals.insert(variable);
    }
  }
  for (VariableId variable : variables_written(source_, block)) {
    if (arm.locals.contains(variable) || stored.contains(variable)) {
      continue;
    }
    const VariableId outside = name(variable);
    const Variable held = source_.variables[variable];
    const VariableId own = writer_.mutable_variable(held.name, held.type);
    arm.left.own[outside] = {variable, own};
    if (!assigns_first(source_, block, variable)) {
      arm.left.prologue.push_back(writer_.assign(own, writer_.read(outside)));
    }
    renames_[variable] = own;
  }
  arms_.push_back(std::move(arm));
}

auto Arms::leave() -> Left {
  Left left = std::move(arms_.back().left);
  renames_ = std::move(arms_.back().outer);
  arms_.pop_back();
  return left;
}

auto Arms::predicate(VariableId variable) -> std::optional<ExprId> {
  // Its own, or of an arm: then only the arms inside of that one count.
  size_t from = 0;
  while (from < arms_.size() && arms_[from].locals.contains(variable)) {
    ++from;
  }
  const VariableId called = name(variable);
  for (size_t i = from; i < arms_.size(); ++i) {
    for (const auto& [outside, own] : arms_[i].left.own) {
      if (own.own == called) {
        from = i + 1;
      }
    }
  }
  if (from >= arms_.size()) {
    return std::nullopt;
  }
  return conjunction(from);
}

auto Arms::conjunction(size_t from) -> ExprId {
  const size_t last = arms_.size() - 1;
  if (from == last) {
    return arms_[last].predicate;
  }
  const auto known = arms_[last].conjunctions.find(from);
  if (known != arms_[last].conjunctions.end()) {
    return known->second;
  }
  // Each arm's beginning has what holds of the arms around it.
  Arm inner = std::move(arms_.back());
  arms_.pop_back();
  const ExprId outer = conjunction(from);
  arms_.push_back(std::move(inner));
  const VariableId all = writer_.variable("taken", {engine::kBool, {}});
  Arm& arm = arms_.back();
  arm.left.prologue.push_back(writer_.assign(all, writer_.both(outer, arm.predicate)));
  return arm.conjunctions[from] = writer_.read(all);
}

}  // namespace tacet::oblivious
