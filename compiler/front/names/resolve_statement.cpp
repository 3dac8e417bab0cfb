#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/names/resolver.h"

namespace tacet::names {

using syntax::StatementKind;

void Resolver::block(Node block) {
  locals_.enter();
  statements(block);
  locals_.leave();
}

void Resolver::statements(Node block) {
  for (Node child : block.children()) {
    if (child.field() == Field::Result) {
      expression(child);
    } else if (!child.is_leaf() || child.is(NodeKind::Identifier)) {
      statement(child);
    }
  }
}

void Resolver::statement(Node node) {
  switch (syntax::statement_kind(node.kind())) {
    case StatementKind::Let:
      expression(node.child(Field::Value));
      bind(node, LocalKind::Let);
      return;
    case StatementKind::Var:
      expression(node.child(Field::Value));
      bind(node, LocalKind::Var);
      return;
    case StatementKind::Assignment:
      assignment(node);
      return;
    case StatementKind::Call:
      expression(node.child(Field::Call));
      return;
    case StatementKind::Hole:
      hole_statement(node);
      return;
    case StatementKind::Annotation:
      annotation(node);
      return;
    case StatementKind::Encode:
      encode(node);
      return;
    case StatementKind::If:
      if_expression(node);
      return;
    case StatementKind::Block:
      block(node);
      return;
    case StatementKind::For:
    case StatementKind::While:
    case StatementKind::Do:
      loop(node);
      return;
    case StatementKind::Break:
    case StatementKind::Continue:
    case StatementKind::Return:
      jump(node);
      return;
    case StatementKind::Returns:
    case StatementKind::None:
      break;
  }
  if (!node.is(NodeKind::Error)) {
    expression(node);
  }
}

void Resolver::bind(Node statement, LocalKind kind) {
  // Of coordinator functions `compiler/front/flow` knows more.
  const bool has_value = !statement.is(NodeKind::VarStatement) || statement.child(Field::Value) ||
                         kind_ == BodyKind::Coordinator;
  uint32_t ordinal = 0;
  for (Node binding : children_of(statement, NodeKind::Binding)) {
    type(binding.child(Field::Type));
    const uint32_t local = declare(binding.child(Field::Name), kind, ordinal++, statement.index());
    if (!has_value && !is_unreachable_) {
      unset_.push_back(local);
    }
  }
}

void Resolver::assignment(Node node) {
  expression(node.child(Field::Value));
  Node target = bare(node.child(Field::Target));
  if (target.is(NodeKind::Identifier)) {
    if (const uint32_t local = locals_.find(target.text()); local != LocalScopes::kNone) {
      set(target, Meaning::Local, local);
      mark_set(local);
      return;
    }
  }
  expression(target);
}

void Resolver::mark_set(uint32_t local) {
  unset_.erase(std::remove(unset_.begin(), unset_.end(), local), unset_.end());
}

void Resolver::check_set(Node name, uint32_t local) {
  if (is_unreachable_ || std::find(unset_.begin(), unset_.end(), local) == unset_.end()) {
    return;
  }
  // `&x` hands the variable over to be written.
  const uint32_t before = name.index() - 1;
  if (tree_.nodes[before].kind == NodeKind::Amp && tree_.nodes[before].field == Field::Operator &&
      name.field() == Field::Operand) {
    mark_set(local);
    return;
  }
  mark_set(local);  // tell it once
  report_
      .add(DiagnosticCode::T1010, name.range(),
           fmt::format("`{}` is read before it has a value", name.text()))
      .label(node(result_.names.locals[local].node).range(), "declared here without a value")
      .note("every path to this point must assign it first");
}

void Resolver::annotation(Node node) {
  for (Node annotation : node.children()) {
    Node key = annotation.child(Field::Key);
    if (Node name = key.child(Field::Name)) {
      if (const uint32_t local = locals_.find(name.text()); local != LocalScopes::kNone) {
        set(name, Meaning::Local, local);
      }
    }
  }
}

// ---- encoders ----

void Resolver::encode(Node node) {
  if (forbid_in_spec(node)) {
    return;
  }
  Node encoder = node.child(Field::Encoder);
  Node method = node.child(Field::Method);
  uint32_t owner = Local::kNone;
  if (encoder) {
    owner = locals_.find(encoder.text());
    value_name(encoder);
  }
  const bool is_call = method.text() == "call";
  if (method && !is_call && method.text() != "copy") {
    Draft draft = report_.add(DiagnosticCode::T1020, method.range(),
                              fmt::format("unknown encoder method `{}`", method.text()));
    draft.note("`copy` copies a value to the device; `call` runs a kernel there");
    suggest(draft, method, {"copy", "call"});
  }
  Node value = node.child(Field::Value);
  if (is_call) {
    while (value.is(NodeKind::TaggedExpression)) {
      value = value.child(Field::Value);
    }
    if (value.is(NodeKind::CallExpression)) {
      encoded_call(value, owner);
    } else if (value) {
      report_
          .add(DiagnosticCode::T1020, value.range(),
               "expected a call such as `f(x)`: an encoded call runs one kernel")
          .note("compute on the coordinator first, then `copy` the result");
    }
  } else {
    expression(value);
  }
  uint32_t ordinal = 0;
  for (Node destination : children_of(node, NodeKind::EncodeDestination)) {
    if (Node name = destination.child(Field::Name)) {
      encoded_local(owner, name, true, ordinal, node.index());
    }
    ++ordinal;
  }
}

void Resolver::encoded_call(Node call, uint32_t encoder) {
  Node function = call.child(Field::Function);
  if (function.is(NodeKind::TaggedExpression)) {
    function = function.child(Field::Value);
  }
  if (function.is(NodeKind::Identifier)) {
    callee(function);
  } else if (function) {
    expression(function);
  }
  template_values(call.child(Field::Template));
  for (Node argument : call.child(Field::Arguments).children()) {
    Node name = bare(argument);
    if (name.is(NodeKind::Identifier)) {
      encoded_argument(name, encoder);
    } else if (!name.is_leaf() || name.is(NodeKind::Integer) || name.is(NodeKind::Float) ||
               name.is(NodeKind::Boolean) || name.is(NodeKind::Dim)) {
      report_
          .add(DiagnosticCode::T1020, name.range(),
               "the arguments of an encoded call must be variables of its encoder")
          .note(
              "`encode e.copy[x <- …]` computes on the coordinator and copies the result to the "
              "device");
    }
  }
}

void Resolver::encoded_argument(Node name, uint32_t encoder) {
  if (encoded_local(encoder, name, false, 0, Local::kNone) == Local::kNone) {
    unknown_encoded(name, encoder);
  }
}

/// The local `name` of `encoder`. One that is not known is added if `may_add`, or if the encoder
/// came from elsewhere, where more may have been encoded.
auto Resolver::encoded_local(uint32_t encoder, Node name, bool may_add, uint32_t ordinal,
                             uint32_t declaration) -> uint32_t {
  for (const EncodedName& known : encoded_) {
    if (known.encoder == encoder && known.name == name.text()) {
      set(name, Meaning::Local, known.local);
      return known.local;
    }
  }
  if (!may_add && encoder != Local::kNone) {
    const Local& owner = result_.names.locals[encoder];
    const Node value =
        owner.declaration == Local::kNone ? Node() : node(owner.declaration).child(Field::Value);
    if (value.is(NodeKind::EncodeBeginExpression)) {
      return Local::kNone;
    }
  }
  const uint32_t local = add_local(name, LocalKind::Encoded, ordinal, declaration);
  if (!may_add) {
    result_.names.locals[local].node = Local::kNone;
  }
  result_.names.locals[local].owner = encoder;
  encoded_.push_back({encoder, name.text(), local});
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

void Resolver::if_expression(Node node) {
  expression(node.child(Field::Condition));
  const std::vector<uint32_t> unset = unset_;
  const bool was_unreachable = is_unreachable_;
  block(node.child(Field::Consequence));
  std::vector<uint32_t> unset_then = unset;
  std::swap(unset_then, unset_);
  const bool is_then_unreachable = is_unreachable_;
  is_unreachable_ = was_unreachable;
  if (Node alternative = node.child(Field::Alternative)) {
    expression(alternative);
  }
  join(unset_, is_unreachable_, unset_then, is_then_unreachable);
}

void Resolver::check_loop_place(Node node) {
  if (kind_ == BodyKind::Coordinator) {
    TextRange place = node.range();
    for (Node word : node.children()) {
      place = word.range();
      break;
    }
    report_.add(DiagnosticCode::T1021, place, "a loop is not allowed in a coordinator function")
        .note("only device functions have loops; use recursion on the coordinator");
  }
}

void Resolver::loop(Node node) {
  check_loop_place(node);
  expression(node.child(Field::Lower));
  expression(node.child(Field::Upper));
  expression(node.child(Field::Step));
  expression(node.child(Field::Max));
  const bool is_do = node.is(NodeKind::DoStatement);
  if (!is_do) {
    expression(node.child(Field::Condition));
  }
  const std::vector<uint32_t> unset = unset_;
  const bool was_unreachable = is_unreachable_;
  locals_.enter();
  if (node.is(NodeKind::ForStatement)) {
    declare(node.child(Field::Variable), LocalKind::Loop, 0, node.index());
  }
  ++n_loops_;
  block(node.child(Field::Body));
  --n_loops_;
  locals_.leave();
  if (is_do) {
    // `continue` may have left the body early; what it skipped is not tracked.
    is_unreachable_ = was_unreachable;
    expression(node.child(Field::Condition));
  } else {
    unset_ = unset;
    is_unreachable_ = was_unreachable;
  }
}

void Resolver::jump(Node node) {
  if (node.is(NodeKind::ReturnStatement)) {
    if (kind_ == BodyKind::Coordinator) {
      report_
          .add(DiagnosticCode::T1021, node.range(),
               "`return` is not allowed in a coordinator function")
          .note("a coordinator function ends with its result: write the value without `;`");
    }
    expression(node.child(Field::Value));
  } else if (n_loops_ == 0) {
    report_.add(DiagnosticCode::T1019, node.range(),
                fmt::format("`{}` outside of a loop",
                            node.is(NodeKind::BreakStatement) ? "break" : "continue"));
  }
  is_unreachable_ = true;
}

}  // namespace tacet::names
