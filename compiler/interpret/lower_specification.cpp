#include "compiler/interpret/lowering.h"

namespace tacet::interpret {

using names::LocalKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Definitions that need one another in a row longer than this are evaluated behind `force`, so
/// that lowering them does not recurse as deep as the row is long.
static constexpr uint32_t kMaxDepthOfDemands = 100;

void FunctionLowering::prepare_definitions(Node block) {
  const names::BodyNames& names = text_.body->names;
  std::vector<uint32_t> definition_of_node(text_.tree->nodes.size(), kNone);
  for (Node child : block.children()) {
    if (!child.is(NodeKind::Definition)) {
      continue;
    }
    Definition definition;
    definition.node = child;
    definition.slot = builder_.allocate(cells(child.child(Field::Value)));
    definition.code = builder_.new_label();
    definition_of_node[child.index()] = static_cast<uint32_t>(definitions_.size());
    definitions_.push_back(definition);
  }
  for (size_t i = 0; i < names.locals.size(); ++i) {
    const names::Local& local = names.locals[i];
    if (local.kind != LocalKind::Definition || local.declaration >= definition_of_node.size()) {
      continue;
    }
    uint32_t at = definition_of_node[local.declaration];
    if (at == kNone) {
      continue;
    }
    locals_[i].definition = at;
    std::vector<types::TypeId> of_value =
        parts(types(), type(definitions_[at].node.child(Field::Value)));
    uint32_t offset = 0;
    for (uint32_t part = 0; part < local.ordinal && part < of_value.size(); ++part) {
      offset += static_cast<uint32_t>(cells(of_value[part]));
    }
    locals_[i].slot = {definitions_[at].slot.index + offset};
  }
  for (uint32_t i = block.index(); i < block.subtree_end(); ++i) {
    names::Resolution meaning = names.of(i);
    if (!meaning.is(names::Meaning::Local)) {
      continue;
    }
    const names::Local& local = names.locals[meaning.index()];
    uint32_t definition = locals_[meaning.index()].definition;
    if (definition != kNone && local.node != i) {
      ++definitions_[definition].n_uses;
    }
  }
  first_memory_ = builder_.allocate(definitions_.size()).index;
}

void FunctionLowering::lower_specification(Node block) {
  prepare_definitions(block);
  Node returns = block.child(NodeKind::ReturnsStatement);
  return_value(returns.child(Field::Value));
  lower_pending_definitions();
}

/// Writes the code of the definitions that are forced somewhere, and of those that this code
/// forces in turn.
void FunctionLowering::lower_pending_definitions() {
  for (size_t i = 0; i < pending_.size(); ++i) {
    restore_known(std::vector<bool>(definitions_.size(), false));
    // It runs in the middle of other code of this frame, whose slots it must leave alone.
    builder_.start_region();
    depth_of_arms_ = 1;
    depth_of_loops_ = 0;
    Definition& definition = definitions_[pending_[i]];
    definition.is_in_progress = true;
    builder_.bind(definition.code);
    into(definition.node.child(Field::Value), definition.slot);
    builder_.emit(Opcode::Done, {definition.memory});
    definition.is_in_progress = false;
  }
}

void FunctionLowering::force(Definition& definition) {
  if (definition.memory == kNone) {
    auto at = static_cast<uint32_t>(&definition - definitions_.data());
    definition.memory = first_memory_ + at;
    n_memories_ = static_cast<uint32_t>(definitions_.size());
    pending_.push_back(at);
  }
  builder_.emit_jump(Opcode::Force, {definition.memory}, definition.code);
}

/// Makes sure that a definition is evaluated at this point of the code; gives its slot.
auto FunctionLowering::demand(uint32_t at) -> Slot {
  Definition& definition = definitions_[at];
  if (definition.is_known) {
    return definition.slot;
  }
  // Inline where it is surely needed, or needed only here; elsewhere it remembers.
  bool is_only_use = definition.n_uses == 1 && depth_of_loops_ == 0;
  if (definition.memory != kNone || (depth_of_arms_ > 0 && !is_only_use) ||
      depth_of_demands_ >= kMaxDepthOfDemands || definition.is_in_progress) {
    force(definition);
  } else {
    definition.is_in_progress = true;
    ++depth_of_demands_;
    into(definition.node.child(Field::Value), definition.slot);
    --depth_of_demands_;
    definition.is_in_progress = false;
  }
  definition.is_known = true;
  return definition.slot;
}

auto FunctionLowering::known_definitions() const -> std::vector<bool> {
  std::vector<bool> known;
  known.reserve(definitions_.size());
  for (const Definition& definition : definitions_) {
    known.push_back(definition.is_known);
  }
  return known;
}

void FunctionLowering::restore_known(const std::vector<bool>& known) {
  for (size_t i = 0; i < definitions_.size(); ++i) {
    definitions_[i].is_known = known[i];
  }
}

}  // namespace tacet::interpret
