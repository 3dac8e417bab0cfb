#include "linter/lint_chunk.h"

#include "compiler/front/names/queries.h"
#include "compiler/views/he/circuit_advice.h"

namespace tacet::linter {

auto FindingsOfChunk::compute(query::Context& context, const Key& key) -> Value {
  std::vector<FoundInItem> all;
  for (const names::FileItem& item : *context.get<names::ItemsOfChunk>(key.chunk)) {
    FoundInItem found{item.id};
    if (item.kind == names::ItemKind::Fn) {
      found.findings = context.get<FindingsOfItem>(item.id);
      const auto& program = context.get<mpc_views::ProgramOfItem>(item.id);
      if (program != nullptr && !program->diagnostics.empty()) {
        found.program = program;
      }
    }
    if (key.with_advice) {
      const auto& advice = context.get<AdviceOfItem>(item.id);
      found.is_wrong = advice == nullptr;
      if (advice != nullptr && !advice->findings.empty()) {
        found.advice = advice;
      }
      if (item.kind == names::ItemKind::Fn) {
        const auto& circuit_advice = context.get<he_views::CircuitAdviceOfItem>(item.id);
        if (!circuit_advice->empty()) {
          found.circuit_advice = circuit_advice;
        }
        const auto& loops = context.get<mpc_views::SequentialLoopsOfItem>(
            {.item = item.id, .protocol = key.protocol});
        if (!loops->empty()) {
          found.loops = loops;
        }
      }
    }
    if (found != FoundInItem{item.id}) {
      all.push_back(std::move(found));
    }
  }
  return std::make_shared<const std::vector<FoundInItem>>(std::move(all));
}

auto SuppressionsOfChunk::compute(query::Context& context, const Key& chunk) -> Value {
  std::vector<Found> all;
  for (const names::FileItem& item : *context.get<names::ItemsOfChunk>(chunk)) {
    if (!may_suppress(*context.get<names::SyntaxOfItem>(item.id))) {
      continue;
    }
    const auto& found = context.get<SuppressionsOfItem>(item.id);
    if (found != nullptr) {
      all.emplace_back(item.id, found);
    }
  }
  return std::make_shared<const std::vector<Found>>(std::move(all));
}

}  // namespace tacet::linter
