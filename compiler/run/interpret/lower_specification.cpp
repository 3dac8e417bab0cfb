#include <algorithm>

#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using names::LocalKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

void FunctionLowering::prepare_definitions(Node block) {
  const names::BodyNames& names = text_.body->names;
  std::vector<uint32_t> definition_of_node(text_.tree->nodes.size(), kNone);
  first_definition_ = static_cast<uint32_t>(definitions_.size());
  for (Node child : block.children()) {
    if (!child.is(NodeKind::Definition)) {
      continue;
    }
    Definition definition;
    definition.value = child.child(Field::Value);
    definition.type = type(definition.value);
    definition.slot = builder_.allocate(cells(definition.type));
    definition.memory = static_cast<uint32_t>(definitions_.size());  // from `first_memory_`
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
    std::vector<types::TypeId> of_value = parts(types(), definitions_[at].type);
    uint32_t offset = 0;
    for (uint32_t part = 0; part < local.ordinal && part < of_value.size(); ++part) {
      offset += static_cast<uint32_t>(cells(of_value[part]));
    }
    locals_[i].slot = {definitions_[at].slot.index + offset};
  }
  count_uses(block, first_definition_);
  n_definitions_ = static_cast<uint32_t>(definitions_.size());
  first_memory_ = builder_.allocate(n_definitions_).index;
  for (Definition& definition : definitions_) {
    definition.memory += first_memory_;
  }
}

/// Counts how often the definitions from `first` on are mentioned.
void FunctionLowering::count_uses(Node block, uint32_t first) {
  const names::BodyNames& names = text_.body->names;
  for (uint32_t i = block.index(); i < block.subtree_end(); ++i) {
    names::Resolution meaning = names.of(i);
    if (!meaning.is(names::Meaning::Local) || names.locals[meaning.index()].node == i) {
      continue;
    }
    uint32_t definition = locals_[meaning.index()].definition;
    if (definition != kNone && definition >= first) {
      ++definitions_[definition].n_uses;
    }
  }
}

void FunctionLowering::lower_specification(Node block) {
  prepare_definitions(block);
  Node returned = block.child(NodeKind::ReturnsStatement).child(Field::Value);
  if (!returned) {
    return_slot(builder_.allocate(0));  // no results, so nothing is wanted
    return;
  }
  evaluate_strict_definitions(returned);
  size_t known = known_.size();
  return_value(returned);
  lower_pending_code(known);
}

/// Evaluates what the result surely needs, but for a definition that is the result.
void FunctionLowering::evaluate_strict_definitions(Node returned) {
  SpecificationDemands demands = program_.demands_in(text_);
  for (size_t i = 0; i < demands.locals.size(); ++i) {
    if (locals_[i].definition != kNone && demands.locals[i] == Demand::Strict) {
      definitions_[locals_[i].definition].is_strict = true;
    }
  }
  const names::Local* result = text_.body->names.local(bare(returned).index());
  uint32_t last = result == nullptr
                      ? kNone
                      : locals_[text_.body->names.of(bare(returned).index()).index()].definition;
  for (uint32_t position : demands.definitions_in_order) {
    uint32_t at = first_definition_ + position;
    if (definitions_[at].is_strict && !(at == last && definitions_[at].n_uses == 1)) {
      into(definitions_[at].value, definitions_[at].slot);
      mark_known(at);
    }
  }
}

/// Writes the code that other code of this function runs in its middle, and what that runs in turn.
/// It leaves the slots of the other code alone, and may run with other frames above this one.
void FunctionLowering::lower_pending_code(size_t always_known) {
  builder_.detach();
  for (size_t i = 0; i < pending_.size(); ++i) {
    forget_known(always_known);
    builder_.start_region();
    PendingCode pending = pending_[i];
    depth_of_loops_ = pending.loop_depth;
    builder_.bind(pending.code);
    if (pending.definition == kNone) {
      Slot slot = value_as(pending.argument, pending.type);
      builder_.emit(Opcode::Settle, {slot.index, static_cast<uint32_t>(cells(pending.type))});
      continue;
    }
    Definition definition = definitions_[pending.definition];
    into_as(definition.value, definition.type, definition.slot);
    builder_.emit(Opcode::Done, {definition.memory});
  }
}

void FunctionLowering::force(uint32_t at) {
  Definition& definition = definitions_[at];
  if (!definition.is_forced) {
    definition.is_forced = true;
    pending_.push_back({at, {}, {}, definition.code, definition.loop_depth});
    if (!definition.is_bound_by_let) {
      n_memories_ = n_definitions_;
    }
  }
  builder_.emit_jump(Opcode::Force, {definition.memory}, definition.code);
}

/// Makes sure that a definition is evaluated at this point of the code; gives its slot.
auto FunctionLowering::demand(uint32_t at) -> Slot {
  Definition definition = definitions_[at];
  if (definition.is_known) {
    return definition.slot;
  }
  // A definition with one use stands there, unless a loop would evaluate it again and again.
  bool stands_here = definition.n_uses == 1 && definition.loop_depth == depth_of_loops_ &&
                     depth_of_demands_ < kMaxDepthOfDemands && !definition.is_forced;
  if (definition.suspended != kNone) {
    builder_.emit(Opcode::Need,
                  {definition.suspended, static_cast<uint32_t>(cells(definition.type))});
  } else if (stands_here) {
    ++depth_of_demands_;
    into_as(definition.value, definition.type, definition.slot);
    --depth_of_demands_;
  } else {
    force(at);
  }
  mark_known(at);
  return definition.slot;
}

void FunctionLowering::mark_known(uint32_t at) {
  definitions_[at].is_known = true;
  known_.push_back(at);
}

void FunctionLowering::forget_known(size_t mark) {
  while (known_.size() > mark) {
    definitions_[known_.back()].is_known = false;
    known_.pop_back();
  }
}

/// `let x = e in b`, where `e` is evaluated if `b` needs `x`.
void FunctionLowering::let_in_specification(Node node, Slot target) {
  Node body = node.child(Field::Body);
  std::vector<uint32_t> bound;
  for (Node child : node.children()) {
    names::Resolution meaning = child.is(NodeKind::Binding)
                                    ? text_.body->names.of(child.child(Field::Name).index())
                                    : names::Resolution();
    if (meaning.is(names::Meaning::Local)) {
      bound.push_back(meaning.index());
    }
  }
  Definition definition;
  definition.value = node.child(Field::Value);
  definition.type = bound.size() == 1 ? text_.body->local_types[bound[0]] : type(definition.value);
  definition.slot = builder_.allocate(cells(definition.type));
  definition.loop_depth = depth_of_loops_;
  definition.memory = builder_.allocate(1).index;
  definition.code = builder_.new_label();
  definition.is_bound_by_let = true;
  Slot slot = definition.slot;
  for (size_t i = 0; i < bound.size(); ++i) {
    locals_[bound[i]].definition = static_cast<uint32_t>(definitions_.size());
    locals_[bound[i]].slot = slot;
    slot.index += static_cast<uint32_t>(cells(text_.body->local_types[bound[i]]));
  }
  builder_.emit_constant({definition.memory}, 0);
  definitions_.push_back(definition);
  count_uses(body, static_cast<uint32_t>(definitions_.size()) - 1);
  into(body, target);
}

}  // namespace tacet::interpret
