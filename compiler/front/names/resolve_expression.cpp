#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/names/arguments.h"
#include "compiler/front/names/instance.h"
#include "compiler/front/names/resolver.h"

namespace tacet::names {

using syntax::ExpressionKind;

static void tagged_expression(Resolver& resolver, Node node);
static void hole_expression(Resolver& resolver, Node node);
static void device_expression(Resolver& resolver, Node node);
static void expressions_in(Resolver& resolver, Node node);
static void belongs_elsewhere(Resolver& resolver, Node node, std::string_view what,
                              std::string_view rule);
static void dim(Resolver& resolver, Node name);
static void call(Resolver& resolver, Node call);
static void arguments(Resolver& resolver, Node list, size_t n_functions);
static void for_expression(Resolver& resolver, Node node);
static void let_expression(Resolver& resolver, Node node);

void expression(Resolver& resolver, Node node) {
  if (!node) {
    return;
  }
  switch (syntax::expression_kind(node.kind())) {
    case ExpressionKind::Identifier:
      value_name(resolver, node);
      return;
    case ExpressionKind::Dim:
      dim(resolver, node);
      return;
    case ExpressionKind::Call:
      call(resolver, node);
      return;
    case ExpressionKind::Field:
      expression(resolver, node.child(Field::Record));
      return;
    case ExpressionKind::For:
      for_expression(resolver, node);
      return;
    case ExpressionKind::Let:
      let_expression(resolver, node);
      return;
    case ExpressionKind::Cast:
      expression(resolver, node.child(Field::Value));
      type(resolver, node.child(Field::Type));
      return;
    case ExpressionKind::Tagged:
      tagged_expression(resolver, node);
      return;
    case ExpressionKind::Hole:
    case ExpressionKind::StatementHole:
      hole_expression(resolver, node);
      return;
    case ExpressionKind::Submit:
    case ExpressionKind::Await:
    case ExpressionKind::EncodeBegin:
      device_expression(resolver, node);
      return;
    case ExpressionKind::If:
      if_expression(resolver, node);
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
    case ExpressionKind::Slice:
    case ExpressionKind::Tuple:
    case ExpressionKind::Unary:
      expressions_in(resolver, node);
      return;
    case ExpressionKind::None:
      node.is(NodeKind::Block) ? block(resolver, node) : expressions_in(resolver, node);
      return;
  }
}

static void tagged_expression(Resolver& resolver, Node node) {
  if (is_spec(resolver)) {
    belongs_elsewhere(resolver, node.child(Field::Tags), "a tag",
                      "a specification does not depend on its implementations");
  }
  expression(resolver, node.child(Field::Value));
}

static void hole_expression(Resolver& resolver, Node node) {
  if (is_spec(resolver) || resolver.kind == BodyKind::Constant) {
    belongs_elsewhere(resolver, node, "a hole", "only an implementation can have holes");
  }
  device_hole(resolver, node);
}

/// `submit e`, `await f`, `encode-begin dev`
static void device_expression(Resolver& resolver, Node node) {
  if (forbid_in_spec(resolver, node)) {
    return;
  }
  if (node.is(NodeKind::EncodeBeginExpression)) {
    device(resolver, node.child(Field::Device));
  } else {
    expression(resolver, node.child(Field::Operand));
  }
}

static void expressions_in(Resolver& resolver, Node node) {
  const uint32_t end = node.subtree_end();
  for (uint32_t i = node.index() + 1; i < end; i += resolver.tree.nodes[i].size) {
    const NodeKind kind = resolver.tree.nodes[i].kind;
    if (resolver.tree.nodes[i].size > 1 || kind == NodeKind::Identifier || kind == NodeKind::Dim ||
        kind == NodeKind::Hole || kind == NodeKind::StatementHole) {
      expression(resolver, node_at(resolver, i));
    }
  }
}

static void belongs_elsewhere(Resolver& resolver, Node node, std::string_view what,
                              std::string_view rule) {
  const std::string_view here = resolver.kind == BodyKind::Device     ? "a device function"
                                : resolver.kind == BodyKind::Constant ? "a constant"
                                : resolver.kind == BodyKind::Program  ? "an array program"
                                : is_spec(resolver)                   ? "a specification"
                                                                      : "a coordinator function";
  resolver.report
      .add(DiagnosticCode::T1021, node.range(), fmt::format("{} is not allowed in {}", what, here))
      .note(rule);
}

/// Reports constructs of the coordinator that stand elsewhere.
auto forbid_in_spec(Resolver& resolver, Node node) -> bool {
  if (resolver.kind == BodyKind::Coordinator) {
    return false;
  }
  static constexpr std::string_view kRule =
      "only a coordinator function, a plain `fn`, can drive devices";
  belongs_elsewhere(resolver, node,
                    node.is(NodeKind::SubmitExpression)  ? "`submit`"
                    : node.is(NodeKind::AwaitExpression) ? "`await`"
                    : node.is(NodeKind::EncodeStatement) ? "`encode`"
                                                         : "`encode-begin`",
                    kRule);
  return true;
}

auto size_name(Resolver& resolver, Node name, uint32_t local) -> bool {
  if (local == LocalScopes::kNone || resolver.result.names.locals[local].kind != LocalKind::Size) {
    return false;
  }
  const Local& size = resolver.result.names.locals[local];
  if (size.ordinal < resolver.key.sizes.size()) {
    set_item(resolver, name, size_item(resolver.table, resolver.item, size.name, size.ordinal));
  } else {
    set(resolver, name, Meaning::Local, local);
  }
  return true;
}

auto type_parameter(const Resolver& resolver, Node name) -> uint32_t {
  const uint32_t local = resolver.locals.find(name.text());
  const bool is_type =
      local != LocalScopes::kNone && resolver.result.names.locals[local].kind == LocalKind::Type;
  return is_type ? local : LocalScopes::kNone;
}

void value_name(Resolver& resolver, Node name) {
  const uint32_t local = resolver.locals.find(name.text());
  if (type_parameter(resolver, name) != LocalScopes::kNone) {
    set_unknown(resolver, name);
    resolver.report.add(DiagnosticCode::T1003, name.range(),
                        fmt::format("`{}` is a type, not a value", name.text()));
    return;
  }
  if (size_name(resolver, name, local)) {
    return;
  }
  if (function_parameter(resolver, name) != LocalScopes::kNone) {
    set_unknown(resolver, name);
    resolver.report
        .add(DiagnosticCode::T1003, name.range(),
             fmt::format("`{}` is a function, not a value", name.text()))
        .note("a function can be called, or passed to a function that takes one");
    return;
  }
  if (local != LocalScopes::kNone) {
    set(resolver, name, Meaning::Local, local);
    if (!resolver.unset.empty()) {
      check_set(resolver, name, local);
    }
    if (resolver.current_definition != Local::kNone && local < resolver.definition_of.size() &&
        resolver.definition_of[local] != Local::kNone) {
      resolver.definitions[resolver.current_definition].uses.push_back(
          resolver.definition_of[local]);
    }
    return;
  }
  if (ItemId found = find_item(resolver, Namespace::Value, name); found.has_value()) {
    set_item(resolver, name, found);
    return;
  }
  unknown_value(resolver, name);
}

static void dim(Resolver& resolver, Node name) {
  if (const uint32_t local = resolver.locals.find(name.text()); local != LocalScopes::kNone) {
    set(resolver, name, Meaning::Local, local);
    return;
  }
  set_unknown(resolver, name);
  resolver.report
      .add(DiagnosticCode::T1016, name.range(),
           fmt::format("`{}` is not defined here", name.text()))
      .note(
          "`_dim0`, `_dim1`, … are the grid of a device extern; they are defined only in the "
          "members of an equivalence class whose extern has `dimensions`, and in functions that "
          "implement a member");
}

/// How many functions the callee takes.
static auto n_functions_of_call(Resolver& resolver, Node function) -> size_t {
  const ItemId item = resolver.result.names.item(function.index());
  if (!item.has_value() || resolver.table[item].kind != ItemKind::Fn) {
    return 0;
  }
  return n_function_parameters(item_node(*resolver.context.get<HeadOfItem>(item).tree));
}

static void call(Resolver& resolver, Node call) {
  Node function = call.child(Field::Function);
  if (function.is(NodeKind::TaggedExpression)) {
    if (is_spec(resolver)) {
      expression(resolver, function);
      return;
    }
    function = function.child(Field::Value);
  }
  if (function.is(NodeKind::Identifier)) {
    callee(resolver, function);
  } else if (function) {
    expression(resolver, function);
    resolver.report.add(DiagnosticCode::T1003, function.range(), "expected the name of a function")
        .note("functions are called by name; there are no methods and no function values");
  }
  template_values(resolver, call.child(Field::Template));
  arguments(resolver, call.child(Field::Arguments), n_functions_of_call(resolver, function));
}

/// A type or a number between `'<` and `>`.
static void template_value(Resolver& resolver, Node value) {
  const uint32_t parameter =
      value.is(NodeKind::Identifier) ? type_parameter(resolver, value) : LocalScopes::kNone;
  if (parameter != LocalScopes::kNone) {
    set(resolver, value, Meaning::Local, parameter);
  } else if (syntax::type_kind(value.kind()) != syntax::TypeKind::None) {
    type(resolver, value);
  } else if (!value.is_leaf() || syntax::is_named(value.kind())) {
    expression(resolver, value);
  }
}

void template_values(Resolver& resolver, Node node) {
  if (node.is(NodeKind::TemplateArguments)) {
    for (Node part : subtree(node)) {
      if (part.is(NodeKind::CallExpression)) {
        resolver.report
            .add(DiagnosticCode::T1021, part.range(), "a call is not allowed in template values")
            .note(
                "a grid consists of literals, names and operators; bind the result of the call "
                "with `let` first");
        break;
      }
    }
    for (Node value : node.children()) {
      template_value(resolver, value);
    }
  } else {
    type(resolver, node);
  }
}

static void arguments(Resolver& resolver, Node list, size_t n_functions) {
  for (Node argument : list.children()) {
    if (n_functions > 0 && syntax::is_named(argument.kind())) {
      --n_functions;
      if (argument.is(NodeKind::Identifier)) {
        function_argument(resolver, argument);
        continue;
      }
    }
    if (argument.is(NodeKind::Receiver)) {
      owner(resolver, argument.child(Field::Party));
    } else if (!argument.is_leaf() || argument.is(NodeKind::Identifier) ||
               argument.is(NodeKind::Dim) || argument.is(NodeKind::Hole) ||
               argument.is(NodeKind::StatementHole)) {
      expression(resolver, argument);
    }
  }
}

void callee(Resolver& resolver, Node name) {
  if (resolver.kind == BodyKind::Constant) {
    set_unknown(resolver, name);
    belongs_elsewhere(resolver, name, "a call", "constants are evaluated at compile time");
    return;
  }
  if (const uint32_t local = function_parameter(resolver, name); local != LocalScopes::kNone) {
    function_name(resolver, name, local);
    return;
  }
  const Namespace space = is_spec(resolver) ? Namespace::Class : Namespace::Callable;
  ItemId found = find_item(resolver, space, name);
  if (!found.has_value() && resolver.key.kind == ItemKind::Test) {
    // A test calls classes, too: each device runs one of their members.
    found = find_item(resolver, Namespace::Class, name);
  }
  if (found.has_value()) {
    if (is_spec(resolver) && resolver.table[found].parent.has_value()) {
      found = resolver.table[found].parent;  // an extern by its own name stands for its class
    }
    set_item(resolver, name, found);
    return;
  }
  Builtin builtin{};
  if (find_builtin(name.text(), builtin)) {
    const BuiltinPlace here = resolver.kind == BodyKind::Val           ? BuiltinPlace::ValSpec
                              : resolver.kind == BodyKind::Tmln        ? BuiltinPlace::TmlnSpec
                              : resolver.kind == BodyKind::Sptl        ? BuiltinPlace::SptlSpec
                              : resolver.kind == BodyKind::Coordinator ? BuiltinPlace::Coordinator
                                                                       : BuiltinPlace::DeviceFn;
    set(resolver, name, Meaning::Builtin, static_cast<uint32_t>(builtin));
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
      set_unknown(resolver, name);
      belongs_elsewhere(resolver, name, fmt::format("a call of `{}`", name.text()),
                        here == BuiltinPlace::ValSpec && is_random_draw(builtin)
                            ? "a specification is a function of its parameters, and a random draw "
                              "is not; pass the drawn value as a parameter"
                            : fmt::format("`{}` can be called only in {}", name.text(), places));
    }
    return;
  }
  if (const ItemId type = find_item(resolver, Namespace::Type, name); type.has_value()) {
    if (resolver.kind == BodyKind::Device) {
      set_item(resolver, name, type);
      return;
    }
  }
  if (const ItemId function = find_in_prelude(resolver, name); function.has_value()) {
    set_item(resolver, name, function);
    return;
  }
  unknown_callee(resolver, name);
}

static void for_expression(Resolver& resolver, Node node) {
  for (Node extent : node.children(Field::Extent)) {
    expression(resolver, extent);
  }
  resolver.locals.enter();
  uint32_t ordinal = 0;
  for (Node variable : node.children(Field::Variable)) {  // none in `[e; n]`
    declare(resolver, variable, LocalKind::Index, ordinal++, node.index());
  }
  expression(resolver, node.child(Field::Body));
  resolver.locals.leave();
}

static void let_expression(Resolver& resolver, Node node) {
  expression(resolver, node.child(Field::Value));
  resolver.locals.enter();
  bind_names(resolver, node, LocalKind::Let);
  expression(resolver, node.child(Field::Body));
  resolver.locals.leave();
}

}  // namespace tacet::names
