#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "compiler/device/kernel/walk.h"
#include "compiler/device/loops/copy_statement.h"
#include "compiler/device/loops/splitting.h"

/// The loops that take the place of one: `Splitting::written`.
namespace tacet::loops {

auto Splitting::iteration(VariableId counter) -> ExprId {
  const ExprId read = make_.cast(make_.read(counter), engine::kI64);
  return loop_.first == 0 ? read
                          : make_.binary(types::Operator::Sub, read, make_.integer(loop_.first));
}

void Splitting::pass(size_t at, Block& before, Block& body) {
  for (const VariableId variable : body_.reads[at]) {
    if (waiting_.contains(variable) || !body_.written.contains(variable) ||
        !type_of(variable).extents.empty()) {
      continue;
    }
    size_t n_writers = 0;
    for (size_t i = 0; i < at; ++i) {
      n_writers += !waits_[i] && body_.writes[i].contains(variable) ? 1 : 0;
    }
    const auto key = std::pair(variable, n_writers);
    if (!passed_.contains(key)) {
      const kernel::Type type{type_of(variable).element, {loop_.n}};
      const VariableId row =
          make_.mutable_variable(fmt::format("all_{}", kernel_.variables[variable].name), type);
      kernel_.variables[row].visibility = kernel_.variables[variable].visibility;
      before.push_back(make_.assign(row, make_.zero(type)));
      const ExprId index = iteration(loop_.node.counter);
      const ExprId value = make_.read(variable);
      body.push_back(make_.statement(kernel::StoreElement{row, {index}, value}));
      passed_[key] = row;
    }
    reads_passed_[at][variable] = passed_[key];
  }
}

auto Splitting::needed() const -> std::vector<bool> {
  const size_t n = body_.statements.size();
  std::vector<bool> is_needed(n);
  Variables read;
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (size_t i = 0; i < n; ++i) {
      if (!waits_[i] || is_needed[i]) {
        continue;
      }
      const auto* assign = std::get_if<kernel::Assign>(&statement(i).node);
      const bool is_of_group = assign != nullptr && std::find(group_.begin(), group_.end(),
                                                              assign->variable) != group_.end();
      is_needed[i] = assign == nullptr || read.contains(assign->variable) ||
                     (!is_of_group && loop_.used_outside.contains(assign->variable));
      if (is_needed[i]) {
        is_changed = true;
        // What the tree gives is read from it.
        if (!is_last_of_group(i)) {
          read.insert(body_.reads[i].begin(), body_.reads[i].end());
        }
      }
    }
  }
  return is_needed;
}

auto Splitting::is_last_of_group(size_t at) const -> bool {
  const auto* assign = std::get_if<kernel::Assign>(&statement(at).node);
  if (assign == nullptr ||
      std::find(group_.begin(), group_.end(), assign->variable) == group_.end()) {
    return false;
  }
  for (size_t i = at + 1; i < body_.statements.size(); ++i) {
    if (body_.writes[i].contains(assign->variable)) {
      return false;
    }
  }
  return true;
}

auto Splitting::for_all(VariableId counter, Block body) -> StatementId {
  kernel::For node = loop_.node;
  node.counter = counter;
  node.body = std::move(body);
  return make_.statement(std::move(node));
}

auto Splitting::written(IterationTree& tree) -> Block {
  const std::vector<bool> is_needed = needed();
  Block result;
  Block first;
  for (const First& each : first_) {
    if (const auto* at = std::get_if<size_t>(&each)) {
      first.push_back(body_.statements[*at]);
    } else if (const auto* id = std::get_if<StatementId>(&each)) {
      first.push_back(*id);
    } else if (const size_t waiting = std::get<Waiting>(each).at;
               is_needed[waiting] && !is_last_of_group(waiting)) {
      pass(waiting, result, first);
    }
  }
  tree.start(result, first, iteration(loop_.node.counter));
  result.push_back(for_all(loop_.node.counter, std::move(first)));
  if (std::none_of(is_needed.begin(), is_needed.end(), [](bool each) { return each; })) {
    tree.fold(result);
  } else {
    add_second(tree, is_needed, result);
  }
  for (const VariableId variable : group_) {
    kernel_.variables[variable].is_mutable = true;
  }
  return result;
}

void Splitting::add_second(IterationTree& tree, const std::vector<bool>& is_needed, Block& result) {
  const std::map<VariableId, VariableId> rows = tree.prefixes(result);
  const kernel::Variable old = kernel_.variables[loop_.node.counter];
  const VariableId counter = make_.variable(old.name, old.type, kernel::VariableKind::Counter);
  Block second;
  const auto element = [&](VariableId row, int64_t behind) {
    const ExprId at = iteration(counter);
    return make_.element(
        make_.read(row),
        {behind == 0 ? at : make_.binary(types::Operator::Add, at, make_.integer(behind))});
  };
  for (const VariableId variable : group_) {
    second.push_back(make_.assign(variable, element(rows.at(variable), 0)));
  }
  for (size_t i = 0; i < body_.statements.size(); ++i) {
    if (!is_needed[i]) {
      continue;
    }
    if (is_last_of_group(i)) {
      const VariableId variable = std::get<kernel::Assign>(statement(i).node).variable;
      second.push_back(make_.assign(variable, element(rows.at(variable), 1)));
      continue;
    }
    std::map<VariableId, ExprId> by{{loop_.node.counter, make_.read(counter)}};
    for (const auto& [variable, row] : reads_passed_[i]) {
      by[variable] = element(row, 0);
    }
    second.push_back(copied_with(make_, body_.statements[i], by));
  }
  result.push_back(for_all(counter, std::move(second)));
  for (const VariableId variable : group_) {
    const ExprId last = make_.integer(loop_.n);
    result.push_back(make_.assign(variable, make_.element(make_.read(rows.at(variable)), {last})));
  }
}

}  // namespace tacet::loops
