#include "compiler/run/interpret/lower_debug.h"

#include <algorithm>

namespace tacet::interpret {

using names::LocalKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Null where nothing is noted: constants are evaluated inside of other items.
static auto debug_of(FunctionLowering& lowering) -> DebugInfo* {
  DebugInfo* debug = lowering.program.debug();
  return debug != nullptr && lowering.text.item == lowering.own_item ? debug : nullptr;
}

static auto here(FunctionLowering& lowering) -> uint32_t {
  return static_cast<uint32_t>(lowering.program.program().instructions.size());
}

static auto function_in(DebugInfo& debug, const FunctionLowering& lowering) -> DebugFunction& {
  debug.functions.resize(std::max<size_t>(debug.functions.size(), lowering.function + 1));
  return debug.functions[lowering.function];
}

/// The statement without its body.
static auto head_of(Node node) -> TextRange {
  TextRange range = node.range();
  const bool is_branch = node.is(NodeKind::IfExpression);
  const Node body = node.child(is_branch ? Field::Consequence : Field::Body);
  const bool has_head = is_branch || node.is(NodeKind::ForStatement) ||
                        node.is(NodeKind::WhileStatement) || node.is(NodeKind::ForExpression);
  if (has_head && body && body.range().begin > range.begin) {
    range.end = body.range().begin;
    const std::string& text = node.tree()->text;
    while (
        range.end > range.begin + 1 &&
        (text[range.end - 1] == ' ' || text[range.end - 1] == '\n' || text[range.end - 1] == '{')) {
      --range.end;
    }
  }
  if (node.is(NodeKind::DoStatement)) {
    range = node.child(Field::Condition).range();
  }
  return range;
}

static void add_mark(FunctionLowering& lowering, DebugInfo& debug, TextRange range) {
  const FileRange place{lowering.text.file, range.shifted(lowering.text.begin)};
  lowering.builder.set_place(place);
  debug.marks.push_back({.place = place,
                         .function = lowering.function,
                         .instruction = here(lowering),
                         .level = lowering.debug_level});
  lowering.builder.emit(Opcode::Mark, {static_cast<uint32_t>(debug.marks.size() - 1)});
}

void mark_statement(FunctionLowering& lowering, Node node) {
  if (DebugInfo* debug = debug_of(lowering); debug != nullptr && node) {
    add_mark(lowering, *debug, head_of(node));
    lowering.builder.set_place(lowering.text.place(node));
  }
}

void mark_end(FunctionLowering& lowering, Node block) {
  DebugInfo* debug = debug_of(lowering);
  if (debug != nullptr && block.is(NodeKind::Block) && block.range().end > block.range().begin) {
    add_mark(lowering, *debug, {block.range().end - 1, block.range().end});
  }
}

static auto variable_of(const FunctionLowering& lowering, uint32_t local) -> DebugVariable {
  const names::Local& data = lowering.text.body->names.locals[local];
  DebugVariable variable;
  variable.name = std::string(lowering.program.snapshot().interner().text(data.name));
  variable.type = lowering.text.body->local_types[local];
  if (data.node != names::Local::kNone) {
    variable.declared = lowering.text.place(lowering.text.node(data.node));
  }
  variable.end = kNowhere;
  return variable;
}

static void open_variable(FunctionLowering& lowering, DebugInfo& debug, DebugVariable variable) {
  std::vector<DebugVariable>& variables = function_in(debug, lowering).variables;
  variable.begin = here(lowering);
  lowering.debug_open.push_back(static_cast<uint32_t>(variables.size()));
  variables.push_back(std::move(variable));
}

void show_local(FunctionLowering& lowering, uint32_t local) {
  DebugInfo* debug = debug_of(lowering);
  if (debug == nullptr) {
    return;
  }
  const LocalState& state = lowering.locals[local];
  if (state.remote != kNone) {
    return;  // its fields are shown where they are encoded
  }
  DebugVariable variable = variable_of(lowering, local);
  const LocalKind kind = lowering.text.body->names.locals[local].kind;
  const bool is_counter = kind == LocalKind::Loop || kind == LocalKind::Index;
  variable.kind = is_counter                   ? DebugVariableKind::Counter
                  : kind == LocalKind::Element ? DebugVariableKind::Element
                                               : DebugVariableKind::Local;
  variable.slot = state.slot.index;
  if (state.definition != kNone) {
    variable.evaluated = lowering.definitions[state.definition].memory;
  }
  open_variable(lowering, *debug, std::move(variable));
}

void show_name(FunctionLowering& lowering, Node name) {
  const names::Resolution meaning = lowering.text.body->names.of(name.index());
  if (name && meaning.is(names::Meaning::Local)) {
    show_local(lowering, meaning.index());
  }
}

void show_encoded(FunctionLowering& lowering, uint32_t local, Slot slot, types::TypeId type) {
  DebugInfo* debug = debug_of(lowering);
  if (debug == nullptr) {
    return;
  }
  DebugVariable variable = variable_of(lowering, local);
  variable.kind = DebugVariableKind::Encoded;
  variable.slot = slot.index;
  variable.type = type;
  open_variable(lowering, *debug, std::move(variable));
}

void show_parameter(FunctionLowering& lowering, uint32_t local, const Definition& parameter,
                    uint32_t number) {
  DebugInfo* debug = debug_of(lowering);
  if (debug == nullptr || lowering.locals[local].remote != kNone) {
    return;
  }
  DebugVariable variable = variable_of(lowering, local);
  variable.kind = DebugVariableKind::Parameter;
  variable.type = parameter.type;
  variable.parameter = number;
  variable.slot = parameter.is_absent ? kNowhere : parameter.slot.index;
  variable.evaluated = parameter.suspended == kNone ? kNowhere : parameter.suspended;
  variable.begin = lowering.program.program().functions[lowering.function].entry;
  function_in(*debug, lowering).variables.push_back(std::move(variable));
}

void show_evaluated(FunctionLowering& lowering, const Definition& definition) {
  if (debug_of(lowering) != nullptr && definition.suspended == kNone) {
    lowering.builder.emit_constant({definition.memory}, kSettled);
  }
}

void show_revealed(FunctionLowering& lowering, Slot slot, uint64_t n_cells) {
  if (lowering.program.debug() != nullptr && n_cells > 0) {
    lowering.builder.emit(Opcode::Reveal, {slot.index, static_cast<uint32_t>(n_cells)});
  }
}

void finish_debug(FunctionLowering& lowering) {
  DebugInfo* debug = debug_of(lowering);
  if (debug == nullptr) {
    return;
  }
  DebugFunction& function = function_in(*debug, lowering);
  function.name = lowering.program.name_of(lowering.text.item);
  function.item = lowering.text.item;
  function.place = lowering.text.place(names::item_node(*lowering.text.tree));
  const std::vector<names::Local>& locals = lowering.text.body->names.locals;
  for (uint32_t i = 0; i < locals.size(); ++i) {
    if (locals[i].kind != LocalKind::Definition || lowering.locals[i].definition == kNone) {
      continue;
    }
    DebugVariable variable = variable_of(lowering, i);
    variable.kind = DebugVariableKind::Definition;
    variable.slot = lowering.locals[i].slot.index;
    variable.evaluated = lowering.definitions[lowering.locals[i].definition].memory;
    variable.begin = lowering.program.program().functions[lowering.function].entry;
    function.variables.push_back(std::move(variable));
  }
  for (DebugVariable& variable : function.variables) {
    variable.end = std::min(variable.end, here(lowering));
  }
}

DebugScope::DebugScope(FunctionLowering& lowering)
    : lowering_(lowering), n_open_(lowering.debug_open.size()) {}

DebugScope::~DebugScope() {
  DebugInfo* debug = lowering_.program.debug();
  while (lowering_.debug_open.size() > n_open_) {
    function_in(*debug, lowering_).variables[lowering_.debug_open.back()].end = here(lowering_);
    lowering_.debug_open.pop_back();
  }
}

}  // namespace tacet::interpret
