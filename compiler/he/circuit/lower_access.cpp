#include <algorithm>

#include "compiler/he/circuit/builder.h"
#include "compiler/he/circuit/lowering.h"

namespace tacet::circuit {

using engine::HeAccess;
using engine::HeOpcode;

/// In the variables of the loops that are open; the others have the value 0.
auto Lowering::affine(const LoopFormula& formula) const -> engine::HeAffine {
  engine::HeAffine result{.constant = formula.constant, .terms = {}};
  for (const LoopTerm& term : formula.terms) {
    if (position_[term.loop.index] != Location::kNone) {
      result.terms.push_back({.variable = position_[term.loop.index], .factor = term.factor});
    }
  }
  std::sort(result.terms.begin(), result.terms.end(),
            [](const auto& a, const auto& b) { return a.variable < b.variable; });
  return result;
}

auto Lowering::access(const Location& location) const -> HeAccess {
  HeAccess result{.reg = location.reg, .indices = {}};
  for (const LoopFormula& index : location.indices) {
    result.indices.push_back(affine(index));
  }
  return result;
}

static auto tables_in(const std::vector<LoopFormula>& indices)
    -> std::vector<std::vector<int64_t>> {
  std::vector<std::vector<int64_t>> tables;
  for (const LoopFormula& index : indices) {
    tables.push_back(index.table);
  }
  return tables;
}

auto Lowering::leaf_location(uint32_t reg, const std::vector<LoopFormula>& indices) -> Location {
  Location location{.reg = reg, .indices = indices};
  if (std::any_of(indices.begin(), indices.end(), [](const auto& f) { return !is_affine(f); })) {
    location.reg = picks_.at({reg, tables_in(indices)});
    for (LoopFormula& index : location.indices) {
      index.table.clear();
    }
  }
  return location;
}

/// Declares the registers for what is named by tables.
void Lowering::find_picks() {
  for (const NodeId id : facts_.order.nodes) {
    const Node& node = circuit_.nodes[id];
    if (node.kind != NodeKind::Input && node.kind != NodeKind::Result) {
      continue;
    }
    const auto tables = tables_in(node.formulas);
    if (std::all_of(tables.begin(), tables.end(), [](const auto& t) { return t.empty(); })) {
      continue;
    }
    const uint32_t reg =
        node.kind == NodeKind::Input ? node.family.index : statement_register_[node.statement];
    const auto [entry, is_new] = picks_.try_emplace({reg, tables});
    if (is_new) {
      std::vector<int64_t> extents;
      for (size_t d = 0; d < tables.size(); ++d) {
        extents.push_back(tables[d].empty() ? program_.registers[reg].dimensions[d].extent
                                            : static_cast<int64_t>(tables[d].size()));
      }
      entry->second = add_register(program_.registers[reg].name + "_by_table",
                                   program_.registers[reg].kind, extents);
    }
  }
}

void Lowering::emit_picks(uint32_t reg) {
  for (const auto& [key, to] : picks_) {
    if (key.first == reg) {
      emit_pick(reg, to, key.second);
    }
  }
}

/// Copies element by element where there is a table, and in loops where there is none.
void Lowering::emit_pick(uint32_t from, uint32_t to,
                         const std::vector<std::vector<int64_t>>& tables) {
  const auto extents = program_.registers[to].dimensions;
  HeAccess source{.reg = from, .indices = std::vector<engine::HeAffine>(tables.size())};
  HeAccess target{.reg = to, .indices = source.indices};
  std::vector<size_t> counted;
  size_t n_loops = 0;
  for (size_t d = 0; d < tables.size(); ++d) {
    if (tables[d].empty()) {
      const auto variable = static_cast<uint32_t>(open_.size());
      open_loop(names_.names.distinct("k"), 0, extents[d].extent);
      source.indices[d].terms = target.indices[d].terms = {{.variable = variable, .factor = 1}};
      ++n_loops;
    } else {
      counted.push_back(d);
    }
  }
  const auto copy = [&](const auto& self, size_t at) -> void {
    if (at == counted.size()) {
      emit(HeOpcode::Copy, target, {source});
      return;
    }
    const size_t d = counted[at];
    for (size_t i = 0; i < tables[d].size(); ++i) {
      target.indices[d].constant = static_cast<int64_t>(i);
      source.indices[d].constant = tables[d][i];
      self(self, at + 1);
    }
  };
  copy(copy, 0);
  for (; n_loops > 0; --n_loops) {
    close_loop();
  }
}

auto Lowering::table_of(const std::vector<int64_t>& numbers) -> uint32_t {
  const auto [entry, is_new] = tables_.try_emplace(numbers);
  if (is_new) {
    entry->second = static_cast<uint32_t>(program_.tables.size());
    program_.tables.push_back(
        {.name = names_.names.distinct("steps"), .values = numbers, .line = {}});
  }
  return entry->second;
}

}  // namespace tacet::circuit
