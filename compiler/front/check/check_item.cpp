#include "compiler/front/check/check_item.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/types/columns.h"

namespace tacet::check {

using names::ItemKind;
using names::LocalKind;
using types::DType;
using types::TypeStore;

/// What `0.5` is where nothing says more: devices have no floating point.
static auto standard_fraction(const names::ItemKey& key, syntax::Node root) -> DType {
  const std::string_view device = root.child(syntax::Field::Device).text();
  const bool is_on_device = key.kind == ItemKind::Fn && (device == "he" || device == "mpc");
  return is_on_device ? DType::Fxp : DType::F64;
}

Checker::Checker(query::Context& context_, names::ItemId item_, const syntax::Tree& tree_,
                 const ConstantTypes* constants_)
    : context(context_),
      constants(constants_),
      item(item_),
      tree(tree_),
      report(item_),
      interner(context_.service<Interner>()),
      table(context_.service<names::ItemTable>()),
      key(table[item_]),
      types(context_.service<TypeStore>()),
      lowering(context_, key.file, &report),
      inference(types, standard_fraction(key, names::item_node(tree_))) {}

static auto take_body(Checker& checker) -> Body;
static void item(Checker& checker, Node root);
static void test(Checker& checker, Node body);
static void head(Checker& checker, Node root);
static void declare_locals(Checker& checker);
static void alias(Checker& checker, Node root);
static void constant(Checker& checker, Node root);

auto run(Checker& checker, Facts facts) -> CheckedItem {
  Node root = names::item_node(checker.tree);
  checker.resolved =
      names::resolve_body(checker.context, checker.item, checker.tree, checker.report);
  checker.kind = checker.resolved.kind;
  checker.terms.resize(checker.tree.nodes.size());
  if (root) {
    item(checker, root);
  }
  finish(checker);
  CheckedItem result;
  if (facts == Facts::Keep) {
    result.body = take_body(checker);
  }
  result.diagnostics = checker.report.take();
  return result;
}

static auto take_body(Checker& checker) -> Body {
  Body body;
  body.types.reserve(checker.terms.size());
  for (size_t i = 0; i < checker.terms.size(); ++i) {
    const TypeId type = checker.inference.finish(checker.terms[i]);
    if (const auto columns = checker.secret_columns.find(static_cast<uint32_t>(i));
        columns != checker.secret_columns.end()) {
      body.types.push_back(types::with_secret_columns(checker.types, type, columns->second));
      continue;
    }
    body.types.push_back(visibility_of(checker, i)
                             ? checker.types.with_visibility(type, types::Visibility::Secret)
                             : type);
  }
  for (size_t i = 0; i < checker.local_terms.size(); ++i) {
    const TypeId type = checker.inference.finish(checker.local_terms[i]);
    if (const auto columns = checker.secret_columns_of_locals.find(static_cast<uint32_t>(i));
        columns != checker.secret_columns_of_locals.end()) {
      body.local_types.push_back(types::with_secret_columns(checker.types, type, columns->second));
      continue;
    }
    body.local_types.push_back(checker.secret_locals.size() > i && checker.secret_locals[i]
                                   ? checker.types.with_visibility(type, types::Visibility::Secret)
                                   : type);
  }
  if (checker.kind == BodyKind::Device &&
      std::find(checker.under_secret.begin(), checker.under_secret.end(), true) !=
          checker.under_secret.end()) {
    body.under_secret = std::move(checker.under_secret);
  }
  body.names = std::move(checker.resolved.names);
  return body;
}

static void item(Checker& checker, Node root) {
  switch (checker.key.kind) {
    case ItemKind::Val:
    case ItemKind::Tmln:
    case ItemKind::Sptl:
      head(checker, root);
      sizes_of_specification(checker, root);
      specification(checker, root);
      return;
    case ItemKind::Fn:
      head(checker, root);
      sizes_of_function(checker, root);
      implemented_sizes(checker, root);
      records_of_head(checker, root);
      function(checker, root);
      return;
    case ItemKind::Extern:
      head(checker, root);
      extern_properties(checker, root);
      return;
    case ItemKind::Input:
    case ItemKind::Feq:
      head(checker, root);
      return;
    case ItemKind::Program:
      head(checker, root);
      set(checker, root, expression(checker, root));
      return;
    case ItemKind::Test:
      declare_locals(checker);
      test(checker, root.child(Field::Body));
      return;
    case ItemKind::Type:
      alias(checker, root);
      return;
    case ItemKind::Const:
      declare_locals(checker);
      constant(checker, root);
      return;
    case ItemKind::Party:
    case ItemKind::Pipeline:
    case ItemKind::Import:
      return;
  }
}

/// A test yields whether it passes, for each element if it compares arrays. One that yields nothing
/// passes if it runs to its end.
static void test(Checker& checker, Node body) {
  const Node yielded = yielded_by(body);
  const Term value = block(checker, body, yielded ? Wanted::Value : Wanted::Nothing);
  if (yielded && checker.inference.dtype(value) != types::DType::Bool) {
    expect(checker, yielded, value, Term(TypeStore::kBool), "the test's result");
  }
}

static void head(Checker& checker, Node root) {
  checker.lowering.use_sizes(types::sizes_of_head(checker.context, checker.item, root));
  checker.lowering.use_types(types::types_of_head(checker.context, checker.item, root));
  checker.signature = types::read_signature(checker.context, checker.item, root, &checker.report);
  declare_locals(checker);
  class_member(checker, root);
}

static void declare_locals(Checker& checker) {
  const std::vector<names::Local>& locals = checker.resolved.names.locals;
  checker.local_terms.reserve(locals.size());
  for (const names::Local& local : locals) {
    Term term;
    switch (local.kind) {
      case LocalKind::Parameter:
        if (local.ordinal < checker.signature.parameters.size()) {
          term = checker.inference.term(checker.signature.parameters[local.ordinal].type);
        }
        break;
      case LocalKind::Output:
        if (local.ordinal < checker.signature.results.size()) {
          term = checker.inference.term(checker.signature.results[local.ordinal].type);
        }
        break;
      case LocalKind::Dim:
        term = Term(TypeStore::kI32);
        break;
      case LocalKind::Type:
      case LocalKind::Function:
        break;
      case LocalKind::Size:  // a number of the type that its use needs, as constants are
      case LocalKind::Index:
        term = Term(TypeStore::kI64);
        break;
      case LocalKind::Definition:
      case LocalKind::Let:
      case LocalKind::Var:
      case LocalKind::Loop:
      case LocalKind::Element:
      case LocalKind::Encoded:
        term = checker.inference.open();
        break;
    }
    checker.local_terms.push_back(term);
    if (local.node != names::Local::kNone) {
      checker.terms[local.node] = term;
    }
  }
  for (const types::SignatureParameter& parameter : checker.signature.parameters) {
    checker.has_secrets =
        checker.has_secrets || types::mentions_secret(checker.types, parameter.type);
  }
}

/// How a cyclic item depends on itself, behind a colon or a comma.
static auto cycle_text(query::Context& context, const types::ItemOrder& order, names::ItemId item)
    -> std::string {
  const std::vector<names::ItemId> cycle = types::find_cycle(context, order, item);
  if (cycle.empty()) {
    return ", through a cycle that is too long to show";
  }
  const auto& table = context.service<names::ItemTable>();
  const auto& interner = context.service<Interner>();
  std::string path = ": ";
  for (names::ItemId member : cycle) {
    path += fmt::format("`{}` needs ", interner.text(table[member].name));
  }
  return path + fmt::format("`{}`", interner.text(table[item].name));
}

/// Reports an item that is made of itself.
static auto is_cyclic(Checker& checker, Node root, const types::ItemOrder& order,
                      std::string_view situation) -> bool {
  if (!order.is_cyclic(checker.item)) {
    return false;
  }
  checker.report.add(
      DiagnosticCode::T1008, names::item_name_range(root),
      fmt::format("{}{}", situation, cycle_text(checker.context, order, checker.item)));
  return true;
}

static void alias(Checker& checker, Node root) {
  const auto& order = checker.context.get<types::AliasOrderOfFile>(checker.key.file);
  if (is_cyclic(checker, root, *order, "a type cannot contain itself")) {
    return;
  }
  Node type = root.child(Field::Type);
  if (type) {
    set(checker, type, Term(checker.lowering.lower(type)));
  }
}

static void constant(Checker& checker, Node root) {
  declare_locals(checker);
  const auto& order = checker.context.get<types::ConstantOrderOfFile>(checker.key.file);
  if (is_cyclic(checker, root, *order, "a constant cannot depend on itself")) {
    return;
  }
  Node value = root.child(Field::Value);
  Term term = expression(checker, value);
  if (Node name = names::item_name_node(root)) {
    set(checker, name, term);
  }
}

auto check_item(query::Context& context, names::ItemId item, const syntax::Tree& tree, Facts facts,
                const ConstantTypes* constants) -> CheckedItem {
  Checker checker(context, item, tree, constants);
  return run(checker, facts);
}

}  // namespace tacet::check
