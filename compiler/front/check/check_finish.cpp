#include <fmt/format.h>

#include "compiler/core/diagnostics/closest_name.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/checker.h"

namespace tacet::check {

using names::LocalKind;
using types::DType;
using types::TypeStore;

static void pending_fields(Checker& checker);
static void unresolved_locals(Checker& checker);
static void literal_ranges(Checker& checker);

void finish(Checker& checker) {
  retry_deferred(checker);
  pending_fields(checker);
  wanted_fields(checker);
  unresolved_locals(checker);
  literal_ranges(checker);
  prove_indices(checker);
  fixed_literals(checker);
  if (checker.has_secrets) {
    visibilities(checker);
  }
}

/// Fields that were read before they were encoded.
static void pending_fields(Checker& checker) {
  for (const PendingField& pending : checker.pending_fields) {
    if (auto found = checker.inference.field(pending.record, pending.name)) {
      checker.inference.unify(pending.result, *found);
      checker.inference.add_flags(pending.record, pending.name,
                                  static_cast<uint8_t>(types::BufferFlag::MapRead));
      continue;
    }
    Node name = node_at(checker, pending.node);
    names::Draft draft = checker.report.add(
        DiagnosticCode::T2014, name.range(),
        fmt::format("no value named `{}` was encoded before the encoder was submitted",
                    name.text()));
    std::vector<std::string_view> candidates;
    for (Name candidate : checker.inference.field_names(pending.record)) {
      candidates.push_back(checker.interner.text(candidate));
    }
    if (auto closest = closest_name(name.text(), candidates)) {
      draft.note(fmt::format("did you mean `{}`?", *closest));
      draft.replace(name.range(), fmt::format("write `{}`", *closest), std::string(*closest));
    }
    checker.inference.unify(pending.result, Term());
  }
}

static void unresolved_locals(Checker& checker) {
  if (checker.has_holes || !checker.report.is_empty() || !checker.tree.errors.empty() ||
      checker.key.kind == names::ItemKind::Sptl) {
    return;
  }
  for (uint32_t i = 0; i < checker.resolved.names.locals.size(); ++i) {
    const names::Local& local = checker.resolved.names.locals[i];
    const bool has_type = local.kind != LocalKind::Let && local.kind != LocalKind::Var;
    if (has_type || local.node == names::Local::kNone ||
        !checker.inference.is_open(checker.local_terms[i])) {
      continue;
    }
    Node name = node_at(checker, local.node);
    if (name.is(NodeKind::Wildcard)) {
      continue;
    }
    checker.report
        .add(DiagnosticCode::T2018, name.range(),
             fmt::format("cannot infer the type of `{}`", name.text()))
        .note(fmt::format("annotate the type, for example `{}: i64`", name.text()));
    return;
  }
}

/// Literals that do not fit the type that was found for them.
static void literal_ranges(Checker& checker) {
  for (uint32_t index : checker.literals) {
    Node literal = node_at(checker, index);
    if (literal.range().length() <= 2) {
      continue;  // two digits fit every integer type
    }
    const TypeId type = checker.inference.finish(checker.terms[index]);
    const types::Type& known = checker.types[type];
    if (known.kind != types::TypeKind::Value || !types::is_integer(known.dtype)) {
      continue;
    }
    const uint32_t bits = types::dtype_bits(known.dtype);
    const bool is_signed = types::is_signed_integer(known.dtype);
    uint64_t limit = bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
    if (is_signed) {
      const bool is_negated = index >= 2 && checker.tree.nodes[index - 1].kind == NodeKind::Minus &&
                              checker.tree.nodes[index - 2].kind == NodeKind::UnaryExpression;
      limit = (uint64_t{1} << (bits - 1)) - (is_negated ? 0 : 1);
    }
    const std::optional<uint64_t> value = names::parse_integer(literal.text());
    if (!value || *value > limit) {
      checker.report
          .add(DiagnosticCode::T2023, literal.range(),
               fmt::format("`{}` is out of range for `{}`", literal.text(), text(checker, type)))
          .note(fmt::format("the largest `{}` is {}", text(checker, type),
                            is_signed ? (uint64_t{1} << (bits - 1)) - 1 : limit));
    }
  }
}

}  // namespace tacet::check
