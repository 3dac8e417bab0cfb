#include "compiler/device/oblivious/join_arms.h"

#include <algorithm>
#include <set>

#include "compiler/device/oblivious/occurrences.h"

namespace tacet::oblivious {

using namespace kernel;

void take_last_values(const Kernel& kernel, ArmResult& arm,
                      const std::map<VariableId, Arms::Own>& own) {
  const OccurrenceCounts counts = count_occurrences(kernel, arm.body);
  while (!arm.body.empty()) {
    const auto* assign = std::get_if<Assign>(&kernel.statements[arm.body.back()].node);
    if (assign == nullptr || counts.at(assign->variable) != 1) {
      return;
    }
    const auto found = std::find_if(own.begin(), own.end(), [&](const auto& pair) {
      return pair.second.own == assign->variable;
    });
    if (found == own.end()) {
      return;
    }
    arm.values[found->first] = assign->value;
    arm.body.pop_back();
  }
}

auto join_arms(Writer& writer, ArmResult& then, ArmResult& otherwise) -> ArmJoin {
  std::set<VariableId> variables;
  for (const ArmResult* arm : {&then, &otherwise}) {
    for (const auto& [variable, value] : arm->values) {
      variables.insert(variable);
    }
  }
  ArmJoin join;
  std::set<VariableId> done;
  const auto value_of = [&](ArmResult& arm, VariableId variable) {
    const auto found = arm.values.find(variable);
    if (found == arm.values.end()) {
      return writer.read(variable);
    }
    const std::set<VariableId> read = variables_read(writer.kernel(), found->second);
    const bool is_changed_before =
        std::any_of(read.begin(), read.end(), [&](VariableId id) { return done.contains(id); });
    if (!is_changed_before) {
      return found->second;
    }
    const VariableId held =
        writer.variable(writer.kernel().variables[variable].name, writer.type(found->second));
    arm.body.push_back(writer.assign(held, found->second));
    return writer.read(held);
  };
  for (VariableId variable : variables) {
    const ExprId a = value_of(then, variable);
    const ExprId b = value_of(otherwise, variable);
    join.values.push_back({variable, a, b});
    done.insert(variable);
  }
  return join;
}

}  // namespace tacet::oblivious
