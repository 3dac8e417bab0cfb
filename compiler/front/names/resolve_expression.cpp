#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/names/resolver.h"

namespace tacet::names {

using syntax::ExpressionKind;

void Resolver::expression(Node node) {
  if (!node) {
    return;
  }
  switch (syntax::expression_kind(node.kind())) {
    case ExpressionKind::Identifier:
      value_name(node);
      return;
    case ExpressionKind::Dim:
      dim(node);
      return;
    case ExpressionKind::Call:
      call(node);
      return;
    case ExpressionKind::Field:
      expression(node.child(Field::Record));
      return;
    case ExpressionKind::For:
      for_expression(node);
      return;
    case ExpressionKind::Let:
      let_expression(node);
      return;
    case ExpressionKind::Cast:
      expression(node.child(Field::Value));
      type(node.child(Field::Type));
      return;
    case ExpressionKind::Tagged:
      tagged_expression(node);
      return;
    case ExpressionKind::Hole:
    case ExpressionKind::StatementHole:
      hole_expression(node);
      return;
    case ExpressionKind::Submit:
    case ExpressionKind::Await:
    case ExpressionKind::EncodeBegin:
      device_expression(node);
      return;
    case ExpressionKind::If:
      if_expression(node);
      return;
    case ExpressionKind::Integer:
    case ExpressionKind::Float:
    case ExpressionKind::Boolean:
    case ExpressionKind::String:
      return;
    case ExpressionKind::Array:
    case ExpressionKind::Binary:
    case ExpressionKind::Conditional:
    case ExpressionKind::Index:
    case ExpressionKind::Parenthesized:
    case ExpressionKind::Path:
    case ExpressionKind::Range:
    case ExpressionKind::Tuple:
    case ExpressionKind::Unary:
      expressions_in(node);
      return;
    case ExpressionKind::None:
      node.is(NodeKind::Block) ? block(node) : expressions_in(node);
      return;
  }
}

void Resolver::tagged_expression(Node node) {
  if (is_spec()) {
    belongs_elsewhere(node.child(Field::Tags), "a tag",
                      "a specification does not depend on its implementations");
  }
  expression(node.child(Field::Value));
}

void Resolver::hole_expression(Node node) {
  if (is_spec() || kind_ == BodyKind::Constant) {
    belongs_elsewhere(node, "a hole", "only an implementation can have holes");
  }
}

/// `submit e`, `await f`, `encode-begin dev`
void Resolver::device_expression(Node node) {
  if (forbid_in_spec(node)) {
    return;
  }
  if (node.is(NodeKind::EncodeBeginExpression)) {
    device(node.child(Field::Device));
  } else {
    expression(node.child(Field::Operand));
  }
}

void Resolver::expressions_in(Node node) {
  const uint32_t end = node.subtree_end();
  for (uint32_t i = node.index() + 1; i < end; i += tree_.nodes[i].size) {
    const NodeKind kind = tree_.nodes[i].kind;
    if (tree_.nodes[i].size > 1 || kind == NodeKind::Identifier || kind == NodeKind::Dim ||
        kind == NodeKind::Hole || kind == NodeKind::StatementHole) {
      expression(this->node(i));
    }
  }
}

void Resolver::belongs_elsewhere(Node node, std::string_view what, std::string_view rule) {
  const std::string_view here = kind_ == BodyKind::Device     ? "a device function"
                                : kind_ == BodyKind::Constant ? "a constant"
                                : kind_ == BodyKind::Program  ? "an array program"
                                : is_spec()                   ? "a specification"
                                                              : "a coordinator function";
  report_
      .add(DiagnosticCode::T1021, node.range(), fmt::format("{} is not allowed in {}", what, here))
      .note(rule);
}

/// Reports constructs of the coordinator that stand elsewhere.
auto Resolver::forbid_in_spec(Node node) -> bool {
  if (kind_ == BodyKind::Coordinator) {
    return false;
  }
  static constexpr std::string_view kRule =
      "only a coordinator function, a plain `fn`, can drive devices";
  belongs_elsewhere(node,
                    node.is(NodeKind::SubmitExpression)  ? "`submit`"
                    : node.is(NodeKind::AwaitExpression) ? "`await`"
                    : node.is(NodeKind::EncodeStatement) ? "`encode`"
                                                         : "`encode-begin`",
                    kRule);
  return true;
}

void Resolver::value_name(Node name) {
  const uint32_t local = locals_.find(name.text());
  if (local != LocalScopes::kNone) {
    set(name, Meaning::Local, local);
    if (!unset_.empty()) {
      check_set(name, local);
    }
    if (current_definition_ != Local::kNone && local < definition_of_.size() &&
        definition_of_[local] != Local::kNone) {
      definitions_[current_definition_].uses.push_back(definition_of_[local]);
    }
    return;
  }
  if (ItemId found = find_item(Namespace::Value, name); found.has_value()) {
    set_item(name, found);
    return;
  }
  unknown_value(name);
}

void Resolver::dim(Node name) {
  if (const uint32_t local = locals_.find(name.text()); local != LocalScopes::kNone) {
    set(name, Meaning::Local, local);
    return;
  }
  set_unknown(name);
  report_
      .add(DiagnosticCode::T1016, name.range(),
           fmt::format("`{}` is not defined here", name.text()))
      .note(
          "`_dim0`, `_dim1`, … are the grid of a device extern; they are defined only in the "
          "members of an equivalence class whose extern has `dimensions`, and in functions that "
          "implement a member");
}

void Resolver::call(Node call) {
  Node function = call.child(Field::Function);
  if (function.is(NodeKind::TaggedExpression)) {
    if (is_spec()) {
      expression(function);
      return;
    }
    function = function.child(Field::Value);
  }
  if (function.is(NodeKind::Identifier)) {
    callee(function);
  } else if (function) {
    expression(function);
    report_.add(DiagnosticCode::T1003, function.range(), "expected the name of a function")
        .note("functions are called by name; there are no methods and no function values");
  }
  template_values(call.child(Field::Template));
  arguments(call.child(Field::Arguments));
}

void Resolver::template_values(Node node) {
  if (node.is(NodeKind::TemplateArguments)) {
    for (Node part : subtree(node)) {
      if (part.is(NodeKind::CallExpression)) {
        report_.add(DiagnosticCode::T1021, part.range(), "a call is not allowed in template values")
            .note(
                "a grid consists of literals, names and operators; bind the result of the call "
                "with `let` first");
        break;
      }
    }
    expressions_in(node);
  } else {
    type(node);
  }
}

void Resolver::arguments(Node list) {
  for (Node argument : list.children()) {
    if (argument.is(NodeKind::Receiver)) {
      owner(argument.child(Field::Party));
    } else if (!argument.is_leaf() || argument.is(NodeKind::Identifier) ||
               argument.is(NodeKind::Dim) || argument.is(NodeKind::Hole) ||
               argument.is(NodeKind::StatementHole)) {
      expression(argument);
    }
  }
}

void Resolver::callee(Node name) {
  if (kind_ == BodyKind::Constant) {
    set_unknown(name);
    belongs_elsewhere(name, "a call", "constants are evaluated at compile time");
    return;
  }
  const Namespace space = is_spec() ? Namespace::Class : Namespace::Callable;
  if (ItemId found = find_item(space, name); found.has_value()) {
    if (is_spec() && table_[found].parent.has_value()) {
      found = table_[found].parent;  // an extern by its own name stands for its class
    }
    set_item(name, found);
    return;
  }
  Builtin builtin{};
  if (find_builtin(name.text(), builtin)) {
    const BuiltinPlace here = kind_ == BodyKind::Val           ? BuiltinPlace::ValSpec
                              : kind_ == BodyKind::Tmln        ? BuiltinPlace::TmlnSpec
                              : kind_ == BodyKind::Sptl        ? BuiltinPlace::SptlSpec
                              : kind_ == BodyKind::Coordinator ? BuiltinPlace::Coordinator
                                                               : BuiltinPlace::DeviceFn;
    set(name, Meaning::Builtin, static_cast<uint32_t>(builtin));
    if ((builtin_places(builtin) & static_cast<uint8_t>(here)) == 0) {
      static constexpr std::string_view kPlaces[] = {
          "value specifications", "timeline specifications", "spatial specifications",
          "coordinator functions", "device functions"};
      std::string places;
      for (uint32_t i = 0; i < std::size(kPlaces); ++i) {
        if ((builtin_places(builtin) & (1U << i)) != 0) {
          places += places.empty() ? "" : " and ";
          places += kPlaces[i];
        }
      }
      set_unknown(name);
      belongs_elsewhere(name, fmt::format("a call of `{}`", name.text()),
                        here == BuiltinPlace::ValSpec && is_random_draw(builtin)
                            ? "a specification is a function of its parameters, and a random draw "
                              "is not; pass the drawn value as a parameter"
                            : fmt::format("`{}` can be called only in {}", name.text(), places));
    }
    return;
  }
  unknown_callee(name);
}

void Resolver::for_expression(Node node) {
  expression(node.child(Field::Extent));
  locals_.enter();
  declare(node.child(Field::Variable), LocalKind::Index, 0, node.index());
  expression(node.child(Field::Body));
  locals_.leave();
}

void Resolver::let_expression(Node node) {
  expression(node.child(Field::Value));
  locals_.enter();
  bind(node, LocalKind::Let);
  expression(node.child(Field::Body));
  locals_.leave();
}

}  // namespace tacet::names
