#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/names/resolver.h"

namespace tacet::names {

using syntax::StatementKind;

static void statements(Resolver& resolver, Node block);
static void statement(Resolver& resolver, Node node);
static void assignment(Resolver& resolver, Node node);
static void mark_set(Resolver& resolver, uint32_t local);
static void annotation(Resolver& resolver, Node node);
static void encode(Resolver& resolver, Node node);
static void encoded_call(Resolver& resolver, Node call, uint32_t encoder);
static void encoded_argument(Resolver& resolver, Node name, uint32_t encoder);
static auto encoded_local(Resolver& resolver, uint32_t encoder, Node name, bool may_add,
                          uint32_t ordinal, uint32_t declaration) -> uint32_t;
static void loop(Resolver& resolver, Node node);
static void jump(Resolver& resolver, Node node);

void block(Resolver& resolver, Node block) {
  resolver.locals.enter();
  statements(resolver, block);
  resolver.locals.leave();
}

static void statements(Resolver& resolver, Node block) {
  for (Node child : block.children()) {
    if (child.field() == Field::Result) {
      expression(resolver, child);
    } else if (!child.is_leaf() || child.is(NodeKind::Identifier)) {
      statement(resolver, child);
    }
  }
}

static void statement(Resolver& resolver, Node node) {
  switch (syntax::statement_kind(node.kind())) {
    case StatementKind::Let:
      expression(resolver, node.child(Field::Value));
      bind_names(resolver, node, LocalKind::Let);
      return;
    case StatementKind::Var:
      expression(resolver, node.child(Field::Value));
      bind_names(resolver, node, LocalKind::Var);
      return;
    case StatementKind::Assignment:
      assignment(resolver, node);
      return;
    case StatementKind::Call:
      expression(resolver, node.child(Field::Call));
      return;
    case StatementKind::Hole:
      hole_statement(resolver, node);
      return;
    case StatementKind::Annotation:
      annotation(resolver, node);
      return;
    case StatementKind::Encode:
      encode(resolver, node);
      return;
    case StatementKind::If:
      if_expression(resolver, node);
      return;
    case StatementKind::Block:
      block(resolver, node);
      return;
    case StatementKind::For:
    case StatementKind::While:
    case StatementKind::Do:
      loop(resolver, node);
      return;
    case StatementKind::Break:
    case StatementKind::Continue:
    case StatementKind::Return:
      jump(resolver, node);
      return;
    case StatementKind::Returns:
    case StatementKind::None:
      break;
  }
  if (!node.is(NodeKind::Error)) {
    expression(resolver, node);
  }
}

void bind_names(Resolver& resolver, Node statement, LocalKind kind) {
  // Of coordinator functions `compiler/front/flow` knows more.
  const bool has_value = !statement.is(NodeKind::VarStatement) || statement.child(Field::Value) ||
                         resolver.kind == BodyKind::Coordinator;
  uint32_t ordinal = 0;
  for (Node binding : children_of(statement, NodeKind::Binding)) {
    type(resolver, binding.child(Field::Type));
    const uint32_t local =
        declare(resolver, binding.child(Field::Name), kind, ordinal++, statement.index());
    if (!has_value && !resolver.is_unreachable) {
      resolver.unset.push_back(local);
    }
  }
}

static void assignment(Resolver& resolver, Node node) {
  expression(resolver, node.child(Field::Value));
  Node target = bare(node.child(Field::Target));
  if (target.is(NodeKind::Identifier)) {
    if (const uint32_t local = resolver.locals.find(target.text()); local != LocalScopes::kNone) {
      set(resolver, target, Meaning::Local, local);
      mark_set(resolver, local);
      return;
    }
  }
  expression(resolver, target);
}

static void mark_set(Resolver& resolver, uint32_t local) {
  resolver.unset.erase(std::remove(resolver.unset.begin(), resolver.unset.end(), local),
                       resolver.unset.end());
}

void check_set(Resolver& resolver, Node name, uint32_t local) {
  if (resolver.is_unreachable ||
      std::find(resolver.unset.begin(), resolver.unset.end(), local) == resolver.unset.end()) {
    return;
  }
  // `&x` hands the variable over to be written.
  const uint32_t before = name.index() - 1;
  if (resolver.tree.nodes[before].kind == NodeKind::Amp &&
      resolver.tree.nodes[before].field == Field::Operator && name.field() == Field::Operand) {
    mark_set(resolver, local);
    return;
  }
  mark_set(resolver, local);  // report it once
  resolver.report
      .add(DiagnosticCode::T1010, name.range(),
           fmt::format("`{}` is read before it has a value", name.text()))
      .label(node_at(resolver, resolver.result.names.locals[local].node).range(),
             "declared here without a value")
      .note("every path to this point must assign it first");
}

static void annotation(Resolver& resolver, Node node) {
  for (Node annotation : node.children()) {
    Node key = annotation.child(Field::Key);
    if (Node name = key.child(Field::Name)) {
      if (const uint32_t local = resolver.locals.find(name.text()); local != LocalScopes::kNone) {
        set(resolver, name, Meaning::Local, local);
      }
    }
  }
}

// ---- encoders ----

static void encode(Resolver& resolver, Node node) {
  if (forbid_in_spec(resolver, node)) {
    return;
  }
  Node encoder = node.child(Field::Encoder);
  Node method = node.child(Field::Method);
  uint32_t owner = Local::kNone;
  if (encoder) {
    owner = resolver.locals.find(encoder.text());
    value_name(resolver, encoder);
  }
  const bool is_call = method.text() == "call";
  if (method && !is_call && method.text() != "copy") {
    Draft draft = resolver.report.add(DiagnosticCode::T1020, method.range(),
                                      fmt::format("unknown encoder method `{}`", method.text()));
    draft.note("`copy` copies a value to the device; `call` runs a kernel there");
    suggest(resolver, draft, method, {"copy", "call"});
  }
  Node value = node.child(Field::Value);
  if (is_call) {
    while (value.is(NodeKind::TaggedExpression)) {
      value = value.child(Field::Value);
    }
    if (value.is(NodeKind::CallExpression)) {
      encoded_call(resolver, value, owner);
    } else if (value) {
      resolver.report
          .add(DiagnosticCode::T1020, value.range(),
               "expected a call such as `f(x)`: an encoded call runs one kernel")
          .note("compute on the coordinator first, then `copy` the result");
    }
  } else {
    expression(resolver, value);
  }
  uint32_t ordinal = 0;
  for (Node destination : children_of(node, NodeKind::EncodeDestination)) {
    if (Node name = destination.child(Field::Name)) {
      encoded_local(resolver, owner, name, true, ordinal, node.index());
    }
    ++ordinal;
  }
}

static void encoded_call(Resolver& resolver, Node call, uint32_t encoder) {
  Node function = call.child(Field::Function);
  if (function.is(NodeKind::TaggedExpression)) {
    function = function.child(Field::Value);
  }
  if (function.is(NodeKind::Identifier)) {
    callee(resolver, function);
  } else if (function) {
    expression(resolver, function);
  }
  template_values(resolver, call.child(Field::Template));
  for (Node argument : call.child(Field::Arguments).children()) {
    Node name = bare(argument);
    if (name.is(NodeKind::Identifier)) {
      encoded_argument(resolver, name, encoder);
    } else if (!name.is_leaf() || name.is(NodeKind::Integer) || name.is(NodeKind::Float) ||
               name.is(NodeKind::Boolean) || name.is(NodeKind::Dim)) {
      resolver.report
          .add(DiagnosticCode::T1020, name.range(),
               "the arguments of an encoded call must be variables of its encoder")
          .note(
              "`encode e.copy[x <- …]` computes on the coordinator and copies the result to the "
              "device");
    }
  }
}

static void encoded_argument(Resolver& resolver, Node name, uint32_t encoder) {
  if (encoded_local(resolver, encoder, name, false, 0, Local::kNone) == Local::kNone) {
    unknown_encoded(resolver, name, encoder);
  }
}

/// The local `name` of `encoder`. One that is not known is added if `may_add`, or if the encoder
/// came from elsewhere, where more may have been encoded.
static auto encoded_local(Resolver& resolver, uint32_t encoder, Node name, bool may_add,
                          uint32_t ordinal, uint32_t declaration) -> uint32_t {
  for (const EncodedName& known : resolver.encoded) {
    if (known.encoder == encoder && known.name == name.text()) {
      set(resolver, name, Meaning::Local, known.local);
      return known.local;
    }
  }
  if (!may_add && encoder != Local::kNone) {
    const Local& owner = resolver.result.names.locals[encoder];
    const Node value = owner.declaration == Local::kNone
                           ? Node()
                           : node_at(resolver, owner.declaration).child(Field::Value);
    if (value.is(NodeKind::EncodeBeginExpression)) {
      return Local::kNone;
    }
  }
  const uint32_t local = add_local(resolver, name, LocalKind::Encoded, ordinal, declaration);
  if (!may_add) {
    resolver.result.names.locals[local].node = Local::kNone;
  }
  resolver.result.names.locals[local].owner = encoder;
  resolver.encoded.push_back({encoder, name.text(), local});
  return local;
}

// ---- branches, loops, jumps ----

static void join(std::vector<uint32_t>& unset, bool& is_unreachable,
                 const std::vector<uint32_t>& other, bool is_other_unreachable) {
  if (is_other_unreachable) {
    return;
  }
  if (is_unreachable) {
    unset = other;
    is_unreachable = false;
    return;
  }
  for (uint32_t local : other) {
    if (std::find(unset.begin(), unset.end(), local) == unset.end()) {
      unset.push_back(local);
    }
  }
}

void if_expression(Resolver& resolver, Node node) {
  expression(resolver, node.child(Field::Condition));
  const std::vector<uint32_t> unset = resolver.unset;
  const bool was_unreachable = resolver.is_unreachable;
  block(resolver, node.child(Field::Consequence));
  std::vector<uint32_t> unset_then = unset;
  std::swap(unset_then, resolver.unset);
  const bool is_then_unreachable = resolver.is_unreachable;
  resolver.is_unreachable = was_unreachable;
  if (Node alternative = node.child(Field::Alternative)) {
    expression(resolver, alternative);
  }
  join(resolver.unset, resolver.is_unreachable, unset_then, is_then_unreachable);
}

static void check_loop_place(Resolver& resolver, Node node) {
  if (resolver.kind == BodyKind::Coordinator) {
    TextRange place = node.range();
    for (Node word : node.children()) {
      place = word.range();
      break;
    }
    resolver.report
        .add(DiagnosticCode::T1021, place, "a loop is not allowed in a coordinator function")
        .note("only device functions have loops; use recursion on the coordinator");
  }
}

static void loop(Resolver& resolver, Node node) {
  check_loop_place(resolver, node);
  for (Node array : node.children(Field::Array)) {
    expression(resolver, array);
  }
  expression(resolver, node.child(Field::Lower));
  expression(resolver, node.child(Field::Upper));
  expression(resolver, node.child(Field::Step));
  expression(resolver, node.child(Field::Max));
  const bool is_do = node.is(NodeKind::DoStatement);
  if (!is_do) {
    expression(resolver, node.child(Field::Condition));
  }
  const std::vector<uint32_t> unset = resolver.unset;
  const bool was_unreachable = resolver.is_unreachable;
  resolver.locals.enter();
  const LocalKind kind = node.child(Field::Array) ? LocalKind::Element : LocalKind::Loop;
  uint32_t ordinal = 0;
  for (Node variable : node.children(Field::Variable)) {
    declare(resolver, variable, kind, ordinal++, node.index());
  }
  ++resolver.n_loops;
  block(resolver, node.child(Field::Body));
  --resolver.n_loops;
  resolver.locals.leave();
  if (is_do) {
    // `continue` may have left the body early; what it skipped is not tracked.
    resolver.is_unreachable = was_unreachable;
    expression(resolver, node.child(Field::Condition));
  } else {
    resolver.unset = unset;
    resolver.is_unreachable = was_unreachable;
  }
}

static void jump(Resolver& resolver, Node node) {
  if (node.is(NodeKind::ReturnStatement)) {
    if (resolver.kind == BodyKind::Coordinator) {
      resolver.report
          .add(DiagnosticCode::T1021, node.range(),
               "`return` is not allowed in a coordinator function")
          .note("a coordinator function ends with its result: write the value without `;`");
    }
    expression(resolver, node.child(Field::Value));
  } else if (resolver.n_loops == 0) {
    resolver.report.add(DiagnosticCode::T1019, node.range(),
                        fmt::format("`{}` outside of a loop",
                                    node.is(NodeKind::BreakStatement) ? "break" : "continue"));
  }
  resolver.is_unreachable = true;
}

}  // namespace tacet::names
