#include <fmt/format.h>

#include "compiler/core/syntax/block_tail.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/front/check/visibility_pass.h"

namespace tacet::check {

using names::BodyKind;
using names::Builtin;
using names::ItemKind;
using names::LocalKind;
using names::Meaning;
using syntax::ExpressionKind;
using types::Visibility;

void VisibilityPass::run() {
  checker_.secret_nodes.assign(tree_.nodes.size(), false);
  checker_.secret_locals.assign(checker_.resolved.names.locals.size(), false);
  checker_.under_secret.assign(tree_.nodes.size(), false);
  checker_.secret_columns.clear();
  checker_.secret_columns_of_locals.clear();
  written_.assign(checker_.secret_locals.size(), Written::Nothing);
  declared_level_.assign(checker_.secret_locals.size(), 0);
  control_.begin(tree_.nodes.size());
  parameters();
  do {
    has_changed_ = false;
    round();
  } while (has_changed_);
  is_reporting_ = true;
  round();
  for (size_t i = 0; i < checker_.secret_locals.size(); ++i) {
    const uint32_t node = checker_.resolved.names.locals[i].node;
    if (node == names::Local::kNone) {
      continue;
    }
    const auto columns = checker_.secret_columns_of_locals.find(static_cast<uint32_t>(i));
    if (columns != checker_.secret_columns_of_locals.end()) {
      checker_.secret_columns[node] = columns->second;
    }
    if (checker_.secret_locals[i]) {
      checker_.secret_nodes[node] = true;
    }
  }
}

auto VisibilityPass::is_secret(types::TypeId type) const -> bool {
  return types_.visibility(type) == Visibility::Secret;
}

void VisibilityPass::parameters() {
  const std::vector<names::Local>& locals = checker_.resolved.names.locals;
  for (size_t i = 0; i < locals.size(); ++i) {
    if (locals[i].kind == LocalKind::Parameter &&
        locals[i].ordinal < checker_.signature.parameters.size()) {
      const types::TypeId type = checker_.signature.parameters[locals[i].ordinal].type;
      const bool secret = types::mentions_secret(types_, type);
      checker_.secret_locals[i] = secret;
      if (types::has_columns(types_, type)) {
        checker_.secret_columns_of_locals[static_cast<uint32_t>(i)] =
            types::secret_columns(types_, type);
      }
      written_[i] = secret ? Written::Secret : Written::Public;
      if (secret) {
        path_.declared(static_cast<uint32_t>(i));
      }
    }
  }
}

void VisibilityPass::round() {
  control_.begin_round();
  body();
}

void VisibilityPass::body() {
  Node root = names::item_node(tree_);
  switch (checker_.kind) {
    case BodyKind::Val:
    case BodyKind::Tmln:
    case BodyKind::Sptl:
      for (uint32_t index : checker_.resolved.definition_order) {
        Node definition = node_at(checker_, index);
        bind(definition, definition.child(Field::Value), NodeKind::SpecBinding);
      }
      for (Node statement : children_of(root.child(Field::Body), NodeKind::ReturnsStatement)) {
        returned(statement.child(Field::Value));
      }
      return;
    case BodyKind::Coordinator:
    case BodyKind::Device: {
      Node block = root.child(Field::Body);
      const bool secret = value_of(block);
      if (Node result = syntax::tail_of(block); result && checker_.key.kind == ItemKind::Fn) {
        check_results(result, secret);
      }
      return;
    }
    case BodyKind::Program:
      value_of(root);
      return;
    case BodyKind::Constant:
    case BodyKind::None:
      return;
  }
}

auto VisibilityPass::value_of(Node node) -> bool {
  if (!node) {
    return false;
  }
  bool secret = find(node);
  checker_.secret_nodes[node.index()] = secret;
  if (is_of_columns(checker_, checker_.terms[node.index()])) {
    checker_.secret_columns.erase(node.index());
    Columns columns = columns_of(checker_, node);
    secret = is_any(columns);
    checker_.secret_nodes[node.index()] = secret;
    checker_.secret_columns[node.index()] = std::move(columns);
  }
  checker_.under_secret[node.index()] = control_.level() > 0;
  return secret;
}

auto VisibilityPass::field(Node node) -> bool {
  Node record = node.child(Field::Record);
  Node name = node.child(Field::Field);
  const bool secret = value_of(record);
  if (!record || !name) {
    return secret;
  }
  if (is_of_columns(checker_, checker_.terms[record.index()])) {
    return is_any(columns_of(checker_, node));
  }
  const types::RecordField* declared = declared_field(checker_, checker_.terms[record.index()],
                                                      checker_.interner.intern(name.text()));
  return secret || (declared != nullptr && is_secret(declared->type));
}

auto VisibilityPass::find(Node node) -> bool {
  switch (syntax::expression_kind(node.kind())) {
    case ExpressionKind::Identifier: {
      const names::Resolution resolution = checker_.resolved.names.of(node.index());
      return resolution.is(Meaning::Local) && checker_.secret_locals[resolution.index()];
    }
    case ExpressionKind::Call:
      return call(node);
    case ExpressionKind::Cast: {
      const bool secret = value_of(node.child(Field::Value));
      return secret || is_secret(lowering_.lower(node.child(Field::Type)));
    }
    case ExpressionKind::Let:
      bind(node, node.child(Field::Value), NodeKind::Binding);
      return value_of(node.child(Field::Body));
    case ExpressionKind::For:
      for (Node extent : node.children(Field::Extent)) {
        value_of(extent);
      }
      elements(node);
      return value_of(node.child(Field::Body));
    case ExpressionKind::If:
    case ExpressionKind::Conditional:
      return branch(node);
    case ExpressionKind::Submit:
    case ExpressionKind::Await:
      parts(node);
      return false;  // the coordinator's side: what is read there has been decrypted
    case ExpressionKind::Field:
      return field(node);
    case ExpressionKind::Tagged:
      return value_of(node.child(Field::Value));
    case ExpressionKind::Array:
    case ExpressionKind::Binary:
    case ExpressionKind::Boolean:
    case ExpressionKind::Dim:
    case ExpressionKind::EncodeBegin:
    case ExpressionKind::Float:
    case ExpressionKind::Hole:
    case ExpressionKind::Index:
    case ExpressionKind::Integer:
    case ExpressionKind::Parenthesized:
    case ExpressionKind::Path:
    case ExpressionKind::Range:
    case ExpressionKind::Slice:
    case ExpressionKind::StatementHole:
    case ExpressionKind::String:
    case ExpressionKind::Tuple:
    case ExpressionKind::Unary:
    case ExpressionKind::None:
      break;
  }
  return node.is(NodeKind::Block) ? block(node) : parts(node);
}

auto VisibilityPass::parts(Node node) -> bool {
  bool secret = false;
  for (Node child : node.children()) {
    secret = value_of(child) || secret;
  }
  return secret;
}

auto VisibilityPass::call(Node node) -> bool {
  Node function = node.child(Field::Function);
  if (function.is(NodeKind::TaggedExpression)) {
    function = function.child(Field::Value);
  }
  const std::vector<Node> arguments = value_nodes(checker_, node);
  bool any = false;
  std::vector<bool> secret;
  for (Node argument : arguments) {
    secret.push_back(value_of(argument));
    any = any || secret.back();
  }
  const names::Resolution resolution = checker_.resolved.names.of(function.index());
  if (resolution.is(Meaning::Builtin)) {
    const auto builtin = static_cast<Builtin>(resolution.index());
    return any && builtin != Builtin::Reveal && builtin != Builtin::Len;
  }
  if (const names::Local* local = checker_.resolved.names.local(function.index())) {
    return local->kind == names::LocalKind::Function ? call_of_parameter(*local, arguments, secret)
                                                     : any;
  }
  const names::ItemId item = checker_.resolved.names.item(function.index());
  if (!item.has_value()) {
    return any;
  }
  if (checker_.table[item].kind == ItemKind::Type) {
    return any;
  }
  const types::Signature& signature = *checker_.context.get<types::SignatureOf>(item);
  for (size_t i = 0; i < arguments.size() && i < signature.parameters.size(); ++i) {
    const std::optional<size_t> wrong =
        secret[i] ? first_public(arguments[i], signature.parameters[i].type) : std::nullopt;
    if (wrong && !path_.is_reported(arguments[i])) {
      report(arguments[i],
             types::has_columns(types_, signature.parameters[i].type)
                 ? fmt::format("a secret is passed as the public `{}`",
                               column_text(checker_, signature.parameters[i].type, *wrong,
                                           parameter_name(signature, i)))
                 : "a secret is passed as a public argument",
             [](names::Draft&) {});
    }
  }
  // A specification speaks of values: what is computed from secrets is one.
  bool is_result_secret = is_spec(checker_) && any;
  for (const types::SignatureResult& result : signature.results) {
    is_result_secret = is_result_secret || types::mentions_secret(types_, result.type);
  }
  return is_result_secret;
}

auto VisibilityPass::call_of_parameter(const names::Local& local,
                                       const std::vector<Node>& arguments,
                                       const std::vector<bool>& secret) -> bool {
  if (local.ordinal >= checker_.signature.functions.size()) {
    return false;
  }
  const types::FunctionParameter& function = checker_.signature.functions[local.ordinal];
  for (size_t i = 0; i < arguments.size() && i < function.parameters.size(); ++i) {
    if (secret[i] && first_public(arguments[i], function.parameters[i].type) &&
        !path_.is_reported(arguments[i])) {
      report(arguments[i], "a secret is passed as a public argument", [](names::Draft&) {});
    }
  }
  return types::mentions_secret(types_, function.result.type);
}

auto VisibilityPass::parameter_name(const types::Signature& signature, size_t i) const
    -> std::string {
  const Name name = signature.parameters[i].name;
  return name.has_value() ? std::string(checker_.interner.text(name)) : fmt::format("in{}", i);
}

auto VisibilityPass::first_public(Node value, types::TypeId type) -> std::optional<size_t> {
  const Columns given = columns_as(checker_, value, type);
  const Columns declared = types::secret_columns(types_, type);
  for (size_t i = 0; i < given.size() && i < declared.size(); ++i) {
    if (given[i] && !declared[i]) {
      return i;
    }
  }
  return std::nullopt;
}

void visibilities(Checker& checker) {
  VisibilityPass(checker).run();
}

}  // namespace tacet::check
