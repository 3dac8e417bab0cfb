#include "compiler/spec/infer/node_index.h"

namespace tacet::infer {

using hir::Instruction;
using hir::Opcode;
using hir::PlaceId;
using hir::PlaceKind;

static auto is_shown(Opcode opcode) -> bool {
  return opcode == Opcode::Literal || opcode == Opcode::Call || opcode == Opcode::EncodeBegin ||
         opcode == Opcode::EncodeCopy || opcode == Opcode::EncodeCall || opcode == Opcode::Submit ||
         opcode == Opcode::Await || opcode == Opcode::Hole || opcode == Opcode::Annotate;
}

auto is_function(query::Context& context, names::ItemId item) -> bool {
  return context.service<names::ItemTable>()[item].kind == names::ItemKind::Fn;
}

auto index_nodes(query::Context& context, const FunctionFacts& facts) -> std::vector<AtNode> {
  const hir::Function& function = facts.function;
  std::vector<AtNode> nodes(facts.tree.nodes.size());
  const auto& types = context.service<types::TypeStore>();
  for (uint32_t i = 0; i < function.instructions.size(); ++i) {
    const Instruction& instruction = function.instructions[hir::InstructionId{i}];
    if (instruction.node == hir::kNoNode) {
      continue;
    }
    AtNode& at = nodes[instruction.node];
    if (instruction.opcode == Opcode::Store) {
      at.stores.push_back({i});
    } else if (!at.instruction.has_value() && is_shown(instruction.opcode)) {
      at.instruction = {i};
      at.has_boundary =
          instruction.opcode == Opcode::Call && is_function(context, instruction.item);
    }
  }
  for (const hir::NameUse& use : function.names) {
    nodes[use.node].value = use.value;
    // The binding of a `let` is inferred from its uses, where it is not inferred from itself.
    const names::Resolution name = facts.body.names.of(use.node);
    if (!name.is(names::Meaning::Local)) {
      continue;
    }
    const names::Local& local = facts.body.names.locals[name.index()];
    const bool is_fixed =
        local.kind == names::LocalKind::Let && local.node != local.declaration &&
        types[facts.body.local_types[name.index()]].kind == types::TypeKind::Value;
    if (is_fixed && local.node < nodes.size() && !nodes[local.node].value.has_value()) {
      nodes[local.node].value = use.value;
    }
  }
  for (uint32_t i = 0; i < function.blocks.size(); ++i) {
    const hir::Terminator& terminator = function.blocks[hir::BlockId{i}].terminator;
    if (terminator.kind == hir::TerminatorKind::Branch && terminator.node != hir::kNoNode) {
      nodes[terminator.node].branch = {i};
      nodes[terminator.node].has_boundary = true;
    }
  }
  for (uint32_t i = 0; i < function.tags.size(); ++i) {
    nodes[function.tags[i].node].tag_use = i;
  }
  for (uint32_t i = 0; i < function.places.size(); ++i) {
    const hir::Place& place = function.places[PlaceId{i}];
    if (place.node != hir::kNoNode &&
        (place.kind == PlaceKind::Variable || place.kind == PlaceKind::Referent)) {
      nodes[place.node].place = {i};
    }
  }
  // Children follow their parents.
  for (auto i = static_cast<uint32_t>(facts.tree.nodes.size()); i-- > 0;) {
    for (syntax::Node child : syntax::Node(&facts.tree, i).children()) {
      nodes[i].has_boundary = nodes[i].has_boundary || nodes[child.index()].has_boundary;
    }
  }
  return nodes;
}

}  // namespace tacet::infer
