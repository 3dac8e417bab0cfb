#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/names/resolver.h"

// What the head of an item declares: sizes, types, functions and values.

namespace tacet::names {

/// Declares the name of a parameter, unless another one has it; `what` names the kind in a message.
static void declare_once(Resolver& resolver, Node parameter, LocalKind kind, uint32_t ordinal,
                         std::string_view what) {
  const Node name = parameter.child(Field::Name);
  if (name && resolver.locals.is_declared_here(name.text())) {
    const Local& first = resolver.result.names.locals[resolver.locals.find(name.text())];
    resolver.report
        .add(DiagnosticCode::T1002, name.range(),
             fmt::format("{} `{}` is declared twice", what, name.text()))
        .label(node_at(resolver, first.node).range(), "first declared here");
  }
  declare(resolver, name, kind, ordinal, parameter.index());
}

/// `f: fn(secret i64) -> secret i64`
static void function_parameters(Resolver& resolver, Node list) {
  uint32_t ordinal = 0;
  for (Node parameter : children_of(list, NodeKind::FunctionParameter)) {
    const Node function = parameter.child(Field::Type);
    for (Node of_parameter : function.children(Field::Type)) {
      type(resolver, of_parameter);
    }
    type(resolver, function.child(Field::Result));
    declare_once(resolver, parameter, LocalKind::Function, ordinal++, "parameter");
  }
}

void parameters(Resolver& resolver, Node list) {
  function_parameters(resolver, list);
  uint32_t ordinal = 0;
  for (Node parameter : children_of(list, NodeKind::Parameter)) {
    type(resolver, parameter.child(Field::Type));
    if (Node bound = parameter.child(Field::Bound)) {
      expression(resolver, bound.child(Field::Lower));
      expression(resolver, bound.child(Field::Upper));
    }
    owner(resolver, parameter.child(Field::Owner));
    declare_once(resolver, parameter, LocalKind::Parameter, ordinal, "parameter");
    ++ordinal;
  }
}

void sizes(Resolver& resolver, Node fn) {
  uint32_t n_sizes = 0;
  uint32_t n_types = 0;
  for (Node parameter : fn.child(Field::Sizes).children()) {
    if (parameter.is(NodeKind::TypeParameter)) {
      declare_once(resolver, parameter, LocalKind::Type, n_types++, "type parameter");
    } else if (parameter.is(NodeKind::SizeParameter)) {
      declare_once(resolver, parameter, LocalKind::Size, n_sizes++, "size parameter");
    }
  }
}

void constraints(Resolver& resolver, Node where) {
  for (Node condition : where.children(Field::Condition)) {
    expression(resolver, condition);
  }
}

void results(Resolver& resolver, Node list) {
  for (Node result : children_of(list, NodeKind::Result)) {
    type(resolver, result.child(Field::Type));
    owner(resolver, result.child(Field::Owner));
  }
}

void sizes_of_shape(Resolver& resolver, Node shape) {
  uint32_t ordinal = 0;
  for (const Node node : syntax::subtree(shape)) {
    if (!node.is(NodeKind::Identifier)) {
      continue;
    }
    if (const uint32_t local = resolver.locals.find(node.text()); local != LocalScopes::kNone) {
      set(resolver, node, Meaning::Local, local);
    } else {
      declare(resolver, node, LocalKind::Size, ordinal++, shape.index());
    }
  }
}

}  // namespace tacet::names
