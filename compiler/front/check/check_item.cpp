#include "compiler/front/check/check_item.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/checker.h"
#include "compiler/front/check/queries.h"

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

Checker::Checker(query::Context& context, names::ItemId item, const syntax::Tree& tree,
                 const ConstantTypes* constants)
    : context_(context),
      constants_(constants),
      item_(item),
      tree_(tree),
      report_(item),
      interner_(context.service<Interner>()),
      table_(context.service<names::ItemTable>()),
      key_(table_[item]),
      types_(context.service<TypeStore>()),
      lowering_(context, key_.file, &report_),
      inference_(types_, standard_fraction(key_, names::item_node(tree))) {}

auto Checker::run(Facts facts) -> CheckedItem {
  Node root = names::item_node(tree_);
  resolved_ = names::resolve_body(context_, item_, tree_, report_);
  kind_ = resolved_.kind;
  terms_.resize(tree_.nodes.size());
  if (root) {
    item(root);
  }
  finish();
  CheckedItem result;
  if (facts == Facts::Keep) {
    result.body = take_body();
  }
  result.diagnostics = report_.take();
  return result;
}

auto Checker::take_body() -> Body {
  Body body;
  body.types.reserve(terms_.size());
  for (size_t i = 0; i < terms_.size(); ++i) {
    const TypeId type = inference_.finish(terms_[i]);
    body.types.push_back(visibility_of(i) ? types_.with_visibility(type, types::Visibility::Secret)
                                          : type);
  }
  for (size_t i = 0; i < local_terms_.size(); ++i) {
    const TypeId type = inference_.finish(local_terms_[i]);
    body.local_types.push_back(secret_locals_.size() > i && secret_locals_[i]
                                   ? types_.with_visibility(type, types::Visibility::Secret)
                                   : type);
  }
  if (kind_ == BodyKind::Device &&
      std::find(under_secret_.begin(), under_secret_.end(), true) != under_secret_.end()) {
    body.under_secret = std::move(under_secret_);
  }
  body.names = std::move(resolved_.names);
  return body;
}

void Checker::item(Node root) {
  switch (key_.kind) {
    case ItemKind::Val:
    case ItemKind::Tmln:
    case ItemKind::Sptl:
      head(root);
      specification(root);
      return;
    case ItemKind::Fn:
      head(root);
      records_of_head(root);
      function(root);
      return;
    case ItemKind::Extern:
      head(root);
      extern_properties(root);
      return;
    case ItemKind::Input:
    case ItemKind::Feq:
      head(root);
      return;
    case ItemKind::Program:
      head(root);
      set(root, expression(root));
      return;
    case ItemKind::Test:
      declare_locals();
      block(root.child(Field::Body), Wanted::Nothing);
      return;
    case ItemKind::Type:
      alias(root);
      return;
    case ItemKind::Const:
      declare_locals();
      constant(root);
      return;
    case ItemKind::Party:
    case ItemKind::Pipeline:
    case ItemKind::Import:
      return;
  }
}

void Checker::head(Node root) {
  signature_ = types::read_signature(context_, item_, root, &report_);
  declare_locals();
  class_member(root);
}

void Checker::declare_locals() {
  const std::vector<names::Local>& locals = resolved_.names.locals;
  local_terms_.reserve(locals.size());
  for (const names::Local& local : locals) {
    Term term;
    switch (local.kind) {
      case LocalKind::Parameter:
        if (local.ordinal < signature_.parameters.size()) {
          term = inference_.term(signature_.parameters[local.ordinal].type);
        }
        break;
      case LocalKind::Output:
        if (local.ordinal < signature_.results.size()) {
          term = inference_.term(signature_.results[local.ordinal].type);
        }
        break;
      case LocalKind::Dim:
        term = Term(TypeStore::kI32);
        break;
      case LocalKind::Index:
        term = Term(TypeStore::kI64);
        break;
      case LocalKind::Definition:
      case LocalKind::Let:
      case LocalKind::Var:
      case LocalKind::Loop:
      case LocalKind::Encoded:
        term = inference_.open();
        break;
    }
    local_terms_.push_back(term);
    if (local.node != names::Local::kNone) {
      terms_[local.node] = term;
    }
  }
  auto is_secret = [&](TypeId type) {
    return types_.visibility(type) == types::Visibility::Secret;
  };
  for (const types::SignatureParameter& parameter : signature_.parameters) {
    has_secrets_ = has_secrets_ || is_secret(parameter.type);
  }
}

/// How a cyclic item comes to need itself, behind a colon or a comma.
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

auto Checker::is_cyclic(Node root, const types::ItemOrder& order, std::string_view situation)
    -> bool {
  if (!order.is_cyclic(item_)) {
    return false;
  }
  report_.add(DiagnosticCode::T1008, names::item_name_node(root).range(),
              fmt::format("{}{}", situation, cycle_text(context_, order, item_)));
  return true;
}

void Checker::alias(Node root) {
  const auto& order = context_.get<types::AliasOrderOfFile>(key_.file);
  if (is_cyclic(root, *order, "a type cannot contain itself")) {
    return;
  }
  Node type = root.child(Field::Type);
  if (type) {
    set(type, Term(lowering_.lower(type)));
  }
}

void Checker::constant(Node root) {
  declare_locals();
  const auto& order = context_.get<types::ConstantOrderOfFile>(key_.file);
  if (is_cyclic(root, *order, "a constant cannot depend on itself")) {
    return;
  }
  Node value = root.child(Field::Value);
  Term term = expression(value);
  if (Node name = names::item_name_node(root)) {
    set(name, term);
  }
}

auto check_item(query::Context& context, names::ItemId item, const syntax::Tree& tree, Facts facts,
                const ConstantTypes* constants) -> CheckedItem {
  return Checker(context, item, tree, constants).run(facts);
}

}  // namespace tacet::check
