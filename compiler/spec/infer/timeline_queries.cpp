#include <algorithm>

#include "compiler/front/names/importers.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/timeline_deduction.h"

namespace tacet::infer {

using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::ValueId;

auto is_trivial(const SpecGraph& timeline) -> bool {
  return timeline.inputs.size() == 1 && timeline.outputs == timeline.inputs &&
         std::none_of(timeline.nodes.values().begin(), timeline.nodes.values().end(), is_step);
}

auto uses_devices(const hir::Function& function) -> bool {
  return std::any_of(function.instructions.values().begin(), function.instructions.values().end(),
                     [](const Instruction& instruction) {
                       return instruction.opcode == Opcode::EncodeBegin ||
                              instruction.opcode == Opcode::Submit ||
                              instruction.opcode == Opcode::Await;
                     });
}

auto CalledTimelinesOfFile::compute(query::Context& context, const Key& file) -> Value {
  auto result = std::make_shared<std::vector<names::ItemId>>();
  for (const names::FileItem& item : context.get<names::ItemsOfFile>(file)->items) {
    const auto& specification =
        item.kind == names::ItemKind::Tmln ? context.get<SpecificationOf>(item.id) : nullptr;
    if (!specification || !specification->graph) {
      continue;
    }
    for (const SpecNode& node : specification->graph->nodes.values()) {
      if (node.term.kind == TermKind::Call) {
        result->push_back(node.term.item);
      }
    }
  }
  std::sort(result->begin(), result->end());
  result->erase(std::unique(result->begin(), result->end()), result->end());
  return result;
}

/// Other files rely on the timeline doing nothing: callers of its class import it.
static auto is_called(query::Context& context, names::ItemId timeline) -> bool {
  const names::ItemId of_class = class_of(context, timeline);
  const FileId own = context.service<names::ItemTable>()[of_class].file;
  std::vector<FileId> files = context.get<names::ImportersOfFile>(own);
  files.push_back(own);
  for (FileId file : files) {
    const auto& called = context.get<CalledTimelinesOfFile>(file);
    if (std::binary_search(called->begin(), called->end(), of_class)) {
      return true;
    }
  }
  return false;
}

auto deduce_timeline(query::Context& context, const hir::Function& function)
    -> std::shared_ptr<const TimelineQuotients> {
  const auto signature = context.get<types::SignatureOf>(function.item);
  if (!signature || !signature->tmln.has_value()) {
    return nullptr;
  }
  const auto& timeline = context.get<SpecificationOf>(signature->tmln);
  if (!timeline || !timeline->graph) {
    return nullptr;
  }
  if (is_trivial(*timeline->graph) &&
      (!uses_devices(function) || !is_called(context, signature->tmln))) {
    return nullptr;
  }
  const names::ItemTree& tree = context.get<names::SyntaxOfItem>(function.item);
  const auto& interface = context.get<TimelineInterfaceOf>(function.item);
  auto result = std::make_shared<TimelineQuotients>();
  result->tmln = signature->tmln;
  TimelineDeduction deduction(context, function, *timeline->graph, *tree, *interface, *result);
  run(deduction);
  return result;
}

auto TimelineQuotientsOf::compute(query::Context& context, const Key& item) -> Value {
  const hir::FunctionPtr& function = context.get<hir::SsaOf>(item);
  return function ? deduce_timeline(context, *function) : nullptr;
}

}  // namespace tacet::infer
