#include "compiler/device/oblivious/regions.h"

#include <algorithm>

namespace tacet::oblivious {

using namespace kernel;
using Port = SecretRegion::Port;

void rename_in(Kernel& kernel, const Block& block, const Renames& renames) {
  walk_statements(kernel, block, [&](StatementId id) {
    Statement copy = kernel.statements[id];
    visit_exprs(copy, [&](ExprId& expr) { expr = renamed(kernel, expr, renames); });
    visit_written(copy, [&](VariableId& variable) {
      const auto found = renames.find(variable);
      variable = found == renames.end() ? variable : found->second;
    });
    kernel.statements[id] = std::move(copy);
  });
}

auto count_all(const Kernel& kernel) -> OccurrenceCounts {
  OccurrenceCounts counts = count_occurrences(kernel, kernel.body);
  for (VariableId parameter : kernel.parameters) {
    ++counts[parameter];
  }
  return counts;
}

auto capture(Writer& writer, Block body, const OccurrenceCounts& total) -> StatementId {
  Kernel& kernel = writer.kernel();
  const VariableSet written = variables_written(kernel, body);
  SecretRegion region;
  Renames renames;
  OccurrenceCounts inside = count_occurrences(kernel, body);
  VariableSet used;
  for (const auto& [variable, n] : inside) {
    used.insert(variable);  // in a stable order
  }
  for (VariableId variable : used) {
    const VariableKind kind = kernel.variables[variable].kind;
    // An index belongs to its expression, of which another statement may have a part too.
    const bool is_inside =
        kind == VariableKind::Index ||
        (inside[variable] == total.at(variable) &&
         (kind == VariableKind::Counter || !may_read_first(kernel, body, variable)));
    if (is_inside) {
      continue;
    }
    const Variable outer = kernel.variables[variable];
    const VariableId inner = writer.mutable_variable(outer.name, outer.type);
    renames[variable] = inner;
    if (!assigns_first(kernel, body, variable)) {
      region.inputs.push_back({variable, inner});
    }
    if (written.contains(variable)) {
      region.outputs.push_back({variable, inner});
    }
  }
  rename_in(kernel, body, renames);
  region.body = std::move(body);
  return writer.statement(std::move(region));
}

auto inlined(Writer& writer, const SecretRegion& region) -> Block {
  const VariableSet written = variables_written(writer.kernel(), region.body);
  Renames renames;
  Block out;
  const auto gives = [&](VariableId outer) {
    return std::any_of(region.outputs.begin(), region.outputs.end(),
                       [&](const Port& port) { return port.outer == outer; });
  };
  for (const Port& port : region.inputs) {
    const bool is_same =
        std::find(region.outputs.begin(), region.outputs.end(), port) != region.outputs.end();
    if ((!written.contains(port.inner) && !gives(port.outer)) || is_same) {
      renames[port.inner] = port.outer;
    } else {
      out.push_back(writer.assign(port.inner, writer.read(port.outer)));
    }
  }
  for (const Port& port : region.outputs) {
    // What it held before is not used inside.
    const bool is_free = std::none_of(
        region.inputs.begin(), region.inputs.end(),
        [&](const Port& input) { return input.outer == port.outer || input.inner == port.inner; });
    if (is_free && !renames.contains(port.inner)) {
      renames[port.inner] = port.outer;
    }
  }
  rename_in(writer.kernel(), region.body, renames);
  out.insert(out.end(), region.body.begin(), region.body.end());
  for (const Port& port : region.outputs) {
    const auto found = renames.find(port.inner);
    const VariableId holds = found == renames.end() ? port.inner : found->second;
    if (holds != port.outer) {
      out.push_back(writer.assign(port.outer, writer.read(holds)));
    }
  }
  return out;
}

}  // namespace tacet::oblivious
