#include <algorithm>

#include "compiler/run/interpret/lower_debug.h"
#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using names::LocalKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static void count_uses(FunctionLowering& lowering, syntax::Node block, uint32_t first);
static void evaluate_strict_definitions(FunctionLowering& lowering, syntax::Node returned);
static void lower_pending_code(FunctionLowering& lowering, size_t always_known);
static void mark_known(FunctionLowering& lowering, uint32_t definition);

static void prepare_definitions(FunctionLowering& lowering, Node block) {
  const names::BodyNames& names = lowering.text.body->names;
  std::vector<uint32_t> definition_of_node(lowering.text.tree->nodes.size(), kNone);
  lowering.first_definition = static_cast<uint32_t>(lowering.definitions.size());
  for (Node child : block.children()) {
    if (!child.is(NodeKind::Definition)) {
      continue;
    }
    Definition definition;
    definition.value = child.child(Field::Value);
    definition.statement = child;
    definition.type = type_of(lowering, definition.value);
    definition.slot = lowering.builder.allocate(cells(lowering, definition.type));
    definition.memory = static_cast<uint32_t>(lowering.definitions.size());  // from `first_memory`
    definition.code = lowering.builder.new_label();
    definition_of_node[child.index()] = static_cast<uint32_t>(lowering.definitions.size());
    lowering.definitions.push_back(definition);
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
    lowering.locals[i].definition = at;
    std::vector<types::TypeId> of_value = parts(types(lowering), lowering.definitions[at].type);
    uint32_t offset = 0;
    for (uint32_t part = 0; part < local.ordinal && part < of_value.size(); ++part) {
      offset += static_cast<uint32_t>(cells(lowering, of_value[part]));
    }
    lowering.locals[i].slot = {lowering.definitions[at].slot.index + offset};
  }
  count_uses(lowering, block, lowering.first_definition);
  lowering.n_definitions = static_cast<uint32_t>(lowering.definitions.size());
  if (lowering.program.debug() != nullptr) {
    lowering.n_memories = lowering.n_definitions;  // which say what is evaluated
  }
  lowering.first_memory = lowering.builder.allocate(lowering.n_definitions).index;
  for (Definition& definition : lowering.definitions) {
    definition.memory += lowering.first_memory;
  }
}

/// Counts how often the definitions from `first` on are mentioned.
static void count_uses(FunctionLowering& lowering, Node block, uint32_t first) {
  const names::BodyNames& names = lowering.text.body->names;
  for (uint32_t i = block.index(); i < block.subtree_end(); ++i) {
    names::Resolution meaning = names.of(i);
    if (!meaning.is(names::Meaning::Local) || names.locals[meaning.index()].node == i) {
      continue;
    }
    uint32_t definition = lowering.locals[meaning.index()].definition;
    if (definition != kNone && definition >= first) {
      ++lowering.definitions[definition].n_uses;
    }
  }
}

void lower_specification(FunctionLowering& lowering, Node block) {
  prepare_definitions(lowering, block);
  Node returned = block.child(NodeKind::ReturnsStatement).child(Field::Value);
  if (!returned) {
    return_slot(lowering, lowering.builder.allocate(0));  // no results, so nothing is wanted
    return;
  }
  evaluate_strict_definitions(lowering, returned);
  size_t known = lowering.known.size();
  return_value(lowering, returned);
  lower_pending_code(lowering, known);
}

/// Evaluates what the result surely needs, but for a definition that is the result.
static void evaluate_strict_definitions(FunctionLowering& lowering, Node returned) {
  SpecificationDemands demands = lowering.program.demands_in(lowering.text);
  for (size_t i = 0; i < demands.locals.size(); ++i) {
    if (lowering.locals[i].definition != kNone && demands.locals[i] == Demand::Strict) {
      lowering.definitions[lowering.locals[i].definition].is_strict = true;
    }
  }
  const names::Local* result = lowering.text.body->names.local(bare(returned).index());
  uint32_t last =
      result == nullptr
          ? kNone
          : lowering.locals[lowering.text.body->names.of(bare(returned).index()).index()]
                .definition;
  for (uint32_t position : demands.definitions_in_order) {
    uint32_t at = lowering.first_definition + position;
    if (lowering.definitions[at].is_strict &&
        !(at == last && lowering.definitions[at].n_uses == 1)) {
      mark_statement(lowering, lowering.definitions[at].statement);
      into(lowering, lowering.definitions[at].value, lowering.definitions[at].slot);
      show_evaluated(lowering, lowering.definitions[at]);
      mark_known(lowering, at);
    }
  }
}

/// Writes the code that other code of this function runs in its middle, and what that runs in turn.
/// It leaves the slots of the other code alone, and may run with other frames above this one.
static void lower_pending_code(FunctionLowering& lowering, size_t always_known) {
  lowering.builder.detach();
  for (size_t i = 0; i < lowering.pending.size(); ++i) {
    forget_known(lowering, always_known);
    lowering.builder.start_region();
    PendingCode pending = lowering.pending[i];
    lowering.depth_of_loops = pending.loop_depth;
    lowering.builder.bind(pending.code);
    mark_statement(lowering, pending.definition == kNone
                                 ? bare(pending.argument)
                                 : lowering.definitions[pending.definition].statement);
    if (pending.definition == kNone) {
      Slot slot = value_as(lowering, pending.argument, pending.type);
      lowering.builder.emit(Opcode::Settle,
                            {slot.index, static_cast<uint32_t>(cells(lowering, pending.type))});
      continue;
    }
    Definition definition = lowering.definitions[pending.definition];
    into_as(lowering, definition.value, definition.type, definition.slot);
    lowering.builder.emit(Opcode::Done, {definition.memory});
  }
}

static void force_definition(FunctionLowering& lowering, uint32_t at) {
  Definition& definition = lowering.definitions[at];
  if (!definition.is_forced) {
    definition.is_forced = true;
    lowering.pending.push_back({at, {}, {}, definition.code, definition.loop_depth});
    if (!definition.is_bound_by_let) {
      lowering.n_memories = lowering.n_definitions;
    }
  }
  lowering.builder.emit_jump(Opcode::Force, {definition.memory}, definition.code);
}

/// Makes sure that a definition is evaluated at this point of the code; gives its slot.
auto demand(FunctionLowering& lowering, uint32_t at) -> Slot {
  Definition definition = lowering.definitions[at];
  if (definition.is_known) {
    return definition.slot;
  }
  // A definition with one use is there, unless a loop would evaluate it again and again.
  bool stands_here = definition.n_uses == 1 && definition.loop_depth == lowering.depth_of_loops &&
                     lowering.depth_of_demands < kMaxDepthOfDemands && !definition.is_forced;
  if (definition.suspended != kNone) {
    lowering.builder.emit(Opcode::Need, {definition.suspended,
                                         static_cast<uint32_t>(cells(lowering, definition.type))});
  } else if (stands_here) {
    ++lowering.depth_of_demands;
    mark_statement(lowering, definition.statement);
    into_as(lowering, definition.value, definition.type, definition.slot);
    show_evaluated(lowering, definition);
    --lowering.depth_of_demands;
  } else {
    force_definition(lowering, at);
  }
  mark_known(lowering, at);
  return definition.slot;
}

static void mark_known(FunctionLowering& lowering, uint32_t at) {
  lowering.definitions[at].is_known = true;
  lowering.known.push_back(at);
}

void forget_known(FunctionLowering& lowering, size_t mark) {
  while (lowering.known.size() > mark) {
    lowering.definitions[lowering.known.back()].is_known = false;
    lowering.known.pop_back();
  }
}

/// `let x = e in b`, where `e` is evaluated if `b` needs `x`.
void let_in_specification(FunctionLowering& lowering, Node node, Slot target) {
  Node body = node.child(Field::Body);
  std::vector<uint32_t> bound;
  for (Node child : node.children()) {
    names::Resolution meaning = child.is(NodeKind::Binding)
                                    ? lowering.text.body->names.of(child.child(Field::Name).index())
                                    : names::Resolution();
    if (meaning.is(names::Meaning::Local)) {
      bound.push_back(meaning.index());
    }
  }
  Definition definition;
  definition.value = node.child(Field::Value);
  definition.statement = definition.value;
  definition.type = bound.size() == 1 ? lowering.text.body->local_types[bound[0]]
                                      : type_of(lowering, definition.value);
  definition.slot = lowering.builder.allocate(cells(lowering, definition.type));
  definition.loop_depth = lowering.depth_of_loops;
  definition.memory = lowering.builder.allocate(1).index;
  definition.code = lowering.builder.new_label();
  definition.is_bound_by_let = true;
  Slot slot = definition.slot;
  for (size_t i = 0; i < bound.size(); ++i) {
    lowering.locals[bound[i]].definition = static_cast<uint32_t>(lowering.definitions.size());
    lowering.locals[bound[i]].slot = slot;
    slot.index += static_cast<uint32_t>(cells(lowering, lowering.text.body->local_types[bound[i]]));
  }
  lowering.builder.emit_constant({definition.memory}, 0);
  lowering.definitions.push_back(definition);
  count_uses(lowering, body, static_cast<uint32_t>(lowering.definitions.size()) - 1);
  DebugScope scope(lowering);
  for (const uint32_t local : bound) {
    show_local(lowering, local);
  }
  into(lowering, body, target);
}

}  // namespace tacet::interpret
