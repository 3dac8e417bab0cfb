#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/names/arguments.h"
#include "compiler/front/names/instance.h"
#include "compiler/front/names/resolver.h"

// Functions that are passed to functions.

namespace tacet::names {

/// The module of the library whose functions have meaning everywhere.
static constexpr std::string_view kPrelude = R"("std/functions")";

auto value_arguments(const BodyNames& names, Node call) -> std::vector<Node> {
  std::vector<Node> values = syntax::named_children(call.child(Field::Arguments));
  std::erase_if(values, [&](Node node) { return names.is_function_argument(node.index()); });
  return values;
}

auto n_function_parameters(Node head) -> size_t {
  return syntax::children_of(head.child(Field::Parameters), NodeKind::FunctionParameter).size();
}

auto function_parameter(const Resolver& resolver, Node name) -> uint32_t {
  const uint32_t local = resolver.locals.find(name.text());
  const bool is_function = local != LocalScopes::kNone &&
                           resolver.result.names.locals[local].kind == LocalKind::Function;
  return is_function ? local : LocalScopes::kNone;
}

void function_name(Resolver& resolver, Node name, uint32_t local) {
  const uint32_t ordinal = resolver.result.names.locals[local].ordinal;
  if (ordinal >= resolver.key.functions.size()) {
    set(resolver, name, Meaning::Local, local);
    return;
  }
  const FunctionValue& function = resolver.key.functions[ordinal];
  Builtin builtin{};
  if (function.item.has_value()) {
    set_item(resolver, name, function.item);
  } else if (find_builtin(resolver.interner.text(function.name), builtin)) {
    set(resolver, name, Meaning::Builtin, static_cast<uint32_t>(builtin));
  }
}

auto find_in_prelude(Resolver& resolver, Node name) -> ItemId {
  if (resolver.kind != BodyKind::Device) {
    return {};
  }
  const auto workspace = resolver.context.get<WorkspaceInput>({});
  const auto file = workspace->find_module(resolver.key.file, kPrelude);
  return file && *file != resolver.key.file
             ? find_name(resolver.context, *file, Namespace::Callable, name.text())
             : ItemId();
}

void function_argument(Resolver& resolver, Node name) {
  resolver.result.names.function_arguments.push_back(name.index());
  if (const uint32_t local = function_parameter(resolver, name); local != LocalScopes::kNone) {
    function_name(resolver, name, local);
    return;
  }
  callee(resolver, name);
  const Resolution found = resolver.result.names.of(name.index());
  const bool is_other_builtin =
      found.is(Meaning::Builtin) && n_passed_operands(static_cast<Builtin>(found.index())) == 0;
  const bool is_type =
      found.is(Meaning::Item) &&
      resolver.table[resolver.result.names.items[found.index()]].kind != ItemKind::Fn;
  if (is_other_builtin || is_type) {
    set_unknown(resolver, name);
    resolver.report
        .add(DiagnosticCode::T2048, name.range(), fmt::format("`{}` cannot be passed", name.text()))
        .note("device functions and functions of numbers can be passed: `max`, `sqrt`");
  }
}

}  // namespace tacet::names
